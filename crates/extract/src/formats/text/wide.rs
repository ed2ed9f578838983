//! UTF-16 and UTF-32, with a byte order mark or without.

/// How many bytes are enough to recognise a pattern.
const SAMPLE: usize = 16 << 10;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wide {
    Utf16Little,
    Utf16Big,
    Utf32Little,
    Utf32Big,
}

/// The encoding of the byte order mark, and its length; `None` for UTF-8.
pub fn marked(bytes: &[u8]) -> Option<(Wide, usize)> {
    match bytes {
        // UTF-16 text does not begin with NUL.
        [0xff, 0xfe, 0, 0, ..] => Some((Wide::Utf32Little, 4)),
        [0, 0, 0xfe, 0xff, ..] => Some((Wide::Utf32Big, 4)),
        [0xff, 0xfe, ..] => Some((Wide::Utf16Little, 2)),
        [0xfe, 0xff, ..] => Some((Wide::Utf16Big, 2)),
        _ => None,
    }
}

/// The encoding of bytes without a mark, if almost all units read that way are characters of texts.
/// Bytes without any NUL are taken for something else: wide text without a space, line end or digit
/// is rare.
pub fn unmarked(bytes: &[u8]) -> Option<Wide> {
    let sample = &bytes[..bytes.len().min(SAMPLE) & !3];
    let sample = if sample.is_empty() { bytes } else { sample };
    memchr::memchr(0, sample)?;
    [Wide::Utf32Little, Wide::Utf32Big, Wide::Utf16Little, Wide::Utf16Big]
        .into_iter()
        .filter_map(|wide| Some((score(sample, wide)?, wide)))
        .max_by_key(|(score, _)| *score)
        .map(|(_, wide)| wide)
}

/// The text, if the bytes are wide.
pub fn decode(bytes: &[u8]) -> Option<String> {
    let (wide, start) = marked(bytes).or_else(|| Some((unmarked(bytes)?, 0)))?;
    let bytes = bytes.get(start..)?;
    Some(match wide {
        Wide::Utf16Little => encoding_rs::UTF_16LE.decode_without_bom_handling(bytes).0.into_owned(),
        Wide::Utf16Big => encoding_rs::UTF_16BE.decode_without_bom_handling(bytes).0.into_owned(),
        Wide::Utf32Little | Wide::Utf32Big => units32(bytes, wide == Wide::Utf32Big)
            .map(|unit| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect(),
    })
}

/// How much of the sample is text when read this way, in weighted characters; `None` if it is not.
fn score(sample: &[u8], wide: Wide) -> Option<u64> {
    let (mut units, mut good, mut ascii) = (0u64, 0u64, 0u64);
    let mut count = |character: Option<char>| {
        units += 1;
        match character {
            Some(' '..='~' | '\t' | '\n' | '\r') => {
                ascii += 1;
                good += 1;
            }
            Some(character) if is_common(character) => good += 1,
            _ => {}
        }
    };
    let weight = match wide {
        Wide::Utf32Little | Wide::Utf32Big => {
            units32(sample, wide == Wide::Utf32Big).for_each(|unit| count(char::from_u32(unit)));
            2
        }
        Wide::Utf16Little | Wide::Utf16Big => {
            let big = wide == Wide::Utf16Big;
            let (pairs, _) = sample.as_chunks::<2>();
            let units = pairs
                .iter()
                .map(|pair| if big { u16::from_be_bytes(*pair) } else { u16::from_le_bytes(*pair) });
            char::decode_utf16(units).for_each(|unit| count(unit.ok()));
            1
        }
    };
    // Pairs of ASCII letters look like Chinese characters, but Chinese has other bytes as well.
    let unlike_ascii =
        sample.iter().filter(|byte| **byte >= 0x80 || (1..0x20).contains(*byte)).count() as u64;
    let is_wide = weight == 2 || 2 * ascii >= units || 10 * unlike_ascii >= sample.len() as u64;
    // A few units without a space, line end or digit are more likely numbers.
    let is_telling = ascii > 0 || units >= 16;
    // A pair may be cut at the end of the sample.
    (is_wide && is_telling && units >= 2 && units - good <= units / 50 + u64::from(units > 20))
        .then_some((good + 2 * ascii) * weight)
}

fn units32(bytes: &[u8], big: bool) -> impl Iterator<Item = u32> + '_ {
    let (units, _) = bytes.as_chunks::<4>();
    units.iter().map(move |unit| if big { u32::from_be_bytes(*unit) } else { u32::from_le_bytes(*unit) })
}

/// Characters of scripts in use; unpaired or swapped bytes rarely give only such characters.
fn is_common(character: char) -> bool {
    matches!(character,
        '\u{a0}'..='\u{24f}' | '\u{300}'..='\u{6ff}' | '\u{900}'..='\u{e7f}' | '\u{10a0}'..='\u{11ff}'
        | '\u{1e00}'..='\u{20cf}' | '\u{2100}'..='\u{27bf}' | '\u{3000}'..='\u{30ff}' | '\u{3130}'..='\u{318f}'
        | '\u{3200}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{ffee}'
        | '\u{1f300}'..='\u{1faff}' | '\u{20000}'..='\u{3134f}' | '\u{c}')
}
