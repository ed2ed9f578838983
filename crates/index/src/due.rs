//! What should be fetched again, the most urgent first.

use lookalike_core::Result;
use lookalike_core::document::Id;

use crate::index::IndexReader;
use crate::storage::document::DocumentNumber;

use super::answer::{DueDocument, DueQueue};
use super::clusters::{ClusterLookup, with_clusters};
use super::name::labels_of;
use super::query::{View, visibility_now};
use super::recrawl;

/// Documents that are looked at before writers get a turn.
const TURN: usize = 20_000;

impl IndexReader<'_> {
    /// The documents whose time to be fetched again has come by `now`, in seconds since 1970: the most urgent first,
    /// and of equally urgent ones those that have waited longest. At most `limit` are listed, all are counted.
    pub fn due(&self, view: &View, now: u64, limit: usize) -> Result<DueQueue> {
        let generation = self.index.generation();
        let visibility = visibility_now(&generation.store.state(), view);
        let (mut queue, mut next) = (DueQueue::default(), Some(DocumentNumber::FIRST));
        while let Some(first) = next {
            let (mut found, after) = with_clusters(&generation, &visibility, |clusters| {
                let documents = &clusters.state.population.documents;
                let turn: Vec<DocumentNumber> =
                    documents.iter_from(first).map(|(number, _)| number).take(TURN).collect();
                let after = turn.last().filter(|_| turn.len() == TURN).map(|last| last.next());
                let visible = turn.into_iter().filter(|&number| visibility.includes(&documents[number]));
                let visible: Vec<DocumentNumber> = visible.collect();
                let due = visible.into_iter().filter_map(|number| due_document(clusters, number, now));
                Ok((due.collect::<Vec<_>>(), after))
            })?;
            queue.due += found.len() as u64;
            queue.documents.append(&mut found);
            queue.documents.sort_by(|a, b| {
                let urgency = b.recrawl.crawl_priority.total_cmp(&a.recrawl.crawl_priority);
                urgency.then(a.recrawl.due.cmp(&b.recrawl.due)).then_with(|| a.id.json().cmp(b.id.json()))
            });
            queue.documents.truncate(limit);
            next = after;
        }
        Ok(queue)
    }
}

fn due_document(clusters: &mut ClusterLookup<'_>, number: DocumentNumber, now: u64) -> Option<DueDocument> {
    let document = &clusters.state.population.documents[number];
    if recrawl::due(document.interval, document.seen) > now {
        return None;
    }
    let recrawl = recrawl::of_document(clusters, number);
    let state = clusters.state;
    let id = Id::from_json(state.population.ids.get(number));
    Some(DueDocument { id, labels: labels_of(state, number).to_vec(), recrawl })
}
