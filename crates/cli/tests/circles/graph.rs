//! Which module imports which, and the circles among them.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Modules by name, with what each imports and where it does so.
#[derive(Default)]
pub struct Graph {
    imports: BTreeMap<String, BTreeMap<String, String>>,
}

impl Graph {
    /// Notes that a module imports another, at a place that a person can find. The first place stays.
    pub fn add(&mut self, from: &str, to: &str, place: String) {
        self.imports.entry(from.to_owned()).or_default().entry(to.to_owned()).or_insert(place);
    }

    /// A description of each circle, one for each set of modules that all reach each other: the
    /// shortest circle of the set, which is the one to break first.
    pub fn circles(&self) -> Vec<String> {
        let reached: BTreeMap<&str, Ways<'_>> =
            self.imports.keys().map(|module| (module.as_str(), self.ways_from(module))).collect();
        let reaches = |from: &str, to: &str| reached.get(from).is_some_and(|ways| ways.contains_key(to));
        let mut told: BTreeSet<&str> = BTreeSet::new();
        let mut circles = Vec::new();
        for (&module, ways) in &reached {
            if told.contains(module) || !ways.contains_key(module) {
                continue;
            }
            let set: Vec<&str> = ways.keys().copied().filter(|other| reaches(other, module)).collect();
            told.extend(&set);
            let shortest = set.iter().map(|&member| way_back(member, &reached[member])).min_by_key(Vec::len);
            circles.extend(shortest.map(|circle| self.describe(&circle, set.len())));
        }
        circles
    }

    fn imports_of(&self, module: &str) -> impl Iterator<Item = &str> {
        self.imports.get(module).into_iter().flat_map(|imports| imports.keys().map(String::as_str))
    }

    fn ways_from<'a>(&'a self, from: &'a str) -> Ways<'a> {
        let mut ways = Ways::new();
        let mut waiting = VecDeque::from([from]);
        while let Some(module) = waiting.pop_front() {
            for next in self.imports_of(module) {
                ways.entry(next).or_insert_with(|| {
                    waiting.push_back(next);
                    module
                });
            }
        }
        ways
    }

    fn describe(&self, circle: &[&str], set: usize) -> String {
        let next = circle.iter().cycle().skip(1);
        let edges = circle
            .iter()
            .zip(next)
            .map(|(from, to)| format!("\n    {from} imports {to}: {}", self.imports[*from][*to]));
        let more =
            if set > circle.len() { format!(" (one of {set} modules in circles)") } else { String::new() };
        let named = [circle, &circle[..1]].concat().join(" → ");
        format!("{named}{more}{}", edges.collect::<String>())
    }
}

/// Every module that can be reached, with the module before it on a shortest path.
type Ways<'a> = BTreeMap<&'a str, &'a str>;

/// A shortest circle through a module that reaches itself; it stands first and is not repeated.
fn way_back<'a>(module: &'a str, ways: &Ways<'a>) -> Vec<&'a str> {
    let mut circle = vec![module];
    let mut at = ways[module];
    while at != module {
        circle.push(at);
        at = ways[at];
    }
    circle[1..].reverse();
    circle
}
