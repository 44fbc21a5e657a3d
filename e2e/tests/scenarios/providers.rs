//! Every provider, from the request to the stored output, over its own protocol.

use e2e::{Api, Stack, marker};
use futures::future::join_all;
use serde_json::json;

/// A model of each provider, with what it makes.
pub const MODELS: [(&str, &str, &str); 13] = [
    ("fal", "fal-ai/veo3.1", "video"),
    ("replicate", "google/veo-3-fast", "video"),
    ("runway", "gen4.5", "video"),
    ("luma_dream_machine", "ray-2", "video"),
    ("bfl", "flux-pro-1.1", "image"),
    ("luma_agents", "ray-3.2", "video"),
    ("minimax", "MiniMax-H3", "video"),
    ("minimax_v1", "MiniMax-Hailuo-2.3", "video"),
    ("kling", "kling-3.0", "video"),
    ("kling_v1", "kling-v2-1", "video"),
    ("veo", "veo-3.1-generate-preview", "video"),
    ("openai_images", "gpt-image-1", "image"),
    ("workers_ai", "cf/black-forest-labs/flux-1-schnell", "image"),
];

#[tokio::test]
async fn a2_every_provider_is_paid_once_for_a_stored_output() {
    let stack = Stack::running();
    let api = stack.api();
    join_all(MODELS.map(async |(provider, model, kind)| {
        let mark = marker(provider);
        let id = api.created(&mark, &Api::of_model(&mark, (provider, model, kind))).await;
        let job = api.ended(&id).await;
        assert_eq!(job["status"], "succeeded", "{provider}: {job}");
        assert_eq!(stack.simulator().accepted(&mark).await, 1, "{provider}");
        let attempts = api.attempts(&id).await;
        assert_eq!((attempts.len(), &attempts[0]["state"]), (1, &json!("succeeded")), "{provider}");
        assert_eq!(api.output(&id).await.len(), job["outputs"][0]["bytes"], "{provider}");
    }))
    .await;
}
