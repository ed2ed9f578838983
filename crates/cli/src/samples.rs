//! Sample documents compiled in, so that everything the documentation shows can be tried at once.
//!
//! `lookalike demo` runs on [`CORPUS`]; `lookalike demo --data DIR` writes everything: a corpus, part of it
//! again, recipes, and a folder of files in many formats.

use std::path::Path;
use std::time::{Duration, SystemTime};

use anyhow::Context;

pub const CORPUS: &str = include_str!("../samples/documents.jsonl");

/// Each with its age in days before [`NEWEST`], so that dates are the same for everyone.
const FILES: &[(&str, u64, &[u8])] = &[
    ("press-release.docx", 9, include_bytes!("../samples/documents/press-release.docx")),
    ("press-release.pdf", 8, PRESS_RELEASE),
    ("archive/press-release (1).pdf", 0, PRESS_RELEASE),
    ("portal.html", 7, include_bytes!("../samples/documents/portal.html")),
    ("wire.txt", 8, include_bytes!("../samples/documents/wire.txt")),
    ("wetlands.odt", 900, include_bytes!("../samples/documents/wetlands.odt")),
    ("wetlands.doc", 899, include_bytes!("../samples/documents/wetlands.doc")),
    ("wetlands-cut.md", 895, include_bytes!("../samples/documents/wetlands-cut.md")),
    ("terms-2023.rtf", 455, include_bytes!("../samples/documents/terms-2023.rtf")),
    ("terms-2024.docx", 45, include_bytes!("../samples/documents/terms-2024.docx")),
    ("support-mail.eml", 114, include_bytes!("../samples/documents/support-mail.eml")),
    ("support-mail-forwarded.eml", 114, include_bytes!("../samples/documents/support-mail-forwarded.eml")),
    ("minutes-march.txt", 77, include_bytes!("../samples/documents/minutes-march.txt")),
    ("minutes-april.txt", 42, include_bytes!("../samples/documents/minutes-april.txt")),
    ("bees.txt", 1500, include_bytes!("../samples/documents/bees.txt")),
    ("empty.txt", 3, include_bytes!("../samples/documents/empty.txt")),
    ("damaged.docx", 2, include_bytes!("../samples/documents/damaged.docx")),
];
const PRESS_RELEASE: &[u8] = include_bytes!("../samples/documents/press-release.pdf");
/// 30 May 2024, noon.
const NEWEST: Duration = Duration::from_secs(1_717_070_400);
const DAY: u64 = 86_400;

macro_rules! recipes {
    ($($name:literal),* $(,)?) => {
        /// The recipes that come with the program, by file name.
        const RECIPES: &[(&str, &str)] = &[$(($name, include_str!(concat!("../../../recipes/", $name)))),*];
    };
}
recipes![
    "cjk.toml",
    "imatch-email.toml",
    "llm-corpus.toml",
    "news.toml",
    "plagiarism.toml",
    "short-texts.toml",
    "simhash-128.toml",
    "simhash-metadata.toml",
    "source-code.toml",
    "web-pages.toml",
    "word-forms.toml",
    "word-order-free.toml",
    "xnddf-classifier.toml",
    "xnddf.toml",
];

/// Writes `corpus.jsonl`, `more.jsonl` (its first half), `documents/` and `recipes/` into a folder that is
/// empty or does not exist yet.
pub fn write(folder: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let mut entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    if entries.next().is_some() {
        anyhow::bail!("{} is not empty; name a folder that is not there yet", folder.display());
    }
    let half = CORPUS.lines().count().div_ceil(2);
    let more: String = CORPUS.split_inclusive('\n').take(half).collect();
    put(&folder.join("corpus.jsonl"), CORPUS.as_bytes(), 0)?;
    put(&folder.join("more.jsonl"), more.as_bytes(), 0)?;
    for (name, recipe) in RECIPES {
        put(&folder.join("recipes").join(name), recipe.as_bytes(), 0)?;
    }
    for (name, age, bytes) in FILES {
        put(&folder.join("documents").join(name), bytes, *age)?;
    }
    Ok(())
}

fn put(path: &Path, bytes: &[u8], age_in_days: u64) -> anyhow::Result<()> {
    let modified = SystemTime::UNIX_EPOCH + NEWEST - Duration::from_secs(age_in_days * DAY);
    let write = || {
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
        std::fs::write(path, bytes)?;
        std::fs::File::options().write(true).open(path)?.set_modified(modified)
    };
    write().with_context(|| path.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_recipe_of_the_project_is_compiled_in() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../recipes");
        let mut there: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        there.sort();
        let compiled: Vec<&str> = RECIPES.iter().map(|(name, _)| *name).collect();
        assert_eq!(there, compiled);
    }
}
