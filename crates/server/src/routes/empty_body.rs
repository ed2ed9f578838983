//! The body of a request that needs none.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::body::JsonBody;
use crate::document::parse_error;
use crate::error::ApiResult;
use crate::state::App;

#[derive(Deserialize, JsonSchema)]
#[schemars(rename = "Nothing")]
#[serde(deny_unknown_fields)]
pub struct EmptyBody {}

/// Refuses a body that says something.
pub async fn read_nothing(body: JsonBody<EmptyBody>, app: &App) -> ApiResult<()> {
    let held = body.bytes(app).await?;
    if !held.bytes.is_empty() {
        serde_json::from_slice::<EmptyBody>(&held.bytes).map_err(|error| parse_error(&error))?;
    }
    Ok(())
}
