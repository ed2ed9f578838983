//! Makes the text of a document out of real sentences.

use crate::edit;
use crate::plan::{self, Shape, Slot};
use crate::rng::Rng;

const PURPOSE_BASE: u64 = 11;
const PURPOSE_MEMBER: u64 = 12;
const PURPOSE_META: u64 = 13;

/// Words of the template of `Shape::Template`, and of one of its three own passages.
const TEMPLATE_WORDS: usize = 380;
const OWN_WORDS: usize = 5;
pub const OWN_PASSAGES: usize = 3;
/// 5-grams of one document that are not the template's: a passage of 5 words lies in 9 of them.
pub const OWN_GRAMS: usize = OWN_PASSAGES * (OWN_WORDS + 4);

/// A sentence of a document: its tokens as they stand between spaces.
#[derive(Clone)]
pub struct Sentence {
    pub tokens: Vec<String>,
    pub starts_paragraph: bool,
}

/// The words of an ordinary document, on average.
pub const USUAL_WORDS: usize = 426;

pub struct Composer {
    sentences: Vec<String>,
    seed: u64,
    words: usize,
}

impl Composer {
    pub fn new(sentences: Vec<String>, seed: u64, words: usize) -> Self {
        Self { sentences, seed, words }
    }

    pub fn text(&self, slot: Slot) -> String {
        match slot.group {
            Shape::Ordinary => self.ordinary(slot),
            Shape::Identical => render(&self.base(slot.cluster), false),
            Shape::Template => self.template_text(slot),
        }
    }

    /// A date and an address, which no comparison should look at.
    pub fn meta(&self, position: usize) -> (String, String) {
        let mut rng = Rng::for_key(self.seed, PURPOSE_META, position as u64);
        let (year, month, day) = (rng.between(2009, 2024), rng.between(1, 12), rng.between(1, 28));
        let site = rng.below(5000);
        let page = rng.next() >> 24;
        (format!("https://site{site}.example/{year}/{page:x}.html"), format!("{year}-{month:02}-{day:02}"))
    }

    fn ordinary(&self, slot: Slot) -> String {
        let mut sentences = self.base(slot.cluster);
        let mut rng =
            Rng::for_key(self.seed, PURPOSE_MEMBER, u64::from(slot.cluster) << 32 | u64::from(slot.member));
        let damage = plan::damage(self.seed, slot);
        if slot.member > 0 && damage > 0.0 {
            edit::make_near_duplicate(&mut sentences, damage, &mut rng, self);
        } else if slot.member > 0 && rng.chance(0.3) {
            edit::change_look(&mut sentences, &mut rng);
        }
        let typographic = Rng::for_key(self.seed, PURPOSE_BASE, u64::from(slot.cluster)).chance(0.35);
        render(&sentences, typographic)
    }

    fn base(&self, cluster: u32) -> Vec<Sentence> {
        let mut rng = Rng::for_key(self.seed, PURPOSE_BASE, u64::from(cluster) | 1 << 40);
        let x = (rng.unit() + rng.unit()) / 2.0;
        let words = 150 + (680.0 * (0.35 * x + 0.65 * x * x)) as usize;
        self.compose(&mut rng, words * self.words / USUAL_WORDS)
    }

    fn compose(&self, rng: &mut Rng, words: usize) -> Vec<Sentence> {
        let mut sentences = Vec::new();
        let (mut so_far, mut left_in_paragraph) = (0, 0);
        while so_far < words {
            // Now and then two neighbouring sentences; never more, or unplanted documents would become alike.
            let run = if rng.chance(0.25) { 2 } else { 1 };
            let first = rng.below(self.sentences.len() - run + 1);
            for sentence in &self.sentences[first..first + run] {
                let tokens: Vec<String> = sentence.split(' ').map(str::to_owned).collect();
                so_far += tokens.len();
                sentences.push(Sentence { tokens, starts_paragraph: left_in_paragraph == 0 });
                left_in_paragraph =
                    if left_in_paragraph == 0 { rng.between(2, 6) } else { left_in_paragraph - 1 };
            }
        }
        sentences
    }

    fn template_text(&self, slot: Slot) -> String {
        let mut base_rng = Rng::for_key(self.seed, PURPOSE_BASE, u64::from(slot.cluster) | 1 << 41);
        let template = self.compose(&mut base_rng, TEMPLATE_WORDS);
        let mut rng =
            Rng::for_key(self.seed, PURPOSE_MEMBER, u64::from(slot.cluster) << 32 | u64::from(slot.member));
        let mut sentences = Vec::new();
        let every = template.len() / (OWN_PASSAGES + 1);
        for (number, sentence) in template.into_iter().enumerate() {
            sentences.push(sentence);
            if (number + 1) % every == 0 && (number + 1) / every <= OWN_PASSAGES {
                let tokens = (0..OWN_WORDS).map(|_| self.random_word(&mut rng)).collect();
                sentences.push(Sentence { tokens, starts_paragraph: false });
            }
        }
        render(&sentences, false)
    }

    /// One word out of the sources, without punctuation: one word for the tokenizer too.
    pub fn random_word(&self, rng: &mut Rng) -> String {
        loop {
            let sentence = rng.pick(&self.sentences);
            let tokens: Vec<&str> = sentence.split(' ').skip(1).collect();
            let word = rng.pick(&tokens).trim_matches(|c: char| !c.is_alphanumeric());
            if !word.is_empty() && word.chars().all(char::is_alphanumeric) {
                return word.to_owned();
            }
        }
    }

    pub fn random_sentence(&self, rng: &mut Rng) -> Vec<String> {
        rng.pick(&self.sentences).split(' ').map(str::to_owned).collect()
    }
}

fn render(sentences: &[Sentence], typographic: bool) -> String {
    let mut text = String::new();
    for sentence in sentences {
        if !text.is_empty() {
            text.push_str(if sentence.starts_paragraph { "\n\n" } else { " " });
        }
        text.push_str(&sentence.tokens.join(" "));
    }
    if typographic { with_typographic_marks(&text) } else { text }
}

/// Curly quotes and dashes, as word processors set them.
fn with_typographic_marks(text: &str) -> String {
    let mut opens = true;
    let curly = text.chars().map(|c| {
        let mark = match c {
            '\'' => {
                if opens {
                    '‘'
                } else {
                    '’'
                }
            }
            '"' => {
                if opens {
                    '“'
                } else {
                    '”'
                }
            }
            other => other,
        };
        opens = c.is_whitespace() || c == '(';
        mark
    });
    curly.collect::<String>().replace("--", "—").replace("...", "…")
}
