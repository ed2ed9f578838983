//! Turns a copy of a document into a near-duplicate, by the edits that happen to real texts.

use crate::compose::{Composer, Sentence};
use crate::rng::Rng;

const HEADERS: &[&str] = &[
    "Posted by {w} on {d} in News. Reading time about {n} minutes.",
    "Home > Archive > {w} > Page {n}. Skip to main content.",
    "This article was first published on {d}. Share it with your friends.",
    "Café {w} – André's notebook, entry {n}.",
    "From: {w}@example.org Date: {d} Subject: Fwd: {w} {w}",
];
const FOOTERS: &[&str] = &[
    "Copyright © {n} {w} Ltd. All rights reserved. Terms of use and privacy policy.",
    "Read more: {w} {w} {w}. {n} comments. Log in or register to post a comment.",
    "Tags: {w}, {w}, {w}. Previous post. Next post. Subscribe to our newsletter.",
    "Last modified on {d} by {w}. Printable version. Contact the editor, Jörg Müller.",
    "Found an error? Tell us. Page {n} of {n}.",
];

/// Edits until about the share `damage` of the text's 5-grams has changed.
pub fn make_near_duplicate(text: &mut Vec<Sentence>, damage: f64, rng: &mut Rng, composer: &Composer) {
    let words: usize = text.iter().map(|s| s.tokens.len()).sum();
    // Spent in changed 5-grams; what is only added or only removed counts half, as it stands in one text alone.
    let mut budget = damage * words as f64;
    if rng.chance(0.30) {
        budget -= add_boilerplate(text, budget, rng, composer);
    }
    if rng.chance(0.20) {
        budget -= truncate(text, budget * rng.uniform(0.3, 1.0));
    }
    if rng.chance(0.30) {
        change_look(text, rng);
    }
    let sentence_edits = rng.chance(0.4);
    while budget >= 2.5 {
        budget -= match rng.below(10) {
            0 | 1 if sentence_edits && budget > 12.0 => swap_sentences(text, rng),
            2 if sentence_edits && budget > 25.0 => replace_sentence(text, rng, composer),
            3 | 4 => delete_word(text, rng),
            5 | 6 => insert_word(text, rng, composer),
            _ => substitute_word(text, rng, composer),
        };
    }
}

fn add_boilerplate(text: &mut Vec<Sentence>, budget: f64, rng: &mut Rng, composer: &Composer) -> f64 {
    let at_start = rng.chance(0.5);
    let pattern = rng.pick(if at_start { HEADERS } else { FOOTERS });
    let mut tokens = Vec::new();
    for part in pattern.split(' ') {
        let mut token = part.to_owned();
        if token.contains("{w}") {
            token = token.replace("{w}", &composer.random_word(rng));
        }
        token = token.replace("{n}", &rng.between(2, 2024).to_string());
        token = token.replace(
            "{d}",
            &format!("{}/{}/{}", rng.between(1, 28), rng.between(1, 12), rng.between(2009, 2024)),
        );
        tokens.push(token);
    }
    let cost = tokens.len() as f64 / 2.0;
    if cost > budget {
        return 0.0;
    }
    if at_start {
        text[0].starts_paragraph = true;
        text.insert(0, Sentence { tokens, starts_paragraph: true });
    } else {
        text.push(Sentence { tokens, starts_paragraph: true });
    }
    cost
}

fn truncate(text: &mut Vec<Sentence>, budget: f64) -> f64 {
    let mut left = (budget * 2.0) as usize;
    let mut removed = 0;
    while left > 0 && text.len() > 3 {
        let last = text.last_mut().expect("more than three sentences");
        let cut = left.min(last.tokens.len());
        last.tokens.truncate(last.tokens.len() - cut);
        if last.tokens.is_empty() {
            text.pop();
        }
        left -= cut;
        removed += cut;
    }
    removed as f64 / 2.0
}

/// Case, punctuation and paragraphs: other bytes, the same words.
pub fn change_look(text: &mut [Sentence], rng: &mut Rng) {
    for _ in 0..rng.between(1, 6) {
        let sentence = rng.below(text.len());
        let tokens = &mut text[sentence].tokens;
        let at = rng.below(tokens.len());
        match rng.below(4) {
            0 => tokens[at] = tokens[at].to_uppercase(),
            1 => tokens[at].retain(|c| c != ','),
            2 => tokens[at].push(','),
            _ => text[sentence].starts_paragraph = true,
        }
    }
}

fn swap_sentences(text: &mut [Sentence], rng: &mut Rng) -> f64 {
    if text.len() < 4 {
        return 1.0;
    }
    let first = rng.between(1, text.len() - 2);
    text.swap(first, first + 1);
    12.0 // three seams with four 5-grams each
}

fn replace_sentence(text: &mut [Sentence], rng: &mut Rng, composer: &Composer) -> f64 {
    let at = rng.below(text.len());
    let new = composer.random_sentence(rng);
    let cost = (text[at].tokens.len() + new.len()) as f64 / 2.0 + 4.0;
    text[at].tokens = new;
    cost
}

fn delete_word(text: &mut [Sentence], rng: &mut Rng) -> f64 {
    let at = rng.below(text.len());
    let tokens = &mut text[at].tokens;
    if tokens.len() < 3 {
        return 0.1;
    }
    tokens.remove(rng.below(tokens.len()));
    4.5
}

fn insert_word(text: &mut [Sentence], rng: &mut Rng, composer: &Composer) -> f64 {
    let at = rng.below(text.len());
    let word = composer.random_word(rng);
    let tokens = &mut text[at].tokens;
    tokens.insert(rng.between(0, tokens.len()), word);
    4.5
}

fn substitute_word(text: &mut [Sentence], rng: &mut Rng, composer: &Composer) -> f64 {
    let sentence = rng.below(text.len());
    let at = rng.below(text[sentence].tokens.len());
    let word = composer.random_word(rng);
    let token = &mut text[sentence].tokens[at];
    // The punctuation around the word stays.
    let core = token.trim_matches(|c: char| !c.is_alphanumeric());
    *token = if core.is_empty() { word } else { token.replacen(core, &word, 1) };
    5.0
}
