//! Text in images, read by Tesseract if the recipe asks for it.
//!
//! Tesseract gets the pixels that we decoded, in the simplest format, so that no other image library
//! reads the file. It reports how certain it is of each word. The confidence of a document is the
//! average of its words; words with a very low certainty (specks, the grain of a photograph) are left
//! out.

use image::GrayImage;

use crate::body::Body;
use crate::document::Extracted;
use crate::reason::Reason;
use lookalike_core::reading::Options;

use super::program;

/// In per cent; below it, a word is probably not a word.
const LEAST_SURE: f64 = 30.0;
/// An image with a shorter edge has no legible letters.
const LEAST_EDGE: u32 = 16;

/// The text read in an image.
#[derive(Debug, Default, PartialEq)]
pub struct Recognised {
    pub text: String,
    words: usize,
    /// The sum of the certainty of all words, 0 to 100 each.
    sureness: f64,
}

pub fn read(image: &GrayImage, options: &Options) -> Result<Recognised, Reason> {
    if image.width() < LEAST_EDGE || image.height() < LEAST_EDGE {
        return Ok(Recognised::default());
    }
    let mut plain = format!("P5\n{} {}\n255\n", image.width(), image.height()).into_bytes();
    plain.extend_from_slice(image.as_raw());
    let arguments = ["stdin", "stdout", "-l", &options.ocr_languages, "tsv"];
    let said = program::run("tesseract", &arguments, &plain, &options.limits)?;
    if !said.status.success() {
        return Err(Reason::Io(format!(
            "tesseract failed; are its data for the languages {} installed?",
            options.ocr_languages
        )));
    }
    Ok(recognised(&String::from_utf8_lossy(&said.output)))
}

impl Recognised {
    /// Derives the document's confidence from the certainty of its words.
    pub fn judge(&self, document: &mut Extracted) {
        if self.words > 0 {
            let mean = self.sureness / self.words as f64;
            let why = format!("read in an image, its {} words with {mean:.0} % certainty", self.words);
            document.doubt(mean / 100.0, why);
        }
    }
}

/// A table with a row for each page, block, paragraph, line and word: level, page, block, paragraph, line,
/// word, four numbers for its place, certainty, text.
fn recognised(table: &str) -> Recognised {
    let mut body = Body::default();
    let (mut words, mut sureness) = (0, 0.0);
    let mut place = None;
    for row in table.lines().skip(1) {
        let cells: Vec<&str> = row.splitn(12, '\t').collect();
        let [_, page, block, paragraph, line, _, _, _, _, _, sure, text] = cells[..] else { continue };
        let sure = sure.parse::<f64>().unwrap_or(-1.0);
        if sure < LEAST_SURE || text.trim().is_empty() {
            continue;
        }
        let here = ((page, block, paragraph), line);
        match place {
            Some((before, _)) if before != here.0 => body.block(),
            Some((_, before)) if before != here.1 => body.line(),
            _ => body.push(" "),
        }
        place = Some(here);
        body.push(text);
        words += 1;
        sureness += sure.min(100.0);
    }
    Recognised { text: body.finish().0, words, sureness }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_lines_and_paragraphs_and_specks_are_left_out() {
        let table = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n\
            1\t1\t0\t0\t0\t0\t0\t0\t9\t9\t-1\t\n\
            5\t1\t1\t1\t1\t1\t0\t0\t9\t9\t96.5\tAll\n5\t1\t1\t1\t1\t2\t0\t0\t9\t9\t91.5\tagreed\n\
            5\t1\t1\t1\t2\t1\t0\t0\t9\t9\t40\tnow\n5\t1\t2\t1\t1\t1\t0\t0\t9\t9\t12\t~|\n\
            5\t1\t3\t1\t1\t1\t0\t0\t9\t9\t0\t \n5\t1\t4\t1\t1\t1\t0\t0\t9\t9\t80\tEnd\nrubbish\n";
        let found = recognised(table);
        assert_eq!(found.text, "All agreed\nnow\n\nEnd");
        let mut document = Extracted::default();
        found.judge(&mut document);
        assert_eq!(document.confidence.value(), 0.77);
        assert_eq!(document.doubts, ["read in an image, its 4 words with 77 % certainty"]);
        let poor = Recognised { text: String::new(), words: 2, sureness: 80.0 };
        poor.judge(&mut document);
        assert!(document.weakness().is_some());
        assert_eq!(recognised(""), Recognised::default());
    }
}
