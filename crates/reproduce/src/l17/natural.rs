//! Near-duplicates that were not made for a test: pages scraped twice, mail filed or sent twice, answers
//! taken from a source, articles copied.

use std::collections::BTreeMap;

use lookalike_core::hash::{combine, mix};
use lookalike_core::{Error, Result};

use super::cases::Case;
use crate::Data;
use lookalike_engine::run::{Job, Progress};
use lookalike_judge::{Labels, read_pairs};

/// How many near-duplicates of a set are judged.
const MOST: usize = 500;

pub struct Natural {
    pub name: &'static str,
    pub what: &'static str,
    pub case: Case,
}

pub fn all(data: &Data, progress: &dyn Progress) -> Result<Vec<Natural>> {
    let web = data.job(&["web-twice.tar.zst"], progress)?;
    let texts = texts(&web)?;
    let same_page = same_page(&texts);
    let web = Case::balanced(data, "web", &texts, &same_page, MOST, &web)?;
    let labelled = |name: &str, corpus: &str, pairs: &str| -> Result<Case> {
        let job = data.job(&[corpus], progress)?;
        let texts = self::texts(&job)?;
        let positives = listed(data, pairs, &texts)?;
        Case::balanced(data, name, &texts, &positives, MOST, &job)
    };
    let enron = labelled("enron", "enron.tar.zst", "enron.pairs.jsonl.zst")?;
    let articles = labelled("articles", "minhash-articles.jsonl.zst", "minhash-articles.truth.jsonl.zst")?;
    let answers = Case::labelled(
        data.job(&["clough-stevenson.jsonl.zst"], progress)?,
        data.path("clough-stevenson.labels.jsonl.zst"),
        Labels { positive: ["cut", "light", "heavy"].map(str::to_owned).to_vec(), ..Labels::default() },
        (57, 38),
    );
    Ok(vec![
        Natural { name: "web-twice (html)", what: "a page scraped twice", case: web },
        Natural { name: "Enron (mail)", what: "messages that share half their word 3-grams", case: enron },
        Natural { name: "articles (txt)", what: "planted copies of news", case: articles },
        Natural {
            name: "Clough–Stevenson (txt)",
            what: "answers copied or rewritten from a source",
            case: answers,
        },
    ])
}

/// Id and text of all documents; a member of an archive is named by its path in it.
fn texts(job: &Job) -> Result<Vec<(String, String)>> {
    let mut all = Vec::new();
    job.corpus()?.for_each(&[], |_, id, document| {
        let name = &*id.display();
        let name = name.split_once('#').map_or(name, |(_, part)| part);
        all.push((name.to_owned(), document.text.to_string()));
        Ok(())
    })?;
    Ok(all)
}

/// Pages whose names differ only in the number of the visit.
fn same_page(texts: &[(String, String)]) -> Vec<(usize, usize)> {
    let mut by_name: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (number, (id, _)) in texts.iter().enumerate() {
        let name = ["-1.html", "-2.html"].iter().find_map(|ending| id.strip_suffix(ending));
        if let Some(name) = name {
            by_name.entry(name).or_default().push(number);
        }
    }
    by_name.values().filter(|both| both.len() == 2).map(|both| (both[0], both[1])).collect()
}

/// The pairs of a file, in an order given by a fixed seed.
fn listed(data: &Data, file: &str, texts: &[(String, String)]) -> Result<Vec<(usize, usize)>> {
    let numbers: BTreeMap<&str, usize> =
        texts.iter().enumerate().map(|(number, (id, _))| (id.as_str(), number)).collect();
    let path = data.path(file);
    let (pairs, _) = read_pairs(&path, &Labels::default())?;
    let known = |id: &str| numbers.get(id).copied();
    let mut found: Vec<(usize, usize)> =
        pairs.iter().filter_map(|pair| Some((known(&pair.a)?, known(&pair.b)?))).collect();
    if found.is_empty() {
        return Err(Error::Input(format!("{} names no two documents of its corpus", path.display())));
    }
    found.sort_by_key(|&(a, b)| mix(combine(mix(a as u64), b as u64)));
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visits_of_a_page_go_together() {
        let texts: Vec<(String, String)> = ["a-1.html", "b-1.html", "a-2.html", "c.html"]
            .iter()
            .map(|id| ((*id).to_owned(), String::new()))
            .collect();
        assert_eq!(same_page(&texts), [(0, 2)]);
    }
}
