//! Addresses of pages that a web archive saved: what matters is the address that was saved.
//!
//! Archives that replay pages as they were (Wayback and its many relatives) write the time of the
//! save and then the whole original address into their own: `…/web/20160102030405if_/http://a.org/b`.
//! They rewrite every link and the page's canonical address like this, so two saves of one page name
//! two addresses, and pages of all sites seem to belong to one.

/// The address that was saved, if this is an address of an archive; otherwise the address itself.
pub fn original(address: &str) -> &str {
    let mut rest = address;
    // An archive may have saved a page of another one.
    while let Some(saved) = saved_address(rest) {
        rest = saved;
    }
    rest
}

/// The rest of the path after its first step that is a time, if that rest is an address.
fn saved_address(address: &str) -> Option<&str> {
    let bytes = address.as_bytes();
    // The address itself may begin with a scheme; the saved one follows a slash.
    memchr::memmem::find_iter(bytes, b"/http").find_map(|at| {
        let saved = address.get(at + 1..)?;
        let scheme = saved.strip_prefix("https:/").or_else(|| saved.strip_prefix("http:/"))?;
        // Some servers merge two slashes into one.
        let host = scheme.strip_prefix('/').unwrap_or(scheme);
        let step = address.get(..at)?.rsplit('/').next()?;
        (is_time(step) && host.starts_with(|first: char| first.is_alphanumeric())).then_some(saved)
    })
}

/// `20160102030405` or the beginning of it, possibly with a mark that says how the page is
/// replayed.
fn is_time(step: &str) -> bool {
    let digits = step.bytes().take_while(u8::is_ascii_digit).count();
    let mark = step.get(digits..).unwrap_or_default();
    let is_mark = mark.is_empty()
        || mark
            .strip_suffix('_')
            .is_some_and(|mark| mark.len() == 2 && mark.bytes().all(|byte| byte.is_ascii_lowercase()));
    let year = step.get(..4).and_then(|year| year.parse::<u32>().ok());
    (4..=14).contains(&digits) && is_mark && year.is_some_and(|year| (1990..2200).contains(&year))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_saved_counts() {
        for (written, expected) in [
            ("http://web.archive.org/web/20170123010811/http://a.org/b?c=1", "http://a.org/b?c=1"),
            ("/web/20170123004459if_/https://a.org/", "https://a.org/"),
            ("//web.archive.org/web/2017im_/http://a.org/x.jpg", "http://a.org/x.jpg"),
            ("https://archive.example/all/20100102/http:/a.org/b", "http:/a.org/b"),
            ("https://x.org/web/2016/http://y.org/2017/http://z.org/", "http://z.org/"),
            // These are not saved pages.
            ("https://a.org/2016/05/http-explained", "https://a.org/2016/05/http-explained"),
            ("https://a.org/2016/https://", "https://a.org/2016/https://"),
            ("https://a.org/share/http://b.org/", "https://a.org/share/http://b.org/"),
            ("https://a.org/12345/http://b.org/", "https://a.org/12345/http://b.org/"),
            ("/http://b.org/", "/http://b.org/"),
            ("", ""),
        ] {
            assert_eq!(original(written), expected, "{written}");
        }
    }
}
