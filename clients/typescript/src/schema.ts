// Made from docs/openapi.json: AFC_WRITE_SCHEMA=1 cargo xtask test schema --part engine

export interface paths {
    "/errors/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_errors_code"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_healthz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/readyz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_readyz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/review/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The page. An open one asks now and then whether it is still true: with `?since=STAMP` while AFC is at work, for the page
         *     as it is then, and with `?seen=VERSION` while a decision is wanted, for a note only: what is being written must not go.
         *     No content means that nothing has changed.
         */
        get: operations["get_review_token"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/review/{token}/decisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decides the round that the page showed, once: the form carries a name of its own and the version that it was made for.
         *     What could not stand is shown again with the reason and with what stands.
         */
        post: operations["post_review_token_decisions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/review/{token}/media/{round}/{candidate}/{output}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The stored bytes, whole or by range, like a generation's output. A link opens the files of its run's candidates only. */
        get: operations["get_review_token_media_round_candidate_output"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/attempts/{id}/resolution": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Settles an unknown attempt and wakes its job (B3). Repeating it changes nothing. */
        post: operations["post_admin_attempts_id_resolution"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/attempts/unknown": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The attempts that wait for a word, oldest first. */
        get: operations["get_admin_attempts_unknown"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_admin_audit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/clients": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_admin_clients"];
        put?: never;
        /** Makes a client with its first key and webhook secret. Both are shown here and never again. Each call makes another. */
        post: operations["post_admin_clients"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/clients/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_admin_clients_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Changes what the body says. A client that is disabled has no good key; what it asked for before goes on. */
        patch: operations["patch_admin_clients_id"];
        trace?: never;
    };
    "/v1/admin/clients/{id}/erasure": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_admin_clients_id_erasure"];
        put?: never;
        /**
         * Writes down that everything the client made until now goes: inputs, outputs, requests, metadata, what providers and
         *     receivers said. The sweeper carries it out, in bounded pieces; a piece that is lost is found again. Generations that
         *     are open go when they have ended. Asked for again while it is under way, it is the same one.
         */
        post: operations["post_admin_clients_id_erasure"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/clients/{id}/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_admin_clients_id_keys"];
        put?: never;
        /** A key beside those that stand. Each call makes another: one whose answer was lost can be listed and revoked. */
        post: operations["post_admin_clients_id_keys"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/clients/{id}/keys/{key}/revoke": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ends a key at once. Safe to repeat. */
        post: operations["post_admin_clients_id_keys_key_revoke"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/clients/{id}/keys/{key}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** A successor with the same label, scopes and lifetime; the old key is good for the overlap. */
        post: operations["post_admin_clients_id_keys_key_rotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/deliveries/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** One delivery with its exact payload and all its tries. */
        get: operations["get_admin_deliveries_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/deliveries/{id}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends one delivery again, from the start of its schedule. One that was delivered is sent again only by `force`; the
         *     receiver sees the same `webhook-id`. Safe to repeat until it is delivered.
         */
        post: operations["post_admin_deliveries_id_redeliver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/deliveries/dead": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The newest dead deliveries. */
        get: operations["get_admin_deliveries_dead"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/deliveries/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends dead deliveries of a range of time again, through the sweeper and at its pace; with `force` those too that were
         *     delivered.
         */
        post: operations["post_admin_deliveries_redeliver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/outbox/{event}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Makes a parked event due again, with all its tries. */
        post: operations["post_admin_outbox_event_retry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/outbox/parked": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The parked events, oldest first. */
        get: operations["get_admin_outbox_parked"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/providers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Every provider, those without limits and traffic too. */
        get: operations["get_admin_providers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/providers/{provider}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** Safe to repeat. */
        patch: operations["patch_admin_providers_provider"];
        trace?: never;
    };
    "/v1/admin/spend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_admin_spend"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/admin/webhook-endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The disabled and the failing first, each with its last changes. */
        get: operations["get_admin_webhook_endpoints"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/callbacks/{provider}/{token}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Safe to repeat, and providers do. Whatever the report says beside the request's id and where it is asked for is
         *     ignored.
         */
        post: operations["post_callbacks_provider_token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/estimates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Takes what `POST /v1/generations` takes, without its key. */
        post: operations["post_estimates"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/generations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who a cursor belongs to is known only when the database has told whose key it is, so the page is read first and
         *     answered only if both fit.
         */
        get: operations["get_generations"];
        put?: never;
        /** 201 with a fresh job, 202 with the one that the key made before, 409 if that had another body. */
        post: operations["post_generations"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/generations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_generations_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/generations/{id}/attempts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_generations_id_attempts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/generations/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ends the job as cancelled unless it has ended already, and answers with what stands (A25). The event is queued only
         *     if the job really ended cancelled (A28); the executor is told in any case that it may stop.
         */
        post: operations["post_generations_id_cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/generations/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The first look is made before the answer begins, so that whoever may not see the job gets a problem and no stream. */
        get: operations["get_generations_id_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/generations/{id}/output": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_generations_id_output"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/generations/{id}/output/{index}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_generations_id_output_index"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/generations/{id}/timeline": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_generations_id_timeline"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inputs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** 201 with a new input, 200 with the one that the key, or without a key the same content, made before. */
        post: operations["post_inputs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inputs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_inputs_id"];
        put?: never;
        post?: never;
        delete: operations["delete_inputs_id"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/spend": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_spend"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/style-runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** The client's runs, newest first. */
        get: operations["get_style_runs"];
        put?: never;
        /** 201 with a fresh run, 202 with the one that the key made before, 409 if that had another body. */
        post: operations["post_style_runs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/style-runs/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** A run with its rounds, candidates, decisions and spend, for its client or whoever holds its review link. */
        get: operations["get_style_runs_id"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/style-runs/{id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ends the run unless it has ended already, and answers with what stands. Its Workflow cancels what is under way. */
        post: operations["post_style_runs_id_cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/style-runs/{id}/decisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Decides a round, once. State, decision and events are one commit (A41); the drainer is kicked right after it. */
        post: operations["post_style_runs_id_decisions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_webhook_endpoints"];
        put?: never;
        /** 201 with a new endpoint and its secret, which is not shown again; 200 with the one that the client has at this URL. */
        post: operations["post_webhook_endpoints"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_webhook_endpoints_id"];
        put?: never;
        post?: never;
        delete: operations["delete_webhook_endpoints_id"];
        options?: never;
        head?: never;
        /** Changes what the body says. Enabling counts failures from zero. */
        patch: operations["patch_webhook_endpoints_id"];
        trace?: never;
    };
    "/v1/webhook-endpoints/{id}/key": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Ends all key pairs of the endpoint at once: its deliveries carry `v1` signatures only. */
        delete: operations["delete_webhook_endpoints_id_key"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{id}/key/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Adds an ed25519 key pair and shows its public half; deliveries carry a `v1a` signature by it beside `v1`. The pairs that
         *     stand go on signing for the overlap.
         */
        post: operations["post_webhook_endpoints_id_key_rotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{id}/secret/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Adds a secret and shows it once; the ones that stand go on signing beside it for the overlap. */
        post: operations["post_webhook_endpoints_id_secret_rotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhook-endpoints/{id}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends a test event to this endpoint only, whatever it has subscribed to, even while it is disabled. Each call is
         *     another event.
         */
        post: operations["post_webhook_endpoints_id_test"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Anything: unknown;
        Attempt: {
            accepted_at: string | null;
            chain_index: number;
            class: ("authentication" | "invalid_input" | "refusal" | "rate_limited" | "timeout" | "unavailable" | "insufficient_funds" | "model_gone" | "cancelled" | "retryable" | "unknown") | null;
            code: string | null;
            cost: string | null;
            cost_source: ("quoted" | "derived" | "local") | null;
            finished_at: string | null;
            /** Format: uuid */
            id: string;
            lease: number;
            looks: {
                count: number;
                last_at: string | null;
                next_at: string | null;
            };
            message: string | null;
            model: string;
            /** @constant */
            object: "attempt";
            ordinal: number;
            /** @enum {unknown} */
            provider: "fal" | "replicate" | "runway" | "luma_dream_machine" | "bfl" | "luma_agents" | "minimax" | "minimax_v1" | "kling" | "kling_v1" | "veo" | "openai_images" | "workers_ai";
            provider_request_id: string | null;
            rates: string | null;
            reserved: string | null;
            /** Format: date-time */
            started_at: string;
            /** @enum {unknown} */
            state: "open" | "accepted" | "succeeded" | "failed" | "unknown" | "abandoned";
            usage: {
                unit: string;
                /** @example 0.400000 */
                units: string;
            } | null;
        };
        AttemptList: {
            data: components["schemas"]["Attempt"][];
            /** @constant */
            object: "list";
        };
        AuditList: {
            data: {
                /**
                 * @description Method and route
                 * @example POST /v1/admin/clients
                 */
                action: string;
                /** @description `admin_token`, or the id of a key with scope `admin` */
                actor: string;
                after: unknown;
                before: unknown;
                /** Format: date-time */
                begun_at: string;
                ended_at: string | null;
                id: string;
                /** @constant */
                object: "audit_record";
                path: string;
                request_id: string;
                /** @description Null: at work, or lost; then it may have happened */
                status: number | null;
            }[];
            next_cursor: string | null;
            /** @constant */
            object: "list";
        };
        Client: {
            budget_day: string | null;
            budget_month: string | null;
            /** Format: date-time */
            created_at: string;
            creates_per_minute: number | null;
            disabled_at: string | null;
            enabled: boolean;
            /** Format: uuid */
            id: string;
            live_keys: number;
            max_open: number | null;
            name: string;
            /** @constant */
            object: "client";
            output_days: number | null;
            payload_days: number | null;
        };
        ClientChange: {
            /**
             * @description US dollars a day, UTC; null is no budget
             * @example 250.00
             */
            budget_day?: string | null;
            /**
             * @description US dollars a month, UTC; null is no budget
             * @example 250.00
             */
            budget_month?: string | null;
            /** @description Generations created in a minute; null is no limit */
            creates_per_minute?: number | null;
            enabled?: boolean | null;
            /** @description Generations that are queued, running or waiting; null is no limit */
            max_open?: number | null;
            name?: string | null;
            /** @description Days after its end that a generation's files are kept; null: as the deployment has it */
            output_days?: number | null;
            /** @description Days after its end that what it was asked with is kept; null: as the deployment has it */
            payload_days?: number | null;
        };
        ClientEndpointList: {
            data: {
                changes: {
                    change: string;
                    /** Format: date-time */
                    created_at: string;
                    reason: string | null;
                }[];
                /** Format: uuid */
                client: string;
                /** Format: date-time */
                created_at: string;
                description: string | null;
                disabled_at: string | null;
                disabled_reason: string | null;
                enabled: boolean;
                event_types: string[];
                failing_since: string | null;
                header_names: string[];
                /** Format: uuid */
                id: string;
                live_secrets: number;
                /** @constant */
                object: "webhook_endpoint";
                paused_until: string | null;
                public_keys: {
                    /** Format: date-time */
                    created_at: string;
                    expires_at: string | null;
                    /** @description The 32 bytes of an ed25519 public key in base64 */
                    public_key: string;
                }[];
                rate_limit: number | null;
                /** Format: date-time */
                updated_at: string;
                /** Format: uri */
                url: string;
            }[];
            /** @constant */
            object: "list";
        };
        ClientList: {
            data: components["schemas"]["Client"][];
            next_cursor: string | null;
            /** @constant */
            object: "list";
        };
        ClientRequest: {
            name: string;
        };
        DecisionRequest: {
            /** @enum {unknown} */
            action: "approve" | "reject" | "revise";
            candidates?: number[] | null;
            marks?: {
                candidate: number;
                mark: number;
                note?: string | null;
            }[] | null;
            notes?: string | null;
            reviewer: string;
            variations?: {
                chain?: {
                    /** @default 2 */
                    attempts?: number | null;
                    model: string;
                    options?: Record<string, unknown> | null;
                    /** @enum {unknown} */
                    provider: "fal" | "replicate" | "runway" | "luma_dream_machine" | "bfl" | "luma_agents" | "minimax" | "minimax_v1" | "kling" | "kling_v1" | "veo" | "openai_images" | "workers_ai";
                }[] | null;
                prompt?: string | null;
                seed?: number | null;
            }[] | null;
        };
        DeletedEndpoint: {
            /** @constant */
            deleted: true;
            /** Format: uuid */
            id: string;
            /** @constant */
            object: "webhook_endpoint";
        };
        DeletedInput: {
            /** @constant */
            deleted: true;
            /** Format: uuid */
            id: string;
            /** @constant */
            object: "input";
        };
        Delivery: {
            /** Format: uuid */
            client: string;
            /** Format: date-time */
            created_at: string;
            delivered_at: string | null;
            duplicates: {
                certain: number;
                possible: number;
            };
            endpoint: string | null;
            enqueued_at: string | null;
            event_type: string;
            generation: string | null;
            id: string;
            next_attempt_at: string | null;
            /** @constant */
            object: "delivery";
            payload: unknown;
            redeliveries: {
                /** Format: date-time */
                created_at: string;
                forced: boolean;
                selection: Record<string, unknown> | null;
            }[];
            /** @enum {unknown} */
            status: "pending" | "delivered" | "dead";
            tries: {
                duration_ms: number | null;
                /** @enum {unknown} */
                ending: "delivered" | "refused" | "unanswered" | "not_sent" | "lost" | "under_way";
                error: string | null;
                finished_at: string | null;
                response: string | null;
                status: number | null;
                try: number;
            }[];
            url: string;
        };
        DeliveryList: {
            data: components["schemas"]["Delivery"][];
            /** @constant */
            object: "list";
        };
        EndedKeys: {
            /** Format: uuid */
            id: string;
            /** @constant */
            object: "webhook_endpoint";
            /** @constant */
            public_keys: never[];
        };
        Endpoint: {
            changes: {
                change: string;
                /** Format: date-time */
                created_at: string;
                reason: string | null;
            }[];
            /** Format: date-time */
            created_at: string;
            description: string | null;
            disabled_at: string | null;
            disabled_reason: string | null;
            enabled: boolean;
            event_types: string[];
            failing_since: string | null;
            header_names: string[];
            /** Format: uuid */
            id: string;
            live_secrets: number;
            /** @constant */
            object: "webhook_endpoint";
            paused_until: string | null;
            public_keys: {
                /** Format: date-time */
                created_at: string;
                expires_at: string | null;
                /** @description The 32 bytes of an ed25519 public key in base64 */
                public_key: string;
            }[];
            rate_limit: number | null;
            /** Format: date-time */
            updated_at: string;
            /** Format: uri */
            url: string;
        };
        EndpointChange: {
            description?: string | null;
            enabled?: boolean | null;
            event_types?: ("generation.succeeded" | "generation.failed" | "generation.cancelled" | "style_run.review_requested" | "style_run.decided" | "style_run.approved" | "style_run.rejected" | "style_run.expired" | "style_run.failed" | "style_run.cancelled" | "endpoint.created" | "endpoint.updated" | "endpoint.secret_rotated" | "endpoint.key_rotated" | "endpoint.keys_ended" | "endpoint.enabled" | "endpoint.disabled" | "endpoint.slowed" | "endpoint.deleted" | "*")[] | null;
            headers?: {
                [key: string]: string;
            } | null;
            rate_limit?: number | null;
            /**
             * Format: uri
             * @description https, a public name
             */
            url?: string;
        };
        EndpointList: {
            data: components["schemas"]["Endpoint"][];
            /** @constant */
            object: "list";
        };
        EndpointRequest: {
            description?: string | null;
            enabled?: boolean | null;
            event_types?: ("generation.succeeded" | "generation.failed" | "generation.cancelled" | "style_run.review_requested" | "style_run.decided" | "style_run.approved" | "style_run.rejected" | "style_run.expired" | "style_run.failed" | "style_run.cancelled" | "endpoint.created" | "endpoint.updated" | "endpoint.secret_rotated" | "endpoint.key_rotated" | "endpoint.keys_ended" | "endpoint.enabled" | "endpoint.disabled" | "endpoint.slowed" | "endpoint.deleted" | "*")[] | null;
            headers?: {
                [key: string]: string;
            } | null;
            rate_limit?: number | null;
            /**
             * Format: uri
             * @description https, a public name
             */
            url: string;
        };
        Erasure: {
            /**
             * Format: date-time
             * @description Everything made until then goes
             */
            asked_at: string;
            /** Format: uuid */
            client: string;
            completed_at: string | null;
            /** Format: uuid */
            id: string;
            /** @description What stays, and why */
            kept: string[];
            /** @constant */
            object: "erasure";
            remaining: {
                deliveries: number;
                generations: number;
                inputs: number;
                style_runs: number;
            };
        };
        Estimate: {
            /** @description Whether the first call fits into the budgets now */
            allowed: boolean;
            /** @description Whether all calls would */
            allowed_at_most: boolean;
            budget_day: {
                /** @example 0.400000 */
                budget: string;
                /** @example 0.400000 */
                committed: string;
                /** @example 0.400000 */
                left: string;
            } | null;
            budget_month: {
                /** @example 0.400000 */
                budget: string;
                /** @example 0.400000 */
                committed: string;
                /** @example 0.400000 */
                left: string;
            } | null;
            chain: {
                attempts: number;
                least: string | null;
                model: string;
                most: string | null;
                /** @enum {unknown} */
                provider: "fal" | "replicate" | "runway" | "luma_dream_machine" | "bfl" | "luma_agents" | "minimax" | "minimax_v1" | "kling" | "kling_v1" | "veo" | "openai_images" | "workers_ai";
            }[];
            /** @description One call of the cheapest model; null if one has no rate */
            least: string | null;
            /** @description All calls that the policy allows; null if nobody knows */
            most: string | null;
            /** @constant */
            object: "estimate";
            /** @description The rate card's version */
            rates: string;
        };
        Event: {
            /** Format: date-time */
            at: string;
            data: Record<string, unknown>;
            /** Format: uuid */
            generation: string;
            /** @description What was told up to and with this: `Last-Event-ID` */
            id: string;
            /** @constant */
            object: "event";
            /** @description `generation.` and a status, or `attempt.` and `opened`, `accepted`, `succeeded`, `failed`, `abandoned` */
            type: string;
        };
        EventList: {
            data: components["schemas"]["Event"][];
            /** @constant */
            object: "list";
        };
        /** @description The bytes of an image or a video */
        File: unknown;
        Generation: {
            callback_url: string | null;
            chain: Record<string, unknown>[];
            cost: {
                /** @example 0.400000 */
                priced: string;
                /** @example 0.400000 */
                reserved: string;
                unknown: number;
                unpriced: number;
            };
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            deadline_at: string;
            error: {
                /** @enum {unknown} */
                code: "UNAUTHENTICATED" | "SCOPE_MISSING" | "CLIENT_DISABLED" | "IDEMPOTENCY_KEY_MISSING" | "IDEMPOTENCY_KEY_INVALID" | "IDEMPOTENCY_CONFLICT" | "INVALID_JSON" | "INVALID_REQUEST" | "INVALID_CURSOR" | "BODY_TOO_LARGE" | "LENGTH_REQUIRED" | "UNSUPPORTED_MEDIA_TYPE" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "RATE_LIMITED" | "TOO_MANY_OPEN" | "BUDGET_EXCEEDED" | "OUTPUT_NOT_READY" | "EXPIRED" | "NOT_UNKNOWN" | "RANGE_NOT_SATISFIABLE" | "LINK_INVALID" | "LINK_EXPIRED" | "DECISION_CONFLICT" | "VERSION_MISMATCH" | "START_UNCONFIRMED" | "DATABASE_UNAVAILABLE" | "DATABASE_TIMEOUT" | "INTERNAL" | "TOKEN_INVALID" | "STALE_LEASE" | "INPUT_INVALID" | "INPUT_UNREACHABLE" | "PROVIDER_AUTHENTICATION" | "PROVIDER_INVALID_INPUT" | "PROVIDER_REFUSED" | "PROVIDER_RATE_LIMITED" | "PROVIDER_TIMEOUT" | "PROVIDER_UNAVAILABLE" | "PROVIDER_INSUFFICIENT_FUNDS" | "PROVIDER_MODEL_GONE" | "PROVIDER_ERROR" | "SUBMISSION_UNKNOWN" | "OUTPUT_INVALID" | "OUTPUT_KEY_CONFLICT" | "STORAGE_FAILED" | "PAID_CALLS_EXHAUSTED" | "MAX_COST_REACHED" | "COST_UNPRICEABLE" | "DEADLINE_EXCEEDED" | "EXECUTOR_UNAVAILABLE" | "JOURNAL_UNAVAILABLE" | "NO_CANDIDATES";
                message: string;
                retryable: boolean;
            } | null;
            expired: {
                /** @description Since when its files are not kept any more */
                outputs: string | null;
                /** @description Since when what it was asked with is not kept any more */
                payload: string | null;
            };
            finished_at: string | null;
            /** Format: uuid */
            id: string;
            /** @description Empty when it is no longer kept */
            input: Record<string, unknown>;
            /** @enum {unknown} */
            kind: "image" | "video";
            metadata: {
                [key: string]: string;
            };
            /** @constant */
            object: "generation";
            outputs: {
                bytes: number;
                content_type: string;
                index: number;
                sha256: string;
                /**
                 * Format: uri
                 * @description Works without a key until `url_expires_at`, and with it after that
                 */
                url: string;
                /** Format: date-time */
                url_expires_at: string;
            }[];
            policy: Record<string, unknown>;
            project: string | null;
            started_at: string | null;
            /** @enum {unknown} */
            status: "queued" | "running" | "waiting" | "succeeded" | "failed" | "cancelled";
            /** @description What it waits for */
            waiting: string | null;
        };
        GenerationPage: {
            data: components["schemas"]["Generation"][];
            next_cursor: string | null;
            /** @constant */
            object: "list";
        };
        /**
         * @example {
         *       "chain": [
         *         {
         *           "model": "fal-ai/flux/dev",
         *           "provider": "fal"
         *         }
         *       ],
         *       "input": {
         *         "aspect_ratio": "16:9",
         *         "prompt": "a lighthouse at dusk, long exposure"
         *       },
         *       "kind": "image",
         *       "max_cost": "0.50"
         *     }
         */
        GenerationRequest: {
            /** @default 1800 */
            attempt_window_seconds?: number | null;
            callback_url?: string | null;
            /** @description Models, tried in order */
            chain: {
                /** @default 2 */
                attempts?: number | null;
                model: string;
                options?: Record<string, unknown> | null;
                /** @enum {unknown} */
                provider: "fal" | "replicate" | "runway" | "luma_dream_machine" | "bfl" | "luma_agents" | "minimax" | "minimax_v1" | "kling" | "kling_v1" | "veo" | "openai_images" | "workers_ai";
            }[];
            /** @default 3600 */
            deadline_seconds?: number | null;
            fallback_on?: ("rate_limited" | "timeout" | "unavailable" | "retryable" | "insufficient_funds" | "model_gone" | "refusal")[] | null;
            input: {
                aspect_ratio?: string | null;
                audio?: boolean | null;
                duration_seconds?: number | null;
                media?: ({
                    /**
                     * @description The image a video begins or ends with, something to go by, or what is edited or continued
                     * @enum {unknown}
                     */
                    role: "first_frame" | "last_frame" | "reference" | "source";
                    /**
                     * Format: uri
                     * @description https, a public name
                     */
                    url: string;
                } | {
                    /** Format: uuid */
                    input: string;
                    /**
                     * @description The image a video begins or ends with, something to go by, or what is edited or continued
                     * @enum {unknown}
                     */
                    role: "first_frame" | "last_frame" | "reference" | "source";
                } | {
                    /** Format: uuid */
                    generation: string;
                    /** @default 0 */
                    output?: number | null;
                    /**
                     * @description The image a video begins or ends with, something to go by, or what is edited or continued
                     * @enum {unknown}
                     */
                    role: "first_frame" | "last_frame" | "reference" | "source";
                })[] | null;
                negative_prompt?: string | null;
                prompt: string;
                resolution?: string | null;
                seed?: number | null;
            };
            /** @enum {unknown} */
            kind: "image" | "video";
            max_cost?: string | null;
            max_paid_calls?: number | null;
            metadata?: {
                [key: string]: string;
            } | null;
            /** @default hold */
            on_unknown?: ("hold" | "retry") | null;
            project?: string | null;
            /** @default 1 */
            refusal_retries?: number | null;
        };
        Health: {
            status: string;
        };
        Input: {
            bytes: number;
            /** @enum {unknown} */
            content_type: "video/mp4" | "video/webm" | "video/quicktime" | "image/png" | "image/jpeg" | "image/webp";
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string;
            /** Format: uuid */
            id: string;
            /** @constant */
            object: "input";
            sha256: string;
        };
        Key: {
            /** Format: uuid */
            client: string;
            /** Format: date-time */
            created_at: string;
            expires_at: string | null;
            /** Format: uuid */
            id: string;
            label: string;
            last_used_at: string | null;
            /** @constant */
            object: "key";
            /** @description Its first characters */
            prefix: string;
            revoked_at: string | null;
            scopes: ("generate" | "read" | "admin")[];
        };
        KeyList: {
            data: components["schemas"]["Key"][];
            /** @constant */
            object: "list";
        };
        KeyRequest: {
            expires_in_seconds?: number | null;
            label?: string | null;
            /**
             * @default [
             *       "generate",
             *       "read"
             *     ]
             */
            scopes?: ("generate" | "read" | "admin")[] | null;
        };
        KeyRotation: {
            /** @default 86400 */
            overlap_seconds?: number | null;
        };
        KeyRotationRequest: {
            /** @default 86400 */
            overlap_seconds?: number | null;
        };
        /** @enum {unknown} */
        KindWord: "image" | "video";
        MetadataFilter: {
            [key: string]: string;
        };
        NewClient: {
            /** Format: uuid */
            id: string;
            key: string;
            /** Format: uuid */
            key_id: string;
            name: string;
            /** @constant */
            object: "client";
            /** @description 24 to 64 bytes in base64 */
            webhook_secret: string;
        };
        NewEndpoint: {
            changes: {
                change: string;
                /** Format: date-time */
                created_at: string;
                reason: string | null;
            }[];
            /** Format: date-time */
            created_at: string;
            description: string | null;
            disabled_at: string | null;
            disabled_reason: string | null;
            enabled: boolean;
            event_types: string[];
            failing_since: string | null;
            header_names: string[];
            /** Format: uuid */
            id: string;
            live_secrets: number;
            /** @constant */
            object: "webhook_endpoint";
            paused_until: string | null;
            public_keys: {
                /** Format: date-time */
                created_at: string;
                expires_at: string | null;
                /** @description The 32 bytes of an ed25519 public key in base64 */
                public_key: string;
            }[];
            rate_limit: number | null;
            /** @description 24 to 64 bytes in base64 */
            secret: string;
            /** Format: date-time */
            updated_at: string;
            /** Format: uri */
            url: string;
        };
        NewKey: {
            /** Format: uuid */
            client: string;
            /** Format: date-time */
            created_at: string;
            expires_at: string | null;
            /** Format: uuid */
            id: string;
            key: string;
            label: string;
            last_used_at: string | null;
            /** @constant */
            object: "key";
            /** @description Its first characters */
            prefix: string;
            revoked_at: string | null;
            scopes: ("generate" | "read" | "admin")[];
        };
        ParkedEventList: {
            data: {
                /** Format: date-time */
                created_at: string;
                event_type: string | null;
                id: string;
                last_error: string | null;
                /** @constant */
                object: "outbox_event";
                /** Format: uuid */
                style_run: string;
                tries: number;
            }[];
            /** @constant */
            object: "list";
        };
        /** @description RFC 9457 */
        Problem: {
            /** @enum {unknown} */
            code: "UNAUTHENTICATED" | "SCOPE_MISSING" | "CLIENT_DISABLED" | "IDEMPOTENCY_KEY_MISSING" | "IDEMPOTENCY_KEY_INVALID" | "IDEMPOTENCY_CONFLICT" | "INVALID_JSON" | "INVALID_REQUEST" | "INVALID_CURSOR" | "BODY_TOO_LARGE" | "LENGTH_REQUIRED" | "UNSUPPORTED_MEDIA_TYPE" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "RATE_LIMITED" | "TOO_MANY_OPEN" | "BUDGET_EXCEEDED" | "OUTPUT_NOT_READY" | "EXPIRED" | "NOT_UNKNOWN" | "RANGE_NOT_SATISFIABLE" | "LINK_INVALID" | "LINK_EXPIRED" | "DECISION_CONFLICT" | "VERSION_MISMATCH" | "START_UNCONFIRMED" | "DATABASE_UNAVAILABLE" | "DATABASE_TIMEOUT" | "INTERNAL" | "TOKEN_INVALID" | "STALE_LEASE" | "INPUT_INVALID" | "INPUT_UNREACHABLE" | "PROVIDER_AUTHENTICATION" | "PROVIDER_INVALID_INPUT" | "PROVIDER_REFUSED" | "PROVIDER_RATE_LIMITED" | "PROVIDER_TIMEOUT" | "PROVIDER_UNAVAILABLE" | "PROVIDER_INSUFFICIENT_FUNDS" | "PROVIDER_MODEL_GONE" | "PROVIDER_ERROR" | "SUBMISSION_UNKNOWN" | "OUTPUT_INVALID" | "OUTPUT_KEY_CONFLICT" | "STORAGE_FAILED" | "PAID_CALLS_EXHAUSTED" | "MAX_COST_REACHED" | "COST_UNPRICEABLE" | "DEADLINE_EXCEEDED" | "EXECUTOR_UNAVAILABLE" | "JOURNAL_UNAVAILABLE" | "NO_CANDIDATES";
            detail: string;
            errors?: {
                detail: string;
                /** @description JSON Pointer (RFC 6901) into the body */
                pointer: string;
            }[];
            /** @description Also in the header `X-Request-Id` */
            request_id?: string;
            status: number;
            title: string;
            /** @description The path of the code's page */
            type: string;
        };
        ProviderGate: {
            breaker: {
                cause: string;
                probe: string | null;
                /** Format: date-time */
                since: string;
                until: string | null;
            } | null;
            consecutive_unavailable: number;
            in_flight: number;
            max_concurrent: number | null;
            /** @constant */
            object: "provider";
            /** @enum {unknown} */
            provider: "fal" | "replicate" | "runway" | "luma_dream_machine" | "bfl" | "luma_agents" | "minimax" | "minimax_v1" | "kling" | "kling_v1" | "veo" | "openai_images" | "workers_ai";
            submits_per_minute: number | null;
        };
        ProviderGateChange: {
            breaker?: ("open" | "closed") | null;
            max_concurrent?: number | null;
            submits_per_minute?: number | null;
        };
        ProviderGateList: {
            data: components["schemas"]["ProviderGate"][];
            /** @constant */
            object: "list";
        };
        /** @enum {unknown} */
        ProviderWord: "fal" | "replicate" | "runway" | "luma_dream_machine" | "bfl" | "luma_agents" | "minimax" | "minimax_v1" | "kling" | "kling_v1" | "veo" | "openai_images" | "workers_ai";
        Redelivered: {
            id: string;
            redelivered: boolean;
        };
        RedeliveredList: {
            data: string[];
            dry_run: boolean;
            /** @constant */
            object: "list";
        };
        RedeliveryOrder: {
            /** @default false */
            force?: boolean | null;
        };
        RedeliveryRequest: {
            /** @default false */
            dry_run?: boolean | null;
            endpoint?: string | null;
            event_type?: string | null;
            /** @default false */
            force?: boolean | null;
            limit?: number | null;
            /** Format: date-time */
            since: string;
            /** Format: date-time */
            until?: string;
        };
        ResolutionRequest: {
            provider_request_id: string;
            /** @constant */
            resolution: "paid";
        } | {
            /** @enum {unknown} */
            resolution: "not_paid" | "retry";
        };
        Resolved: {
            /** Format: uuid */
            generation: string;
            /** Format: uuid */
            id: string;
            /** @enum {unknown} */
            resolution: "paid" | "not_paid" | "retry";
        };
        RevivedEvent: {
            id: string;
            /** @constant */
            object: "outbox_event";
            /** @constant */
            status: "pending";
        };
        RotatedKey: {
            /** Format: uuid */
            id: string;
            /** @constant */
            object: "webhook_endpoint";
            overlap_seconds: number;
            /** @description The 32 bytes of an ed25519 public key in base64 */
            public_key: string;
        };
        RotatedSecret: {
            /** Format: uuid */
            id: string;
            /** @constant */
            object: "webhook_endpoint";
            overlap_seconds: number;
            /** @description 24 to 64 bytes in base64 */
            secret: string;
        };
        RotationRequest: {
            /** @default 86400 */
            overlap_seconds?: number | null;
            secret?: string | null;
        };
        Spend: {
            data: {
                /** Format: uuid */
                client?: string;
                /** Format: date */
                day?: string;
                model?: string;
                /** @description Attempts whose price is known */
                priced: {
                    /** @example 0.400000 */
                    amount: string;
                    count: number;
                };
                /** @description Null: of generations without one */
                project?: string | null;
                provider?: string;
                /** @description All attempts without a price, at their worst case as far as a rate is known */
                reserved: {
                    /** @example 0.400000 */
                    amount: string;
                    count: number;
                };
                /** @description Attempts that may or may not have been accepted, and their part of `reserved` */
                unknown: {
                    /** @example 0.400000 */
                    amount: string;
                    count: number;
                };
                /** @description Attempts that ended without a price, and their part of `reserved` */
                unpriced: {
                    /** @example 0.400000 */
                    amount: string;
                    count: number;
                };
            }[];
            /** Format: date */
            from: string;
            group_by: ("day" | "client" | "provider" | "model" | "project")[];
            /** @description There are more lines than are told; the total has them */
            more: boolean;
            /** @constant */
            object: "spend";
            /** Format: date */
            to: string;
            total: {
                /** @description Attempts whose price is known */
                priced: {
                    /** @example 0.400000 */
                    amount: string;
                    count: number;
                };
                /** @description All attempts without a price, at their worst case as far as a rate is known */
                reserved: {
                    /** @example 0.400000 */
                    amount: string;
                    count: number;
                };
                /** @description Attempts that may or may not have been accepted, and their part of `reserved` */
                unknown: {
                    /** @example 0.400000 */
                    amount: string;
                    count: number;
                };
                /** @description Attempts that ended without a price, and their part of `reserved` */
                unpriced: {
                    /** @example 0.400000 */
                    amount: string;
                    count: number;
                };
            };
        };
        /** @enum {unknown} */
        StatusWord: "queued" | "running" | "waiting" | "succeeded" | "failed" | "cancelled";
        StyleRun: {
            brief: string;
            budget: string | null;
            callback_url: string | null;
            cost: {
                /** @example 0.400000 */
                priced: string;
                /** @example 0.400000 */
                reserved: string;
                unknown: number;
                unpriced: number;
            };
            /** Format: date-time */
            created_at: string;
            error: {
                /** @enum {unknown} */
                code: "UNAUTHENTICATED" | "SCOPE_MISSING" | "CLIENT_DISABLED" | "IDEMPOTENCY_KEY_MISSING" | "IDEMPOTENCY_KEY_INVALID" | "IDEMPOTENCY_CONFLICT" | "INVALID_JSON" | "INVALID_REQUEST" | "INVALID_CURSOR" | "BODY_TOO_LARGE" | "LENGTH_REQUIRED" | "UNSUPPORTED_MEDIA_TYPE" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "RATE_LIMITED" | "TOO_MANY_OPEN" | "BUDGET_EXCEEDED" | "OUTPUT_NOT_READY" | "EXPIRED" | "NOT_UNKNOWN" | "RANGE_NOT_SATISFIABLE" | "LINK_INVALID" | "LINK_EXPIRED" | "DECISION_CONFLICT" | "VERSION_MISMATCH" | "START_UNCONFIRMED" | "DATABASE_UNAVAILABLE" | "DATABASE_TIMEOUT" | "INTERNAL" | "TOKEN_INVALID" | "STALE_LEASE" | "INPUT_INVALID" | "INPUT_UNREACHABLE" | "PROVIDER_AUTHENTICATION" | "PROVIDER_INVALID_INPUT" | "PROVIDER_REFUSED" | "PROVIDER_RATE_LIMITED" | "PROVIDER_TIMEOUT" | "PROVIDER_UNAVAILABLE" | "PROVIDER_INSUFFICIENT_FUNDS" | "PROVIDER_MODEL_GONE" | "PROVIDER_ERROR" | "SUBMISSION_UNKNOWN" | "OUTPUT_INVALID" | "OUTPUT_KEY_CONFLICT" | "STORAGE_FAILED" | "PAID_CALLS_EXHAUSTED" | "MAX_COST_REACHED" | "COST_UNPRICEABLE" | "DEADLINE_EXCEEDED" | "EXECUTOR_UNAVAILABLE" | "JOURNAL_UNAVAILABLE" | "NO_CANDIDATES";
                message: string;
                retryable: boolean;
            } | null;
            finished_at: string | null;
            /** Format: uuid */
            id: string;
            max_rounds: number;
            metadata: {
                [key: string]: string;
            };
            /** @constant */
            object: "style_run";
            project: string | null;
            references: string[];
            review: {
                deadline_at: string | null;
                deadline_seconds: number;
                /** @enum {unknown} */
                on_deadline: "remind" | "expire" | "approve_best";
                reminder_seconds: number | null;
                reminders: number;
                /** @description The review link, while there is something to decide */
                url: string | null;
            };
            round: number;
            rounds: {
                candidates: {
                    approved: boolean;
                    chain: unknown[];
                    error: {
                        /** @enum {unknown} */
                        code: "UNAUTHENTICATED" | "SCOPE_MISSING" | "CLIENT_DISABLED" | "IDEMPOTENCY_KEY_MISSING" | "IDEMPOTENCY_KEY_INVALID" | "IDEMPOTENCY_CONFLICT" | "INVALID_JSON" | "INVALID_REQUEST" | "INVALID_CURSOR" | "BODY_TOO_LARGE" | "LENGTH_REQUIRED" | "UNSUPPORTED_MEDIA_TYPE" | "NOT_FOUND" | "METHOD_NOT_ALLOWED" | "RATE_LIMITED" | "TOO_MANY_OPEN" | "BUDGET_EXCEEDED" | "OUTPUT_NOT_READY" | "EXPIRED" | "NOT_UNKNOWN" | "RANGE_NOT_SATISFIABLE" | "LINK_INVALID" | "LINK_EXPIRED" | "DECISION_CONFLICT" | "VERSION_MISMATCH" | "START_UNCONFIRMED" | "DATABASE_UNAVAILABLE" | "DATABASE_TIMEOUT" | "INTERNAL" | "TOKEN_INVALID" | "STALE_LEASE" | "INPUT_INVALID" | "INPUT_UNREACHABLE" | "PROVIDER_AUTHENTICATION" | "PROVIDER_INVALID_INPUT" | "PROVIDER_REFUSED" | "PROVIDER_RATE_LIMITED" | "PROVIDER_TIMEOUT" | "PROVIDER_UNAVAILABLE" | "PROVIDER_INSUFFICIENT_FUNDS" | "PROVIDER_MODEL_GONE" | "PROVIDER_ERROR" | "SUBMISSION_UNKNOWN" | "OUTPUT_INVALID" | "OUTPUT_KEY_CONFLICT" | "STORAGE_FAILED" | "PAID_CALLS_EXHAUSTED" | "MAX_COST_REACHED" | "COST_UNPRICEABLE" | "DEADLINE_EXCEEDED" | "EXECUTOR_UNAVAILABLE" | "JOURNAL_UNAVAILABLE" | "NO_CANDIDATES";
                        message: string;
                        retryable: boolean;
                    } | null;
                    /** Format: uuid */
                    generation: string;
                    index: number;
                    input: Record<string, unknown>;
                    outputs: Record<string, unknown>[];
                    status: ("queued" | "running" | "waiting" | "succeeded" | "failed" | "cancelled") | null;
                }[];
                decision: {
                    /** @enum {unknown} */
                    action: "approve" | "reject" | "revise";
                    candidates: number[];
                    /** Format: date-time */
                    created_at: string;
                    /** Format: uuid */
                    id: string;
                    marks: Record<string, unknown>[];
                    notes: string | null;
                    reviewer: string | null;
                    variations: unknown[] | null;
                } | null;
                round: number;
            }[];
            /** @enum {unknown} */
            state: "queued" | "generating" | "awaiting_review" | "revising" | "approved" | "rejected" | "expired" | "cancelled" | "failed";
            template: Record<string, unknown>;
            variations: Record<string, unknown>[];
            version: number;
        };
        StyleRunList: {
            data: components["schemas"]["StyleRun"][];
            has_more: boolean;
            /** @constant */
            object: "list";
        };
        StyleRunRequest: {
            brief: string;
            budget?: string | null;
            callback_url?: string | null;
            /** @default 3 */
            max_rounds?: number | null;
            metadata?: {
                [key: string]: string;
            } | null;
            project?: string | null;
            references?: string[] | null;
            review?: {
                /** @default 604800 */
                deadline_seconds?: number | null;
                /** @default remind */
                on_deadline?: ("remind" | "expire" | "approve_best") | null;
                reminder_seconds?: number | null;
            } | null;
            /** @description A generation's request without callback_url, metadata and project */
            template: {
                input: Record<string, unknown>;
            };
            /** @description One candidate each */
            variations: {
                chain?: {
                    /** @default 2 */
                    attempts?: number | null;
                    model: string;
                    options?: Record<string, unknown> | null;
                    /** @enum {unknown} */
                    provider: "fal" | "replicate" | "runway" | "luma_dream_machine" | "bfl" | "luma_agents" | "minimax" | "minimax_v1" | "kling" | "kling_v1" | "veo" | "openai_images" | "workers_ai";
                }[] | null;
                prompt?: string | null;
                seed?: number | null;
            }[];
        };
        TestDelivery: {
            /** @constant */
            event_type: "webhook.test";
            id: string;
            /** @constant */
            object: "delivery";
        };
        UnknownAttempt: {
            /** Format: uuid */
            generation: string;
            /** Format: uuid */
            id: string;
            message: string | null;
            model: string;
            /** @constant */
            object: "attempt";
            provider: string;
            request: unknown;
            reserved: string | null;
            /** Format: date-time */
            started_at: string;
        };
        UnknownAttemptList: {
            data: components["schemas"]["UnknownAttempt"][];
            /** @constant */
            object: "list";
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    get_errors_code: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description A problem's `code`
                 * @example IDEMPOTENCY_CONFLICT
                 */
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What the code means and what to do */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/markdown": string;
                };
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`NOT_FOUND`](/errors/NOT_FOUND) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "NOT_FOUND";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
        };
    };
    get_healthz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The Worker runs */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
        };
    };
    get_metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Prometheus' text format */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    get_readyz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is configured and its database answers */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    get_review_token: {
        parameters: {
            query?: {
                /** @description The version that the asking page shows */
                seen?: string;
                /** @description The stamp of the asking page */
                since?: string;
            };
            header?: never;
            path: {
                /** @description The last part of a review link */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run, and the form that decides on it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description What the asking page shows is what stands */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description The link is not whole, or not ours */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The run is gone */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The link has expired */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
        };
    };
    post_review_token_decisions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The last part of a review link */
                token: string;
            };
            cookie?: never;
        };
        /** @description The page's form */
        requestBody: {
            content: {
                "application/x-www-form-urlencoded": string;
            };
        };
        responses: {
            /** @description The decision stands; `Location` is the page */
            303: {
                headers: {
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description The link is not whole, or not ours */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The run is gone */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description Somebody else decided before, or the run is over: what stands */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The link has expired */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The run has moved on since the page was shown: what stands */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description The form again, with what is missing */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
        };
    };
    get_review_token_media_round_candidate_output: {
        parameters: {
            query?: never;
            header?: {
                /** @description One range of bytes */
                Range?: string | null;
            };
            path: {
                /** @description The candidate's index */
                candidate: number;
                /** @description Which of its outputs, from 0 */
                output: number;
                /** @description The round, from 1 */
                round: number;
                /** @description The last part of a review link */
                token: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bytes, under their own media type */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description The range that was asked for */
            206: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description The link is not whole, or not ours */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The run has no such file */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The link has expired */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
        };
    };
    post_admin_attempts_id_resolution: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The attempt's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResolutionRequest"];
            };
        };
        responses: {
            /** @description Recorded; the generation goes on */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Resolved"];
                };
            };
            /** @description [`INVALID_JSON`](/errors/INVALID_JSON), [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_JSON" | "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`NOT_FOUND`](/errors/NOT_FOUND) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "NOT_FOUND";
                    };
                };
            };
            /** @description [`NOT_UNKNOWN`](/errors/NOT_UNKNOWN) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "NOT_UNKNOWN";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    get_admin_attempts_unknown: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description At most 100, oldest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UnknownAttemptList"];
                };
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    get_admin_audit: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before */
                cursor?: string;
                /** @description Rows of a page, 1 to 100; 50 if absent */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Actions, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditList"];
                };
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    get_admin_clients: {
        parameters: {
            query?: {
                /** @description `next_cursor` of the page before */
                cursor?: string;
                /** @description Clients of a page, 1 to 100; 50 if absent */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Clients, oldest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientList"];
                };
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    post_admin_clients: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClientRequest"];
            };
        };
        responses: {
            /** @description The client; its key and its webhook secret are shown once */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewClient"];
                };
            };
            /** @description [`INVALID_JSON`](/errors/INVALID_JSON), [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_JSON" | "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    get_admin_clients_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The client's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The client */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Client"];
                };
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`NOT_FOUND`](/errors/NOT_FOUND) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "NOT_FOUND";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    patch_admin_clients_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The client's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": null | components["schemas"]["ClientChange"];
            };
        };
        responses: {
            /** @description The client as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Client"];
                };
            };
            /** @description [`INVALID_JSON`](/errors/INVALID_JSON), [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_JSON" | "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`NOT_FOUND`](/errors/NOT_FOUND) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "NOT_FOUND";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    get_admin_clients_id_erasure: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The client's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The client's last erasure */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erasure"];
                };
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`NOT_FOUND`](/errors/NOT_FOUND) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "NOT_FOUND";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    post_admin_clients_id_erasure: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The client's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The erasure under way, what remains of it and what is kept */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Erasure"];
                };
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`NOT_FOUND`](/errors/NOT_FOUND) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "NOT_FOUND";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    get_admin_clients_id_keys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The client's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Its keys, oldest first, those that have ended too */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["KeyList"];
                };
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`NOT_FOUND`](/errors/NOT_FOUND) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "NOT_FOUND";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    post_admin_clients_id_keys: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The client's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": null | components["schemas"]["KeyRequest"];
            };
        };
        responses: {
            /** @description The key, shown for the only time */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewKey"];
                };
            };
            /** @description [`INVALID_JSON`](/errors/INVALID_JSON), [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_JSON" | "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`NOT_FOUND`](/errors/NOT_FOUND) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "NOT_FOUND";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    post_admin_clients_id_keys_key_revoke: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The client's id */
                id: string;
                /** @description The key's id */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The key, which opens nothing any more */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Key"];
                };
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`NOT_FOUND`](/errors/NOT_FOUND) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "NOT_FOUND";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    post_admin_clients_id_keys_key_rotate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The client's id */
                id: string;
                /** @description The id of the key to be followed */
                key: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": null | components["schemas"]["KeyRotation"];
            };
        };
        responses: {
            /** @description The new key, shown for the only time */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewKey"];
                };
            };
            /** @description [`INVALID_JSON`](/errors/INVALID_JSON), [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_JSON" | "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`NOT_FOUND`](/errors/NOT_FOUND) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "NOT_FOUND";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    get_admin_deliveries_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The delivery's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The delivery with its payload and its tries */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`NOT_FOUND`](/errors/NOT_FOUND) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "NOT_FOUND";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    post_admin_deliveries_id_redeliver: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The delivery's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": null | components["schemas"]["RedeliveryOrder"];
            };
        };
        responses: {
            /** @description Whether it is sent again: a delivered one is not, but by force */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Redelivered"];
                };
            };
            /** @description [`INVALID_JSON`](/errors/INVALID_JSON), [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_JSON" | "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`NOT_FOUND`](/errors/NOT_FOUND) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "NOT_FOUND";
                    };
                };
            };
            /** @description [`EXPIRED`](/errors/EXPIRED) */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "EXPIRED";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    get_admin_deliveries_dead: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The newest 100, without the answers to their tries */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveryList"];
                };
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    post_admin_deliveries_redeliver: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RedeliveryRequest"];
            };
        };
        responses: {
            /** @description The ids of what is sent again */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RedeliveredList"];
                };
            };
            /** @description [`INVALID_JSON`](/errors/INVALID_JSON), [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_JSON" | "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    post_admin_outbox_event_retry: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The event's id */
                event: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is due */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RevivedEvent"];
                };
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`NOT_FOUND`](/errors/NOT_FOUND) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "NOT_FOUND";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    get_admin_outbox_parked: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description At most 100, oldest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ParkedEventList"];
                };
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    get_admin_providers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All providers */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderGateList"];
                };
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    patch_admin_providers_provider: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The provider's word */
                provider: components["schemas"]["ProviderWord"];
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": null | components["schemas"]["ProviderGateChange"];
            };
        };
        responses: {
            /** @description The provider as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProviderGate"];
                };
            };
            /** @description [`INVALID_JSON`](/errors/INVALID_JSON), [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_JSON" | "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`NOT_FOUND`](/errors/NOT_FOUND) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "NOT_FOUND";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    get_admin_spend: {
        parameters: {
            query?: {
                /** @description Only this client's */
                client?: string;
                /** @description First day, UTC; the first of the month of `to` if absent */
                from?: string;
                /** @description What to tell apart: any of day, client, provider, model, project, with commas; day if absent */
                group_by?: string;
                /** @description Only this model's */
                model?: string;
                /** @description Only this project's; empty: of generations without one */
                project?: string;
                /** @description Only this provider's */
                provider?: string;
                /** @description Last day; today if absent */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The total, and a line for each group */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Spend"];
                    "text/csv": string;
                };
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    get_admin_webhook_endpoints: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The disabled and the failing first, 500 at most */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClientEndpointList"];
                };
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    post_callbacks_provider_token: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The provider's name */
                provider: string;
                /** @description Names the attempt, signed */
                token: string;
            };
            cookie?: never;
        };
        /** @description The provider's own report; only its request id is believed */
        requestBody: {
            content: {
                "application/json": components["schemas"]["Anything"];
            };
        };
        responses: {
            /** @description Noted */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`NOT_FOUND`](/errors/NOT_FOUND) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "NOT_FOUND";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    post_estimates: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GenerationRequest"];
            };
        };
        responses: {
            /** @description Least and most by the rate card, and how the budgets stand */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Estimate"];
                };
            };
            /** @description [`INVALID_JSON`](/errors/INVALID_JSON), [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_JSON" | "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`UNSUPPORTED_MEDIA_TYPE`](/errors/UNSUPPORTED_MEDIA_TYPE) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNSUPPORTED_MEDIA_TYPE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    get_generations: {
        parameters: {
            query?: {
                /** @description Made before that */
                created_before?: string;
                /** @description Made then or later */
                created_from?: string;
                /** @description `next_cursor` of the page before, with the same filters */
                cursor?: string;
                /** @description What they make */
                kind?: components["schemas"]["KindWord"];
                /** @description Generations in a page, at most; 20 if absent */
                limit?: number;
                /** @description `metadata[NAME]=VALUE`; all must be there */
                metadata?: components["schemas"]["MetadataFilter"];
                /** @description Named in the chain */
                model?: string;
                /** @description Their `project` */
                project?: string;
                /** @description Named in the chain; with `model`, by the same entry */
                provider?: components["schemas"]["ProviderWord"];
                /** @description How they stand */
                status?: components["schemas"]["StatusWord"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GenerationPage"];
                };
            };
            /** @description [`INVALID_CURSOR`](/errors/INVALID_CURSOR), [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_CURSOR" | "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    post_generations: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description Your name for this wish: the same on every retry of it, and never another body under it
                 * @example order-1017-cover
                 */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GenerationRequest"];
            };
        };
        responses: {
            /** @description A new generation */
            201: {
                headers: {
                    /** @description Its path */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Generation"];
                };
            };
            /** @description The same key and body were here before: the generation as it stands now */
            202: {
                headers: {
                    /** @description `true` */
                    "Idempotent-Replayed"?: string;
                    /** @description Its path */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Generation"];
                };
            };
            /** @description [`IDEMPOTENCY_KEY_INVALID`](/errors/IDEMPOTENCY_KEY_INVALID), [`IDEMPOTENCY_KEY_MISSING`](/errors/IDEMPOTENCY_KEY_MISSING), [`INVALID_JSON`](/errors/INVALID_JSON), [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "IDEMPOTENCY_KEY_INVALID" | "IDEMPOTENCY_KEY_MISSING" | "INVALID_JSON" | "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`BUDGET_EXCEEDED`](/errors/BUDGET_EXCEEDED) */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BUDGET_EXCEEDED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`IDEMPOTENCY_CONFLICT`](/errors/IDEMPOTENCY_CONFLICT), [`OUTPUT_NOT_READY`](/errors/OUTPUT_NOT_READY) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "IDEMPOTENCY_CONFLICT" | "OUTPUT_NOT_READY";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`UNSUPPORTED_MEDIA_TYPE`](/errors/UNSUPPORTED_MEDIA_TYPE) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNSUPPORTED_MEDIA_TYPE";
                    };
                };
            };
            /** @description [`RATE_LIMITED`](/errors/RATE_LIMITED), [`TOO_MANY_OPEN`](/errors/TOO_MANY_OPEN) */
            429: {
                headers: {
                    /** @description Seconds; then send the same request, with the same Idempotency-Key */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "RATE_LIMITED" | "TOO_MANY_OPEN";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE), [`START_UNCONFIRMED`](/errors/START_UNCONFIRMED) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE" | "START_UNCONFIRMED";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    get_generations_id: {
        parameters: {
            query?: {
                /** @description Seconds to wait for its end, at most; the answer comes as soon as it has ended */
                wait?: number;
            };
            header?: never;
            path: {
                /** @description The generation's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The generation as it stands */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Generation"];
                };
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`NOT_FOUND`](/errors/NOT_FOUND) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "NOT_FOUND";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    get_generations_id_attempts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The generation's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every paid call, in order */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttemptList"];
                };
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`NOT_FOUND`](/errors/NOT_FOUND) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "NOT_FOUND";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    post_generations_id_cancel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The generation's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What stands: cancelled, or ended otherwise before */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Generation"];
                };
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`NOT_FOUND`](/errors/NOT_FOUND) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "NOT_FOUND";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    get_generations_id_events: {
        parameters: {
            query?: {
                /** @description The same, for clients that cannot send the header */
                last_event_id?: string;
            };
            header?: {
                /**
                 * @description The id of the last event that came: the stream goes on behind it
                 * @example 3.31
                 */
                "Last-Event-ID"?: string | null;
            };
            path: {
                /** @description The generation's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Server-sent events (`text/event-stream`): the timeline as it grows. Each has an `id`, the type as `event`, and the entry as `data`. After the terminal one comes `event: end`, and the stream is over */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            /** @description It has ended and everything was told: do not come back */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`NOT_FOUND`](/errors/NOT_FOUND) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "NOT_FOUND";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    get_generations_id_output: {
        parameters: {
            query?: {
                /** @description Of a link: when it expires, seconds since 1970 */
                expires?: string;
                /** @description Of a link */
                signature?: string;
            };
            header?: {
                /** @description Entity tags */
                "If-None-Match"?: string | null;
                /** @description The entity tag that `Range` was made for */
                "If-Range"?: string | null;
                /**
                 * @description One range of bytes
                 * @example bytes=0-1023
                 */
                Range?: string | null;
            };
            path: {
                /** @description The generation's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bytes, under their own media type */
            200: {
                headers: {
                    "Accept-Ranges"?: string;
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description The range that was asked for */
            206: {
                headers: {
                    "Content-Range"?: string;
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description `If-None-Match` names what is stored */
            304: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`LINK_INVALID`](/errors/LINK_INVALID), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "LINK_INVALID" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`NOT_FOUND`](/errors/NOT_FOUND) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "NOT_FOUND";
                    };
                };
            };
            /** @description [`OUTPUT_NOT_READY`](/errors/OUTPUT_NOT_READY) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "OUTPUT_NOT_READY";
                    };
                };
            };
            /** @description [`EXPIRED`](/errors/EXPIRED), [`LINK_EXPIRED`](/errors/LINK_EXPIRED) */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "EXPIRED" | "LINK_EXPIRED";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`RANGE_NOT_SATISFIABLE`](/errors/RANGE_NOT_SATISFIABLE) */
            416: {
                headers: {
                    /** @description `bytes *\/SIZE` */
                    "Content-Range"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "RANGE_NOT_SATISFIABLE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    get_generations_id_output_index: {
        parameters: {
            query?: {
                /** @description Of a link: when it expires, seconds since 1970 */
                expires?: string;
                /** @description Of a link */
                signature?: string;
            };
            header?: {
                /** @description Entity tags */
                "If-None-Match"?: string | null;
                /** @description The entity tag that `Range` was made for */
                "If-Range"?: string | null;
                /**
                 * @description One range of bytes
                 * @example bytes=0-1023
                 */
                Range?: string | null;
            };
            path: {
                /** @description The generation's id */
                id: string;
                /** @description Which output, from 0 */
                index: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bytes, under their own media type */
            200: {
                headers: {
                    "Accept-Ranges"?: string;
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description The range that was asked for */
            206: {
                headers: {
                    "Content-Range"?: string;
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "*/*": unknown;
                };
            };
            /** @description `If-None-Match` names what is stored */
            304: {
                headers: {
                    ETag?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`LINK_INVALID`](/errors/LINK_INVALID), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "LINK_INVALID" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`NOT_FOUND`](/errors/NOT_FOUND) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "NOT_FOUND";
                    };
                };
            };
            /** @description [`OUTPUT_NOT_READY`](/errors/OUTPUT_NOT_READY) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "OUTPUT_NOT_READY";
                    };
                };
            };
            /** @description [`EXPIRED`](/errors/EXPIRED), [`LINK_EXPIRED`](/errors/LINK_EXPIRED) */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "EXPIRED" | "LINK_EXPIRED";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`RANGE_NOT_SATISFIABLE`](/errors/RANGE_NOT_SATISFIABLE) */
            416: {
                headers: {
                    /** @description `bytes *\/SIZE` */
                    "Content-Range"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "RANGE_NOT_SATISFIABLE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    get_generations_id_timeline: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The generation's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What happened to it so far, the oldest first: changes of its status, and how far each paid call came */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventList"];
                };
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`NOT_FOUND`](/errors/NOT_FOUND) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "NOT_FOUND";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    post_inputs: {
        parameters: {
            query?: never;
            header: {
                /** @description The file's size in bytes */
                "Content-Length": number;
                /** @description Your name for this file. Without one its content is its name */
                "Idempotency-Key"?: string | null;
            };
            path?: never;
            cookie?: never;
        };
        /** @description A PNG, JPEG, WebP, MP4, WebM or QuickTime file, under its own media type or this one */
        requestBody: {
            content: {
                "application/octet-stream": components["schemas"]["File"];
            };
        };
        responses: {
            /** @description The same file was here before */
            200: {
                headers: {
                    /** @description `true` */
                    "Idempotent-Replayed"?: string;
                    /** @description Its path */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Input"];
                };
            };
            /** @description A new input */
            201: {
                headers: {
                    /** @description Its path */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Input"];
                };
            };
            /** @description [`IDEMPOTENCY_KEY_INVALID`](/errors/IDEMPOTENCY_KEY_INVALID), [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "IDEMPOTENCY_KEY_INVALID" | "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`IDEMPOTENCY_CONFLICT`](/errors/IDEMPOTENCY_CONFLICT) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "IDEMPOTENCY_CONFLICT";
                    };
                };
            };
            /** @description [`LENGTH_REQUIRED`](/errors/LENGTH_REQUIRED) */
            411: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "LENGTH_REQUIRED";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`UNSUPPORTED_MEDIA_TYPE`](/errors/UNSUPPORTED_MEDIA_TYPE) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNSUPPORTED_MEDIA_TYPE";
                    };
                };
            };
            /** @description [`INPUT_INVALID`](/errors/INPUT_INVALID) */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INPUT_INVALID";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    get_inputs_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The input's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What is stored, until it expires */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Input"];
                };
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`NOT_FOUND`](/errors/NOT_FOUND) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "NOT_FOUND";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    delete_inputs_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The input's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Gone, with its file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedInput"];
                };
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`NOT_FOUND`](/errors/NOT_FOUND) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "NOT_FOUND";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    get_spend: {
        parameters: {
            query?: {
                /** @description First day, UTC; the first of the month of `to` if absent */
                from?: string;
                /** @description What to tell apart: any of day, provider, model, project, with commas; day if absent */
                group_by?: string;
                /** @description Only this model's */
                model?: string;
                /** @description Only this project's; empty: of generations without one */
                project?: string;
                /** @description Only this provider's */
                provider?: string;
                /** @description Last day; today if absent */
                to?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The total, and a line for each group */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Spend"];
                    "text/csv": string;
                };
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    get_style_runs: {
        parameters: {
            query?: {
                /** @description The last id of the page before */
                before?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description At most 20, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StyleRunList"];
                };
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    post_style_runs: {
        parameters: {
            query?: never;
            header: {
                /** @description Your name for this wish: the same on every retry of it, and never another body under it */
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StyleRunRequest"];
            };
        };
        responses: {
            /** @description A new run */
            201: {
                headers: {
                    /** @description Its version */
                    ETag?: string;
                    /** @description Its path */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StyleRun"];
                };
            };
            /** @description The same key and body were here before: the run as it stands now */
            202: {
                headers: {
                    /** @description Its version */
                    ETag?: string;
                    /** @description `true` */
                    "Idempotent-Replayed"?: string;
                    /** @description Its path */
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StyleRun"];
                };
            };
            /** @description [`IDEMPOTENCY_KEY_INVALID`](/errors/IDEMPOTENCY_KEY_INVALID), [`IDEMPOTENCY_KEY_MISSING`](/errors/IDEMPOTENCY_KEY_MISSING), [`INVALID_JSON`](/errors/INVALID_JSON), [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "IDEMPOTENCY_KEY_INVALID" | "IDEMPOTENCY_KEY_MISSING" | "INVALID_JSON" | "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`IDEMPOTENCY_CONFLICT`](/errors/IDEMPOTENCY_CONFLICT) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "IDEMPOTENCY_CONFLICT";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`UNSUPPORTED_MEDIA_TYPE`](/errors/UNSUPPORTED_MEDIA_TYPE) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNSUPPORTED_MEDIA_TYPE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    get_style_runs_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The run as it stands */
            200: {
                headers: {
                    /** @description Its version, for `If-Match` */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StyleRun"];
                };
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`TOKEN_INVALID`](/errors/TOKEN_INVALID), [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "TOKEN_INVALID" | "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`NOT_FOUND`](/errors/NOT_FOUND) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "NOT_FOUND";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    post_style_runs_id_cancel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The run's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description What stands: cancelled, or ended otherwise before */
            200: {
                headers: {
                    /** @description Its version */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StyleRun"];
                };
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`NOT_FOUND`](/errors/NOT_FOUND) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "NOT_FOUND";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    post_style_runs_id_decisions: {
        parameters: {
            query?: never;
            header: {
                /** @description Names this decision: a double click is one */
                "Idempotency-Key": string;
                /** @description The ETag of the run that was looked at */
                "If-Match"?: string | null;
            };
            path: {
                /** @description The run's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DecisionRequest"];
            };
        };
        responses: {
            /** @description The run as it stands after the decision */
            200: {
                headers: {
                    /** @description Its version */
                    ETag?: string;
                    /** @description `true` where the decision stood already */
                    "Idempotent-Replayed"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StyleRun"];
                };
            };
            /** @description [`IDEMPOTENCY_KEY_INVALID`](/errors/IDEMPOTENCY_KEY_INVALID), [`IDEMPOTENCY_KEY_MISSING`](/errors/IDEMPOTENCY_KEY_MISSING), [`INVALID_JSON`](/errors/INVALID_JSON), [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "IDEMPOTENCY_KEY_INVALID" | "IDEMPOTENCY_KEY_MISSING" | "INVALID_JSON" | "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`TOKEN_INVALID`](/errors/TOKEN_INVALID), [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "TOKEN_INVALID" | "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`NOT_FOUND`](/errors/NOT_FOUND) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "NOT_FOUND";
                    };
                };
            };
            /** @description [`DECISION_CONFLICT`](/errors/DECISION_CONFLICT), [`IDEMPOTENCY_CONFLICT`](/errors/IDEMPOTENCY_CONFLICT) */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DECISION_CONFLICT" | "IDEMPOTENCY_CONFLICT";
                    };
                };
            };
            /** @description [`VERSION_MISMATCH`](/errors/VERSION_MISMATCH) */
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "VERSION_MISMATCH";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`UNSUPPORTED_MEDIA_TYPE`](/errors/UNSUPPORTED_MEDIA_TYPE) */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNSUPPORTED_MEDIA_TYPE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    get_webhook_endpoints: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of the client's */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndpointList"];
                };
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    post_webhook_endpoints: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EndpointRequest"];
            };
        };
        responses: {
            /** @description The endpoint that the client has at this URL already */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Endpoint"];
                };
            };
            /** @description A new endpoint, with its secret for the only time */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NewEndpoint"];
                };
            };
            /** @description [`INVALID_JSON`](/errors/INVALID_JSON), [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_JSON" | "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    get_webhook_endpoints_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The endpoint's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The endpoint and its last changes */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Endpoint"];
                };
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`NOT_FOUND`](/errors/NOT_FOUND) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "NOT_FOUND";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    delete_webhook_endpoints_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The endpoint's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Gone; its pending deliveries are not sent */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeletedEndpoint"];
                };
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`NOT_FOUND`](/errors/NOT_FOUND) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "NOT_FOUND";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    patch_webhook_endpoints_id: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The endpoint's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": null | components["schemas"]["EndpointChange"];
            };
        };
        responses: {
            /** @description The endpoint as it is now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Endpoint"];
                };
            };
            /** @description [`INVALID_JSON`](/errors/INVALID_JSON), [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_JSON" | "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`NOT_FOUND`](/errors/NOT_FOUND) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "NOT_FOUND";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    delete_webhook_endpoints_id_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The endpoint's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No key pair signs any more */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EndedKeys"];
                };
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`NOT_FOUND`](/errors/NOT_FOUND) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "NOT_FOUND";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    post_webhook_endpoints_id_key_rotate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The endpoint's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["KeyRotationRequest"];
            };
        };
        responses: {
            /** @description The new public key; the endpoint shows it too */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotatedKey"];
                };
            };
            /** @description [`INVALID_JSON`](/errors/INVALID_JSON), [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_JSON" | "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`NOT_FOUND`](/errors/NOT_FOUND) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "NOT_FOUND";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    post_webhook_endpoints_id_secret_rotate: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The endpoint's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": null | components["schemas"]["RotationRequest"];
            };
        };
        responses: {
            /** @description The new secret, for the only time */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotatedSecret"];
                };
            };
            /** @description [`INVALID_JSON`](/errors/INVALID_JSON), [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_JSON" | "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`NOT_FOUND`](/errors/NOT_FOUND) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "NOT_FOUND";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
    post_webhook_endpoints_id_test: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The endpoint's id */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A test event is on its way */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestDelivery"];
                };
            };
            /** @description [`INVALID_REQUEST`](/errors/INVALID_REQUEST) */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INVALID_REQUEST";
                    };
                };
            };
            /** @description [`UNAUTHENTICATED`](/errors/UNAUTHENTICATED) */
            401: {
                headers: {
                    "WWW-Authenticate"?: "Bearer";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "UNAUTHENTICATED";
                    };
                };
            };
            /** @description [`CLIENT_DISABLED`](/errors/CLIENT_DISABLED), [`SCOPE_MISSING`](/errors/SCOPE_MISSING) */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "CLIENT_DISABLED" | "SCOPE_MISSING";
                    };
                };
            };
            /** @description [`NOT_FOUND`](/errors/NOT_FOUND) */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "NOT_FOUND";
                    };
                };
            };
            /** @description [`BODY_TOO_LARGE`](/errors/BODY_TOO_LARGE) */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "BODY_TOO_LARGE";
                    };
                };
            };
            /** @description [`INTERNAL`](/errors/INTERNAL) */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "INTERNAL";
                    };
                };
            };
            /** @description [`DATABASE_UNAVAILABLE`](/errors/DATABASE_UNAVAILABLE) */
            503: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_UNAVAILABLE";
                    };
                };
            };
            /** @description [`DATABASE_TIMEOUT`](/errors/DATABASE_TIMEOUT) */
            504: {
                headers: {
                    /**
                     * @description Seconds; then send the same request, with the same Idempotency-Key
                     * @example 2
                     */
                    "Retry-After"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"] & {
                        /** @enum {unknown} */
                        code?: "DATABASE_TIMEOUT";
                    };
                };
            };
        };
    };
}
