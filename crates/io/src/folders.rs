//! Fields in the names of folders: `lang=en/date=2024-01-01/part-0.parquet`, as Hive, Spark and others part tables.

use std::path::Path;
use std::sync::Arc;

/// What the folders above a file say about all its documents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FolderFields {
    /// Names and values, these as JSON. Shared by all chunks of a file.
    fields: Option<Arc<[(String, String)]>>,
}

/// What stands for a value that is absent.
const ABSENT: &str = "__HIVE_DEFAULT_PARTITION__";

impl FolderFields {
    /// Of all folders in the path as it was given; of two with one name, the inner one counts.
    pub fn of(path: &Path) -> FolderFields {
        let mut fields: Vec<(String, String)> = Vec::new();
        let folders = path.parent().into_iter().flat_map(Path::components);
        for folder in folders.filter_map(|folder| folder.as_os_str().to_str()) {
            let Some((name, value)) = folder.split_once('=').filter(|(name, _)| !name.is_empty()) else {
                continue;
            };
            let name = decoded(name);
            fields.retain(|(outer, _)| *outer != name);
            if !value.is_empty() && value != ABSENT {
                fields.push((name, json(decoded(value))));
            }
        }
        FolderFields { fields: (!fields.is_empty()).then(|| fields.into()) }
    }

    /// Whether the folders say nothing.
    pub fn is_empty(&self) -> bool {
        self.fields.is_none()
    }

    /// Names and values, these as JSON.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.fields
            .iter()
            .flat_map(|fields| fields.iter())
            .map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The value of a field as JSON.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.iter().find(|(own, _)| *own == name).map(|(_, value)| value)
    }
}

/// A number if it is one in JSON, as in tables of text; `01` is a text.
fn json(value: String) -> String {
    match serde_json::from_str::<serde_json::Number>(&value) {
        Ok(_) if value.trim() == value => value,
        _ => serde_json::Value::from(value).to_string(),
    }
}

/// Without the escapes (`%2F`) of characters that names of folders cannot have. What is no text then stays as it is.
fn decoded(escaped: &str) -> String {
    let mut bytes = Vec::with_capacity(escaped.len());
    let mut rest = escaped.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let code =
            after.get(..2).filter(|_| first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        let code = code.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match code.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| escaped.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(path: &str) -> Vec<(String, String)> {
        FolderFields::of(Path::new(path))
            .iter()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect()
    }

    #[test]
    fn folders_give_fields_and_files_do_not() {
        let pairs = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            pairs.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())).collect()
        };
        assert_eq!(
            of("/data/lang=en/date=2024-01-01/x=y.parquet"),
            pairs(&[("lang", "\"en\""), ("date", "\"2024-01-01\"")])
        );
        assert_eq!(
            of("year=2024/month=01/size=1.5/a"),
            pairs(&[("year", "2024"), ("month", "\"01\""), ("size", "1.5")])
        );
        assert_eq!(of("a%20b=c%2Fd%3D%zz%/x"), pairs(&[("a b", "\"c/d=%zz%\"")]));
        assert_eq!(of("k=%ff/x"), pairs(&[("k", "\"%ff\"")]));
        assert_eq!(of("k=a=b/x"), pairs(&[("k", "\"a=b\"")]));
        assert_eq!(of("k= 1/x"), pairs(&[("k", "\" 1\"")]));
        assert_eq!(of("lang=en/lang=de/x"), pairs(&[("lang", "\"de\"")]), "the inner folder counts");
        assert_eq!(of("lang=en/lang=__HIVE_DEFAULT_PARTITION__/x"), []);
        assert_eq!(of("=x/lang=/plain/x"), []);
        assert_eq!(of("x"), []);
    }

    proptest::proptest! {
        #[test]
        fn whatever_a_value_is_it_comes_back(value in "[^/\u{0}]{1,20}") {
            proptest::prop_assume!(value != ABSENT);
            let escaped: String = value.bytes().map(|byte| format!("%{byte:02X}")).collect();
            let fields = FolderFields::of(Path::new(&format!("k={escaped}/x")));
            let json: serde_json::Value = serde_json::from_str(fields.get("k").unwrap()).unwrap();
            let read = json.as_str().map_or_else(|| fields.get("k").unwrap().to_owned(), str::to_owned);
            proptest::prop_assert_eq!(read, value);
        }
    }
}
