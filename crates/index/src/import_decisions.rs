//! Imports decisions and preferences: those of another index, or the pairs of a batch job.

use lookalike_core::{Error, Result};
use lookalike_engine::decisions::{Decisions, Named, TextDigest};

use super::decide::{decision, in_force};
use super::generation::{Generation, SigningContext};
use super::index::IndexWriter;
use super::name::visible_with_id;
use super::query::{QueryOptions, View};
use crate::query::{seconds, visibility_now};
use crate::storage::document::DocumentNumber;
use crate::storage::operation::{Operation, Prefer};
use crate::storage::store::StoreWriter;

impl IndexWriter<'_> {
    /// Imports decisions from elsewhere, as far as this index has the documents with the same texts, and returns
    /// the rest.
    pub fn import_decisions(&self, decisions: &Decisions, by: &str) -> Result<Decisions> {
        let imported = self
            .index
            .write(|generation, writer| import_decisions(generation, writer, decisions, by, true))?;
        Ok(imported.rest)
    }

    /// Imports decisions about pairs on which nobody has decided yet. What somebody decides at the same time is not
    /// overwritten.
    pub fn import_undecided(&self, decisions: &Decisions, by: &str) -> Result<ImportedDecisions> {
        self.index.write(|generation, writer| import_decisions(generation, writer, decisions, by, false))
    }
}

/// What became of decisions that were imported.
#[derive(Debug, Default)]
pub struct ImportedDecisions {
    /// Those about documents that the index does not have with the same texts.
    pub rest: Decisions,
    /// How many pairs somebody had decided on already.
    pub decided_before: u64,
}

fn import_decisions(
    generation: &Generation,
    mut writer: StoreWriter<'_>,
    decisions: &Decisions,
    by: &str,
    overwrites: bool,
) -> Result<ImportedDecisions> {
    let time = seconds(QueryOptions::default().now);
    let mut context = SigningContext::new(generation);
    let mut find = |named: &Named| -> Result<Option<DocumentNumber>> {
        let mut numbers: Vec<DocumentNumber> = {
            let state = generation.store.state();
            let visibility = visibility_now(&state, &View::All);
            visible_with_id(&state, &named.id, &visibility).collect()
        };
        let Some(digest) = named.text else {
            // Without a text, an id that several documents have is ambiguous.
            return Ok(numbers.pop().filter(|_| numbers.is_empty()));
        };
        numbers.sort_unstable();
        for number in numbers.into_iter().rev() {
            if TextDigest::of(&context.text_of(number)?) == digest {
                return Ok(Some(number));
            }
        }
        Ok(None)
    };
    let is_decided = |numbers: (DocumentNumber, DocumentNumber)| {
        let state = generation.store.state();
        in_force(&state, numbers, &visibility_now(&state, &View::All)).is_some()
    };
    let (mut operations, mut rest) = (Vec::new(), Decisions::default());
    let mut decided_before = 0;
    for pair in &decisions.pairs {
        let operation = match find(&pair.a)?.zip(find(&pair.b)?) {
            Some(numbers) if !overwrites && is_decided(numbers) => {
                decided_before += 1;
                continue;
            }
            Some(numbers) => {
                let ids = (&pair.a.id, &pair.b.id);
                decision(generation, numbers, ids, Some(pair.duplicate), by, time, None)
            }
            None => Err(Error::input("one of the two is not here")),
        };
        match operation {
            Ok(operation) => operations.push(operation),
            Err(Error::Input(_)) => rest.pairs.push(pair.clone()),
            Err(error) => return Err(error),
        }
    }
    for keeper in &decisions.keepers {
        match find(keeper)? {
            Some(document) => {
                let prefer = Prefer { document, preferred: true, by: by.to_owned(), time };
                operations.push(Operation::Prefer(prefer));
            }
            None => rest.keepers.push(keeper.clone()),
        }
    }
    let ticket = writer.commit(None, &operations)?;
    drop(writer);
    generation.store.sync(ticket)?;
    Ok(ImportedDecisions { rest, decided_before })
}
