//! Error answers: a status, a code that never changes, and a sentence.
//!
//! A sentence never contains a path of the machine, a token, or a document that the caller may not see: for hidden
//! and missing documents the answer is the same, byte for byte.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use lookalike::Error;
use lookalike::Id;
use schemars::JsonSchema;
use serde::Serialize;

#[derive(Clone, Debug)]
pub struct ApiError {
    pub status: StatusCode,
    pub code: &'static str,
    pub message: String,
    /// Seconds after which a retry may succeed.
    pub retry_after: Option<u64>,
    /// The documents that an ambiguous name may mean.
    pub choices: Vec<Choice>,
}

/// The answer to a request that failed.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Error")]
pub struct ErrorAnswer {
    pub error: ErrorBody,
}

#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ErrorBody {
    /// With `ambiguous`: the documents that have the id.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub choices: Vec<Choice>,
    /// Says what kind of error it is, and never changes.
    pub code: &'static str,
    /// A sentence for people.
    pub message: String,
}

/// One of several documents with the same id.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Choice {
    #[schemars(with = "Id")]
    pub id: serde_json::Value,
    /// Its access labels, which tell it from the others.
    pub labels: Vec<String>,
}

pub type ApiResult<T> = Result<T, ApiError>;

/// The code of an error, for the outer layers.
#[derive(Clone, Copy)]
pub struct ErrorCode(pub &'static str);

impl ApiError {
    pub const DAMAGED: &str = "damaged";
    pub const STORAGE: &str = "storage";

    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        ApiError { status, code, message: message.into(), retry_after: None, choices: Vec::new() }
    }

    pub fn retry(mut self, seconds: u64) -> Self {
        self.retry_after = Some(seconds);
        self
    }

    /// For documents that do not exist and for those that the caller may not see.
    pub fn not_found() -> Self {
        ApiError::new(StatusCode::NOT_FOUND, "not-found", "there is no such document")
    }

    pub fn no_such_route() -> Self {
        ApiError::new(
            StatusCode::NOT_FOUND,
            "no-such-route",
            "there is nothing at this path; see /api/openapi.json",
        )
    }

    pub fn wrong_method() -> Self {
        let message = "this path does not answer this method; see /api/openapi.json";
        ApiError::new(StatusCode::METHOD_NOT_ALLOWED, "method-not-allowed", message)
    }

    pub fn search_not_ready() -> Self {
        let message = "the search index is being made; try again soon";
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "search-not-ready", message).retry(5)
    }

    pub fn bad_request(message: impl Into<String>) -> Self {
        ApiError::new(StatusCode::BAD_REQUEST, "bad-request", message)
    }

    pub fn bad_document(message: impl Into<String>) -> Self {
        ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "bad-document", message)
    }

    /// A value that is well formed but cannot be used.
    pub fn unusable(message: impl Into<String>) -> Self {
        ApiError::new(StatusCode::UNPROCESSABLE_ENTITY, "unusable", message)
    }

    pub fn too_large(limit: u64) -> Self {
        let message = format!("the body has more than the {limit} bytes that are allowed");
        ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", message)
    }

    pub fn unsupported(expected: &str) -> Self {
        let message = format!("the Content-Type must be {expected}");
        ApiError::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported-media-type", message)
    }

    pub fn unauthorized() -> Self {
        let message = "a valid token is needed: Authorization: Bearer TOKEN";
        ApiError::new(StatusCode::UNAUTHORIZED, "unauthorized", message)
    }

    pub fn forbidden(message: impl Into<String>) -> Self {
        ApiError::new(StatusCode::FORBIDDEN, "forbidden", message)
    }

    pub fn too_many_requests(seconds: u64) -> Self {
        let message = "this token has used up its rate for now";
        ApiError::new(StatusCode::TOO_MANY_REQUESTS, "rate-limited", message).retry(seconds)
    }

    pub fn busy() -> Self {
        let message = "the service has as much work as it can hold; try again in a moment";
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "busy", message).retry(1)
    }

    pub fn timeout() -> Self {
        let message = "the answer took longer than the service waits";
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "timeout", message).retry(5)
    }

    pub fn slow_body() -> Self {
        let message = "the body did not arrive within the time that the service waits";
        ApiError::new(StatusCode::REQUEST_TIMEOUT, "slow-body", message)
    }

    pub fn shutting_down() -> Self {
        let message = "the service is shutting down";
        ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "shutting-down", message).retry(10)
    }

    pub fn internal() -> Self {
        let message = "something failed that should not; the log has it under this request's id";
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", message)
    }

    /// Stored data cannot be read any more; the log says where.
    pub fn damaged() -> Self {
        let message = "the stored data is damaged where this leads; the log has it under this request's id";
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, ApiError::DAMAGED, message)
    }

    /// The value of `error` in an answer.
    pub fn body(&self) -> ErrorBody {
        ErrorBody { choices: self.choices.clone(), code: self.code, message: self.message.clone() }
    }
}

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        match error {
            Error::Input(message) => ApiError::bad_document(message),
            Error::Config(message) => ApiError::unusable(message),
            Error::Ambiguous { ref id, ref labels } => {
                let id: serde_json::Value = serde_json::from_str(id).unwrap_or_default();
                let choice = |labels: &Vec<String>| Choice { id: id.clone(), labels: labels.clone() };
                let choices = labels.iter().map(choice).collect();
                ApiError { choices, ..ApiError::new(StatusCode::CONFLICT, "ambiguous", error.to_string()) }
            }
            Error::Forbidden(message) => ApiError::forbidden(message),
            Error::Incompatible(message) => ApiError::new(StatusCode::CONFLICT, "incompatible", message),
            Error::Io { path, source } => {
                tracing::error!(path = %path.display(), error = %source, "storage failed");
                let message = format!("the storage of the service failed: {}", source.kind());
                ApiError::new(StatusCode::SERVICE_UNAVAILABLE, ApiError::STORAGE, message).retry(30)
            }
            Error::Damaged { path, what } => {
                tracing::error!(path = %path.display(), what, "stored data is damaged");
                ApiError::damaged()
            }
            Error::Gone => ApiError::not_found(),
            Error::Cancelled => {
                let message = "the service is stopping; what was finished is kept";
                ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "stopped", message).retry(30)
            }
            Error::Internal(message) => {
                tracing::error!(error = message, "internal error");
                ApiError::internal()
            }
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = (self.status, axum::Json(ErrorAnswer { error: self.body() })).into_response();
        response.extensions_mut().insert(ErrorCode(self.code));
        if let Some(seconds) = self.retry_after {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
