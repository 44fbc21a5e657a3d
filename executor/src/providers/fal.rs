//! fal's queue: <https://docs.fal.ai/model-apis/model-endpoints/queue>.
//!
//! A model's input is the bare body. The submit's answer names the URLs for everything later; the paths below are the
//! fallback where a named URL leads off the allow-list. There is no idempotency key and no look-up by a reference of
//! ours; a submit of unknown outcome becomes known when fal reports it to the attempt's own callback URL.

use domain::attempt::ErrorClass;
use domain::inputs::Role;
use domain::inputs::limit::BYTES as LARGEST;
use domain::provider::Provider;

use super::description::{
    Billed, Callback, Cancel, Description, Errors, Field, Fits, Form, Method, Outputs, PLAIN, Place, Poll,
    Recovery, ResultSource, Route, Rule, Source, Status, Submit, Takes, Usage, Way, When, field, image, rule,
    video,
};

/// fal, through its queue.
pub static FAL: Description = Description {
    provider: Provider::Fal,
    base_url: "https://queue.fal.run",
    hosts: &["queue.fal.run"],
    auth: ("authorization", "Key {key}"),
    // The platform would repeat a failed run up to ten times and may reroute it: both of its own, unseen by us.
    headers: &[("x-fal-no-retry", "1"), ("x-app-fal-disable-fallback", "true")],
    submit: Submit {
        routes: &[Route { when: Fits::Always, url: "{base}/{model}" }],
        media: Takes {
            ways: &[(Way::Url, LARGEST)],
            slots: &[
                image(&[Role::FirstFrame], &["first-last-frame"], "/first_frame_url", PLAIN),
                image(&[Role::FirstFrame], &["kling-video/v3", "kling-video/o"], "/start_image_url", PLAIN),
                image(&[Role::Source], &["/edit"], "/image_urls/-", PLAIN),
                image(&[Role::FirstFrame, Role::Source], &[], "/image_url", PLAIN),
                image(&[Role::LastFrame], &["first-last-frame"], "/last_frame_url", PLAIN),
                image(&[Role::LastFrame], &["kling-video/v1", "kling-video/v2"], "/tail_image_url", PLAIN),
                image(&[Role::LastFrame], &[], "/end_image_url", PLAIN),
                image(&[Role::Reference], &[], "/image_urls/-", PLAIN),
                video(&[Role::Source], &[], "/video_url", PLAIN),
            ],
        },
        options: "",
        fields: &[
            field(Source::Prompt, "/prompt"),
            field(Source::NegativePrompt, "/negative_prompt"),
            Field {
                from: Source::DurationSeconds,
                to: "/duration",
                form: Form::Same,
                forms: &[
                    ("fal-ai/veo", Form::Suffixed("s")),
                    ("fal-ai/kling-video", Form::Text),
                    ("fal-ai/minimax", Form::Text),
                ],
            },
            field(Source::AspectRatio, "/aspect_ratio"),
            field(Source::Resolution, "/resolution"),
            field(Source::Seed, "/seed"),
            field(Source::Audio, "/generate_audio"),
        ],
        reference: None,
        callback: Some(Callback::Query("fal_webhook")),
        accepted: &[],
        request_id: "/request_id",
        captures: &[
            ("status_url", "/status_url"),
            ("response_url", "/response_url"),
            ("cancel_url", "/cancel_url"),
        ],
    },
    recovery: Recovery::None,
    poll: Poll {
        urls: &["{status_url}", "{base}/{app}/requests/{id}/status"],
        status: "/status",
        words: &[
            ("IN_QUEUE", Status::Pending),
            ("IN_PROGRESS", Status::Pending),
            // With an `error` beside it when the run failed; the result says more.
            ("COMPLETED", Status::Done),
        ],
        absent: None,
        min_interval_ms: 0,
    },
    result: ResultSource::Get(&["{response_url}", "{base}/{app}/requests/{id}"]),
    outputs: Outputs {
        flagged: Some("/has_nsfw_concepts/*"),
        ..Outputs::at(&["/video/url", "/videos/*/url", "/images/*/url", "/image/url", "/output/url"])
    },
    cancel: Some(Cancel {
        method: Method::Put,
        urls: &["{cancel_url}", "{base}/{app}/requests/{id}/cancel"],
        only_in: &[],
    }),
    usage: Some(Usage { at: Place::Header("x-fal-billable-units"), unit: None, more: &[] }),
    quote: None,
    errors: Errors {
        code: &[
            Place::Header("x-fal-error-type"),
            Place::Body("/error_type"),
            Place::Body("/detail/0/type"),
            Place::Body("/error/type"),
        ],
        message: &["/detail", "/detail/0/msg", "/error", "/error/message", "/message"],
        rules: RULES,
    },
};

/// fal never bills a 5xx; a 422 may be billed if the GPU ran before it was noticed.
static RULES: &[Rule] = &[
    // An empty balance is a 403 with the same envelope as a bad key.
    rule(
        When::MessageHas(&[
            "exhausted balance",
            "user is locked",
            "insufficient balance",
            "insufficient credits",
        ]),
        ErrorClass::InsufficientFunds,
        Billed::No,
    ),
    rule(
        When::Code(&["content_policy_violation", "no_media_generated", "nsfw_content_detected"]),
        ErrorClass::Refusal,
        Billed::Unknown,
    ),
    rule(
        When::Code(&["concurrent_requests_limit", "rate_limit_exceeded", "rate_limited"]),
        ErrorClass::RateLimited,
        Billed::No,
    ),
    rule(
        When::Code(&[
            "runner_scheduling_failure",
            "runner_disconnected",
            "runner_connection_timeout",
            "runner_connection_refused",
            "runner_connection_error",
            "runner_incomplete_response",
        ]),
        ErrorClass::Unavailable,
        Billed::No,
    ),
    rule(
        When::Code(&["request_timeout", "startup_timeout", "generation_timeout"]),
        ErrorClass::Timeout,
        Billed::No,
    ),
    rule(
        When::Code(&[
            "internal_error",
            "internal_server_error",
            "downstream_service_error",
            "downstream_service_unavailable",
        ]),
        ErrorClass::Retryable,
        Billed::No,
    ),
    rule(When::Code(&["client_cancelled"]), ErrorClass::Cancelled, Billed::Unknown),
    rule(
        When::Code(&[
            "bad_request",
            "missing",
            "one_of",
            "value_error",
            "greater_than",
            "greater_than_equal",
            "less_than",
            "less_than_equal",
            "multiple_of",
            "sequence_too_short",
            "sequence_too_long",
            "feature_not_supported",
            "file_download_error",
            "file_too_large",
            "image_too_small",
            "image_too_large",
            "image_load_error",
            "invalid_archive",
            "unsupported_image_format",
            "unsupported_audio_format",
            "unsupported_video_format",
            "audio_duration_too_long",
            "audio_duration_too_short",
            "video_duration_too_long",
            "video_duration_too_short",
            "face_detection_error",
        ]),
        ErrorClass::InvalidInput,
        Billed::Unknown,
    ),
    rule(When::Http(&[404, 410]), ErrorClass::ModelGone, Billed::Unknown),
    rule(When::Http(&[499]), ErrorClass::Cancelled, Billed::Unknown),
    rule(When::Http(&[502, 503]), ErrorClass::Unavailable, Billed::No),
    rule(When::Http(&[504]), ErrorClass::Timeout, Billed::No),
    rule(When::Http(&[500, 501, 505, 507, 508, 520, 521, 522, 523, 524]), ErrorClass::Retryable, Billed::No),
];
