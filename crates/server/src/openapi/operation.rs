//! The description of one route.

use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use super::schemas::{SchemaOf, Schemas, full_schema_of, schema_of, without_null};
use crate::access::Role;
use crate::error::ErrorAnswer;

const JSON: &str = "application/json";

/// A type in the signature of a handler, which describes what the handler takes or returns. Types that do not
/// concern requests and answers leave the operation as it is.
pub trait Describe {
    fn describe(operation: &mut Operation) {
        let _ = operation;
    }
}

#[derive(Clone, Debug)]
pub struct Operation {
    id: &'static str,
    summary: &'static str,
    /// Structs whose fields are the parameters.
    query: Vec<SchemaOf>,
    /// By media type.
    bodies: Vec<(&'static str, Content)>,
    status: u16,
    /// `None`: no body.
    answer: Option<(&'static str, Content)>,
    may_be_missing: bool,
    conflicts: bool,
    may_be_cached: bool,
    ambiguous: bool,
}

#[derive(Clone, Copy, Debug)]
enum Content {
    /// One value of a type, or one on each line.
    Typed(SchemaOf),
    /// Text in some other format, with a description.
    Text(&'static str),
    Binary,
}

impl Content {
    /// `typed` makes the schema of a type.
    fn schema(self, typed: impl FnOnce(SchemaOf) -> Value) -> Value {
        match self {
            Content::Typed(of) => typed(of),
            Content::Text("") => json!({ "type": "string" }),
            Content::Text(help) => json!({ "type": "string", "description": help }),
            Content::Binary => json!({ "type": "string", "format": "binary" }),
        }
    }
}

impl Operation {
    pub fn new(id: &'static str, summary: &'static str) -> Self {
        Operation {
            id,
            summary,
            query: Vec::new(),
            bodies: Vec::new(),
            status: 200,
            answer: None,
            may_be_missing: false,
            conflicts: false,
            may_be_cached: false,
            ambiguous: false,
        }
    }

    /// Adds the description of a type in the signature of the handler.
    pub fn with<T: Describe>(mut self) -> Self {
        T::describe(&mut self);
        self
    }

    /// Query parameters, all of which are optional: the fields of a type.
    pub fn set_query<T: JsonSchema>(&mut self) {
        self.query.push(full_schema_of::<T>);
    }

    pub fn set_json_body<T: JsonSchema>(&mut self) {
        self.bodies.push((JSON, Content::Typed(schema_of::<T>)));
    }

    pub fn set_json_answer<T: JsonSchema>(&mut self) {
        self.answer = Some((JSON, Content::Typed(schema_of::<T>)));
    }

    pub fn set_status(&mut self, status: u16) {
        self.status = status;
    }

    /// A body that the handler parses itself: one value of the type, or one on each line.
    pub fn body<T: JsonSchema>(mut self, media_type: &'static str) -> Self {
        self.bodies.push((media_type, Content::Typed(schema_of::<T>)));
        self
    }

    pub fn body_text(mut self, media_type: &'static str, help: &'static str) -> Self {
        self.bodies.push((media_type, Content::Text(help)));
        self
    }

    pub fn body_binary(mut self, media_type: &'static str) -> Self {
        self.bodies.push((media_type, Content::Binary));
        self
    }

    /// One value of the type on each line.
    pub fn answer_lines<T: JsonSchema>(mut self) -> Self {
        self.answer = Some(("application/x-ndjson", Content::Typed(schema_of::<T>)));
        self
    }

    pub fn answer_text(mut self, media_type: &'static str) -> Self {
        self.answer = Some((media_type, Content::Text("")));
        self
    }

    /// The requested thing may not exist, or not for this caller; both get the same answer, byte for byte.
    pub fn may_be_missing(mut self) -> Self {
        self.may_be_missing = true;
        self
    }

    /// The caller may already have the current version (304).
    pub fn may_be_cached(mut self) -> Self {
        self.may_be_cached = true;
        self
    }

    pub fn conflicts(mut self) -> Self {
        self.conflicts = true;
        self
    }

    /// The request names a document by its id, which several documents may have.
    pub fn may_be_ambiguous(mut self) -> Self {
        self.ambiguous = true;
        self
    }

    pub fn json(&self, path: &str, needs: Option<Role>, schemas: &mut Schemas) -> Value {
        let mut operation = json!({ "operationId": self.id, "summary": self.summary });
        let mut parameters: Vec<Value> = names_in(path)
            .map(|name| {
                json!({
                    "name": name,
                    "in": "path",
                    "required": true,
                    "description": "The id of a document: a text, or the number it spells if there is no such text",
                    "schema": { "type": "string", "minLength": 1 },
                })
            })
            .collect();
        for &of in &self.query {
            parameters.extend(query_parameters(schemas.request(of)));
        }
        if !parameters.is_empty() {
            operation["parameters"] = parameters.into();
        }
        if !self.bodies.is_empty() {
            let content: Map<String, Value> = self
                .bodies
                .iter()
                .map(|&(kind, content)| {
                    let schema = content.schema(|of| schemas.request(of));
                    (kind.to_owned(), json!({ "schema": schema }))
                })
                .collect();
            operation["requestBody"] = json!({ "required": true, "content": content });
        }
        operation["responses"] = self.responses(needs, schemas);
        if let Some(role) = needs {
            operation["security"] = json!([{ "token": [] }]);
            operation["description"] = format!("Needs the role {}.", role.name()).into();
        } else {
            operation["security"] = json!([]);
        }
        operation
    }

    fn responses(&self, needs: Option<Role>, schemas: &mut Schemas) -> Value {
        let mut responses = Map::new();
        if self.may_be_cached {
            responses.insert("304".to_owned(), json!({ "description": "The caller has it already" }));
        }
        let mut good = json!({ "description": if self.status == 204 { "Done" } else { "The answer" } });
        if let Some((kind, content)) = self.answer {
            good["content"] = json!({ kind: { "schema": content.schema(|of| schemas.answer(of)) } });
        }
        responses.insert(self.status.to_string(), good);
        let error = schemas.answer(schema_of::<ErrorAnswer>);
        let mut fail = |status: &str, what: &str| {
            let content = json!({ JSON: { "schema": error } });
            responses.insert(status.to_owned(), json!({ "description": what, "content": content }));
        };
        if needs.is_some() {
            fail("400", "The request is malformed");
            fail("401", "A token is needed");
            fail("403", "The token is not enough, or the host is not ours");
            fail("429", "The token's rate is used up; see Retry-After");
        }
        if !self.bodies.is_empty() {
            fail("408", "The body came too slowly");
            fail("413", "The body is too large");
            fail("415", "The body is of another type");
        }
        if !self.bodies.is_empty() || !self.query.is_empty() {
            fail("422", "What was sent is well formed and cannot be used");
        }
        if self.may_be_missing {
            fail("404", "There is no such thing, or not for this caller");
        }
        if self.conflicts {
            fail("409", "Another task is running, or a file was made by another version");
        }
        if self.ambiguous {
            fail("409", "Several documents have the id: tell the labels, too");
        }
        fail("500", "A bug of ours, or stored data is damaged");
        fail("503", "Too much work, or shutting down; see Retry-After");
        Value::Object(responses)
    }
}

/// The fields of a struct as query parameters. A missing value is left out of the URL, which cannot express null.
fn query_parameters(mut schema: Value) -> Vec<Value> {
    let Some(Value::Object(properties)) = schema.get_mut("properties").map(Value::take) else {
        return Vec::new();
    };
    let parameter = |(name, mut schema): (String, Value)| {
        without_null(&mut schema);
        let help = schema.as_object_mut().and_then(|schema| schema.remove("description"));
        let mut parameter = json!({ "name": name, "in": "query", "schema": schema });
        if let Some(help) = help {
            parameter["description"] = help;
        }
        parameter
    };
    properties.into_iter().map(parameter).collect()
}

/// The names in braces in a path.
fn names_in(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
}
