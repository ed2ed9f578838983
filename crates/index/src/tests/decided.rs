//! What people say holds in a batch run as it does in an index that was told the same.

use std::collections::BTreeSet;

use lookalike_core::hash::mix;

use super::super::{Index, Policy, View};
use super::same_as_batch::RECIPES;
use super::*;
use lookalike_engine::decisions::{Named, TextDigest};

fn filled(folder: &Path, documents: &[Made], toml: &str) -> Index {
    let index = create(folder, toml);
    for made in documents {
        index.writer().add(&made.line(), Policy::Report, &at(1000)).unwrap();
    }
    index
}

/// Decides of pairs that were found, for and against, and of pairs that were not; prefers some documents.
fn say(index: &Index, documents: &[Made], found: &Known, seed: u64) {
    let decide = |a: &str, b: &str, duplicate: bool| {
        // Exact copies and documents without words are refused.
        let _ = index.writer().decide(&id(a), &id(b), Some(duplicate), "me", &View::All);
    };
    for (number, (a, b)) in (0u64..).zip(found.pairs.keys()) {
        match mix(seed << 32 | number) % 8 {
            0 | 1 => decide(a, b, false),
            2 => decide(b, a, true),
            _ => {}
        }
    }
    let some = |random: u64| documents[random as usize % documents.len()].id.as_str();
    for number in 0..12 {
        let random = mix(seed << 40 | number);
        if some(random) != some(random >> 20) {
            decide(some(random), some(random >> 20), random >> 60 & 1 == 0);
        }
        assert!(index.writer().prefer(&id(some(random >> 30)), true, "me", &View::All).unwrap());
    }
}

#[test]
fn a_batch_run_heeds_decisions_and_preferences_as_the_index_does() {
    for (name, toml) in RECIPES {
        let documents = corpus(150, 3);
        let folder = TempDir::new().unwrap();
        let index = filled(folder.path(), &documents, toml);
        let before = by_batch(&documents, toml);
        say(&index, &documents, &before, 17);
        let said = index.reader().all_decisions().unwrap();
        assert!(
            said.pairs.iter().any(|pair| pair.duplicate) && said.pairs.iter().any(|pair| !pair.duplicate)
        );
        let known = by_index(&index, &documents, &View::All);
        assert_eq!(by_batch_with(&documents, toml, Some(said.clone())), known, "{name}");
        assert!(
            known.pairs != before.pairs && known.masters != before.masters,
            "{name}: what was said tells"
        );
        for pair in &said.pairs {
            let (a, b) = (pair.a.id.display().into_owned(), pair.b.id.display().into_owned());
            let key = (a.clone().min(b.clone()), a.max(b));
            assert_eq!(known.pairs.contains_key(&key), pair.duplicate, "{name}: {key:?}");
        }
    }
}

/// Also of pairs that are alike enough but that the method does not find, and that nobody spoke of.
#[test]
fn what_is_taken_back_was_never_said() {
    for (name, toml) in RECIPES {
        let documents = corpus(100, 3);
        let folder = TempDir::new().unwrap();
        let index = filled(folder.path(), &documents, toml);
        let before = by_index(&index, &documents, &View::All);
        say(&index, &documents, &before, 17);
        for prefer in index.reader().preferences(&View::All).unwrap() {
            index.writer().prefer(&prefer.id, false, "me", &View::All).unwrap();
        }
        for a in &documents {
            for b in documents.iter().filter(|b| b.id < a.id) {
                let _ = index.writer().decide(&id(&a.id), &id(&b.id), None, "me", &View::All);
            }
        }
        assert!(index.reader().decisions(&View::All).unwrap().is_empty());
        assert_eq!(by_index(&index, &documents, &View::All), before, "{name}");
    }
}

/// Documents are changed, removed and come again after people spoke: the living ones have what was said of their texts.
#[test]
fn after_changes_what_was_said_holds_for_the_texts_that_are_left() {
    for (name, toml) in [RECIPES[0], RECIPES[1], RECIPES[4]] {
        for seed in 0..3 {
            let mut living = corpus(120, 40 + seed);
            let folder = TempDir::new().unwrap();
            let index = filled(folder.path(), &living, toml);
            say(&index, &living, &by_batch(&living, toml), seed);
            for step in 0..40u64 {
                let random = mix(seed << 20 | step);
                let mut made = living.remove(random as usize % living.len());
                if random >> 40 & 1 == 0 {
                    assert!(index.writer().remove(&id(&made.id), &View::All).unwrap());
                    continue;
                }
                // Sometimes into a text that another document has, and people may have spoken of.
                made.text = match random >> 41 & 1 {
                    0 => living[(random >> 8) as usize % living.len()].text.clone(),
                    _ => text(random % 20, random >> 9 & 3, random >> 20),
                };
                index.writer().add(&made.line(), Policy::Report, &at(1000)).unwrap();
                living.push(made);
            }
            let said = index.reader().all_decisions().unwrap();
            let batch = by_batch_with(&living, toml, Some(said));
            assert_eq!(batch, by_index(&index, &living, &View::All), "{name}, seed {seed}");
        }
    }
}

#[test]
fn a_decision_about_a_removed_document_is_handed_on_with_the_text_it_had() {
    let documents = corpus(60, 9);
    let (_, toml) = RECIPES[0];
    let found = by_batch(&documents, toml);
    let copies: BTreeSet<&str> = {
        let texts: Vec<&str> = documents.iter().map(|made| made.text.as_str()).collect();
        texts.iter().copied().filter(|text| texts.iter().filter(|other| *other == text).count() > 1).collect()
    };
    let text_of = |name: &str| documents.iter().find(|made| made.id == name).unwrap().text.as_str();
    let alone = |(a, b): &&(String, String)| !copies.contains(text_of(a)) && !copies.contains(text_of(b));
    let (a, b) = found.pairs.keys().find(alone).unwrap();
    let folder = TempDir::new().unwrap();
    let index = filled(folder.path(), &documents, toml);
    assert!(index.writer().decide(&id(a), &id(b), Some(false), "me", &View::All).unwrap());
    assert!(index.writer().remove(&id(b), &View::All).unwrap());
    assert!(index.reader().decisions(&View::All).unwrap().is_empty(), "no document has the text");
    drop(index);
    let index = Index::open(folder.path(), registry()).unwrap();
    let said = index.reader().all_decisions().unwrap();
    assert_eq!(said.pairs[0].b.text, Some(TextDigest::of(text_of(b))));
    let known = by_batch_with(&documents, toml, Some(said));
    assert!(!known.pairs.contains_key(&(a.clone(), b.clone())), "the corpus has both");
    assert_eq!(known.pairs.len(), found.pairs.len() - 1);
}

#[test]
fn decisions_are_taken_over_by_another_index_where_the_texts_are_the_same() {
    let mut documents = corpus(100, 5);
    let (_, toml) = RECIPES[0];
    let folders = [TempDir::new().unwrap(), TempDir::new().unwrap()];
    let index = filled(folders[0].path(), &documents, toml);
    say(&index, &documents, &by_batch(&documents, toml), 2);
    let said = index.reader().all_decisions().unwrap();
    let other = filled(folders[1].path(), &documents, toml);
    assert!(other.writer().import_decisions(&said, "you").unwrap().is_empty());
    assert_eq!(by_index(&other, &documents, &View::All), by_index(&index, &documents, &View::All));
    let changed = said.pairs[0].a.id.clone();
    let gone = said.pairs.iter().map(|pair| pair.b.id.clone()).find(|other| *other != changed).unwrap();
    documents.retain(|made| id(&made.id) != gone);
    documents.iter_mut().filter(|made| id(&made.id) == changed).for_each(|made| made.text += " and more");
    let folder = TempDir::new().unwrap();
    let third = filled(folder.path(), &documents, toml);
    let rest = third.writer().import_decisions(&said, "you").unwrap();
    let concerned = |named: &&Named| named.id == changed || named.id == gone;
    let expected = said.pairs.iter().filter(|pair| [&pair.a, &pair.b].iter().any(concerned)).count();
    assert_eq!(rest.pairs.len(), expected);
    assert_eq!(rest.keepers.len(), said.keepers.iter().filter(concerned).count());
    assert!(third.reader().decisions(&View::All).unwrap().iter().all(|decision| decision.by == "you"));
}
