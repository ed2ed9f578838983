//! Names for the parts of a file, made unique if the file repeats them.

use std::collections::HashMap;

#[derive(Default)]
pub struct Names(HashMap<String, u32>);

impl Names {
    /// The name, with a number added if it was used before.
    pub fn unique(&mut self, name: &str) -> String {
        let mut wanted = name.to_owned();
        loop {
            let times = self.0.entry(wanted.clone()).or_default();
            *times += 1;
            if *times == 1 {
                return wanted;
            }
            wanted = format!("{wanted}#{times}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Names;

    #[test]
    fn repeated_names_get_a_number() {
        let mut names = Names::default();
        let given: Vec<String> = ["a", "b", "a", "a#2", "a"].iter().map(|name| names.unique(name)).collect();
        assert_eq!(given, ["a", "b", "a#2", "a#2#2", "a#3"]);
    }
}
