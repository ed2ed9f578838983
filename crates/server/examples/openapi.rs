//! Prints the OpenAPI document of the service: `cargo run -p lookalike-server --example openapi > docs/openapi.json`.

fn main() -> Result<(), serde_json::Error> {
    println!("{}", serde_json::to_string_pretty(&lookalike_server::openapi())?);
    Ok(())
}
