//! What a stage may know of a document.

use std::borrow::Cow;
use std::cmp::Ordering;

/// A document as the stages see it: its text, and the fields that some stage asked for.
#[derive(Clone, Debug, Default)]
pub struct Document<'a> {
    /// The text, not normalised.
    pub text: Cow<'a, str>,
    /// Values of the fields asked for, in the order they were asked for; empty if the document has none of them.
    pub fields: Vec<Option<Value<'a>>>,
    /// Where the document stands in the input: smaller is earlier.
    pub position: u64,
}

impl<'a> Document<'a> {
    /// A document without fields.
    pub fn from_text(text: &'a str) -> Self {
        Document { text: Cow::Borrowed(text), ..Document::default() }
    }
}

/// A field's value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value<'a> {
    /// A text.
    Text(Cow<'a, str>),
    /// A number.
    Number(f64),
    /// True or false.
    Bool(bool),
    /// What an array or an object holds.
    Many(Many<'a>),
}

/// The values of an array or an object.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Many<'a> {
    /// As far as it is read: texts, numbers, true or false, in their order.
    pub parts: Vec<Part<'a>>,
    /// The same as the items of a [stream](crate::streams): rising, each once.
    pub items: Vec<u64>,
}

/// One of several values of a field.
#[derive(Clone, Debug, PartialEq)]
pub struct Part<'a> {
    /// The keys of the objects around it, from the field on and with dots between; empty in a plain array.
    pub path: String,
    /// Never several values again.
    pub value: Value<'a>,
}

impl<'a> Value<'a> {
    /// The value, independent of the record that it was read from.
    pub fn into_owned(self) -> Value<'static> {
        match self {
            Value::Text(text) => Value::Text(Cow::Owned(text.into_owned())),
            Value::Number(number) => Value::Number(number),
            Value::Bool(yes) => Value::Bool(yes),
            Value::Many(Many { parts, items }) => {
                let owned = |part: Part<'a>| Part { path: part.path, value: part.value.into_owned() };
                Value::Many(Many { parts: parts.into_iter().map(owned).collect(), items })
            }
        }
    }

    /// The single values, each with its path below the field.
    pub fn parts(&self) -> impl Iterator<Item = (&str, &Value<'a>)> {
        let (one, many) = match self {
            Value::Many(Many { parts, .. }) => (None, parts.as_slice()),
            one => (Some(("", one)), &[][..]),
        };
        one.into_iter().chain(many.iter().map(|part| (part.path.as_str(), &part.value)))
    }

    /// Whether there may be several values.
    pub fn is_many(&self) -> bool {
        matches!(self, Value::Many(_))
    }
}

/// A document's id: any JSON scalar. Numbers come before text; numbers compare by value, text by
/// code point, so `a < b` in an output file means what a reader of that file expects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Id(String);

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Id {
    fn schema_name() -> Cow<'static, str> {
        "Id".into()
    }

    /// As the service takes and gives it.
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A text or a number: 17 and \"17\" are two ids",
            "type": ["string", "number"],
            "minLength": 1,
            "maxLength": 1000,
        })
    }
}

impl Id {
    /// From the JSON text of a scalar (`17`, `"a-1"`, `true`), which is kept as it is.
    pub fn from_json(json: impl Into<String>) -> Self {
        Id(json.into())
    }

    /// The id that is a whole number.
    pub fn from_number(number: u64) -> Self {
        Id(number.to_string())
    }

    /// The id as it is written into JSON files.
    pub fn json(&self) -> &str {
        &self.0
    }

    /// The id as a person reads it: text without the quotes and escapes that JSON gives it.
    pub fn display(&self) -> Cow<'_, str> {
        match self.0.contains('\\') {
            true => Cow::Owned(characters(&self.0).collect()),
            false => Cow::Borrowed(inner(&self.0)),
        }
    }

    /// The order of two ids that are given as JSON.
    pub fn compare(a: &str, b: &str) -> Ordering {
        let key = |id: &str| -> (u8, f64) {
            match id.as_bytes().first() {
                Some(b'"') => (2, 0.0),
                Some(b't' | b'f' | b'n') => (0, 0.0),
                _ => (1, id.parse().unwrap_or(0.0)),
            }
        };
        let (first, second) = (key(a), key(b));
        let by_value = first.0.cmp(&second.0).then(first.1.total_cmp(&second.1));
        // The JSON text decides where the numbers are equal: integers beyond 2⁵³, 1 and 1.0.
        by_value.then_with(|| match a.contains('\\') || b.contains('\\') {
            true => characters(a).cmp(characters(b)),
            // The order of code points is that of the bytes.
            false => inner(a).cmp(inner(b)),
        })
    }
}

/// The characters that the JSON stands for. Only the escapes that a JSON writer must use occur.
fn characters(json: &str) -> impl Iterator<Item = char> {
    let mut rest = inner(json).chars();
    std::iter::from_fn(move || match rest.next()? {
        '\\' => Some(match rest.next()? {
            'n' => '\n',
            't' => '\t',
            'r' => '\r',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'u' => {
                let digits = rest.by_ref().take(4).filter_map(|digit| digit.to_digit(16));
                let code = digits.fold(0, |code, digit| code * 16 + digit);
                char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
            }
            plain => plain,
        }),
        plain => Some(plain),
    })
}

/// Without quotes, but with its escapes.
fn inner(json: &str) -> &str {
    match json.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(text) => text,
        None => json,
    }
}

impl Ord for Id {
    fn cmp(&self, other: &Self) -> Ordering {
        Id::compare(&self.0, &other.0)
    }
}

impl PartialOrd for Id {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_order_as_readers_expect() {
        let mut ids: Vec<Id> = ["\"b\"", "10", "\"a\"", "9", "-1", "true", "2.5"].map(Id::from_json).to_vec();
        ids.sort();
        let shown: Vec<&str> = ids.iter().map(Id::json).collect();
        assert_eq!(shown, ["true", "-1", "2.5", "9", "10", "\"a\"", "\"b\""]);
    }

    #[test]
    fn escapes_order_as_what_they_stand_for() {
        let mut ids = ["\"a b\"", "\"a\\nb\"", "\"a\\u0001\"", "\"a\\\"\""].map(Id::from_json).to_vec();
        ids.sort();
        let shown: Vec<_> = ids.iter().map(Id::display).collect();
        assert_eq!(shown, ["a\u{1}", "a\nb", "a b", "a\""], "a person reads them without escapes");
    }

    #[test]
    fn integers_beyond_double_precision_stay_apart() {
        let (a, b) = (Id::from_json("9007199254740993"), Id::from_json("9007199254740992"));
        assert_ne!(a.cmp(&b), Ordering::Equal);
    }
}
