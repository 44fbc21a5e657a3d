use super::*;
use description::Recovery;

mod recorded;

#[test]
fn every_provider_has_a_description_of_its_own() {
    for provider in Provider::ALL {
        let description = description(provider);
        assert_eq!(description.provider, provider);
        assert!(description.base_url.parse::<Url>().is_ok() && !description.base_url.ends_with('/'));
        let calls_back = !provider.callback_request_ids().is_empty();
        assert_eq!(calls_back, description.submit.callback.is_some(), "{provider}");
        let searched = matches!(description.recovery, Recovery::Lookup { .. } | Recovery::Listing(_));
        assert_eq!(provider.is_searchable(), searched, "{provider}");
    }
}
