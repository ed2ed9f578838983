//! The shapes of what goes in and out.

use serde_json::{Value, json};

pub fn all() -> Value {
    let mut all = json!({});
    if let Value::Object(schemas) = &mut all {
        for (name, schema) in incoming()
            .into_iter()
            .chain(answers())
            .chain(about())
            .chain(super::jobs::all())
            .chain(super::search::all())
            .chain(super::page::all())
        {
            schemas.insert(name.to_owned(), schema);
        }
    }
    all
}

pub fn refer(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}

pub fn list(of: Value) -> Value {
    json!({ "type": "array", "items": of })
}

pub fn or_null(of: &str) -> Value {
    json!({ "oneOf": [{ "type": "null" }, refer(of)] })
}

/// An object of which all named properties but the optional are always there.
pub fn object(properties: Value, optional: &[&str]) -> Value {
    let names =
        properties.as_object().map(|names| names.keys().cloned().collect::<Vec<_>>()).unwrap_or_default();
    let required: Vec<String> = names.into_iter().filter(|name| !optional.contains(&name.as_str())).collect();
    json!({ "type": "object", "required": required, "properties": properties })
}

pub fn closed(properties: Value, optional: &[&str]) -> Value {
    let mut schema = object(properties, optional);
    schema["additionalProperties"] = false.into();
    schema
}

pub fn text() -> Value {
    json!({ "type": "string" })
}

pub fn count() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

pub fn similarity() -> Value {
    json!({ "type": "number", "minimum": 0, "maximum": 1 })
}

pub fn similarity_or_null() -> Value {
    json!({ "type": ["number", "null"], "minimum": 0, "maximum": 1 })
}

pub fn flag() -> Value {
    json!({ "type": "boolean" })
}

pub fn text_digest() -> Value {
    json!({ "type": "string", "pattern": "^[0-9a-f]{32}$", "description": "Tells whether a text is still the same" })
}

/// The access labels of a document beside its id.
pub fn labels() -> Value {
    json!({ "type": "array", "items": { "type": "string" }, "description":
        "Access labels, which belong to the name of the document; left out if it has none" })
}

/// The same in what is asked.
pub fn which() -> Value {
    json!({ "type": ["array", "null"], "items": { "type": "string" }, "description":
        "All access labels of the document that is meant, where several have the id" })
}

pub fn range() -> Value {
    json!({ "type": "array", "items": count(), "minItems": 2, "maxItems": 2, "description": "Start and end, in bytes" })
}

fn incoming() -> Vec<(&'static str, Value)> {
    let document = json!({
        "id": refer("Id"),
        "text": text(),
        "content": { "type": "string", "contentEncoding": "base64", "description": "A file of any format, instead of text" },
        "title": text(),
        "url": text(),
        "time": { "type": ["string", "number"] },
        "labels": { "type": "array", "items": { "type": "string", "minLength": 1 }, "maxItems": 100,
            "description": "Who may see it: callers with one of these; without labels everybody" },
        "fields": { "type": "object", "description": "Further fields, for keep rules and recipes; they may as well stand beside it" },
        "set": { "type": "string", "description": "The set of prototypes it belongs to, such as known spam" },
    });
    let mut document =
        object(document, &["id", "text", "content", "title", "url", "time", "labels", "fields", "set"]);
    document["oneOf"] = json!([{ "required": ["text"] }, { "required": ["content"] }]);
    document["description"] = "To be inserted it needs an id.".into();
    vec![
        ("Id", json!({ "type": ["string", "number"], "minLength": 1, "maxLength": 1000 })),
        ("Document", document),
        ("Message", json!({ "type": "string", "description": "A mail message as RFC 822 has it" })),
        ("Nothing", json!({ "type": "object", "additionalProperties": false })),
        (
            "NewDecision",
            closed(
                json!({ "a": refer("Id"), "b": refer("Id"), "a_labels": which(), "b_labels": which(),
                    "duplicate": { "type": ["boolean", "null"], "description": "Null takes a decision back" } }),
                &["a_labels", "b_labels"],
            ),
        ),
        (
            "NewRecipe",
            closed(
                json!({ "recipe": { "type": "string", "description": "TOML, as in a recipe file" } }),
                &[],
            ),
        ),
    ]
}

fn answers() -> Vec<(&'static str, Value)> {
    let answer = json!({
        "verdict": { "enum": ["new", "near-duplicate", "duplicate", "unreadable"] },
        "action": { "enum": ["checked", "inserted", "updated", "unchanged", "rejected"] },
        "id": or_null("Id"),
        "master": or_null("Id"),
        "cluster": or_null("Id"),
        "master_labels": labels(),
        "matches": list(refer("Match")),
        "matching": count(),
        "replaced": list(refer("Id")),
        "replaced_labels": list(labels()),
        "set": object(json!({ "name": text(), "similarity": similarity(), "hits": count() }), &[]),
        "version": refer("Version"),
        "reason": text(),
        "text": { "type": "string", "description": "Of a check that tells passages: the text that was asked about" },
    });
    let optional = ["master_labels", "replaced", "replaced_labels", "set", "version", "reason", "text"];
    let mut lines = answer.clone();
    lines["line"] = count();
    vec![
        ("Answer", object(answer, &optional)),
        (
            "BulkAnswer",
            json!({ "description": "A line for each document, in their order",
                "oneOf": [object(lines, &optional), refer("BulkError")] }),
        ),
        (
            "BulkError",
            object(json!({ "line": { "type": ["integer", "null"] }, "error": refer("ErrorBody") }), &[]),
        ),
        (
            "Match",
            object(
                json!({
                    "id": refer("Id"),
                    "labels": labels(),
                    "title": { "type": "string", "description": "Or the beginning of the text; told with passages" },
                    "similarity": similarity(),
                    "contained_in": similarity_or_null(),
                    "contains": similarity_or_null(),
                    "method": text(),
                    "because": list(text()),
                    "set": text(),
                    "passages": list(object(json!({ "asked": range(), "known": range(), "words": count() }), &[])),
                }),
                &["labels", "title", "because", "set", "passages"],
            ),
        ),
        (
            "Version",
            object(
                json!({ "time": count(), "changed": flag(), "similarity": similarity_or_null(), "bytes": count() }),
                &[],
            ),
        ),
        (
            "History",
            object(
                json!({
                    "id": refer("Id"),
                    "labels": labels(),
                    "versions": list(refer("Version")),
                    "unchanged": count(),
                    "recrawl": object(json!({ "interval": count(), "due": count(),
                        "crawl_priority": similarity(), "index_priority": similarity() }), &[]),
                }),
                &["labels"],
            ),
        ),
        (
            "Stored",
            object(
                json!({
                    "id": refer("Id"),
                    "document": { "type": "object" },
                    "master": or_null("Id"),
                    "master_labels": labels(),
                    "labels": list(text()),
                    "set": text(),
                    "added": count(),
                    "seen": count(),
                    "expires": count(),
                    "hits": count(),
                }),
                &["master_labels", "set", "expires"],
            ),
        ),
        (
            "Cluster",
            object(
                json!({
                    "cluster": refer("Id"),
                    "master": refer("Id"),
                    "labels": labels(),
                    "size": count(),
                    "weakest": similarity(),
                    "members": list(object(
                        json!({ "id": refer("Id"), "labels": labels(), "similarity": similarity_or_null() }),
                        &["labels"],
                    )),
                }),
                &["labels"],
            ),
        ),
        (
            "Clusters",
            object(
                json!({ "clusters": list(refer("Cluster")), "next": { "type": ["string", "null"] } }),
                &[],
            ),
        ),
        (
            "Decision",
            object(
                json!({ "a": refer("Id"), "b": refer("Id"), "a_labels": labels(), "b_labels": labels(),
                    "duplicate": flag(), "a_text": text_digest(), "b_text": text_digest(), "by": text(),
                    "time": count() }),
                &["a_labels", "b_labels"],
            ),
        ),
        ("Decisions", object(json!({ "decisions": list(refer("Decision")) }), &[])),
        ("Pair", pair()),
    ]
}

fn pair() -> Value {
    let side = object(
        json!({ "name": text(), "bytes": count(), "words": count(), "in_passages": similarity(),
            "contained_in_other": similarity() }),
        &[],
    );
    let words = list(json!({ "type": "array", "description": "A word, and how often it occurs" }));
    object(
        json!({
            "a": side.clone(),
            "b": side,
            "identical": flag(),
            "measures": list(object(json!({ "features": text(), "measure": text(), "similarity": similarity() }), &[])),
            "methods": list(object(
                json!({ "method": text(), "verdict": text(), "similarity": similarity(),
                    "threshold": { "type": "number" }, "measure": text(), "because": list(text()),
                    "signatures": list(json!({ "type": "object" })) }),
                &["because"],
            )),
            "passages": list(object(json!({ "a": range(), "b": range(), "words": count(), "text": text() }), &[])),
            "only_in_a": words.clone(),
            "only_in_b": words,
            "decision": or_null("Decision"),
        }),
        &[],
    )
}

fn about() -> Vec<(&'static str, Value)> {
    let whole = ["decisions", "text_bytes", "index_bytes", "dead_bytes", "log_operations", "resigning"];
    let stats = json!({
        "scheme": text(),
        "method": text(),
        "threshold": { "type": "number" },
        "generation": count(),
        "documents": count(),
        "contents": count(),
        "clusters": count(),
        "duplicates": count(),
        "pairs": count(),
        "decisions": count(),
        "text_bytes": count(),
        "index_bytes": count(),
        "dead_bytes": count(),
        "log_operations": count(),
        "resigning": similarity(),
        "facets": { "type": "array", "items": text(), "description": "Fields that search counts and filters by" },
    });
    let params = list(object(json!({ "name": text(), "default": text(), "help": text() }), &[]));
    vec![
        (
            "ErrorBody",
            object(
                json!({
                    "code": text(),
                    "message": text(),
                    "choices": {
                        "type": "array",
                        "items": object(json!({ "id": refer("Id"), "labels": labels() }), &[]),
                        "description": "With `ambiguous`: the documents that have the id",
                    },
                }),
                &["choices"],
            ),
        ),
        ("Error", object(json!({ "error": refer("ErrorBody") }), &[])),
        ("Health", object(json!({ "status": text() }), &[])),
        ("OpenApi", object(json!({ "openapi": text(), "paths": { "type": "object" } }), &[])),
        ("Stats", object(stats, &whole)),
        (
            "Methods",
            object(
                json!({
                    "methods": list(object(
                        json!({ "name": text(), "summary": text(), "paper": text(), "recipe": { "type": "object" } }), &[])),
                    "parts": list(object(
                        json!({ "stage": text(), "name": text(), "summary": text(), "paper": text(), "params": params }), &[])),
                    "learners": list(object(json!({ "name": text(), "about": text() }), &[])),
                }),
                &[],
            ),
        ),
        (
            "Lexicons",
            object(
                json!({ "lexicons": list(object(
                    json!({ "name": text(), "id": text(), "documents": count(), "terms": count(),
                        "rules": text(), "counted": text() }), &[])) }),
                &[],
            ),
        ),
        (
            "Task",
            object(
                json!({
                    "task": { "enum": ["compact", "resign"] },
                    "state": { "enum": ["running", "done", "failed"] },
                    "started": count(),
                    "seconds": { "type": "number" },
                    "error": refer("ErrorBody"),
                }),
                &["seconds", "error"],
            ),
        ),
    ]
}
