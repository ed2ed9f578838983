//! How files are read: plain settings, which a recipe holds and `lookalike-extract` applies. They are here so that a
//! recipe can be read, checked and digested without any file readers. Settings that change results are part of the
//! scheme.

use serde::{Deserialize, Serialize};

/// The version of the rules by which files are read. It is raised whenever the readers give other texts, so that
/// texts read by different rules are never mixed.
pub const RULES: u32 = 3;

/// The field with the texts of links that lead to a document. They are gathered only for recipes that name it.
pub const ANCHORS: &str = "anchors";

/// How the documents of a file are read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Options {
    /// Reads only the main content of a web page: no menus, banners, comments.
    pub main: bool,
    /// Who reads PDF files.
    pub pdf: PdfReader,
    /// Who reads PostScript files.
    pub postscript: PostScriptReader,
    /// Who reads the text in images.
    pub ocr: Ocr,
    /// The languages that are looked for in images, as Tesseract names them: `eng+deu`.
    pub ocr_languages: String,
    /// Whether images are decoded and hashed.
    pub images: bool,
    /// Whether the texts of links are kept, for the documents that they lead to.
    #[serde(default)]
    pub anchors: bool,
    /// What one file may cost.
    pub limits: Limits,
}

/// Who reads PDF files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PdfReader {
    /// The one compiled in: the same result on every machine.
    Builtin,
    /// Poppler's `pdftotext`, if installed.
    Pdftotext,
}

/// Who reads PostScript files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PostScriptReader {
    /// Nobody: they are reported as not read.
    None,
    /// Ghostscript's `gs`, if installed.
    Ghostscript,
}

/// Who reads the text in images.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ocr {
    /// Nobody: images have no text.
    None,
    /// `tesseract`, if installed.
    Tesseract,
}

/// What one file may cost.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// A longer file is not read at all, unless its documents are read one by one as those of crawls and archives are.
    pub file_bytes: u64,
    /// Text and unpacked bytes of one document, with what the containers around it hold.
    pub output_bytes: u64,
    /// All text and all unpacked bytes of one file together.
    pub total_bytes: u64,
    /// Unpacked bytes for each packed one, once there are more than a few megabytes.
    pub ratio: u64,
    /// Containers within containers.
    pub depth: u32,
    /// Documents in one file.
    pub documents: u64,
    /// Processor time for one file, and as much again for every [`BYTES_PER_TIME`] of it.
    pub seconds: u64,
    /// Memory of the child that reads the file.
    pub memory_bytes: u64,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            main: true,
            pdf: PdfReader::Builtin,
            postscript: PostScriptReader::None,
            ocr: Ocr::None,
            ocr_languages: "eng".to_owned(),
            images: true,
            anchors: false,
            limits: Limits::default(),
        }
    }
}

/// How much of a file may take as long as a small file may: a crawl of a gigabyte has tens of thousands of pages.
pub const BYTES_PER_TIME: u64 = 32 << 20;

impl Limits {
    /// Processor time for a file of this length, in seconds.
    pub fn seconds_for(&self, bytes: u64) -> u64 {
        self.seconds.max(1).saturating_mul(1 + bytes / BYTES_PER_TIME)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            file_bytes: 1 << 30,
            output_bytes: 256 << 20,
            total_bytes: 64 << 30,
            ratio: 200,
            depth: 4,
            documents: 1_000_000,
            seconds: 30,
            memory_bytes: 600 << 20,
        }
    }
}
