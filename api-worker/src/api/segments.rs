//! Parts of a path that stand for something.

use axum::extract::{FromRequestParts, Path};
use http::request::Parts;
use serde::de::DeserializeOwned;

use crate::problem::Problem;

/// The variable segments of a path. What cannot be read (`%ff` is no UTF-8) or looked up (Postgres has no text with
/// U+0000) names nothing: not found.
pub struct Segments<T>(pub T);

impl<S, T> FromRequestParts<S> for Segments<T>
where
    S: Send + Sync,
    T: DeserializeOwned + Send,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        if parts.uri.path().contains("%00") {
            return Err(Problem::not_found());
        }
        let path = Path::<T>::from_request_parts(parts, state).await;
        path.map(|Path(segments)| Self(segments)).map_err(|_| Problem::not_found())
    }
}
