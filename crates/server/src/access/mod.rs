//! Who may do what, and which documents they may see.
//!
//! A token has a role (read < reviewer < write < admin), and sees either everything or only documents without labels and those
//! with one of its own. The labels become the [`View`] of every call to the index, which filters before it
//! searches: no answer is computed and then hidden.

mod people;
mod rate;
mod tokens;

pub use people::People;
pub use rate::RateLimiter;
pub use tokens::{Admission, NewToken, TokenInfo, TokenStore};

use std::net::IpAddr;

use lookalike::index::View;
use lookalike::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::error::{ApiError, ApiResult};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    Read,
    /// Reads, and decides of pairs.
    Reviewer,
    Write,
    Admin,
}

impl Role {
    pub const NAMES: [&str; 4] = ["read", "reviewer", "write", "admin"];

    pub fn name(self) -> &'static str {
        Role::NAMES[self as usize]
    }

    pub fn from_name(name: &str) -> Result<Role> {
        let unknown = || Error::config(format!("unknown role `{name}`; known: {}", Role::NAMES.join(", ")));
        let all = [Role::Read, Role::Reviewer, Role::Write, Role::Admin];
        all.into_iter().find(|role| role.name() == name).ok_or_else(unknown)
    }
}

/// Who sent a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The token's name, which is recorded with decisions.
    pub name: String,
    pub role: Role,
    pub view: View,
    /// The beginnings of paths that it may use; `None`: all.
    pub routes: Option<Vec<String>>,
    /// Where the request came from, if that is known.
    pub address: Option<IpAddr>,
    /// The id of the request.
    pub request: Option<String>,
}

impl Caller {
    /// The caller of a service on a loopback address that has no tokens.
    pub fn local() -> Self {
        Caller {
            name: "local".to_owned(),
            role: Role::Admin,
            view: View::All,
            routes: None,
            address: None,
            request: None,
        }
    }

    /// Whether it may use a path at all.
    pub fn may_use(&self, path: &str) -> bool {
        let is_below = |start: &String| match path.strip_prefix(start.trim_end_matches('/')) {
            Some(rest) => rest.is_empty() || rest.starts_with('/'),
            None => false,
        };
        self.routes.as_ref().is_none_or(|routes| routes.iter().any(is_below))
    }

    /// Checks that a document only has labels that its writer may give, because otherwise the writer might not see it; and
    /// that it has one, because a document without any belongs to everybody.
    pub fn may_label(&self, labels: &[String]) -> ApiResult<()> {
        if self.view.may_change(labels) {
            return Ok(());
        }
        let message = if labels.is_empty() {
            "a token with labels writes documents that have some of them: give the document `labels`"
        } else {
            "a document may only get labels that the token has itself, or may write"
        };
        Err(ApiError::forbidden(message))
    }

    /// Checks that the caller sees everything and may change it: some figures are about the whole service and mean nothing for a part
    /// of it.
    pub fn must_see_all(&self) -> ApiResult<()> {
        match self.view {
            View::All => Ok(()),
            View::Labels(_) => Err(ApiError::forbidden("this needs a token that sees all labels")),
            View::Scoped(..) => Err(ApiError::forbidden("this needs a token that may write all labels")),
        }
    }
}
