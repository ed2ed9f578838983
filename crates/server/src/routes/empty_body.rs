//! The body of a request that needs none.

use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Nothing")]
#[serde(deny_unknown_fields)]
pub struct EmptyBody {}
