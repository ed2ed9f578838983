//! A document of a file as the engine reads it: text, id and fields, or all of them as one line of a corpus.

use std::borrow::Cow;

use lookalike_core::document::{Document, Id, Value as FieldValue};
use lookalike_core::{Error, Result};
use lookalike_extract::{Extracted, Picture, hash_of};
use lookalike_io::names::name_of;
use lookalike_io::record::{Record, value_of, values_at};
use serde_json::{Map, Value, json};

use super::find::Found;

/// The id of a document: the file's id and the part within it.
pub fn id_of(file: &str, part: Option<&str>) -> String {
    match part {
        None => file.to_owned(),
        Some(part) => format!("{file}#{part}"),
    }
}

/// A document and its file.
pub struct FileDocument<'a> {
    /// Where it was found.
    pub file: &'a Found,
    /// What was read.
    pub document: &'a Extracted,
    /// Whether to give the text as HTML, for features that use headings and emphasis.
    pub marked: bool,
    /// Whether the text is compared; if not, the document has an empty text.
    pub is_compared: bool,
}

/// Fields that we know of every document. If a value is missing, the file's own metadata replaces it.
const FIELDS: [&str; 21] = [
    "id",
    "text",
    "weak",
    WEAK_TEXT,
    "title",
    "author",
    "date",
    "language",
    "path",
    "source",
    "type",
    "bytes",
    "timestamp",
    "file_hash",
    "text_hash",
    "links",
    "images",
    "metadata",
    "structure",
    "pixels",
    "picture_bytes",
];

/// The field with the text of a weak document: only `text` is compared.
const WEAK_TEXT: &str = "weak_text";

impl<'a> FileDocument<'a> {
    /// Its id: the file, and its part if there are several.
    pub fn id(&self) -> String {
        id_of(&self.file.id, self.document.part.as_deref())
    }

    /// Writes the document as a line. A weak document has an empty `text`, the reason in `weak`, and what was read
    /// in `weak_text`.
    pub fn write(&self, out: &mut Vec<u8>) -> Result<()> {
        let mut line = Map::new();
        for name in FIELDS {
            if let Some(value) = self.known(name) {
                line.insert(name.to_owned(), value);
            }
        }
        // The file's own metadata never replaces what we know of it.
        for (name, value) in &self.document.fields {
            line.entry(name.as_str()).or_insert_with(|| value.as_str().into());
        }
        for (name, values) in &self.document.lists {
            line.entry(name.as_str()).or_insert_with(|| values.as_slice().into());
        }
        serde_json::to_writer(&mut *out, &Value::Object(line))
            .map_err(|error| Error::Internal(format!("{}: {error}", self.file.id)))?;
        out.push(b'\n');
        Ok(())
    }

    /// What the engine reads of the line that [`write`](FileDocument::write) writes.
    pub fn record(&self, wanted: &[String]) -> Record<'a> {
        let fields = wanted.iter().map(|name| self.field(name)).collect();
        let text = if self.document.confidence.is_weak() { Cow::Borrowed("") } else { self.text() };
        let id = Some(Id::from_json(Value::from(self.id()).to_string()));
        Record { id, document: Document { text, fields, position: 0 } }
    }

    /// A field's value as the engine reads it of the line.
    fn field(&self, name: &str) -> Option<FieldValue<'a>> {
        match self.known(name) {
            Some(Value::String(text)) => Some(FieldValue::Text(text.into())),
            Some(Value::Number(number)) => number.as_f64().map(FieldValue::Number),
            Some(other) => value_of(&other.to_string()),
            None => match self.document.fields.get(name) {
                Some(text) => Some(FieldValue::Text(text.as_str().into())),
                None => match self.document.lists.get(name) {
                    Some(values) => value_of(&Value::from(values.as_slice()).to_string()),
                    None => self.within(name),
                },
            },
        }
    }

    /// The values of a field by a path, as of `images.width`.
    fn within(&self, path: &str) -> Option<FieldValue<'a>> {
        path.match_indices('.').find_map(|(at, _)| {
            let outer = self.known(&path[..at])?;
            values_at(&outer.to_string(), &path[at + 1..])
        })
    }

    fn known(&self, name: &str) -> Option<Value> {
        let FileDocument { file, document, .. } = self;
        let is_weak = document.confidence.is_weak();
        let given = |value: &Option<String>| value.as_deref().map(Value::from);
        // Without a text, the pictures show which of two copies is better.
        let is_picture = || self.plain_text().is_empty() && !document.images.is_empty();
        Some(match name {
            "id" => self.id().into(),
            "text" if is_weak => "".into(),
            "text" => self.text().into(),
            "weak" => document.weakness()?.into(),
            WEAK_TEXT if is_weak => self.text().into(),
            "title" => given(&document.title)?,
            "author" => given(&document.author)?,
            "date" => given(&document.date)?,
            "language" => given(&document.language)?,
            "path" => file.id.as_str().into(),
            "source" => {
                let folder = file.path.parent().map(name_of).filter(|folder| !folder.is_empty());
                folder.unwrap_or_else(|| ".".to_owned()).into()
            }
            "type" => document.kind.name().into(),
            "bytes" => document.bytes.into(),
            // In seconds, as `newest` uses it if the document has no date of its own.
            "timestamp" => (file.modified as f64 / 1e9).into(),
            "file_hash" => document.file_hash.as_str().into(),
            "text_hash" => hash_of(self.plain_text().as_bytes()).into(),
            "links" if !document.links.is_empty() => json!(document.links),
            "images" if !document.images.is_empty() => json!(document.images),
            "metadata" if document.metadata().next().is_some() => document
                .metadata()
                .map(|(name, value)| (name.to_owned(), value.into()))
                .collect::<Map<_, _>>()
                .into(),
            "structure" if !document.structure.is_empty() => json!(document.structure),
            "pixels" if is_picture() => {
                let pixels = |picture: &Picture| u64::from(picture.width) * u64::from(picture.height);
                document.images.iter().map(pixels).sum::<u64>().into()
            }
            "picture_bytes" if is_picture() => document.bytes.into(),
            _ => return None,
        })
    }

    fn text(&self) -> Cow<'a, str> {
        match self.marked && self.is_compared {
            true => Cow::Owned(self.document.marked_up()),
            false => Cow::Borrowed(self.plain_text()),
        }
    }

    fn plain_text(&self) -> &'a str {
        if self.is_compared { &self.document.text } else { "" }
    }
}

#[cfg(test)]
mod tests {
    use lookalike_io::record::{Fields, TextBuffer};

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
        let line_of = |document: &Extracted, marked: bool, is_compared: bool| -> Value {
            let mut bytes = Vec::new();
            FileDocument { file: &file, document, marked, is_compared }.write(&mut bytes).unwrap();
            serde_json::from_slice(&bytes).unwrap()
        };
        let read = |marked: bool| line_of(&document, marked, true);
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
        let line = line_of(&image, false, true);
        assert_eq!((&line["pixels"], &line["picture_bytes"]), (&json!(203), &json!(77)));
        document.doubt(0.1, "a banner");
        document.fields.insert("weak_text".to_owned(), "forged".to_owned());
        let line = line_of(&document, false, true);
        assert_eq!(
            (&line["text"], &line["weak"], &line["weak_text"]),
            (&json!(""), &json!("a banner"), &json!("one & two"))
        );
    }

    #[test]
    fn a_record_is_what_the_engine_reads_of_the_line() {
        let file = Found {
            id: "a \"b\".mbox".into(),
            path: "folder/a.mbox".into(),
            bytes: 9,
            modified: 1_723_456_789_123_456_789,
            ..Found::default()
        };
        let mut plain = Extracted {
            part: Some("7".to_owned()),
            text: "one & two\nthree".to_owned(),
            date: Some("2024-05-05".to_owned()),
            links: ["x".to_owned(), "y".to_owned()].into(),
            structure: vec![3, 9, 4],
            author: Some("A".to_owned()),
            bytes: (1 << 60) + 1,
            file_hash: "ab".to_owned(),
            ..Extracted::default()
        };
        for (name, value) in
            [("title", "its own"), ("links", "hidden"), ("bytes", "forged"), ("meta.key", "v")]
        {
            plain.fields.insert(name.to_owned(), value.to_owned());
        }
        for (name, values) in
            [("topics", vec!["a", "b"]), ("single", vec!["c"]), ("meta.key", vec!["hidden"])]
        {
            plain.lists.insert(name.to_owned(), values.into_iter().map(str::to_owned).collect());
        }
        let mut weak = plain.clone();
        weak.doubt(0.1, "a banner");
        let picture = Picture { width: 20, height: 10, ..Picture::default() };
        let seen = Picture {
            perceptual_hash: Some("00ff00ff00ff00ff".to_owned()),
            width: 200,
            height: 100,
            ..Picture::default()
        };
        let named = Picture { source: Some("a.png".to_owned()), ..Picture::default() };
        let image =
            Extracted { images: vec![picture, seen, named], title: Some("T".to_owned()), ..plain.clone() };
        let mut wanted: Vec<String> = FIELDS.map(str::to_owned).to_vec();
        wanted.extend(["meta.key", "meta", "nothing", "topics", "single", "images.width"].map(str::to_owned));
        let fields = Fields { id: "id".to_owned(), text: "text".to_owned(), wanted };
        for document in [&plain, &weak, &image] {
            for (marked, is_compared) in [(false, true), (true, true), (false, false), (true, false)] {
                let document = FileDocument { file: &file, document, marked, is_compared };
                let (mut line, mut buffer) = (Vec::new(), TextBuffer::default());
                document.write(&mut line).unwrap();
                let line = std::str::from_utf8(&line).unwrap();
                let parsed = fields.parse(line, &mut buffer).unwrap();
                let record = document.record(&fields.wanted);
                assert_eq!(record.id, parsed.id);
                assert_eq!(record.document.text, parsed.document.text);
                assert_eq!(record.document.fields, parsed.document.fields, "{line}");
            }
        }
    }
}
