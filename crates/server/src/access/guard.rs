//! The door of every route: who is it, and is that enough.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{FromRequestParts, Request, State};
use axum::http::header::{AUTHORIZATION, HOST};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::Response;

use super::{Admission, Caller, Role};
use crate::error::{ApiError, ApiResult};
use crate::state::App;

/// What a route demands of its callers.
#[derive(Clone)]
pub struct Door {
    pub app: App,
    pub needs: Role,
}

/// Lets a request in with its [`Caller`], or answers 401, 403 or 429.
pub async fn guard(State(door): State<Door>, mut request: Request, next: Next) -> Result<Response, ApiError> {
    let caller = identify(&door.app, request.headers())?;
    if caller.role < door.needs {
        return Err(ApiError::forbidden(format!("this needs a token with the role {}", door.needs.name())));
    }
    door.app.rates.take(&caller.name, Instant::now()).map_err(ApiError::too_many_requests)?;
    let caller = Arc::new(caller);
    request.extensions_mut().insert(Arc::clone(&caller));
    let mut response = next.run(request).await;
    // For the log, which is written further out.
    response.extensions_mut().insert(caller);
    Ok(response)
}

fn identify(app: &App, headers: &HeaderMap) -> ApiResult<Caller> {
    match app.tokens.admission() {
        Admission::Tokens => {}
        // The address may be a loopback address of ours and still be reached by a stranger's page,
        // whose name leads here: it sends that name.
        Admission::Local if app.config.listen.ip().is_loopback() => {
            if is_local_name(headers) {
                return Ok(Caller::local());
            }
            let message = "without tokens the service only answers as localhost or 127.0.0.1";
            return Err(ApiError::new(StatusCode::FORBIDDEN, "foreign-host", message));
        }
        Admission::Local | Admission::Nobody => return Err(ApiError::unauthorized()),
    }
    let value = headers.get(AUTHORIZATION).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let token = match value.split_once(' ') {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => token.trim(),
        _ => return Err(ApiError::unauthorized()),
    };
    app.tokens.caller(token).ok_or_else(ApiError::unauthorized)
}

fn is_local_name(headers: &HeaderMap) -> bool {
    let Some(host) = headers.get(HOST).and_then(|host| host.to_str().ok()) else { return false };
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let is_loopback =
        |address: &str| address.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    name.eq_ignore_ascii_case("localhost") || is_loopback(name.trim_start_matches('[').trim_end_matches(']'))
}

/// In handlers: who asks. The guard has put it there.
pub struct By(pub Arc<Caller>);

impl<S: Sync> FromRequestParts<S> for By {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        parts.extensions.get::<Arc<Caller>>().cloned().map(By).ok_or_else(ApiError::internal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_our_own_names_are_local() {
        let is_local = |host: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(HOST, host.parse().unwrap());
            is_local_name(&headers)
        };
        for host in ["localhost", "LOCALHOST:80", "127.0.0.1:8080", "127.1.2.3", "[::1]:8080", "[::1]"] {
            assert!(is_local(host), "{host}");
        }
        for host in
            ["", "evil.example", "localhost.evil.example:8080", "127.0.0.1.evil.example", "10.0.0.1", ":80"]
        {
            assert!(!is_local(host), "{host}");
        }
        assert!(!is_local_name(&HeaderMap::new()));
    }
}
