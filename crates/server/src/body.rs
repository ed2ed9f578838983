//! Reads the body of a request: of the right type, not too large, not too slow, and within the memory that all
//! bodies together may take.
//!
//! Memory is counted for bytes that have arrived, not for announced ones: thousands of slow senders only take what
//! they have sent.

use std::convert::Infallible;
use std::io::Read;
use std::marker::PhantomData;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use http_body_util::BodyExt;
use http_body_util::channel::Channel;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use tokio::sync::OwnedSemaphorePermit;

use crate::document::parse_error;
use crate::error::{ApiError, ApiResult};
use crate::openapi::{Describe, Operation};
use crate::state::App;

const JSON: &[&str] = &["application/json"];
pub const LINES: &[&str] = &["application/x-ndjson", "application/ndjson", "application/jsonl"];

/// How many bytes of a file are read at once.
const PART: usize = 256 << 10;

/// A body, with its share of the memory budget, which it returns when dropped.
pub struct BufferedBody {
    pub bytes: Vec<u8>,
    _memory: Option<OwnedSemaphorePermit>,
}

/// A JSON body of this type. It is only read when the handler asks for it, so that callers without the right role
/// are told so, whatever they sent.
pub struct JsonBody<T> {
    request: Request,
    value: PhantomData<fn() -> T>,
}

impl<T> JsonBody<T> {
    /// The bytes of a body whose type is JSON.
    pub async fn bytes(self, app: &App) -> ApiResult<BufferedBody> {
        json(app, self.request).await
    }

    /// The value, and the body it came from, whose memory counts until it is dropped.
    pub async fn read(self, app: &App) -> ApiResult<(T, BufferedBody)>
    where
        T: DeserializeOwned,
    {
        let held = self.bytes(app).await?;
        let value = serde_json::from_slice(&held.bytes).map_err(|error| parse_error(&error))?;
        Ok((value, held))
    }
}

impl<T> FromRequest<App> for JsonBody<T> {
    type Rejection = Infallible;

    async fn from_request(request: Request, _: &App) -> Result<Self, Infallible> {
        Ok(JsonBody { request, value: PhantomData })
    }
}

impl<T: JsonSchema> Describe for JsonBody<T> {
    fn describe(operation: &mut Operation) {
        operation.set_json_body::<T>();
    }
}

/// The content type of a request, in lower case and without parameters.
pub fn content_type(headers: &HeaderMap) -> String {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Checks that the body has one of these types and is not compressed.
pub fn require_type(headers: &HeaderMap, types: &[&str]) -> ApiResult<()> {
    if !types.contains(&content_type(headers).as_str()) {
        return Err(ApiError::unsupported(&types.join(" or ")));
    }
    let encoding = headers.get(header::CONTENT_ENCODING).map(|value| value.as_bytes());
    if encoding.is_some_and(|encoding| !encoding.eq_ignore_ascii_case(b"identity")) {
        return Err(ApiError::unsupported("that of a body without Content-Encoding"));
    }
    Ok(())
}

/// Reads all of a JSON body.
async fn json(app: &App, request: Request) -> ApiResult<BufferedBody> {
    require_type(request.headers(), JSON)?;
    whole(app, request).await
}

/// Reads all of a body of any type.
pub async fn whole(app: &App, request: Request) -> ApiResult<BufferedBody> {
    let most = app.config.max_body;
    let announced = request.headers().get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    if announced.and_then(|value| value.parse::<u64>().ok()).is_some_and(|length| length > most) {
        return Err(ApiError::too_large(most));
    }
    let reading = collect(app, request.into_body(), most);
    tokio::time::timeout(app.config.request_time, reading).await.map_err(|_| ApiError::slow_body())?
}

async fn collect(app: &App, mut body: Body, most: u64) -> ApiResult<BufferedBody> {
    let mut held = BufferedBody { bytes: Vec::new(), _memory: None };
    let mut kilobytes = 0;
    while let Some(data) = next(&mut body).await? {
        if (held.bytes.len() + data.len()) as u64 > most {
            return Err(ApiError::too_large(most));
        }
        let needed = (held.bytes.len() + data.len()).div_ceil(1000);
        if needed > kilobytes {
            let more = app.body_memory.take(u32::try_from(needed - kilobytes).unwrap_or(u32::MAX))?;
            match &mut held._memory {
                Some(memory) => memory.merge(more),
                none => *none = Some(more),
            }
            kilobytes = needed;
        }
        held.bytes.extend_from_slice(&data);
    }
    Ok(held)
}

/// The next bytes of a body; `None` at its end.
pub async fn next(body: &mut Body) -> ApiResult<Option<Bytes>> {
    loop {
        match body.frame().await {
            None => return Ok(None),
            // Trailers are ignored.
            Some(Ok(frame)) => match frame.into_data() {
                Ok(data) => return Ok(Some(data)),
                Err(_) => continue,
            },
            Some(Err(_)) => return Err(ApiError::bad_request("the body broke off")),
        }
    }
}

/// Sends a file part by part, no faster than the receiver reads.
pub fn send_file(mut file: std::fs::File) -> Body {
    let (mut sender, body) = Channel::<Bytes, Infallible>::new(2);
    tokio::spawn(async move {
        loop {
            let read = tokio::task::spawn_blocking(move || {
                let mut part = vec![0; PART];
                let length = file.read(&mut part)?;
                part.truncate(length);
                Ok::<_, std::io::Error>((file, part))
            });
            match read.await {
                Ok(Ok((next, part))) if !part.is_empty() => {
                    file = next;
                    if sender.send_data(Bytes::from(part)).await.is_err() {
                        return;
                    }
                }
                _ => return,
            }
        }
    });
    Body::new(body)
}
