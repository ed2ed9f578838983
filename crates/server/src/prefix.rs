//! The path below which a proxy serves everything (setting `prefix`).
//!
//! A proxy could take it off, but nginx then decodes the rest, and the id of a document may be an address: `a%2Fb` would arrive
//! as two parts of the path. So proxies may pass on what they got, and it is taken off here, before anything else sees it.

use axum::http::Uri;
use axum::http::uri::PathAndQuery;

/// Names that paths of our own begin with.
const OURS: [&str; 5] = ["api", "assets", "healthz", "readyz", "metrics"];

/// A prefix as it is set, without the slash at its end; empty for none.
pub fn parse(text: &str) -> Option<String> {
    let prefix = text.strip_suffix('/').unwrap_or(text);
    if prefix.is_empty() {
        return Some(String::new());
    }
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'~');
    let mut names = prefix.strip_prefix('/')?.split('/');
    let is_name = |name: &str| !matches!(name, "" | "." | "..") && name.bytes().all(plain);
    let is_usable = names.clone().all(is_name) && !names.next().is_some_and(|first| OURS.contains(&first));
    is_usable.then(|| prefix.to_owned())
}

/// The address without the prefix. One that does not have it stays as it is: monitoring on the same machine asks directly.
pub fn take_off(prefix: &str, uri: &mut Uri) {
    if prefix.is_empty() {
        return;
    }
    let whole = uri.path_and_query().map_or("", PathAndQuery::as_str);
    let Some(rest) = whole.strip_prefix(prefix).filter(|rest| rest.starts_with('/')) else { return };
    let Ok(rest) = PathAndQuery::try_from(rest) else { return };
    let mut parts = std::mem::take(uri).into_parts();
    parts.path_and_query = Some(rest);
    if let Ok(changed) = Uri::from_parts(parts) {
        *uri = changed;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_prefix_is_taken_off_and_nothing_is_decoded() {
        for (given, expected) in [
            ("/look/", "/"),
            ("/look/api/documents/a%2Fb%2f?labels=%22", "/api/documents/a%2Fb%2f?labels=%22"),
            ("/look/look/x", "/look/x"),
            ("/look//x", "//x"),
            ("http://host/look/x", "http://host/x"),
            ("/look", "/look"),
            ("/look?x", "/look?x"),
            ("/looks/x", "/looks/x"),
            ("/x/look/", "/x/look/"),
            ("/%6cook/x", "/%6cook/x"),
            ("/api/me", "/api/me"),
            ("*", "*"),
        ] {
            let mut uri: Uri = given.parse().unwrap();
            take_off("/look", &mut uri);
            assert_eq!(uri.to_string(), expected, "{given}");
        }
        let mut uri: Uri = "/look/x".parse().unwrap();
        take_off("", &mut uri);
        assert_eq!(uri, "/look/x");
    }

    #[test]
    fn a_prefix_is_names_that_are_not_ours() {
        assert_eq!(parse("/look/alike/").as_deref(), Some("/look/alike"));
        assert_eq!(parse("/a-1_.~").as_deref(), Some("/a-1_.~"));
        assert_eq!((parse("").as_deref(), parse("/").as_deref()), (Some(""), Some("")));
        for wrong in [
            "look", "//", "/a//b", "/a/../b", "/.", "/a b", "/ä", "/a%20", "/{id}", "/api", "/api/x",
            "/metrics",
        ] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
