//! The recipe's section `extract`: how files become documents.

use lookalike_core::reading::{Ocr, Options, PdfReader, PostScriptReader, RULES};
use lookalike_core::registry::{Param, Params, PartInfo};
use lookalike_core::{Error, Result};
use toml::Table;

use crate::memory::parse_bytes;

/// The last version of the rules that changed texts without markup: what is read of files for recipes that do not weigh
/// markup is still the same.
const PLAIN_RULES: u32 = 2;

/// How files are read, as far as a recipe says.
#[derive(Clone, Debug, PartialEq)]
pub struct Extraction {
    /// Settings for the readers of files.
    pub options: Options,
    /// Whether content that most pages of a site share is left out of each.
    pub page_structure: bool,
    /// Bits in which two images that look the same may differ.
    pub image_distance: u32,
    /// Whether texts keep headings and emphasis as HTML, for features that weigh them.
    pub marked: bool,
}

impl Extraction {
    /// The section's parameters, for people.
    pub const INFO: PartInfo = PartInfo {
        name: "files",
        summary: "Text, images, links and metadata out of files of any format",
        paper: "L17 §3; S09 §4.2",
        params: &[
            Param { name: "main", default: "true", help: "of a web page only its main content" },
            Param {
                name: "page_structure",
                default: "true",
                help: "leave out what most pages of a site share (with main)",
            },
            Param { name: "images", default: "true", help: "decode images and hash what they look like" },
            Param {
                name: "image_distance",
                default: "6",
                help: "bits in which images that look the same may differ",
            },
            Param { name: "pdf", default: "\"builtin\"", help: "who reads PDF files: builtin or pdftotext" },
            Param {
                name: "postscript",
                default: "\"none\"",
                help: "who reads PostScript files: none or ghostscript",
            },
            Param { name: "ocr", default: "\"none\"", help: "who reads text in images: none or tesseract" },
            Param {
                name: "ocr_languages",
                default: "\"eng\"",
                help: "languages of text in images, as tesseract names them, joined by +",
            },
            Param { name: "seconds", default: "30", help: "processor time for one file" },
            Param { name: "memory", default: "\"600MiB\"", help: "memory for one file" },
            Param { name: "file", default: "\"1GiB\"", help: "a larger file is not read" },
            Param { name: "output", default: "\"256MiB\"", help: "text and unpacked bytes of one document" },
            Param {
                name: "total",
                default: "\"64GiB\"",
                help: "unpacked bytes of all documents of one file",
            },
            Param { name: "ratio", default: "200", help: "unpacked bytes for each packed one" },
            Param { name: "depth", default: "4", help: "containers within containers" },
            Param { name: "documents", default: "1000000", help: "documents in one file" },
        ],
    };

    /// The memory limit must leave room for the program itself.
    const LEAST_MEMORY: u64 = 64 << 20;

    /// Reads the section; unknown keys are refused.
    pub fn from_params(mut params: Params) -> Result<Self> {
        let mut options = Options { main: params.boolean("main", true)?, ..Options::default() };
        options.images = params.boolean("images", true)?;
        options.pdf = match params.choice("pdf", "builtin", &["builtin", "pdftotext"])?.as_str() {
            "pdftotext" => PdfReader::Pdftotext,
            _ => PdfReader::Builtin,
        };
        options.postscript = match params.choice("postscript", "none", &["none", "ghostscript"])?.as_str() {
            "ghostscript" => PostScriptReader::Ghostscript,
            _ => PostScriptReader::None,
        };
        options.ocr = match params.choice("ocr", "none", &["none", "tesseract"])?.as_str() {
            "tesseract" => Ocr::Tesseract,
            _ => Ocr::None,
        };
        options.ocr_languages = languages(params.text("ocr_languages", &options.ocr_languages)?)?;
        let page_structure = params.boolean("page_structure", true)?;
        let image_distance = params.integer("image_distance", 6)?;
        if image_distance > 16 {
            return Err(Error::config(format!(
                "extract.image_distance is {image_distance}, it must be at most 16"
            )));
        }
        let limits = &mut options.limits;
        limits.seconds = at_least_one("seconds", params.integer("seconds", limits.seconds)?)?;
        limits.ratio = at_least_one("ratio", params.integer("ratio", limits.ratio)?)?;
        limits.documents = at_least_one("documents", params.integer("documents", limits.documents)?)?;
        limits.depth =
            u32::try_from(params.integer("depth", u64::from(limits.depth))?).unwrap_or(u32::MAX).min(32);
        for (key, default, value) in [
            ("memory", "600MiB", &mut limits.memory_bytes),
            ("file", "1GiB", &mut limits.file_bytes),
            ("output", "256MiB", &mut limits.output_bytes),
            ("total", "64GiB", &mut limits.total_bytes),
        ] {
            let text = params.text(key, default)?;
            *value = parse_bytes(&text).map_err(|error| Error::config(format!("extract.{key}: {error}")))?;
        }
        if limits.memory_bytes < Self::LEAST_MEMORY {
            return Err(Error::config("extract.memory must be at least 64MiB"));
        }
        params.finish(Self::INFO.params.iter().map(|param| param.name))?;
        Ok(Extraction { options, page_structure, image_distance: image_distance as u32, marked: false })
    }

    /// The settings that change results, for the scheme. Limits only decide whether there is a
    /// result.
    pub fn spec(&self) -> Table {
        let mut table = Table::new();
        let rules = if self.marked { RULES } else { PLAIN_RULES };
        table.insert("rules".to_owned(), i64::from(rules).into());
        table.insert("main".to_owned(), self.options.main.into());
        table.insert("page_structure".to_owned(), self.page_structure.into());
        table.insert("images".to_owned(), self.options.images.into());
        table.insert("image_distance".to_owned(), i64::from(self.image_distance).into());
        let pdf = match self.options.pdf {
            PdfReader::Builtin => "builtin",
            PdfReader::Pdftotext => "pdftotext",
        };
        table.insert("pdf".to_owned(), pdf.into());
        // Included only if they are set, so that schemes without them stay the same.
        if self.options.postscript == PostScriptReader::Ghostscript {
            table.insert("postscript".to_owned(), "ghostscript".into());
        }
        if self.options.ocr == Ocr::Tesseract {
            table.insert("ocr".to_owned(), "tesseract".into());
            table.insert("ocr_languages".to_owned(), self.options.ocr_languages.clone().into());
        }
        table
    }
}

impl Default for Extraction {
    fn default() -> Self {
        Extraction { options: Options::default(), page_structure: true, image_distance: 6, marked: false }
    }
}

/// Names of languages are passed to another program, so only characters of a name are allowed.
fn languages(names: String) -> Result<String> {
    let is_name = |name: &str| {
        !name.is_empty()
            && name.starts_with(|first: char| first.is_ascii_alphabetic())
            && name.chars().all(|sign| sign.is_ascii_alphanumeric() || sign == '_')
    };
    if names.split('+').all(is_name) {
        return Ok(names);
    }
    Err(Error::config(format!("extract.ocr_languages is {names:?}, write names as eng or eng+deu")))
}

fn at_least_one(key: &str, value: u64) -> Result<u64> {
    if value == 0 { Err(Error::config(format!("extract.{key} must be at least 1"))) } else { Ok(value) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(toml: &str) -> Result<Extraction> {
        Extraction::from_params(Params::new("extract", toml.parse().unwrap()))
    }

    #[test]
    fn defaults_are_as_documented_and_mistakes_are_named() {
        assert_eq!(parse("").unwrap(), Extraction::default());
        let changed = parse("main = false\npdf = 'pdftotext'\nmemory = '1GiB'\nseconds = 5").unwrap();
        assert!(!changed.options.main && changed.options.limits.memory_bytes == 1 << 30);
        for (toml, expected) in [
            ("mian = true", "known: main, page_structure"),
            ("pdf = 'word'", "builtin, pdftotext"),
            ("postscript = 'word'", "none, ghostscript"),
            ("ocr = 'eyes'", "none, tesseract"),
            ("ocr_languages = '-l eng'", "eng+deu"),
            ("memory = '1MB'", "64MiB"),
            ("memory = 'much'", "extract.memory"),
            ("seconds = 0", "extract.seconds"),
            ("image_distance = 17", "at most 16"),
        ] {
            let error = parse(toml).unwrap_err().to_string();
            assert!(error.contains(expected), "{toml}: {error}");
        }
    }

    #[test]
    fn other_programs_are_part_of_the_scheme_only_where_asked_for() {
        let standard = parse("").unwrap().spec();
        assert!(!standard.contains_key("ocr") && !standard.contains_key("postscript"));
        let asked = parse("ocr = 'tesseract'\nocr_languages = 'deu'\npostscript = 'ghostscript'").unwrap();
        assert_eq!(asked.options.ocr_languages, "deu");
        let spec = asked.spec();
        assert_eq!(spec["ocr"].as_str(), Some("tesseract"));
        assert_eq!(spec["ocr_languages"].as_str(), Some("deu"));
        assert_eq!(spec["postscript"].as_str(), Some("ghostscript"));
    }
}
