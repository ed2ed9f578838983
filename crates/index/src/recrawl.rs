//! When to fetch a document again, judged by how it changed so far.
//!
//! S09 §2.6.1 proposes fewer visits to documents that do not change. The interval doubles with each visit that
//! finds no change and shrinks with each change: by half when the new version is a different document, by a quarter
//! when it is a near-duplicate of the last.

use super::answer::Recrawl;
use super::clusters::ClusterLookup;
use crate::storage::document::DocumentNumber;

const HOUR: u32 = 3600;
const DAY: u32 = 24 * HOUR;
/// The interval of a document that was seen once.
pub const FIRST: u32 = DAY;
const LONGEST: u32 = 90 * DAY;

pub fn after_no_change(interval: u32) -> u32 {
    known(interval).saturating_mul(2).min(LONGEST)
}

pub fn after_change(interval: u32, near_duplicate: bool) -> u32 {
    let interval = known(interval);
    (if near_duplicate { interval / 4 * 3 } else { interval / 2 }).max(HOUR)
}

fn known(interval: u32) -> u32 {
    if interval == 0 { FIRST } else { interval }
}

/// When a document is due that was last seen then, in seconds since 1970.
pub fn due(interval: u32, seen: u32) -> u64 {
    u64::from(seen) + u64::from(known(interval))
}

/// The advice for a stored document.
pub fn of_document(clusters: &mut ClusterLookup<'_>, number: DocumentNumber) -> Recrawl {
    let to_master = clusters.similarity_to_master(number);
    let state = clusters.state;
    let document = &state.population.documents[number];
    let to_version_before = state.versions(number).last().and_then(|version| version.similarity);
    advice(document.interval, document.seen, to_master, to_version_before)
}

/// Near-duplicates of a better document can wait, the longer the more similar they are (S09 §1.1.1): there is
/// nothing new to find. And the less a document has changed, the less is gained by indexing it again.
fn advice(
    interval: u32,
    seen: u32,
    similarity_to_master: Option<f64>,
    similarity_to_version_before: Option<f64>,
) -> Recrawl {
    let news = 1.0 - similarity_to_master.unwrap_or(0.0);
    Recrawl {
        interval: u64::from(known(interval)),
        due: due(interval, seen),
        // It may still turn into a different document, so it is never left out of the crawl for good.
        crawl_priority: news.max(0.1),
        index_priority: news * (1.0 - similarity_to_version_before.unwrap_or(0.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visits_follow_the_changes() {
        assert_eq!(after_no_change(0), 2 * DAY);
        assert_eq!(after_no_change(80 * DAY), LONGEST);
        assert!(after_change(DAY, false) < after_change(DAY, true) && after_change(DAY, true) < DAY);
        assert_eq!(after_change(HOUR, false), HOUR);
        let (alone, copy) = (advice(0, 100, None, None), advice(DAY, 100, Some(1.0), None));
        assert_eq!((alone.crawl_priority, alone.index_priority), (1.0, 1.0));
        assert_eq!((copy.crawl_priority, copy.index_priority), (0.1, 0.0));
        assert_eq!(copy.due, 100 + u64::from(DAY));
        let (changed_little, changed_much) =
            (advice(0, 0, None, Some(0.75)), advice(0, 0, Some(0.5), Some(0.0)));
        assert_eq!((changed_little.crawl_priority, changed_little.index_priority), (1.0, 0.25));
        assert_eq!(changed_much.index_priority, 0.5);
    }
}
