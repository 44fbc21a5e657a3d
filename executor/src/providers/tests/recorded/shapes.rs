//! The shapes themselves, as the providers document them.

use domain::attempt::ErrorClass as Class;
use domain::provider::Provider;

use super::Column::{self, Auth, InvalidInput, Money, RateLimit, Refusal, Timeout, Unavailable};
use super::{Row, Shape};

/// All of them.
pub(super) const ROWS: [Row; 13] = [
    FAL,
    REPLICATE,
    OPENAI,
    VEO,
    RUNWAY,
    LUMA_DREAM_MACHINE,
    LUMA_AGENTS,
    (Provider::Kling, KLING_SHAPES),
    (Provider::KlingV1, KLING_SHAPES),
    MINIMAX_V1,
    MINIMAX,
    BFL,
    WORKERS_AI,
];

const FAL: Row = (
    Provider::Fal,
    &[
        (
            Auth,
            &[
                (401, r#"{"detail":"Invalid API key"}"#, Class::Authentication),
                (403, r#"{"detail":"Forbidden"}"#, Class::Authentication),
            ],
        ),
        (
            InvalidInput,
            &[
                (422, r#"{"detail":[{"msg":"m","type":"image_too_large"}]}"#, Class::InvalidInput),
                (422, r#"{"detail":[{"msg":"m","type":"file_download_error"}]}"#, Class::InvalidInput),
                (422, r#"{"detail":[{"msg":"m","type":"one_of"}]}"#, Class::InvalidInput),
                (400, r#"{"detail":"m","error_type":"bad_request"}"#, Class::InvalidInput),
            ],
        ),
        (
            Refusal,
            &[
                (422, r#"{"detail":[{"msg":"m","type":"content_policy_violation"}]}"#, Class::Refusal),
                (422, r#"{"detail":[{"msg":"m","type":"no_media_generated"}]}"#, Class::Refusal),
            ],
        ),
        (
            RateLimit,
            &[
                (429, r#"{"detail":"m","error_type":"concurrent_requests_limit"}"#, Class::RateLimited),
                (429, r#"{"detail":"full"}"#, Class::RateLimited),
            ],
        ),
        (
            Unavailable,
            &[
                (503, r#"{"detail":"m","error_type":"runner_scheduling_failure"}"#, Class::Unavailable),
                (503, r#"{"detail":"m","error_type":"runner_disconnected"}"#, Class::Unavailable),
                (503, r#"{"detail":"m","error_type":"runner_connection_refused"}"#, Class::Unavailable),
                (502, r#"{"detail":"m","error_type":"runner_incomplete_response"}"#, Class::Unavailable),
                (500, r#"{"detail":"m","error_type":"internal_error"}"#, Class::Retryable),
                (500, r#"{"detail":[{"msg":"m","type":"downstream_service_error"}]}"#, Class::Retryable),
            ],
        ),
        (
            Timeout,
            &[
                (504, r#"{"detail":"m","error_type":"request_timeout"}"#, Class::Timeout),
                (504, r#"{"detail":"m","error_type":"startup_timeout"}"#, Class::Timeout),
                (504, r#"{"detail":"m","error_type":"generation_timeout"}"#, Class::Timeout),
            ],
        ),
        (
            Money,
            &[(403, r#"{"detail":"User is locked. Reason: Exhausted balance."}"#, Class::InsufficientFunds)],
        ),
    ],
);

const REPLICATE: Row = (
    Provider::Replicate,
    &[
        (Auth, &[(401, r#"{"title":"Unauthenticated","detail":"m","status":401}"#, Class::Authentication)]),
        (
            InvalidInput,
            &[(422, r#"{"title":"Input validation failed","detail":"m","status":422}"#, Class::InvalidInput)],
        ),
        (
            Refusal,
            &[
                (
                    0,
                    r#"{"status":"failed","error":"The input or output was flagged as sensitive. (E005)"}"#,
                    Class::Refusal,
                ),
                (0, r#"{"status":"failed","error":"NSFW content detected"}"#, Class::Refusal),
            ],
        ),
        (RateLimit, &[(429, r#"{"detail":"Your rate limit resets in ~30s."}"#, Class::RateLimited)]),
        (
            Unavailable,
            &[(0, r#"{"status":"failed","error":"Director: unexpected error (E1000)"}"#, Class::Unavailable)],
        ),
        (
            Timeout,
            &[
                (0, r#"{"status":"aborted"}"#, Class::Timeout),
                (0, r#"{"status":"canceled"}"#, Class::Cancelled),
            ],
        ),
    ],
);

const OPENAI: Row = (
    Provider::OpenaiImages,
    &[
        (
            Auth,
            &[(
                401,
                r#"{"error":{"message":"m","type":"invalid_request_error","code":"invalid_api_key"}}"#,
                Class::Authentication,
            )],
        ),
        (
            InvalidInput,
            &[(
                400,
                r#"{"error":{"message":"m","type":"invalid_request_error","code":null}}"#,
                Class::InvalidInput,
            )],
        ),
        (
            Refusal,
            &[
                (
                    400,
                    r#"{"error":{"message":"m","type":"image_generation_user_error","code":"moderation_blocked"}}"#,
                    Class::Refusal,
                ),
                (
                    400,
                    r#"{"error":{"message":"m","type":"invalid_request_error","code":"content_policy_violation"}}"#,
                    Class::Refusal,
                ),
            ],
        ),
        (
            RateLimit,
            &[(
                429,
                r#"{"error":{"message":"m","type":"requests","code":"rate_limit_exceeded"}}"#,
                Class::RateLimited,
            )],
        ),
        (
            Unavailable,
            &[
                (
                    503,
                    r#"{"error":{"message":"overloaded","type":"server_error","code":null}}"#,
                    Class::Unavailable,
                ),
                (500, "null", Class::Retryable),
            ],
        ),
        (Timeout, &[(408, "null", Class::Timeout)]),
        (
            Money,
            &[
                (
                    429,
                    r#"{"error":{"message":"m","type":"insufficient_quota","code":"insufficient_quota"}}"#,
                    Class::InsufficientFunds,
                ),
                (
                    429,
                    r#"{"error":{"message":"m","type":"limit","code":"organization_spend_limit_exceeded"}}"#,
                    Class::InsufficientFunds,
                ),
            ],
        ),
    ],
);

const VEO: Row = (
    Provider::Veo,
    &[
        (
            Auth,
            &[
                (
                    401,
                    r#"{"error":{"code":401,"message":"m","status":"UNAUTHENTICATED"}}"#,
                    Class::Authentication,
                ),
                (
                    403,
                    r#"{"error":{"code":403,"message":"m","status":"PERMISSION_DENIED"}}"#,
                    Class::Authentication,
                ),
                (
                    400,
                    r#"{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT"}}"#,
                    Class::Authentication,
                ),
            ],
        ),
        (
            InvalidInput,
            &[
                (
                    400,
                    r#"{"error":{"code":400,"message":"m","status":"INVALID_ARGUMENT"}}"#,
                    Class::InvalidInput,
                ),
                (
                    400,
                    r#"{"error":{"code":400,"message":"m","status":"FAILED_PRECONDITION"}}"#,
                    Class::InvalidInput,
                ),
            ],
        ),
        (
            Refusal,
            &[(
                0,
                r#"{"done":true,"error":{"code":3,"message":"It may violate our usage guidelines."}}"#,
                Class::Refusal,
            )],
        ),
        (
            RateLimit,
            &[(
                429,
                r#"{"error":{"code":429,"message":"m","status":"RESOURCE_EXHAUSTED"}}"#,
                Class::RateLimited,
            )],
        ),
        (
            Unavailable,
            &[
                (503, r#"{"error":{"code":503,"message":"m","status":"UNAVAILABLE"}}"#, Class::Unavailable),
                (500, r#"{"error":{"code":500,"message":"m","status":"INTERNAL"}}"#, Class::Retryable),
            ],
        ),
        (
            Timeout,
            &[(504, r#"{"error":{"code":504,"message":"m","status":"DEADLINE_EXCEEDED"}}"#, Class::Timeout)],
        ),
        (
            Money,
            &[
                (402, "null", Class::InsufficientFunds),
                (
                    429,
                    r#"{"error":{"code":429,"message":"Your prepayment credits are depleted.","status":"RESOURCE_EXHAUSTED"}}"#,
                    Class::InsufficientFunds,
                ),
            ],
        ),
    ],
);

const RUNWAY: Row = (
    Provider::Runway,
    &[
        (Auth, &[(401, r#"{"error":"m"}"#, Class::Authentication)]),
        (
            InvalidInput,
            &[
                (
                    400,
                    r#"{"error":"m","issues":[{"code":"too_small","path":["duration"],"message":"m"}]}"#,
                    Class::InvalidInput,
                ),
                (
                    0,
                    r#"{"status":"FAILED","failure":"m","failureCode":"ASSET.INVALID"}"#,
                    Class::InvalidInput,
                ),
                (
                    0,
                    r#"{"status":"FAILED","failure":"m","failureCode":"THIRD_PARTY.INPUT_VALIDATION"}"#,
                    Class::InvalidInput,
                ),
            ],
        ),
        (
            Refusal,
            &[
                (0, r#"{"status":"FAILED","failure":"m","failureCode":"SAFETY.INPUT.TEXT"}"#, Class::Refusal),
                (
                    0,
                    r#"{"status":"FAILED","failure":"m","failureCode":"SAFETY.OUTPUT.VIDEO"}"#,
                    Class::Refusal,
                ),
                (
                    0,
                    r#"{"status":"FAILED","failure":"m","failureCode":"INPUT_PREPROCESSING.SAFETY.TEXT"}"#,
                    Class::Refusal,
                ),
            ],
        ),
        (RateLimit, &[(429, r#"{"error":"m"}"#, Class::RateLimited)]),
        (
            Unavailable,
            &[
                (502, "null", Class::Unavailable),
                (503, "null", Class::Unavailable),
                (
                    0,
                    r#"{"status":"FAILED","failure":"m","failureCode":"THIRD_PARTY.UNAVAILABLE"}"#,
                    Class::Unavailable,
                ),
                (0, r#"{"status":"FAILED","failure":"m","failureCode":"INTERNAL"}"#, Class::Retryable),
                (
                    0,
                    r#"{"status":"FAILED","failure":"m","failureCode":"INPUT_PREPROCESSING.INTERNAL"}"#,
                    Class::Retryable,
                ),
                (
                    0,
                    r#"{"status":"FAILED","failure":"m","failureCode":"INTERNAL.BAD_OUTPUT.CODE01"}"#,
                    Class::Retryable,
                ),
            ],
        ),
        (Timeout, &[(504, "null", Class::Timeout)]),
    ],
);

const LUMA_DREAM_MACHINE: Row = (
    Provider::LumaDreamMachine,
    &[
        (
            Auth,
            &[
                (401, r#"{"detail":"m"}"#, Class::Authentication),
                (403, r#"{"detail":"m"}"#, Class::Authentication),
            ],
        ),
        (
            InvalidInput,
            &[
                (400, r#"{"detail":"m"}"#, Class::InvalidInput),
                (422, r#"{"detail":"m"}"#, Class::InvalidInput),
            ],
        ),
        (
            Refusal,
            &[(0, r#"{"state":"failed","failure_reason":"Advanced moderation failed"}"#, Class::Refusal)],
        ),
        (RateLimit, &[(429, r#"{"detail":"m"}"#, Class::RateLimited)]),
        (Unavailable, &[(503, "null", Class::Unavailable), (500, "null", Class::Retryable)]),
    ],
);

const LUMA_AGENTS: Row = (
    Provider::LumaAgents,
    &[
        (
            Auth,
            &[
                (401, r#"{"detail":"m"}"#, Class::Authentication),
                (403, r#"{"detail":"suspended"}"#, Class::Authentication),
            ],
        ),
        (
            InvalidInput,
            &[
                (400, r#"{"detail":"m"}"#, Class::InvalidInput),
                (413, r#"{"detail":"m"}"#, Class::InvalidInput),
                (422, r#"{"detail":"m"}"#, Class::InvalidInput),
                (0, r#"{"state":"failed","failure_code":"image_too_large"}"#, Class::InvalidInput),
                (0, r#"{"state":"failed","failure_code":"unsupported_format"}"#, Class::InvalidInput),
                (0, r#"{"state":"failed","failure_code":"corrupt_input"}"#, Class::InvalidInput),
                (0, r#"{"state":"failed","failure_code":"invalid_request"}"#, Class::InvalidInput),
            ],
        ),
        (Refusal, &[(0, r#"{"state":"failed","failure_code":"content_moderated"}"#, Class::Refusal)]),
        (
            RateLimit,
            &[
                (429, r#"{"detail":"m"}"#, Class::RateLimited),
                (0, r#"{"state":"failed","failure_code":"rate_limited"}"#, Class::RateLimited),
            ],
        ),
        (
            Unavailable,
            &[
                (502, "null", Class::Unavailable),
                (503, "null", Class::Unavailable),
                (0, r#"{"state":"failed","failure_code":"generation_failed"}"#, Class::Retryable),
                (0, r#"{"state":"failed","failure_code":"output_not_found"}"#, Class::Retryable),
            ],
        ),
        (
            Money,
            &[
                (402, r#"{"detail":"m"}"#, Class::InsufficientFunds),
                (0, r#"{"state":"failed","failure_code":"budget_exhausted"}"#, Class::InsufficientFunds),
            ],
        ),
    ],
);

/// The codes of both of Kling's APIs. A 404 is a model or a resource that is not there, whatever column it is listed in.
const KLING_SHAPES: &[(Column, &[Shape])] = &[
    (
        Auth,
        &[
            (401, r#"{"code":1000,"message":"m"}"#, Class::Authentication),
            (401, r#"{"code":1001,"message":"m"}"#, Class::Authentication),
            (401, r#"{"code":1002,"message":"m"}"#, Class::Authentication),
            (401, r#"{"code":1003,"message":"m"}"#, Class::Authentication),
            (401, r#"{"code":1004,"message":"m"}"#, Class::Authentication),
            (403, r#"{"code":1103,"message":"m"}"#, Class::Authentication),
            (429, r#"{"code":1304,"message":"m"}"#, Class::Authentication),
        ],
    ),
    (
        InvalidInput,
        &[
            (400, r#"{"code":1200,"message":"m"}"#, Class::InvalidInput),
            (400, r#"{"code":1201,"message":"m"}"#, Class::InvalidInput),
            (404, r#"{"code":1202,"message":"m"}"#, Class::ModelGone),
            (404, r#"{"code":1203,"message":"m"}"#, Class::ModelGone),
        ],
    ),
    (
        Refusal,
        &[
            (400, r#"{"code":1300,"message":"m"}"#, Class::Refusal),
            (400, r#"{"code":1301,"message":"m"}"#, Class::Refusal),
        ],
    ),
    (
        RateLimit,
        &[
            (429, r#"{"code":1302,"message":"m"}"#, Class::RateLimited),
            (429, r#"{"code":1303,"message":"m"}"#, Class::RateLimited),
        ],
    ),
    (
        Unavailable,
        &[
            (500, r#"{"code":5000,"message":"m"}"#, Class::Retryable),
            (503, r#"{"code":5001,"message":"m"}"#, Class::Unavailable),
        ],
    ),
    (Timeout, &[(504, r#"{"code":5002,"message":"m"}"#, Class::Timeout)]),
    (
        Money,
        &[
            (429, r#"{"code":1101,"message":"m"}"#, Class::InsufficientFunds),
            (429, r#"{"code":1102,"message":"m"}"#, Class::InsufficientFunds),
        ],
    ),
];

const MINIMAX_V1: Row = (
    Provider::MinimaxV1,
    &[
        (
            Auth,
            &[
                (200, r#"{"base_resp":{"status_code":1004,"status_msg":"m"}}"#, Class::Authentication),
                (200, r#"{"base_resp":{"status_code":2049,"status_msg":"m"}}"#, Class::Authentication),
            ],
        ),
        (
            InvalidInput,
            &[(200, r#"{"base_resp":{"status_code":2013,"status_msg":"m"}}"#, Class::InvalidInput)],
        ),
        (
            Refusal,
            &[
                (200, r#"{"base_resp":{"status_code":1026,"status_msg":"m"}}"#, Class::Refusal),
                (200, r#"{"base_resp":{"status_code":1027,"status_msg":"m"}}"#, Class::Refusal),
            ],
        ),
        (RateLimit, &[(200, r#"{"base_resp":{"status_code":1002,"status_msg":"m"}}"#, Class::RateLimited)]),
        (Unavailable, &[(200, r#"{"base_resp":{"status_code":1000,"status_msg":"m"}}"#, Class::Unavailable)]),
        (Timeout, &[(200, r#"{"base_resp":{"status_code":1001,"status_msg":"m"}}"#, Class::Timeout)]),
        (Money, &[(200, r#"{"base_resp":{"status_code":1008,"status_msg":"m"}}"#, Class::InsufficientFunds)]),
    ],
);

const MINIMAX: Row = (
    Provider::Minimax,
    &[
        (
            Auth,
            &[(
                401,
                r#"{"type":"error","error":{"type":"authorized_error","message":"m","http_code":"401"}}"#,
                Class::Authentication,
            )],
        ),
        (
            InvalidInput,
            &[(
                400,
                r#"{"type":"error","error":{"type":"bad_request_error","message":"m","http_code":"400"}}"#,
                Class::InvalidInput,
            )],
        ),
    ],
);

const BFL: Row = (
    Provider::Bfl,
    &[
        (
            Auth,
            &[
                (401, r#"{"detail":"m"}"#, Class::Authentication),
                (403, r#"{"message":"m"}"#, Class::Authentication),
            ],
        ),
        (
            InvalidInput,
            &[
                (400, r#"{"detail":"m"}"#, Class::InvalidInput),
                (422, r#"{"detail":[{"msg":"m","type":"multiple_of"}]}"#, Class::InvalidInput),
            ],
        ),
        (
            Refusal,
            &[
                (0, r#"{"status":"Request Moderated"}"#, Class::Refusal),
                (0, r#"{"status":"Content Moderated"}"#, Class::Refusal),
            ],
        ),
        (RateLimit, &[(429, r#"{"detail":"m"}"#, Class::RateLimited)]),
        (
            Unavailable,
            &[
                (503, "null", Class::Unavailable),
                (500, "null", Class::Retryable),
                (0, r#"{"status":"Error"}"#, Class::Retryable),
            ],
        ),
        (Money, &[(402, r#"{"detail":"Insufficient credits"}"#, Class::InsufficientFunds)]),
    ],
);

const WORKERS_AI: Row = (
    Provider::WorkersAi,
    &[
        (
            Auth,
            &[
                (403, r#"{"success":false,"errors":[{"code":3023,"message":"m"}]}"#, Class::Authentication),
                (403, r#"{"success":false,"errors":[{"code":3041,"message":"m"}]}"#, Class::Authentication),
                (403, r#"{"success":false,"errors":[{"code":5018,"message":"m"}]}"#, Class::Authentication),
            ],
        ),
        (
            InvalidInput,
            &[
                (400, r#"{"success":false,"errors":[{"code":5004,"message":"m"}]}"#, Class::InvalidInput),
                (400, r#"{"success":false,"errors":[{"code":5007,"message":"m"}]}"#, Class::InvalidInput),
                (400, r#"{"success":false,"errors":[{"code":3003,"message":"m"}]}"#, Class::InvalidInput),
                (404, r#"{"success":false,"errors":[{"code":3042,"message":"m"}]}"#, Class::ModelGone),
                (413, r#"{"success":false,"errors":[{"code":3006,"message":"m"}]}"#, Class::InvalidInput),
            ],
        ),
        (
            Refusal,
            &[(
                400,
                r#"{"success":false,"errors":[{"code":3030,"message":"prompt contains NSFW content"}]}"#,
                Class::Refusal,
            )],
        ),
        (
            Unavailable,
            &[(429, r#"{"success":false,"errors":[{"code":3040,"message":"m"}]}"#, Class::Unavailable)],
        ),
        (
            Timeout,
            &[
                (408, r#"{"success":false,"errors":[{"code":3007,"message":"m"}]}"#, Class::Timeout),
                (408, r#"{"success":false,"errors":[{"code":3008,"message":"m"}]}"#, Class::Timeout),
            ],
        ),
        (
            Money,
            &[(429, r#"{"success":false,"errors":[{"code":3036,"message":"m"}]}"#, Class::InsufficientFunds)],
        ),
    ],
);
