//! A document as the engine reads it: a JSON line, as if it came from a corpus.

use lookalike_core::{Error, Result};
use lookalike_extract::{Extracted, Picture, hash_of};
use serde_json::{Map, Value, json};

use lookalike_io::names::name_of;

use super::find::Found;

/// The id of a document: its file's, and the part within it.
pub fn id_of(file: &str, part: Option<&str>) -> String {
    match part {
        None => file.to_owned(),
        Some(part) => format!("{file}#{part}"),
    }
}

/// Where the line of a weak document has its text: nobody compares what is not in `text`.
const WEAK_TEXT: &str = "weak_text";

/// Writes the line. `marked` gives the text as HTML, for features that weigh headings and the like.
/// A weak document has an empty `text`, says in `weak` why, and has what was read in `weak_text`.
pub fn write(file: &Found, document: &Extracted, marked: bool, out: &mut Vec<u8>) -> Result<()> {
    let mut line = Map::new();
    line.insert("id".to_owned(), id_of(&file.id, document.part.as_deref()).into());
    let text = if marked { document.marked_up() } else { document.text.clone() };
    match document.weakness() {
        None => _ = line.insert("text".to_owned(), text.into()),
        Some(reason) => {
            line.insert("text".to_owned(), "".into());
            line.insert("weak".to_owned(), reason.into());
            line.insert(WEAK_TEXT.to_owned(), text.into());
        }
    }
    for (name, value) in [
        ("title", &document.title),
        ("author", &document.author),
        ("date", &document.date),
        ("language", &document.language),
    ] {
        if let Some(value) = value {
            line.insert(name.to_owned(), value.as_str().into());
        }
    }
    line.insert("path".to_owned(), file.id.as_str().into());
    let folder = file.path.parent().map(name_of).filter(|folder| !folder.is_empty());
    line.insert("source".to_owned(), folder.unwrap_or_else(|| ".".to_owned()).into());
    line.insert("type".to_owned(), document.kind.name().into());
    line.insert("bytes".to_owned(), document.bytes.into());
    // In seconds, as `newest` understands it where the document has no date of its own.
    line.insert("timestamp".to_owned(), (file.modified as f64 / 1e9).into());
    line.insert("file_hash".to_owned(), document.file_hash.as_str().into());
    line.insert("text_hash".to_owned(), hash_of(document.text.as_bytes()).into());
    if !document.links.is_empty() {
        line.insert("links".to_owned(), json!(document.links));
    }
    if !document.images.is_empty() {
        line.insert("images".to_owned(), json!(document.images));
    }
    // Where there is no text, the pictures tell which of two copies is the better one.
    if document.text.is_empty() && !document.images.is_empty() {
        let pixels = |picture: &Picture| u64::from(picture.width) * u64::from(picture.height);
        line.insert("pixels".to_owned(), document.images.iter().map(pixels).sum::<u64>().into());
        line.insert("picture_bytes".to_owned(), document.bytes.into());
    }
    // What the file says of itself never replaces what we know of it.
    for (name, value) in &document.fields {
        line.entry(name.as_str()).or_insert_with(|| value.as_str().into());
    }
    serde_json::to_writer(&mut *out, &Value::Object(line))
        .map_err(|error| Error::Internal(format!("{}: {error}", file.id)))?;
    out.push(b'\n');
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_what_stages_ask_for() {
        let file = Found {
            id: "box/a.mbox".into(),
            path: "a".into(),
            bytes: 9,
            modified: 2_500_000_000,
            ..Found::default()
        };
        let mut document = Extracted {
            part: Some("7".to_owned()),
            text: "one & two".to_owned(),
            title: Some("T".to_owned()),
            bytes: 4,
            ..Extracted::default()
        };
        document.fields.insert("from".to_owned(), "me".to_owned());
        document.fields.insert("id".to_owned(), "forged".to_owned());
        let read = |marked: bool| -> Value {
            let mut bytes = Vec::new();
            write(&file, &document, marked, &mut bytes).unwrap();
            serde_json::from_slice(&bytes).unwrap()
        };
        let line = read(false);
        assert_eq!(line["id"], "box/a.mbox#7");
        assert_eq!(
            (&line["text"], &line["title"], &line["from"]),
            (&json!("one & two"), &json!("T"), &json!("me"))
        );
        assert_eq!(
            (&line["timestamp"], &line["type"], &line["bytes"]),
            (&json!(2.5), &json!("text"), &json!(4))
        );
        assert_eq!(line.get("pixels"), None, "the text decides");
        assert_eq!(read(true)["text"], "one &amp; two");
        assert_eq!(line["text_hash"], read(true)["text_hash"], "the text is the same");
        let picture = |width, height| Picture { width, height, ..Picture::default() };
        let image =
            Extracted { images: vec![picture(20, 10), picture(3, 1)], bytes: 77, ..Extracted::default() };
        let mut bytes = Vec::new();
        write(&file, &image, false, &mut bytes).unwrap();
        let line: Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!((&line["pixels"], &line["picture_bytes"]), (&json!(203), &json!(77)));
        document.doubt(0.1, "a banner");
        document.fields.insert("weak_text".to_owned(), "forged".to_owned());
        let mut bytes = Vec::new();
        write(&file, &document, false, &mut bytes).unwrap();
        let line: Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(
            (&line["text"], &line["weak"], &line["weak_text"]),
            (&json!(""), &json!("a banner"), &json!("one & two"))
        );
    }
}
