//! Documents that agree in something other than a long text: the same bytes, images, links.
//!
//! Images and links count only if the text is short: long texts are compared themselves. A shared
//! logo does not outweigh two short texts that contradict each other.
//!
//! Two saves of one web page are recognised by its title, its address and its structure, even if its
//! content has changed.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use lookalike_core::streams::{StreamAgreement, StreamKind};
use lookalike_extract::{Extracted, Kind};

use super::info::{Info, Page, SHORT_WORDS, resemblance};
use super::result::Streams;
use lookalike_engine::corpus::CorpusNumber;
use lookalike_engine::run::{Stream, StreamPair};

/// The least links that two documents must have for links to count.
const LEAST_LINKS: usize = 3;
/// The share of words that two short texts must have in common not to contradict each other.
const SAME_WORDS: f64 = 0.5;
/// How much of their structure two saves of a page at one address must share; and how much of
/// structure and text, if the pages name no address.
const SAME_ADDRESS: f64 = 0.35;
const SAME_BUILD: f64 = 0.5;
const SAME_SAID: f64 = 0.4;
/// How much of their text pages at one address must share if their titles differ.
const SAME_STORY: f64 = 0.1;
/// An image or link in more documents than this pairs each of them with this many only, so that the
/// work does not grow with the square.
const MOST_NEIGHBOURS: usize = 256;

/// All pairs that agree in files, images or links; documents by their index in `infos`.
pub fn pairs(infos: &[Info], threshold: f64) -> Vec<StreamPair> {
    let mut pairs = same_files(infos);
    pairs.extend(same_records(infos));
    // The images and links of a page that was read wrongly belong to the wrong part.
    let is_doubtful = |info: &Info| info.weak.is_some() && info.kind == Kind::Html;
    let visual = |info: &Info| info.is_visual() && !info.images.is_empty() && !is_doubtful(info);
    pairs.extend(alike(infos, threshold, Stream::Images, visual, |info| &info.images));
    let linked = |info: &Info| {
        info.words < SHORT_WORDS && !info.is_visual() && info.links.len() >= LEAST_LINKS && !is_doubtful(info)
    };
    pairs.extend(alike(infos, threshold, Stream::Links, linked, |info| &info.links));
    pairs.extend(same_pages(infos));
    pairs
}

/// Pages with much the same structure that name the same address and have either the same title or a
/// good part of their text in common; and pages that name no address but have the same title and
/// much of their text in common.
fn same_pages(infos: &[Info]) -> Vec<StreamPair> {
    let mut known: HashMap<PageName, Vec<(CorpusNumber, &Info, &Page)>> = HashMap::new();
    let mut pairs = Vec::new();
    for (place, info) in numbered(infos) {
        let Some(page) = &info.page else { continue };
        for name in [page.address.map(PageName::Address), Some(PageName::Title(page.title))] {
            let Some(name) = name else { continue };
            let others = known.entry(name).or_default();
            for &(other, their_info, theirs) in others.iter().rev().take(MOST_NEIGHBOURS) {
                let by_title = matches!(name, PageName::Title(_));
                // Pages with an address were compared by their addresses.
                if by_title && page.address.is_some() && theirs.address.is_some() {
                    continue;
                }
                let built = resemblance(&page.structure, &theirs.structure, Extracted::STRUCTURE);
                let said = || match info.weak.is_none() && their_info.weak.is_none() {
                    true => resemblance(&page.words, &theirs.words, Page::SAMPLE),
                    false => 0.0,
                };
                let same = match by_title {
                    true => built >= SAME_BUILD && said() >= SAME_SAID,
                    false if page.title == theirs.title => built >= SAME_ADDRESS,
                    // News at one address continue, and headlines change. But sites that name one
                    // address for all their pages are not rare.
                    false => !page.is_front && built >= SAME_BUILD && said() >= SAME_STORY,
                };
                if same {
                    pairs.push(StreamPair { a: other, b: place, similarity: built, stream: Stream::Page });
                }
            }
            others.push((place, info, page));
        }
    }
    pairs
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum PageName {
    Address(u64),
    Title(u64),
}

/// How a document's streams agree with its master's. `text` is known if the texts were compared, `compared` is what the
/// run found out about the others.
pub fn streams(master: &Info, member: &Info, text: Option<f64>, compared: StreamAgreement) -> Streams {
    let both = |a: &[u64], b: &[u64]| (!a.is_empty() && !b.is_empty()).then(|| jaccard(a, b));
    Streams {
        text: text.or_else(|| both(&master.short_words, &member.short_words)),
        images: compared.resemblance(StreamKind::Images).or_else(|| both(&master.images, &member.images)),
        links: compared.resemblance(StreamKind::Links).or_else(|| both(&master.links, &member.links)),
        metadata: compared.resemblance(StreamKind::Metadata),
        structure: compared.resemblance(StreamKind::Structure),
        page: match (&master.page, &member.page) {
            (Some(a), Some(b)) if a.title == b.title => {
                Some(resemblance(&a.structure, &b.structure, Extracted::STRUCTURE))
            }
            _ => None,
        },
        contradict: compared.contradicting().collect(),
    }
}

/// Pairs each document with the first that has the same bytes.
fn same_files(infos: &[Info]) -> Vec<StreamPair> {
    let mut first: HashMap<(&str, u64), CorpusNumber> = HashMap::new();
    let mut pairs = Vec::new();
    for (place, info) in numbered(infos) {
        if info.file_hash.is_empty() || info.part.is_some() && info.bytes == 0 {
            continue;
        }
        // Records of one container share its hash; their texts distinguish them.
        match first.entry((&info.file_hash, info.text_hash)) {
            Entry::Vacant(entry) => _ = entry.insert(place),
            Entry::Occupied(entry) => {
                pairs.push(StreamPair { a: *entry.get(), b: place, similarity: 1.0, stream: Stream::File });
            }
        }
    }
    pairs
}

/// Pairs each document with the first that has the same text, author and time: a message that is
/// filed twice, however short it is.
fn same_records(infos: &[Info]) -> Vec<StreamPair> {
    let mut first: HashMap<(u64, &str, &str, &str), CorpusNumber> = HashMap::new();
    let mut pairs = Vec::new();
    for (place, info) in numbered(infos) {
        let (Some(title), Some(author), Some(date)) = (&info.title, &info.author, &info.date) else {
            continue;
        };
        if info.words == 0 || info.weak.is_some() {
            continue;
        }
        match first.entry((info.text_hash, title, author, date)) {
            Entry::Vacant(entry) => _ = entry.insert(place),
            Entry::Occupied(entry) => {
                let (a, stream) = (*entry.get(), Stream::Metadata);
                pairs.push(StreamPair { a, b: place, similarity: 1.0, stream });
            }
        }
    }
    pairs
}

/// Documents whose sets have at least this Jaccard resemblance and whose short texts do not
/// contradict each other.
fn alike(
    infos: &[Info],
    threshold: f64,
    stream: Stream,
    takes_part: impl Fn(&Info) -> bool,
    set: impl Fn(&Info) -> &[u64],
) -> Vec<StreamPair> {
    // A pair that reaches the threshold shares one of the rarest members of each set: as many are
    // indexed as the threshold lets differ, plus one.
    let mut frequency: HashMap<u64, u32> = HashMap::new();
    for info in infos.iter().filter(|info| takes_part(info)) {
        set(info).iter().for_each(|member| *frequency.entry(*member).or_default() += 1);
    }
    let mut holders: HashMap<u64, Vec<CorpusNumber>> = HashMap::new();
    let mut pairs = Vec::new();
    for (place, info) in numbered(infos).filter(|(_, info)| takes_part(info)) {
        let mut members = set(info).to_vec();
        members.sort_unstable_by_key(|member| (frequency.get(member).copied(), *member));
        let must_share = (threshold * members.len() as f64).ceil() as usize;
        members.truncate(members.len() + 1 - must_share.clamp(1, members.len().max(1)));
        let mut met: Vec<CorpusNumber> = Vec::new();
        for member in members {
            let holders = holders.entry(member).or_default();
            met.extend(holders.iter().rev().take(MOST_NEIGHBOURS));
            holders.push(place);
        }
        met.sort_unstable();
        met.dedup();
        for other in met {
            let theirs = &infos[other.index()];
            let similarity = jaccard(set(info), set(theirs));
            if similarity >= threshold && !contradict(info, theirs) {
                pairs.push(StreamPair { a: other, b: place, similarity, stream });
            }
        }
    }
    pairs
}

/// The documents of a corpus by their numbers.
fn numbered(infos: &[Info]) -> impl Iterator<Item = (CorpusNumber, &Info)> {
    infos.iter().enumerate().map(|(index, info)| (CorpusNumber::from_index(index), info))
}

/// Whether two short texts contradict each other. An empty text contradicts nothing.
fn contradict(a: &Info, b: &Info) -> bool {
    let (a, b) = (&a.short_words, &b.short_words);
    !a.is_empty() && !b.is_empty() && jaccard(a, b) < SAME_WORDS
}

/// The Jaccard resemblance of two sorted sets.
fn jaccard(a: &[u64], b: &[u64]) -> f64 {
    let (mut shared, mut left, mut right) = (0, 0, 0);
    while left < a.len() && right < b.len() {
        match a[left].cmp(&b[right]) {
            std::cmp::Ordering::Less => left += 1,
            std::cmp::Ordering::Greater => right += 1,
            std::cmp::Ordering::Equal => (shared, left, right) = (shared + 1, left + 1, right + 1),
        }
    }
    let all = a.len() + b.len() - shared;
    if all == 0 { 0.0 } else { shared as f64 / all as f64 }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::scan::info::distinct;

    fn numbers(pair: &StreamPair) -> (u32, u32) {
        (pair.a.raw(), pair.b.raw())
    }

    fn info(images: &[u64], words: &[u64]) -> Info {
        Info {
            images: distinct(images.to_vec()),
            short_words: distinct(words.to_vec()),
            words: words.len(),
            sees_images: !images.is_empty(),
            ..Info::default()
        }
    }

    #[test]
    fn images_match_unless_the_texts_contradict() {
        let infos = [info(&[1, 2], &[]), info(&[1, 2], &[7, 8]), info(&[1, 2], &[9]), info(&[3], &[7, 8])];
        let found: Vec<(u32, u32)> = pairs(&infos, 0.8).iter().map(numbers).collect();
        assert_eq!(found, [(0, 1), (0, 2)]);
    }

    #[test]
    fn the_same_file_matches_however_little_it_says() {
        let file = |hash: &str| Info { file_hash: hash.to_owned(), bytes: 2, ..Info::default() };
        let found = pairs(&[file("aa"), file("bb"), file("aa"), file("aa")], 0.8);
        assert_eq!(found.iter().map(numbers).collect::<Vec<_>>(), [(0, 2), (0, 3)]);
        assert!(found.iter().all(|pair| pair.stream == Stream::File && pair.similarity == 1.0));
    }

    #[test]
    fn a_short_message_filed_twice_is_one() {
        let message = |text_hash: u64, date: &str| Info {
            text_hash,
            words: 3,
            title: Some("Lunch".to_owned()),
            author: Some("A".to_owned()),
            date: Some(date.to_owned()),
            ..Info::default()
        };
        let infos = [message(1, "2001"), message(1, "2002"), message(1, "2001"), message(2, "2001")];
        let found: Vec<(u32, u32)> = pairs(&infos, 0.8).iter().map(numbers).collect();
        assert_eq!(found, [(0, 2)]);
    }

    #[test]
    fn a_page_saved_twice_is_told_by_title_address_and_structure() {
        let page = |title: u64, address: Option<u64>, structure: &[u32], words: &[u32]| Info {
            page: Some(Page {
                address,
                is_front: false,
                title,
                structure: structure.to_vec(),
                words: words.to_vec(),
            }),
            ..Info::default()
        };
        let found =
            |infos: &[Info]| pairs(infos, 0.8).iter().filter(|pair| pair.stream == Stream::Page).count();
        let built = [1, 2, 3, 4];
        assert_eq!(
            found(&[page(1, Some(9), &built, &[1]), page(1, Some(9), &built, &[2])]),
            1,
            "news changed"
        );
        assert_eq!(
            found(&[page(1, Some(9), &built, &[1]), page(2, Some(9), &built, &[2])]),
            0,
            "another title and another text: one address for all pages of a site"
        );
        assert_eq!(
            found(&[page(1, Some(9), &built, &[1, 2]), page(2, Some(9), &built, &[1, 3, 4])]),
            1,
            "a story that goes on"
        );
        let weak = |info: Info| Info { weak: Some("a banner".to_owned()), kind: Kind::Html, ..info };
        assert_eq!(
            found(&[weak(page(1, Some(9), &built, &[1])), weak(page(2, Some(9), &built, &[1]))]),
            0,
            "weak texts say nothing"
        );
        assert_eq!(found(&[weak(page(1, None, &built, &[1])), weak(page(1, None, &built, &[1]))]), 0);
        assert_eq!(
            found(&[weak(page(1, Some(9), &built, &[1])), weak(page(1, Some(9), &built, &[2]))]),
            1,
            "but title and address do"
        );
        assert_eq!(
            found(&[page(1, Some(9), &built, &[1]), page(1, Some(8), &built, &[1])]),
            0,
            "another address"
        );
        assert_eq!(
            found(&[page(1, Some(9), &built, &[1]), page(1, Some(9), &[7, 8, 9], &[1])]),
            0,
            "another design"
        );
        assert_eq!(found(&[page(1, None, &built, &[1, 2]), page(1, None, &built, &[1, 2, 3])]), 1);
        assert_eq!(
            found(&[page(1, None, &built, &[1, 2]), page(1, None, &built, &[3, 4])]),
            0,
            "only the template"
        );
    }

    proptest! {
        #[test]
        fn no_pair_of_images_is_missed(
            sets in prop::collection::vec(prop::collection::vec(0u64..12, 1..6), 0..24),
            threshold in 0.1f64..=1.0,
        ) {
            let infos: Vec<Info> = sets.iter().map(|set| info(set, &[])).collect();
            let mut expected = Vec::new();
            for b in 0..infos.len() {
                for a in 0..b {
                    if jaccard(&infos[a].images, &infos[b].images) >= threshold {
                        expected.push((a as u32, b as u32));
                    }
                }
            }
            let mut found: Vec<(u32, u32)> = pairs(&infos, threshold).iter().map(numbers).collect();
            found.sort_unstable_by_key(|&(a, b)| (b, a));
            prop_assert_eq!(found, expected);
        }
    }
}
