//! The data about a document, besides its text, that a scan keeps in memory.

use std::collections::HashMap;

use lookalike_core::candidates::{Hamming, Join, Records};
use lookalike_core::hash;
use lookalike_core::text::{Scratch, for_each_word};
use lookalike_core::{Error, Result};
use lookalike_extract::{Extracted, Kind, Picture};
use std::sync::{Mutex, PoisonError};

use crate::documents::{Found, Inode, line, site_of};

/// With fewer words than this the text of a document with pictures says too little, and the
/// pictures decide.
pub const SHORT_WORDS: usize = 50;
/// With fewer words than this a text is not compared.
pub const LEAST_WORDS: usize = 5;

#[derive(Clone, Debug, Default)]
pub struct Info {
    pub id: String,
    pub path: String,
    pub part: Option<String>,
    pub kind: Kind,
    pub bytes: u64,
    pub modified: u64,
    pub inode: Inode,
    /// The site of a page, or otherwise the folder.
    pub source: String,
    /// Why the text is weak; `None` if it is not.
    pub weak: Option<String>,
    pub title: Option<String>,
    pub author: Option<String>,
    pub date: Option<String>,
    pub words: usize,
    pub text_hash: u64,
    pub file_hash: String,
    /// Distinct word hashes, for short texts only; empty if the text is weak.
    pub short_words: Vec<u64>,
    /// The perceptual hashes of the images, or hashes of their addresses if they are not in the
    /// file; sorted, each once.
    pub images: Vec<u64>,
    /// Whether some image was decoded, not only named.
    pub sees_images: bool,
    /// Sorted, each once.
    pub links: Vec<u64>,
    /// For web pages only.
    pub page: Option<Page>,
}

/// What identifies a web page, besides its text.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// The hash of its address, if the page names one.
    pub address: Option<u64>,
    /// Whether the address is that of a whole site.
    pub is_front: bool,
    pub title: u64,
    /// A sample of its elements, and one of its runs of three words: the lowest hashes, sorted.
    pub structure: Vec<u32>,
    pub words: Vec<u32>,
}

impl Page {
    /// How many runs of words are in the sample.
    pub const SAMPLE: usize = 128;

    /// `None` if it is no page or has no title.
    fn of(document: &Extracted, scratch: &mut Scratch) -> Option<Page> {
        let title = document.title.as_deref().filter(|title| title.chars().any(char::is_alphanumeric))?;
        if document.structure.is_empty() {
            return None;
        }
        let (mut runs, mut last) = (Vec::new(), [0u64; 2]);
        for_each_word(&document.text, scratch, |word| {
            runs.push((hash::combine(hash::combine(last[0], last[1]), word.hash) >> 32) as u32);
            last = [last[1], word.hash];
        });
        runs.sort_unstable();
        runs.dedup();
        runs.truncate(Self::SAMPLE);
        let address = document.fields.get("url").map(|url| bare_address(url));
        let digest = |text: &str| hash::bytes(text.trim().to_lowercase().as_bytes());
        Some(Page {
            address: address.map(digest),
            is_front: address.is_none_or(|address| !address.contains(['/', '?'])),
            title: digest(title),
            structure: document.structure.clone(),
            words: runs,
        })
    }
}

/// An address without parts that differ although the page is the same: the scheme, `www.`, a slash
/// at the end, a fragment.
fn bare_address(url: &str) -> &str {
    let url = url.split('#').next().unwrap_or_default().trim();
    let bare = url.split_once("://").map_or(url, |(_, rest)| rest);
    let bare = bare.get(..4).filter(|start| start.eq_ignore_ascii_case("www.")).map_or(bare, |_| &bare[4..]);
    bare.trim_end_matches('/')
}

/// The Jaccard resemblance of two sets, estimated from the lowest hashes of each.
pub fn resemblance(a: &[u32], b: &[u32], sample: usize) -> f64 {
    let (mut seen, mut shared, mut left, mut right) = (0, 0, 0, 0);
    while seen < sample && (left < a.len() || right < b.len()) {
        let (x, y) = (a.get(left).copied(), b.get(right).copied());
        let is_shared = x == y;
        left += usize::from(is_shared || y.is_none_or(|y| x.is_some_and(|x| x < y)));
        right += usize::from(is_shared || x.is_none_or(|x| y.is_some_and(|y| y < x)));
        shared += usize::from(is_shared);
        seen += 1;
    }
    if seen == 0 { 0.0 } else { shared as f64 / seen as f64 }
}

impl Info {
    pub fn new(file: &Found, document: &Extracted, scratch: &mut Scratch) -> Info {
        let mut hashes = Vec::new();
        let mut words = 0;
        for_each_word(&document.text, scratch, |word| {
            words += 1;
            if words <= SHORT_WORDS {
                hashes.push(word.hash);
            }
        });
        let weak = document.weakness();
        let short_words = if words < SHORT_WORDS && weak.is_none() { distinct(hashes) } else { Vec::new() };
        Info {
            id: line::id_of(&file.id, document.part.as_deref()),
            path: file.id.clone(),
            part: document.part.clone(),
            kind: document.kind,
            // For a compressed file, the size on disk.
            bytes: if document.part.is_none() { file.bytes } else { document.bytes },
            modified: file.modified,
            inode: file.inode,
            source: site_of(file, document),
            title: document.title.clone(),
            author: document.author.clone(),
            date: document.date.clone(),
            words,
            text_hash: hash::bytes(document.text.as_bytes()),
            file_hash: document.file_hash.clone(),
            weak,
            short_words,
            sees_images: document.images.iter().any(is_seen),
            images: distinct(document.images.iter().filter_map(Picture::item).collect()),
            page: Page::of(document, scratch),
            links: distinct(document.links.iter().map(|link| hash::bytes(link.as_bytes())).collect()),
        }
    }

    /// Whether the pictures are better evidence than the text.
    pub fn is_visual(&self) -> bool {
        self.sees_images && self.words < SHORT_WORDS
    }

    /// Whether the text is worth comparing.
    pub fn has_text(&self) -> bool {
        self.words >= LEAST_WORDS && !self.is_visual() && self.weak.is_none()
    }
}

/// Whether it was decoded, and is no icon.
fn is_seen(picture: &Picture) -> bool {
    picture.perceptual_hash.is_some() && picture.item().is_some()
}

pub fn distinct(mut values: Vec<u64>) -> Vec<u64> {
    values.sort_unstable();
    values.dedup();
    values
}

/// Gives images that look the same one number, so that sets of images can be compared. Each image
/// is within `distance` bits of the one whose number it gets: there are no chains.
pub fn unite_similar_images(infos: &mut [Info], distance: u32, threads: usize) -> Result<()> {
    let mut counts: HashMap<u64, u32> = HashMap::new();
    infos.iter().flat_map(|info| &info.images).for_each(|&image| *counts.entry(image).or_default() += 1);
    // The most frequent one first; it represents those near it.
    let mut hashes: Vec<(u64, u32)> = counts.into_iter().collect();
    hashes.sort_unstable_by_key(|&(hash, count)| (std::cmp::Reverse(count), hash));
    let mut records = Records::default();
    hashes.iter().for_each(|(hash, _)| records.push(&hash.to_le_bytes()));
    let near = Mutex::new(Vec::new());
    Hamming::new(distance, 0, 64)?.pairs(&records, threads, &|pairs| {
        near.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(pairs);
        Ok(())
    })?;
    let mut near = near.into_inner().map_err(|_| Error::Internal("a thread panicked".to_owned()))?;
    near.sort_unstable();
    let mut stands_for: HashMap<u64, u64> = HashMap::new();
    // In rising order of the first, so that it is known whether an image represents others before that is
    // needed.
    for (first, second) in near {
        let (first, second) = (hashes[first as usize].0, hashes[second as usize].0);
        if !stands_for.contains_key(&first) {
            stands_for.entry(second).or_insert(first);
        }
    }
    for info in infos {
        let united = info.images.iter().map(|image| *stands_for.get(image).unwrap_or(image)).collect();
        info.images = distinct(united);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alike_images_are_one_without_chains() {
        let info = |images: &[u64]| Info { images: images.to_vec(), ..Info::default() };
        // 0b1 is near 0 and 0b111; 0 and 0b111 are three bits apart.
        let mut infos = [info(&[0]), info(&[0]), info(&[1]), info(&[7]), info(&[u64::MAX])];
        unite_similar_images(&mut infos, 2, 2).unwrap();
        let images: Vec<u64> = infos.iter().map(|info| info.images[0]).collect();
        assert_eq!(images, [0, 0, 0, 7, u64::MAX]);
    }

    #[test]
    fn one_address_has_many_spellings() {
        for same in ["http://www.a.org/b/", "https://a.org/b#top", "HTTPS://WWW.a.org/b", "a.org/b"] {
            assert_eq!(bare_address(same), "a.org/b", "{same}");
        }
        assert_eq!(bare_address("https://a.org/?id=7"), "a.org/?id=7");
        assert_eq!(bare_address("https://www.a.org/"), "a.org");
        assert_eq!(bare_address("#x"), "");
    }

    #[test]
    fn resemblance_of_samples_is_that_of_the_sets() {
        assert_eq!(resemblance(&[1, 2, 3, 4], &[3, 4, 5, 6], 64), 2.0 / 6.0);
        assert_eq!(resemblance(&[1, 2], &[1, 2], 64), 1.0);
        assert_eq!(resemblance(&[], &[1], 64), 0.0);
        assert_eq!(resemblance(&[], &[], 64), 0.0);
        assert_eq!(resemblance(&[1, 2, 3, 9], &[1, 2, 4, 5], 3), 2.0 / 3.0, "only the lowest of both count");
    }

    #[test]
    fn what_is_too_short_or_visual_is_not_compared_by_its_text() {
        let file = Found { id: "a".into(), path: "a".into(), bytes: 1, modified: 1, ..Found::default() };
        let info = |text: &str, side: u32| {
            let picture = Picture {
                perceptual_hash: Some("00000000000000ff".into()),
                width: side,
                height: side,
                source: None,
            };
            let document = Extracted { text: text.to_owned(), images: vec![picture], ..Extracted::default() };
            Info::new(&file, &document, &mut Scratch::default())
        };
        let (short, long) = ("one two three four five six", "word ".repeat(60));
        assert!(info(short, 200).is_visual() && !info(short, 200).has_text());
        assert!(!info(short, 16).is_visual() && info(short, 16).has_text(), "an icon is no picture");
        assert!(info(&long, 200).has_text());
        assert!(!info("two words", 1).has_text());
        assert_eq!(info(short, 200).images, [0xff]);
        let mut weak = Extracted { text: long.clone(), ..Extracted::default() };
        weak.doubt(0.3, "a banner");
        let weak = Info::new(&file, &weak, &mut Scratch::default());
        assert!(!weak.has_text() && weak.weak.as_deref() == Some("a banner") && weak.words == 60);
    }
}
