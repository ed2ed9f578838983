//! Addresses of objects: `s3://bucket/key` and the like.

use std::path::Path;

use lookalike_core::{Error, Result};

/// What kind of store an address is of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// S3 and what speaks its language.
    S3,
    /// Google Cloud Storage.
    Google,
    /// Azure Blob Storage and Data Lake.
    Azure,
    /// A file that a web server has. Such a server lists nothing and takes nothing.
    Http,
}

/// The schemes of the stores that list their objects.
const LISTING: [(&str, Kind); 7] = [
    ("s3", Kind::S3),
    ("s3a", Kind::S3),
    ("gs", Kind::Google),
    ("az", Kind::Azure),
    ("azure", Kind::Azure),
    ("abfs", Kind::Azure),
    ("abfss", Kind::Azure),
];

/// Where an object, or a folder of objects, is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Address {
    /// The kind of the store.
    pub kind: Kind,
    /// The store with its scheme: `s3://bucket`; of a web server the whole address.
    pub store: String,
    /// The key in the store, without a slash before it.
    pub key: String,
}

/// Whether an argument is an address rather than a path: it begins with a scheme, and there is no such file.
pub fn is_address(argument: &str) -> bool {
    scheme_of(argument).is_some() && !Path::new(argument).exists()
}

/// What stands before `://`, if that can be a scheme.
fn scheme_of(argument: &str) -> Option<&str> {
    let (scheme, _) = argument.split_once("://")?;
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    is_scheme.then_some(scheme)
}

impl Address {
    /// Takes an address apart; an error if nobody knows its scheme or it has no bucket.
    pub fn parse(argument: &str) -> Result<Address> {
        let refused = |what: &str| Err(Error::config(format!("{argument}: {what}")));
        let Some(scheme) = scheme_of(argument) else { return refused("no address of an object") };
        let (scheme, rest) = (scheme.to_ascii_lowercase(), &argument[scheme.len() + 3..]);
        if scheme == "file" {
            return refused("a file on this machine is named by its path, without file://");
        }
        if matches!(scheme.as_str(), "http" | "https") {
            if rest.is_empty() || rest.starts_with('/') {
                return refused("the address has no host");
            }
            return Ok(Address { kind: Kind::Http, store: argument.to_owned(), key: String::new() });
        }
        let Some(&(_, kind)) = LISTING.iter().find(|(known, _)| *known == scheme) else {
            return refused(&format!(
                "unknown scheme {scheme}://; known are s3://, gs://, az://, abfs://, https:// and http://"
            ));
        };
        let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() {
            return refused("the address has no bucket");
        }
        Ok(Address { kind, store: format!("{scheme}://{bucket}"), key: key.to_owned() })
    }

    /// Whether the store lists its objects, so that there are folders and patterns.
    pub fn lists(&self) -> bool {
        self.kind != Kind::Http
    }

    /// Whether the key is a pattern. In an address of a web server a question mark begins a query.
    pub fn is_pattern(&self) -> bool {
        self.lists() && self.key.contains(['*', '?', '['])
    }

    /// The folder in which all that a pattern matches must be: its key up to the last slash before a wildcard.
    pub fn folder_of_pattern(&self) -> &str {
        let wildcard = self.key.find(['*', '?', '[']).unwrap_or(self.key.len());
        self.key[..wildcard].rfind('/').map_or("", |slash| &self.key[..slash])
    }

    /// The address of another key in the same store.
    pub fn of(&self, key: &str) -> String {
        if self.lists() { format!("{}/{key}", self.store) } else { self.store.clone() }
    }

    /// The key as that of a folder, without a slash at its end.
    pub fn folder(&self) -> &str {
        self.key.trim_end_matches('/')
    }

    /// What follows a key's last slash; of a web server what stands before the query.
    pub fn file_name(&self) -> &str {
        let whole = if self.lists() { &self.key[..] } else { &self.store[..] };
        let path = if self.lists() { whole } else { whole.split(['?', '#']).next().unwrap_or(whole) };
        path.rsplit('/').next().unwrap_or(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_taken_apart() {
        let parts = |text: &str| {
            let address = Address::parse(text).unwrap();
            (address.kind, address.store, address.key)
        };
        assert_eq!(parts("s3://b/a/c d?.jsonl"), (Kind::S3, "s3://b".into(), "a/c d?.jsonl".into()));
        assert_eq!(parts("S3://b"), (Kind::S3, "s3://b".into(), String::new()));
        assert_eq!(parts("gs://b/"), (Kind::Google, "gs://b".into(), String::new()));
        assert_eq!(parts("az://container/k"), (Kind::Azure, "az://container".into(), "k".into()));
        assert_eq!(
            parts("abfss://f@account.dfs.core.windows.net/a/b"),
            (Kind::Azure, "abfss://f@account.dfs.core.windows.net".into(), "a/b".into())
        );
        let web = "https://host/a.jsonl?signature=x*[";
        assert_eq!(parts(web), (Kind::Http, web.into(), String::new()));
        assert!(!Address::parse(web).unwrap().is_pattern());
        assert_eq!(Address::parse(web).unwrap().file_name(), "a.jsonl");
    }

    #[test]
    fn what_is_no_address_is_told() {
        for (text, told) in [
            ("ftp://host/a", "unknown scheme ftp://"),
            ("hdfs://host/a", "known are s3://"),
            ("file:///a", "named by its path"),
            ("s3:///key", "no bucket"),
            ("https:///a", "no host"),
        ] {
            assert!(is_address(text), "{text}");
            let error = Address::parse(text).unwrap_err().to_string();
            assert!(error.starts_with(text) && error.contains(told), "{error}");
        }
        for path in ["corpus.jsonl", "/a/b", "a:b", "://a", "-", "C:/x", "a/b://c"] {
            assert!(!is_address(path), "{path}");
        }
    }

    #[test]
    fn a_pattern_is_in_a_folder() {
        let folder = |key: &str| {
            let address = Address::parse(&format!("s3://b/{key}")).unwrap();
            address.is_pattern().then(|| address.folder_of_pattern().to_owned())
        };
        assert_eq!(folder("a/b/*.jsonl"), Some("a/b".into()));
        assert_eq!(folder("a/b*/c/*.jsonl"), Some("a".into()));
        assert_eq!(folder("*.jsonl"), Some(String::new()));
        assert_eq!(folder("a/b.jsonl"), None);
    }
}
