//! A field's value out of its JSON: a single one, or all that an array or an object holds.

use std::fmt;

use lookalike_core::document::{Many, Part, Value};
use lookalike_core::streams::{item, keep_distinct, number_item};
use serde::Deserializer;
use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::items::items;
use super::key::Key;

/// The most values that are read of one field. More would be data rather than metadata.
const MOST: usize = 256;
/// The deepest arrays and objects that are read.
const DEEPEST: usize = 8;

/// The value in a JSON text that was checked before; `None` for null, and for arrays and objects without any.
pub fn value_of(json: &str) -> Option<Value<'static>> {
    match json.as_bytes().first()? {
        b'[' | b'{' => several(all_in(json, ""), items(json)),
        _ => single(json),
    }
}

/// The values to which a path leads in an array or an object, through arrays, too; all of them if it is empty.
pub fn values_at(json: &str, path: &str) -> Option<Value<'static>> {
    let parts = all_in(json, path);
    let mut items: Vec<u64> = parts.iter().filter_map(|part| part_item(&part.value)).collect();
    keep_distinct(&mut items);
    several(parts, items)
}

fn several(parts: Vec<Part<'static>>, items: Vec<u64>) -> Option<Value<'static>> {
    let is_any = !parts.is_empty() || !items.is_empty();
    is_any.then_some(Value::Many(Many { parts, items }))
}

fn all_in(json: &str, path: &str) -> Vec<Part<'static>> {
    let mut found = Collected { wanted: path, path: String::new(), parts: Vec::new(), depth: 0 };
    found.collect(json);
    found.parts
}

/// The item of a stream that a single value is.
fn part_item(value: &Value<'_>) -> Option<u64> {
    match value {
        Value::Text(text) => item(text),
        Value::Number(number) => Some(number_item(&number.to_string())),
        Value::Bool(yes) => item(&yes.to_string()),
        Value::Many(_) => None,
    }
}

fn single(json: &str) -> Option<Value<'static>> {
    match json.as_bytes().first()? {
        b'"' => serde_json::from_str(json).ok().map(|text: String| Value::Text(text.into())),
        b't' => Some(Value::Bool(true)),
        b'f' => Some(Value::Bool(false)),
        b'-' | b'0'..=b'9' => json.parse().ok().map(Value::Number),
        _ => None,
    }
}

struct Collected<'p> {
    wanted: &'p str,
    /// The keys on the way to where the reader is.
    path: String,
    parts: Vec<Part<'static>>,
    depth: usize,
}

impl Collected<'_> {
    /// Takes the value, or all within it. Every level is read again for the next, but there are few.
    fn collect(&mut self, json: &str) {
        let is_array = json.starts_with('[');
        if is_array || json.starts_with('{') {
            if self.depth < DEEPEST {
                self.depth += 1;
                let mut inner = serde_json::Deserializer::from_str(json);
                // The text was checked before.
                let _ = match is_array {
                    true => inner.deserialize_seq(&mut *self),
                    false => inner.deserialize_map(&mut *self),
                };
                self.depth -= 1;
            }
        } else if !self.is_full()
            && let Some(path) = self.below()
            && let Some(value) = single(json)
        {
            self.parts.push(Part { path: path.to_owned(), value });
        }
    }

    fn is_full(&self) -> bool {
        self.parts.len() >= MOST
    }

    /// The path below the wanted one, if this place is there.
    fn below(&self) -> Option<&str> {
        if self.wanted.is_empty() {
            return Some(&self.path);
        }
        let rest = self.path.strip_prefix(self.wanted)?;
        if rest.is_empty() { Some(rest) } else { rest.strip_prefix('.') }
    }
}

impl<'de> Visitor<'de> for &mut Collected<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an array or an object")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut values: A) -> Result<(), A::Error> {
        while !self.is_full()
            && let Some(value) = values.next_element::<&'de RawValue>()?
        {
            self.collect(value.get());
        }
        while values.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut values: A) -> Result<(), A::Error> {
        let above = self.path.len();
        while let Some(key) = values.next_key_seed(Key)? {
            let value: &'de RawValue = values.next_value()?;
            if above > 0 {
                self.path.push('.');
            }
            self.path.push_str(&key);
            self.collect(value.get());
            self.path.truncate(above);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(value: Option<Value<'_>>) -> String {
        let parts = value.iter().flat_map(Value::parts).map(|(path, value)| match value {
            Value::Text(text) => format!("{path}={text}"),
            Value::Number(number) => format!("{path}={number}"),
            other => format!("{path}={other:?}"),
        });
        parts.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn single_values_stay_single() {
        assert_eq!(value_of("\"a\\nb\""), Some(Value::Text("a\nb".into())));
        assert_eq!(
            (value_of("true"), value_of("-1.5e2")),
            (Some(Value::Bool(true)), Some(Value::Number(-150.0)))
        );
        assert_eq!(
            (value_of("null"), value_of("[]"), value_of("{}"), value_of("[null,{}]")),
            (None, None, None, None)
        );
        assert_eq!(shown(value_of("[null,[{}]]")), "", "no part, though a stream may count the inner array");
    }

    #[test]
    fn arrays_and_objects_give_all_their_values() {
        for (json, expected) in [
            (r#"["a","b",5,0.1,true,null]"#, "=a =b =5 =0.1 =Bool(true)"),
            (r#"{"a":{"b":[1,2],"c":"x"},"d\u0065":3.5}"#, "a.b=1 a.b=2 a.c=x de=3.5"),
            (r#"[{"name":"x"},["y"],{"name":"z","of":{"id":7}}]"#, "name=x =y name=z of.id=7"),
        ] {
            assert_eq!(shown(value_of(json)), expected, "{json}");
        }
    }

    #[test]
    fn paths_lead_through_arrays() {
        let json = r#"[{"name":"x","of":[{"id":1},{"id":2}]},{"name":"z","names":"no"}]"#;
        assert_eq!(shown(values_at(json, "name")), "=x =z");
        assert_eq!(shown(values_at(json, "of.id")), "=1 =2");
        assert_eq!(shown(values_at(json, "of")), "id=1 id=2");
        assert_eq!(values_at(json, "na"), None);
    }

    #[test]
    fn hostile_values_are_cut_off() {
        let many = format!("[{}0]", "1,".repeat(100_000));
        assert_eq!(value_of(&many).map(|value| value.parts().count()), Some(MOST));
        let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(value_of(&deep).map(|value| value.parts().count()), Some(0));
        let just = format!("{}1{}", "[".repeat(DEEPEST), "]".repeat(DEEPEST));
        assert_eq!(shown(value_of(&just)), "=1");
        let keys = format!("{}1{}", "{\"k\":".repeat(DEEPEST), "}".repeat(DEEPEST));
        assert_eq!(shown(value_of(&keys)), "k.k.k.k.k.k.k.k=1");
    }
}
