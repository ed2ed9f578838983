//! All pairs of documents with a Jaccard similarity of at least `min_j`, exactly, by a prefix-filter join.
//!
//! Put the 5-grams of every document into one common order.  Two sets with J >= t share at least
//! `need = ceil(t / (1 + t) * (|a| + |b|))` of them, and so at least one among the first `|x| - ceil(t * |x|) + 1`
//! of each.  With rare 5-grams first, hardly any other pair shares one there.  Any order is right; the counts below
//! may be too high through collisions, which costs time and never a pair.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};
use std::thread;

use crate::words::{Words, jaccard};

pub struct Pair {
    pub a: u32,
    pub b: u32,
    pub j: f64,
}

/// One 5-gram of a document's prefix: where the document has it, and how many 5-grams it has.
struct Posting {
    hash: u64,
    document: u32,
    position: u16,
    size: u16,
}

/// Joins `documents`, which must have different sets of 5-grams.
pub fn similar_pairs(words: &Words, documents: &[u32], min_j: f64) -> Vec<Pair> {
    let counts = Counts::of(words, documents);
    let mut postings = in_parallel(documents, |part| {
        let mut postings = Vec::new();
        for &document in part {
            push_prefix(words, &counts, document, min_j, &mut postings);
        }
        postings
    });
    postings.sort_unstable_by_key(|p| (p.hash, p.document));
    let candidates = candidates(&postings, min_j);
    drop(postings);
    in_parallel(&candidates, |part| {
        let (mut verified, mut last, mut set_a) = (Vec::new(), u32::MAX, Vec::new());
        for &(a, b) in part {
            if a != last {
                (last, set_a) = (a, words.gram_set(a));
            }
            let j = jaccard(&set_a, &words.gram_set(b));
            if j >= min_j {
                verified.push(Pair { a, b, j });
            }
        }
        verified
    })
}

fn push_prefix(words: &Words, counts: &Counts, document: u32, min_j: f64, postings: &mut Vec<Posting>) {
    let mut ordered: Vec<(u8, u128)> =
        words.gram_set(document).into_iter().map(|g| (counts.get(g), g)).collect();
    let size = ordered.len();
    let prefix = size - at_least(min_j * size as f64) + 1;
    ordered.sort_unstable();
    for (position, &(count, gram)) in ordered[..prefix.min(size)].iter().enumerate() {
        // What stands once in the whole corpus has no partner.
        if count > 1 {
            postings.push(Posting {
                hash: hash(gram),
                document,
                position: position as u16,
                size: size as u16,
            });
        }
    }
}

fn candidates(postings: &[Posting], min_j: f64) -> Vec<(u32, u32)> {
    let mut pairs = Vec::new();
    let mut compact_at = 1 << 26;
    for same in postings.chunk_by(|x, y| x.hash == y.hash) {
        for (i, x) in same.iter().enumerate() {
            for y in &same[i + 1..] {
                // What can still follow of both lists bounds the overlap if this is their first common 5-gram.
                let need = at_least(min_j / (1.0 + min_j) * f64::from(u32::from(x.size) + u32::from(y.size)));
                let rest = usize::from((x.size - x.position).min(y.size - y.position));
                if rest >= need && x.document != y.document {
                    pairs.push((x.document, y.document));
                }
            }
        }
        if pairs.len() > compact_at {
            pairs.sort_unstable();
            pairs.dedup();
            compact_at = (pairs.len() * 2).max(1 << 26);
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// Rounds up, but not because of an error in the last bit: too low only costs time.
fn at_least(bound: f64) -> usize {
    (bound - 1e-6).ceil() as usize
}

/// How often each 5-gram occurs, or more: a table without keys.
struct Counts {
    table: Vec<AtomicU8>,
}

impl Counts {
    fn of(words: &Words, documents: &[u32]) -> Self {
        let size = words.total().next_power_of_two().max(1 << 16);
        let counts = Self { table: (0..size).map(|_| AtomicU8::new(0)).collect() };
        in_parallel(documents, |part| {
            for &document in part {
                for gram in words.grams(document) {
                    // Stays at 255: a count that wraps around to 1 would lose pairs.
                    let _ = counts.cell(gram).fetch_update(Relaxed, Relaxed, |n| n.checked_add(1));
                }
            }
            Vec::<()>::new()
        });
        counts
    }

    fn cell(&self, gram: u128) -> &AtomicU8 {
        &self.table[(hash(gram) >> 8) as usize & (self.table.len() - 1)]
    }

    fn get(&self, gram: u128) -> u8 {
        self.cell(gram).load(Relaxed)
    }
}

pub fn hash(gram: u128) -> u64 {
    let mut h = (gram as u64) ^ ((gram >> 64) as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    h = (h ^ (h >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    h = (h ^ (h >> 32)).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    h ^ (h >> 32)
}

/// Works on equal parts of `items` at the same time; the results stand in the items' order.
pub fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&[T]) -> Vec<R> + Sync) -> Vec<R> {
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let part = items.len().div_ceil(threads).max(1);
    thread::scope(|scope| {
        let running: Vec<_> = items.chunks(part).map(|chunk| scope.spawn(|| work(chunk))).collect();
        running.into_iter().flat_map(|thread| thread.join().expect("a worker panicked")).collect()
    })
}
