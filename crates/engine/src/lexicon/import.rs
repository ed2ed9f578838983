//! Imports counts made by others: a table of terms and the documents they occur in.

use std::io::BufRead;
use std::path::Path;

use lookalike_core::lexicon::{About, Lexicon};
use lookalike_core::text::{Scratch, for_each_word};
use lookalike_core::{Error, Result};

use super::target::Target;

/// Reads `term<TAB>documents` lines after a first line `#docs<TAB>N`, and writes a lexicon of them.
///
/// Terms go through our text rules, since only such words are looked up later. A term that consists
/// of several words by these rules (`don't`) counts for each of them; the sum is an upper bound,
/// limited to N. A term without a word is ignored.
pub fn import(
    reader: impl BufRead,
    name: &str,
    source: &str,
    least_df: u32,
    output: &Path,
) -> Result<Lexicon> {
    let target = Target::claim(output)?;
    let counts = Counts::read(reader, name)?;
    let about = About { least_df: least_df.max(1), ..About::words(counts.documents, source) };
    target.write(about, counts.terms.len() as u64, true, |writer| {
        for &(hash, df, place) in &counts.terms {
            if df >= least_df {
                writer.push(hash, df, counts.text(place))?;
            }
        }
        Ok(())
    })
}

struct Counts {
    documents: u64,
    /// Hash, count and place of the text; by rising hash, each once.
    terms: Vec<(u64, u32, usize)>,
    /// Texts, each behind its length.
    texts: Vec<u8>,
}

impl Counts {
    fn read(mut reader: impl BufRead, name: &str) -> Result<Self> {
        let wrong = |line: u64, what: String| Error::Input(format!("{name}: line {line}: {what}"));
        let mut counts = Counts { documents: 0, terms: Vec::new(), texts: Vec::new() };
        let mut scratch = Scratch::default();
        let mut bytes = Vec::new();
        let mut number = 0;
        loop {
            bytes.clear();
            if reader.read_until(b'\n', &mut bytes).map_err(Error::io(name))? == 0 {
                break;
            }
            number += 1;
            let line =
                std::str::from_utf8(&bytes).map_err(|_| wrong(number, "not valid UTF-8".to_owned()))?;
            let line = line.trim_end_matches(['\n', '\r']);
            let parts = line.rsplit_once('\t').map(|(term, count)| (term, count.trim().parse::<u64>()));
            match parts {
                Some(("#docs", Ok(documents @ 1..))) if number == 1 => counts.documents = documents,
                _ if number == 1 => {
                    return Err(wrong(1, "it must be `#docs`, a tab and the number of documents".to_owned()));
                }
                Some((term, Ok(df @ 1..))) => counts.add(term, df, &mut scratch),
                _ if line.is_empty() => {}
                _ => {
                    let told = format!("`{line}` is not a term, a tab and its number of documents");
                    return Err(wrong(number, told));
                }
            }
        }
        if number == 0 {
            return Err(wrong(1, "it must be `#docs`, a tab and the number of documents".to_owned()));
        }
        counts.finish();
        Ok(counts)
    }

    fn add(&mut self, term: &str, df: u64, scratch: &mut Scratch) {
        let df = u32::try_from(df).unwrap_or(u32::MAX);
        let first = self.terms.len();
        for_each_word(term, scratch, |word| {
            // A word that occurs twice in a term still stands for the same documents.
            if self.terms[first..].iter().any(|known| known.0 == word.hash) {
                return;
            }
            let length = u8::try_from(word.bytes.len()).unwrap_or_default();
            self.terms.push((word.hash, df, self.texts.len()));
            self.texts.push(length);
            self.texts.extend_from_slice(&word.bytes[..length.into()]);
        });
    }

    /// Adds up the counts of each word.
    fn finish(&mut self) {
        let most = u32::try_from(self.documents).unwrap_or(u32::MAX);
        self.terms.sort_unstable();
        self.terms.dedup_by(|later, first| {
            let same = later.0 == first.0;
            if same {
                first.1 = first.1.saturating_add(later.1);
            }
            same
        });
        self.terms.iter_mut().for_each(|term| term.1 = term.1.min(most));
    }

    fn text(&self, place: usize) -> &[u8] {
        let length = self.texts.get(place).map_or(0, |&length| usize::from(length));
        self.texts.get(place + 1..place + 1 + length).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use lookalike_core::hash;

    use super::*;

    fn imported(table: &[u8], least_df: u32) -> Result<Lexicon> {
        let dir = tempfile::tempdir().unwrap();
        import(table, "counts.tsv", "elsewhere", least_df, &dir.path().join("it.lexicon"))
    }

    #[test]
    fn terms_become_our_words() {
        let table = "#docs\t100\nThe\t90\nthe\t5\ndon't\t30\ndon\t2\nt\t99\r\nre-re\t4\n’\t7\nStraße\t3\n";
        let lexicon = imported(table.as_bytes(), 1).unwrap();
        let df = |word: &str| lexicon.df(hash::bytes(word.as_bytes()));
        assert_eq!((lexicon.documents(), lexicon.about().source.as_str()), (100, "elsewhere"));
        assert_eq!(df("the"), 95, "one word, however it is written");
        assert_eq!((df("don"), df("t")), (32, 100), "a sum ends at the number of documents");
        assert_eq!((df("re"), df("strasse"), df("straße")), (4, 3, 0));
        assert_eq!(lexicon.len(), 5);
        let place = lexicon.table().place(hash::bytes(b"strasse")).unwrap();
        assert_eq!(lexicon.text(place), Some("strasse"));
        assert_eq!(imported(table.as_bytes(), 5).unwrap().len(), 3, "the, don, t");
    }

    #[test]
    fn the_order_of_lines_does_not_matter() {
        let one = imported(b"#docs\t9\na\t1\nb\t2\na b\t3\n", 1).unwrap();
        let other = imported(b"#docs\t9\na b\t3\nb\t2\na\t1", 1).unwrap();
        assert_eq!(one.as_bytes(), other.as_bytes());
    }

    #[test]
    fn a_wrong_line_is_named() {
        for (table, told) in [
            (&b""[..], "line 1: it must be `#docs`"),
            (b"the\t5\n", "line 1: it must be `#docs`"),
            (b"#docs\t0\n", "line 1: it must be `#docs`"),
            (b"#docs\t9\nthe 5\n", "line 2: `the 5` is not a term"),
            (b"#docs\t9\na\t1\nthe\t-5\n", "line 3"),
            (b"#docs\t9\nthe\t0\n", "line 2"),
            (b"#docs\t9\n\xff\t1\n", "line 2: not valid UTF-8"),
        ] {
            let error = imported(table, 1).unwrap_err().to_string();
            assert!(error.starts_with("counts.tsv: ") && error.contains(told), "{error}");
        }
    }
}
