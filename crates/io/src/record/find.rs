//! Finds fields in a line of JSON, without parsing the values of others.

use std::fmt;

use lookalike_core::document::Value;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::Fields;
use super::flat;
use super::key::Key;
use super::value::{value_of, values_at};

/// The values of [`Fields`] in one line.
#[derive(Default)]
pub struct FoundFields<'a> {
    pub id: FieldValue<'a>,
    pub text: FieldValue<'a>,
    /// By the order of [`Fields::wanted`]; empty if the line has none of them.
    pub values: Vec<FieldValue<'a>>,
}

/// A field's value, found by its name and by its path.
#[derive(Clone, Copy, Default)]
pub struct FieldValue<'a> {
    named: Option<&'a str>,
    within: Option<&'a str>,
    /// What the first step of the path leads to, if that holds an array, and how long the rest of the path is.
    around: Option<(&'a str, usize)>,
}

impl<'a> FieldValue<'a> {
    /// Its JSON.
    pub fn get(self) -> Option<&'a str> {
        self.named.or(self.within)
    }

    /// Whether the line has no such field.
    pub fn is_absent(self) -> bool {
        self.get().is_none() && self.around.is_none()
    }

    /// The value of the field of this name, or those to which its path leads through arrays.
    pub fn value(self, field: &str) -> Option<Value<'static>> {
        if let Some(raw) = self.get() {
            return value_of(raw);
        }
        let (raw, rest) = self.around?;
        values_at(raw, field.get(field.len().checked_sub(rest)?..)?)
    }

    /// Takes the value of a key that is the field itself or the next step of its path.
    fn put(&mut self, path_step: PathStep<'_>, raw: &'a str) {
        match path_step {
            PathStep::Here => self.named = Some(raw),
            PathStep::Within(rest) => {
                self.within = value_at(raw, rest);
                self.around = raw.contains('[').then_some((raw, rest.len()));
            }
            PathStep::Elsewhere => {}
        }
    }
}

/// How a key of an object relates to a field that is looked for.
#[derive(Clone, Copy, PartialEq)]
enum PathStep<'f> {
    Here,
    Within(&'f str),
    Elsewhere,
}

#[inline]
fn path_step<'f>(key: &str, field: &'f str) -> PathStep<'f> {
    // Asked for every key of every line. Nearly all keys differ from nearly all fields in length or in the byte after the
    // key, so that nothing else has to be compared.
    match field.as_bytes().get(key.len()) {
        None if key == field => PathStep::Here,
        Some(b'.') if field.starts_with(key) => PathStep::Within(&field[key.len() + 1..]),
        _ => PathStep::Elsewhere,
    }
}

/// The value of a field, by its name or its path, in a JSON object that was checked before.
pub fn value_at<'a>(json: &'a str, field: &str) -> Option<&'a str> {
    let mut deserializer = serde_json::Deserializer::from_str(json);
    FieldVisitor(field).deserialize(&mut deserializer).ok().and_then(FieldValue::get)
}

struct FieldVisitor<'f>(&'f str);

impl<'de> DeserializeSeed<'de> for FieldVisitor<'_> {
    type Value = FieldValue<'de>;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<FieldValue<'de>, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for FieldVisitor<'_> {
    type Value = FieldValue<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<FieldValue<'de>, A::Error> {
        let mut value = FieldValue::default();
        while let Some(key) = map.next_key_seed(Key)? {
            match path_step(&key, self.0) {
                PathStep::Elsewhere => drop(map.next_value::<IgnoredAny>()?),
                leads => value.put(leads, map.next_value::<&RawValue>()?.get()),
            }
        }
        Ok(value)
    }
}

struct RecordVisitor<'f>(&'f Fields);

impl<'de> DeserializeSeed<'de> for RecordVisitor<'_> {
    type Value = FoundFields<'de>;

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<FoundFields<'de>, D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for RecordVisitor<'_> {
    type Value = FoundFields<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<FoundFields<'de>, A::Error> {
        let mut found = FoundFields::default();
        while let Some(key) = map.next_key_seed(Key)? {
            if found.is_wanted(self.0, &key) {
                found.put(self.0, &key, map.next_value::<&RawValue>()?.get());
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(found)
    }
}

impl<'a> FoundFields<'a> {
    /// Finds the fields in a line, or says why it cannot be read.
    pub fn read(fields: &Fields, line: &'a str) -> serde_json::Result<FoundFields<'a>> {
        let mut found = FoundFields::default();
        let is_read = flat::for_each_field(line, |key, raw| found.put(fields, key, raw));
        if is_read {
            return Ok(found);
        }
        let mut deserializer = serde_json::Deserializer::from_str(line);
        let found = RecordVisitor(fields).deserialize(&mut deserializer)?;
        deserializer.end().map(|()| found)
    }

    fn is_wanted(&self, fields: &Fields, key: &str) -> bool {
        let is_step = |field: &String| path_step(key, field) != PathStep::Elsewhere;
        is_step(&fields.id) || is_step(&fields.text) || fields.wanted.iter().any(is_step)
    }

    /// Takes the value of a key. The same field may serve as id, as text and as a stage's field.
    fn put(&mut self, fields: &Fields, key: &str, raw: &'a str) {
        self.id.put(path_step(key, &fields.id), raw);
        self.text.put(path_step(key, &fields.text), raw);
        for (place, field) in fields.wanted.iter().enumerate() {
            let path_step = path_step(key, field);
            if path_step == PathStep::Elsewhere {
                continue;
            }
            self.values.resize(fields.wanted.len(), FieldValue::default());
            self.values[place].put(path_step, raw);
        }
    }
}
