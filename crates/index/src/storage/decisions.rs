//! Decisions of people about pairs of contents, and who may see them.
//!
//! A decision is made about two documents and holds for their contents, but only for callers who see both of those
//! documents. Whoever sees only other copies of the contents learns nothing of it, neither the decision nor its
//! author, and gets the clusters that the method finds. So there can be several decisions about the same two
//! contents, one for each pair of label sets and each author. Of those visible to a caller the last one counts; the
//! others tell whether people agree.

use std::collections::{BTreeMap, BTreeSet};

use crate::storage::operation::Decide;
use crate::storage::population::Visibility;

#[derive(Debug, Default)]
pub struct Decisions {
    /// By the digests of the two contents, the smaller first; the latest decision is last.
    by_pair: BTreeMap<(u128, u128), Vec<StoredDecision>>,
    /// (a, b) and (b, a) for every two digests that a decision is about.
    partners: BTreeSet<(u128, u128)>,
}

/// A decision, or the withdrawal of one while others are in force.
#[derive(Clone, Debug, PartialEq)]
pub struct StoredDecision {
    pub decide: Decide,
    /// Label sets of the two documents; `None` if they were not recorded and the documents are gone: then only
    /// callers who see everything see the decision.
    pub labels: Option<(u32, u32)>,
}

impl StoredDecision {
    pub fn is_visible(&self, visibility: &Visibility) -> bool {
        let Some(sets) = &visibility.sets else { return true };
        let seen = |set: u32| sets.get(set as usize) == Some(&true);
        self.labels.is_some_and(|(a, b)| seen(a) && seen(b))
    }

    /// The digests, the smaller first, and the label sets in the same order.
    fn key(&self) -> ((u128, u128), Option<(u32, u32)>) {
        let (a, b) = self.decide.digests;
        let turned = self.labels.map(|(a, b)| (b, a));
        if a <= b { ((a, b), self.labels) } else { ((b, a), turned) }
    }
}

impl Decisions {
    /// Records a decision. It replaces an earlier one of the same author with the same label sets.
    pub fn note(&mut self, decision: StoredDecision) {
        let pair = decision.key().0;
        let all = self.by_pair.entry(pair).or_default();
        record(all, decision);
        let is_decided = !all.is_empty();
        if !is_decided {
            self.by_pair.remove(&pair);
        }
        for (a, b) in [pair, (pair.1, pair.0)] {
            if is_decided {
                self.partners.insert((a, b));
            } else {
                self.partners.remove(&(a, b));
            }
        }
    }

    /// The decision in force about two contents, as visible to a caller.
    pub fn of(&self, a: u128, b: u128, visibility: &Visibility) -> Option<&StoredDecision> {
        let last = self.about(a, b).iter().rev().find(|decision| decision.is_visible(visibility));
        last.filter(|decision| decision.decide.duplicate.is_some())
    }

    /// What would be in force, for callers who see everything, if this decision were recorded.
    pub fn after(&self, decision: StoredDecision) -> Option<bool> {
        let (a, b) = decision.decide.digests;
        let mut all = self.about(a, b).to_vec();
        record(&mut all, decision);
        all.last().and_then(|decision| decision.decide.duplicate)
    }

    /// All decisions that a caller sees, also those that a later one overrides.
    pub fn judgements<'a>(&'a self, visibility: &'a Visibility) -> impl Iterator<Item = &'a Decide> {
        let seen = self.iter().filter(|decision| decision.is_visible(visibility));
        seen.map(|decision| &decision.decide).filter(|decide| decide.duplicate.is_some())
    }

    /// The pairs whose last decision contradicts what others had said before, of one mind; as a caller sees it. Nobody has
    /// settled that since.
    pub fn disputed<'a>(&'a self, visibility: &'a Visibility) -> impl Iterator<Item = (u128, u128)> + 'a {
        let is_disputed = |all: &[StoredDecision]| {
            let mut people: Vec<&str> = Vec::new();
            let mut said: Vec<bool> = Vec::new();
            for decision in all.iter().rev().filter(|decision| decision.is_visible(visibility)) {
                let Some(duplicate) = decision.decide.duplicate else { continue };
                if !people.contains(&decision.decide.by.as_str()) {
                    people.push(&decision.decide.by);
                    said.push(duplicate);
                }
            }
            let Some((last, before)) = said.split_first() else { return false };
            !before.is_empty() && before.iter().all(|other| other != last)
        };
        self.by_pair.iter().filter(move |(_, all)| is_disputed(all)).map(|(&pair, _)| pair)
    }

    /// All decisions about two contents.
    pub fn about(&self, a: u128, b: u128) -> &[StoredDecision] {
        self.by_pair.get(&(a.min(b), a.max(b))).map_or(&[], Vec::as_slice)
    }

    /// The digests of contents that a decision links to this one.
    pub fn partners(&self, digest: u128) -> impl Iterator<Item = u128> + '_ {
        self.partners.range((digest, 0)..=(digest, u128::MAX)).map(|&(_, other)| other)
    }

    /// Whether there is a decision about a content that the caller does not see.
    pub fn has_hidden(&self, digest: u128, visibility: &Visibility) -> bool {
        let hidden =
            |other: u128| self.about(digest, other).iter().any(|decision| !decision.is_visible(visibility));
        visibility.sets.is_some() && self.partners(digest).any(hidden)
    }

    /// All decisions in force that are visible to a caller, ordered by digests.
    pub fn visible<'a>(&'a self, visibility: &'a Visibility) -> impl Iterator<Item = &'a StoredDecision> {
        self.by_pair.keys().filter_map(move |&(a, b)| self.of(a, b, visibility))
    }

    /// All decisions, in an order in which they can be recorded again.
    pub fn iter(&self) -> impl Iterator<Item = &StoredDecision> {
        self.by_pair.values().flatten()
    }

    /// For how many pairs a decision is in force, for callers who see everything.
    pub fn len(&self) -> usize {
        let holds = |all: &&Vec<StoredDecision>| {
            all.last().is_some_and(|decision| decision.decide.duplicate.is_some())
        };
        self.by_pair.values().filter(holds).count()
    }

    pub fn is_empty(&self) -> bool {
        self.by_pair.is_empty()
    }
}

/// Adds a decision to those about the same two contents. Who withdraws an own decision leaves those of others as they
/// were; who has none withdraws what the others decided of the same two documents.
fn record(all: &mut Vec<StoredDecision>, decision: StoredDecision) {
    let labels = decision.key().1;
    let same_labels = |other: &StoredDecision| other.key().1 == labels;
    let is_own = |other: &StoredDecision| same_labels(other) && other.decide.by == decision.decide.by;
    let is_withdrawal = decision.decide.duplicate.is_none();
    let had_own = all.iter().any(|other| is_own(other) && other.decide.duplicate.is_some());
    if is_withdrawal && !had_own {
        all.retain(|other| !same_labels(other));
    } else {
        all.retain(|other| !is_own(other));
    }
    let others_hold = all.iter().any(|other| same_labels(other) && other.decide.duplicate.is_some());
    if !(is_withdrawal && others_hold) {
        all.push(decision);
    }
    // A withdrawal only needs to be kept while it overrides another decision.
    while all.first().is_some_and(|decision| decision.decide.duplicate.is_none()) {
        all.remove(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decision(digests: (u128, u128), duplicate: Option<bool>, labels: (u32, u32)) -> StoredDecision {
        let decide = Decide {
            digests,
            ids: (String::new(), String::new()),
            duplicate,
            by: String::new(),
            time: 0,
            link: None,
            texts: None,
            labels: None,
        };
        StoredDecision { decide, labels: Some(labels) }
    }

    fn sees(sets: &[bool]) -> Visibility {
        Visibility { sets: Some(sets.to_vec()), now: 0 }
    }

    #[test]
    fn of_visible_decisions_the_last_counts() {
        let mut decisions = Decisions::default();
        let all = Visibility { sets: None, now: 0 };
        let word = |decisions: &Decisions, visibility: &Visibility| {
            decisions.of(7, 3, visibility).and_then(|decision| decision.decide.duplicate)
        };
        decisions.note(decision((3, 7), Some(false), (0, 0)));
        decisions.note(decision((7, 3), Some(true), (1, 0)));
        let (public, red) = (sees(&[true, false]), sees(&[true, true]));
        assert_eq!((word(&decisions, &all), word(&decisions, &public)), (Some(true), Some(false)));
        assert!(decisions.has_hidden(3, &public) && !decisions.has_hidden(3, &red));
        // A caller who withdraws a decision no longer sees it; decisions of others remain.
        decisions.note(decision((3, 7), None, (0, 1)));
        assert_eq!((word(&decisions, &red), word(&decisions, &public)), (None, Some(false)));
        assert_eq!((decisions.len(), decisions.visible(&public).count()), (0, 1));
        decisions.note(decision((3, 7), None, (0, 0)));
        assert!(decisions.is_empty() && decisions.partners(3).next().is_none());
        decisions.note(StoredDecision { labels: None, ..decision((1, 2), Some(true), (0, 0)) });
        assert!(decisions.of(1, 2, &all).is_some() && decisions.of(1, 2, &red).is_none());
    }
    #[test]
    fn each_author_has_a_decision_and_the_last_is_in_force() {
        let by = |author: &str, duplicate| {
            let mut decision = decision((1, 2), duplicate, (0, 0));
            decision.decide.by = author.to_owned();
            decision
        };
        let all = Visibility { sets: None, now: 0 };
        let mut decisions = Decisions::default();
        let told = |decisions: &Decisions| {
            let judged = decisions.judgements(&all).map(|decide| (decide.by.clone(), decide.duplicate));
            let in_force = decisions.of(2, 1, &all).and_then(|decision| decision.decide.duplicate);
            (in_force, judged.filter_map(|(by, duplicate)| Some((by, duplicate?))).collect::<Vec<_>>())
        };
        let both = |ada, ben| vec![("ada".to_owned(), ada), ("ben".to_owned(), ben)];
        decisions.note(by("ada", Some(true)));
        assert_eq!(decisions.after(by("ben", Some(false))), Some(false));
        decisions.note(by("ben", Some(false)));
        assert_eq!(told(&decisions), (Some(false), both(true, false)));
        // Who takes an own decision back leaves the other's in force, also the one that was overridden.
        assert_eq!(decisions.after(by("ben", None)), Some(true));
        decisions.note(by("ben", None));
        assert_eq!(told(&decisions), (Some(true), vec![("ada".to_owned(), true)]));
        decisions.note(by("ben", Some(true)));
        decisions.note(by("ben", Some(false)));
        assert_eq!(told(&decisions), (Some(false), both(true, false)), "a change of mind is no second voice");
        // Who has none withdraws all.
        assert_eq!(decisions.after(by("cy", None)), None);
        decisions.note(by("cy", None));
        assert!(decisions.is_empty());
    }

    #[test]
    fn what_people_see_differently_is_disputed_until_somebody_decides_again() {
        let all = Visibility { sets: None, now: 0 };
        // Who decided, in order, and whether the last decision contradicts those before.
        for (said, is_disputed) in [
            ("a+", false),
            ("a+ b+", false),
            ("a+ b-", true),
            ("a+ b- b+", false),
            ("a+ b- a-", false),
            ("a+ b- c+", false),
            ("a+ b- c-", false),
            ("a+ b+ c-", true),
            ("a+ b+ c- a+", false),
            ("a+ a-", false),
        ] {
            let mut decisions = Decisions::default();
            for word in said.split(' ') {
                let mut made = decision((3, 7), Some(word.ends_with('+')), (0, 1));
                made.decide.by = word[..1].to_owned();
                decisions.note(made);
            }
            let found: Vec<(u128, u128)> = decisions.disputed(&all).collect();
            assert_eq!(found, if is_disputed { vec![(3, 7)] } else { Vec::new() }, "{said}");
            assert_eq!(decisions.disputed(&sees(&[true, false])).count(), 0, "hidden: {said}");
        }
    }
}
