//! Bad lines: they are counted, and the first is reported with its place.

use lookalike_io::inputs::Input;

/// What a thread knows of bad lines. Merged, it does not depend on which thread found them.
#[derive(Default)]
pub struct Rejects {
    pub count: u64,
    /// Input, part, line within the part, and reason of the first bad line that this thread found.
    first: Option<(usize, u64, u32, String)>,
    /// Input, part and number of lines.
    parts: Vec<(usize, u64, u32)>,
}

impl Rejects {
    pub fn add(&mut self, input: usize, part: u64, line: u32, reason: String) {
        self.count += 1;
        self.keep_first((input, part, line, reason));
    }

    /// Notes how many lines the part has, good and bad.
    pub fn end_part(&mut self, input: usize, part: u64, lines: u32) {
        self.parts.push((input, part, lines));
    }

    pub fn join(&mut self, mut other: Rejects) {
        self.count += other.count;
        self.parts.append(&mut other.parts);
        if let Some(reject) = other.first {
            self.keep_first(reject);
        }
    }

    fn keep_first(&mut self, reject: (usize, u64, u32, String)) {
        if self.first.as_ref().is_none_or(|first| reject < *first) {
            self.first = Some(reject);
        }
    }

    /// The first bad line as a sentence.
    pub fn first(&self, inputs: &[Input], explain: impl Fn(String, &Input) -> String) -> Option<String> {
        let (input, part, line, reason) = self.first.as_ref()?;
        let before = self.parts.iter().filter(|other| other.0 == *input && other.1 < *part);
        let before: u64 = before.map(|other| u64::from(other.2)).sum();
        let input = inputs.get(*input)?;
        let (name, reason) = (&input.name, explain(reason.clone(), input));
        Some(format!("{name}: line {}: {reason}", before + u64::from(*line) + 1))
    }
}
