//! The OpenAPI document is complete and true: it lists the routes that exist, and answers have the
//! shapes it gives.

use serde_json::{Value, json};

use crate::client::{Reply, send};
use crate::running::{start, text};

/// Every route of the interface, as users know it.
const ROUTES: [(&str, &str); 68] = [
    ("get", "/api/clusters/{id}/members"),
    ("get", "/api/clusters/{id}/shape"),
    ("post", "/api/decisions/bulk"),
    ("get", "/api/review/next"),
    ("get", "/api/review/progress"),
    ("post", "/api/review/remarks"),
    ("get", "/api/review/filters"),
    ("post", "/api/review/filters"),
    ("delete", "/api/review/filters/{name}"),
    ("get", "/api/review/batches"),
    ("post", "/api/review/batches"),
    ("delete", "/api/review/batches/{id}"),
    ("get", "/"),
    ("get", "/assets/{name}"),
    ("get", "/api/clusters/{id}/map"),
    ("get", "/api/keepers"),
    ("post", "/api/keepers"),
    ("get", "/api/lexicons/{name}"),
    ("get", "/api/lexicons/{name}/word"),
    ("get", "/api/me"),
    ("post", "/api/profile"),
    ("get", "/api/removals"),
    ("post", "/api/removals"),
    ("post", "/api/removals/preview"),
    ("get", "/api/removals/export"),
    ("post", "/api/removals/{id}/undo"),
    ("get", "/api/stability"),
    ("get", "/api/survey"),
    ("get", "/api/survey/clusters"),
    ("get", "/api/admin/task"),
    ("get", "/api/clusters"),
    ("get", "/api/clusters/{id}"),
    ("get", "/api/due"),
    ("get", "/api/mirrors"),
    ("get", "/api/decisions"),
    ("get", "/api/documents/{id}"),
    ("get", "/api/documents/{id}/history"),
    ("get", "/api/lexicons"),
    ("get", "/api/methods"),
    ("get", "/api/openapi.json"),
    ("get", "/api/pairs/{a}/{b}"),
    ("get", "/api/stats"),
    ("get", "/healthz"),
    ("get", "/metrics"),
    ("get", "/readyz"),
    ("post", "/api/admin/compact"),
    ("post", "/api/admin/resign"),
    ("get", "/api/admin/audit"),
    ("post", "/api/admin/erase"),
    ("post", "/api/admin/snapshot"),
    ("get", "/api/admin/snapshots"),
    ("post", "/api/check"),
    ("post", "/api/decisions"),
    ("post", "/api/documents"),
    ("post", "/api/documents/bulk"),
    ("delete", "/api/documents/{id}"),
    ("get", "/api/jobs"),
    ("post", "/api/jobs"),
    ("get", "/api/jobs/{id}"),
    ("delete", "/api/jobs/{id}"),
    ("post", "/api/jobs/{id}/adopt"),
    ("delete", "/api/jobs/{id}/adopt"),
    ("get", "/api/jobs/{id}/files"),
    ("get", "/api/jobs/{id}/file"),
    ("get", "/api/uploads"),
    ("post", "/api/uploads"),
    ("delete", "/api/uploads"),
    ("get", "/api/search"),
];

fn routes(document: &Value) -> Vec<(String, String)> {
    let paths = document["paths"].as_object().unwrap().iter();
    let all = paths.flat_map(|(path, methods)| {
        methods.as_object().unwrap().keys().map(move |method| (method.clone(), path.clone()))
    });
    all.collect()
}

#[test]
fn the_document_lists_exactly_the_routes_that_exist() {
    let service = start();
    let document = service.get("/api/openapi.json").json();
    assert_eq!(document["openapi"], "3.1.0");
    let mut listed = routes(&document);
    let mut expected: Vec<_> =
        ROUTES.iter().map(|&(method, path)| (method.to_owned(), path.to_owned())).collect();
    listed.sort();
    expected.sort();
    assert_eq!(listed, expected);
    for (_, path) in &listed {
        let real = path.replace("{id}", "x").replace("{a}", "x").replace("{b}", "y").replace("{name}", "x");
        for method in ["get", "post", "put", "patch", "delete"] {
            let reply = send(service.address, &method.to_uppercase(), &real, &[], b"");
            let is_listed = document["paths"][path].get(method).is_some();
            let exists = reply.status != 405 && !(reply.status == 404 && reply.code() == "no-such-route");
            assert_eq!(exists, is_listed, "{method} {path}: {}", reply.status);
        }
    }
}

#[test]
fn every_reference_leads_somewhere_and_every_operation_has_its_name() {
    let service = start();
    let document = service.get("/api/openapi.json").json();
    let text = document.to_string();
    for reference in text.split("\"$ref\":\"").skip(1).map(|rest| rest.split('"').next().unwrap()) {
        let target = document.pointer(&reference[1..]);
        assert!(target.is_some(), "{reference}");
    }
    let mut names: Vec<&Value> = Vec::new();
    for (method, path) in routes(&document) {
        let operation = &document["paths"][&path][&method];
        assert!(!names.contains(&&operation["operationId"]), "{path}");
        names.push(&document["paths"][&path][&method]["operationId"]);
    }
}

/// A type whose name is taken gets a number behind it, which says nothing to anybody.
#[test]
fn every_schema_has_a_name_of_its_own_and_is_used() {
    let document = lookalike_server::openapi();
    let text = document.to_string();
    for name in document["components"]["schemas"].as_object().unwrap().keys() {
        assert!(!name.ends_with(|last: char| last.is_ascii_digit()), "{name}");
        assert!(text.contains(&format!("\"#/components/schemas/{name}\"")), "{name} is used nowhere");
    }
}

/// The page's types are made from this file.
#[test]
fn the_committed_document_is_current() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/openapi.json");
    let committed: Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    assert!(
        committed == lookalike_server::openapi(),
        "run: cargo run -p lookalike-server --example openapi > docs/openapi.json && web/build"
    );
}

/// What callers may ask for by name is what the service knows by that name.
#[test]
fn parameters_allow_exactly_the_names_that_are_known() {
    use lookalike::index::survey::Sort;
    use lookalike::index::{Policy, RemovalReportFormat};
    let document = lookalike_server::openapi();
    let allowed = |method: &str, path: &str, name: &str| -> Vec<String> {
        let parameters = document["paths"][path][method]["parameters"].as_array().unwrap();
        let schema = &parameters.iter().find(|parameter| parameter["name"] == name).unwrap()["schema"];
        let choices = schema["enum"].as_array().into_iter().flatten();
        let described = schema["oneOf"].as_array().into_iter().flatten();
        let described = described.flat_map(|choice| match choice["enum"].as_array() {
            Some(several) => several.iter().collect::<Vec<_>>(),
            None => vec![&choice["const"]],
        });
        let mut names: Vec<String> =
            choices.chain(described).map(|name| name.as_str().unwrap().to_owned()).collect();
        names.sort();
        names
    };
    let sorted = |mut names: Vec<&'static str>| {
        names.sort_unstable();
        names
    };
    assert_eq!(allowed("post", "/api/documents", "policy"), sorted(Policy::NAMES.to_vec()));
    assert_eq!(
        allowed("get", "/api/survey/clusters", "sort"),
        sorted(Sort::NAMES.map(|known| known.0).to_vec())
    );
    assert_eq!(allowed("get", "/api/removals/export", "format"), sorted(RemovalReportFormat::NAMES.to_vec()));
}

#[test]
fn answers_have_the_shapes_that_are_promised() {
    let service = start();
    let document = service.get("/api/openapi.json").json();
    let add = |id: &str, changed| {
        service.post("/api/documents?ttl=9999", &json!({ "id": id, "text": text(1, changed), "set": "spam" }))
    };
    let holds = |method: &str, path: &str, reply: &Reply| {
        let responses = &document["paths"][path][method]["responses"];
        let response = &responses[reply.status.to_string()];
        assert!(response.is_object(), "{method} {path} may answer {}", reply.status);
        if let Some(content) = response["content"].as_object() {
            let (_, media) = content.iter().next().unwrap();
            fits(&document, &media["schema"], &reply.json(), &format!("{method} {path}"));
        }
    };
    holds("post", "/api/documents", &add("a", 0));
    holds("post", "/api/documents", &add("b", 1));
    holds("post", "/api/documents", &add("b", 2));
    holds("post", "/api/documents", &service.post("/api/documents", &json!({})));
    let check = json!({ "text": text(1, 3) });
    holds("post", "/api/check", &service.post("/api/check?passages=true", &check));
    holds(
        "post",
        "/api/decisions",
        &service.post("/api/decisions", &json!({ "a": "a", "b": "b", "duplicate": true })),
    );
    let bulk = send(
        service.address,
        "POST",
        "/api/documents/bulk",
        &[("content-type", "application/x-ndjson")],
        format!("{}\n{{", json!({ "id": "c", "text": text(1, 4) })).as_bytes(),
    );
    let schema = json!({ "$ref": "#/components/schemas/BulkAnswer" });
    bulk.lines().iter().for_each(|line| fits(&document, &schema, line, "bulk"));
    let lines = [("content-type", "application/x-ndjson")];
    let upload = send(service.address, "POST", "/api/uploads?name=a.jsonl", &lines, b"{}\n");
    holds("post", "/api/uploads", &upload);
    for path in [
        "/api/documents/{id}",
        "/api/documents/{id}/history",
        "/api/clusters/{id}",
        "/api/clusters/{id}/map",
        "/api/survey",
        "/api/survey/clusters",
        "/api/keepers",
        "/api/me",
        "/api/removals",
        "/api/stability",
        "/api/pairs/{a}/{b}",
        "/api/clusters",
        "/api/decisions",
        "/api/due",
        "/api/mirrors",
        "/api/methods",
        "/api/lexicons",
        "/api/stats",
        "/healthz",
        "/readyz",
        "/api/openapi.json",
        "/api/admin/task",
        "/api/uploads",
        "/api/jobs",
    ] {
        let real = |id: &str| path.replace("{id}", id).replace("{a}", id).replace("{b}", "b");
        holds("get", path, &service.get(&real("a")));
        holds("get", path, &service.get(&real("unknown")));
    }
    for (path, body) in [
        ("/api/keepers", json!({ "id": "b", "keep": true })),
        ("/api/removals/preview", json!({ "keep": "first" })),
        ("/api/removals/preview", json!({ "keep": "best" })),
        ("/api/profile", json!({ "id": "b", "method": "simhash" })),
        ("/api/profile", json!({})),
    ] {
        holds("post", path, &service.post(path, &body));
    }
    for name in ["english", "unknown"] {
        holds("get", "/api/lexicons/{name}", &service.get(&format!("/api/lexicons/{name}")));
        let word = service.get(&format!("/api/lexicons/{name}/word?word=harvest"));
        holds("get", "/api/lexicons/{name}/word", &word);
    }
    holds("post", "/api/removals", &service.post("/api/removals", &json!({})));
    holds("post", "/api/removals/{id}/undo", &service.post("/api/removals/1/undo", &json!({})));
    holds("post", "/api/admin/compact", &service.post("/api/admin/compact", &json!({})));
    holds("delete", "/api/documents/{id}", &service.delete("/api/documents/a"));
}

/// The client of these tests looks up every status that it meets; here it meets what is wrong with an address.
#[test]
fn what_is_wrong_with_an_address_is_declared_too() {
    let service = start();
    assert_eq!(service.post("/api/documents", &json!({ "id": "a", "text": text(1, 0) })).status, 200);
    for path in [
        "/api/removals/export?keep=prettiest",
        "/api/removals/export?format=pdf",
        "/api/removals/export?filter=size:many",
        "/api/survey/clusters?filter=size:many",
        "/api/survey/clusters?sort=beauty",
        "/api/survey/clusters?limit=0",
        "/api/clusters?after=unknown",
        "/api/clusters?limit=none",
        "/api/due?limit=0",
        "/api/due?at=soon",
        "/api/mirrors?limit=0",
        "/api/mirrors?clusters=0",
        "/api/mirrors?share=NaN",
        "/api/clusters/%ff",
        "/api/documents/%ff",
        "/api/stability?dropped=7",
        "/api/stability?dropped=x",
        "/api/lexicons/english/word",
        "/api/lexicons/%2e%2e/word?word=a",
        "/api/jobs/1/file",
        "/api/jobs/x/files",
        "/api/search?q=a&facets=colour",
        "/api/search?q=a&offset=-1",
        "/api/me?x=1",
        "/api/decisions?x=1",
    ] {
        let reply = service.get(path);
        assert!(
            matches!(reply.status, 200 | 400 | 404 | 422 | 503),
            "{path}: {} {}",
            reply.status,
            reply.code()
        );
    }
}

/// As much of JSON schema as the document uses.
fn fits(document: &Value, schema: &Value, value: &Value, place: &str) {
    if let Err(error) = matches(document, schema, value, place) {
        panic!("{error}");
    }
}

fn matches(document: &Value, schema: &Value, value: &Value, place: &str) -> Result<(), String> {
    if let Some(reference) = schema["$ref"].as_str() {
        return matches(document, document.pointer(&reference[1..]).unwrap(), value, place);
    }
    if let Some(choices) = schema["oneOf"].as_array() {
        let fitting = choices.iter().filter(|choice| matches(document, choice, value, place).is_ok()).count();
        return if fitting == 1 {
            Ok(())
        } else {
            Err(format!("{place}: {fitting} of the choices fit {value}"))
        };
    }
    if let Some(choices) = schema["anyOf"].as_array() {
        let wrong: Vec<String> =
            choices.iter().filter_map(|choice| matches(document, choice, value, place).err()).collect();
        return if wrong.len() < choices.len() {
            Ok(())
        } else {
            Err(format!("{place}: none of the choices fits {value}: {}", wrong.join("; ")))
        };
    }
    if schema.get("const").is_some_and(|only| only != value) {
        return Err(format!("{place}: {value} is not {}", schema["const"]));
    }
    if let Some(choices) = schema["enum"].as_array()
        && !choices.contains(value)
    {
        return Err(format!("{place}: {value} is none of {choices:?}"));
    }
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
        Value::Number(number) if number.is_f64() => "number",
        Value::Number(_) => "integer",
    };
    let fits_kind = |wanted: &Value| wanted == kind || (wanted == "number" && kind == "integer");
    match &schema["type"] {
        Value::Null => {}
        Value::Array(kinds) if kinds.iter().any(fits_kind) => {}
        wanted if fits_kind(wanted) => {}
        wanted => return Err(format!("{place}: {value} is not {wanted}")),
    }
    for name in schema["required"].as_array().into_iter().flatten() {
        if value.get(name.as_str().unwrap()).is_none() {
            return Err(format!("{place}: {name} is missing in {value}"));
        }
    }
    for (name, value) in value.as_object().into_iter().flatten() {
        match schema["properties"].get(name) {
            Some(schema) => matches(document, schema, value, &format!("{place}.{name}"))?,
            // What is answered is described: nobody has to find out by looking.
            None if schema["properties"].is_object() => {
                return Err(format!("{place}: {name} is not described"));
            }
            None => {}
        }
    }
    let length = value.as_array().map_or(0, Vec::len) as u64;
    if value.is_array() && schema["minItems"].as_u64().is_some_and(|least| length < least)
        || schema["maxItems"].as_u64().is_some_and(|most| length > most)
    {
        return Err(format!("{place}: {value} is too short or too long"));
    }
    let first = schema["prefixItems"].as_array().into_iter().flatten();
    for (number, (schema, value)) in first.zip(value.as_array().into_iter().flatten()).enumerate() {
        matches(document, schema, value, &format!("{place}[{number}]"))?;
    }
    let items = &schema["items"];
    for (number, value) in value.as_array().into_iter().flatten().enumerate().filter(|_| !items.is_null()) {
        matches(document, items, value, &format!("{place}[{number}]"))?;
    }
    let (least, most) = (schema["minimum"].as_f64(), schema["maximum"].as_f64());
    match value.as_f64() {
        Some(number)
            if least.is_some_and(|least| number < least) || most.is_some_and(|most| number > most) =>
        {
            Err(format!("{place}: {number} is out of bounds"))
        }
        _ => Ok(()),
    }
}
