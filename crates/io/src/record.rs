//! One JSON line → one document.

use std::borrow::Cow;
use std::fmt;

use lookalike_core::document::{Document, Id, Value};
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// Which fields of a record matter.
#[derive(Clone, Debug)]
pub struct Fields {
    pub id: String,
    pub text: String,
    /// Further fields that some stage reads.
    pub wanted: Vec<String>,
}

/// A parsed line. `id` is absent when the record has none.
#[derive(Debug)]
pub struct Record<'a> {
    pub id: Option<Id>,
    pub document: Document<'a>,
}

impl Fields {
    /// Parses a line, or says in one sentence why it is rejected. All of the line is checked to be
    /// JSON; of a repeated key the last value counts, as elsewhere.
    pub fn parse<'a>(&self, line: &'a str) -> Result<Record<'a>, String> {
        let mut deserializer = serde_json::Deserializer::from_str(line);
        let found = RecordVisitor(self)
            .deserialize(&mut deserializer)
            .and_then(|found| deserializer.end().map(|()| found))
            .map_err(|error| describe(&error))?;
        let id = found.id.map(parse_id).transpose()?.flatten();
        let text = match found.text {
            None => return Err(format!("field `{}` is missing", self.text)),
            Some(TextField::Text(text)) => text,
            Some(TextField::Other(kind)) => {
                return Err(format!("field `{}` is {kind}, not text", self.text));
            }
        };
        Ok(Record { id, document: Document { text, fields: found.values, position: 0 } })
    }
}

/// serde_json counts lines within the line it was given, which would only confuse.
fn describe(error: &serde_json::Error) -> String {
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or(&message);
    if error.column() > 0 {
        format!("not valid JSON: {message} at column {}", error.column())
    } else {
        format!("not valid JSON: {message}")
    }
}

fn parse_id(raw: &RawValue) -> Result<Option<Id>, String> {
    let json = raw.get();
    match json.as_bytes().first() {
        Some(b'n') => Ok(None),
        Some(b'{' | b'[') => Err("the id is an array or an object, not a scalar".to_owned()),
        Some(b'"') if json.contains('\\') => {
            // One spelling for one id.
            let text: String = serde_json::from_str(json).map_err(|error| describe(&error))?;
            let plain = serde_json::to_string(&text).map_err(|error| describe(&error))?;
            Ok(Some(Id::from_json(plain)))
        }
        _ => Ok(Some(Id::from_json(json))),
    }
}

struct Found<'a> {
    id: Option<&'a RawValue>,
    text: Option<TextField<'a>>,
    values: Vec<Option<Value<'a>>>,
}

enum TextField<'a> {
    Text(Cow<'a, str>),
    Other(&'static str),
}

struct RecordVisitor<'f>(&'f Fields);

impl<'de> DeserializeSeed<'de> for RecordVisitor<'_> {
    type Value = Found<'de>;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Found<'de>, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for RecordVisitor<'_> {
    type Value = Found<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Found<'de>, A::Error> {
        let fields = self.0;
        let mut found = Found { id: None, text: None, values: vec![None; fields.wanted.len()] };
        while let Some(key) = map.next_key_seed(Key)? {
            let is_id = key == fields.id.as_str();
            let is_text = key == fields.text.as_str();
            let mut places = fields.wanted.iter().enumerate().filter(|(_, name)| key == name.as_str());
            match (is_id, is_text, places.next()) {
                (false, true, None) => found.text = Some(map.next_value_seed(TextSeed)?),
                (false, false, None) => {
                    map.next_value::<IgnoredAny>()?;
                }
                (_, _, first) => {
                    // The same field may serve as id and as a stage's field: parse it as often.
                    let raw: &'de RawValue = map.next_value()?;
                    if is_id {
                        found.id = Some(raw);
                    }
                    if is_text {
                        found.text = Some(TextSeed.of(raw));
                    }
                    for (place, _) in first.into_iter().chain(places) {
                        found.values[place] = scalar(raw);
                    }
                }
            }
        }
        Ok(found)
    }
}

/// Object keys, borrowed where possible.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Cow<'de, str>;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<Cow<'de, str>, D::Error> {
        match TextSeed.deserialize(deserializer)? {
            TextField::Text(key) => Ok(key),
            TextField::Other(_) => Err(serde::de::Error::custom("a key is not text")),
        }
    }
}

struct TextSeed;

impl TextSeed {
    fn of<'a>(self, raw: &'a RawValue) -> TextField<'a> {
        let mut deserializer = serde_json::Deserializer::from_str(raw.get());
        self.deserialize(&mut deserializer).unwrap_or(TextField::Other("malformed"))
    }
}

impl<'de> DeserializeSeed<'de> for TextSeed {
    type Value = TextField<'de>;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<TextField<'de>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for TextSeed {
    type Value = TextField<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("text")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<TextField<'de>, E> {
        Ok(TextField::Text(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<TextField<'de>, E> {
        Ok(TextField::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_bool<E>(self, _: bool) -> Result<TextField<'de>, E> {
        Ok(TextField::Other("true or false"))
    }

    fn visit_i64<E>(self, _: i64) -> Result<TextField<'de>, E> {
        Ok(TextField::Other("a number"))
    }

    fn visit_u64<E>(self, _: u64) -> Result<TextField<'de>, E> {
        Ok(TextField::Other("a number"))
    }

    fn visit_f64<E>(self, _: f64) -> Result<TextField<'de>, E> {
        Ok(TextField::Other("a number"))
    }

    fn visit_unit<E>(self) -> Result<TextField<'de>, E> {
        Ok(TextField::Other("null"))
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut items: A) -> Result<TextField<'de>, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(TextField::Other("an array"))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<TextField<'de>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(TextField::Other("an object"))
    }
}

fn scalar(raw: &RawValue) -> Option<Value<'_>> {
    let json = raw.get();
    match json.as_bytes().first()? {
        b'"' => match TextSeed.of(raw) {
            TextField::Text(text) => Some(Value::Text(text)),
            TextField::Other(_) => None,
        },
        b't' => Some(Value::Bool(true)),
        b'f' => Some(Value::Bool(false)),
        b'-' | b'0'..=b'9' => json.parse().ok().map(Value::Number),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(wanted: &[&str]) -> Fields {
        Fields {
            id: "id".into(),
            text: "text".into(),
            wanted: wanted.iter().map(|&name| name.to_owned()).collect(),
        }
    }

    fn text_of(line: &str) -> Result<String, String> {
        fields(&[]).parse(line).map(|record| record.document.text.into_owned())
    }

    #[test]
    fn text_is_borrowed_or_unescaped() {
        assert_eq!(text_of(r#"{"id":1,"text":"plain"}"#).unwrap(), "plain");
        assert_eq!(text_of(r#"{"text":"a\nb \u00e9 \ud83d\ude00"}"#).unwrap(), "a\nb é 😀");
        assert_eq!(text_of(r#"{"text":"first","text":"last"}"#).unwrap(), "last");
        assert_eq!(text_of(r#"{"t\u0065xt":"escaped key"}"#).unwrap(), "escaped key");
    }

    #[test]
    fn every_kind_of_bad_line_is_named() {
        for (line, expected) in [
            (r#"{"text":"cut"#, "not valid JSON: EOF"),
            (r#"{"text":"a"} x"#, "not valid JSON: trailing characters"),
            (r#"{"text":"\ud800"}"#, "not valid JSON"),
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
            let record = fields(&[]).parse(line).unwrap();
            assert_eq!(record.id.as_ref().map(Id::json), expected, "{line}");
        }
    }

    #[test]
    fn wanted_fields_come_in_order_and_may_be_the_id_or_the_text() {
        let line = r#"{"url":"u","score":3,"id":"i","text":"t","deep":[1],"ok":true}"#;
        let fields = fields(&["score", "missing", "url", "id", "deep", "ok", "text"]);
        let record = fields.parse(line).unwrap();
        assert_eq!(
            record.document.fields,
            [
                Some(Value::Number(3.0)),
                None,
                Some(Value::Text("u".into())),
                Some(Value::Text("i".into())),
                None,
                Some(Value::Bool(true)),
                Some(Value::Text("t".into())),
            ]
        );
        assert_eq!(record.document.text, "t");
    }
}
