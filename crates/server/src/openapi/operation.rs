//! What is said of one route.

use lookalike::index::survey::Sort;
use lookalike::index::{Evidence, Policy};
use serde_json::{Map, Value, json};

use crate::access::Role;

#[derive(Clone, Debug)]
pub struct Operation {
    id: &'static str,
    summary: &'static str,
    query: Vec<(&'static str, Value, &'static str)>,
    bodies: Vec<(&'static str, &'static str)>,
    status: u16,
    /// Media type and schema; absent: no body.
    answer: Option<(&'static str, Value)>,
    may_miss: bool,
    conflicts: bool,
    may_be_held: bool,
    ambiguous: bool,
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
            may_miss: false,
            conflicts: false,
            may_be_held: false,
            ambiguous: false,
        }
    }

    /// A parameter that may be left out; `kind` is a type of JSON schema, `policy`, `sort`, `evidence` or `place`.
    pub fn query(mut self, name: &'static str, kind: &'static str, help: &'static str) -> Self {
        let schema = match kind {
            "policy" => json!({ "type": "string", "enum": Policy::NAMES }),
            "sort" => json!({ "type": "string", "enum": Sort::NAMES.map(|(name, _)| name) }),
            "evidence" => json!({ "type": "string", "enum": Evidence::NAMES }),
            "place" => json!({ "type": "integer", "minimum": 0 }),
            "integer" if name == "limit" => json!({ "type": "integer", "minimum": 1, "maximum": 1000 }),
            "integer" => json!({ "type": "integer", "minimum": 1 }),
            kind => json!({ "type": kind }),
        };
        self.query.push((name, schema, help));
        self
    }

    pub fn body(mut self, media_type: &'static str, schema: &'static str) -> Self {
        self.bodies.push((media_type, schema));
        self
    }

    pub fn answer(mut self, schema: &'static str) -> Self {
        self.answer = Some(("application/json", reference(schema)));
        self
    }

    /// The work has begun and is not done.
    pub fn accepted(mut self, schema: &'static str) -> Self {
        self.status = 202;
        self.answer(schema)
    }

    pub fn answer_lines(mut self, schema: &'static str) -> Self {
        self.answer = Some(("application/x-ndjson", reference(schema)));
        self
    }

    pub fn answer_text(mut self, media_type: &'static str) -> Self {
        self.answer = Some((media_type, json!({ "type": "string" })));
        self
    }

    pub fn no_content(mut self) -> Self {
        self.status = 204;
        self
    }

    /// What is asked for may not exist, or not for this caller, which is told in the same bytes.
    pub fn may_miss(mut self) -> Self {
        self.may_miss = true;
        self
    }

    /// The caller may ask only for what it has not got yet.
    pub fn may_be_held(mut self) -> Self {
        self.may_be_held = true;
        self
    }

    pub fn conflicts(mut self) -> Self {
        self.conflicts = true;
        self
    }

    /// The document is named by an id, which may fit several.
    pub fn names_one(mut self) -> Self {
        let (name, kind, help) = crate::routes::LABELS;
        self.ambiguous = true;
        self.query(name, kind, help)
    }

    /// Documents are named in the body, or by labels of their own.
    pub fn may_be_ambiguous(mut self) -> Self {
        self.ambiguous = true;
        self
    }

    pub fn json(&self, path: &str, needs: Option<Role>) -> Value {
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
        parameters.extend(self.query.iter().map(
            |(name, schema, help)| json!({ "name": name, "in": "query", "description": help, "schema": schema }),
        ));
        if !parameters.is_empty() {
            operation["parameters"] = parameters.into();
        }
        if !self.bodies.is_empty() {
            let content: Map<String, Value> = self
                .bodies
                .iter()
                .map(|&(kind, schema)| (kind.to_owned(), json!({ "schema": reference(schema) })))
                .collect();
            operation["requestBody"] = json!({ "required": true, "content": content });
        }
        operation["responses"] = self.responses(needs);
        if let Some(role) = needs {
            operation["security"] = json!([{ "token": [] }]);
            operation["description"] = format!("Needs the role {}.", role.name()).into();
        } else {
            operation["security"] = json!([]);
        }
        operation
    }

    fn responses(&self, needs: Option<Role>) -> Value {
        let mut responses = Map::new();
        if self.may_be_held {
            responses.insert("304".to_owned(), json!({ "description": "The caller has it already" }));
        }
        let mut good = json!({ "description": if self.status == 204 { "Done" } else { "The answer" } });
        if let Some((kind, schema)) = &self.answer {
            good["content"] = json!({ *kind: { "schema": schema } });
        }
        responses.insert(self.status.to_string(), good);
        let mut fail = |status: &str, what: &str| {
            let content = json!({ "application/json": { "schema": reference("Error") } });
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
        if self.may_miss {
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

fn reference(schema: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{schema}") })
}

/// The names within braces.
fn names_in(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
}
