//! The host and the path of a document's address.

use lookalike_core::hash;

/// Names of hosts are no longer than this, so anything longer is none.
const LONGEST_HOST: usize = 255;

/// Where a document comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// In lower case, with its port unless that is the usual one.
    pub host: String,
    /// A hash of the path and the query, which is all that follows the host but the fragment.
    pub path: u64,
}

impl Address {
    /// Of a web address; `None` for any other text.
    pub fn parse(text: &str) -> Option<Address> {
        let (scheme, rest) = text.trim().split_once("://")?;
        let usual_port = match scheme {
            _ if scheme.eq_ignore_ascii_case("http") => 80,
            _ if scheme.eq_ignore_ascii_case("https") => 443,
            _ if scheme.eq_ignore_ascii_case("ftp") => 21,
            _ => return None,
        };
        let (authority, rest) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
        let place = authority.rsplit('@').next()?;
        // The colons of a numeric address are within brackets.
        let after_brackets = place.rfind(']').map_or(0, |end| end + 1);
        let (name, port) = match place[after_brackets..].find(':') {
            Some(colon) => (&place[..after_brackets + colon], &place[after_brackets + colon + 1..]),
            None => (place, ""),
        };
        let is_bad = |c: char| c.is_whitespace() || c.is_control();
        if name.is_empty() || name.len() > LONGEST_HOST || name.contains(is_bad) {
            return None;
        }
        let mut host = name.to_lowercase();
        if !port.is_empty() {
            let port: u16 = port.parse().ok()?;
            if port != usual_port {
                host.push_str(&format!(":{port}"));
            }
        }
        let path = rest.split('#').next().unwrap_or_default();
        // `http://a`, `http://a/` and `http://a/#top` are the same page.
        let (first, path) = path.strip_prefix('/').map_or((path, ""), |path| ("", path));
        let path = hash::combine(hash::bytes(first.as_bytes()), hash::bytes(path.as_bytes()));
        Some(Address { host, path })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(text: &str) -> Option<String> {
        Address::parse(text).map(|address| address.host)
    }

    #[test]
    fn a_host_is_the_same_however_it_is_written() {
        for same in [
            "http://Example.ORG/a",
            "https://example.org",
            "HTTP://example.org:80/a/b",
            "https://example.org:443?x",
            "http://user:secret@example.org:/#top",
            "  http://example.org/ ",
        ] {
            assert_eq!(host(same).as_deref(), Some("example.org"), "{same}");
        }
        for (text, other) in [
            ("http://www.example.org/", "www.example.org"),
            ("http://example.org:8080/", "example.org:8080"),
            ("https://example.org:80/", "example.org:80"),
            ("http://[2001:DB8::1]:80/", "[2001:db8::1]"),
            ("http://[::1]:81", "[::1]:81"),
        ] {
            assert_eq!(host(text).as_deref(), Some(other));
        }
    }

    #[test]
    fn what_is_no_web_address_has_no_host() {
        let long = format!("http://{}/", "a".repeat(LONGEST_HOST + 1));
        for text in
            ["", "example.org/a", "mailto:a@b", "file:///a", "http://", "http:///a", "http://a b/", &long]
        {
            assert_eq!(host(text), None, "{text}");
        }
        for text in
            ["http://a:b/", "http://a:99999/", "http://a:-1/", "http://]:x", "http://@", "http://ä:8ä"]
        {
            assert_eq!(host(text), None, "{text}");
        }
    }

    #[test]
    fn a_path_goes_up_to_the_fragment() {
        let path = |text: &str| Address::parse(text).unwrap().path;
        assert_eq!(path("http://a/x/y?z=1#top"), path("https://b:81/x/y?z=1"));
        assert_eq!(path("http://a"), path("http://a/#top"));
        let paths =
            ["http://a/", "http://a/x", "http://a/X", "http://a/x/", "http://a/x?y", "http://a?x"].map(path);
        for (place, one) in paths.iter().enumerate() {
            assert!(!paths[..place].contains(one), "{place}");
        }
    }
}
