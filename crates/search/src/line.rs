//! Reads the fields of a JSON line that search needs, without keeping the rest.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The values of the named fields, where they are scalars. A field that the document itself lacks is looked for in
/// its object `fields`. `None` if the line is no JSON object.
pub(crate) fn pick<'de>(line: &'de [u8], names: &[String]) -> Option<Vec<Option<Cow<'de, str>>>> {
    let mut outer = vec![None; names.len()];
    let mut inner = vec![None; names.len()];
    let mut deserializer = serde_json::Deserializer::from_slice(line);
    let object = Object { names, values: &mut outer, inner: Some(&mut inner) };
    object.deserialize(&mut deserializer).ok()?;
    deserializer.end().ok()?;
    Some(outer.into_iter().zip(inner).map(|(outer, inner)| outer.or(inner)).collect())
}

/// Where documents that came over HTTP have further fields.
const OWN_FIELDS: &str = "fields";

struct Object<'a, 'de> {
    names: &'a [String],
    values: &'a mut [Option<Cow<'de, str>>],
    /// For the nested object; there is no third level.
    inner: Option<&'a mut [Option<Cow<'de, str>>]>,
}

impl<'de> DeserializeSeed<'de> for Object<'_, 'de> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        // The inner `fields` may be anything, the outer value must be an object.
        match self.inner {
            Some(_) => deserializer.deserialize_map(self),
            None => deserializer.deserialize_any(self),
        }
    }
}

impl<'de> Visitor<'de> for Object<'_, 'de> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key_seed(Scalar)? {
            let key = key.unwrap_or_default();
            if let Some(place) = self.names.iter().position(|name| *name == key) {
                self.values[place] = map.next_value_seed(Scalar)?;
            } else if key == OWN_FIELDS && self.inner.is_some() {
                let values = self.inner.as_deref_mut().unwrap_or_default();
                map.next_value_seed(Object { names: self.names, values, inner: None })?;
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<(), A::Error> {
        while sequence.next_element::<IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

/// A scalar as text; arrays, objects and null are no value.
struct Scalar;

impl<'de> DeserializeSeed<'de> for Scalar {
    type Value = Option<Cow<'de, str>>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Scalar {
    type Value = Option<Cow<'de, str>>;

    fn expecting(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
        Ok(Some(Cow::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(text.to_owned())))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Some(Cow::Borrowed(if value { "true" } else { "false" })))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(value.to_string())))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(value.to_string())))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Some(Cow::Owned(value.to_string())))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Self::Value, A::Error> {
        while sequence.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picked(line: &str) -> Option<Vec<Option<String>>> {
        let names = ["text", "source", "year"].map(str::to_owned);
        let values = pick(line.as_bytes(), &names)?;
        Some(values.into_iter().map(|value| value.map(Cow::into_owned)).collect())
    }

    #[test]
    fn scalars_are_text_and_the_rest_is_passed_over() {
        let line = r#"{"id":1,"text":"a\nb","labels":["x",{"text":"no"}],"year":2009,"source":null}"#;
        assert_eq!(picked(line), Some(vec![Some("a\nb".into()), None, Some("2009".into())]));
    }

    #[test]
    fn own_fields_count_where_the_document_has_none() {
        let line = r#"{"fields":{"source":"wire","year":1,"fields":{"text":"deep"}},"year":2}"#;
        assert_eq!(picked(line), Some(vec![None, Some("wire".into()), Some("2".into())]));
        for odd in ["1", "null", "\"x\"", "[1,{}]", "true", "-1.5", "-3"] {
            assert_eq!(picked(&format!(r#"{{"fields":{odd},"year":2}}"#)).unwrap()[2], Some("2".into()));
        }
    }

    #[test]
    fn what_is_no_object_gives_nothing() {
        for line in ["", "[]", "\"text\"", "{", "{} {}", "{\"text\":}", "\u{0}"] {
            assert_eq!(picked(line), None, "{line}");
        }
    }
}
