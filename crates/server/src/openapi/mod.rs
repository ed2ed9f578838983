//! The OpenAPI 3.1 document, made from the table of routes: what is not in the table cannot be in
//! the document, and the other way round.

mod jobs;
mod operation;
mod page;
mod schemas;
mod search;

pub use operation::Operation;

use serde_json::{Map, Value, json};

use crate::routes::Route;

pub fn document(routes: &[Route]) -> Value {
    let mut paths = Map::new();
    for route in routes {
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        if let Value::Object(methods) = path {
            methods.insert(route.method.as_str().to_lowercase(), route.about.json(route.path, route.needs));
        }
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Lookalike",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Near-duplicate detection: have we seen this? \
                Similarity is always from 0 to 1, larger is closer.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "servers": [{ "url": "/" }],
        "paths": paths,
        "components": {
            "schemas": schemas::all(),
            "securitySchemes": { "token": {
                "type": "http",
                "scheme": "bearer",
                "description": "Made by `lookalike serve token add`. A service on a loopback address \
                    that has no tokens needs none.",
            } },
        },
    })
}
