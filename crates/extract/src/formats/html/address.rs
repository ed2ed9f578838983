//! Addresses in a page, resolved relative to the page.

use super::archive;
use super::attribute::{Attributes, decoded};

/// Longer addresses carry data and lead nowhere.
const LONGEST: usize = 2048;

#[derive(Default)]
pub struct Addresses {
    /// The address of the page, if it names one: relative addresses are resolved with it.
    base: Option<String>,
}

impl Addresses {
    /// `base` is used only if it is absolute.
    pub fn new(base: Option<&str>) -> Self {
        let base = base.map(|base| archive::original(base.trim()));
        let base = base.filter(|base| is_web(base)).map(without_fragment);
        Addresses { base: base.map(str::to_owned) }
    }

    /// The target of the link that a tag begins, if it is a page or a person.
    pub fn link(&self, tag: &str) -> Option<String> {
        self.target(Attributes::value(tag, "href")?.as_ref())
    }

    pub fn image(&self, source: &str) -> Option<String> {
        self.target(&decoded(source))
    }

    pub fn target(&self, address: &str) -> Option<String> {
        let address = archive::original(without_fragment(address.trim()));
        if address.is_empty() || address.len() > LONGEST || address.contains(char::is_control) {
            return None;
        }
        if let Some((scheme, _)) = address.split_once(':')
            && is_scheme(scheme)
        {
            let known = ["http", "https", "mailto"].iter().any(|known| scheme.eq_ignore_ascii_case(known));
            return known.then(|| address.to_owned());
        }
        Some(match &self.base {
            Some(base) => join(base, address),
            None => address.to_owned(),
        })
    }
}

fn is_web(address: &str) -> bool {
    let scheme = address.split_once("://").map_or("", |(scheme, _)| scheme);
    scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
}

fn is_scheme(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic())
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
}

fn without_fragment(address: &str) -> &str {
    address.split_once('#').map_or(address, |(before, _)| before)
}

/// A relative address completed from that of the page it stands in.
fn join(base: &str, relative: &str) -> String {
    let Some((scheme, rest)) = base.split_once("://") else { return relative.to_owned() };
    if relative.starts_with("//") {
        return format!("{scheme}:{relative}");
    }
    let rest = rest.split_once('?').map_or(rest, |(path, _)| path);
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    if relative.starts_with('?') {
        return format!("{scheme}://{host}/{path}{relative}");
    }
    let (relative_path, query) = match relative.split_once('?') {
        Some((path, query)) => (path, Some(query)),
        None => (relative, None),
    };
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut steps: Vec<&str> = Vec::new();
    let from_root = relative_path.starts_with('/');
    let inherited = if from_root { "" } else { folder };
    for step in inherited
        .split('/')
        .filter(|step| !step.is_empty())
        .chain(relative_path.trim_start_matches('/').split('/'))
    {
        match step {
            "." => {}
            ".." => {
                steps.pop();
            }
            step => steps.push(step),
        }
    }
    // A path that ends in dots names a folder.
    let dots = relative_path.ends_with("/.") || relative_path.ends_with("..") || relative_path == ".";
    let slash = if dots && !steps.is_empty() { "/" } else { "" };
    let query = query.map_or(String::new(), |query| format!("?{query}"));
    format!("{scheme}://{host}/{}{slash}{query}", steps.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_addresses_are_completed() {
        let addresses = Addresses::new(Some("https://example.org/a/b/c.html?x=1#top"));
        for (written, expected) in [
            ("d.html#part", "https://example.org/a/b/d.html"),
            ("../d/?q=../1", "https://example.org/a/d/?q=../1"),
            ("/d", "https://example.org/d"),
            ("//other.org/d", "https://other.org/d"),
            ("?y=2", "https://example.org/a/b/c.html?y=2"),
            ("../../../..", "https://example.org/"),
            ("http://x.y/z", "http://x.y/z"),
            ("mailto:a@b.c", "mailto:a@b.c"),
            ("/web/20160102030405/http://x.y/z", "http://x.y/z"),
        ] {
            assert_eq!(addresses.target(written).as_deref(), Some(expected), "{written}");
        }
        for nowhere in ["#top", "javascript:void(0)", "tel:123", "", "  "] {
            assert_eq!(addresses.target(nowhere), None, "{nowhere}");
        }
        assert_eq!(Addresses::new(Some("../x")).target("a/b").as_deref(), Some("a/b"));
    }
}
