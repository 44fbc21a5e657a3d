using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [ (name = "main", worker = .main), (name = "engine", worker = .engine), (name = "db", external = (address = "POOLER", tcp = ())), (name = "internet", network = (allow = ["public", "private"])) ],
  sockets = [ (name = "http", address = "127.0.0.1:PORT", http = (), service = "main") ]
);
const main :Workerd.Worker = (
  modules = [ (name="worker.js", esModule = embed "ours.js"), (name="./index_bg.wasm", wasm = embed "index_bg.wasm") ], compatibilityDate = "2026-10-01", compatibilityFlags = [ "no_nodejs_compat", "no_nodejs_compat_v2", "enhanced_error_serialization", "workflows_preserve_non_retryable_error_message" ],
  bindings = [ (name = "DB", hyperdrive = (designator = (name = "db"), database = "afc", user = "postgres", password = "x", scheme = "postgres")), (name = "GENERATION", service = (name = "engine", entrypoint = "Engine")), (name="PUBLIC_URL", text="http://127.0.0.1"), (name="TIMING_OVERRIDES", text="{}"), (name="ALLOW_LOOPBACK_CALLBACKS", text="false"), (name="PROVIDER_URLS", text="{}"), (name="JOB_TOKEN_KEY", text="x"), (name="ADMIN_TOKEN", text="y") ]
);
const engine :Workerd.Worker = ( modules = [ (name = "engine.js", esModule = embed "engine.js") ], compatibilityDate = "2026-10-01" );
