//! The shapes that the page is made of.

use serde_json::{Value, json};

use super::schemas::{
    closed, count, flag, labels, list, object, or_null, refer, similarity, similarity_or_null, text,
    text_digest, which,
};

fn text_or_null() -> Value {
    json!({ "type": ["string", "null"] })
}

fn loss() -> Value {
    list(object(json!({ "source": text(), "documents": count(), "removed": count() }), &[]))
}

/// What a list shows of a document, beside what is given.
fn with_face(mut properties: Value) -> Value {
    properties["title"] = text_or_null();
    properties["type"] = text_or_null();
    properties["source"] = text_or_null();
    properties["time"] = json!({ "type": ["integer", "null"] });
    properties["bytes"] = count();
    properties["labels"] = labels();
    object(properties, &["labels", "cluster_labels"])
}

/// Documents that stayed as they are, and why.
fn refused() -> Value {
    list(object(json!({ "id": refer("Id"), "labels": labels(), "reason": text() }), &["labels"]))
}

pub fn all() -> Vec<(&'static str, Value)> {
    let level =
        json!({ "threshold": similarity(), "pairs": count(), "clusters": count(), "removed": count() });
    let survey = json!({
        "as_of": count(),
        "documents": count(),
        "clusters": count(),
        "duplicates": count(),
        "pairs": count(),
        "threshold": { "type": "number" },
        "method": text(),
        "histogram": object(json!({ "low": similarity(), "step": similarity(), "documents": list(count()),
            "alone": count() }), &[]),
        "levels": list(object(level, &[])),
        "growth": object(json!({ "start": count(), "interval": count(), "documents": list(count()),
            "duplicates": list(count()) }), &[]),
        "warnings": list(object(json!({ "kind": { "enum": ["giant", "loose", "short", "source"] }, "cluster": or_null("Id"),
            "labels": labels(), "message": text() }), &["labels"])),
        "sources": loss(),
    });
    let row = json!({
        "cluster": refer("Id"),
        "labels": labels(),
        "title": text_or_null(),
        "size": count(),
        "weakest": similarity(),
        "median": similarity(),
        "types": list(json!({ "type": "array", "description": "A type, and how many documents have it" })),
        "first": count(),
        "last": count(),
        "decided": count(),
    });
    let map = json!({
        "cluster": refer("Id"),
        "size": count(),
        "members": list(with_face(json!({ "id": refer("Id"), "similarity": similarity_or_null(), "kept": flag() }))),
        "pairs": list(json!({ "type": "array", "minItems": 3, "maxItems": 3, "items": { "type": "number" },
            "description": "Places of two members, and their similarity" })),
        "outside": list(with_face(json!({ "id": refer("Id"), "similarity": similarity(), "beside": count(),
            "cluster": or_null("Id"), "cluster_labels": labels() }))),
    });
    let me = json!({
        "name": text(),
        "role": { "enum": ["read", "write", "admin"] },
        "labels": { "type": ["array", "null"], "items": text() },
    });
    let keeper = object(
        json!({ "id": refer("Id"), "labels": labels(), "text": text_digest(), "by": text(), "time": count() }),
        &["labels"],
    );
    let example = json!({
        "cluster": refer("Id"),
        "title": text_or_null(),
        "keeps": refer("Id"),
        "kept_before": refer("Id"),
        "removes": list(refer("Id")),
        "keeps_labels": labels(),
        "kept_before_labels": labels(),
        "removes_labels": list(labels()),
    });
    let preview = json!({
        "clusters": count(),
        "removed": count(),
        "bytes": count(),
        "changed": count(),
        "stay": count(),
        "plan": { "type": "string", "description": "Names this plan, for who may carry it out" },
        "examples": list(object(example, &["keeps_labels", "kept_before_labels"])),
        "sources": loss(),
    });
    let removal = json!({
        "format": count(),
        "removal": count(),
        "time": count(),
        "by": text(),
        "keep": text_or_null(),
        "filter": text(),
        "documents": count(),
        "complete": flag(),
        "undone": flag(),
        "refused": refused(),
        "not_restored": refused(),
    });
    let asked = json!({
        "keep": { "type": ["string", "null"], "description": "Keep rules, such as longest,newest; those of the index if left out" },
        "filter": { "type": "string", "description": "Which clusters, as in /api/survey/clusters" },
    });
    let mut planned = asked.clone();
    planned["plan"] = json!({ "type": ["string", "null"],
        "description": "`plan` of a preview: exactly the versions that it named go, but for those that changed since" });
    let curve = object(json!({ "lexicons": count(), "survive": list(similarity()) }), &[]);
    let weighed = object(json!({ "text": text(), "weight": { "type": "number" }, "place": count() }), &[]);
    let profiled = json!({
        "id": refer("Id"),
        "labels": which(),
        "text": text(),
        "method": { "type": "string", "description": "A method by name; the index's own recipe if left out" },
        "set": { "type": "object", "additionalProperties": text() },
    });
    let lexicon = json!({
        "name": text(),
        "documents": count(),
        "terms": count(),
        "counted": text(),
        "histogram": object(json!({ "step": similarity(), "terms": list(count()) }), &[]),
        "window": object(json!({ "low": similarity(), "high": similarity() }), &[]),
    });
    let known = json!({
        "word": text(),
        "df": count(),
        "nidf": { "type": "number" },
        "rank": { "type": ["integer", "null"] },
        "in_window": flag(),
    });
    vec![
        ("Lexicon", object(lexicon, &[])),
        ("KnownWord", object(known, &[])),
        (
            "Stability",
            object(json!({ "dropped": similarity(), "changes": list(count()), "curves": list(curve) }), &[]),
        ),
        ("NewProfile", closed(profiled, &["id", "labels", "text", "method", "set"])),
        (
            "Profile",
            object(json!({ "variant": text(), "features": list(weighed), "distinct": count() }), &[]),
        ),
        ("Preview", object(preview, &["plan"])),
        ("Removal", object(removal, &["refused", "not_restored"])),
        ("Removals", object(json!({ "removals": list(refer("Removal")) }), &[])),
        ("NewRemoval", closed(asked.clone(), &["keep", "filter"])),
        ("ApplyRemoval", closed(planned, &["keep", "filter", "plan"])),
        ("Survey", object(survey, &[])),
        (
            "ClusterTable",
            object(
                json!({ "total": count(), "offset": count(), "clusters": list(object(row, &["labels"])) }),
                &[],
            ),
        ),
        ("ClusterMap", object(map, &[])),
        ("Me", object(me, &[])),
        ("Keepers", object(json!({ "keepers": list(keeper) }), &[])),
        (
            "NewKeeper",
            closed(
                json!({ "id": refer("Id"), "labels": which(), "keep": { "type": "boolean", "description": "False takes it back" } }),
                &["labels"],
            ),
        ),
    ]
}
