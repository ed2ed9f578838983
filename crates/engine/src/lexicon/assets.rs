//! Lexicons, models and partitions by name; lexicons are loaded once.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use lookalike_core::decide::classifier::Trained;
use lookalike_core::lexicon::{Assets, Lexicon};
use lookalike_core::partition::FrozenPartition;
use lookalike_core::text::TEXT_RULES;
use lookalike_core::{Error, Result};

use super::NATIVE;
use crate::model_file::ModelFile;
use crate::partition_file;

/// English words in news; see `data/README.md`.
const ENGLISH: &[u8] = include_bytes!("../../data/english.lexicon.zst");

/// The lexicons of a recipe: `english` is compiled in, `native` is the one that the caller counted in
/// the corpus, anything else is a file.
#[derive(Default)]
pub struct AssetFiles {
    native: Option<Arc<Lexicon>>,
    files: Mutex<HashMap<String, Arc<Lexicon>>>,
}

impl AssetFiles {
    /// The lexicons of a run whose corpus was counted.
    pub fn with_native(native: Lexicon) -> Self {
        AssetFiles { native: Some(Arc::new(native)), ..AssetFiles::default() }
    }
}

impl Assets for AssetFiles {
    fn load(&self, name: &str) -> Result<Arc<Lexicon>> {
        match name {
            "english" => english(),
            NATIVE => self.native.clone().ok_or_else(|| {
                Error::config(
                    "lexicon `native` is counted from the corpus of a run, as `lookalike dedup` does, or from the \
                     documents of an index; here name `english` or a lexicon file",
                )
            }),
            path => {
                let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(lexicon) = files.get(path) {
                    return Ok(lexicon.clone());
                }
                let lexicon = Arc::new(from_file(path)?);
                files.insert(path.to_owned(), lexicon.clone());
                Ok(lexicon)
            }
        }
    }

    fn model(&self, name: &str) -> Result<Arc<Trained>> {
        Ok(Arc::new(ModelFile::read(Path::new(name))?.trained()))
    }

    fn partition(&self, name: &str) -> Result<Arc<FrozenPartition>> {
        Ok(Arc::new(partition_file::read(Path::new(name))?))
    }
}

fn from_file(name: &str) -> Result<Lexicon> {
    if !Path::new(name).exists() {
        return Err(Error::config(format!(
            "there is no lexicon `{name}`; known: english, native, or a file made by `lookalike lexicon build`"
        )));
    }
    let lexicon = super::open(Path::new(name))?;
    let rules = &lexicon.about().rules;
    if rules != TEXT_RULES {
        return Err(Error::Incompatible(format!(
            "{name}: its words follow the rules {rules}, this program follows {TEXT_RULES}: build it again"
        )));
    }
    Ok(lexicon)
}

/// Unpacked once in the lifetime of the process.
fn english() -> Result<Arc<Lexicon>> {
    static LOADED: OnceLock<Arc<Lexicon>> = OnceLock::new();
    if let Some(lexicon) = LOADED.get() {
        return Ok(lexicon.clone());
    }
    let bytes =
        zstd::decode_all(ENGLISH).map_err(|error| Error::Internal(format!("english lexicon: {error}")))?;
    let lexicon = Arc::new(Lexicon::open(bytes)?);
    Ok(LOADED.get_or_init(|| lexicon).clone())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use lookalike_core::hash;
    use lookalike_core::lexicon::write::Writer;
    use lookalike_core::lexicon::{About, Window};

    use super::*;

    #[test]
    fn english_is_there_and_follows_the_rules_of_today() {
        let english = AssetFiles::default().load("english").unwrap();
        english.verify().unwrap();
        assert_eq!(english.about().rules, TEXT_RULES);
        assert_eq!(english.id(), "a30ac6a80c0469f7", "schemes name it: another table is another scheme");
        assert_eq!(english.documents(), 73_300);
        let nidf = |word: &str| english.nidf(english.df(hash::bytes(word.as_bytes())));
        assert!(nidf("the") < 0.01 && nidf("and") < 0.01);
        assert!((0.2..0.8).contains(&nidf("harvest")), "{}", nidf("harvest"));
        assert_eq!(nidf("qzxvyw"), 1.0);
        let selected = Window::parse("0.2:0.8").unwrap().select(&english);
        assert!(selected.terms > 10_000, "{selected:?}");
        assert!(Arc::ptr_eq(&english, &AssetFiles::default().load("english").unwrap()), "loaded once");
    }

    #[test]
    fn native_is_what_the_caller_counted() {
        let told = AssetFiles::default().load("native").unwrap_err().to_string();
        assert!(told.contains("dedup") && told.contains("english"), "{told}");
        let assets = AssetFiles::with_native(Lexicon::from_counts(3, [(1, 2)]));
        assert_eq!(assets.load("native").unwrap().df(1), 2);
    }

    #[test]
    fn files_are_loaded_once_and_only_if_they_fit() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name).to_string_lossy().into_owned();
        std::fs::write(path("good"), Lexicon::from_counts(3, [(1, 2)]).as_bytes()).unwrap();
        let about = About { rules: "other-rules".to_owned(), ..About::words(3, "") };
        let other = Writer::new(about, 0, Vec::new(), None::<Cursor<Vec<u8>>>, "memory").finish().unwrap();
        std::fs::write(path("other"), other).unwrap();
        std::fs::write(path("text"), "no lexicon").unwrap();
        let assets = AssetFiles::default();
        let good = assets.load(&path("good")).unwrap();
        assert!(Arc::ptr_eq(&good, &assets.load(&path("good")).unwrap()));
        for (name, expected) in
            [("none", "there is no lexicon"), ("other", "other-rules"), ("text", "this is no lexicon")]
        {
            let told = assets.load(&path(name)).unwrap_err().to_string();
            assert!(told.contains(&path(name)) && told.contains(expected), "{told}");
        }
    }
}
