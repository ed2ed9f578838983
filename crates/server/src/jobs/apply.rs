//! Makes decisions of the pairs that a job found, and withdraws them.
//!
//! A job says which documents are near-duplicates. Of the pairs that it did not find it says nothing: it may never have
//! compared them. So its pairs become decisions, and nothing else does. What a person decided stays, even if it is decided
//! while this runs, and so does a document that has changed since the job read it.

use std::collections::{HashMap, HashSet};
use std::io::BufRead;
use std::path::Path;

use lookalike::decisions::{DecidedPair, Decisions, Named, TextDigest};
use lookalike::index::{Decision, ImportedDecisions, Index, View};
use lookalike::{Error, Id, Progress, Result};
use lookalike_engine::run::for_each_stored_pair;
use lookalike_io::record::{Fields, TextBuffer};

use super::summary::AppliedDecisions;

/// Decisions that are made at once.
const BATCH: usize = 1000;

/// The name under which a job decides.
pub fn author(job: u64) -> String {
    format!("job {job}")
}

/// Makes decisions of the pairs in the results of a batch run. `corpus` has the documents as the run read them.
pub fn apply(
    results: &Path,
    corpus: &Path,
    author: &str,
    index: &Index,
    progress: &dyn Progress,
) -> Result<AppliedDecisions> {
    let mut pairs: Vec<(Id, Id)> = Vec::new();
    for_each_stored_pair(results, |a, b, _| {
        pairs.push((Id::from_json(a), Id::from_json(b)));
        Ok(())
    })?;
    let texts = texts_of(pairs.iter().flat_map(|(a, b)| [a, b]), corpus)?;
    progress.stage("deciding", pairs.len() as u64);
    let mut applied = AppliedDecisions::default();
    for batch in pairs.chunks(BATCH) {
        let mut decisions = Decisions::default();
        for (a, b) in batch {
            let (Some(&a_text), Some(&b_text)) = (texts.get(a.json()), texts.get(b.json())) else {
                applied.left += 1;
                continue;
            };
            let named = |id: &Id, text| Named { id: id.clone(), text: Some(text) };
            decisions.pairs.push(DecidedPair { a: named(a, a_text), b: named(b, b_text), duplicate: true });
        }
        let ImportedDecisions { rest, decided_before } =
            index.writer().import_undecided(&decisions, author)?;
        let left = rest.pairs.len() as u64;
        applied.changed += decisions.pairs.len() as u64 - left - decided_before;
        applied.decided_before += decided_before;
        applied.left += left;
        progress.advance(batch.len() as u64, 0)?;
    }
    Ok(applied)
}

/// Withdraws the decisions of a job that nobody has changed since.
pub fn undo(author: &str, index: &Index, progress: &dyn Progress) -> Result<AppliedDecisions> {
    let decisions = index.reader().decisions(&View::All)?;
    let own: Vec<Decision> = decisions.into_iter().filter(|decision| decision.by == author).collect();
    progress.stage("withdrawing", own.len() as u64);
    let mut undone = AppliedDecisions::default();
    for Decision { a, b, a_labels, b_labels, .. } in &own {
        let (a, b) = ((a, Some(a_labels.as_slice())), (b, Some(b_labels.as_slice())));
        match index.writer().withdraw(a, b, author, &View::All)? {
            true => undone.changed += 1,
            false => undone.left += 1,
        }
        progress.advance(1, 0)?;
    }
    Ok(undone)
}

/// The texts that some documents have in a corpus of JSON lines. An id that several documents have is left out: a pair
/// does not tell which of them it means.
fn texts_of<'a>(ids: impl Iterator<Item = &'a Id>, corpus: &Path) -> Result<HashMap<String, TextDigest>> {
    let mut texts: HashMap<String, Option<TextDigest>> = ids.map(|id| (id.json().to_owned(), None)).collect();
    let mut ambiguous = HashSet::new();
    let file = std::fs::File::open(corpus).map_err(Error::io(corpus))?;
    let mut lines = std::io::BufReader::with_capacity(1 << 20, file);
    let fields = Fields { id: "id".to_owned(), text: "text".to_owned(), wanted: Vec::new() };
    let (mut line, mut buffer) = (String::new(), TextBuffer::default());
    while lines.read_line(&mut line).map_err(Error::io(corpus))? > 0 {
        if let Ok(record) = fields.parse(&line, &mut buffer)
            && let Some(id) = record.id
            && let Some(text) = texts.get_mut(id.json())
            && text.replace(TextDigest::of(&record.document.text)).is_some()
        {
            ambiguous.insert(id.json().to_owned());
        }
        line.clear();
    }
    let known = texts.into_iter().filter(|(id, _)| !ambiguous.contains(id));
    Ok(known.filter_map(|(id, text)| Some((id, text?))).collect())
}
