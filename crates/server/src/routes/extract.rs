//! Extracts the path and the query of a request, with our own errors.

use axum::Extension;
use axum::extract::{FromRequestParts, Path, Query, Request, State};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use lookalike::Id;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::error::{ApiError, ApiResult};
use crate::guard::Authenticated;
use crate::openapi::{Describe, Operation};

/// The query of a request.
pub struct QueryParams<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for QueryParams<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match Query::from_request_parts(parts, state).await {
            Ok(Query(query)) => Ok(QueryParams(query)),
            Err(error) => Err(ApiError::bad_request(error.body_text())),
        }
    }
}

/// The ids in a path.
pub struct PathName<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for PathName<T> {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match Path::from_request_parts(parts, state).await {
            Ok(Path(path)) => Ok(PathName(path)),
            Err(error) => Err(ApiError::bad_request(error.body_text())),
        }
    }
}

/// The ids that a name in a path can mean: the text first, then the number that it spells.
pub fn possible_ids(name: &str) -> ApiResult<Vec<Id>> {
    let text = serde_json::to_string(name).map_err(|_| ApiError::internal())?;
    let mut ids = vec![Id::from_json(text)];
    let is_number = serde_json::from_str::<serde_json::Number>(name).is_ok();
    if is_number && name.starts_with(|first: char| first == '-' || first.is_ascii_digit()) {
        ids.push(Id::from_json(name.trim_end()));
    }
    Ok(ids)
}

impl<T: JsonSchema> Describe for QueryParams<T> {
    fn describe(operation: &mut Operation) {
        operation.set_query::<T>();
    }
}

/// Path parameters are described by the route; the other types do not concern callers.
impl<T> Describe for PathName<T> {}
impl<T> Describe for Path<T> {}
impl<T> Describe for State<T> {}
impl<T> Describe for Extension<T> {}
impl Describe for Authenticated {}
impl Describe for HeaderMap {}
impl Describe for Request {}

/// The labels that belong to a name.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LabelsQuery {
    /// All access labels of the document that is meant, parted by commas or as a JSON list, empty for none: needed
    /// where several documents that the caller sees have the id
    labels: Option<String>,
}

impl LabelsQuery {
    pub fn labels(&self) -> ApiResult<Option<Vec<String>>> {
        labels(self.labels.as_deref())
    }
}

/// Parses the labels in a query.
pub fn labels(text: Option<&str>) -> ApiResult<Option<Vec<String>>> {
    let Some(text) = text.map(str::trim) else { return Ok(None) };
    if text.starts_with('[') {
        let list = serde_json::from_str(text);
        return list.map(Some).map_err(|_| ApiError::bad_request("`labels` must be a list of texts"));
    }
    let labels = text.split(',').map(str::trim).filter(|label| !label.is_empty());
    Ok(Some(labels.map(str::to_owned).collect()))
}

/// The first possible id for which `known` finds something.
pub fn first<T>(name: &str, mut known: impl FnMut(&Id) -> lookalike::Result<Option<T>>) -> ApiResult<T> {
    for id in possible_ids(name)? {
        if let Some(found) = known(&id)? {
            return Ok(found);
        }
    }
    Err(ApiError::not_found())
}

/// A limit within bounds, or the default.
pub fn limit(asked: Option<usize>, default: usize) -> ApiResult<usize> {
    const MOST: usize = 1000;
    match asked {
        None => Ok(default),
        Some(limit) if (1..=MOST).contains(&limit) => Ok(limit),
        Some(_) => Err(ApiError::bad_request(format!("`limit` must be from 1 to {MOST}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_a_list() {
        let read = |text: &str| labels(Some(text)).unwrap().unwrap().join("|");
        assert_eq!(labels(None).unwrap(), None);
        assert_eq!(
            (read(""), read("red"), read("red, blue,")),
            (String::new(), "red".into(), "red|blue".into())
        );
        assert_eq!((read("[]"), read(r#"["a,b","c"]"#)), (String::new(), "a,b|c".into()));
        assert!(labels(Some("[1]")).is_err());
    }

    #[test]
    fn a_name_is_text_first_and_a_number_second() {
        let json = |name: &str| -> Vec<String> {
            possible_ids(name).unwrap().iter().map(|id| id.json().to_owned()).collect()
        };
        assert_eq!(json("a/b\""), ["\"a/b\\\"\""]);
        assert_eq!(json("17"), ["\"17\"", "17"]);
        assert_eq!(json("-2.5"), ["\"-2.5\"", "-2.5"]);
        for text in ["true", "1 2", "", " 1", "0x1", "007"] {
            assert_eq!(json(text).len(), 1, "{text}");
        }
    }
}
