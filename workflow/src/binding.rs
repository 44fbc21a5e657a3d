//! The binding of a Workflow, for whoever starts instances and looks at them.
//!
//! ```ignore
//! let orders = env.get_binding::<Workflow>("ORDERS")?;
//! match orders.create("order-17", &Params { amount: 3 }).await {
//!     Ok(_) | Err(binding::Error::AlreadyExists(_)) => {}
//!     Err(error) => return Err(error.into()),
//! }
//! ```
//!
//! Only strings and plain objects made from JSON text cross the border to JavaScript. Numbers pass through
//! JavaScript's: integers beyond 2^53 lose their last digits, so send large ids as strings.
//!
//! # In handlers that must be `Send`
//!
//! Like all JavaScript values these types are `!Send`, and so are futures that hold them; axum wants `Send`. Keep the
//! [`worker::Env`] (which is `Send`) in the state, take the binding from it inside the handler, and put
//! `#[worker::send]` on the handler, or wrap its future in [`worker::send::SendFuture`].

mod js;

mod error;
pub use error::Error;

mod status;
pub use status::{InstanceStatus, Status};

use js_sys::{Array, JSON, Object, Reflect};
use serde::Serialize;
use wasm_bindgen::{JsCast, JsValue};
use worker::EnvBinding;

pub use self::js::Workflow;
use crate::{replay::MAX_BYTES, size::json_bytes};

impl Workflow {
    /// Creates the instance `id`, which starts at once, with `params` as its event's payload.
    ///
    /// An id is 1 to 100 of `A-Z a-z 0-9 _ -` and does not start with `-`. [`Error::AlreadyExists`] when there is or
    /// was an instance of that id (for as long as the engine keeps it).
    pub async fn create(&self, id: &str, params: &impl Serialize) -> Result<Instance, Error> {
        let created = self.js_create(&NewInstance::new(id, params)?.to_js()?).await?;
        Ok(Instance(created.unchecked_into()))
    }

    /// Creates 1 to 100 instances and returns the ids of those that did not exist before: calling it again is harmless.
    pub async fn create_batch(&self, instances: &[NewInstance]) -> Result<Vec<String>, Error> {
        let batch = instances.iter().map(NewInstance::to_js).collect::<Result<Array, Error>>()?;
        let created = Array::from(&self.js_create_batch(&batch).await?);
        Ok(created.iter().map(|instance| instance.unchecked_into::<js::Instance>().id()).collect())
    }

    /// The instance of that id; [`Error::NotFound`] when there is none.
    pub async fn get(&self, id: &str) -> Result<Instance, Error> {
        Ok(Instance(self.js_get(id).await?.unchecked_into()))
    }
}

impl EnvBinding for Workflow {
    const TYPE_NAME: &'static str = "Workflow";

    /// Goes by what the value can do: the class behind a binding is called `WorkflowImpl`, and no type of that name is
    /// in scope to compare with.
    fn get(value: JsValue) -> worker::Result<Self> {
        let method = Reflect::get(&value, &"createBatch".into()).unwrap_or(JsValue::UNDEFINED);
        if method.is_function() {
            Ok(value.unchecked_into())
        } else {
            Err(worker::Error::RustError("the binding is not a Workflow".into()))
        }
    }
}

/// An instance to be created: its id and its parameters as JSON text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewInstance {
    id: String,
    params: String,
}

impl NewInstance {
    /// [`Error::TooLarge`] when the parameters measure more than 1 MiB.
    pub fn new(id: impl Into<String>, params: &impl Serialize) -> Result<Self, Error> {
        Ok(Self { id: id.into(), params: json(params)? })
    }

    fn to_js(&self) -> Result<Object, Error> {
        object(&[("id", self.id.as_str().into()), ("params", JSON::parse(&self.params)?)])
    }
}

/// One run of a workflow.
#[derive(Clone, Debug)]
pub struct Instance(js::Instance);

impl Instance {
    /// Its id.
    pub fn id(&self) -> String {
        self.0.id()
    }

    /// What the engine knows of it at this moment.
    pub async fn status(&self) -> Result<InstanceStatus, Error> {
        let status = JSON::stringify(&self.0.status().await?)?;
        serde_json::from_str(&String::from(status)).map_err(|error| Error::Other(error.to_string()))
    }

    /// Sends an event; it is kept if the run does not wait for it yet.
    ///
    /// `event` is 1 to 100 of `A-Z a-z 0-9 _ -`, as in [`Steps::wait`]. [`Error::Finished`] when the run has ended (the
    /// local engine accepts and drops it); [`Error::TooLarge`] when the payload measures more than 1 MiB.
    ///
    /// [`Steps::wait`]: crate::replay::Steps::wait
    pub async fn send_event(&self, event: &str, payload: &impl Serialize) -> Result<(), Error> {
        let payload = JSON::parse(&json(payload)?)?;
        self.0.send_event(&object(&[("type", event.into()), ("payload", payload)])?).await?;
        Ok(())
    }

    /// Stops the run at its next step; a step that is being performed is let finish.
    pub async fn pause(&self) -> Result<(), Error> {
        Ok(self.0.pause().await?)
    }

    /// Lets a paused run go on.
    pub async fn resume(&self) -> Result<(), Error> {
        Ok(self.0.resume().await?)
    }

    /// Starts the run over: every step result is forgotten, every step performed again.
    pub async fn restart(&self) -> Result<(), Error> {
        Ok(self.0.restart().await?)
    }

    /// Ends the run for good; [`Error::Finished`] when it has ended already.
    pub async fn terminate(&self) -> Result<(), Error> {
        Ok(self.0.terminate().await?)
    }
}

fn json(value: &impl Serialize) -> Result<String, Error> {
    let bytes = json_bytes(value)?;
    if bytes > MAX_BYTES {
        return Err(Error::TooLarge { bytes });
    }
    Ok(serde_json::to_string(value)?)
}

fn object(fields: &[(&str, JsValue)]) -> Result<Object, Error> {
    let object = Object::new();
    for (key, value) in fields {
        Reflect::set(&object, &JsValue::from_str(key), value)?;
    }
    Ok(object)
}
