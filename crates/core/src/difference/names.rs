//! Which words may be names: those with a capital that no sentence gave them.
//!
//! Nothing more is claimed. In German all nouns are capitalised, in headings most words are; scripts without capitals
//! have no names by this rule.

/// Lines that are at least this long may go on in the next line.
const LONG_LINE: usize = 50;
/// Short words before a full stop are taken for abbreviations, such as `Mr.` and `Gen.`
const LONGEST_ABBREVIATION: usize = 3;

/// Whether the word at these bytes is capitalised, though it does not begin a sentence. Capitals throughout count
/// unless the word beside it has them, too: there the text shouts.
pub fn is_name(text: &str, start: usize, end: usize) -> bool {
    let word = text.get(start..end).unwrap_or_default();
    if !word.chars().next().is_some_and(char::is_uppercase) || word.chars().nth(1).is_none() {
        return false;
    }
    let (before, after) = (text.get(..start).unwrap_or_default(), text.get(end..).unwrap_or_default());
    let shouts = is_shouted(word) && (is_shouted(last_word(before)) || is_shouted(first_word(after)));
    !shouts && !begins_sentence(before)
}

/// What may be between the end of a sentence and the first word of the next.
fn may_begin(c: char) -> bool {
    matches!(
        c,
        ' ' | '\t'
            | '\r'
            | '\u{a0}'
            | '"'
            | '\''
            | '“'
            | '”'
            | '‘'
            | '’'
            | '«'
            | '»'
            | '„'
            | '('
            | '['
            | '{'
            | '<'
            | '*'
            | '_'
            | '#'
            | '>'
    )
}

fn is_shouted(word: &str) -> bool {
    let mut letters = word.chars().filter(|c| c.is_alphabetic());
    letters.next().is_some_and(char::is_uppercase) && letters.next().is_some_and(char::is_uppercase) && {
        letters.all(char::is_uppercase)
    }
}

fn last_word(text: &str) -> &str {
    let text = text.trim_end_matches(|c: char| !c.is_alphanumeric() && c != '\n');
    let start =
        text.rfind(|c: char| !c.is_alphanumeric()).map_or(0, |place| text.ceil_char_boundary(place + 1));
    text.get(start..).unwrap_or_default()
}

fn first_word(text: &str) -> &str {
    let text = text.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '\n');
    text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default()
}

/// Whether a sentence begins after this text.
fn begins_sentence(before: &str) -> bool {
    let mut rest = before.trim_end_matches(may_begin);
    if let Some(line) = rest.strip_suffix('\n') {
        // What is indented, or follows a short line, begins anew.
        let line = line.trim_end_matches('\r');
        let length = line.len() - line.rfind('\n').map_or(0, |place| place + 1);
        if rest.len() < before.trim_end_matches(|c: char| !c.is_whitespace()).len() || length < LONG_LINE {
            return true;
        }
        rest = line.trim_end();
    }
    let Some(last) = rest.chars().next_back() else { return true };
    match last {
        '.' => {
            let word = last_word(rest);
            let is_abbreviation = word.chars().next().is_some_and(char::is_uppercase)
                && word.chars().count() <= LONGEST_ABBREVIATION;
            !is_abbreviation
        }
        '!' | '?' | ':' | ';' | '…' | '。' | '！' | '？' | '|' | '•' | '·' => true,
        // A dash that begins a line is that of a list.
        '-' | '–' | '—' => rest.trim_end_matches(['-', '–', '—', ' ', '\t']).ends_with('\n'),
        _ => false,
    }
}
