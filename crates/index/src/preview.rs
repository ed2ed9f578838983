//! The few fields of a document that lists show, read from its JSON line.

use std::borrow::Cow;

use lookalike_core::cluster::seconds_of;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How many characters of the text stand in for a missing title.
const BEGINNING: usize = 100;

/// What lists show of a document.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Preview {
    /// Its access labels, which belong to its name; left out if it has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// The title, or else the beginning of the text; null for an empty one.
    pub title: Option<String>,
    /// The field `type`.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// The field `source`.
    pub source: Option<String>,
    /// Seconds since 1970 that the document names as its time.
    pub time: Option<u64>,
    /// Of its text.
    pub bytes: u64,
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, default)]
    text: Cow<'a, str>,
    title: Option<Value>,
    #[serde(rename = "type")]
    kind: Option<Value>,
    source: Option<Value>,
    time: Option<Value>,
    date: Option<Value>,
    timestamp: Option<Value>,
}

impl Preview {
    /// The preview of a JSON line, without labels. A line that is not JSON gives an empty one.
    pub fn of(line: &[u8]) -> Preview {
        let Ok(line) = serde_json::from_slice::<Line<'_>>(line) else { return Preview::default() };
        let text = |value: Option<Value>| match value? {
            Value::String(text) if !text.trim().is_empty() => Some(text),
            _ => None,
        };
        let time = [line.time, line.date, line.timestamp].into_iter().flatten().next();
        let time = time.and_then(|time| match time {
            Value::Number(seconds) => seconds.as_f64(),
            Value::String(text) => seconds_of(&text),
            _ => None,
        });
        Preview {
            labels: Vec::new(),
            title: text(line.title).or_else(|| beginning(&line.text)),
            kind: text(line.kind),
            source: text(line.source),
            time: time.filter(|seconds| *seconds >= 0.0).map(|seconds| seconds as u64),
            bytes: line.text.len() as u64,
        }
    }
}

/// The beginning of a text on one line, cut between words where possible; `None` if it has no words.
fn beginning(text: &str) -> Option<String> {
    let mut found = String::new();
    for word in text.split_whitespace() {
        if !found.is_empty() {
            found.push(' ');
        }
        found.extend(word.chars().take(BEGINNING));
        if found.chars().count() >= BEGINNING {
            return Some(found.chars().take(BEGINNING).chain(['…']).collect());
        }
    }
    (!found.is_empty()).then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preview_has_a_title_whatever_the_document_has() {
        let preview =
            Preview::of(br#"{"text":"abc","title":"T","type":"pdf","source":7,"time":"1970-01-02"}"#);
        assert_eq!((preview.title.as_deref(), preview.kind.as_deref()), (Some("T"), Some("pdf")));
        assert_eq!((preview.source, preview.time, preview.bytes), (None, Some(86_400), 3));
        assert_eq!(Preview::of(br#"{"text":" one\n two ","title":" "}"#).title.as_deref(), Some("one two"));
        assert_eq!(Preview::of(br#"{"text":""}"#).title, None);
        let long = format!("{{\"text\":\"{}\"}}", "語".repeat(300));
        assert_eq!(Preview::of(long.as_bytes()).title.unwrap().chars().count(), BEGINNING + 1);
        assert_eq!(Preview::of(b"{"), Preview::default());
    }
}
