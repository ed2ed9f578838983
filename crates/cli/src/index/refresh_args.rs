//! When an index counts its own lexicon again, as arguments.

use anyhow::Context;
use clap::Args;
use lookalike::index::Refresh;

/// When a lexicon that is counted from the documents of an index is counted again by itself.
#[derive(Args)]
pub struct RefreshArgs {
    /// Count the native lexicon again after N documents were added or changed, or off [default: off]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    refresh_after: Option<String>,
    /// Count it again when more than this share of the terms in new documents is unknown, or off [default: off]
    #[arg(long, value_name = "SHARE", allow_hyphen_values = true)]
    refresh_unknown: Option<String>,
}

impl RefreshArgs {
    /// The names of the settings, and what was given for each.
    pub fn given(&self) -> [(&'static str, Option<&str>); 2] {
        [
            ("refresh-after", self.refresh_after.as_deref()),
            ("refresh-unknown", self.refresh_unknown.as_deref()),
        ]
    }

    pub fn is_given(&self) -> bool {
        self.given().iter().any(|(_, value)| value.is_some())
    }

    /// A setting with the given options applied.
    pub fn changed(&self, before: Refresh) -> anyhow::Result<Refresh> {
        let after = before.changed(self.refresh_after.as_deref(), None).context("--refresh-after")?;
        after.changed(None, self.refresh_unknown.as_deref()).context("--refresh-unknown")
    }
}
