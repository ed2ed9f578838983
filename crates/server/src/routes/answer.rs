//! Types of answers that determine status and schema.

use std::marker::PhantomData;

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, NoContent, Response};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::error::{ApiError, ApiResult};
use crate::openapi::{Describe, Operation};

/// The work has started but is not finished.
pub struct Accepted<T>(pub T);

impl<T: Serialize> IntoResponse for Accepted<T> {
    fn into_response(self) -> Response {
        (StatusCode::ACCEPTED, Json(self.0)).into_response()
    }
}

/// A large value that was serialised on a worker thread, so that the threads that serve connections are not
/// blocked.
pub struct SerializedJson<T> {
    json: Box<RawValue>,
    value: PhantomData<fn() -> T>,
}

impl<T: Serialize> SerializedJson<T> {
    pub fn new(value: &T) -> ApiResult<SerializedJson<T>> {
        let json = serde_json::value::to_raw_value(value).map_err(|_| ApiError::internal())?;
        Ok(SerializedJson { json, value: PhantomData })
    }
}

impl<T> IntoResponse for SerializedJson<T> {
    fn into_response(self) -> Response {
        Json(self.json).into_response()
    }
}

impl<T: JsonSchema> Describe for Json<T> {
    fn describe(operation: &mut Operation) {
        operation.set_json_answer::<T>();
    }
}

impl<T: JsonSchema> Describe for SerializedJson<T> {
    fn describe(operation: &mut Operation) {
        operation.set_json_answer::<T>();
    }
}

impl<T: JsonSchema> Describe for Accepted<T> {
    fn describe(operation: &mut Operation) {
        operation.set_status(202);
        operation.set_json_answer::<T>();
    }
}

impl Describe for NoContent {
    fn describe(operation: &mut Operation) {
        operation.set_status(204);
    }
}

/// For answers other than JSON the route itself gives the type.
impl Describe for Response {}

impl<T: Describe> Describe for ApiResult<T> {
    fn describe(operation: &mut Operation) {
        T::describe(operation);
    }
}
