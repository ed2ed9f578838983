//! Paths as text and back, for the ids of documents that are files.

use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// A path as text: bytes that are no UTF-8 appear as `\xNN`, and so does a backslash if it could be mistaken
/// for the beginning of such a byte. [`path_of`] reverses it.
pub fn name_of(path: &Path) -> String {
    let mut name = String::new();
    for chunk in path.as_os_str().as_bytes().utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some(at) = rest.find('\\') {
            name.push_str(&rest[..at]);
            name.push_str(if spelled_byte(&rest[at..]).is_some() { "\\x5c" } else { "\\" });
            rest = &rest[at + 1..];
        }
        name.push_str(rest);
        chunk.invalid().iter().for_each(|byte| name += &format!("\\x{byte:02x}"));
    }
    name
}

/// The path that [`name_of`] spelled.
pub fn path_of(name: &str) -> PathBuf {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        match spelled_byte(&rest[at..]) {
            Some(byte) => {
                bytes.push(byte);
                rest = &rest[at + 4..];
            }
            None => {
                bytes.push(b'\\');
                rest = &rest[at + 1..];
            }
        }
    }
    bytes.extend_from_slice(rest.as_bytes());
    PathBuf::from(std::ffi::OsString::from_vec(bytes))
}

/// The byte that `\xNN` at the beginning of a text stands for.
fn spelled_byte(text: &str) -> Option<u8> {
    let digits = text.strip_prefix("\\x")?.get(..2)?;
    let is_spelled = digits.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
    u8::from_str_radix(digits, 16).ok().filter(|_| is_spelled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_names_stay_apart() {
        use std::ffi::OsStr;
        let name = |bytes: &[u8]| name_of(Path::new(OsStr::from_bytes(bytes)));
        assert_eq!(name(b"a\xff.txt"), "a\\xff.txt");
        assert_ne!(name(b"a\xfe.txt"), name(b"a\xff.txt"));
        for bytes in [
            &b"a\xff.txt"[..],
            b"a\\xff.txt",
            b"a\\\xff\\x5c\\",
            b"\\x",
            b"\\xFF",
            b"\xe2\x82.x\\x0",
            "tür\\xäö".as_bytes(),
        ] {
            let path = Path::new(OsStr::from_bytes(bytes));
            assert_eq!(path_of(&name_of(path)), path, "{}", name_of(path));
        }
        assert_ne!(name(b"a\xff.txt"), name(b"a\\xff.txt"));
    }
}
