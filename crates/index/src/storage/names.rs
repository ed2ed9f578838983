//! Strings that many documents share, by number: sets of access labels, and sets of prototypes.

use std::collections::HashMap;

/// Label sets by number; number 0 is the empty one.
pub struct LabelSets {
    sets: Vec<Vec<String>>,
    numbers: HashMap<Vec<String>, u32>,
}

impl Default for LabelSets {
    fn default() -> Self {
        LabelSets { sets: vec![Vec::new()], numbers: HashMap::from([(Vec::new(), 0)]) }
    }
}

impl LabelSets {
    /// The number of a set, whatever the order of its labels.
    pub fn number(&mut self, labels: &[impl AsRef<str>]) -> u32 {
        let mut set: Vec<String> = labels.iter().map(|label| label.as_ref().to_owned()).collect();
        set.sort_unstable();
        set.dedup();
        if let Some(&number) = self.numbers.get(&set) {
            return number;
        }
        let number = self.sets.len() as u32;
        self.sets.push(set.clone());
        self.numbers.insert(set, number);
        number
    }

    /// The number of a sorted set, if any document or decision had it.
    pub fn find(&self, labels: &[String]) -> Option<u32> {
        self.numbers.get(labels).copied()
    }

    pub fn get(&self, number: u32) -> &[String] {
        self.sets.get(number as usize).map_or(&[], Vec::as_slice)
    }

    pub fn iter(&self) -> impl Iterator<Item = &[String]> {
        self.sets.iter().map(Vec::as_slice)
    }
}

/// Names by number; number 0 is no name.
#[derive(Default)]
pub struct Names {
    names: Vec<String>,
    numbers: HashMap<String, u32>,
}

impl Names {
    pub fn number(&mut self, name: &str) -> u32 {
        if name.is_empty() {
            return 0;
        }
        if let Some(&number) = self.numbers.get(name) {
            return number;
        }
        self.names.push(name.to_owned());
        let number = self.names.len() as u32;
        self.numbers.insert(name.to_owned(), number);
        number
    }

    pub fn get(&self, number: u32) -> Option<&str> {
        self.names.get((number as usize).checked_sub(1)?).map(String::as_str)
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_and_names_keep_their_numbers() {
        let mut sets = LabelSets::default();
        assert_eq!(sets.number(&[] as &[&str]), 0);
        let both = sets.number(&["b", "a", "b"]);
        assert_eq!(both, sets.number(&["a", "b"]));
        assert_eq!(sets.get(both), ["a", "b"]);
        let mut names = Names::default();
        assert_eq!((names.number(""), names.number("spam"), names.number("spam")), (0, 1, 1));
        assert_eq!((names.get(0), names.get(1)), (None, Some("spam")));
    }
}
