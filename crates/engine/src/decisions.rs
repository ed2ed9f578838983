//! Decisions of people about documents, as a file has them: one JSON object per line.
//!
//! ```text
//! {"a":"d1","b":"d7","duplicate":false,"a_text":"cf43…","b_text":"1e51…"}
//! {"keep":"d1","text":"cf43…"}
//! ```
//!
//! A text is named by its digest. With one, a line applies to that version of the document only; without one, to
//! whatever text the document has now. If several lines are about the same pair, the last one counts.

use std::collections::HashSet;
use std::fmt::{self, Display};
use std::path::Path;

use lookalike_core::document::Id;
use lookalike_core::{Error, Result, hash};
use lookalike_io::record::parse_id;
use lookalike_plumbing::files::AtomicFile;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

/// Decisions of people.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decisions {
    /// In the order in which they were made: a later one overrides an earlier one.
    pub pairs: Vec<DecidedPair>,
    /// Documents that should be masters of their clusters whatever the keep rules say.
    pub keepers: Vec<Named>,
}

/// Two documents, and whether they are duplicates.
#[derive(Clone, Debug, PartialEq)]
pub struct DecidedPair {
    /// One document.
    pub a: Named,
    /// The other.
    pub b: Named,
    /// Whether they are near-duplicates.
    pub duplicate: bool,
}

/// A document and, if known, the text that a person saw.
#[derive(Clone, Debug, PartialEq)]
pub struct Named {
    /// Its id in the corpus or the index.
    pub id: Id,
    /// The digest of the text when the decision was made.
    pub text: Option<TextDigest>,
}

/// The digest of a text, to check whether the text is still the same byte for byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TextDigest(pub u128);

impl TextDigest {
    /// The digest of a text.
    pub fn of(text: &str) -> Self {
        TextDigest(hash::digest_bytes(text.as_bytes()))
    }

    fn read(digits: &str) -> Result<Self, String> {
        let is_digest = digits.len() == 32 && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let number = u128::from_str_radix(digits, 16).ok().filter(|_| is_digest);
        number
            .map(TextDigest)
            .ok_or_else(|| format!("`{digits}` is no digest of a text: 32 hexadecimal digits"))
    }
}

impl Display for TextDigest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:032x}", self.0)
    }
}

impl Serialize for TextDigest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for TextDigest {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "TextDigest".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "Tells whether a text is still the same",
            "type": "string",
            "pattern": "^[0-9a-f]{32}$",
        })
    }
}

impl Decisions {
    /// Reads a file of lines, or the JSON object that `GET /api/decisions` returns.
    pub fn read(path: &Path) -> Result<Decisions> {
        let file = std::fs::read_to_string(path).map_err(Error::io(path))?;
        Decisions::from_text(&file, &path.display().to_string())
    }

    /// Reads the content of such a file. Errors name the file and the line.
    pub fn from_text(text: &str, file: &str) -> Result<Decisions> {
        let parsed = Decisions::parse(text.trim_start_matches('\u{feff}'));
        parsed.map_err(|(line, reason)| Error::Input(format!("{file}: line {line}: {reason}")))
    }

    /// Errors name the line.
    fn parse(text: &str) -> Result<Decisions, (usize, String)> {
        let mut decisions = Decisions::default();
        if is_answer(text) {
            let answer: Answer<'_> =
                serde_json::from_str(text).map_err(|error| (error.line(), described(&error)))?;
            for one in answer.decisions {
                let start = one.get().as_ptr() as usize - text.as_ptr() as usize;
                let line = 1 + text.as_bytes()[..start].iter().filter(|&&byte| byte == b'\n').count();
                decisions.add(one.get()).map_err(|reason| (line, reason))?;
            }
        } else {
            for (line, number) in text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty()) {
                decisions.add(line).map_err(|reason| (number, reason))?;
            }
        }
        Ok(decisions)
    }

    fn add(&mut self, json: &str) -> Result<(), String> {
        let line: Line<'_> = serde_json::from_str(json).map_err(|error| described(&error))?;
        match line {
            Line { a: Some(a), b: Some(b), duplicate: Some(duplicate), keep: None, text: None, .. } => {
                let (a, b) = (Named::read(a, line.a_text)?, Named::read(b, line.b_text)?);
                self.pairs.push(DecidedPair { a, b, duplicate });
            }
            Line {
                keep: Some(id), a: None, b: None, duplicate: None, a_text: None, b_text: None, ..
            } => {
                self.keepers.push(Named::read(id, line.text)?);
            }
            _ => {
                return Err(
                    "a line is {\"a\":ID,\"b\":ID,\"duplicate\":true or false} or {\"keep\":ID}".to_owned()
                );
            }
        }
        Ok(())
    }

    /// Adds later decisions.
    pub fn extend(&mut self, later: Decisions) {
        self.pairs.extend(later.pairs);
        // A document is listed once, however often it was chosen.
        let known: HashSet<String> = self.keepers.iter().map(Named::to_string).collect();
        self.keepers.extend(later.keepers.into_iter().filter(|named| !known.contains(&named.to_string())));
    }

    /// The number of pairs.
    pub fn len(&self) -> usize {
        self.pairs.len() + self.keepers.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Writes them as lines of JSON.
    pub fn write(&self, path: &Path) -> Result<()> {
        let mut file = AtomicFile::create(path)?;
        file.write(self.to_string().as_bytes())?;
        file.finish()
    }
}

/// The lines of a file.
impl Display for Decisions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for DecidedPair { a, b, duplicate } in &self.pairs {
            let (a_id, b_id) = (a.id.json(), b.id.json());
            write!(formatter, "{{\"a\":{a_id},\"b\":{b_id},\"duplicate\":{duplicate}")?;
            for (key, text) in [("a_text", a.text), ("b_text", b.text)] {
                write_text(formatter, key, text)?;
            }
            formatter.write_str("}\n")?;
        }
        self.keepers.iter().try_for_each(|keeper| writeln!(formatter, "{keeper}"))
    }
}

impl Named {
    fn read(raw: &RawValue, text: Option<&str>) -> Result<Named, String> {
        let id = parse_id(raw.get())?.ok_or("an id is null")?;
        Ok(Named { id, text: text.map(TextDigest::read).transpose()? })
    }
}

/// A line that says to keep a document.
impl Display for Named {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{{\"keep\":{}", self.id.json())?;
        write_text(formatter, "text", self.text)?;
        formatter.write_str("}")
    }
}

fn write_text(formatter: &mut fmt::Formatter<'_>, key: &str, text: Option<TextDigest>) -> fmt::Result {
    text.map_or(Ok(()), |text| write!(formatter, ",\"{key}\":\"{text}\""))
}

/// A line of either kind. Unknown keys are refused, so that a misspelt key is not ignored.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "an object")]
struct Line<'a> {
    #[serde(borrow)]
    a: Option<&'a RawValue>,
    #[serde(borrow)]
    b: Option<&'a RawValue>,
    duplicate: Option<bool>,
    a_text: Option<&'a str>,
    b_text: Option<&'a str>,
    #[serde(borrow)]
    keep: Option<&'a RawValue>,
    text: Option<&'a str>,
    /// Access labels are ignored: the texts say which document is meant.
    #[serde(default, rename = "a_labels")]
    _a_labels: IgnoredAny,
    #[serde(default, rename = "b_labels")]
    _b_labels: IgnoredAny,
    /// Who decided and when; for people only.
    #[serde(default, rename = "by")]
    _by: IgnoredAny,
    #[serde(default, rename = "time")]
    _time: IgnoredAny,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer<'a> {
    #[serde(borrow)]
    decisions: Vec<&'a RawValue>,
}

/// Whether a text is one object with a list of decisions, rather than lines.
fn is_answer(text: &str) -> bool {
    let within = text.trim_start().strip_prefix('{');
    within.is_some_and(|within| within.trim_start().starts_with("\"decisions\""))
}

/// The message without the position, which is given separately.
fn described(error: &serde_json::Error) -> String {
    let message = error.to_string();
    message.split(" at line ").next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = "{\"a\":\"x\",\"b\":7,\"duplicate\":false,\"a_text\":\"d5fdbdfe0f6626528ee68af665c496cd\"}\n\
                         {\"a\":\"x\",\"b\":\"caf\u{e9}\",\"duplicate\":true}\n\
                         {\"keep\":7,\"text\":\"00000000000000000000000000000001\"}\n";

    #[test]
    fn lines_come_back_as_they_were() {
        let decisions = Decisions::parse(LINES).unwrap();
        assert_eq!((decisions.pairs.len(), decisions.keepers.len(), decisions.len()), (2, 1, 3));
        assert_eq!(decisions.pairs[0].a.text, Some(TextDigest::of("")));
        assert_eq!(decisions.to_string(), LINES);
        let mut twice = decisions.clone();
        twice.extend(decisions);
        assert_eq!((twice.pairs.len(), twice.keepers.len()), (4, 1));
    }

    #[test]
    fn the_answer_of_a_service_is_read_however_it_is_laid_out() {
        let one = "{\"a\":\"x\",\"b\":\"caf\\u00e9\",\"duplicate\":true,\"by\":\"me\",\"time\":5}";
        for text in
            [format!("{{\"decisions\":[{one}]}}"), format!("\n{{\n \"decisions\" : [\n{one}\n]\n}}\n")]
        {
            let decisions = Decisions::parse(&text).unwrap();
            assert_eq!(decisions.pairs, Decisions::parse(LINES).unwrap().pairs[1..], "{text}");
        }
        assert_eq!(Decisions::parse("{\"decisions\":[]}").unwrap(), Decisions::default());
    }

    #[test]
    fn what_is_no_decision_is_told_with_its_line() {
        let short = "{\"a\":1,\"b\":2,\"duplicate\":true,\"a_text\":\"abc\"}";
        for (text, line, expected) in [
            ("\n\n{\"a\":1,", 3, "EOF"),
            ("{\"a\":1,\"b\":2}", 1, "a line is"),
            ("{\"a\":1,\"b\":2,\"duplicate\":null}", 1, "a line is"),
            ("{\"keep\":1,\"duplicate\":true}", 1, "a line is"),
            ("{\"keep\":1}\n{\"a\":1,\"b\":2,\"duplicate\":true,\"a_txt\":\"x\"}", 2, "`a_txt`"),
            ("{\"a\":1,\"b\":[2],\"duplicate\":true}", 1, "not a scalar"),
            ("{\"a\":1,\"b\":2,\"duplicate\":\"yes\"}", 1, "a boolean"),
            (short, 1, "`abc` is no digest"),
            ("{\"decisions\":[\n{\"keep\":1},\n{\"a\":1}]}", 3, "a line is"),
            ("{\"decisions\":[\n7]}", 2, "invalid type"),
            ("{\"decisions\":[],\n\"more\":1}", 2, "`more`"),
        ] {
            let (told, reason) = Decisions::parse(text).unwrap_err();
            assert!(told == line && reason.contains(expected), "{text}: {told} {reason}");
        }
    }
}
