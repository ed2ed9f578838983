//! The structure of a page, apart from its text: which elements with which classes and ids it has.
//!
//! Two saves of one page may share no sentence (a front page, a forum's index) and still be the same
//! page. A sample of the elements shows how much of the structure two pages share.

use lookalike_core::hash;

use crate::document::Extracted;

use super::attribute::Attributes;
use super::element::Element;
use super::tree::Tree;

/// How many elements are kept, those with the lowest hashes.
const SAMPLE: usize = Extracted::STRUCTURE;

/// The sample, sorted. All numbers in names count as equal, since they change with every save.
pub fn structure(tree: &Tree<'_>) -> Vec<u32> {
    let mut lowest: Vec<u32> = Vec::with_capacity(2 * SAMPLE);
    let mut name = String::new();
    for index in 1..tree.nodes.len() {
        if tree.element(index) == Element::Text {
            continue;
        }
        let tag = tree.source(index);
        name.clear();
        let end =
            tag.find(|character: char| character.is_whitespace() || character == '/').unwrap_or(tag.len());
        push(&mut name, &tag[..end]);
        for (attribute, value) in Attributes::of(tag) {
            if attribute.eq_ignore_ascii_case("class") || attribute.eq_ignore_ascii_case("id") {
                name.push(' ');
                push(&mut name, value);
            }
        }
        lowest.push((hash::bytes(name.as_bytes()) >> 32) as u32);
        if lowest.len() == lowest.capacity() {
            keep_lowest(&mut lowest);
        }
    }
    keep_lowest(&mut lowest);
    lowest
}

fn push(name: &mut String, text: &str) {
    for character in text.chars() {
        if !character.is_ascii_digit() {
            name.push(character.to_ascii_lowercase());
        } else if !name.ends_with('0') {
            name.push('0');
        }
    }
}

fn keep_lowest(hashes: &mut Vec<u32>) {
    hashes.sort_unstable();
    hashes.dedup();
    hashes.truncate(SAMPLE);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_page_says_does_not_change_how_it_is_built() {
        let page = |text: &str, number: u32| {
            structure(&Tree::parse(&format!("<div class='a b' id=row{number}><p>{text}</p></div>")))
        };
        assert_eq!(page("one", 7), page("two words", 12345));
        assert_ne!(page("one", 7), structure(&Tree::parse("<div class='c'><p>one</p></div>")));
        let many: String =
            (0..5000).map(|n| format!("<i class={}>", char::from(b'a' + (n % 26) as u8))).collect();
        assert!(structure(&Tree::parse(&many)).len() <= SAMPLE);
    }
}
