//! How far the text read from a page can be trusted to be its content.
//!
//! A page that is read wrongly still gives a text: a banner, the first line of a gallery, the notice
//! at its end. Such texts are short compared with the rest of the page, visible or hidden, and are
//! about something else than its title. Each of these is a doubt; the lowest confidence counts.

use std::collections::{BTreeSet, HashSet};

use super::head::Head;

/// About a hundred words: longer texts are trusted unless the page contradicts them.
const LONG: usize = 600;
/// Menus are longer than that: texts without sentences are compared with the title up to this
/// length.
const LONG_LIST: usize = 2400;
/// The least letters of a line that counts as prose.
const PROSE_LINE: usize = 80;
/// About forty words.
const SHORT: usize = 240;
/// About fifteen words.
const TINY: usize = 90;
/// The least words of a title that can contradict a text; pairs of characters where there are no
/// spaces.
const TELLING: usize = 3;
const TELLING_PAIRS: usize = 6;
/// A text with a smaller share of the words of its title and description is about something else.
const UNRELATED: f64 = 0.2;

/// The facts about a page by which a text is judged.
#[derive(Clone, Copy, Debug, Default)]
pub struct Evidence {
    /// Visible letters, including those of links.
    pub visible: usize,
    /// Letters of prose in what the page marks as the body of its article, in the page itself or
    /// for search engines only.
    pub own_body: usize,
}

/// A reason to doubt a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Doubt {
    pub confidence: f64,
    pub why: String,
}

/// The strongest doubt that a text is the content of its page; `None` if there is none.
pub fn doubt(text: &str, head: &Head, evidence: Evidence) -> Option<Doubt> {
    let letters = letters(text);
    let mut strongest: Option<Doubt> = None;
    let mut note = |confidence: f64, why: String| {
        if strongest.as_ref().is_none_or(|other| confidence < other.confidence) {
            strongest = Some(Doubt { confidence, why });
        }
    };
    if letters * 5 < evidence.own_body && evidence.own_body >= LONG {
        note(0.3, "a small part of what the page calls its article".to_owned());
    }
    if letters >= if is_list(text, letters) { LONG_LIST } else { LONG } {
        return strongest;
    }
    let lower = text.to_lowercase();
    let agreement = agreement(head, &lower);
    let share = letters as f64 / evidence.visible.max(letters).max(1) as f64;
    if notices(&lower) * 2 > letters {
        note(0.1, "asks for consent, a subscription or patience, or tells of an error".to_owned());
    }
    match agreement {
        Some(agreement) if agreement < UNRELATED => {
            note(0.3, "says hardly anything of what the page's title says".to_owned());
        }
        // A few words from a long page are a teaser or a label.
        _ if letters < TINY && share < 0.1 => note(0.3, "a few words of a long page".to_owned()),
        Some(agreement) if agreement < 0.34 && letters < SHORT && share < 0.25 => {
            note(0.4, "a few words of a longer page, which hardly fit its title".to_owned());
        }
        None if letters < SHORT && share < 0.1 => note(0.4, "a few words of a long page".to_owned()),
        _ => {}
    }
    strongest
}

/// The share of the words of the title or the description, whichever is larger, that a text in
/// lower case has; `None` if they have few words. A description may be about the whole site, so it
/// can confirm a text but not contradict it.
pub fn agreement(head: &Head, lower: &str) -> Option<f64> {
    let said: HashSet<&str> = stems_of(lower).collect();
    let share = |told: &Option<String>| share_of(told.as_deref()?, lower, &said);
    match (share(&head.title), share(&head.description)) {
        (Some(title), description) => Some(title.max(description.unwrap_or(0.0))),
        (None, description) => description.filter(|&share| share >= UNRELATED),
    }
}

/// The share of the given words that a text has, compared by their stems.
fn share_of(told: &str, lower: &str, said: &HashSet<&str>) -> Option<f64> {
    let dense = told.contains(is_dense);
    // A title in another script, as in a page that is half translated, is no evidence.
    if dense != is_mostly_dense(lower) {
        return None;
    }
    let words = if dense { pairs_of(told) } else { distinctive_words(told) };
    let found = match dense {
        true => words.iter().filter(|pair| lower.contains(pair.as_str())).count(),
        false => words.iter().filter(|word| said.contains(word.as_str())).count(),
    };
    // About every second pair spans two words, and only a text that repeats both words has it.
    let (least, of) = if dense { (TELLING_PAIRS, words.len().div_ceil(2)) } else { (TELLING, words.len()) };
    (words.len() >= least).then(|| (found as f64 / of as f64).min(1.0))
}

/// The words of a title that are likely to stand in its text and in few others: the long ones.
fn distinctive_words(told: &str) -> Vec<String> {
    let lower = told.to_lowercase();
    let of = |least: usize| {
        let words = lower.split(is_between).filter(|word| word.chars().count() >= least);
        words.map(stem).collect::<BTreeSet<&str>>()
    };
    let long = of(5);
    let words = if long.len() < TELLING { of(4) } else { long };
    words.into_iter().map(str::to_owned).collect()
}

fn pairs_of(told: &str) -> Vec<String> {
    let characters: Vec<char> = told.chars().filter(|c| is_dense(*c)).collect();
    let pairs: BTreeSet<String> = characters.windows(2).map(|two| two.iter().collect()).collect();
    pairs.into_iter().collect()
}

fn stems_of(lower: &str) -> impl Iterator<Item = &str> {
    lower.split(is_between).map(stem)
}

fn is_between(character: char) -> bool {
    !character.is_alphanumeric()
}

/// The beginning of a word: endings differ by number, tense and case.
fn stem(word: &str) -> &str {
    word.char_indices().nth(6).map_or(word, |(end, _)| word.get(..end).unwrap_or(word))
}

/// Whether a character belongs to a script that writes words in few characters and without spaces.
fn is_dense(character: char) -> bool {
    matches!(u32::from(character), 0x3040..=0x30ff | 0x3400..=0x9fff | 0xac00..=0xd7af | 0x0e00..=0x0e7f)
}

/// Whether a text of this many letters has few sentences.
fn is_list(text: &str, letters: usize) -> bool {
    let prose = || text.lines().map(self::letters).filter(|&letters| letters >= PROSE_LINE).sum::<usize>();
    (LONG..LONG_LIST).contains(&letters) && prose() * 10 < letters * 3
}

fn is_mostly_dense(text: &str) -> bool {
    let (mut dense, mut others) = (0, 0);
    for character in text.chars().filter(|c| c.is_alphabetic()) {
        *(if is_dense(character) { &mut dense } else { &mut others }) += 1;
    }
    dense > others
}

/// Characters other than white space; those of dense scripts count double.
pub fn letters(text: &str) -> usize {
    text.chars().filter(|c| !c.is_whitespace()).map(|c| 1 + usize::from(is_dense(c))).sum()
}

/// Notices that replace the content of a page that is not shown.
const NOTICES: [&str; 44] = [
    "enable javascript",
    "javascript is disabled",
    "javascript is required",
    "turn on javascript",
    "enable cookies",
    "uses cookies",
    "use cookies",
    "use of cookies",
    "accept cookies",
    "cookie policy",
    "cookie settings",
    "your consent",
    "privacy preferences",
    "manage preferences",
    "verwendet cookies",
    "verwenden cookies",
    "utilise des cookies",
    "utilizza cookie",
    "utiliza cookies",
    "ad blocker",
    "adblock",
    "subscribe to continue",
    "subscribe to read",
    "subscribe now",
    "already a subscriber",
    "sign in to continue",
    "log in to continue",
    "register to continue",
    "to read the full story",
    "to continue reading",
    "create a free account",
    "remaining free articles",
    "are you a robot",
    "not a robot",
    "unusual traffic",
    "checking your browser",
    "verify you are human",
    "access denied",
    "page not found",
    "page cannot be found",
    "page you requested",
    "page you are looking for",
    "browser is out of date",
    "browser is not supported",
];

/// How many letters are in lines of the text (in lower case) that are such a notice.
fn notices(lower: &str) -> usize {
    let is_notice = |line: &&str| NOTICES.iter().any(|notice| line.contains(notice));
    lower.lines().filter(is_notice).map(letters).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(text: &str, title: &str, visible: usize, own_body: usize) -> Option<f64> {
        let head = Head { title: Some(title.to_owned()), ..Head::default() };
        doubt(text, &head, Evidence { visible, own_body }).map(|doubt| doubt.confidence)
    }

    #[test]
    fn what_fits_the_page_is_trusted() {
        let title = "Council rebuilds the old bridge over the river";
        let short = "The council agreed on Monday to rebuild the old bridge over the river in the north.";
        assert_eq!(judged(short, title, 300, 0), None);
        assert_eq!(judged(&"word ".repeat(200), title, 100_000, 0), None, "long texts speak for themselves");
        assert_eq!(judged("Hello", "Home", 5, 0), None, "a tiny page");
        assert_eq!(
            judged("市議会は月曜日に古い橋の再建を決定した。", "古い橋の再建を市議会が決定", 60, 0),
            None
        );
        let steps = "列番号と行番号を画面から消すには、メニューで表示タブを選び、番号のチェックを外します。"
            .repeat(3);
        assert_eq!(
            judged(&steps, "表の表示方法の変更", 900, 0),
            None,
            "one word of the title, in pairs of characters"
        );
    }

    #[test]
    fn what_does_not_fit_is_doubted() {
        let title = "Council rebuilds the old bridge over the river";
        for (text, visible, own_body) in [
            ("Like this topic? You may also like these photo galleries: Replay", 5000, 0),
            ("The old bridge", 5000, 0),
            ("This site uses cookies. By going on you accept our cookie policy.", 60, 0),
            ("Old bridge: please enable JavaScript to see the council's page.", 60, 0),
            ("The council agreed on Monday to rebuild the old bridge over the river.", 300, 4000),
            ("All rights are reserved by the publisher and by its licensors.", 60, 0),
        ] {
            assert!(judged(text, title, visible, own_body).is_some_and(|c| c < 0.5), "{text}");
        }
        let strange = "当サイトではお客様の利便性向上のため情報を収集しています。";
        assert!(judged(strange, "古い橋の再建を市議会が決定", 900, 0).is_some());
    }
}
