//! What people said of pairs of contents, and who hears of it.
//!
//! A decision is made of two documents, and holds for their contents as far as those two documents are seen: whoever sees
//! only other copies of the contents is told nothing of it, neither what was said nor by whom, and their clusters are
//! what the method finds. So there can be several words about the same two contents, one for each pair of label sets;
//! of those that somebody hears the last counts.

use std::collections::{BTreeMap, BTreeSet};

use crate::storage::operation::Decide;
use crate::storage::population::Sight;

#[derive(Debug, Default)]
pub struct Decisions {
    /// By the digests of the two contents, the smaller first; the last word is the last.
    by_pair: BTreeMap<(u128, u128), Vec<Said>>,
    /// (a, b) and (b, a) for each two digests of which something was said.
    partners: BTreeSet<(u128, u128)>,
}

/// A decision, or that it was taken back while others hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    pub decide: Decide,
    /// Numbers of the label sets of the two documents; absent where none were noted and the documents are gone: only those
    /// who see everything hear of it.
    pub labels: Option<(u32, u32)>,
}

impl Said {
    pub fn is_heard(&self, sight: &Sight) -> bool {
        let Some(sets) = &sight.sets else { return true };
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
    /// Remembers what was said; it is the last word of its label sets.
    pub fn note(&mut self, said: Said) {
        let (pair, labels) = said.key();
        let all = self.by_pair.entry(pair).or_default();
        all.retain(|other| other.key().1 != labels);
        all.push(said);
        // What was taken back is only remembered while it outweighs other words.
        while all.first().is_some_and(|said| said.decide.duplicate.is_none()) {
            all.remove(0);
        }
        let is_said = !all.is_empty();
        if !is_said {
            self.by_pair.remove(&pair);
        }
        for (a, b) in [pair, (pair.1, pair.0)] {
            if is_said {
                self.partners.insert((a, b));
            } else {
                self.partners.remove(&(a, b));
            }
        }
    }

    /// What holds of two contents for somebody.
    pub fn of(&self, a: u128, b: u128, sight: &Sight) -> Option<&Said> {
        let last = self.about(a, b).iter().rev().find(|said| said.is_heard(sight));
        last.filter(|said| said.decide.duplicate.is_some())
    }

    /// Everything that was said of two contents.
    pub fn about(&self, a: u128, b: u128) -> &[Said] {
        self.by_pair.get(&(a.min(b), a.max(b))).map_or(&[], Vec::as_slice)
    }

    /// The digests of contents of which something was said together with this one.
    pub fn partners(&self, digest: u128) -> impl Iterator<Item = u128> + '_ {
        self.partners.range((digest, 0)..=(digest, u128::MAX)).map(|&(_, other)| other)
    }

    /// Whether something was said of a content that somebody does not hear.
    pub fn is_any_unheard(&self, digest: u128, sight: &Sight) -> bool {
        let unheard = |other: u128| self.about(digest, other).iter().any(|said| !said.is_heard(sight));
        sight.sets.is_some() && self.partners(digest).any(unheard)
    }

    /// What holds for somebody, by digests.
    pub fn heard<'a>(&'a self, sight: &'a Sight) -> impl Iterator<Item = &'a Said> {
        self.by_pair.keys().filter_map(move |&(a, b)| self.of(a, b, sight))
    }

    /// Every word, in an order in which it can be noted again.
    pub fn iter(&self) -> impl Iterator<Item = &Said> {
        self.by_pair.values().flatten()
    }

    /// Of how many pairs something holds for those who see everything.
    pub fn len(&self) -> usize {
        let holds = |all: &&Vec<Said>| all.last().is_some_and(|said| said.decide.duplicate.is_some());
        self.by_pair.values().filter(holds).count()
    }

    pub fn is_empty(&self) -> bool {
        self.by_pair.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(digests: (u128, u128), duplicate: Option<bool>, labels: (u32, u32)) -> Said {
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
        Said { decide, labels: Some(labels) }
    }

    fn sees(sets: &[bool]) -> Sight {
        Sight { sets: Some(sets.to_vec()), now: 0 }
    }

    #[test]
    fn of_what_somebody_hears_the_last_counts() {
        let mut decisions = Decisions::default();
        let all = Sight { sets: None, now: 0 };
        let word = |decisions: &Decisions, sight: &Sight| {
            decisions.of(7, 3, sight).and_then(|said| said.decide.duplicate)
        };
        decisions.note(said((3, 7), Some(false), (0, 0)));
        decisions.note(said((7, 3), Some(true), (1, 0)));
        let (public, red) = (sees(&[true, false]), sees(&[true, true]));
        assert_eq!((word(&decisions, &all), word(&decisions, &public)), (Some(true), Some(false)));
        assert!(decisions.is_any_unheard(3, &public) && !decisions.is_any_unheard(3, &red));
        // Who takes it back sees it taken back; what others said is theirs.
        decisions.note(said((3, 7), None, (0, 1)));
        assert_eq!((word(&decisions, &red), word(&decisions, &public)), (None, Some(false)));
        assert_eq!((decisions.len(), decisions.heard(&public).count()), (0, 1));
        decisions.note(said((3, 7), None, (0, 0)));
        assert!(decisions.is_empty() && decisions.partners(3).next().is_none());
        decisions.note(Said { labels: None, ..said((1, 2), Some(true), (0, 0)) });
        assert!(decisions.of(1, 2, &all).is_some() && decisions.of(1, 2, &red).is_none());
    }
}
