//! The shapes of offline runs.

use serde_json::{Value, json};

use super::schemas::{closed, count, list, object, refer, similarity, text};

pub fn all() -> Vec<(&'static str, Value)> {
    let source = closed(
        json!({
            "index": { "type": "boolean", "description": "The documents of the index" },
            "paths": { "type": "array", "items": text(), "description": "Corpora in folders that jobs may read" },
            "uploads": { "type": "array", "items": text(), "description": "Corpora that were uploaded, by name" },
        }),
        &["index", "paths", "uploads"],
    );
    let labels = json!({ "oneOf": [text(), closed(json!({ "upload": text() }), &[])],
        "description": "JSON lines or CSV: a file in a folder that jobs may read, or an upload by name" });
    let truth = json!({ "oneOf": [
        closed(json!({ "cluster_field": text() }), &[]),
        closed(json!({ "pairs": labels.clone() }), &[]),
        closed(json!({ "clusters": labels }), &[]),
        closed(json!({ "decisions": { "const": true, "description": "What people decided" } }), &[]),
        closed(json!({ "exact": { "type": "array", "items": text(), "minItems": 2, "maxItems": 2,
            "description": "Measure and threshold, such as jaccard and 0.8" } }), &[]),
    ] });
    let new = closed(
        json!({
            "kind": { "type": "string", "enum": ["dedup", "train", "evaluate", "ask"] },
            "testing": source.clone(),
            "training": source,
            "truth": truth,
            "method": text(),
            "recipe": { "type": "string", "description": "TOML, as in a recipe file" },
            "set": { "type": "object", "additionalProperties": text() },
            "clustering": { "type": "string", "enum": ["fuzzy-c-means", "k-means", "none"] },
            "questions": { "type": "integer", "minimum": 1, "maximum": 200, "description": "Pairs to ask for" },
            "classifier": { "type": "string", "description": "A learner by name, or best" },
        }),
        &["testing", "training", "truth", "method", "recipe", "set", "clustering", "questions", "classifier"],
    );
    let job = object(
        json!({
            "id": count(),
            "spec": refer("NewJob"),
            "state": { "type": "string", "enum": ["queued", "running", "done", "failed", "cancelled"] },
            "created": count(),
            "started": count(),
            "finished": count(),
            "error": text(),
            "summary": { "type": "object" },
            "progress": object(json!({ "stage": text(), "done": similarity() }), &[]),
        }),
        &["started", "finished", "error", "summary", "progress"],
    );
    vec![
        ("NewJob", new),
        ("Job", job),
        ("Jobs", object(json!({ "jobs": list(refer("Job")) }), &[])),
        ("JobFiles", object(json!({ "files": list(text()) }), &[])),
        ("Upload", object(json!({ "name": text(), "bytes": count(), "time": count() }), &[])),
        ("Uploads", object(json!({ "uploads": list(refer("Upload")) }), &[])),
        ("File", json!({ "type": "string", "format": "binary" })),
    ]
}
