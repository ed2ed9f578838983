//! Parses one JSON line into one document.

mod find;
mod flat;
mod items;
mod key;
mod value;

use std::borrow::Cow;

use lookalike_core::document::{Document, Id};

use self::find::FoundFields;
pub use self::find::value_at;
pub use self::value::{value_of, values_at};
use crate::folders::FolderFields;

/// Which fields of a record are read, each by its name or, within objects, by its path: `meta.text`. A
/// field whose name is the whole path takes precedence over one that the path leads to.
#[derive(Clone, Debug)]
pub struct Fields {
    /// The field of the id.
    pub id: String,
    /// The field of the text.
    pub text: String,
    /// Further fields that some stage reads.
    pub wanted: Vec<String>,
}

/// A parsed line. `id` is absent when the record has none.
#[derive(Debug)]
pub struct Record<'a> {
    /// The record's own id.
    pub id: Option<Id>,
    /// Its text and the requested fields.
    pub document: Document<'a>,
}

/// A buffer for the unescaped text, so that documents need no allocation.
#[derive(Default)]
pub struct TextBuffer(String);

impl TextBuffer {
    /// The size of the buffer.
    pub fn bytes(&self) -> usize {
        self.0.capacity()
    }
}

impl Fields {
    /// Parses a line, or says in one sentence why it is rejected. The whole line is checked to be
    /// JSON; of a repeated key the last value counts, as is usual.
    pub fn parse<'a>(&self, line: &'a str, buffer: &'a mut TextBuffer) -> Result<Record<'a>, String> {
        self.parse_in(&FolderFields::default(), line, buffer)
    }

    /// Parses a line of a file whose folders name fields of all its documents; those of the line itself take precedence.
    pub fn parse_in<'a>(
        &self,
        folders: &FolderFields,
        line: &'a str,
        buffer: &'a mut TextBuffer,
    ) -> Result<Record<'a>, String> {
        let found = FoundFields::read(self, line).map_err(|error| describe(&error))?;
        let id = found.id.get().map(parse_id).transpose()?.flatten();
        let text = found.text.get().ok_or_else(|| missing(&self.text))?;
        let Some(inner) = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
            return Err(format!("field `{}` is {}, not text", self.text, kind_of(text)));
        };
        let text = unescape(inner, &mut buffer.0)?;
        let fields = match found.values.is_empty() && folders.is_empty() {
            // Nothing is allocated for what most records lack.
            true => Vec::new(),
            false => {
                let value = |(place, field): (usize, &String)| match found.values.get(place) {
                    Some(value) if !value.is_absent() => value.value(field),
                    _ => folders.get(field).and_then(value_of),
                };
                self.wanted.iter().enumerate().map(value).collect()
            }
        };
        let document = Document { text: Cow::Borrowed(text), fields, position: 0 };
        Ok(Record { id, document })
    }
}

/// Why a record without a text is rejected.
pub fn missing(field: &str) -> String {
    format!("field `{field}` is missing")
}

fn kind_of(json: &str) -> &'static str {
    match json.as_bytes().first() {
        Some(b'n') => "null",
        Some(b't' | b'f') => "true or false",
        Some(b'[') => "an array",
        Some(b'{') => "an object",
        _ => "a number",
    }
}

/// The text of a JSON string that is known to be well formed.
fn unescape<'a>(raw: &'a str, buffer: &'a mut String) -> Result<&'a str, String> {
    let Some(first) = memchr::memchr(b'\\', raw.as_bytes()) else { return Ok(raw) };
    buffer.clear();
    buffer.reserve(raw.len());
    let (mut rest, mut at) = (raw, first);
    loop {
        buffer.push_str(&rest[..at]);
        let escape = rest.as_bytes().get(at + 1).copied().unwrap_or_default();
        let mut used = 2;
        buffer.push(match escape {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'u' => {
                let (character, length) = unicode_escape(&rest[at..])?;
                used = length;
                character
            }
            plain => char::from(plain),
        });
        rest = &rest[at + used..];
        match memchr::memchr(b'\\', rest.as_bytes()) {
            Some(next) => at = next,
            None => break,
        }
    }
    buffer.push_str(rest);
    Ok(buffer)
}

/// The character of `\uXXXX`, or of two of them that are a surrogate pair, and their length.
fn unicode_escape(text: &str) -> Result<(char, usize), String> {
    let unit = |at: usize| text.get(at..at + 4).and_then(|digits| u16::from_str_radix(digits, 16).ok());
    let lone = || "not valid JSON: lone surrogate in a text".to_owned();
    let first = unit(2).ok_or_else(lone)?;
    if let Some(character) = char::from_u32(u32::from(first)) {
        return Ok((character, 6));
    }
    let second = if text.get(6..8) == Some("\\u") { unit(8) } else { None };
    let pair = char::decode_utf16([first, second.ok_or_else(lone)?]).next();
    pair.and_then(|character| character.ok()).map(|character| (character, 12)).ok_or_else(lone)
}

/// serde_json counts lines within the given line, which would only confuse.
fn describe(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or(&message);
    if error.column() > 0 {
        format!("not valid JSON: {message} at column {}", error.column())
    } else {
        format!("not valid JSON: {message}")
    }
}

/// The id in a JSON scalar, in one spelling; `None` for null.
pub fn parse_id(json: &str) -> Result<Option<Id>, String> {
    match json.as_bytes().first() {
        Some(b'n') => Ok(None),
        Some(b'{' | b'[') => Err("the id is an array or an object, not a scalar".to_owned()),
        Some(b'"') if json.contains('\\') => {
            // Escapes are normalised, so that one id has one spelling.
            let text: String = serde_json::from_str(json).map_err(|error| describe(&error))?;
            let plain = serde_json::to_string(&text).map_err(|error| describe(&error))?;
            Ok(Some(Id::from_json(plain)))
        }
        _ => Ok(Some(Id::from_json(json))),
    }
}

#[cfg(test)]
mod tests {
    use lookalike_core::document::{Many, Part, Value};

    use super::*;

    fn fields(wanted: &[&str]) -> Fields {
        Fields {
            id: "id".into(),
            text: "text".into(),
            wanted: wanted.iter().map(|&name| name.to_owned()).collect(),
        }
    }

    fn text_of(line: &str) -> Result<String, String> {
        let mut buffer = TextBuffer::default();
        fields(&[]).parse(line, &mut buffer).map(|record| record.document.text.into_owned())
    }

    #[test]
    fn text_is_borrowed_or_unescaped() {
        assert_eq!(text_of(r#"{"id":1,"text":"plain"}"#).unwrap(), "plain");
        assert_eq!(text_of(r#"{"text":"a\nb \u00e9 \ud83d\ude00"}"#).unwrap(), "a\nb é 😀");
        assert_eq!(text_of(r#"{"text":"first","text":"last"}"#).unwrap(), "last");
        assert_eq!(text_of(r#"{"t\u0065xt":"escaped key"}"#).unwrap(), "escaped key");
    }

    proptest::proptest! {
        #[test]
        fn texts_come_back_as_they_were(text in "\\PC*|[\\x00-\\x7f\u{10ffff}é]*", ascii in proptest::bool::ANY) {
            let mut json = serde_json::to_string(&text).unwrap();
            if ascii {
                // As Python writes it: everything beyond ASCII escaped, pairs of surrogates included.
                json = json.chars().map(|c| match c {
                    ' '..='~' => c.to_string(),
                    _ => c.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect(),
                }).collect();
            }
            proptest::prop_assert_eq!(text_of(&format!("{{\"text\":{json}}}")).unwrap(), text);
        }
    }

    #[test]
    fn every_kind_of_bad_line_is_named() {
        for (line, expected) in [
            (r#"{"text":"cut"#, "not valid JSON: EOF"),
            (r#"{"text":"a"} x"#, "not valid JSON: trailing characters"),
            (r#"{"text":"\ud800"}"#, "lone surrogate"),
            (r#"{"text":"\ud800\u0041"}"#, "lone surrogate"),
            (r#"{"text":"\udc00 x"}"#, "lone surrogate"),
            (r#"{"text":"\q"}"#, "not valid JSON: invalid escape"),
            (r#"{"id":1}"#, "field `text` is missing"),
            (r#"{"text":null}"#, "field `text` is null, not text"),
            (r#"{"text":[1,{"a":2}]}"#, "field `text` is an array, not text"),
            (r#"{"text":{"a":2}}"#, "field `text` is an object, not text"),
            (r#"{"text":5}"#, "field `text` is a number, not text"),
            (r#"{"id":{"a":1},"text":"x"}"#, "the id is an array or an object"),
            (r#"["text"]"#, "a JSON object"),
            ("\u{1}", "not valid JSON"),
        ] {
            let error = text_of(line).unwrap_err();
            assert!(error.contains(expected), "{line}: {error}");
            assert!(!error.contains("line 1"), "{error}");
        }
    }

    #[test]
    fn ids_are_any_scalar_in_one_spelling() {
        for (line, expected) in [
            (r#"{"id":"a","text":""}"#, Some("\"a\"")),
            (r#"{"id":"\u0061\/","text":""}"#, Some("\"a/\"")),
            (r#"{"id":12345678901234567890123,"text":""}"#, Some("12345678901234567890123")),
            (r#"{"id":1.50,"text":""}"#, Some("1.50")),
            (r#"{"id":true,"text":""}"#, Some("true")),
            (r#"{"id":null,"text":""}"#, None),
            (r#"{"text":""}"#, None),
        ] {
            let mut buffer = TextBuffer::default();
            let record = fields(&[]).parse(line, &mut buffer).unwrap();
            assert_eq!(record.id.as_ref().map(Id::json), expected, "{line}");
        }
    }

    #[test]
    fn fields_are_found_by_path_and_a_whole_name_wins() {
        let fields = Fields { id: "meta.id".into(), text: "a.b.c".into(), wanted: vec!["meta.n".into()] };
        let read = |line: &str| {
            let mut buffer = TextBuffer::default();
            fields.parse(line, &mut buffer).map(|record| {
                let fields = format!("{:?}", record.document.fields);
                (record.document.text.into_owned(), record.id.map(|id| id.json().to_owned()), fields)
            })
        };
        let line = r#"{"a":{"x":[{}],"b":{"c":"deep\n"}},"meta":{"n":2,"id":7}}"#;
        let number = "[Some(Number(2.0))]".to_owned();
        assert_eq!(read(line).unwrap(), ("deep\n".to_owned(), Some("7".to_owned()), number));
        assert_eq!(read(r#"{"a":{"b.c":"half"}}"#).unwrap().0, "half");
        for line in [r#"{"a.b.c":"whole","a":{"b":{"c":"x"}}}"#, r#"{"a":{"b":{"c":"x"}},"a.b.c":"whole"}"#] {
            assert_eq!(read(line).unwrap(), ("whole".to_owned(), None, "[]".to_owned()));
        }
        let listed = r#"{"a.b.c":"","meta":[{"n":1},{"x":{"n":3}},{"n":2}]}"#;
        let parts = r#"[Part { path: "", value: Number(1.0) }, Part { path: "", value: Number(2.0) }]"#;
        let both = format!("[Some(Many(Many {{ parts: {parts}, items: [1, 2] }}))]");
        assert_eq!(read(listed).unwrap().2, both);
        for (line, expected) in [
            (r#"{"a":{"b":5}}"#, "field `a.b.c` is missing"),
            (r#"{"a":"b"}"#, "field `a.b.c` is missing"),
            (r#"{"a":{"b":{"c":null}}}"#, "is null, not text"),
            (r#"{"ab":{"b":{"c":"x"}}}"#, "is missing"),
        ] {
            assert!(read(line).unwrap_err().contains(expected), "{line}");
        }
        let deep = format!("{{\"a\":{}1{}}}", "{\"b\":".repeat(100_000), "}".repeat(100_000));
        assert!(read(&deep).unwrap_err().contains("missing"));
    }

    #[test]
    fn folders_name_fields_that_a_line_lacks() {
        let folders = FolderFields::of(std::path::Path::new("lang=en/year=2024/a.jsonl"));
        let fields = fields(&["lang", "year", "other"]);
        let read = |line: &str| {
            let mut buffer = TextBuffer::default();
            fields
                .parse_in(&folders, line, &mut buffer)
                .unwrap()
                .document
                .fields
                .into_iter()
                .map(|value| match value {
                    Some(Value::Text(text)) => text.into_owned(),
                    Some(Value::Number(number)) => number.to_string(),
                    _ => "-".to_owned(),
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(read(r#"{"text":"a"}"#), ["en", "2024", "-"]);
        assert_eq!(read(r#"{"text":"a","lang":"de","year":null}"#), ["de", "-", "-"]);
    }

    #[test]
    fn wanted_fields_come_in_order_and_may_be_the_id_or_the_text() {
        let line = r#"{"url":"u","score":3,"id":"i","text":"t","deep":[1],"ok":true}"#;
        let fields = fields(&["score", "missing", "url", "id", "deep", "ok", "text"]);
        let mut buffer = TextBuffer::default();
        let record = fields.parse(line, &mut buffer).unwrap();
        assert_eq!(
            record.document.fields,
            [
                Some(Value::Number(3.0)),
                None,
                Some(Value::Text("u".into())),
                Some(Value::Text("i".into())),
                Some(Value::Many(Many {
                    parts: vec![Part { path: String::new(), value: Value::Number(1.0) }],
                    items: vec![1],
                })),
                Some(Value::Bool(true)),
                Some(Value::Text("t".into())),
            ]
        );
        assert_eq!(record.document.text, "t");
    }
}
