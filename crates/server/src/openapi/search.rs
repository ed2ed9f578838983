//! The shapes of search.

use serde_json::{Value, json};

use super::schemas::{count, labels, list, object, range, refer, similarity_or_null, text};

pub fn all() -> Vec<(&'static str, Value)> {
    let title = json!({ "type": ["string", "null"], "description": "Or the beginning of the text" });
    let member = object(
        json!({ "id": refer("Id"), "labels": labels(), "title": title, "similarity": similarity_or_null() }),
        &["labels"],
    );
    let hit = object(
        json!({
            "id": refer("Id"),
            "labels": labels(),
            "title": title,
            "score": { "type": "number" },
            "snippet": text(),
            "marks": list(range()),
            "matching": count(),
            "near_duplicates": list(member),
        }),
        &["labels"],
    );
    let counts = list(object(json!({ "value": text(), "count": count() }), &[]));
    let result = object(
        json!({
            "total": count(),
            "hits": list(hit),
            "facets": { "type": "object", "additionalProperties": counts },
        }),
        &[],
    );
    vec![("SearchResult", result)]
}
