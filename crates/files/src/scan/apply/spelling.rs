//! Paths in the undo log. Most are UTF-8 and stand there as they are; another is spelled as reports spell it, in
//! an object of its own, so that no log is read differently than it was written.

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

/// As reports show it.
pub fn shown<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
    path.as_deref().map(name_of).serialize(serializer)
}
