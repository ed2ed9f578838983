//! Turns a document of a request into one flat JSON line, as in a corpus.
//!
//! `{"id","text" or "content","images":[…],"links":[…],"title","url","time","labels":[…],"fields":{…},"set"}`: the values in `fields` are
//! placed beside the others, where recipes and keep rules look for them. Fields with other names are treated as if
//! they were in `fields`, so a line of any corpus is also a document. Values are copied as they are written, so
//! that large numbers keep their digits.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Formatter;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use lookalike::Id;
use schemars::{JsonSchema, Schema};
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::error::{ApiError, ApiResult};
use crate::reader::FileText;

/// Names that must not occur in `fields`.
pub const RESERVED: [&str; 9] = ["id", "text", "content", "title", "url", "time", "labels", "fields", "set"];
/// Fields that hold lists.
const STREAMS: [&str; 2] = ["images", "links"];
const MOST_ID: usize = 1024;
const MOST_LABELS: usize = 100;

/// A parsed document. Its `content`, a file, may still have to be read.
pub struct IncomingDocument<'a> {
    pub id: Option<Id>,
    pub labels: Vec<String>,
    parts: DocumentFields<'a>,
}

/// A document. To be inserted it needs an id.
#[derive(Default, JsonSchema)]
#[schemars(rename = "Document", transform = needs_text_or_content)]
pub struct DocumentFields<'a> {
    #[schemars(with = "Option<Id>")]
    id: Option<&'a RawValue>,
    #[schemars(with = "Option<String>")]
    text: Option<&'a RawValue>,
    /// A file of any format in base64, instead of text
    #[schemars(extend("contentEncoding" = "base64"))]
    content: Option<Cow<'a, str>>,
    #[schemars(with = "Option<String>")]
    title: Option<&'a RawValue>,
    #[schemars(with = "Option<String>")]
    url: Option<&'a RawValue>,
    #[schemars(with = "Option<f64>", extend("type" = ["string", "number", "null"]))]
    time: Option<&'a RawValue>,
    /// Who may see it: callers with one of these; without labels everybody
    #[schemars(length(max = MOST_LABELS), inner(length(min = 1)))]
    labels: Option<Vec<String>>,
    /// The set of prototypes it belongs to, such as known spam
    #[schemars(with = "Option<String>")]
    set: Option<&'a RawValue>,
    // Those of `fields` and those beside it.
    /// Further fields, for keep rules and recipes; they may as well stand beside it
    #[schemars(with = "Option<Map<String, Value>>")]
    fields: BTreeMap<String, &'a RawValue>,
}

/// Streams are fields like others, but everyone should know of them.
fn needs_text_or_content(schema: &mut Schema) {
    schema.insert(
        "oneOf".to_owned(),
        json!([{ "required": ["text"] }, { "required": ["content"] }, {
            "required": ["images"],
            "not": { "anyOf": [{ "required": ["text"] }, { "required": ["content"] }] },
        }]),
    );
    for (name, description) in [
        (
            "images",
            "Its images: perceptual hashes of 16 hexadecimal digits, digests or addresses, as a list or parted \
                    by white space",
        ),
        ("links", "Where its links lead, as a list or parted by white space"),
    ] {
        let items = json!({ "type": ["string", "number", "object"] });
        let value =
            json!({ "description": description, "type": ["array", "string", "null"], "items": items });
        if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
            properties.insert(name.to_owned(), value);
        }
    }
}

impl<'de> Deserialize<'de> for DocumentFields<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(FieldsVisitor)
    }
}

struct FieldsVisitor;

/// A file in base64, borrowed where possible.
#[derive(serde::Deserialize)]
struct Content<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'de> Visitor<'de> for FieldsVisitor {
    type Value = DocumentFields<'de>;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a document: a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<DocumentFields<'de>, A::Error> {
        let mut parts = DocumentFields::default();
        let mut known: Vec<String> = Vec::new();
        while let Some(name) = map.next_key::<String>()? {
            if known.contains(&name) || parts.fields.contains_key(&name) {
                return Err(A::Error::custom(format!("`{name}` stands there twice")));
            }
            match name.as_str() {
                "id" => parts.id = map.next_value()?,
                "text" => parts.text = map.next_value()?,
                "content" => parts.content = map.next_value::<Option<Content>>()?.map(|content| content.0),
                "title" => parts.title = map.next_value()?,
                "url" => parts.url = map.next_value()?,
                "time" => parts.time = map.next_value()?,
                "labels" => parts.labels = map.next_value()?,
                "set" => parts.set = map.next_value()?,
                "fields" => {
                    for (name, value) in
                        map.next_value::<Option<BTreeMap<String, &RawValue>>>()?.unwrap_or_default()
                    {
                        if parts.fields.contains_key(&name) {
                            return Err(A::Error::custom(format!("`{name}` stands there twice")));
                        }
                        parts.fields.insert(name, value);
                    }
                }
                _ => {
                    parts.fields.insert(name, map.next_value()?);
                    continue;
                }
            }
            known.push(name);
        }
        Ok(parts)
    }
}

impl<'a> IncomingDocument<'a> {
    pub fn parse(json: &'a [u8]) -> ApiResult<IncomingDocument<'a>> {
        let mut parts: DocumentFields<'a> =
            serde_json::from_slice(json).map_err(|error| parse_error(&error))?;
        let id = parts.id.map(id_of).transpose()?;
        for (name, value) in
            [("text", parts.text), ("title", parts.title), ("url", parts.url), ("set", parts.set)]
        {
            if value.is_some_and(|value| !value.get().starts_with('"')) {
                return Err(ApiError::bad_document(format!("`{name}` must be text")));
            }
        }
        if parts.time.is_some_and(|time| !is_scalar(time)) {
            return Err(ApiError::bad_document("`time` must be text or a number"));
        }
        for name in STREAMS {
            let is_list =
                |value: &&RawValue| matches!(value.get().as_bytes().first(), Some(b'[' | b'"' | b'n'));
            if parts.fields.get(name).is_some_and(|value| !is_list(value)) {
                return Err(ApiError::bad_document(format!("`{name}` must be a list of texts, or a text")));
            }
        }
        match (&parts.text, &parts.content) {
            (Some(_), None) | (None, Some(_)) => {}
            (None, None) if parts.fields.contains_key("images") => {}
            (Some(_), Some(_)) => {
                return Err(ApiError::bad_document("give either `text` or `content`, not both"));
            }
            (None, None) => return Err(ApiError::bad_document("`text` or `content` is missing")),
        }
        let labels = parts.labels.take().unwrap_or_default();
        if labels.len() > MOST_LABELS || labels.iter().any(|label| label.is_empty() || label.len() > MOST_ID)
        {
            return Err(ApiError::bad_document(format!(
                "`labels` must be at most {MOST_LABELS} texts that are not empty"
            )));
        }
        if let Some(name) = parts.fields.keys().find(|name| RESERVED.contains(&name.as_str())) {
            return Err(ApiError::bad_document(format!(
                "`fields` must not have `{name}`, which is a name of its own"
            )));
        }
        Ok(IncomingDocument { id, labels, parts })
    }

    /// The bytes of `content`; `None` if the document has a text instead.
    pub fn file(&self) -> ApiResult<Option<Vec<u8>>> {
        let decode = |content: &Cow<'_, str>| STANDARD.decode(content.as_bytes());
        let file = self.parts.content.as_ref().map(decode).transpose();
        file.map_err(|error| ApiError::bad_document(format!("`content` is not base64: {error}")))
    }

    /// The line for the index. `read` is what was read from `content`.
    pub fn line(&self, read: Option<&FileText>) -> ApiResult<Vec<u8>> {
        let mut line = Line::default();
        if let Some(id) = &self.id {
            line.raw("id", id.json());
        }
        match (self.parts.text, read) {
            (Some(text), _) => line.raw("text", text.get()),
            // An image without words.
            (None, None) => line.raw("text", "\"\""),
            (None, Some(_)) => {}
        }
        let parts = &self.parts;
        for (name, value) in
            [("title", parts.title), ("url", parts.url), ("time", parts.time), ("set", parts.set)]
        {
            if let Some(value) = value {
                line.raw(name, value.get());
            }
        }
        if !self.labels.is_empty() {
            line.value("labels", &self.labels)?;
        }
        for (name, value) in &parts.fields {
            line.raw(name, value.get());
        }
        // Fields of the file never override those of the request.
        for (name, value) in read.iter().flat_map(|read| read.fields.iter()) {
            let is_taken = match name.as_str() {
                "title" => parts.title.is_some(),
                name => RESERVED.contains(&name) || parts.fields.contains_key(name),
            };
            if !is_taken {
                line.value(name, value)?;
            }
        }
        if let Some(read) = read {
            line.value("text", &read.text)?;
        }
        Ok(line.finish())
    }
}

/// The line of a document that consists only of a file, such as a mail message.
pub fn line_of_file(read: &FileText) -> ApiResult<Vec<u8>> {
    IncomingDocument { id: None, labels: Vec::new(), parts: DocumentFields::default() }.line(Some(read))
}

/// Parses an id: text or a number. Text is written anew, so that two spellings are the same id.
pub fn id_of(json: &RawValue) -> ApiResult<Id> {
    let json = json.get();
    let wrong =
        || ApiError::bad_document(format!("`id` must be text or a number of at most {MOST_ID} bytes"));
    let id = match json.as_bytes().first() {
        Some(b'"') => {
            let text: String = serde_json::from_str(json).map_err(|_| wrong())?;
            if text.is_empty() {
                return Err(wrong());
            }
            serde_json::to_string(&text).map_err(|_| wrong())?
        }
        Some(b'-' | b'0'..=b'9') => json.to_owned(),
        _ => return Err(wrong()),
    };
    if id.len() > MOST_ID { Err(wrong()) } else { Ok(Id::from_json(id)) }
}

/// Explains what is wrong with a JSON body.
pub fn parse_error(error: &serde_json::Error) -> ApiError {
    let message = error.to_string();
    match error.classify() {
        serde_json::error::Category::Data => ApiError::bad_document(message),
        _ => ApiError::new(
            axum::http::StatusCode::BAD_REQUEST,
            "bad-json",
            format!("this is not JSON: {message}"),
        ),
    }
}

fn is_scalar(json: &RawValue) -> bool {
    matches!(json.get().as_bytes().first(), Some(b'"' | b'-' | b'0'..=b'9'))
}

/// Builds a JSON object on one line.
#[derive(Default)]
struct Line(Vec<u8>);

impl Line {
    fn raw(&mut self, name: &str, json: &str) {
        self.0.push(if self.0.is_empty() { b'{' } else { b',' });
        // A string can always be serialised.
        let name = serde_json::to_string(name).unwrap_or_default();
        self.0.extend_from_slice(name.as_bytes());
        self.0.push(b':');
        // Line breaks can only occur between values: within strings they are escaped.
        self.0.extend(json.bytes().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { byte }));
    }

    fn value(&mut self, name: &str, value: &impl serde::Serialize) -> ApiResult<()> {
        let json = serde_json::to_string(value).map_err(|_| ApiError::internal())?;
        self.raw(name, &json);
        Ok(())
    }

    fn finish(mut self) -> Vec<u8> {
        if self.0.is_empty() {
            self.0.push(b'{');
        }
        self.0.push(b'}');
        self.0
    }
}
