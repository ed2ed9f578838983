//! The distinct words of a document, in the order of their first occurrence. For the methods
//! `imatch` and `cosine`, which ask only which words a document has.

use super::extractor::{FeatureExtractor, Features};
use crate::document::{Document, Value};
use crate::error::{Error, Result};
use crate::part::{Param, Params, PartInfo, Spec};
use crate::text::{
    FIELD_RULES, NO_STEMS, Scratch, Stemmer, Stems, TEXT_RULES, Word, for_each_piece, for_each_word,
};

/// Distinct words, of the text or of fields.
pub struct Words {
    min_length: usize,
    min_digits: usize,
    max_digits: usize,
    text: bool,
    html: bool,
    fields: Vec<String>,
    stemmer: Option<Stemmer>,
}

/// More digits than any word has.
const ANY_DIGITS: u64 = u32::MAX as u64;

impl Words {
    /// The description of this part in the registry.
    pub const INFO: PartInfo = PartInfo {
        name: "words",
        summary: "The distinct words of a document",
        paper: "K04 §6.3, K08 §6.3",
        params: &[
            Param {
                name: "min_length",
                default: "1",
                help: "shorter words do not count; I-Match takes 4 (scripts without spaces are exempt)",
            },
            Param {
                name: "max_digits",
                default: "any",
                help: "words with more digits do not count; I-Match takes 1",
            },
            Param {
                name: "min_digits",
                default: "0",
                help: "words with fewer digits do not count; 1 leaves numbers, dates and codes",
            },
            Param {
                name: "fields",
                default: "[]",
                help: "further fields whose words count, such as subject",
            },
            Param { name: "text", default: "true", help: "false: only the words of the fields count" },
            Param {
                name: "markup",
                default: "\"none\"",
                help: "what the text is written in: none, or html, of which tags, scripts and styles are removed",
            },
            Param {
                name: "stem",
                default: "\"none\"",
                help: "forms of a word count as one: none, or a language such as english (Snowball)",
            },
        ],
    };

    /// Words of the text and these fields that are long enough and have few enough digits.
    pub fn new(min_length: usize, max_digits: usize, fields: Vec<String>) -> Self {
        Words { min_length, min_digits: 0, max_digits, text: true, html: false, fields, stemmer: None }
    }

    /// Reads its parameters from a section of a recipe.
    pub fn from_params(params: &mut Params) -> Result<Self> {
        let min_length = params.integer("min_length", 1)? as usize;
        let max_digits = params.integer("max_digits", ANY_DIGITS)?.min(ANY_DIGITS) as usize;
        let min_digits = params.integer("min_digits", 0)?.min(ANY_DIGITS) as usize;
        let (text, fields) = (params.boolean("text", true)?, params.texts("fields")?);
        if !text && fields.is_empty() {
            return Err(Error::config(
                "features.text = false leaves nothing to compare without features.fields",
            ));
        }
        let html = params.choice("markup", "none", &["none", "html"])? == "html";
        let stemmer = Stemmer::from_name(&params.text("stem", NO_STEMS)?)?;
        Ok(Words { min_digits, text, html, stemmer, ..Words::new(min_length, max_digits, fields) })
    }

    /// Whether a word counts. A usual short ASCII word is tested without a branch.
    #[inline(always)]
    fn counts(&self, word: &Word<'_>) -> bool {
        let [low, high] = word.head;
        if (low | high) & EVERY_TOP_BIT != 0 || word.bytes.len() > 16 {
            return self.counts_exactly(word);
        }
        let digits = digits_in(low) + digits_in(high);
        (word.bytes.len() >= self.min_length) & (digits >= self.min_digits) & (digits <= self.max_digits)
    }

    #[cold]
    fn counts_exactly(&self, word: &Word<'_>) -> bool {
        let characters = word.bytes.iter().filter(|&&byte| byte & 0xc0 != 0x80).count();
        let digits = word.bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
        (characters >= self.min_length || word.single)
            && (self.min_digits..=self.max_digits).contains(&digits)
    }

    fn collect(&self, text: &str, scratch: &mut Scratch, stems: &mut Stems, words: &mut Vec<u64>) {
        if let Some(stemmer) = &self.stemmer {
            for_each_word(text, scratch, |word| {
                if self.counts(&word) {
                    words.push(stemmer.hash(&word, stems));
                }
            });
            return;
        }
        for_each_word(text, scratch, |word| {
            words.push(word.hash);
            words.truncate(words.len() - usize::from(!self.counts(&word)));
        });
    }
}

const EVERY_TOP_BIT: u64 = 0x8080_8080_8080_8080;

/// How many of eight ASCII bytes are digits.
#[inline(always)]
fn digits_in(bytes: u64) -> usize {
    // Only digits become 0 to 9; adding 0x76 sets the top bit for everything else.
    let from_zero = bytes ^ 0x3030_3030_3030_3030;
    let others = from_zero.wrapping_add(0x7676_7676_7676_7676) & EVERY_TOP_BIT;
    8 - others.count_ones() as usize
}

impl FeatureExtractor for Words {
    fn spec(&self) -> Spec {
        let mut spec = Spec::new(Self::INFO.name)
            .with("min_length", self.min_length as i64)
            .with("max_digits", self.max_digits as i64)
            .with("rules", if self.fields.is_empty() { TEXT_RULES } else { FIELD_RULES });
        // Keys added later are written only if they are not at their default, so that older schemes stay
        // the same.
        if self.min_digits > 0 {
            spec = spec.with("min_digits", self.min_digits as i64);
        }
        if !self.text {
            spec = spec.with("text", false);
        }
        if self.html {
            spec = spec.with("markup", "html");
        }
        if let Some(stemmer) = &self.stemmer {
            spec = spec.with("stem", stemmer.language());
        }
        if self.fields.is_empty() { spec } else { spec.with("fields", self.fields.clone()) }
    }

    fn fields(&self) -> Vec<String> {
        self.fields.clone()
    }

    fn extract(&self, document: &Document<'_>, out: &mut Features) {
        let Features { hashes, scratch, seen, units, stems, page, .. } = out;
        units.clear();
        let values = document.fields.iter().take(self.fields.len()).flatten();
        for (_, value) in values.flat_map(Value::parts) {
            match value {
                Value::Text(text) => self.collect(text, scratch, stems, units),
                // A year is a word of its field even when it is written as a number.
                Value::Number(number) if !self.text => {
                    self.collect(&number.to_string(), scratch, stems, units)
                }
                _ => {}
            }
        }
        if self.text && self.html {
            for_each_piece(&document.text, page, |piece, _| self.collect(piece, scratch, stems, units));
        } else if self.text {
            self.collect(&document.text, scratch, stems, units);
        }
        seen.distinct(units, hashes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash;
    use crate::testing::{check_extractor, hashes_of};

    fn of(words: &[&str]) -> Vec<u64> {
        words.iter().map(|word| hash::bytes(word.as_bytes())).collect()
    }

    #[test]
    fn passes_the_conformance_suite() {
        check_extractor(&Words::new(1, usize::MAX, Vec::new()));
        check_extractor(&Words::new(4, 1, Vec::new()));
    }

    #[test]
    fn every_word_once() {
        let all = Words::new(1, usize::MAX, Vec::new());
        assert_eq!(hashes_of(&all, "To be, or not TO be"), of(&["to", "be", "or", "not"]));
    }

    /// K04 §6.3, K08 §6.3: markup is removed first. What remains has the words of the bare text, and the words of tags,
    /// attributes, scripts and styles are no words.
    #[test]
    fn markup_is_removed_on_request() {
        let page = "<html><head><title>Annual report</title><style>body { color: green }</style></head>
            <body class='wide'><h1>Caf&eacute; sales</h1><script>var words = 'hidden';</script>
            <p>rose by <b>three</b> percent<!-- not yet --> &amp; more</p></body></html>";
        let bare = "Annual report Café sales rose by three percent more";
        let params = |toml: &str| Params::new("features", toml.parse().unwrap());
        let html = Words::from_params(&mut params("markup = 'html'")).unwrap();
        let plain = Words::from_params(&mut params("")).unwrap();
        assert_eq!(hashes_of(&html, page), hashes_of(&plain, bare));
        assert_ne!(hashes_of(&plain, page), hashes_of(&plain, bare));
        check_extractor(&html);
        assert_eq!(html.spec().params["markup"].as_str(), Some("html"));
        assert!(!plain.spec().params.contains_key("markup"), "schemes from before stay");
    }

    #[test]
    fn the_rules_of_i_match() {
        let words = Words::new(4, 1, Vec::new());
        let text = "the rate was 1234 in q4fy99, team7 and über élan won: 東京 \
                    verylongwordwithmanyletters1 verylongwordwithmanyletters12 12345678901234567890 été";
        let expected = ["rate", "team7", "über", "élan", "東", "京", "verylongwordwithmanyletters1"];
        assert_eq!(hashes_of(&words, text), of(&expected));
    }

    #[test]
    fn digits_are_counted_eight_bytes_at_a_time() {
        for byte in 0..128u8 {
            for place in 0..8 {
                let mut bytes = *b"abcdefgh";
                bytes[place] = byte;
                let expected = usize::from(byte.is_ascii_digit());
                assert_eq!(digits_in(u64::from_le_bytes(bytes)), expected, "{byte} at {place}");
            }
        }
        assert_eq!((digits_in(u64::from_le_bytes(*b"0918273z")), digits_in(0)), (7, 0));
    }

    #[test]
    fn fields_count_as_text() {
        let words = Words::new(1, usize::MAX, vec!["subject".to_owned()]);
        let mut features = Features::default();
        let fields = vec![Some(Value::Text("Cheap watches".into())), Some(Value::Text("other".into()))];
        let document = Document { text: "watches now".into(), fields, position: 0 };
        features.fill(&words, &document);
        assert_eq!(features.hashes, of(&["cheap", "watches", "now"]));
    }

    #[test]
    fn numbers_alone_and_fields_alone() {
        let build = |toml: &str| Words::from_params(&mut Params::new("features", toml.parse().unwrap()));
        let numbers = build("min_digits = 1").unwrap();
        let text = "on 3 May 2024 the Mark2 cost 15 dollars, verylongwordwithmanyletters1 and été";
        assert_eq!(
            hashes_of(&numbers, text),
            of(&["3", "2024", "mark2", "15", "verylongwordwithmanyletters1"])
        );
        let years = build("text = false\nfields = ['year', 'title']").unwrap();
        let mut features = Features::default();
        let fields = vec![Some(Value::Number(2008.0)), Some(Value::Text("Lipids".into()))];
        features.fill(&years, &Document { text: "not this".into(), fields, position: 0 });
        assert_eq!(features.hashes, of(&["2008", "lipids"]));
        assert!(build("text = false").err().unwrap().to_string().contains("features.fields"));
        let again = build(&years.spec().to_table().to_string().replace("type", "kind"));
        assert!(again.is_ok(), "what the spec says is understood");
    }
}
