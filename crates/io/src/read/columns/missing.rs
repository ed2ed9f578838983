//! Files of columns in a build that does not read them.

use lookalike_core::{Error, Result};

use crate::format::Layout;
use crate::inputs::Input;
use crate::read::spool::Spool;
use crate::read::{Chunk, ReadOptions};

/// There is none.
pub enum ColumnLane {}

impl ColumnLane {
    pub fn all(input: &Input, _: &ReadOptions, _: Spool) -> Result<Vec<ColumnLane>> {
        Err(refused(input))
    }

    pub fn next(&mut self, _: &mut Chunk, _: u64) -> Result<bool> {
        match *self {}
    }
}

pub fn columns_of(input: &Input) -> Result<String> {
    Err(refused(input))
}

/// Names the feature that is missing.
pub fn refused(input: &Input) -> Error {
    let what = if input.format.layout == Layout::Parquet { "a Parquet" } else { "an Arrow" };
    Error::config(format!(
        "{} is {what} file, which this build does not read: it lacks the feature `parquet`",
        input.name
    ))
}

#[cfg(test)]
mod tests {
    use crate::inputs::Input;
    use crate::read::{ReadOptions, Reader};

    #[test]
    fn the_missing_feature_is_named() {
        let dir = tempfile::tempdir().unwrap();
        for (name, bytes) in [("a.parquet", &b"PAR1...."[..]), ("a.arrow", b"ARROW1\0\0....")] {
            let path = dir.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            let input = Input::open(&path, name).unwrap();
            let options = ReadOptions {
                max_line: 1000,
                spool_folder: dir.path().to_owned(),
                columns: Vec::new(),
                text: "text".to_owned(),
                lanes: 1,
            };
            let error = Reader::open(&[input], options).err().unwrap().to_string();
            assert!(error.contains(name) && error.contains("feature `parquet`"), "{error}");
        }
    }
}
