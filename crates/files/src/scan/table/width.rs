//! How wide text is on a terminal, and names shortened to fit.
//!
//! Measured character by character: terminals disagree on the width of several characters joined into one
//! picture, and a column too many does less harm than one too few.

use lookalike_report::CUT;
use unicode_width::UnicodeWidthChar;

use crate::scan::shown::is_hidden;

/// A name with hidden characters written out, as `
/// ` or `\u{202e}`.
pub fn visible(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for character in name.chars() {
        if is_hidden(character) {
            out.extend(character.escape_default());
        } else {
            out.push(character);
        }
    }
    out
}

pub fn columns(text: &str) -> usize {
    text.chars().map(columns_of).sum()
}

/// Leaves out the middle of a long name. Its end says more than its beginning.
pub fn shortened(text: &str, most: usize) -> String {
    if columns(text) <= most {
        return text.to_owned();
    }
    let room = most.saturating_sub(1);
    let head_room = room / 3;
    let (mut head, mut tail) = (0, text.len());
    let mut used = 0;
    for (place, character) in text.char_indices() {
        used += columns_of(character);
        if used > head_room {
            break;
        }
        head = place + character.len_utf8();
    }
    let mut left = room - columns(&text[..head]);
    for (place, character) in text[head..].char_indices().rev() {
        let Some(rest) = left.checked_sub(columns_of(character)) else { break };
        left = rest;
        tail = head + place;
    }
    // A combining mark would attach to the sign of the cut.
    let tail = text[tail..].trim_start_matches(|character| columns_of(character) == 0);
    format!("{}{CUT}{tail}", &text[..head])
}

/// A control character has no width: it is written out before it is measured.
fn columns_of(character: char) -> usize {
    character.width().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_letters_and_marks_are_measured() {
        assert_eq!(columns("abc"), 3);
        assert_eq!(columns("東京ｶﾞ"), 6);
        assert_eq!(columns("e\u{301}te\u{301}"), 3);
        assert_eq!(columns("📄한글"), 6);
        assert_eq!(columns("שָׁלוֹם"), 4);
    }

    #[test]
    fn names_lose_their_middle() {
        assert_eq!(shortened("reports/2023/annual.docx", 24), "reports/2023/annual.docx");
        assert_eq!(shortened("reports/2023/annual.docx", 16), "repor…nnual.docx");
        assert_eq!(shortened("東京都/大阪府/名古屋.txt", 14), "東京…古屋.txt");
        assert_eq!(shortened("ae\u{301}\u{301}\u{301}b", 2), "…b");
        assert_eq!(shortened("abc", 0), "…");
    }

    #[test]
    fn a_shortened_name_never_takes_more_than_its_room() {
        for name in [
            "reports/2023/annual.docx",
            "東京都/大阪府/名古屋.txt",
            "e\u{301}te\u{301}/e\u{301}te\u{301}.txt",
        ] {
            for room in 1..30 {
                assert!(columns(&shortened(name, room)) <= room, "{name} {room}");
            }
        }
    }

    #[test]
    fn what_hides_in_a_name_is_written_out() {
        assert_eq!(visible("a\u{1b}[2J\n\u{202e}b é 東"), "a\\u{1b}[2J\\n\\u{202e}b é 東");
        assert_eq!(visible("\u{feff}\u{9b}\u{2069}\u{200f}"), "\\u{feff}\\u{9b}\\u{2069}\\u{200f}");
    }
}
