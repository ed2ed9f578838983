//! Rows of a text table (CSV, TSV): where they end, their fields, and each as a line of JSON.
//!
//! The rules are those of RFC 4180, applied leniently: a field may be quoted, `""` in it is a quote, and it
//! may hold delimiters and line ends. We split rows ourselves because the kept rows are copied byte for byte,
//! and because a file that ends within quotes must not be taken for a complete one.

use super::window::{Scan, Scanned};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// At the beginning of a field.
    Field,
    Unquoted,
    Quoted,
    /// After a quote within quotes: the end, or the first of two.
    Quote,
}

/// Finds the rows.
pub struct Rows {
    delimiter: u8,
    state: State,
    at: usize,
    /// Whether the row has begun; line ends before it are blank lines.
    begun: bool,
    /// Whether the file's first bytes were checked for a byte order mark.
    opened: bool,
}

impl Rows {
    pub fn new(delimiter: u8) -> Self {
        Rows { delimiter, state: State::Field, at: 0, begun: false, opened: false }
    }

    fn end(&mut self, record: std::ops::Range<usize>, next: usize) -> Scanned {
        (self.state, self.begun) = (State::Field, false);
        self.at = next;
        Scanned::Record { record, next }
    }
}

impl Scan for Rows {
    fn scan(&mut self, bytes: &[u8], ended: bool) -> Scanned {
        if !self.opened {
            if bytes.len() < 3 && !ended {
                return Scanned::More { from: 0 };
            }
            self.opened = true;
            self.at = if bytes.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        }
        if !self.begun {
            let blank = bytes[self.at..].iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
            let from = self.at + blank;
            if from == bytes.len() {
                self.at = from;
                return if ended { Scanned::End } else { Scanned::More { from } };
            }
            self.begun = true;
            self.at = from;
            if from > 0 {
                // The row begins with the remaining bytes.
                return Scanned::More { from };
            }
        }
        while self.at < bytes.len() {
            let rest = &bytes[self.at..];
            let stop = match self.state {
                State::Quoted => memchr::memchr(b'"', rest),
                State::Unquoted => memchr::memchr3(self.delimiter, b'\n', b'\r', rest),
                State::Field | State::Quote => Some(0),
            };
            let Some(stop) = stop else {
                self.at = bytes.len();
                break;
            };
            let (place, byte) = (self.at + stop, rest[stop]);
            self.at = place + 1;
            self.state = match (self.state, byte) {
                (State::Quoted, _) => State::Quote,
                (State::Field, b'"') | (State::Quote, b'"') => State::Quoted,
                (_, byte) if byte == self.delimiter => State::Field,
                (_, b'\n' | b'\r') => return self.end(0..place, place + 1),
                _ => State::Unquoted,
            };
        }
        match (ended, self.state) {
            (false, _) => Scanned::More { from: 0 },
            (true, State::Quoted) => Scanned::Cut(
                "the file ends within quotes: it is cut, or a quote before is not closed; what follows that quote is lost",
            ),
            (true, _) => self.end(0..bytes.len(), bytes.len()),
        }
    }

    fn forget(&mut self, bytes: usize) {
        self.at -= bytes;
    }
}

/// The fields of a row, one after the other, without their quotes.
#[derive(Default)]
pub struct Fields {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Fields {
    pub fn part(&mut self, row: &[u8], delimiter: u8) {
        self.bytes.clear();
        self.ends.clear();
        let mut at = 0;
        loop {
            if row.get(at) == Some(&b'"') {
                at += 1;
                // Up to the closing quote; two are one.
                while let Some(quote) = memchr::memchr(b'"', &row[at..]) {
                    self.bytes.extend_from_slice(&row[at..at + quote]);
                    at += quote + 1;
                    if row.get(at) != Some(&b'"') {
                        break;
                    }
                    self.bytes.push(b'"');
                    at += 1;
                }
            }
            let end = memchr::memchr(delimiter, &row[at..]).map_or(row.len(), |end| at + end);
            self.bytes.extend_from_slice(&row[at..end]);
            self.ends.push(self.bytes.len());
            if end == row.len() {
                return;
            }
            at = end + 1;
        }
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn get(&self, index: usize) -> &[u8] {
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        &self.bytes[start..self.ends[index]]
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u8]> {
        (0..self.len()).map(|index| self.get(index))
    }
}

/// Which columns become part of a line, and in which form.
pub struct Header {
    pub names: Vec<String>,
    /// Index in the row, the name as JSON, whether it is always text.
    chosen: Vec<(usize, String, bool)>,
}

impl Header {
    /// `columns` are those that matter; none means all. It is an error if one of them occurs twice.
    pub fn new(row: &[u8], delimiter: u8, columns: &[String], text: &str) -> Result<Header, String> {
        let mut fields = Fields::default();
        fields.part(row, delimiter);
        let names: Vec<String> =
            fields.iter().map(|name| String::from_utf8_lossy(name.trim_ascii()).into_owned()).collect();
        let mut chosen: Vec<(usize, String, bool)> = Vec::new();
        for (place, name) in names.iter().enumerate() {
            if !columns.is_empty() && !columns.contains(name) {
                continue;
            }
            if names[..place].contains(name) {
                return Err(format!("the header has the column `{name}` twice; rename one of them"));
            }
            chosen.push((place, serde_json::Value::from(name.as_str()).to_string(), name == text));
        }
        Ok(Header { names, chosen })
    }

    /// Writes a row as a JSON object, or says why it cannot be one.
    pub fn write_line(&self, fields: &Fields, out: &mut Vec<u8>) -> Result<(), String> {
        if fields.len() != self.names.len() {
            return Err(format!(
                "the row has {} fields, the header {} (a quote or a delimiter that is not escaped?)",
                fields.len(),
                self.names.len()
            ));
        }
        let start = out.len();
        for (place, name, is_text) in &self.chosen {
            out.push(if out.len() == start { b'{' } else { b',' });
            out.extend_from_slice(name.as_bytes());
            out.push(b':');
            if let Err(reason) = put(fields.get(*place), *is_text, out) {
                out.truncate(start);
                return Err(format!("column `{}` is {reason}", self.names[*place]));
            }
        }
        if out.len() == start {
            out.push(b'{');
        }
        out.push(b'}');
        Ok(())
    }
}

/// Writes a text as it is; in other columns a valid JSON number becomes one, and an empty field
/// becomes null.
fn put(field: &[u8], is_text: bool, out: &mut Vec<u8>) -> Result<(), String> {
    let text = simdutf8::compat::from_utf8(field).map_err(|error| {
        format!("not valid UTF-8 at byte {}; convert the file, such as with iconv", error.valid_up_to() + 1)
    })?;
    let is_number = || {
        let ends_as_one =
            matches!(field, [b'-' | b'0'..=b'9', ..]) && field.last().is_some_and(u8::is_ascii_digit);
        ends_as_one && serde_json::from_str::<serde_json::Number>(text).is_ok()
    };
    if !is_text && field.is_empty() {
        out.extend_from_slice(b"null");
    } else if !is_text && is_number() {
        out.extend_from_slice(field);
    } else {
        // Writing into a Vec cannot fail.
        drop(serde_json::to_writer(&mut *out, text));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::window::Window;
    use super::*;

    fn rows(text: &[u8], max_line: u64) -> Vec<Result<Vec<Vec<u8>>, String>> {
        let reader = Box::new(std::io::Cursor::new(text.to_vec()));
        let mut window = Window::new(reader, "a.csv", false, max_line, Rows::new(b','));
        let (mut all, mut fields) = (Vec::new(), Fields::default());
        while let Some(found) = window.next().unwrap() {
            all.push(found.map(|row| {
                fields.part(row, b',');
                fields.iter().map(<[u8]>::to_vec).collect()
            }));
        }
        all
    }

    #[test]
    fn quotes_delimiters_and_line_ends_within_fields() {
        let found = rows(
            b"\xef\xbb\xbfid,text\r\n\r\n1,\"a, \"\"b\"\"\r\nc\"\n2,plain \"x\"\r3,\"\"\n4,\"a\"b,",
            1000,
        );
        let expected: [&[&str]; 5] =
            [&["id", "text"], &["1", "a, \"b\"\r\nc"], &["2", "plain \"x\""], &["3", ""], &["4", "ab", ""]];
        let expected: Vec<_> = expected
            .iter()
            .map(|row| Ok(row.iter().map(|field| field.as_bytes().to_vec()).collect()))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn open_quotes_and_long_rows_are_told() {
        let found = rows(b"a,b\n1,\"never closed\n2,x\n", 1000);
        assert!(found[1].as_ref().unwrap_err().contains("within quotes"));
        let long = [b"a,b\n1,\"".to_vec(), vec![b'x'; 2_000_000], b"\"\n2,y\n".to_vec()].concat();
        let found = rows(&long, 1000);
        assert!(found[1].as_ref().unwrap_err().contains("2000004 bytes"), "{:?}", found[1]);
        assert_eq!(found[2], Ok(vec![b"2".to_vec(), b"y".to_vec()]));
    }

    #[test]
    fn rows_become_lines() {
        let line = |row: &[u8], columns: &[&str]| {
            let columns: Vec<String> = columns.iter().map(|&name| name.to_owned()).collect();
            let header = Header::new(b"id,text,n,text2", b',', &columns, "text").unwrap();
            let (mut fields, mut out) = (Fields::default(), Vec::new());
            fields.part(row, b',');
            header.write_line(&fields, &mut out).map(|()| String::from_utf8(out).unwrap())
        };
        assert_eq!(
            line(b"007,12,1.50,", &["id", "text", "n"]).unwrap(),
            "{\"id\":\"007\",\"text\":\"12\",\"n\":1.50}"
        );
        assert_eq!(line(b"7,,,x", &[]).unwrap(), "{\"id\":7,\"text\":\"\",\"n\":null,\"text2\":\"x\"}");
        assert_eq!(line(b"7,,,x", &["other"]).unwrap(), "{}");
        assert!(line(b"7,x", &[]).unwrap_err().contains("2 fields, the header 4"));
        assert!(
            line(b"7,caf\xe9,,", &[]).unwrap_err().contains("column `text` is not valid UTF-8 at byte 4")
        );
        assert!(Header::new(b"id,text,text", b',', &["text".to_owned()], "text").is_err());
        assert!(Header::new(b"id,text,x,x", b',', &["text".to_owned()], "text").is_ok());
    }
}
