//! Splits a stream of bytes into lines of limited length: of a longer line the rest is skipped, not kept.

use crate::error::ApiError;

pub struct Lines {
    most: u64,
    held: Vec<u8>,
    /// Whether the current line is already too long.
    too_long: bool,
    number: u64,
}

pub struct Line {
    /// From 1; empty lines are counted but not returned.
    pub number: u64,
    pub bytes: Result<Vec<u8>, ApiError>,
}

impl Lines {
    pub fn new(most: u64) -> Self {
        Lines { most, held: Vec::new(), too_long: false, number: 1 }
    }

    /// The next line completed by `data`, which is advanced past it.
    pub fn next(&mut self, data: &mut &[u8]) -> Option<Line> {
        loop {
            let end = data.iter().position(|&byte| byte == b'\n');
            let (part, rest) = match end {
                Some(end) => (&data[..end], &data[end + 1..]),
                None => (*data, &data[data.len()..]),
            };
            if self.too_long || (self.held.len() + part.len()) as u64 > self.most {
                self.too_long = true;
                self.held = Vec::new();
            } else {
                self.held.extend_from_slice(part);
            }
            *data = rest;
            end?;
            let line = self.finish();
            self.number += 1;
            if line.is_some() {
                return line;
            }
        }
    }

    /// The last line, which may lack a line break.
    pub fn finish(&mut self) -> Option<Line> {
        let bytes = std::mem::take(&mut self.held);
        if std::mem::take(&mut self.too_long) {
            return Some(Line { number: self.number, bytes: Err(ApiError::too_large(self.most)) });
        }
        let is_blank = bytes.iter().all(u8::is_ascii_whitespace);
        (!is_blank).then_some(Line { number: self.number, bytes: Ok(bytes) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_whole_however_the_bytes_are_cut() {
        let text = b"one\n\n  \ntwo is long\r\nsix\nlast";
        for size in 1..text.len() {
            let mut lines = Lines::new(6);
            let mut seen = Vec::new();
            for chunk in text.chunks(size) {
                let mut rest = chunk;
                while let Some(line) = lines.next(&mut rest) {
                    seen.push(line);
                }
                assert!(lines.held.len() <= 6, "no more is kept than a line may have");
            }
            seen.extend(lines.finish());
            let seen: Vec<(u64, Option<String>)> = seen
                .into_iter()
                .map(|line| (line.number, line.bytes.ok().map(|bytes| String::from_utf8(bytes).unwrap())))
                .collect();
            let text = |text: &str| Some(text.to_owned());
            assert_eq!(seen, [(1, text("one")), (4, None), (5, text("six")), (6, text("last"))]);
        }
    }
}
