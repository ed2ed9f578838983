//! Documents of the four types that L17 distinguishes.

use std::path::{Path, PathBuf};

use lookalike_core::document::Value;
use lookalike_core::hash::{combine, mix};
use lookalike_core::registry::Registry;
use lookalike_core::{Error, Result};

use super::corpus::write_corpus;
use super::unpack::unpack;
use crate::Data;
use lookalike_engine::Recipe;
use lookalike_engine::run::{Job, Progress, find};

/// Shorter texts have hardly anything to compare.
const LEAST_WORDS: usize = 30;
/// Longer texts are cut: a manual of hundreds of pages would dominate the times.
const MOST_WORDS: usize = 20_000;
/// How many documents of a type are used.
const MOST: usize = 150;
/// Two texts of a type that share more than this part of their word 3-grams are not both used.
const DISTINCT: &str = "0.3";

/// The data files that [`all`] reads.
pub const DATA: &[&str] = &["reuters-news.jsonl.zst", "web-twice.tar.zst", "formats.tar.zst"];

pub struct Type {
    pub name: &'static str,
    pub what: &'static str,
    pub originals: Vec<Original>,
}

/// A document that resembles no other of its type.
pub struct Original {
    pub file: PathBuf,
    pub text: String,
}

pub fn all(data: &Data, registry: &Registry, progress: &dyn Progress) -> Result<Vec<Type>> {
    let formats = data.path("formats.tar.zst");
    let folder = |name: &str| data.scratch().join(format!("files-{name}"));
    let html = folder("html");
    write_articles(data, &folder("txt"), progress)?;
    unpack(&data.path("web-twice.tar.zst"), &["-1.html"], &html)?;
    unpack(&formats, &[".doc", ".docx"], &folder("doc"))?;
    unpack(&formats, &[".pdf"], &folder("pdf"))?;
    let types = [
        ("txt", "news articles as text files, for C50"),
        ("html", "real web pages, each scraped once, for pages fetched by wget"),
        ("doc", "Word files of both kinds out of the test suites of document readers"),
        ("pdf", "PDF files out of the same suites, for mail and news turned into PDF"),
    ];
    let read = |(name, what)| {
        let originals = originals(data, name, &folder(name), registry, progress)?;
        Ok(Type { name, what, originals })
    };
    types.into_iter().map(read).collect()
}

/// A sample of the news as files.
fn write_articles(data: &Data, folder: &Path, progress: &dyn Progress) -> Result<()> {
    let mut articles = articles(data, 2 * MOST, progress)?;
    std::fs::create_dir_all(folder).map_err(Error::io(folder))?;
    for (number, text) in articles.drain(..).enumerate() {
        let path = folder.join(format!("{number:04}.txt"));
        std::fs::write(&path, text).map_err(Error::io(&path))?;
    }
    Ok(())
}

/// A number of news articles, drawn with a fixed seed.
pub fn articles(data: &Data, most: usize, progress: &dyn Progress) -> Result<Vec<String>> {
    let job = data.job(&["reuters-news.jsonl.zst"], progress)?;
    let mut all = Vec::new();
    job.corpus()?.for_each(&[], |number, _, document| {
        if document.text.split_whitespace().count() >= LEAST_WORDS {
            all.push((mix(combine(mix(17), u64::from(number.raw()))), document.text.to_string()));
        }
        Ok(())
    })?;
    all.sort_by_key(|(order, _)| *order);
    all.truncate(most);
    Ok(all.into_iter().map(|(_, text)| text).collect())
}

fn originals(
    data: &Data,
    name: &str,
    folder: &Path,
    registry: &Registry,
    progress: &dyn Progress,
) -> Result<Vec<Original>> {
    let job =
        data.job_over(vec![folder.to_string_lossy().into_owned()], &format!("read-{name}"), progress)?;
    let mut all = Vec::new();
    job.corpus()?.for_each(&["path".to_owned()], |_, _, document| {
        let words: Vec<&str> = document.text.split_whitespace().take(MOST_WORDS).collect();
        if let (Some(Some(Value::Text(path))), true) = (document.fields.first(), words.len() >= LEAST_WORDS) {
            let file = Path::new(path.as_ref()).file_name().map(|name| folder.join(name));
            all.extend(file.map(|file| Original { file, text: words.join(" ") }));
        }
        Ok(())
    })?;
    // A file may hold several documents, which are named by the file.
    all.dedup_by(|b, a| a.file == b.file);
    let lines = all.iter().enumerate().map(|(number, one)| (number.to_string(), one.text.as_str()));
    let job = write_corpus(data, &format!("all-{name}"), lines, &job)?;
    let similar = find(&resemblance(registry)?.build(registry)?, &job, progress)?.all_pairs()?;
    let distinct = distinct(all.len(), &similar);
    let kept = all.into_iter().zip(distinct).filter(|(_, distinct)| *distinct).map(|(one, _)| one);
    Ok(kept.take(MOST).collect())
}

/// Marks documents that are like no earlier marked one.
fn distinct(documents: usize, similar: &[(u32, u32, f64)]) -> Vec<bool> {
    let mut marks = vec![true; documents];
    let mut by_later: Vec<(u32, u32)> = similar.iter().map(|&(a, b, _)| (b, a)).collect();
    by_later.sort_unstable();
    for (later, earlier) in by_later {
        if marks[earlier as usize] {
            marks[later as usize] = false;
        }
    }
    marks
}

fn resemblance(registry: &Registry) -> Result<Recipe> {
    let mut recipe = Recipe::for_method("cosine", registry)?;
    for (key, value) in [
        ("features.type", "shingles"),
        ("features.shingle", "3"),
        ("decide.measure", "jaccard"),
        ("decide.threshold", DISTINCT),
    ] {
        recipe.set(key, value)?;
    }
    Ok(recipe)
}

/// The time to read a number of files of the type, and their size.
pub fn read_files(data: &Data, kind: &Type, most: usize, progress: &dyn Progress) -> Result<(Job, f64, u64)> {
    let key = format!("{}-{most}", kind.name);
    let folder = data.scratch().join(format!("timed-{key}"));
    std::fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
    let mut bytes = 0;
    for original in kind.originals.iter().take(most) {
        let target = folder.join(original.file.file_name().unwrap_or_default());
        bytes += std::fs::copy(&original.file, &target).map_err(Error::io(&target))?;
    }
    let began = std::time::Instant::now();
    let job =
        data.job_over(vec![folder.to_string_lossy().into_owned()], &format!("timed-read-{key}"), progress)?;
    Ok((job, began.elapsed().as_secs_f64(), bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_similar_texts_the_first_stays() {
        // 1 is dropped because of 0; 2 resembles only 1, which is dropped, and stays.
        assert_eq!(distinct(4, &[(0, 1, 0.5), (1, 2, 0.5), (0, 3, 0.9)]), [true, false, true, false]);
    }
}
