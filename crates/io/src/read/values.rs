//! Objects of a JSON array, or objects over several lines, one at a time and each as one line.

use std::ops::Range;

use super::window::{Scan, Scanned};

/// Finds the values. Missing commas between them are tolerated, so that no value is lost.
#[derive(Default)]
pub struct Values {
    at: usize,
    /// Whether a value has begun; the remaining bytes then begin with it.
    begun: bool,
    /// Whether some of it was scanned.
    seen: bool,
    /// How many brackets of the value are open.
    depth: usize,
    within_text: bool,
    escaped: bool,
    within_array: bool,
    opened: bool,
}

impl Values {
    fn end(&mut self, record: Range<usize>) -> Scanned {
        let next = record.end;
        (self.begun, self.seen) = (false, false);
        self.at = next;
        Scanned::Record { record, next }
    }

    /// Skips what is between values.
    fn find_value(&mut self, bytes: &[u8]) -> bool {
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b' ' | b'\n' | b'\r' | b'\t' | b',' => {}
                b'[' if !self.within_array => self.within_array = true,
                b']' => self.within_array = false,
                _ => return true,
            }
            self.at += 1;
        }
        false
    }

    /// Scans to the end of a string, or as far as there are bytes.
    fn pass_text(&mut self, bytes: &[u8]) {
        if self.escaped && self.at < bytes.len() {
            self.escaped = false;
            self.at += 1;
        }
        while let Some(stop) = memchr::memchr2(b'"', b'\\', &bytes[self.at.min(bytes.len())..]) {
            self.at += stop + 1;
            if bytes[self.at - 1] == b'"' {
                self.within_text = false;
                return;
            }
            if self.at == bytes.len() {
                self.escaped = true;
                return;
            }
            self.at += 1;
        }
        self.at = bytes.len();
    }
}

impl Scan for Values {
    fn scan(&mut self, bytes: &[u8], ended: bool) -> Scanned {
        if !self.opened {
            if bytes.len() < 3 && !ended {
                return Scanned::More { from: 0 };
            }
            self.opened = true;
            self.at = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        }
        if !self.begun {
            let found = self.find_value(bytes);
            if !found && ended {
                return if self.within_array { Scanned::Cut("the array is cut here") } else { Scanned::End };
            }
            self.begun = found;
            if self.at > 0 {
                return Scanned::More { from: self.at };
            }
        }
        while self.at < bytes.len() {
            if self.within_text {
                self.pass_text(bytes);
                continue;
            }
            let (place, byte) = (self.at, bytes[self.at]);
            self.at += 1;
            match byte {
                b'"' => self.within_text = true,
                b'{' | b'[' => self.depth += 1,
                b'}' | b']' if self.depth > 1 => self.depth -= 1,
                b'}' | b']' if self.depth == 1 => {
                    self.depth = 0;
                    return self.end(0..place + 1);
                }
                // A value without brackets ends where the next may begin.
                b' ' | b'\n' | b'\r' | b'\t' | b',' | b']' | b'}' if self.depth == 0 && self.seen => {
                    return self.end(0..place);
                }
                _ => {}
            }
            self.seen = true;
        }
        match ended {
            false => Scanned::More { from: 0 },
            true if self.depth == 0 && !self.within_text && !self.within_array => self.end(0..bytes.len()),
            true => Scanned::Cut(
                "the file ends within an object: it is cut, or a bracket or quote is missing; what follows is lost",
            ),
        }
    }

    fn forget(&mut self, bytes: usize) {
        self.at -= bytes;
    }
}

/// Appends a value as one line.
pub fn put_line(value: &[u8], out: &mut Vec<u8>) -> Result<(), String> {
    let start = out.len();
    out.extend_from_slice(value);
    if memchr::memchr2(b'\n', b'\r', value).is_none() {
        return Ok(());
    }
    let (mut within_text, mut escaped) = (false, false);
    for byte in &mut out[start..] {
        match *byte {
            _ if std::mem::take(&mut escaped) => {}
            b'\\' => escaped = within_text,
            b'"' => within_text = !within_text,
            b'\n' | b'\r' if !within_text => *byte = b' ',
            _ => {}
        }
    }
    if memchr::memchr(b'\n', &out[start..]).is_some() {
        out.truncate(start);
        return Err("not valid JSON: a line end within a text".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::window::Window;
    use super::*;

    fn values(text: &[u8], max_line: u64) -> Vec<Result<String, String>> {
        let reader = Box::new(std::io::Cursor::new(text.to_vec()));
        let mut window = Window::new(reader, "a.json", false, max_line, Values::default());
        let mut all = Vec::new();
        while let Some(found) = window.next().unwrap() {
            all.push(found.and_then(|value| {
                let mut line = Vec::new();
                put_line(value, &mut line).map(|()| String::from_utf8(line).unwrap())
            }));
        }
        all
    }

    #[test]
    fn values_are_parted_whatever_stands_in_them() {
        let text = "\u{feff}[ {\"a\":\"]}\\\"\\\\\"},\n{\n\"b\": [1,\n{}]}\n, 5 ,\"x\",[1],null]\n";
        let expected = ["{\"a\":\"]}\\\"\\\\\"}", "{ \"b\": [1, {}]}", "5", "\"x\"", "[1]", "null"];
        assert_eq!(values(text.as_bytes(), 1000), expected.map(|value| Ok(value.to_owned())));
        assert_eq!(values(b"[]", 9), []);
        assert_eq!(values(b"{\n \"a\":1\n}\n{\n}", 99).len(), 2);
        assert_eq!(values(b"[{}][{}]", 99).len(), 2);
    }

    #[test]
    fn cut_long_and_deep_arrays() {
        for cut in [&b"[{\"a\":1}"[..], b"[{\"a\":1},", b"[{\"a\":1},{\"b\"", b"[{\"a\":1},{\"b\":\"\\"] {
            let found = values(cut, 1000);
            assert_eq!(found[0], Ok("{\"a\":1}".to_owned()));
            assert!(found[1].as_ref().unwrap_err().contains("cut"), "{found:?}");
        }
        let long = format!("[{{\"a\":\"{}\"}},{{\"b\":1}}]", "x".repeat(2_000_000));
        let found = values(long.as_bytes(), 1000);
        assert!(found[0].as_ref().unwrap_err().contains("2000008 bytes"), "{:?}", found[0]);
        assert_eq!(found[1], Ok("{\"b\":1}".to_owned()));
        let deep = format!("[{}{}]", "[".repeat(1_000_000), "]".repeat(1_000_000));
        assert_eq!(values(deep.as_bytes(), 1 << 30).len(), 1);
    }

    proptest::proptest! {
        /// However the bytes arrive, and whatever they are, nothing is returned twice and nothing
        /// panics.
        #[test]
        fn anything_is_parted(bytes in "[\\[\\]{}\",\\\\ \n1a]{0,60}") {
            values(bytes.as_bytes(), 20);
        }
    }
}
