//! What a recipe may say about terms, read and written back.

use super::expression::Expression;
use super::select::Selection;
use crate::error::{Error, Result};
use crate::part::{Param, Params, Spec};
use crate::text::{FIELD_RULES, NO_STEMS, TEXT_RULES};

pub const PARAMS: &[Param] = &[
    Param {
        name: "shingle",
        default: "1",
        help: "words per feature, 1 to 64: 2 for bigrams, 3 for trigrams",
    },
    Param { name: "stop_words", default: "\"none\"", help: "words that do not count: none or english" },
    Param {
        name: "min_length",
        default: "1",
        help: "characters of the shortest word that counts (scripts without spaces are exempt)",
    },
    Param { name: "digits", default: "\"keep\"", help: "words that hold a digit: keep or drop" },
    Param { name: "dates", default: "\"keep\"", help: "dates and times, numeric or English: keep or drop" },
    Param {
        name: "weight",
        default: "\"one\"",
        help: "one: by occurrences (tf); idf: tf · ln(N / df); log: (1 + ln tf) · ln(N / df); inverse: tf / df",
    },
    Param { name: "lexicon", default: "\"english\"", help: "where df comes from, when the weight needs it" },
    Param {
        name: "low_threshold",
        default: "0.0",
        help: "drop features below this share of the largest weight",
    },
    Param {
        name: "high_threshold",
        default: "0.0",
        help: "keep only features from this share of the largest weight",
    },
    Param {
        name: "band",
        default: "\"0:1\"",
        help: "keep only features within these shares of the largest weight",
    },
    Param { name: "top", default: "0", help: "keep only so many of the heaviest features; 0 keeps all" },
    Param {
        name: "cap_top",
        default: "0.0",
        help: "let no weight exceed so many times the median of the ten heaviest; 0 is off",
    },
    Param {
        name: "position",
        default: "\"none\"",
        help: "factor by place: none, log, cosine, or a formula of x (1, 2, …) and L (the last x), such as 1/x",
    },
    Param {
        name: "stem",
        default: "\"none\"",
        help: "forms of a word count as one: none, or a language such as english (Snowball); idf is the form's own",
    },
    Param { name: "markup", default: "\"none\"", help: "what the text is written in: none or html" },
    Param {
        name: "tag_boost",
        default: "1.5",
        help: "factor for words in headings, bold or italics, with markup html",
    },
    Param {
        name: "furniture_weight",
        default: "1.0",
        help: "with markup = html: factor for words inside nav, footer, aside, menu and form",
    },
    Param { name: "metadata", default: "[]", help: "fields that each give a feature field:value" },
    Param {
        name: "metadata_weight",
        default: "1.0",
        help: "weight of such a feature, relative to the heaviest of the text",
    },
    Param {
        name: "metadata_flips",
        default: "0",
        help: "instead of metadata_weight: the least weight that decides so many bits of a simhash alone, up to 64",
    },
    Param {
        name: "numeric",
        default: "[]",
        help: "number fields as field:low:high; the nearer to an end, the heavier the feature",
    },
    Param {
        name: "class",
        default: "\"\"",
        help: "field whose value must agree, for signers that reserve bits",
    },
];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    One,
    Idf,
    Log,
    Inverse,
}

/// The parameters as they were given, checked.
#[derive(Clone, Debug)]
pub struct Settings {
    pub shingle: usize,
    pub drop_stop_words: bool,
    pub min_length: usize,
    pub drop_digits: bool,
    pub drop_dates: bool,
    pub weight: Weight,
    pub lexicon: String,
    pub selection: Selection,
    /// The formula as it was written, and compiled.
    pub position: (String, Option<Expression>),
    pub stem: String,
    pub html: bool,
    pub tag_boost: f64,
    pub furniture_weight: f64,
    pub metadata: Vec<String>,
    pub metadata_weight: f64,
    pub metadata_flips: usize,
    pub numeric: Vec<String>,
    pub class: String,
}

const MAX_SHINGLE: u64 = 64;
const MAX_FACTOR: f64 = 1000.0;
const MAX_FLIPS: u64 = 64;

impl Settings {
    pub fn from_params(params: &mut Params) -> Result<Self> {
        let shingle = params.integer("shingle", 1)?;
        if !(1..=MAX_SHINGLE).contains(&shingle) {
            return Err(Error::config(format!(
                "features.shingle is {shingle}, it must be from 1 to {MAX_SHINGLE}"
            )));
        }
        let weight = match params.choice("weight", "one", &["one", "idf", "log", "inverse"])?.as_str() {
            "idf" => Weight::Idf,
            "log" => Weight::Log,
            "inverse" => Weight::Inverse,
            _ => Weight::One,
        };
        let selection = Selection {
            low_threshold: params.number("low_threshold", 0.0, 0.0..=1.0)?,
            high_threshold: params.number("high_threshold", 0.0, 0.0..=1.0)?,
            band: parse_band(&params.text("band", "0:1")?)?,
            top: usize::try_from(params.integer("top", 0)?).unwrap_or(usize::MAX),
            cap_top: params.number("cap_top", 0.0, 0.0..=MAX_FACTOR)?,
        };
        let position = params.text("position", "none")?;
        let flips = params.integer("metadata_flips", 0)?;
        if flips > MAX_FLIPS {
            return Err(Error::config(format!(
                "features.metadata_flips is {flips}, it must be from 0 to {MAX_FLIPS}"
            )));
        }
        Ok(Settings {
            shingle: shingle as usize,
            drop_stop_words: params.choice("stop_words", "none", &["none", "english"])? == "english",
            min_length: usize::try_from(params.integer("min_length", 1)?).unwrap_or(usize::MAX),
            drop_digits: params.choice("digits", "keep", &["keep", "drop"])? == "drop",
            drop_dates: params.choice("dates", "keep", &["keep", "drop"])? == "drop",
            weight,
            lexicon: params.text("lexicon", "english")?,
            selection,
            position: (position.clone(), parse_position(&position)?),
            stem: params.text("stem", NO_STEMS)?,
            html: params.choice("markup", "none", &["none", "html"])? == "html",
            tag_boost: params.number("tag_boost", 1.5, 0.0..=MAX_FACTOR)?,
            furniture_weight: params.number("furniture_weight", 1.0, 0.0..=MAX_FACTOR)?,
            metadata: params.texts("metadata")?,
            metadata_weight: params.number("metadata_weight", 1.0, 0.0..=MAX_FACTOR)?,
            metadata_flips: flips as usize,
            numeric: params.texts("numeric")?,
            class: params.text("class", "")?,
        })
    }

    /// Everything that changes results; `lexicon` names the table that is used, if there is one.
    pub fn spec(&self, kind: &str, lexicon: Option<&str>) -> Spec {
        let keep_or_drop = |drop| if drop { "drop" } else { "keep" };
        let selection = &self.selection;
        let reads_fields = !(self.metadata.is_empty() && self.numeric.is_empty() && self.class.is_empty());
        let spec = Spec::new(kind)
            .with("rules", if reads_fields { FIELD_RULES } else { TEXT_RULES })
            .with("shingle", self.shingle as i64)
            .with("stop_words", if self.drop_stop_words { "english" } else { "none" })
            .with("min_length", i64::try_from(self.min_length).unwrap_or(i64::MAX))
            .with("digits", keep_or_drop(self.drop_digits))
            .with("dates", keep_or_drop(self.drop_dates))
            .with(
                "weight",
                match self.weight {
                    Weight::One => "one",
                    Weight::Idf => "idf",
                    Weight::Log => "log",
                    Weight::Inverse => "inverse",
                },
            )
            .with("low_threshold", selection.low_threshold)
            .with("high_threshold", selection.high_threshold)
            .with("band", format!("{}:{}", selection.band.0, selection.band.1))
            .with("top", i64::try_from(selection.top).unwrap_or(i64::MAX))
            .with("cap_top", selection.cap_top)
            .with("position", self.position.0.clone())
            .with("markup", if self.html { "html" } else { "none" })
            .with("tag_boost", self.tag_boost)
            .with("furniture_weight", self.furniture_weight)
            .with("metadata", self.metadata.clone())
            .with("metadata_weight", self.metadata_weight)
            .with("numeric", self.numeric.clone())
            .with("class", self.class.clone());
        // Keys added later are written only if they are not at their default, so that older schemes
        // stay the same.
        let spec = if self.stem == NO_STEMS { spec } else { spec.with("stem", self.stem.clone()) };
        let spec = match self.metadata_flips {
            0 => spec,
            bits => spec.with("metadata_flips", bits as i64),
        };
        match lexicon {
            Some(id) => spec.with("lexicon", id),
            None => spec,
        }
    }
}

fn parse_band(text: &str) -> Result<(f64, f64)> {
    let parsed = text.split_once(':').and_then(|(low, high)| {
        let band: (f64, f64) = (low.trim().parse().ok()?, high.trim().parse().ok()?);
        // Not a number is in no range.
        (band.0 >= 0.0 && band.0 <= band.1 && band.1 <= 1.0).then_some(band)
    });
    parsed.ok_or_else(|| {
        Error::config(format!("features.band is `{text}`, it must be `low:high` with 0 ≤ low ≤ high ≤ 1"))
    })
}

fn parse_position(text: &str) -> Result<Option<Expression>> {
    let formula = match text {
        "none" => return Ok(None),
        "log" => "ln(x + 1) / x",
        "cosine" => "cos(2 * pi * x / L) + 1",
        formula => formula,
    };
    Expression::parse(formula).map(Some).map_err(|what| {
        Error::config(format!(
            "features.position: {what}; it must be none, log, cosine or a formula of x and L"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(toml: &str) -> Result<Settings> {
        let mut params = Params::new("features", toml.parse().unwrap());
        let settings = Settings::from_params(&mut params)?;
        params.finish(PARAMS.iter().map(|param| param.name))?;
        Ok(settings)
    }

    #[test]
    fn what_is_written_as_default_is_the_default() {
        let toml: String =
            PARAMS.iter().map(|param| format!("{} = {}\n", param.name, param.default)).collect();
        assert_eq!(settings(&toml).unwrap().spec("terms", None), settings("").unwrap().spec("terms", None));
    }

    #[test]
    fn every_parameter_is_in_the_spec() {
        let spec = settings("stem = 'english'\nmetadata_flips = 3").unwrap().spec("terms", Some("id"));
        for param in PARAMS {
            assert!(spec.params.contains_key(param.name), "{}", param.name);
        }
        assert_eq!(spec.params["lexicon"].as_str(), Some("id"));
        assert!(
            !settings("").unwrap().spec("terms", None).params.contains_key("stem"),
            "schemes from before stay"
        );
        assert_eq!(spec.params["rules"].as_str(), Some(TEXT_RULES));
    }

    #[test]
    fn wrong_values_are_named() {
        for (toml, key) in [
            ("shingle = 0", "shingle"),
            ("shingle = 65", "shingle"),
            ("weight = 'tf'", "weight"),
            ("stop_words = 'german'", "stop_words"),
            ("digits = true", "digits"),
            ("dates = 'no'", "dates"),
            ("low_threshold = nan", "low_threshold"),
            ("high_threshold = 1.5", "high_threshold"),
            ("band = '0.5'", "band"),
            ("band = '0.6:0.5'", "band"),
            ("band = 'nan:1'", "band"),
            ("top = -1", "top"),
            ("cap_top = inf", "cap_top"),
            ("position = 'ln('", "position"),
            ("markup = 'xml'", "markup"),
            ("tag_boost = -1", "tag_boost"),
            ("metadata = 5", "metadata"),
            ("metadata_weight = 'much'", "metadata_weight"),
            ("metadata_flips = 65", "metadata_flips"),
        ] {
            let error = settings(toml).err().unwrap().to_string();
            assert!(error.contains(&format!("features.{key}")), "{toml}: {error}");
        }
    }
}
