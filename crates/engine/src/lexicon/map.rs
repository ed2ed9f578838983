//! Opens a lexicon file as a memory map.

use std::fs::File;
use std::path::Path;

use lookalike_core::lexicon::Lexicon;
use lookalike_core::{Error, Result};
use memmap2::Mmap;

/// Opens a lexicon and reads all of it once, to check that it is undamaged.
///
/// The file is mapped, not read into memory: processes that use the same lexicon share it. The file
/// must not be truncated meanwhile. We never do that: a lexicon is replaced by a new file of the
/// same name, and the old one stays whole for processes that have it open.
pub fn open(path: &Path) -> Result<Lexicon> {
    let named = |error| match error {
        Error::Incompatible(message) => Error::Incompatible(format!("{}: {message}", path.display())),
        other => other,
    };
    let lexicon = Lexicon::open(map(path)?).map_err(named)?;
    lexicon.verify().map_err(named)?;
    Ok(lexicon)
}

fn map(path: &Path) -> Result<Mmap> {
    let file = File::open(path).map_err(Error::io(path))?;
    if file.metadata().map_err(Error::io(path))?.is_dir() {
        return Err(Error::config(format!("{} is a folder, not a lexicon", path.display())));
    }
    // SAFETY: the bytes must not change while they are mapped, which no program can enforce. Other
    // content would be harmless, since every value read is checked before it is used as an offset; a
    // file that another program cuts ends the process by a signal. Lexicons are written elsewhere
    // and renamed, so that only somebody who rewrites one in place can do either.
    unsafe { Mmap::map(&file) }.map_err(Error::io(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file_of(bytes: &[u8]) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), bytes).unwrap();
        file
    }

    #[test]
    fn a_mapped_lexicon_is_the_one_in_memory() {
        let made = Lexicon::from_counts(50, (0..3000u32).map(|i| (u64::from(i) << 50, i + 1)));
        let file = file_of(made.as_bytes());
        let mapped = open(file.path()).unwrap();
        assert_eq!(mapped.id(), made.id());
        assert!(mapped.terms().eq(made.terms()));
        // Processes that have the file open keep it, whatever replaces it.
        std::fs::rename(file_of(b"other").path(), file.path()).unwrap();
        mapped.verify().unwrap();
        assert!(open(file.path()).is_err());
    }

    #[test]
    fn what_is_no_lexicon_is_named() {
        let folder = tempfile::tempdir().unwrap();
        assert!(open(folder.path()).unwrap_err().to_string().contains("is a folder"));
        assert!(matches!(open(&folder.path().join("none")), Err(Error::Io { .. })));
        for bytes in [&b""[..], b"text", &Lexicon::from_counts(1, []).as_bytes()[..40]] {
            let file = file_of(bytes);
            let told = open(file.path()).unwrap_err().to_string();
            assert!(
                told.starts_with(&file.path().display().to_string()) && told.contains("lexicon"),
                "{told}"
            );
        }
    }
}
