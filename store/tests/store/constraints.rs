//! One fact, one home: the words that `domain` knows are the words that the database allows.

use std::collections::BTreeSet;

use domain::attempt::{CostSource, ErrorClass, State};
use domain::event::EventType;
use domain::generation::Kind;
use domain::job::Status;
use domain::scope::Scope;

use crate::fixture::Fixture;

/// The quoted words of the CHECK constraint that lists a column's values.
async fn allowed(fixture: &Fixture, table: &str, column: &str) -> BTreeSet<String> {
    let sql = "select pg_get_constraintdef(oid) from pg_constraint
        where conrelid = $1::text::regclass and contype = 'c' and conkey = array[(
            select attnum from pg_attribute where attrelid = $1::text::regclass and attname = $2)]";
    let rows = fixture.client.query(sql, &[&table, &column]).await.unwrap();
    let definition: String =
        rows.iter().map(|row| row.get::<_, String>(0)).find(|text| text.contains("ARRAY")).unwrap();
    definition.split('\'').skip(1).step_by(2).map(str::to_owned).collect()
}

/// The words of the CHECK constraint that bounds the scopes of a key.
async fn allowed_scopes(fixture: &Fixture) -> BTreeSet<String> {
    let sql = "select pg_get_constraintdef(oid) from pg_constraint
        where conrelid = 'client_keys'::regclass and contype = 'c' and pg_get_constraintdef(oid) like '%scopes <@%'";
    let definition: String = fixture.client.query_one(sql, &[]).await.unwrap().get(0);
    let (_, rest) = definition.split_once("'{").unwrap();
    let (list, _) = rest.split_once('}').unwrap();
    list.split(',').map(str::to_owned).collect()
}

fn words<const N: usize>(words: [&str; N]) -> BTreeSet<String> {
    words.into_iter().map(str::to_owned).collect()
}

#[tokio::test]
async fn the_words_of_domain_are_the_words_of_the_database() {
    let fixture = Fixture::new().await;
    assert_eq!(allowed(&fixture, "jobs", "status").await, words(Status::ALL.map(Status::as_str)));
    assert_eq!(allowed(&fixture, "jobs", "kind").await, words(Kind::ALL.map(Kind::as_str)));
    assert_eq!(allowed(&fixture, "attempts", "state").await, words(State::ALL.map(State::as_str)));
    assert_eq!(
        allowed(&fixture, "attempts", "error_class").await,
        words(ErrorClass::ALL.map(ErrorClass::as_str))
    );
    assert_eq!(
        allowed(&fixture, "attempts", "cost_source").await,
        words(CostSource::ALL.map(CostSource::as_str))
    );
    assert_eq!(allowed_scopes(&fixture).await, words(Scope::ALL.map(Scope::as_str)));
    let index = "select indexdef from pg_indexes where indexname = 'events_terminal' and schemaname = current_schema()";
    let index: String = fixture.client.query_one(index, &[]).await.unwrap().get(0);
    for event in Status::ALL.into_iter().filter_map(EventType::of_status) {
        assert!(index.contains(event.as_str()), "{index}");
    }
}
