//! Text that most pages of a site share: menus, headers, footers, notices.
//!
//! One page alone does not show what belongs to its site, but many pages together do: a line in
//! many pages that are otherwise different belongs to the site, not to the page. Copies of one
//! article share all their lines, too, but they are not otherwise different, so none of their lines
//! are taken for a template. If hardly more than such lines was read from a page, its text is weak:
//! many other pages have the same.
//!
//! ```
//! use lookalike_extract::{Extracted, site::Template};
//! let letters = |n: usize| format!("{}{}", char::from(b'a' + (n / 26) as u8), char::from(b'a' + (n % 26) as u8));
//! let page = |n: usize| format!("Home News Contact\n\n{}", (n * 30..n * 30 + 30).map(letters).collect::<Vec<_>>().join(" "));
//! let pages: Vec<String> = (0..10).map(page).collect();
//! let template = Template::learn(pages.iter().map(String::as_str));
//! let mut document = Extracted { text: pages[3].clone(), ..Extracted::default() };
//! template.strip(&mut document);
//! assert!(!document.text.contains("Home"));
//! ```

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use lookalike_core::hash;

use crate::document::{Extracted, Mark};

/// How many pages of a site are examined; more would not change what most of them share.
const SAMPLE: usize = 1000;
/// How many lines of one page are examined.
const LINES: usize = 5000;
/// A line of the template is in at least this many pages …
const FEWEST_PAGES: usize = 5;
/// … and in one of this many.
const SHARE: usize = 50;
/// How many pairs of pages with a line are compared for what else they share.
const PAIRS: usize = 24;
/// A page that would have fewer words left is not stripped: its text is weak.
const FEWEST_WORDS: usize = 20;
/// Pages of fewer words with the same text under different names are not copies of each other.
const SHORT_PAGE: u64 = 200;

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

/// The lines of a page by hash, each once, with the number of words of each.
#[derive(Debug, Default)]
struct Page {
    lines: BTreeMap<u64, u32>,
    words: u64,
    /// Hashes of its title and its address, if it has both.
    names: Option<(u64, u64)>,
}

impl Page {
    fn new(text: &str, names: Option<(u64, u64)>) -> Page {
        let lines = lines_of(text);
        let words = lines.values().map(|&words| u64::from(words)).sum();
        Page { lines, words, names }
    }

    /// Whether both have names, and none in common.
    fn is_named_apart(&self, other: &Page) -> bool {
        self.names.zip(other.names).is_some_and(|(own, theirs)| own.0 != theirs.0 && own.1 != theirs.1)
    }
}

/// Learns a site's template from one page after another, in any order.
#[derive(Debug, Default)]
pub struct TemplateLearner {
    /// The pages with the lowest hashes, which is a sample that does not depend on the order; a
    /// page that occurs twice counts once.
    sample: BTreeMap<u64, Page>,
}

impl TemplateLearner {
    /// Counts a page.
    pub fn add(&mut self, page: &Extracted) {
        let name = |name: &String| hash::bytes(name.trim().to_lowercase().as_bytes());
        let names = page.title.as_ref().map(name).zip(page.fields.get("url").map(name));
        self.add_page(Page::new(&page.text, names));
    }

    fn add_page(&mut self, page: Page) {
        let (title, _) = page.names.unwrap_or_default();
        let mark = page.lines.keys().fold(title, |mark, &line| hash::combine(mark, line));
        let last = self.sample.last_key_value().map_or(u64::MAX, |(&last, _)| last);
        if self.sample.len() < SAMPLE || mark < last {
            self.sample.insert(mark, page);
            if self.sample.len() > SAMPLE {
                self.sample.pop_last();
            }
        }
    }

    /// What most of the pages share.
    pub fn finish(self) -> Template {
        let pages: Vec<Page> = self.sample.into_values().collect();
        let mut holders: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for (number, page) in pages.iter().enumerate() {
            for &line in page.lines.keys() {
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
        let mut learner = TemplateLearner::default();
        pages.for_each(|page| learner.add_page(Page::new(page, None)));
        learner.finish()
    }

    /// Whether the pages share nothing.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Adds the lines of another site's template.
    pub fn extend(&mut self, other: &Template) {
        self.lines.extend(&other.lines);
    }

    /// Marks a page as doubtful if hardly anything is left without the template's lines.
    pub fn doubt(&self, document: &mut Extracted) {
        let (mut words, mut own) = (0, 0);
        for line in document.text.lines() {
            let count = line.split_whitespace().count();
            words += count;
            own += if self.lines.contains(&hash_of_line(line)) { 0 } else { count };
        }
        if own < FEWEST_WORDS && own * 3 < words {
            document.doubt(0.2, "hardly more was read than what other pages say, too");
        }
    }

    /// Removes the template's lines from a page, unless little would be left.
    pub fn strip(&self, document: &mut Extracted) {
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
        if words_kept == words || words_kept < FEWEST_WORDS {
            return;
        }
        for heading in &mut document.headings {
            heading.at = moved_place(heading.at, &kept);
        }
        document.marks = document.marks.iter().filter_map(|mark| moved(*mark, &kept)).collect();
        document.text = stripped;
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

/// Where a place of the old text is in the new one: after what is left of all before it.
fn moved_place(at: usize, kept: &[Piece]) -> usize {
    let before = kept.partition_point(|piece| piece.end <= at).checked_sub(1);
    before.and_then(|place| kept.get(place)).map_or(0, |piece| piece.now + piece.end - piece.start)
}

fn lines_of(text: &str) -> BTreeMap<u64, u32> {
    let lines = text.lines().filter(|line| !line.trim().is_empty()).take(LINES);
    lines.map(|line| (hash_of_line(line), line.split_whitespace().count() as u32)).collect()
}

/// Equal for lines that differ only in case, white space and numbers, since counters and dates
/// change.
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

/// Whether pages with this line are usually different otherwise.
fn differ(
    line: u64,
    holders: &[usize],
    pages: &[Page],
    compared: &mut HashMap<(usize, usize), (u64, u64)>,
) -> bool {
    let words = holders.first().and_then(|&page| pages.get(page)?.lines.get(&line)).copied().unwrap_or(0);
    let pairs: BTreeSet<(usize, usize)> = pairs_of(holders);
    let mut alike = 0;
    for &pair in &pairs {
        let (Some(left), Some(right)) = (pages.get(pair.0), pages.get(pair.1)) else { continue };
        if left.words.max(right.words) < SHORT_PAGE && left.is_named_apart(right) {
            continue;
        }
        let (shared, all) = *compared.entry(pair).or_insert_with(|| overlap(left, right));
        let (shared, all) = (shared.saturating_sub(words.into()), all.saturating_sub(words.into()));
        // Pages that have nothing else are not different, either.
        alike += usize::from(shared * 2 >= all);
    }
    alike * 2 < pairs.len()
}

/// Some pairs, spread over all pages with the line.
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
fn overlap(left: &Page, right: &Page) -> (u64, u64) {
    let both = left.lines.iter().filter(|(line, _)| right.lines.contains_key(line));
    let shared: u64 = both.map(|(_, &words)| u64::from(words)).sum();
    (shared, (left.words + right.words).saturating_sub(shared))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Heading, Tag};

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
        let heading =
            |word: &str| Heading { at: text.find(word).unwrap() + word.len(), text: format!("after {word}") };
        let headings = vec![heading("Sport"), heading("newaj"), heading("Imprint.")];
        let mut document = Extracted { text: text.clone(), marks, headings, ..Extracted::default() };
        template.strip(&mut document);
        assert_eq!(document.text, article("new"));
        let shown: Vec<&str> =
            document.marks.iter().map(|mark| &document.text[mark.start..mark.end]).collect();
        assert_eq!(shown, ["newaa newab", "newcc"]);
        let places: Vec<usize> = document.headings.iter().map(|heading| heading.at).collect();
        let after_line = document.text.find("newaj").unwrap() + "newaj".len();
        assert_eq!(places, [0, after_line, document.text.len()]);
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
        template.strip(&mut document);
        assert!(document.text.starts_with(&article("x")), "{}", document.text);
        assert!(!document.text.contains("Imprint"));
    }

    #[test]
    fn a_page_is_not_stripped_to_nothing_and_few_pages_teach_nothing() {
        let pages: Vec<String> =
            (b'a'..=b'k').map(|seed| with_template(&article(&(seed as char).to_string()))).collect();
        let mut short = Extracted { text: with_template("Nothing here."), ..Extracted::default() };
        learn(&pages).strip(&mut short);
        assert_eq!(short.text, with_template("Nothing here."));
        learn(&pages).doubt(&mut short);
        assert!(short.weakness().unwrap().contains("what other pages say"));
        let mut own = Extracted { text: with_template(&article("new")), ..Extracted::default() };
        learn(&pages).doubt(&mut own);
        assert_eq!(own.weakness(), None);
        assert!(learn(&pages[..4]).is_empty());
        assert!(Template::learn(std::iter::empty()).is_empty());
    }

    /// A banner that was read from each page instead of its article.
    #[test]
    fn one_short_text_under_many_names_is_a_template() {
        let page = |title: String, address: String| Extracted {
            text: "You may also like these photo galleries:\n\nReplay".to_owned(),
            title: Some(title),
            fields: [("url".to_owned(), address)].into(),
            ..Extracted::default()
        };
        let learn = |pages: &[Extracted]| {
            let mut learner = TemplateLearner::default();
            pages.iter().for_each(|page| learner.add(page));
            learner.finish()
        };
        let names = |n: u8| (format!("Story {}", char::from(b'a' + n)), format!("http://a.org/{n}"));
        let banners: Vec<Extracted> = (0..6).map(names).map(|(title, url)| page(title, url)).collect();
        let mut one = banners[2].clone();
        learn(&banners).doubt(&mut one);
        assert!(one.weakness().is_some());
        // One page that was saved often is no template, nor is one text under one name.
        let saves: Vec<Extracted> =
            (0..6).map(|_| page("Story".to_owned(), "http://a.org/".to_owned())).collect();
        assert!(learn(&saves).is_empty());
        let mirrors: Vec<Extracted> =
            (0..6).map(|n| page("Story".to_owned(), format!("http://a.org/{n}"))).collect();
        assert!(learn(&mirrors).is_empty());
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
