//! The JavaScript API as wasm-bindgen sees it.

use js_sys::{Array, Object};
use wasm_bindgen::{JsValue, prelude::wasm_bindgen};

#[wasm_bindgen]
extern "C" {
    /// A Workflow binding: get it with `env.get_binding::<Workflow>("NAME")`.
    #[wasm_bindgen(extends = Object)]
    #[derive(Clone, Debug)]
    pub type Workflow;

    #[wasm_bindgen(method, catch, js_name = create)]
    pub(super) async fn js_create(this: &Workflow, options: &Object) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch, js_name = createBatch)]
    pub(super) async fn js_create_batch(this: &Workflow, batch: &Array) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch, js_name = get)]
    pub(super) async fn js_get(this: &Workflow, id: &str) -> Result<JsValue, JsValue>;
}

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(extends = Object)]
    #[derive(Clone, Debug)]
    pub(super) type Instance;

    #[wasm_bindgen(method, getter)]
    pub(super) fn id(this: &Instance) -> String;

    #[wasm_bindgen(method, catch)]
    pub(super) async fn status(this: &Instance) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, catch, js_name = sendEvent)]
    pub(super) async fn send_event(this: &Instance, event: &Object) -> Result<(), JsValue>;

    #[wasm_bindgen(method, catch)]
    pub(super) async fn pause(this: &Instance) -> Result<(), JsValue>;

    #[wasm_bindgen(method, catch)]
    pub(super) async fn resume(this: &Instance) -> Result<(), JsValue>;

    #[wasm_bindgen(method, catch)]
    pub(super) async fn restart(this: &Instance) -> Result<(), JsValue>;

    #[wasm_bindgen(method, catch)]
    pub(super) async fn terminate(this: &Instance) -> Result<(), JsValue>;
}
