//! Suggestions for a user who named a field that no document has.

use serde::de::IgnoredAny;
use serde_json::Value;

use crate::inputs::Input;
use crate::read::{Chunk, ReadOptions, Reader};

/// Common names of fields with the text of a document.
const USUAL: [&str; 10] = [
    "text",
    "body",
    "content",
    "raw_content",
    "document",
    "message",
    "abstract",
    "article",
    "description",
    "sentence",
];
/// The most fields that are named.
const NAMED: usize = 20;

/// A field of a document: its path, and the length of its text if it has one.
type Seen = (String, Option<usize>);

/// Which fields the first document of an input has, and which of them may have been meant; `None` if no
/// document can be read.
pub fn instead_of(field: &str, input: &Input, max_line: u64) -> Option<String> {
    let mut seen = Vec::new();
    list(&first_document(input, max_line)?, "", &mut seen);
    Some(sentence(field, &seen))
}

fn first_document(input: &Input, max_line: u64) -> Option<Value> {
    let options = ReadOptions { max_line, columns: Vec::new(), text: String::new(), cursors: 1 };
    let reader = Reader::open(std::slice::from_ref(input), options).ok()?;
    let mut chunk = Chunk::default();
    while reader.next(&mut chunk, &|_, _| false).ok()? {
        let objects = chunk.lines().filter_map(|line| line.content.ok());
        let mut objects = objects.filter(|line| serde_json::from_str::<IgnoredAny>(line).is_ok());
        if let Some(value) = objects.find_map(|line| serde_json::from_str(line).ok().filter(Value::is_object))
        {
            return Some(value);
        }
    }
    None
}

fn list(value: &Value, before: &str, seen: &mut Vec<Seen>) {
    const DEEPEST: usize = 4;
    let Value::Object(fields) = value else { return };
    for (name, value) in fields {
        let path = if before.is_empty() { name.clone() } else { format!("{before}.{name}") };
        match value {
            Value::Object(fields) if !fields.is_empty() && path.matches('.').count() < DEEPEST => {
                list(value, &path, seen);
            }
            _ => seen.push((path, value.as_str().map(str::len))),
        }
    }
}

fn sentence(field: &str, seen: &[Seen]) -> String {
    if seen.is_empty() {
        return format!("no field `{field}`; the first document has no fields at all");
    }
    let mut names: Vec<&str> = seen.iter().take(NAMED).map(|(name, _)| name.as_str()).collect();
    let more = format!("{} more", seen.len().saturating_sub(NAMED));
    if seen.len() > NAMED {
        names.push(&more);
    }
    let meant =
        meant(field, seen).map_or(String::new(), |name| format!("; did you mean --text-field {name}?"));
    format!("no field `{field}`; the first document has: {}{meant}", names.join(", "))
}

/// The field with a text that was most likely meant: with a similar name, with that name inside an object, with a
/// usual name, or with the longest text.
fn meant<'a>(field: &str, seen: &'a [Seen]) -> Option<&'a str> {
    let texts: Vec<(&str, usize)> =
        seen.iter().filter_map(|(name, length)| Some((name.as_str(), (*length)?))).collect();
    let last = |name: &str| name.rsplit('.').next().unwrap_or(name).to_lowercase();
    let spelled = || {
        let distance = |name: &str| edits(&name.to_lowercase(), &field.to_lowercase());
        let nearest = texts.iter().map(|&(name, _)| (distance(name), name)).min()?;
        (nearest.0 <= field.chars().count() / 3).then_some(nearest.1)
    };
    let further_in = || texts.iter().find(|(name, _)| last(name) == last(field)).map(|&(name, _)| name);
    let usual =
        || USUAL.iter().find_map(|usual| Some(texts.iter().find(|(name, _)| last(name) == *usual)?.0));
    let longest = || texts.iter().max_by_key(|(_, length)| *length).map(|&(name, _)| name);
    spelled().or_else(further_in).or_else(usual).or_else(longest)
}

/// The edit distance: how many characters to insert, delete or replace (Levenshtein).
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.chars().enumerate() {
        let mut corner = std::mem::replace(&mut row[0], i + 1);
        for (j, to) in b.iter().enumerate() {
            let replaced = corner + usize::from(from != *to);
            corner = row[j + 1];
            row[j + 1] = replaced.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_likeliest_field_is_named() {
        let told = |field: &str, line: &str| {
            let mut seen = Vec::new();
            list(&serde_json::from_str(line).unwrap(), "", &mut seen);
            sentence(field, &seen)
        };
        assert_eq!(
            told("text", r#"{"body":"a b","title":"a longer title","url":"u","n":1}"#),
            "no field `text`; the first document has: body, n, title, url; did you mean --text-field body?"
        );
        assert!(told("contnet", r#"{"title":"t","content":"c"}"#).ends_with("--text-field content?"));
        assert!(told("text", r#"{"title":"t","meta":{"text":"c"}}"#).ends_with("--text-field meta.text?"));
        assert!(
            told("text", r#"{"ueberschrift":"t","inhalt":"much more"}"#).ends_with("--text-field inhalt?")
        );
        assert!(told("text", r#"{"n":1}"#).ends_with("has: n"));
        assert!(told("text", "{}").contains("no fields"));
        assert_eq!(edits("kitten", "sitting"), 3);
    }
}
