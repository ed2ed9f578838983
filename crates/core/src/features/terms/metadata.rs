//! Fields of a document beside its text: as features, and as the class that documents must share (S09
//! §4.1, §7.1.1).
//!
//! A field's value counts as it is written, so the number 5 and the text `5` are the same. Of an array every value counts,
//! each once; of an object every value as that of the field with its path, so that `about` gives the features
//! that `about.author` and `about.year` give.

use super::tally::finite;
use crate::document::{Document, Value};
use crate::error::{Error, Result};
use crate::features::extractor::Features;
use crate::hash;
use crate::votes::deciding_weight;

/// Which fields are used, and how.
#[derive(Default)]
pub struct Metadata {
    /// Every field once, in the order a document holds them.
    fields: Vec<String>,
    /// Places of fields that give a feature `field:value`.
    plain: Vec<usize>,
    /// The weight of such a feature, relative to the heaviest.
    pub weight: f64,
    /// If not 0, it weighs instead just enough to decide so many bits of a simhash alone.
    pub flips: usize,
    numeric: Vec<Numeric>,
    /// The place of the field that is the class.
    class: Option<usize>,
}

/// A number that weighs the more, the further it is from the middle of its range.
struct Numeric {
    place: usize,
    low: f64,
    high: f64,
}

impl Metadata {
    /// `numeric` holds texts `field:low:high`.
    pub fn new(plain: &[String], numeric: &[String], class: &str) -> Result<Self> {
        let mut metadata = Metadata { weight: 1.0, ..Metadata::default() };
        for name in plain {
            let place = metadata.place(name);
            metadata.plain.push(place);
        }
        for text in numeric {
            let (name, low, high) = parse_numeric(text).ok_or_else(|| {
                Error::config(format!(
                    "features.numeric has `{text}`, it must be `field:low:high` with numbers low < high"
                ))
            })?;
            let place = metadata.place(name);
            metadata.numeric.push(Numeric { place, low, high });
        }
        metadata.class = (!class.is_empty()).then(|| metadata.place(class));
        Ok(metadata)
    }

    pub fn fields(&self) -> &[String] {
        &self.fields
    }

    pub fn has_features(&self) -> bool {
        !self.plain.is_empty() || !self.numeric.is_empty()
    }

    /// The hash of the value of the field that is the class.
    pub fn class(&self, document: &Document<'_>) -> Option<u64> {
        class_of(value(document, self.class?)?)
    }

    /// Appends the fields' features; `heaviest` is the largest weight of the features so far.
    pub fn append(&self, document: &Document<'_>, heaviest: f32, out: &mut Features) {
        let plain = match self.flips {
            0 => finite(self.weight * f64::from(heaviest)),
            _ if self.plain.is_empty() => 0.0,
            bits => deciding_weight(&out.hashes, &out.weights, bits),
        };
        for &place in &self.plain {
            let from = out.hashes.len();
            for (path, value) in value(document, place).into_iter().flat_map(Value::parts) {
                let feature = self.feature(place, path, value_hash(value));
                // What a list says twice counts once.
                if plain > 0.0 && !out.hashes[from..].contains(&feature) {
                    out.hashes.push(feature);
                    out.weights.push(plain);
                }
            }
        }
        for &Numeric { place, low, high } in &self.numeric {
            for (path, value) in value(document, place).into_iter().flat_map(Value::parts) {
                let Some(number) = as_number(value) else { continue };
                // From -1 at the lower end to 1 at the upper.
                let side = (2.0 * ((number - low) / (high - low)) - 1.0).clamp(-1.0, 1.0);
                let name: &[u8] = if side < 0.0 { b"low" } else { b"high" };
                let weight = finite(side.abs() * f64::from(heaviest));
                if weight > 0.0 {
                    out.hashes.push(self.feature(place, path, hash::bytes(name)));
                    out.weights.push(weight);
                }
            }
        }
    }

    /// The feature of a value of a field, or of one within it.
    fn feature(&self, place: usize, path: &str, value: u64) -> u64 {
        let field = &self.fields[place];
        let name = match path {
            "" => hash::bytes(field.as_bytes()),
            path => hash::bytes(format!("{field}.{path}").as_bytes()),
        };
        hash::mix(hash::combine(name, value))
    }

    fn place(&mut self, name: &str) -> usize {
        self.fields.iter().position(|field| field == name).unwrap_or_else(|| {
            self.fields.push(name.to_owned());
            self.fields.len() - 1
        })
    }
}

fn parse_numeric(text: &str) -> Option<(&str, f64, f64)> {
    // A field's name may have colons of its own.
    let mut parts = text.rsplitn(3, ':');
    let (high, low, name) =
        (parts.next()?.trim().parse().ok()?, parts.next()?.trim().parse().ok()?, parts.next()?);
    // The width must be finite, too.
    let range: f64 = high - low;
    (!name.is_empty() && range > 0.0 && range.is_finite()).then_some((name, low, high))
}

fn value<'d>(document: &'d Document<'_>, place: usize) -> Option<&'d Value<'d>> {
    document.fields.get(place)?.as_ref()
}

/// The hash of a value; of several that of the set, in whatever order they stand.
pub fn class_of(value: &Value<'_>) -> Option<u64> {
    if !value.is_many() {
        return Some(value_hash(value));
    }
    let part =
        |(path, value): (&str, &Value<'_>)| hash::combine(hash::bytes(path.as_bytes()), value_hash(value));
    let mut hashes: Vec<u64> = value.parts().map(part).collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes.into_iter().reduce(hash::combine)
}

fn value_hash(value: &Value<'_>) -> u64 {
    match value {
        Value::Text(text) => hash::bytes(text.as_bytes()),
        // Adding 0 turns -0 into 0.
        Value::Number(number) => hash::bytes((number + 0.0).to_string().as_bytes()),
        Value::Bool(yes) => hash::bytes(yes.to_string().as_bytes()),
        // Parts are single values.
        Value::Many(_) => 0,
    }
}

fn as_number(value: &Value<'_>) -> Option<f64> {
    let number = match value {
        Value::Number(number) => *number,
        Value::Text(text) => text.trim().parse().ok()?,
        Value::Bool(_) | Value::Many(_) => return None,
    };
    number.is_finite().then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Many, Part};

    fn texts(items: &[&str]) -> Vec<String> {
        items.iter().map(|&item| item.to_owned()).collect()
    }

    fn number(number: f64) -> Option<Value<'static>> {
        Some(Value::Number(number))
    }

    fn text(text: &'static str) -> Option<Value<'static>> {
        Some(Value::Text(text.into()))
    }

    fn append(metadata: &Metadata, fields: Vec<Option<Value<'_>>>) -> Vec<(u64, f32)> {
        let document = Document { fields, ..Document::default() };
        let mut out = Features::default();
        metadata.append(&document, 8.0, &mut out);
        out.hashes.into_iter().zip(out.weights).collect()
    }

    #[test]
    fn fields_come_once_and_in_order() {
        let metadata = Metadata::new(&texts(&["title", "author"]), &texts(&["rank:0:9"]), "author").unwrap();
        assert_eq!(metadata.fields(), ["title", "author", "rank"]);
        let none = Metadata::new(&[], &[], "").unwrap();
        assert!(none.fields().is_empty() && !none.has_features());
    }

    #[test]
    fn values_become_features() {
        let metadata =
            Metadata { weight: 0.5, ..Metadata::new(&texts(&["title", "author"]), &[], "").unwrap() };
        let both = append(&metadata, vec![text("A"), text("B")]);
        assert_eq!(both.iter().map(|&(_, weight)| weight).collect::<Vec<_>>(), [4.0, 4.0]);
        assert_eq!(append(&metadata, vec![None, text("B")]), both[1..], "what is absent gives nothing");
        assert!(append(&metadata, vec![]).is_empty());
        assert_ne!(append(&metadata, vec![text("B")])[0].0, both[1].0, "the field's name counts");
        assert_eq!(append(&metadata, vec![number(5.0)]), append(&metadata, vec![text("5")]));
        assert_eq!(append(&metadata, vec![number(-0.0)]), append(&metadata, vec![number(0.0)]));
        assert_eq!(append(&metadata, vec![Some(Value::Bool(true))]), append(&metadata, vec![text("true")]));
    }

    fn many(parts: &[(&str, Value<'static>)]) -> Option<Value<'static>> {
        let part =
            |(path, value): &(&str, Value<'static>)| Part { path: (*path).to_owned(), value: value.clone() };
        Some(Value::Many(Many { parts: parts.iter().map(part).collect(), items: Vec::new() }))
    }

    #[test]
    fn each_value_of_a_list_and_of_an_object_is_a_feature() {
        let word = |word: &'static str| Value::Text(word.into());
        let tags = Metadata::new(&texts(&["tags"]), &[], "").unwrap();
        let single = |word: &'static str| append(&tags, vec![text(word)])[0];
        let list = [("", word("a")), ("", word("b")), ("", word("a"))];
        assert_eq!(
            append(&tags, vec![many(&list)]),
            [single("a"), single("b")],
            "what is said twice counts once"
        );
        assert_eq!(append(&tags, vec![many(&[("", Value::Number(5.0))])]), [single("5")]);
        let inner = [("by.name", word("x")), ("year", Value::Number(1999.0))];
        let paths = Metadata::new(&texts(&["tags.by.name", "tags.year"]), &[], "").unwrap();
        assert_eq!(
            append(&tags, vec![many(&inner)]),
            append(&paths, vec![text("x"), number(1999.0)]),
            "an object is its fields by path"
        );
        let ranks = Metadata::new(&[], &texts(&["rank:0:10"]), "").unwrap();
        let two = many(&[("", Value::Number(0.0)), ("", word("none")), ("", Value::Number(10.0))]);
        assert_eq!(append(&ranks, vec![two]).len(), 2);
    }

    #[test]
    fn a_list_as_class_is_a_set() {
        let metadata = Metadata::new(&[], &[], "kind").unwrap();
        let class = |words: &[&'static str]| {
            let parts: Vec<(&str, Value<'static>)> =
                words.iter().map(|&word| ("", Value::Text(word.into()))).collect();
            metadata.class(&Document { fields: vec![many(&parts)], ..Document::default() })
        };
        assert!(class(&["a", "b"]).is_some());
        assert_eq!(class(&["a", "b"]), class(&["b", "a", "b"]));
        assert_ne!(class(&["a", "b"]), class(&["a"]));
        assert_eq!(class(&[]), None);
    }

    #[test]
    fn numbers_weigh_by_their_distance_from_the_middle() {
        let metadata = Metadata::new(&[], &texts(&["a:b:10:20"]), "").unwrap();
        assert_eq!(metadata.fields(), ["a:b"]);
        let one = |value| append(&metadata, vec![value]);
        let (low, high) = (one(number(10.0))[0], one(number(20.0))[0]);
        assert_eq!((low.1, high.1), (8.0, 8.0));
        assert_ne!(low.0, high.0, "the side counts");
        assert_eq!(one(number(12.5)), [(low.0, 4.0)]);
        assert_eq!(one(text(" 99 ")), [high], "beyond the range is its end");
        for nothing in [number(15.0), number(f64::NAN), text("many"), Some(Value::Bool(true)), None] {
            assert!(one(nothing).is_empty());
        }
    }

    #[test]
    fn wrong_ranges_are_refused() {
        for wrong in
            ["rank", "rank:1", "rank:1:1", "rank:2:1", "rank:a:b", ":0:1", "rank:nan:1", "rank:0:inf"]
        {
            let error = Metadata::new(&[], &texts(&[wrong]), "").err().unwrap().to_string();
            assert!(error.contains("features.numeric") && error.contains(wrong), "{error}");
        }
    }

    #[test]
    fn the_class_is_a_value() {
        let metadata = Metadata::new(&[], &[], "kind").unwrap();
        let class = |field| metadata.class(&Document { fields: vec![field], ..Document::default() });
        assert_eq!(class(text("pdf")), Some(hash::bytes(b"pdf")));
        assert_eq!(class(None), None);
    }
}
