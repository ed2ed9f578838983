//! Maps from codes to characters that are partly broken.
//!
//! A `ToUnicode` map is a small program, and a strict reader refuses one with an error in its
//! header. What matters are the lists of codes and characters, which are easy to find.

/// The most entries of one map.
const MOST: usize = 70_000;

#[derive(Debug, Default)]
pub struct Lenient {
    /// First and last code, and the text of the first; by rising first code.
    ranges: Vec<(u32, u32, String)>,
}

impl Lenient {
    pub fn parse(program: &[u8]) -> Self {
        let mut ranges = Vec::new();
        for (from, to, is_range) in
            [(&b"beginbfchar"[..], &b"endbfchar"[..], false), (b"beginbfrange", b"endbfrange", true)]
        {
            let mut rest = program;
            while let Some(start) = memchr::memmem::find(rest, from) {
                rest = &rest[start + from.len()..];
                let end = memchr::memmem::find(rest, to).unwrap_or(rest.len());
                list(&rest[..end], is_range, &mut ranges);
                rest = &rest[end..];
            }
        }
        ranges.sort();
        Lenient { ranges }
    }

    pub fn character(&self, code: u32) -> Option<String> {
        let after = self.ranges.partition_point(|(first, _, _)| *first <= code);
        let (first, last, text) = self.ranges.get(after.checked_sub(1)?)?;
        if code > *last {
            return None;
        }
        let mut characters: Vec<char> = text.chars().collect();
        let final_one = characters.last_mut()?;
        *final_one = char::from_u32(u32::from(*final_one).checked_add(code - first)?)?;
        Some(characters.into_iter().collect())
    }
}

/// Reads `<code> <text>` or `<first> <last> <text>` or `<first> <last> [<text> <text> …]`.
fn list(bytes: &[u8], is_range: bool, ranges: &mut Vec<(u32, u32, String)>) {
    let mut codes: Vec<u32> = Vec::new();
    let mut is_within = false;
    let mut rest = bytes;
    while let Some(place) = rest.iter().position(|byte| matches!(byte, b'<' | b'[' | b']')) {
        let sign = rest[place];
        rest = &rest[place + 1..];
        match sign {
            b'[' => is_within = true,
            b']' => {
                is_within = false;
                codes.clear();
            }
            _ => {
                let end = rest.iter().position(|&byte| byte == b'>').unwrap_or(rest.len());
                let units = hexadecimal(&rest[..end]);
                rest = &rest[end..];
                if codes.len() < 1 + usize::from(is_range) {
                    codes.push(units.iter().fold(0, |code, &byte| code << 8 | u32::from(byte)));
                    continue;
                }
                let first = codes.first().copied().unwrap_or_default();
                let last = if is_within { first } else { codes.last().copied().unwrap_or_default() };
                if ranges.len() < MOST && first <= last {
                    ranges.push((first, last, text(&units)));
                }
                if is_within {
                    codes[0] = first.wrapping_add(1);
                } else {
                    codes.clear();
                }
            }
        }
    }
}

fn hexadecimal(digits: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> =
        digits.iter().filter_map(|&byte| Some(char::from(byte).to_digit(16)? as u8)).take(64).collect();
    digits.chunks(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect()
}

fn text(bytes: &[u8]) -> String {
    if let [single] = bytes {
        return char::from(*single).to_string();
    }
    let units = bytes.as_chunks::<2>().0.iter().map(|&pair| u16::from_be_bytes(pair));
    char::decode_utf16(units).filter_map(Result::ok).collect()
}

#[cfg(test)]
mod tests {
    use super::Lenient;

    #[test]
    fn characters_ranges_and_lists() {
        let map = Lenient::parse(
            b"/CMapName /Adobe-UC> def 2 beginbfchar <002B> <0048>\n<00 01> <00660069> endbfchar
              2 beginbfrange <10> <12> <0041> <20> <21> [<0058> <D83DDE00>] endbfrange",
        );
        let shown = |code| map.character(code).unwrap_or_default();
        assert_eq!(
            [shown(0x2b), shown(1), shown(0x12), shown(0x20), shown(0x21)],
            ["H", "fi", "C", "X", "😀"]
        );
        assert_eq!([map.character(0x13), map.character(0), map.character(0x22)], [None, None, None]);
    }

    #[test]
    fn rubbish_gives_nothing() {
        for rubbish in
            ["beginbfrange <", "beginbfrange <1> [ <2>", "beginbfchar <ffffffffff> <zz>", "beginbfrange ]]["]
        {
            assert_eq!(Lenient::parse(rubbish.as_bytes()).character(7), None, "{rubbish}");
        }
    }
}
