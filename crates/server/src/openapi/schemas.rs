//! JSON schemas of the types in requests and answers.

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value};

/// Makes the schema of a type. Routes store this until the document is built.
pub type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// A reference to the schema of a type, or the schema itself where it is short.
pub fn schema_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    generator.subschema_for::<T>()
}

/// The schema of a type in full, never a reference.
pub fn full_schema_of<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    T::json_schema(generator)
}

/// Schemas by name. There is one generator for requests and one for answers, because a field that may be left out
/// of a request is not one that may be missing in an answer.
pub struct Schemas {
    requests: SchemaGenerator,
    answers: SchemaGenerator,
}

impl Schemas {
    pub fn new() -> Schemas {
        let mut settings = SchemaSettings::draft2020_12();
        settings.definitions_path = "/components/schemas".into();
        Schemas {
            requests: settings.clone().for_deserialize().into_generator(),
            answers: settings.for_serialize().into_generator(),
        }
    }

    pub fn request(&mut self, of: SchemaOf) -> Value {
        plain(of(&mut self.requests).to_value())
    }

    pub fn answer(&mut self, of: SchemaOf) -> Value {
        plain(of(&mut self.answers).to_value())
    }

    /// All schemas that others refer to. A type that occurs in requests and in answers, such as the specification
    /// of a job, is described as in a request.
    pub fn into_components(mut self) -> Map<String, Value> {
        let mut all = self.answers.take_definitions(false);
        all.values_mut().for_each(never_null_when_optional);
        all.extend(self.requests.take_definitions(false));
        all.into_iter().map(|(name, schema)| (name, plain(schema))).collect()
    }
}

/// Removes null from the allowed types.
pub fn without_null(schema: &mut Value) {
    let Some(fields) = schema.as_object_mut() else { return };
    if let Some(Value::Array(kinds)) = fields.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [kind] = &kinds[..] {
            let kind = kind.clone();
            fields.insert("type".to_owned(), kind);
        }
    }
    if let Some(Value::Array(values)) = fields.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(choices)) = fields.get_mut("anyOf") {
        choices.retain(|choice| choice["type"] != "null");
        if let [Value::Object(only)] = &choices[..] {
            let only = only.clone();
            fields.remove("anyOf");
            // The description of the field takes precedence over that of its type.
            only.into_iter().for_each(|(key, value)| {
                fields.entry(key).or_insert(value);
            });
        }
    }
}

/// Optional fields of answers are left out when they have no value; they are never null.
fn never_null_when_optional(schema: &mut Value) {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    match schema {
        Value::Object(fields) => {
            if let Some(Value::Object(properties)) = fields.get_mut("properties") {
                let optional =
                    properties.iter_mut().filter(|(name, _)| !required.iter().any(|known| known == *name));
                optional.for_each(|(_, property)| without_null(property));
            }
            fields.values_mut().for_each(never_null_when_optional);
        }
        Value::Array(values) => values.iter_mut().for_each(never_null_when_optional),
        _ => {}
    }
}

/// A schema without the widths of Rust's numbers (`"format": "uint64"`), which mean nothing to callers, and without
/// the line breaks of comments.
fn plain(mut schema: Value) -> Value {
    make_plain(&mut schema);
    schema
}

fn make_plain(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if is_number(fields) {
                fields.remove("format");
            }
            if let Some(Value::String(text)) = fields.get_mut("description") {
                let paragraphs = text.split("\n\n").map(|paragraph| paragraph.replace('\n', " "));
                *text = paragraphs.collect::<Vec<_>>().join("\n\n");
            }
            fields.values_mut().for_each(make_plain);
        }
        Value::Array(values) => values.iter_mut().for_each(make_plain),
        _ => {}
    }
}

fn is_number(schema: &Map<String, Value>) -> bool {
    let number = |kind: &Value| kind == "integer" || kind == "number";
    match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().any(number),
        Some(kind) => number(kind),
        None => false,
    }
}
