//! The pairs most worth a person's label.
//!
//! A label is worth having for one of three reasons, and questions take turns among them: pairs near the
//! decision teach a classifier most; pairs that methods disagree about show which method errs; and random pairs
//! from the strata with the fewest labels are what [`super::estimate`] needs. Chosen by the first two reasons
//! alone, labels would say nothing about the pairs that every method is certain of. Groups asked about before
//! come after others, and two consecutive questions are never from one group, unless it is the only one left
//! and they differ.

use lookalike_core::hash::combine;
use lookalike_core::{Error, Result};

/// The order in which the three reasons take turns.
const TURNS: [SelectionReason; 4] = [
    SelectionReason::Unsure,
    SelectionReason::Coverage,
    SelectionReason::Unsure,
    SelectionReason::Disagreement,
];
/// Pairs of one group with confidences nearer than this are the same question.
const ALIKE: f64 = 0.05;

/// A pair that could be asked about.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// The numbers of its documents.
    pub pair: (u32, u32),
    /// The confidence that the pair is a near-duplicate, from 0 to 1.
    pub confidence: f64,
    /// Pairs of one group share documents or texts.
    pub group: u32,
    /// How many methods say near-duplicate, and how many have an opinion, if methods were asked.
    pub votes: Option<(u32, u32)>,
    /// Whether it is already labelled.
    pub labelled: bool,
}

/// How many questions to choose, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SelectionSettings {
    /// The confidence from which a pair counts as a near-duplicate.
    pub decision: f64,
    /// Strata of equal width that the estimate will use.
    pub strata: usize,
    /// How many questions.
    pub count: usize,
    /// The seed of what is drawn.
    pub seed: u64,
}

/// Why a pair is worth a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SelectionReason {
    /// It is near the decision.
    Unsure,
    /// Similarities contradict each other.
    Disagreement,
    /// Its range of confidence has few labels.
    Coverage,
}

/// A pair to ask about.
#[derive(Clone, Debug, PartialEq)]
pub struct SelectedPair {
    /// The index of the candidate.
    pub place: usize,
    /// Why it was chosen.
    pub reason: SelectionReason,
    /// The reason for a person.
    pub text: String,
}

/// The questions in the order in which to ask them; fewer than requested if candidates run out.
pub fn select(candidates: &[Candidate], selection: &SelectionSettings) -> Result<Vec<SelectedPair>> {
    check(candidates, selection)?;
    let mut state = State::new(candidates, selection);
    let mut questions = Vec::new();
    let mut turn = 0;
    while questions.len() < selection.count {
        // A reason without a suitable candidate passes its turn on.
        let reasons = (0..TURNS.len()).map(|step| TURNS[(turn + step) % TURNS.len()]);
        let Some((place, reason)) =
            reasons.into_iter().find_map(|reason| Some((state.best(reason)?, reason)))
        else {
            break;
        };
        let text = state.text(place, reason);
        state.ask(place);
        questions.push(SelectedPair { place, reason, text });
        turn += 1;
    }
    Ok(questions)
}

struct State<'a> {
    candidates: &'a [Candidate],
    selection: &'a SelectionSettings,
    is_open: Vec<bool>,
    /// Labels and questions, by stratum and by group (in the order of `groups`).
    by_stratum: Vec<u64>,
    groups: Vec<u32>,
    by_group: Vec<u64>,
    last: Option<usize>,
}

impl<'a> State<'a> {
    fn new(candidates: &'a [Candidate], selection: &'a SelectionSettings) -> Self {
        let mut groups: Vec<u32> = candidates.iter().map(|candidate| candidate.group).collect();
        groups.sort_unstable();
        groups.dedup();
        let mut state = State {
            candidates,
            selection,
            is_open: candidates.iter().map(|candidate| !candidate.labelled).collect(),
            by_stratum: vec![0; selection.strata],
            by_group: vec![0; groups.len()],
            groups,
            last: None,
        };
        for place in (0..candidates.len()).filter(|&place| candidates[place].labelled) {
            state.count(place);
        }
        state
    }

    /// The open candidate for which the reason is strongest; the first of equals.
    fn best(&self, reason: SelectionReason) -> Option<usize> {
        let allowed = self.allowed();
        let emptiest = allowed.iter().map(|&place| self.by_stratum[self.stratum(place)]).min()?;
        let mut best: Option<(f64, usize)> = None;
        for &place in &allowed {
            let candidate = &self.candidates[place];
            let worth = match reason {
                SelectionReason::Unsure => self.uncertainty(candidate),
                SelectionReason::Disagreement => disagreement(candidate),
                // Random within the stratum: an estimate must not prefer any pair.
                SelectionReason::Coverage if self.by_stratum[self.stratum(place)] == emptiest => {
                    self.lot(candidate)
                }
                SelectionReason::Coverage => 0.0,
            };
            let group = self.groups.binary_search(&candidate.group).unwrap_or(0);
            let asked = if reason == SelectionReason::Coverage { 0 } else { self.by_group[group] };
            let worth = worth / (1 + asked) as f64;
            if worth > 0.0 && best.is_none_or(|(most, _)| worth > most) {
                best = Some((worth, place));
            }
        }
        best.map(|(_, place)| place)
    }

    /// Open candidates of another group than the last; if there are none, those that differ from
    /// the last.
    fn allowed(&self) -> Vec<usize> {
        let open = || (0..self.candidates.len()).filter(|&place| self.is_open[place]);
        let Some(last) = self.last.map(|last| &self.candidates[last]) else { return open().collect() };
        let others: Vec<usize> = open().filter(|&place| self.candidates[place].group != last.group).collect();
        if !others.is_empty() {
            return others;
        }
        open().filter(|&place| (self.candidates[place].confidence - last.confidence).abs() >= ALIKE).collect()
    }

    fn ask(&mut self, place: usize) {
        self.is_open[place] = false;
        self.last = Some(place);
        self.count(place);
    }

    fn count(&mut self, place: usize) {
        let stratum = self.stratum(place);
        self.by_stratum[stratum] += 1;
        if let Ok(group) = self.groups.binary_search(&self.candidates[place].group) {
            self.by_group[group] += 1;
        }
    }

    fn stratum(&self, place: usize) -> usize {
        let strata = self.selection.strata;
        ((self.candidates[place].confidence * strata as f64) as usize).min(strata - 1)
    }

    /// 1 at the decision, 0 at the farther end.
    fn uncertainty(&self, candidate: &Candidate) -> f64 {
        let decision = self.selection.decision;
        1.0 - (candidate.confidence - decision).abs() / decision.max(1.0 - decision)
    }

    /// Above 0, at most 1.
    fn lot(&self, candidate: &Candidate) -> f64 {
        let (a, b) = candidate.pair;
        let drawn = combine(self.selection.seed, combine(u64::from(a), u64::from(b)));
        ((drawn >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    fn text(&self, place: usize, reason: SelectionReason) -> String {
        let candidate = &self.candidates[place];
        let stratum = self.stratum(place);
        let edge = |stratum: usize| stratum as f64 / self.selection.strata as f64;
        match (reason, candidate.votes) {
            (SelectionReason::Disagreement, Some((yes, all))) => {
                format!("methods disagree: {yes} of {all} call it a near-duplicate")
            }
            (SelectionReason::Coverage, _) => format!(
                "{} labels between {:.2} and {:.2}: an estimate needs more there",
                self.by_stratum[stratum],
                edge(stratum),
                edge(stratum + 1)
            ),
            _ => format!(
                "near the decision: confidence {:.2}, decided at {:.2}",
                candidate.confidence, self.selection.decision
            ),
        }
    }
}

/// 1 if methods are split in half, 0 if they agree.
fn disagreement(candidate: &Candidate) -> f64 {
    let Some((yes, all)) = candidate.votes.filter(|votes| votes.1 > 0) else { return 0.0 };
    let share = f64::from(yes) / f64::from(all);
    4.0 * share * (1.0 - share)
}

fn check(candidates: &[Candidate], selection: &SelectionSettings) -> Result<()> {
    if !(0.0..=1.0).contains(&selection.decision) || selection.strata == 0 {
        return Err(Error::config(format!(
            "questions need a decision from 0 to 1 and at least one stratum, not {} and {}",
            selection.decision, selection.strata
        )));
    }
    for candidate in candidates {
        let (a, b) = candidate.pair;
        if !(0.0..=1.0).contains(&candidate.confidence) {
            return Err(Error::input(format!(
                "the confidence of the pair {a}, {b} is {}; it must be from 0 to 1",
                candidate.confidence
            )));
        }
        if candidate.votes.is_some_and(|(yes, all)| yes > all) {
            return Err(Error::input(format!("more methods are for the pair {a}, {b} than were asked")));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SELECTION: SelectionSettings = SelectionSettings { decision: 0.5, strata: 10, count: 8, seed: 1 };

    fn candidate(n: u32, confidence: f64, group: u32) -> Candidate {
        Candidate { pair: (2 * n, 2 * n + 1), confidence, group, votes: None, labelled: false }
    }

    #[test]
    fn reasons_take_turns_and_say_why() {
        let mut candidates: Vec<Candidate> =
            (0..40).map(|n| candidate(n, f64::from(n) / 40.0 + 0.01, n)).collect();
        candidates[35].votes = Some((2, 4));
        candidates[36].votes = Some((1, 4));
        candidates[3].labelled = true;
        let questions = select(&candidates, &SELECTION).unwrap();
        let reasons: Vec<SelectionReason> = questions.iter().map(|question| question.reason).collect();
        assert_eq!(reasons[..4], TURNS);
        assert_eq!((questions[0].place, questions[3].place, questions[7].place), (20, 35, 36));
        assert_eq!(questions[0].text, "near the decision: confidence 0.51, decided at 0.50");
        assert_eq!(questions[3].text, "methods disagree: 2 of 4 call it a near-duplicate");
        assert!(questions[1].text.starts_with("0 labels between "), "{}", questions[1].text);
        assert!(questions.iter().all(|question| question.place != 3));
        assert_eq!(questions, select(&candidates, &SELECTION).unwrap());
    }

    #[test]
    fn coverage_fills_all_strata() {
        let candidates: Vec<Candidate> =
            (0..400).map(|n| candidate(n, f64::from(n % 100) / 100.0, n)).collect();
        let questions = select(&candidates, &SelectionSettings { count: 60, ..SELECTION }).unwrap();
        let mut strata = [0; 10];
        questions
            .iter()
            .for_each(|question| strata[(candidates[question.place].confidence * 10.0) as usize] += 1);
        assert!(strata.iter().all(|&asked| asked > 0), "{strata:?}");
    }

    #[test]
    fn one_group_left_is_not_asked_the_same_twice() {
        let alike: Vec<Candidate> = (0..10).map(|n| candidate(n, 0.5 + f64::from(n) / 1000.0, 7)).collect();
        assert_eq!(select(&alike, &SELECTION).unwrap().len(), 1);
        let unlike = [candidate(0, 0.5, 7), candidate(1, 0.7, 7)];
        assert_eq!(select(&unlike, &SELECTION).unwrap().len(), 2);
        assert_eq!(select(&[], &SELECTION).unwrap(), []);
    }

    #[test]
    fn wrong_input_is_refused() {
        assert!(select(&[candidate(0, f64::NAN, 0)], &SELECTION).is_err());
        assert!(select(&[], &SelectionSettings { strata: 0, ..SELECTION }).is_err());
        assert!(select(&[], &SelectionSettings { decision: f64::NAN, ..SELECTION }).is_err());
        let odd = Candidate { votes: Some((3, 2)), ..candidate(0, 0.5, 0) };
        assert!(select(&[odd], &SELECTION).is_err());
    }

    proptest! {
        #[test]
        fn never_twice_and_never_one_group_in_a_row(
            rows in prop::collection::vec((0.0f64..=1.0, 0u32..5, prop::option::of((0u32..4, 3u32..5)), any::<bool>()), 0..40),
        ) {
            let candidates: Vec<Candidate> = rows
                .iter()
                .zip(0..)
                .map(|(&(confidence, group, votes, labelled), n)| Candidate { votes, labelled, ..candidate(n, confidence, group) })
                .collect();
            let questions = select(&candidates, &SelectionSettings { count: 100, ..SELECTION }).unwrap();
            let mut open: Vec<usize> = (0..candidates.len()).filter(|&place| !candidates[place].labelled).collect();
            let mut last: Option<&Candidate> = None;
            for question in &questions {
                let now = &candidates[question.place];
                prop_assert!(open.contains(&question.place), "asked twice, or labelled already");
                if let Some(last) = last.filter(|last| last.group == now.group) {
                    prop_assert!(open.iter().all(|&place| candidates[place].group == last.group));
                    prop_assert!((last.confidence - now.confidence).abs() >= ALIKE);
                }
                open.retain(|&place| place != question.place);
                last = Some(now);
            }
        }
    }
}
