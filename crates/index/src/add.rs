//! Inserts and removes documents, many at a time.

use crate::index::IndexWriter;

use crate::storage::document::ContentNumber;
use crate::storage::operation::Operation;
use crate::storage::population::Visibility;
use crate::storage::store::StoreWriter;
use lookalike_core::{Error, Result};

use super::answer::{Answer, DocumentAction};
use super::find::{self, ContentMatches};
use super::generation::{Generation, SignedDocument, SigningContext};
use super::insert::Add;
use super::lexicons::{TermCount, UnknownTerms};
use super::name::{DocumentName, find_named, labels_of, with_same_name};
use super::query::{Policy, QueryOptions, View};
use crate::query::{seconds, visibility_of};
use lookalike_core::threads::{self, try_on_threads};

/// Up to this many documents are signed on the calling thread.
const ALONE: usize = 8;

/// A document that is signed and compared with the contents that were in the index before the batch.
type ReadDocument = Result<(SignedDocument, ContentMatches, Vec<TermCount>)>;

impl IndexWriter<'_> {
    /// Checks a document and inserts it, as one atomic step. It is durable when this returns.
    pub fn add(&self, document: &[u8], policy: Policy, options: &QueryOptions) -> Result<Answer> {
        let mut answers = self.add_many(&[document], policy, options)?;
        answers.pop().unwrap_or_else(|| Err(Error::Internal("a document without an answer".to_owned())))
    }

    /// Inserts documents in order, each as if it came alone, and syncs them to disk together. If one of them fails,
    /// its error stands at its place in the list. If the whole call fails, none of them is acknowledged.
    pub fn add_many(
        &self,
        documents: &[&[u8]],
        policy: Policy,
        options: &QueryOptions,
    ) -> Result<Vec<Result<Answer>>> {
        self.index.write(|generation, writer| self.add_to(generation, writer, documents, policy, options))
    }

    fn add_to(
        &self,
        generation: &Generation,
        mut writer: StoreWriter<'_>,
        documents: &[&[u8]],
        policy: Policy,
        options: &QueryOptions,
    ) -> Result<Vec<Result<Answer>>> {
        generation.lookup.check_answers()?;
        let store = &generation.store;
        let mut ticket = self.index.catch_up(generation, &mut writer, seconds(options.now))?;
        let contents = store.state().population.contents.next_number();
        let read = read_all(generation, documents)?;
        let mut context = SigningContext::new(generation);
        let mut answers = Vec::with_capacity(documents.len());
        for (&line, read) in documents.iter().zip(read) {
            let answer = read.and_then(|(query, matches, terms)| {
                let mut add = Add { index: self.index, generation, line, query, matches, policy, options };
                add.match_within_batch(&mut context, contents)?;
                let (answer, one) = add.carry_out(&mut context, &mut writer)?;
                ticket = ticket.max(one);
                if matches!(answer.action, DocumentAction::Inserted | DocumentAction::Updated) {
                    generation.lexicons.usage().add(&terms);
                }
                Ok(answer)
            });
            // An I/O error, such as a full disk, concerns the whole batch.
            if let Err(Error::Io { .. }) = &answer {
                answers.push(answer);
                break;
            }
            answers.push(answer);
        }
        self.index.defer_error(writer.maintain());
        let next = store.state().population.documents.next_number();
        self.index.defer_error(generation.lexicons.save_if_many(next));
        drop(writer);
        store.sync(ticket)?;
        if let Some(error) = answers.pop_if(|answer| matches!(answer, Err(Error::Io { .. }))) {
            return error.map(|_| answers);
        }
        Ok(answers)
    }

    /// Removes a document that is visible in the view, and returns whether there was one. It is an error if the
    /// view may see the document but not change it.
    pub fn remove<'a>(&self, name: impl Into<DocumentName<'a>>, view: &View) -> Result<bool> {
        Ok(self.remove_many([name], view)? > 0)
    }

    /// Removes documents, durable when this returns, and returns how many were found. If a name fits several
    /// documents, nothing is removed and the call is an error.
    pub fn remove_many<'a, N: Into<DocumentName<'a>>>(
        &self,
        names: impl IntoIterator<Item = N>,
        view: &View,
    ) -> Result<u64> {
        let names: Vec<DocumentName<'a>> = names.into_iter().map(Into::into).collect();
        self.index.write(|generation, writer| self.remove_from(generation, writer, names, view))
    }

    fn remove_from(
        &self,
        generation: &Generation,
        mut writer: StoreWriter<'_>,
        names: Vec<DocumentName<'_>>,
        view: &View,
    ) -> Result<u64> {
        let now = QueryOptions::default().now;
        let (mut numbers, mut removed) = (Vec::new(), 0);
        {
            let state = generation.store.state();
            let visibility = visibility_of(&state, view, now);
            for name in names {
                let Some(number) = find_named(&state, name, &visibility)? else { continue };
                let labels = labels_of(&state, number);
                if !view.may_change(labels) {
                    return Err(Error::Forbidden(
                        "the document has no label of the token, or one that the token has not: only who has all its labels \
                         may change it"
                            .to_owned(),
                    ));
                }
                removed += u64::from(!numbers.contains(&number));
                numbers.extend(with_same_name(&state, name.id, labels, &visibility));
            }
        }
        numbers.sort_unstable();
        numbers.dedup();
        let operations: Vec<Operation> =
            numbers.into_iter().map(|document| Operation::Remove { document }).collect();
        let ticket = writer.commit(None, &operations)?;
        self.index.defer_error(writer.maintain());
        drop(writer);
        generation.store.sync(ticket)?;
        Ok(removed)
    }
}

/// Signs documents and compares them with the index, on all cores.
fn read_all(generation: &Generation, documents: &[&[u8]]) -> Result<Vec<ReadDocument>> {
    let next = generation.next_position();
    let all = Visibility { sets: None, now: 0 };
    let read = |context: &mut SigningContext<'_>,
                lexicons: &mut UnknownTerms<'_>,
                place: usize,
                line: &[u8]|
     -> ReadDocument {
        let query = context.sign(line, next.saturating_add(place as u32))?;
        let matches = find::find(context, generation, &query, &all, ContentNumber::FIRST)?;
        let terms = lexicons.count(line, &query.text);
        Ok((query, matches, terms))
    };
    if documents.len() <= ALONE {
        let (mut context, mut lexicons) = (SigningContext::new(generation), generation.lexicons.reader());
        return Ok(documents
            .iter()
            .enumerate()
            .map(|(place, line)| read(&mut context, &mut lexicons, place, line))
            .collect());
    }
    let threads = threads::available();
    let taken = std::sync::atomic::AtomicUsize::new(0);
    let parts = try_on_threads(threads, |_| {
        let (mut context, mut lexicons) = (SigningContext::new(generation), generation.lexicons.reader());
        let mut part = Vec::new();
        loop {
            let place = taken.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            let Some(line) = documents.get(place) else { return Ok(part) };
            part.push((place, read(&mut context, &mut lexicons, place, line)));
        }
    })?;
    let mut parts: Vec<(usize, ReadDocument)> = parts.into_iter().flatten().collect();
    parts.sort_unstable_by_key(|&(place, _)| place);
    Ok(parts.into_iter().map(|(_, read)| read).collect())
}
