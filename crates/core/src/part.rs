//! The vocabulary of parts: what a part is called, the parameters it reads from a recipe, and the
//! spec it writes so that it can be built again.
//!
//! This module knows no stage and no part, so that all of them can use it.

use toml::{Table, Value};

use crate::error::{Error, Result};

/// What a person should know of a part.
#[derive(Clone, Copy, Debug)]
pub struct PartInfo {
    /// What a recipe calls it.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Where it comes from; empty if from no paper.
    pub paper: &'static str,
    /// The parameters it reads.
    pub params: &'static [Param],
}

/// What a person should know of a parameter.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Its key in a recipe.
    pub name: &'static str,
    /// As it would be written in a recipe.
    pub default: &'static str,
    /// What it means and which values it takes.
    pub help: &'static str,
}

/// The parameters of one recipe section. Reading a key removes it, so that [`Params::finish`] can
/// name the keys that nobody read.
pub struct Params {
    section: String,
    table: Table,
}

impl Params {
    /// The parameters of a section; errors name it.
    pub fn new(section: &str, table: Table) -> Self {
        Params { section: section.to_owned(), table }
    }

    /// A text.
    pub fn text(&mut self, key: &str, default: &str) -> Result<String> {
        match self.table.remove(key) {
            None => Ok(default.to_owned()),
            Some(Value::String(text)) => Ok(text),
            Some(other) => Err(self.wrong(key, "text", &other)),
        }
    }

    /// True or false.
    pub fn boolean(&mut self, key: &str, default: bool) -> Result<bool> {
        match self.table.remove(key) {
            None => Ok(default),
            Some(Value::Boolean(yes)) => Ok(yes),
            Some(other) => Err(self.wrong(key, "true or false", &other)),
        }
    }

    /// A whole number of at least 0.
    pub fn integer(&mut self, key: &str, default: u64) -> Result<u64> {
        Ok(self.optional_integer(key)?.unwrap_or(default))
    }

    /// A whole number of at least 0, if there is one.
    pub fn optional_integer(&mut self, key: &str) -> Result<Option<u64>> {
        match self.table.remove(key) {
            None => Ok(None),
            Some(Value::Integer(number)) if number >= 0 => Ok(Some(number as u64)),
            Some(other) => Err(self.wrong(key, "a whole number of at least 0", &other)),
        }
    }

    /// A finite number within a range, both ends included.
    pub fn number(&mut self, key: &str, default: f64, range: std::ops::RangeInclusive<f64>) -> Result<f64> {
        Ok(self.optional_number(key, range)?.unwrap_or(default))
    }

    /// A finite number within a range, if there is one.
    pub fn optional_number(
        &mut self,
        key: &str,
        range: std::ops::RangeInclusive<f64>,
    ) -> Result<Option<f64>> {
        let expected = format!("a number from {} to {}", range.start(), range.end());
        let number = match self.table.remove(key) {
            None => return Ok(None),
            Some(Value::Float(number)) => number,
            Some(Value::Integer(number)) => number as f64,
            Some(other) => return Err(self.wrong(key, &expected, &other)),
        };
        // NaN is in no range.
        if range.contains(&number) {
            Ok(Some(number))
        } else {
            Err(self.wrong(key, &expected, &Value::Float(number)))
        }
    }

    /// The value if it is a text; a value of another kind is left for others to read.
    pub fn optional_text(&mut self, key: &str) -> Option<String> {
        match self.table.get(key) {
            Some(Value::String(text)) => {
                let text = text.clone();
                self.table.remove(key);
                Some(text)
            }
            _ => None,
        }
    }

    /// A list of texts; one text stands for a list of it alone.
    pub fn texts(&mut self, key: &str) -> Result<Vec<String>> {
        match self.table.remove(key) {
            None => Ok(Vec::new()),
            Some(Value::String(text)) => Ok(vec![text]),
            Some(Value::Array(items)) => items
                .into_iter()
                .map(|item| match item {
                    Value::String(text) => Ok(text),
                    other => Err(self.wrong(key, "a list of texts", &other)),
                })
                .collect(),
            Some(other) => Err(self.wrong(key, "a list of texts", &other)),
        }
    }

    /// A table in the section; empty if there is none.
    pub fn table(&mut self, key: &str) -> Result<Table> {
        match self.table.remove(key) {
            None => Ok(Table::new()),
            Some(Value::Table(table)) => Ok(table),
            Some(other) => Err(self.wrong(key, "a table", &other)),
        }
    }

    /// One of a few words.
    pub fn choice(&mut self, key: &str, default: &str, known: &[&str]) -> Result<String> {
        let word = self.text(key, default)?;
        if known.contains(&word.as_str()) {
            return Ok(word);
        }
        Err(Error::config(format!("{}.{key} is `{word}`; known: {}", self.section, known.join(", "))))
    }

    /// A number above 0 and at most 1.
    pub fn fraction(&mut self, key: &str, default: f64) -> Result<f64> {
        let number = match self.table.remove(key) {
            None => return Ok(default),
            Some(Value::Float(number)) => number,
            Some(Value::Integer(number)) => number as f64,
            Some(other) => return Err(self.wrong(key, "a number above 0 and at most 1", &other)),
        };
        // NaN fails this test, too.
        if number > 0.0 && number <= 1.0 {
            Ok(number)
        } else {
            Err(self.wrong(key, "a number above 0 and at most 1", &Value::Float(number)))
        }
    }

    /// Refuses whatever was not read.
    pub fn finish(self, known: impl Iterator<Item = &'static str>) -> Result<()> {
        let Some(key) = self.table.keys().next() else { return Ok(()) };
        let names: Vec<&str> = known.collect();
        Err(Error::config(format!("unknown key `{key}` in [{}]; known: {}", self.section, names.join(", "))))
    }

    fn wrong(&self, key: &str, expected: &str, got: &Value) -> Error {
        Error::config(format!("{}.{key} is {got}, it must be {expected}", self.section))
    }
}

/// The type and parameters that rebuild a part.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec {
    /// The name of the part.
    pub kind: String,
    /// Sorted by key, so that equal parts have equal specs.
    pub params: Table,
}

impl Spec {
    /// A part without parameters.
    pub fn new(kind: &str) -> Self {
        Spec { kind: kind.to_owned(), params: Table::new() }
    }

    /// Adds a parameter.
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.params.insert(key.to_owned(), value.into());
        self
    }

    /// As a section of a recipe.
    pub fn to_table(&self) -> Table {
        let mut table = self.params.clone();
        table.insert("type".to_owned(), Value::String(self.kind.clone()));
        table
    }
}

/// The error for a name nobody registered: it lists the known ones.
pub fn unknown(what: &str, name: &str, known: impl IntoIterator<Item = impl AsRef<str>>) -> Error {
    let known: Vec<String> = known.into_iter().map(|name| name.as_ref().to_owned()).collect();
    Error::config(format!("unknown {what} `{name}`; known: {}", known.join(", ")))
}

/// The value of a recipe key given on a command line: TOML where it is TOML, else text.
pub fn value_from_text(text: &str) -> Value {
    let parsed = format!("v = {text}").parse::<toml::Table>().ok();
    parsed.and_then(|mut table| table.remove("v")).unwrap_or_else(|| Value::String(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(toml: &str) -> Params {
        Params::new("decide", toml.parse().unwrap())
    }

    #[test]
    fn fractions_refuse_what_is_no_fraction() {
        for bad in ["nan", "inf", "0.0", "-0.5", "1.01", "\"high\"", "2"] {
            let error = params(&format!("threshold = {bad}")).fraction("threshold", 0.8).unwrap_err();
            assert!(error.to_string().contains("decide.threshold"), "{bad}: {error}");
        }
        assert_eq!(params("threshold = 1").fraction("threshold", 0.8).unwrap(), 1.0);
    }

    #[test]
    fn unread_keys_are_refused_with_the_known_ones() {
        let error =
            params("treshold = 0.8").finish(["type", "threshold"].into_iter()).unwrap_err().to_string();
        assert!(error.contains("treshold") && error.contains("type, threshold"), "{error}");
    }

    #[test]
    fn negative_counts_are_refused() {
        assert!(params("hashes = -3").integer("hashes", 1).is_err());
    }

    #[test]
    fn command_line_values_have_their_natural_type() {
        assert_eq!(value_from_text("5"), Value::Integer(5));
        assert_eq!(value_from_text("0.8"), Value::Float(0.8));
        assert_eq!(value_from_text("true"), Value::Boolean(true));
        assert_eq!(value_from_text("char"), Value::String("char".into()));
        assert_eq!(value_from_text("max:score,first"), Value::String("max:score,first".into()));
    }
}
