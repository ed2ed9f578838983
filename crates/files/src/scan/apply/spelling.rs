//! Paths in the undo log. Most are UTF-8 and are written as they are; others are spelled as in reports, inside
//! an object, so that a path is always read as it was written.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use lookalike_io::names::{name_of, path_of};

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Spelling<'a> {
    Text(std::borrow::Cow<'a, str>),
    Spelled { spelled: String },
}

pub fn serialize<S: Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    match path.to_str() {
        Some(text) => Spelling::Text(text.into()),
        None => Spelling::Spelled { spelled: name_of(path) },
    }
    .serialize(serializer)
}

pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PathBuf, D::Error> {
    Ok(match Spelling::deserialize(deserializer)? {
        Spelling::Text(text) => PathBuf::from(text.into_owned()),
        Spelling::Spelled { spelled } => path_of(&spelled),
    })
}

/// The spelling of reports.
pub fn shown<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
    path.as_deref().map(name_of).serialize(serializer)
}
