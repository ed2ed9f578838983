use std::collections::{BTreeMap, BTreeSet};
use std::io::Cursor;

use proptest::prelude::*;

use super::*;
use crate::hash;
use crate::lexicon::merge::{Merge, merged};
use crate::lexicon::write::Writer;
use crate::lexicon::{About, Lexicon};

type Documents = Vec<Vec<u16>>;

fn word(number: u16) -> String {
    format!("w{number}")
}

/// A stored run, as a file would hold it.
#[derive(Clone, Default)]
struct Stored {
    terms: Vec<(u64, u32, Vec<u8>)>,
    next: usize,
}

impl Stored {
    fn of(run: &mut CountedTerms<'_>) -> Self {
        let mut terms = Vec::new();
        while let Some((hash, df)) = run.advance().unwrap() {
            terms.push((hash, df, run.text().to_vec()));
        }
        Stored { terms, next: 0 }
    }
}

impl TermSource for Stored {
    fn advance(&mut self) -> Result<Option<(u64, u32)>> {
        self.next += 1;
        Ok(self.terms.get(self.next - 1).map(|term| (term.0, term.1)))
    }

    fn text(&self) -> &[u8] {
        &self.terms[self.next - 1].2
    }
}

/// Counts like `threads` threads that take turns, each with a table of `most_terms` terms.
fn counted(documents: &Documents, threads: usize, most_terms: usize) -> Lexicon {
    let mut counters: Vec<Counter> = (0..threads).map(|_| Counter::new(0, true)).collect();
    let mut runs = Vec::new();
    for (index, document) in documents.iter().enumerate() {
        let counter = &mut counters[index % threads];
        counter.most_terms = most_terms;
        counter
            .begin_document(&mut |run| {
                runs.push(Stored::of(run));
                Ok(())
            })
            .unwrap();
        for &number in document {
            let word = word(number);
            counter.add(hash::bytes(word.as_bytes()), word.as_bytes());
        }
    }
    let total: u64 = counters.iter().map(Counter::documents).sum();
    runs.extend(counters.iter_mut().map(|counter| Stored::of(&mut counter.finish().source())));
    let expected = runs.iter().map(|run| run.terms.len() as u64).sum();
    let aside = Some(Cursor::new(Vec::new()));
    let mut writer = Writer::new(About::words(total, "here"), expected, Vec::new(), aside, "memory");
    Merge::new(runs).unwrap().write(1, &mut writer).unwrap();
    Lexicon::open(writer.finish().unwrap()).unwrap()
}

fn twin(documents: &Documents) -> BTreeMap<u64, (u32, String)> {
    let mut counts = BTreeMap::new();
    for document in documents {
        for number in document.iter().collect::<BTreeSet<_>>() {
            let word = word(*number);
            counts.entry(hash::bytes(word.as_bytes())).or_insert((0, word)).0 += 1;
        }
    }
    counts
}

fn documents() -> impl Strategy<Value = Documents> {
    proptest::collection::vec(proptest::collection::vec(0u16..300, 0..40), 0..40)
}

proptest! {
    #[test]
    fn threads_spills_and_order_do_not_matter(
        documents in documents(), threads in 1usize..5, most_terms in 1usize..200, seed in any::<u64>(),
    ) {
        let lexicon = counted(&documents, 1, usize::MAX);
        prop_assert_eq!(lexicon.documents(), documents.len() as u64);
        let expected = twin(&documents);
        prop_assert!(lexicon.entries().eq(
            expected.iter().map(|(&hash, (df, word))| (hash, *df, word.as_bytes()))
        ));
        let mut shuffled = documents;
        shuffled.sort_by_key(|document| hash::digest(&document.iter().map(|&n| seed ^ u64::from(n)).collect::<Vec<_>>()));
        let other = counted(&shuffled, threads, most_terms);
        prop_assert_eq!(other.as_bytes(), lexicon.as_bytes());
    }

    #[test]
    fn merged_lexicons_are_the_lexicon_of_both(one in documents(), two in documents()) {
        let both = counted(&[one.clone(), two.clone()].concat(), 1, usize::MAX);
        let merged = merged(&[&counted(&one, 1, usize::MAX), &counted(&two, 1, usize::MAX)], "here").unwrap();
        prop_assert_eq!(merged.as_bytes(), both.as_bytes());
    }
}

#[test]
fn lexicons_that_do_not_fit_are_not_merged() {
    let one = counted(&vec![vec![1, 2]], 1, 9);
    let rules = About { rules: "others".to_owned(), ..one.about().clone() };
    let partial = About { least_df: 2, ..one.about().clone() };
    for (about, told) in [(rules, "different rules"), (partial, "fewer than 2 documents")] {
        let writer = Writer::new(about, 0, Vec::new(), None::<Cursor<Vec<u8>>>, "memory");
        let other = Lexicon::open(writer.finish().unwrap()).unwrap();
        let error = merged(&[&one, &other], "both").unwrap_err().to_string();
        assert!(error.contains(told), "{error}");
    }
    assert!(merged(&[], "none").is_err());
}

#[test]
fn memory_is_bounded_by_the_limit() {
    let limit = 1 << 20;
    let mut counter = Counter::new(limit, true);
    let (mut spills, mut terms) = (0, 0);
    for document in 0..20_000u64 {
        counter
            .begin_document(&mut |run| {
                spills += 1;
                terms += Stored::of(run).terms.len();
                Ok(())
            })
            .unwrap();
        for number in 0..10 {
            let hash = hash::mix(document * 10 + number);
            counter.add(hash, &hash.to_le_bytes());
        }
        let used = counter.slots.capacity() * 16 + counter.places.capacity() * 4 + counter.texts.capacity();
        assert!(used <= limit, "{used} bytes after {document} documents");
    }
    assert_eq!(terms + counter.finish().len(), 200_000, "and nothing is lost");
    assert!(spills > 5, "{spills}");
}

#[test]
fn a_term_of_hash_zero_and_one_without_text_count_as_well() {
    let mut counter = Counter::new(0, false);
    for _ in 0..3 {
        counter.begin_document(&mut |_| Ok(())).unwrap();
        [0, 0, u64::MAX, 0].iter().for_each(|&hash| counter.add(hash, b"ignored"));
    }
    let counted = counter.finish();
    let terms = Stored::of(&mut counted.source()).terms;
    assert_eq!(terms, [(0, 3, Vec::new()), (u64::MAX, 3, Vec::new())]);
    assert!(counter.finish().is_empty() && counter.documents() == 3);
}

#[test]
fn colliding_words_are_one_term_that_looks_the_same_in_any_order() {
    let run = |text: &str| Stored { terms: vec![(7, 2, text.as_bytes().to_vec())], next: 0 };
    for order in [["b", "a", ""], ["", "a", "b"], ["a", "", "b"]] {
        let mut merge = Merge::new(order.map(run).to_vec()).unwrap();
        assert_eq!(merge.advance().unwrap(), Some((7, 6)));
        assert_eq!(merge.text(), b"a");
        assert_eq!(merge.advance().unwrap(), None);
    }
}
