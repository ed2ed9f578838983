//! Columnar files in a build that does not read them.

use lookalike_core::{Error, Result};

use crate::format::Layout;
use crate::inputs::Input;
use crate::read::{Chunk, ReadOptions};

/// A build without the feature has no such cursor.
pub enum ColumnCursor {}

impl ColumnCursor {
    pub fn all(input: &Input, _: &ReadOptions) -> Result<Vec<ColumnCursor>> {
        Err(refused(input))
    }

    pub fn next(&mut self, _: &mut Chunk, _: u64) -> Result<bool> {
        match *self {}
    }
}

pub fn columns_of(input: &Input) -> Result<String> {
    Err(refused(input))
}

/// The error that names the missing feature.
pub fn refused(input: &Input) -> Error {
    let what = if input.format.layout == Layout::Parquet { "a Parquet" } else { "an Arrow" };
    Error::config(format!(
        "{} is {what} file, which this build does not read: it lacks the feature `parquet`",
        input.name
    ))
}

#[cfg(test)]
mod tests {
    use super::{ColumnCursor, columns_of};
    use crate::inputs::Input;
    use crate::read::ReadOptions;

    #[test]
    fn the_missing_feature_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let files = [
            ("a.parquet", &b"PAR1...."[..], "is a Parquet file"),
            ("a.arrow", b"ARROW1\0\0....", "is an Arrow file"),
        ];
        for (name, bytes, what) in files {
            let path = dir.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            let input = Input::open(&path, name).unwrap();
            let options =
                ReadOptions { max_line: 1000, columns: Vec::new(), text: "text".to_owned(), cursors: 1 };
            let read = ColumnCursor::all(&input, &options).err().unwrap().to_string();
            let compared = columns_of(&input).unwrap_err().to_string();
            for error in [read, compared] {
                assert!(error.starts_with(&format!("{name} {what}")), "{error}");
                assert!(error.contains("feature `parquet`"), "{error}");
            }
        }
    }
}
