//! The suffix automaton of a sequence, which represents all its runs in little memory.
//!
//! A state stands for the runs that end at the same places; it has at most two states and three
//! steps for each word, however often the sequence repeats itself. Built and read in one pass each
//! (Blumer et al. 1985).

use std::collections::HashMap;

/// The suffix automaton of a sequence of numbered words.
pub struct Automaton {
    states: Vec<State>,
    /// Where a word leads from a state. Steps of one state are chained, so that they can be copied.
    steps: HashMap<(u32, u32), Step>,
}

/// The longest run that ends with a word of one sequence and is in the other, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    pub words: usize,
    /// How many words of the other sequence precede the end of the run, at its first occurrence there.
    pub end_in_other: usize,
}

struct State {
    /// Words in its longest run.
    longest: u32,
    /// The state of the longest suffix of these runs that also ends elsewhere.
    link: u32,
    /// The first place where its runs end.
    first_end: u32,
    /// The word of the step that was added last.
    last_step: u32,
}

#[derive(Clone, Copy)]
struct Step {
    target: u32,
    /// The word of the step that this state had before.
    previous: u32,
}

const ROOT: u32 = 0;
const NONE: u32 = u32::MAX;

impl Automaton {
    /// For fewer than 2³¹ words; no word has the number `u32::MAX`.
    pub fn of(words: &[u32]) -> Self {
        let mut automaton = Automaton { states: Vec::new(), steps: HashMap::new() };
        automaton.push(State { longest: 0, link: NONE, first_end: 0, last_step: NONE });
        let mut last = ROOT;
        for &word in words {
            last = automaton.extend(last, word);
        }
        automaton
    }

    /// For every word of `words` the longest run that ends there.
    pub fn longest_runs(&self, words: &[u32]) -> Vec<Run> {
        let (mut state, mut length) = (ROOT, 0);
        let mut runs = Vec::with_capacity(words.len());
        for &word in words {
            let step = loop {
                match self.step(state, word) {
                    Some(target) => break Some(target),
                    None if state == ROOT => break None,
                    None => {
                        state = self.state(state).link;
                        length = self.state(state).longest;
                    }
                }
            };
            (state, length) = step.map_or((ROOT, 0), |target| (target, length + 1));
            let end = self.state(state).first_end;
            runs.push(Run { words: length as usize, end_in_other: end as usize });
        }
        runs
    }

    /// Adds a word after the state `last` of the sequence so far; returns the new state.
    fn extend(&mut self, last: u32, word: u32) -> u32 {
        let longest = self.state(last).longest + 1;
        let new = self.push(State { longest, link: ROOT, first_end: longest, last_step: NONE });
        let mut from = last;
        while from != NONE && self.step(from, word).is_none() {
            self.add_step(from, word, new);
            from = self.state(from).link;
        }
        if let Some(target) = self.step(from, word) {
            let ends_here = self.state(from).longest + 1;
            let link = if self.state(target).longest == ends_here {
                target
            } else {
                self.split(target, ends_here, from, word)
            };
            self.states[new as usize].link = link;
        }
        new
    }

    /// Moves the runs of up to `longest` words into a state of their own, because they end at one
    /// more place than the longer ones. They are reached from `from` and its links.
    fn split(&mut self, target: u32, longest: u32, mut from: u32, word: u32) -> u32 {
        let State { link, first_end, .. } = *self.state(target);
        let short = self.push(State { longest, link, first_end, last_step: NONE });
        let mut copied = self.state(target).last_step;
        while let Some(&step) = self.steps.get(&(target, copied)) {
            self.add_step(short, copied, step.target);
            copied = step.previous;
        }
        self.states[target as usize].link = short;
        while let Some(step) = self.steps.get_mut(&(from, word)).filter(|step| step.target == target) {
            step.target = short;
            from = self.state(from).link;
        }
        short
    }

    fn state(&self, state: u32) -> &State {
        &self.states[state as usize]
    }

    fn push(&mut self, state: State) -> u32 {
        self.states.push(state);
        (self.states.len() - 1) as u32
    }

    fn step(&self, from: u32, word: u32) -> Option<u32> {
        self.steps.get(&(from, word)).map(|step| step.target)
    }

    fn add_step(&mut self, from: u32, word: u32, target: u32) {
        let previous = std::mem::replace(&mut self.states[from as usize].last_step, word);
        self.steps.insert((from, word), Step { target, previous });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn finds_the_longest_run_at_its_first_place(
            (a, b) in (1u32..6).prop_flat_map(|kinds| (
                proptest::collection::vec(0..kinds, 0..60),
                proptest::collection::vec(0..kinds, 0..60),
            ))
        ) {
            let automaton = Automaton::of(&b);
            prop_assert!(automaton.states.len() <= 2 * b.len() + 1 && automaton.steps.len() <= 3 * b.len());
            for (place, run) in automaton.longest_runs(&a).into_iter().enumerate() {
                let longest = (0..=place + 1)
                    .rev()
                    .find(|&words| words == 0 || b.windows(words).any(|window| window == &a[place + 1 - words..=place]))
                    .unwrap_or(0);
                prop_assert_eq!(run.words, longest);
                if longest > 0 {
                    let first = b.windows(longest).position(|window| window == &a[place + 1 - longest..=place]);
                    prop_assert_eq!(Some(run.end_in_other - longest), first);
                }
            }
        }
    }
}
