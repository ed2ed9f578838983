//! Reading a request's body: of the right type, not too large, not too slow, and not more of all
//! bodies together than the service is ready to hold.
//!
//! Room is taken for bytes that have arrived, not for those announced: thousands of slow senders
//! hold what they sent and no more.

use std::convert::Infallible;
use std::io::Read;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, header};
use http_body_util::BodyExt;
use http_body_util::channel::Channel;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::{ApiError, ApiResult};
use crate::state::App;

pub const JSON: &[&str] = &["application/json"];
pub const LINES: &[&str] = &["application/x-ndjson", "application/ndjson", "application/jsonl"];

/// Bytes of a file that are read at once.
const PART: usize = 256 << 10;

/// A body with the room it takes, which is given back with it.
pub struct Held {
    pub bytes: Vec<u8>,
    _room: Option<OwnedSemaphorePermit>,
}

/// Room for bodies, in kilobytes.
pub struct Room(Arc<Semaphore>);

impl Room {
    pub fn new(bytes: u64) -> Self {
        let kilobytes = usize::try_from(bytes / 1000).unwrap_or(usize::MAX);
        Room(Arc::new(Semaphore::new(kilobytes.clamp(1, Semaphore::MAX_PERMITS))))
    }

    fn take(&self, kilobytes: u32) -> ApiResult<OwnedSemaphorePermit> {
        Arc::clone(&self.0).try_acquire_many_owned(kilobytes).map_err(|_| ApiError::busy())
    }
}

/// The type that a request names, in lower case and without its parameters.
pub fn content_type(headers: &HeaderMap) -> String {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Whether the body is of one of these types and not packed.
pub fn demand(headers: &HeaderMap, types: &[&str]) -> ApiResult<()> {
    if !types.contains(&content_type(headers).as_str()) {
        return Err(ApiError::unsupported(&types.join(" or ")));
    }
    let encoding = headers.get(header::CONTENT_ENCODING).map(|value| value.as_bytes());
    if encoding.is_some_and(|encoding| !encoding.eq_ignore_ascii_case(b"identity")) {
        return Err(ApiError::unsupported("that of a body without Content-Encoding"));
    }
    Ok(())
}

/// All of a JSON body.
pub async fn json(app: &App, request: Request) -> ApiResult<Held> {
    demand(request.headers(), JSON)?;
    whole(app, request).await
}

/// All of a body of whatever type.
pub async fn whole(app: &App, request: Request) -> ApiResult<Held> {
    let most = app.config.max_body;
    let announced = request.headers().get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    if announced.and_then(|value| value.parse::<u64>().ok()).is_some_and(|length| length > most) {
        return Err(ApiError::too_large(most));
    }
    let reading = collect(app, request.into_body(), most);
    tokio::time::timeout(app.config.request_time, reading).await.map_err(|_| ApiError::slow_body())?
}

async fn collect(app: &App, mut body: Body, most: u64) -> ApiResult<Held> {
    let mut held = Held { bytes: Vec::new(), _room: None };
    let mut kilobytes = 0;
    while let Some(data) = next(&mut body).await? {
        if (held.bytes.len() + data.len()) as u64 > most {
            return Err(ApiError::too_large(most));
        }
        let needed = (held.bytes.len() + data.len()).div_ceil(1000);
        if needed > kilobytes {
            let more = app.room.take(u32::try_from(needed - kilobytes).unwrap_or(u32::MAX))?;
            match &mut held._room {
                Some(room) => room.merge(more),
                none => *none = Some(more),
            }
            kilobytes = needed;
        }
        held.bytes.extend_from_slice(&data);
    }
    Ok(held)
}

/// The next bytes of a body; nothing at its end.
pub async fn next(body: &mut Body) -> ApiResult<Option<Bytes>> {
    loop {
        match body.frame().await {
            None => return Ok(None),
            // What follows the body is of no interest.
            Some(Ok(frame)) => match frame.into_data() {
                Ok(data) => return Ok(Some(data)),
                Err(_) => continue,
            },
            Some(Err(_)) => return Err(ApiError::bad_request("the body broke off")),
        }
    }
}

/// Sends a file part by part; while the receiver is slow nothing is read.
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
