//! The OpenAPI 3.1 document. It is made from the table of routes, so it has exactly the routes that exist, and from
//! the types that their handlers take and give, so it cannot promise other shapes than those of the requests and
//! answers themselves.

mod operation;
mod schemas;

pub use operation::{Describe, Operation};

use axum::http::Method;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

use self::schemas::Schemas;
use crate::access::Role;

/// An OpenAPI document.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "OpenApi")]
pub struct Document {
    components: Map<String, Value>,
    info: Map<String, Value>,
    openapi: &'static str,
    paths: Map<String, Value>,
    servers: Vec<Value>,
}

/// The description of a route: method, path, required role, and operation.
pub type Described<'a> = (&'a Method, &'static str, Option<Role>, &'a Operation);

pub fn document<'a>(routes: impl Iterator<Item = Described<'a>>) -> Document {
    let mut schemas = Schemas::new();
    let mut paths = Map::new();
    for (method, path, needs, operation) in routes {
        let methods = paths.entry(path).or_insert_with(|| json!({}));
        methods[method.as_str().to_lowercase()] = operation.json(path, needs, &mut schemas);
    }
    let info = json!({
        "title": "Lookalike",
        "version": env!("CARGO_PKG_VERSION"),
        "description": "Near-duplicate detection: have we seen this? \
            Similarity is always from 0 to 1, larger is closer.",
        "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
    });
    let security = json!({ "token": {
        "type": "http",
        "scheme": "bearer",
        "description": "Made by `lookalike serve token add`. A service on a loopback address \
            that has no tokens needs none.",
    } });
    let components = json!({ "schemas": schemas.into_components(), "securitySchemes": security });
    Document {
        components: fields(components),
        info: fields(info),
        openapi: "3.1.0",
        paths,
        // From where this document is, so that it holds below any prefix, too.
        servers: vec![json!({ "url": ".." })],
    }
}

fn fields(object: Value) -> Map<String, Value> {
    match object {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
