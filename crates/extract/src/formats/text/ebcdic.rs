//! EBCDIC, the encoding of mainframes. Its space is ASCII's `@` and its letters are beyond ASCII, so
//! in other encodings it decodes to text but never to words.

/// How much of a file is enough to decide.
const SAMPLE: usize = 16 << 10;

/// The characters from 0x40 on; those below are controls.
const UPPER: &str = " \u{a0}âäàáãåçñ[.<(+!&éêëèíîïìß]$*);^-/ÂÄÀÁÃÅÇÑ¦,%_>?øÉÊËÈÍÎÏÌ`:#@'=\"Øabcdefghi«»ðýþ±°jklmnopqrªºæ¸Æ¤µ~stuvwxyz¡¿ÐÝÞ®¢£¥·©§¶¼½¾¬|¯¨´×{ABCDEFGHI\u{ad}ôöòóõ}JKLMNOPQR¹ûüùúÿ\\÷STUVWXYZ²ÔÖÒÓÕ0123456789³ÛÜÙÚ\u{9f}";

/// The text, if the bytes are EBCDIC: its spaces and none of ASCII's, and nearly everything else letters.
pub fn decode(bytes: &[u8]) -> Option<String> {
    let sample = &bytes[..bytes.len().min(SAMPLE)];
    // For most files the first bytes decide: ASCII has letters where EBCDIC has almost nothing.
    if sample.len() < 32
        || sample.first_chunk::<64>().is_some_and(|start| start.is_ascii() && !start.contains(&b'@'))
    {
        return None;
    }
    let (mut spaces, mut letters, mut foreign) = (0, 0, 0);
    for byte in sample {
        match byte {
            0x40 => spaces += 1,
            0x81..=0x89
            | 0x91..=0x99
            | 0xa2..=0xa9
            | 0xc1..=0xc9
            | 0xd1..=0xd9
            | 0xe2..=0xe9
            | 0xf0..=0xf9 => letters += 1,
            // Ends of lines, and the usual punctuation.
            0x05 | 0x0d | 0x15 | 0x25 | 0x4b | 0x4d | 0x5a | 0x5d | 0x5e | 0x60 | 0x61 | 0x6b | 0x6d
            | 0x6f | 0x7a | 0x7d | 0x7f => {}
            _ => foreign += 1,
        }
    }
    let is_it =
        spaces * 20 > sample.len() && letters * 2 > sample.len() - spaces && foreign * 20 < sample.len();
    is_it.then(|| {
        let upper: Vec<char> = UPPER.chars().collect();
        let decode = |&byte: &u8| match byte {
            0x15 | 0x25 | 0x0d => '\n',
            0..0x40 => ' ',
            _ => upper.get(usize::from(byte - 0x40)).copied().unwrap_or(char::REPLACEMENT_CHARACTER),
        };
        bytes.iter().map(decode).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_mainframe() {
        let upper: Vec<char> = UPPER.chars().collect();
        assert_eq!(upper.len(), 0xc0);
        let text = "All members agreed to the minutes of the last meeting, 1998.";
        let written: Vec<u8> =
            text.chars().map(|c| 0x40 + upper.iter().position(|&other| other == c).unwrap() as u8).collect();
        assert_eq!(decode(&written).as_deref(), Some(text));
        let russian =
            encoding_rs::KOI8_R.encode("Однажды, в студеную зимнюю пору, я из лесу вышел").0.into_owned();
        assert_eq!(decode(&russian), None);
        assert_eq!(decode(text.as_bytes()), None);
    }
}
