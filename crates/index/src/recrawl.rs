//! When to fetch a document again, judged by how it changed so far.
//!
//! S09 §2.6.1 proposes fewer visits to documents that do not change. The interval doubles with each visit that
//! finds no change and shrinks with each change: by half when the new version is a different document, by a quarter
//! when it is a near-duplicate of the last.

use super::answer::Recrawl;

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

/// Near-duplicates of a better document can wait, the longer the more similar they are (S09 §1.1.1): there is
/// nothing new to find.
pub fn advice(interval: u32, seen: u32, similarity_to_master: Option<f64>) -> Recrawl {
    let interval = known(interval);
    let news = 1.0 - similarity_to_master.unwrap_or(0.0);
    Recrawl {
        interval: u64::from(interval),
        due: u64::from(seen) + u64::from(interval),
        // It may still turn into a different document, so it is never left out of the crawl for good.
        crawl_priority: news.max(0.1),
        index_priority: news,
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
        let (alone, copy) = (advice(0, 100, None), advice(DAY, 100, Some(1.0)));
        assert_eq!((alone.crawl_priority, alone.index_priority), (1.0, 1.0));
        assert_eq!((copy.crawl_priority, copy.index_priority), (0.1, 0.0));
        assert_eq!(copy.due, 100 + u64::from(DAY));
    }
}
