//! Text that most pages of a site share: menus, headers, footers, notices.
//!
//! What a reader of one page cannot tell, the pages together can: a line that stands in many pages
//! which are otherwise different belongs to the site, not to the page. Copies of one article share
//! all their lines too, but they are not otherwise different, so nothing of them is taken for a
//! template.
//!
//! ```
//! use lookalike_extract::{Extracted, site::Template};
//! let letters = |n: usize| format!("{}{}", char::from(b'a' + (n / 26) as u8), char::from(b'a' + (n % 26) as u8));
//! let page = |n: usize| format!("Home News Contact\n\n{}", (n * 30..n * 30 + 30).map(letters).collect::<Vec<_>>().join(" "));
//! let pages: Vec<String> = (0..10).map(page).collect();
//! let template = Template::learn(pages.iter().map(String::as_str));
//! let mut document = Extracted { text: pages[3].clone(), ..Extracted::default() };
//! assert!(template.strip(&mut document));
//! assert!(!document.text.contains("Home"));
//! ```

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use lookalike_core::hash;

use crate::document::{Extracted, Mark};

/// So many pages of a site are looked at; more would not change what most of them share.
const SAMPLE: usize = 1000;
/// Lines of one page that are looked at.
const LINES: usize = 5000;
/// A line of the template stands in at least so many pages …
const FEWEST_PAGES: usize = 5;
/// … and in one of so many.
const SHARE: usize = 5;
/// Pairs of pages with a line that are compared for what else they share.
const PAIRS: usize = 24;
/// A page with fewer words left is not stripped.
const FEWEST_WORDS: usize = 20;

/// The lines that a site puts on its pages.
#[derive(Clone, Debug, Default)]
pub struct Template {
    lines: HashSet<u64>,
}

/// The site that a page says it belongs to: the host of its address.
pub fn site_of(document: &Extracted) -> Option<&str> {
    let (_, rest) = document.fields.get("url")?.split_once("://")?;
    let host = rest.split(['/', '?', '#']).next()?;
    let host = host.rsplit('@').next()?.split(':').next()?;
    (!host.is_empty()).then_some(host)
}

/// The lines of a page by hash, each once, with how many words each has.
type Page = BTreeMap<u64, u32>;

/// Learns a site's template from one page after another, in any order.
#[derive(Debug, Default)]
pub struct Learner {
    /// The pages with the lowest hashes are a sample that does not depend on the order; a page that
    /// is there twice counts once.
    sample: BTreeMap<u64, Page>,
}

impl Learner {
    pub fn add(&mut self, text: &str) {
        let page = lines_of(text);
        let mark = page.keys().fold(page.len() as u64, |mark, &line| hash::combine(mark, line));
        let last = self.sample.last_key_value().map_or(u64::MAX, |(&last, _)| last);
        if self.sample.len() < SAMPLE || mark < last {
            self.sample.insert(mark, page);
            if self.sample.len() > SAMPLE {
                self.sample.pop_last();
            }
        }
    }

    pub fn finish(self) -> Template {
        let pages: Vec<Page> = self.sample.into_values().collect();
        let mut holders: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (number, page) in pages.iter().enumerate() {
            for &line in page.keys() {
                holders.entry(line).or_default().push(number);
            }
        }
        let fewest = FEWEST_PAGES.max(pages.len().div_ceil(SHARE));
        let mut compared = HashMap::new();
        let shared = holders.into_iter().filter(|(_, holders)| holders.len() >= fewest);
        let lines = shared
            .filter(|(line, holders)| differ(*line, holders, &pages, &mut compared))
            .map(|(line, _)| line);
        Template { lines: lines.collect() }
    }
}

impl Template {
    /// Learns from the texts of a site's pages, in any order.
    pub fn learn<'a>(pages: impl Iterator<Item = &'a str>) -> Template {
        let mut learner = Learner::default();
        pages.for_each(|page| learner.add(page));
        learner.finish()
    }

    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Takes the template's lines out of a page, unless little would be left. Tells whether it did.
    pub fn strip(&self, document: &mut Extracted) -> bool {
        let text = &document.text;
        let mut kept: Vec<Piece> = Vec::new();
        let mut stripped = String::with_capacity(text.len());
        let (mut words, mut words_kept) = (0, 0);
        let mut gap = "";
        let mut start = 0;
        for line in text.split('\n') {
            let end = start + line.len();
            let count = line.split_whitespace().count();
            words += count;
            if line.is_empty() {
                gap = "\n\n";
            } else {
                if !self.lines.contains(&hash_of_line(line)) {
                    words_kept += count;
                    if !stripped.is_empty() {
                        stripped.push_str(gap);
                    }
                    kept.push(Piece { start, end, now: stripped.len() });
                    stripped.push_str(line);
                    gap = "";
                }
                if gap.is_empty() {
                    gap = "\n";
                }
            }
            start = end + 1;
        }
        if words_kept == words || words_kept < FEWEST_WORDS || words_kept * 3 < words {
            return false;
        }
        document.marks = document.marks.iter().filter_map(|mark| moved(*mark, &kept)).collect();
        document.text = stripped;
        true
    }
}

/// A stretch of the old text and where it begins in the new one.
struct Piece {
    start: usize,
    end: usize,
    now: usize,
}

/// The mark in the new text; `None` if nothing of it is left.
fn moved(mark: Mark, kept: &[Piece]) -> Option<Mark> {
    let first = kept.get(kept.partition_point(|piece| piece.end <= mark.start))?;
    let last = kept.get(kept.partition_point(|piece| piece.start < mark.end).checked_sub(1)?)?;
    let start = first.now + mark.start.saturating_sub(first.start);
    let end = last.now + mark.end.min(last.end).checked_sub(last.start)?;
    (start < end).then_some(Mark { start, end, ..mark })
}

fn lines_of(text: &str) -> Page {
    let lines = text.lines().filter(|line| !line.trim().is_empty()).take(LINES);
    lines.map(|line| (hash_of_line(line), line.split_whitespace().count() as u32)).collect()
}

/// Equal for lines that differ only in case, white space and numbers: counters and dates change.
fn hash_of_line(line: &str) -> u64 {
    let mut normal = String::with_capacity(line.len());
    for word in line.split_whitespace() {
        for character in word.chars() {
            if !character.is_ascii_digit() {
                normal.extend(character.to_lowercase());
            } else if !normal.ends_with('0') {
                normal.push('0');
            }
        }
        normal.push(' ');
    }
    hash::bytes(normal.as_bytes())
}

/// Whether pages that hold a line are typically different but for it.
fn differ(
    line: u64,
    holders: &[usize],
    pages: &[Page],
    compared: &mut HashMap<(usize, usize), (u64, u64)>,
) -> bool {
    let words = holders.first().and_then(|&page| pages.get(page)?.get(&line)).copied().unwrap_or(0);
    let pairs: BTreeSet<(usize, usize)> = pairs_of(holders);
    let mut alike = 0;
    for &pair in &pairs {
        let (shared, all) =
            *compared.entry(pair).or_insert_with(|| overlap(pages.get(pair.0), pages.get(pair.1)));
        let (shared, all) = (shared.saturating_sub(words.into()), all.saturating_sub(words.into()));
        // Pages that have nothing else are not different either.
        alike += usize::from(shared * 2 >= all);
    }
    alike * 2 < pairs.len()
}

/// Some pairs, spread over all holders.
fn pairs_of(holders: &[usize]) -> BTreeSet<(usize, usize)> {
    let count = holders.len();
    let mut pairs = BTreeSet::new();
    for number in 0..PAIRS {
        let left = number * count / PAIRS;
        let right = (left + 1 + number * 7 % (count.max(2) - 1)) % count.max(1);
        if let (Some(&left), Some(&right)) = (holders.get(left), holders.get(right))
            && left != right
        {
            pairs.insert((left.min(right), left.max(right)));
        }
    }
    pairs
}

/// Words of the lines that two pages share, and of all their lines.
fn overlap(left: Option<&Page>, right: Option<&Page>) -> (u64, u64) {
    let (Some(left), Some(right)) = (left, right) else { return (0, 0) };
    let total = |page: &Page| page.values().map(|&words| u64::from(words)).sum::<u64>();
    let shared: u64 =
        left.iter().filter(|(line, _)| right.contains_key(line)).map(|(_, &words)| u64::from(words)).sum();
    (shared, (total(left) + total(right)).saturating_sub(shared))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Tag;

    /// Twelve lines that no other page has.
    fn article(seed: &str) -> String {
        let lines = (b'a'..=b'l').map(|line| {
            let words = (b'a'..=b'j').map(|word| format!("{seed}{}{}", line as char, word as char));
            words.collect::<Vec<_>>().join(" ")
        });
        lines.collect::<Vec<_>>().join("\n\n")
    }

    fn with_template(own: &str) -> String {
        format!("Home News Sport\nToday is 12 May\n\n{own}\n\nAll rights reserved. Imprint.")
    }

    fn learn(pages: &[String]) -> Template {
        Template::learn(pages.iter().map(String::as_str))
    }

    #[test]
    fn a_template_is_taken_out_and_marks_move_along() {
        let pages: Vec<String> =
            (b'a'..=b'k').map(|seed| with_template(&article(&(seed as char).to_string()))).collect();
        let template = learn(&pages);
        let text = with_template(&article("new")).replace("12", "345");
        let mark = |word: &str, tag| {
            let start = text.find(word).unwrap();
            Mark { tag, start, end: start + word.len() }
        };
        let marks = vec![mark("Home", Tag::Bold), mark("newaa newab", Tag::Italic), mark("newcc", Tag::Bold)];
        let mut document = Extracted { text: text.clone(), marks, ..Extracted::default() };
        assert!(template.strip(&mut document));
        assert_eq!(document.text, article("new"));
        let shown: Vec<&str> =
            document.marks.iter().map(|mark| &document.text[mark.start..mark.end]).collect();
        assert_eq!(shown, ["newaa newab", "newcc"]);
        let reversed: Vec<String> = pages.into_iter().rev().collect();
        assert_eq!(learn(&reversed).lines, template.lines);
    }

    #[test]
    fn copies_of_one_article_are_no_template() {
        let pages: Vec<String> =
            (b'a'..=b'p').map(|seed| format!("{}\n\nCopy of {}", article("x"), seed as char)).collect();
        assert!(learn(&pages).is_empty());
        // Nor are they among pages that do have one.
        let others = (b'a'..=b'p').map(|seed| with_template(&article(&(seed as char).to_string())));
        let copies =
            (b'a'..=b'p').map(|seed| with_template(&format!("{}\n\nNo {}", article("x"), seed as char)));
        let pages: Vec<String> = others.chain(copies).collect();
        let template = learn(&pages);
        let mut document = Extracted { text: pages.last().unwrap().clone(), ..Extracted::default() };
        assert!(template.strip(&mut document));
        assert!(document.text.starts_with(&article("x")), "{}", document.text);
        assert!(!document.text.contains("Imprint"));
    }

    #[test]
    fn a_page_is_not_stripped_to_nothing_and_few_pages_teach_nothing() {
        let pages: Vec<String> =
            (b'a'..=b'k').map(|seed| with_template(&article(&(seed as char).to_string()))).collect();
        let mut short = Extracted { text: with_template("Nothing here."), ..Extracted::default() };
        assert!(!learn(&pages).strip(&mut short));
        assert_eq!(short.text, with_template("Nothing here."));
        assert!(learn(&pages[..4]).is_empty());
        assert!(Template::learn(std::iter::empty()).is_empty());
    }

    #[test]
    fn the_host_names_the_site() {
        let at = |url: &str| {
            let document =
                Extracted { fields: [("url".to_owned(), url.to_owned())].into(), ..Extracted::default() };
            site_of(&document).map(str::to_owned)
        };
        assert_eq!(at("https://user@www.example.org:8080/x?y").as_deref(), Some("www.example.org"));
        assert_eq!(at("/x/y"), None);
    }
}
