//! Answers that say by their type what status and shape they have.

use std::marker::PhantomData;

use axum::Json;
use axum::http::StatusCode;
use axum::response::{IntoResponse, NoContent, Response};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::error::{ApiError, ApiResult};
use crate::openapi::{Describe, Operation};

/// The work has begun and is not done.
pub struct Accepted<T>(pub T);

impl<T: Serialize> IntoResponse for Accepted<T> {
    fn into_response(self) -> Response {
        (StatusCode::ACCEPTED, Json(self.0)).into_response()
    }
}

/// A large value that was written as JSON where the work was done, so that no thread that serves others does it.
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

/// Of other answers than JSON the route itself tells the type.
impl Describe for Response {}

impl<T: Describe> Describe for ApiResult<T> {
    fn describe(operation: &mut Operation) {
        T::describe(operation);
    }
}
