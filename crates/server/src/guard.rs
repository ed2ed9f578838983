//! Checks every request before its handler runs: whose token it carries, whether that token's role is enough for the
//! route, and whether its rate is used up.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{FromRequestParts, Request, State};
use axum::http::header::{AUTHORIZATION, HOST, VIA};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::middleware::Next;
use axum::response::Response;

use crate::access::{Admission, Caller, RateLimiter, Role};
use crate::address::PeerAddress;
use crate::error::{ApiError, ApiResult};
use crate::state::App;

/// What proxies add.
const FORWARDED: [HeaderName; 4] = [
    HeaderName::from_static("forwarded"),
    HeaderName::from_static("x-forwarded-for"),
    HeaderName::from_static("x-real-ip"),
    VIA,
];
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The id of a request, put beside it by the layer around all handlers.
#[derive(Clone)]
pub struct RequestId(pub String);

/// What a route demands of its callers.
#[derive(Clone)]
pub struct RouteGuard {
    pub app: App,
    pub needs: Role,
}

/// Lets a request in with its [`Caller`], or answers 401, 403 or 429.
pub async fn admit(
    State(guard): State<RouteGuard>,
    mut request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let app = &guard.app;
    let peer = request.extensions().get::<PeerAddress>().copied();
    let address = peer.map(|peer| app.config.trusted_proxies.client(peer.0, request.headers()));
    let limit = |rates: &RateLimiter| match address {
        Some(address) => {
            rates.take(&address.to_string(), Instant::now()).map_err(ApiError::too_many_requests)
        }
        None => Ok(()),
    };
    limit(&app.address_rates)?;
    let mut caller = match identify(app, peer, &request) {
        Ok(caller) => caller,
        Err(error) => {
            // Whoever tries tokens out is answered ever more slowly; one with a right token is not.
            limit(&app.wrong_tokens)?;
            return Err(error);
        }
    };
    if caller.role < guard.needs {
        return Err(ApiError::forbidden(format!("this needs a token with the role {}", guard.needs.name())));
    }
    if !caller.may_use(request.uri().path()) {
        return Err(ApiError::forbidden("this token is for other routes"));
    }
    app.rates.take(&caller.name, Instant::now()).map_err(ApiError::too_many_requests)?;
    caller.address = address;
    caller.request = request.extensions().get::<RequestId>().map(|id| id.0.clone());
    let caller = Arc::new(caller);
    request.extensions_mut().insert(Arc::clone(&caller));
    let mut response = next.run(request).await;
    // The layer that writes the log runs outside of this one and needs the caller.
    response.extensions_mut().insert(caller);
    Ok(response)
}

fn identify(app: &App, peer: Option<PeerAddress>, request: &Request) -> ApiResult<Caller> {
    let headers = request.headers();
    let is_proxy = peer.is_some_and(|peer| app.config.trusted_proxies.trusts(peer.0));
    if is_proxy && let Some(caller) = app.config.people.caller(headers) {
        // A browser sends what the proxy knows a person by with requests of strangers' pages, too.
        return if is_foreign(request) { Err(foreign_site()) } else { caller };
    }
    match app.tokens.admission() {
        Admission::Tokens => {}
        // A proxy that says who somebody is lets nobody in of whom it says nothing.
        Admission::Local if app.config.people.user.is_some() => return Err(ApiError::unauthorized()),
        // A page of a stranger can reach a loopback address too, if the stranger's host name resolves to it.
        // Its requests carry that name, so only our own names are let in.
        Admission::Local if app.config.listen.ip().is_loopback() => {
            // Whoever comes through a proxy is not on this machine, whatever the proxy calls it.
            if is_local_name(headers) && !FORWARDED.iter().any(|name| headers.contains_key(name)) {
                return if is_foreign(request) { Err(foreign_site()) } else { Ok(Caller::local()) };
            }
            let message =
                "without tokens the service only answers as localhost or 127.0.0.1, and not through a proxy";
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

/// Whether a browser sends this for the page of another site, and more than to read.
fn is_foreign(request: &Request) -> bool {
    let site = request.headers().get(FETCH_SITE).map(HeaderValue::as_bytes);
    !request.method().is_safe() && matches!(site, Some(b"cross-site" | b"same-site"))
}

fn foreign_site() -> ApiError {
    let message = "the page of another site sent this; without a token only our own may change anything";
    ApiError::new(StatusCode::FORBIDDEN, "foreign-site", message)
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

/// Gives a handler the caller that [`admit`] found.
pub struct Authenticated(pub Arc<Caller>);

impl<S: Sync> FromRequestParts<S> for Authenticated {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        parts.extensions.get::<Arc<Caller>>().cloned().map(Authenticated).ok_or_else(ApiError::internal)
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
