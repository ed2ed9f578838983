//! A feature extractor: each line of the text is a feature.
//!
//! White space at the ends of a line does not count and a run of it within counts as one space, so
//! that re-indented code stays the same. Blank lines are no features. Everything else counts: case
//! and punctuation mean something in code.
//!
//! Where it fails: one changed character changes the whole line, so lines suit texts that are edited
//! line by line. Prose, where a paragraph is one line, is better compared by shingles.

use lookalike::Result;
use lookalike::parts::Document;
use lookalike::parts::hash;
use lookalike::parts::{FeatureExtractor, Features};
use lookalike::parts::{Param, Params, PartInfo, Spec};

pub struct Lines {
    shortest: usize,
    mask_digits: bool,
}

impl Lines {
    pub const INFO: PartInfo = PartInfo {
        name: "lines",
        summary: "Every line that is not blank, its white space normalised",
        paper: "",
        params: &[
            Param {
                name: "shortest",
                default: "1",
                help: "lines with fewer characters, not counting spaces, are left out; \
                       3 drops lone brackets",
            },
            Param {
                name: "mask_digits",
                default: "false",
                help: "a run of digits counts as one 0: times and process ids of logs do not differ",
            },
        ],
    };

    pub fn new(shortest: usize, mask_digits: bool) -> Self {
        Lines { shortest, mask_digits }
    }

    /// Reads the recipe's section. A key that is not read here is refused by the registry, which
    /// lists the parameters of `INFO` as the known ones.
    pub fn from_params(params: &mut Params) -> Result<Self> {
        let shortest = params.integer("shortest", 1)? as usize;
        Ok(Lines::new(shortest, params.boolean("mask_digits", false)?))
    }
}

impl FeatureExtractor for Lines {
    /// Every parameter that changes a feature belongs in here: the spec is part of the scheme, which
    /// keeps signatures of different makes apart.
    fn spec(&self) -> Spec {
        Spec::new(Self::INFO.name)
            .with("shortest", self.shortest as i64)
            .with("mask_digits", self.mask_digits)
    }

    fn extract(&self, document: &Document<'_>, out: &mut Features) {
        let mut masked = String::new();
        for line in document.text.lines() {
            let line = if self.mask_digits {
                mask_digits(line, &mut masked);
                &masked
            } else {
                line
            };
            let (mut characters, mut state) = (0, 0);
            for word in line.split_whitespace() {
                characters += word.chars().count();
                // Word by word, so that no normalised copy of the line has to be made.
                state = hash::combine(state, hash::bytes(word.as_bytes()));
            }
            if characters > 0 && characters >= self.shortest {
                // Signers expect hashes that are spread evenly: mix once more.
                out.hashes.push(hash::mix(state));
            }
        }
    }
}

fn mask_digits(line: &str, masked: &mut String) {
    masked.clear();
    for character in line.chars() {
        if !character.is_ascii_digit() {
            masked.push(character);
        } else if !masked.ends_with('0') {
            masked.push('0');
        }
    }
}

#[cfg(test)]
mod tests {
    use lookalike::parts::testing::{check_extractor, hashes_of};

    use super::*;

    fn plain() -> Lines {
        Lines::new(1, false)
    }

    #[test]
    fn passes_the_conformance_suite() {
        check_extractor(&plain());
        check_extractor(&Lines::new(3, true));
    }

    #[test]
    fn spacing_does_not_count_but_everything_else_does() {
        let one = hashes_of(&plain(), "if ready {\n    go();\n}\n");
        assert_eq!(one.len(), 3);
        assert_eq!(one, hashes_of(&plain(), "\tif  ready {\r\n\r\n\tgo();\r\n}"));
        assert_ne!(one[0], hashes_of(&plain(), "if Ready {")[0]);
        assert_ne!(one[1], hashes_of(&plain(), "g o();")[0]);
    }

    #[test]
    fn short_lines_are_left_out_when_asked() {
        let text = "} \n  ) ;\nend\n";
        assert_eq!(hashes_of(&Lines::new(3, false), text), hashes_of(&plain(), "end"));
        assert!(hashes_of(&plain(), " \n\t\n").is_empty());
    }

    #[test]
    fn masked_digits_make_log_lines_alike() {
        let (a, b) = ("10:04:59 worker 7: done in 12 ms", "9:30:01 worker 12: done in 8 ms");
        assert_ne!(hashes_of(&plain(), a), hashes_of(&plain(), b));
        let logs = Lines::new(1, true);
        assert_eq!(hashes_of(&logs, a), hashes_of(&logs, b));
        assert_ne!(hashes_of(&logs, "worker 7"), hashes_of(&logs, "worker"));
    }
}
