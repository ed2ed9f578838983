//! Which files a job may read.

use std::path::{Component, Path, PathBuf};

use lookalike::{Error, Result};

/// The real path if it is in an allowed folder, whatever links lead to it.
pub fn within(path: &Path, allowed: &[PathBuf]) -> Result<PathBuf> {
    let refused = || Error::config(format!("{} is not in a folder that jobs may read", path.display()));
    if path.components().any(|part| part == Component::ParentDir) {
        return Err(refused());
    }
    // The same answer whether or not a file outside exists.
    let real = path.canonicalize().map_err(|_| refused())?;
    let inside = |folder: &PathBuf| folder.canonicalize().is_ok_and(|folder| real.starts_with(folder));
    if allowed.iter().any(inside) { Ok(real) } else { Err(refused()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_allowed_folders_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let (open, secret) = (folder.path().join("open"), folder.path().join("secret"));
        std::fs::create_dir(&open).unwrap();
        std::fs::write(open.join("a.jsonl"), "").unwrap();
        std::fs::write(&secret, "").unwrap();
        std::os::unix::fs::symlink(&secret, open.join("link")).unwrap();
        let allowed = [open.clone()];
        assert!(within(&open.join("a.jsonl"), &allowed).is_ok());
        let told = |path: &Path| within(path, &allowed).unwrap_err().to_string();
        for path in [secret.clone(), open.join("../secret"), open.join("link"), folder.path().join("missing")]
        {
            assert!(told(&path).contains("not in a folder"), "{}", path.display());
        }
    }
}
