//! Shapes of requests and responses as JSON Schema, with the limits that the domain's readers hold.

#![expect(clippy::needless_pass_by_value, reason = "shapes are written where they are used, as values")]

use domain::attempt::{CostSource, ErrorClass, State};
use domain::callback_url::CallbackUrl;
use domain::endpoint;
use domain::error::Code;
use domain::generation::{Kind, limit};
use domain::job::Status;
use domain::provider::Provider;
use domain::timing;
use serde_json::{Map, Value, json};
use utoipa::openapi::{Object, RefOr, Schema};

use crate::admin::{deliveries, providers};

mod clients;
mod inputs;
mod spend;
mod style_runs;
mod webhooks;

/// A type for each name, for operations to point at, and the list of all.
macro_rules! shapes {
    ($($name:ident = $make:expr;)*) => {
        $(
            pub struct $name;

            impl utoipa::PartialSchema for $name {
                // A place holder: `all` has what it stands for, with keywords that utoipa's types do not.
                fn schema() -> RefOr<Schema> {
                    RefOr::T(Schema::Object(Object::new()))
                }
            }

            impl utoipa::ToSchema for $name {}
        )*

        pub fn all() -> Map<String, Value> {
            [$((<$name as utoipa::ToSchema>::name().into_owned(), $make)),*].into_iter().collect()
        }
    };
}

shapes! {
    GenerationRequest = generation_request();
    Generation = generation();
    GenerationPage = page(&refer("Generation"));
    StatusWord = json!({"enum": Status::ALL.map(Status::as_str)});
    KindWord = json!({"enum": Kind::ALL.map(Kind::as_str)});
    ProviderWord = json!({"enum": Provider::ALL.map(Provider::as_str)});
    MetadataFilter = json!({"type": "object", "maxProperties": limit::METADATA,
        "propertyNames": {"maxLength": limit::METADATA_NAME},
        "additionalProperties": {"type": "string", "maxLength": limit::METADATA_VALUE}});
    Attempt = attempt();
    AttemptList = list(&refer("Attempt"));
    Event = exact(json!({
        "id": {"type": "string", "pattern": "^[0-9]+\\.[0-3]*$", "description": "What was told up to and with this: `Last-Event-ID`"},
        "object": {"const": "event"},
        "type": {"type": "string", "description": "`generation.` and a status, or `attempt.` and `opened`, `accepted`, `succeeded`, `failed`, `abandoned`"},
        "generation": uuid(), "at": time(), "data": {"type": "object"},
    }));
    EventList = list(&refer("Event"));
    Problem = problem();
    File = json!({"description": "The bytes of an image or a video"});
    Input = inputs::input();
    DeletedInput = exact(json!({"id": uuid(), "object": {"const": "input"}, "deleted": {"const": true}}));
    Health = exact(json!({"status": {"type": "string"}}));
    Anything = json!({});
    ClientRequest = clients::request();
    NewClient = clients::fresh();
    Client = clients::client();
    ClientList = page(&refer("Client"));
    ClientChange = clients::change();
    Erasure = clients::erasure();
    Key = exact(clients::key());
    KeyList = list(&refer("Key"));
    KeyRequest = clients::key_request();
    KeyRotation = clients::key_rotation();
    NewKey = exact(with(clients::key(), json!({"key": clients::secret_key()})));
    AuditList = page(&clients::audit_record());
    Spend = spend::spend();
    Estimate = spend::estimate();
    UnknownAttempt = exact(json!({
        "id": uuid(), "object": {"const": "attempt"}, "generation": uuid(), "provider": {"type": "string"},
        "model": {"type": "string"}, "request": {}, "message": {"type": ["string", "null"]},
        "reserved": nullable(usd()), "started_at": time(),
    }));
    UnknownAttemptList = list(&refer("UnknownAttempt"));
    ResolutionRequest = resolution();
    Resolved = exact(json!({
        "id": uuid(), "generation": uuid(), "resolution": {"enum": ["paid", "not_paid", "retry"]},
    }));
    StyleRunRequest = style_runs::request();
    StyleRun = style_runs::run();
    StyleRunList = style_runs::runs();
    DecisionRequest = style_runs::decision();
    ParkedEventList = style_runs::parked_events();
    RevivedEvent = style_runs::revived_event();
    Delivery = webhooks::delivery();
    DeliveryList = list(&refer("Delivery"));
    EndpointRequest = strict(webhooks::settings(), &["url"]);
    EndpointChange = strict(webhooks::settings(), &[]);
    Endpoint = exact(webhooks::endpoint());
    EndpointList = list(&refer("Endpoint"));
    NewEndpoint = exact(with(webhooks::endpoint(), json!({"secret": webhooks::secret()})));
    ClientEndpointList = list(&exact(with(webhooks::endpoint(), json!({"client": uuid()}))));
    DeletedEndpoint = exact(json!({
        "id": uuid(), "object": {"const": "webhook_endpoint"}, "deleted": {"const": true},
    }));
    RotationRequest = strict(
        json!({"secret": optional(webhooks::secret()), "overlap_seconds": webhooks::overlap("secrets")}),
        &[],
    );
    RotatedSecret = exact(json!({
        "id": uuid(), "object": {"const": "webhook_endpoint"}, "secret": webhooks::secret(), "overlap_seconds": count(),
    }));
    KeyRotationRequest = strict(json!({"overlap_seconds": webhooks::overlap("key pairs")}), &[]);
    RotatedKey = exact(json!({
        "id": uuid(), "object": {"const": "webhook_endpoint"}, "public_key": webhooks::public_key(),
        "overlap_seconds": count(),
    }));
    EndedKeys = exact(json!({
        "id": uuid(), "object": {"const": "webhook_endpoint"}, "public_keys": {"const": []},
    }));
    TestDelivery = exact(json!({
        "object": {"const": "delivery"}, "id": {"type": "string"}, "event_type": {"const": endpoint::TEST_EVENT},
    }));
    ProviderGate = exact(json!({
        "object": {"const": "provider"}, "provider": {"enum": Provider::ALL.map(Provider::as_str)},
        "max_concurrent": {"type": ["integer", "null"]}, "submits_per_minute": {"type": ["integer", "null"]},
        "in_flight": count(), "consecutive_unavailable": count(),
        "breaker": nullable(exact(json!({
            "cause": {"type": "string"}, "since": time(), "until": nullable(time()), "probe": nullable(uuid()),
        }))),
    }));
    ProviderGateList = list(&refer("ProviderGate"));
    ProviderGateChange = strict(
        json!({
            "max_concurrent": gate_limit(), "submits_per_minute": gate_limit(),
            "breaker": nullable(json!({"enum": ["open", "closed"]})),
        }),
        &[],
    );
    Redelivered = exact(json!({"id": {"type": "string"}, "redelivered": {"type": "boolean"}}));
    RedeliveryRequest = strict(
        json!({
            "since": time(), "until": time(), "endpoint": optional(uuid()),
            "event_type": optional(json!({"type": "string"})), "limit": {"type": ["integer", "null"], "minimum": 1, "maximum": deliveries::LIMIT},
            "force": force(),
            "dry_run": optional(json!({"type": "boolean", "default": false, "description": "Only say what would be sent"})),
        }),
        &["since"],
    );
    RedeliveryOrder = strict(json!({"force": force()}), &[]);
    RedeliveredList = exact(json!({
        "object": {"const": "list"}, "dry_run": {"type": "boolean"}, "data": {"type": "array", "items": {"type": "string"}},
    }));
}

fn generation_request() -> Value {
    let mut members = policy_request();
    members.extend([
        ("kind".to_owned(), json!({"enum": Kind::ALL.map(Kind::as_str)})),
        ("input".to_owned(), input_request()),
        (
            "chain".to_owned(),
            json!({"type": "array", "minItems": 1, "maxItems": limit::CHAIN, "items": step_request(),
                "description": "Models, tried in order"}),
        ),
        (
            "callback_url".to_owned(),
            optional(json!({"type": "string", "format": "uri", "minLength": 1, "maxLength": CallbackUrl::MAX_LENGTH,
                "description": "Receiver of the terminal event: https, a public name"})),
        ),
        (
            "metadata".to_owned(),
            optional(json!({"type": "object", "maxProperties": limit::METADATA,
                "propertyNames": {"maxLength": limit::METADATA_NAME},
                "additionalProperties": {"type": "string", "maxLength": limit::METADATA_VALUE}})),
        ),
        ("project".to_owned(), optional(text(limit::METADATA_NAME))),
        (
            "deadline_seconds".to_owned(),
            optional(json!({"type": "integer", "minimum": timing::DEADLINE_MIN_SECONDS,
                "maximum": timing::DEADLINE_MAX_SECONDS, "default": timing::DEADLINE_DEFAULT_SECONDS})),
        ),
    ]);
    let mut schema = strict(Value::Object(members), &["kind", "input", "chain"]);
    schema["examples"] = json!([{
        "kind": "image", "input": {"prompt": "a lighthouse at dusk, long exposure", "aspect_ratio": "16:9"},
        "chain": [{"provider": "fal", "model": "fal-ai/flux/dev"}], "max_cost": "0.50",
    }]);
    schema
}

fn policy_request() -> Map<String, Value> {
    let members = json!({
        "max_paid_calls": optional(json!({"type": "integer", "minimum": 1, "maximum": limit::PAID_CALLS,
            "description": "Default: the sum of the chain's attempts"})),
        "max_cost": optional(json!({"type": "string", "maxLength": 16, "pattern": r"^[0-9]+(\.[0-9]+)?$",
            "description": "US dollars above zero, with at most six decimals", "examples": ["5.00"]})),
        "on_unknown": optional(json!({"enum": ["hold", "retry"], "default": "hold"})),
        "fallback_on": optional(json!({"type": "array", "items": {"enum": ErrorClass::FALLBACK.map(ErrorClass::as_str)}})),
        "refusal_retries": optional(json!({"type": "integer", "minimum": 0, "maximum": 3, "default": 1})),
        "attempt_window_seconds": optional(json!({"type": "integer", "minimum": 10,
            "maximum": timing::DEADLINE_MAX_SECONDS, "default": timing::ATTEMPT_WINDOW_DEFAULT_SECONDS})),
    });
    members.as_object().cloned().unwrap()
}

fn input_request() -> Value {
    let members = json!({
        "prompt": {"type": "string", "minLength": 1, "maxLength": limit::PROMPT, "pattern": r"\S"},
        "negative_prompt": optional(text(limit::PROMPT)),
        "duration_seconds": optional(json!({"type": "integer", "minimum": 1, "maximum": 600})),
        "aspect_ratio": optional(json!({"type": "string",
            "pattern": "^(?!0+:)[0-9]{1,4}:(?!0+$)[0-9]{1,4}$", "examples": ["16:9"]})),
        "resolution": optional(text(32)),
        "seed": optional(json!({"type": "integer", "minimum": 0, "maximum": (1_u64 << 53) - 1})),
        "audio": optional(json!({"type": "boolean"})),
        "media": optional(inputs::media()),
    });
    strict(members, &["prompt"])
}

fn step_request() -> Value {
    let members = json!({
        "provider": {"enum": Provider::ALL.map(Provider::as_str)},
        "model": {"type": "string", "minLength": 1, "maxLength": 128,
            "pattern": "^[A-Za-z0-9][A-Za-z0-9._:-]*(/[A-Za-z0-9][A-Za-z0-9._:-]*)*$"},
        "attempts": optional(json!({"type": "integer", "minimum": 1, "maximum": limit::ATTEMPTS, "default": 2})),
        "options": optional(json!({"type": "object", "description": "Laid over the provider's request body"})),
    });
    strict(members, &["provider", "model"])
}

fn generation() -> Value {
    let output = exact(json!({
        "index": count(), "content_type": {"type": "string"}, "bytes": count(),
        "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"}, "url": {"type": "string", "format": "uri", "description": "Works without a key until `url_expires_at`, and with it after that"},
        "url_expires_at": time(),
    }));
    let error =
        exact(json!({"code": code(), "message": {"type": "string"}, "retryable": {"type": "boolean"}}));
    exact(json!({
        "id": uuid(), "object": {"const": "generation"}, "status": {"enum": Status::ALL.map(Status::as_str)},
        "waiting": {"type": ["string", "null"], "description": "What it waits for"},
        "kind": {"enum": Kind::ALL.map(Kind::as_str)},
        "input": {"type": "object", "description": "Empty when it is no longer kept"}, "chain": {"type": "array", "items": {"type": "object"}}, "policy": {"type": "object"},
        "callback_url": {"type": ["string", "null"]},
        "metadata": {"type": "object", "additionalProperties": {"type": "string"}},
        "project": {"type": ["string", "null"]}, "outputs": {"type": "array", "items": output},
        "error": nullable(error),
        "cost": exact(json!({"priced": usd(), "unpriced": count(), "unknown": count(), "reserved": usd()})),
        "created_at": time(), "started_at": nullable(time()), "finished_at": nullable(time()), "deadline_at": time(),
        "expired": exact(json!({
            "outputs": with(nullable(time()), json!({"description": "Since when its files are not kept any more"})),
            "payload": with(nullable(time()), json!({"description": "Since when what it was asked with is not kept any more"})),
        })),
    }))
}

fn attempt() -> Value {
    let usage = exact(json!({"units": usd(), "unit": {"type": "string"}}));
    let looks = exact(json!({"count": count(), "last_at": nullable(time()), "next_at": nullable(time())}));
    exact(json!({
        "id": uuid(), "object": {"const": "attempt"}, "ordinal": count(), "chain_index": count(),
        "provider": {"enum": Provider::ALL.map(Provider::as_str)}, "model": {"type": "string"},
        "state": {"enum": State::ALL.map(State::as_str)},
        "class": nullable(json!({"enum": ErrorClass::ALL.map(ErrorClass::as_str)})),
        "code": {"type": ["string", "null"]}, "message": {"type": ["string", "null"]},
        "provider_request_id": {"type": ["string", "null"]}, "usage": nullable(usage), "cost": nullable(usd()),
        "cost_source": nullable(json!({"enum": CostSource::ALL.map(CostSource::as_str)})),
        "rates": {"type": ["string", "null"]}, "reserved": nullable(usd()), "lease": {"type": "integer"},
        "started_at": time(), "accepted_at": nullable(time()), "finished_at": nullable(time()),
        "looks": looks,
    }))
}

/// Whether what was delivered is sent again too.
fn force() -> Value {
    optional(json!({"type": "boolean", "default": false, "description": "What was delivered, too"}))
}

/// Null lifts the limit, absent leaves it as it was.
fn gate_limit() -> Value {
    nullable(json!({"type": "integer", "minimum": 1, "maximum": providers::LIMIT_MAX}))
}

fn resolution() -> Value {
    let paid = strict(
        json!({"resolution": {"const": "paid"},
            "provider_request_id": {"type": "string", "pattern": "^[A-Za-z0-9._:-]{1,200}$"}}),
        &["resolution", "provider_request_id"],
    );
    let plain = strict(json!({"resolution": {"enum": ["not_paid", "retry"]}}), &["resolution"]);
    json!({"oneOf": [paid, plain]})
}

fn problem() -> Value {
    let violation = exact(json!({
        "pointer": {"type": "string", "description": "JSON Pointer (RFC 6901) into the body"},
        "detail": {"type": "string"},
    }));
    json!({
        "type": "object", "description": "RFC 9457", "required": ["type", "title", "status", "code", "detail"],
        "properties": {
            "type": {"type": "string", "description": "The path of the code's page"}, "title": {"type": "string"},
            "status": {"type": "integer"}, "code": code(), "detail": {"type": "string"},
            "errors": {"type": "array", "items": violation},
            "request_id": {"type": "string", "description": "Also in the header `X-Request-Id`"},
        },
    })
}

fn code() -> Value {
    json!({"enum": Code::ALL.map(Code::as_str).as_slice()})
}

fn text(limit: usize) -> Value {
    json!({"type": "string", "minLength": 1, "maxLength": limit})
}

fn uuid() -> Value {
    json!({"type": "string", "format": "uuid"})
}

fn time() -> Value {
    json!({"type": "string", "format": "date-time"})
}

fn count() -> Value {
    json!({"type": "integer", "minimum": 0})
}

/// An exact decimal with six digits behind the point, never a number.
fn usd() -> Value {
    json!({"type": "string", "pattern": r"^-?[0-9]+\.[0-9]{6}$", "examples": ["0.400000"]})
}

fn refer(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

fn nullable(schema: Value) -> Value {
    json!({"anyOf": [schema, {"type": "null"}]})
}

/// A member that may be absent; an explicit `null` is an absent one.
fn optional(schema: Value) -> Value {
    let default = schema.get("default").cloned();
    let mut schema = nullable(schema);
    if let Some(default) = default {
        schema["default"] = default;
    }
    schema
}

fn with(mut members: Value, more: Value) -> Value {
    let (Value::Object(members_of), Value::Object(more)) = (&mut members, more) else {
        unreachable!("both are objects")
    };
    members_of.extend(more);
    members
}

fn list(item: &Value) -> Value {
    exact(json!({"object": {"const": "list"}, "data": {"type": "array", "items": item}}))
}

/// A list in pages.
fn page(item: &Value) -> Value {
    exact(json!({
        "object": {"const": "list"}, "data": {"type": "array", "items": item},
        "next_cursor": nullable(json!({"type": "string", "description": "`cursor` of the next page"})),
    }))
}

/// What a request may have; anything else is refused.
fn strict(properties: Value, required: &[&str]) -> Value {
    json!({"type": "object", "additionalProperties": false, "required": required, "properties": properties})
}

/// What a response has: every member, and no other.
fn exact(properties: Value) -> Value {
    let required: Vec<String> = properties.as_object().unwrap().keys().cloned().collect();
    json!({"type": "object", "additionalProperties": false, "required": required, "properties": properties})
}
