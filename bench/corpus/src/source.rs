//! Reads the text sources and cuts them into distinct English sentences.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

const MIN_WORDS: usize = 6;
const MAX_WORDS: usize = 45;

/// All usable sentences of all sources, in a fixed order, each once.
pub fn read_sentences(sources: &[PathBuf]) -> io::Result<Vec<String>> {
    let mut files = Vec::new();
    for source in sources {
        collect_files(source, &mut files)?;
    }
    let mut seen = HashSet::new();
    let mut sentences = Vec::new();
    for file in &files {
        for_each_text(file, |text| {
            for sentence in sentences_of(text) {
                // Sources repeat themselves; a repeated sentence would make unplanted documents alike.
                if seen.insert(sentence.to_lowercase()) {
                    sentences.push(sentence);
                }
            }
        })?;
    }
    Ok(sentences)
}

fn collect_files(path: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    if !path.is_dir() {
        files.push(path.to_path_buf());
        return Ok(());
    }
    let mut children =
        fs::read_dir(path)?.map(|entry| entry.map(|e| e.path())).collect::<io::Result<Vec<_>>>()?;
    // The file system's order differs from machine to machine.
    children.sort();
    for child in children {
        let name = child.to_string_lossy();
        if child.is_dir()
            || [".txt", ".txt.gz", ".jsonl", ".jsonl.gz", ".jsonl.zst"].iter().any(|e| name.ends_with(e))
        {
            collect_files(&child, files)?;
        }
    }
    Ok(())
}

fn for_each_text(path: &Path, mut visit: impl FnMut(&str)) -> io::Result<()> {
    let name = path.to_string_lossy();
    let file = File::open(path)?;
    let mut reader: Box<dyn BufRead> = if name.ends_with(".gz") {
        Box::new(BufReader::new(flate2::read::MultiGzDecoder::new(file)))
    } else if name.ends_with(".zst") {
        Box::new(BufReader::new(zstd::Decoder::new(file)?))
    } else {
        Box::new(BufReader::new(file))
    };
    if name.contains(".jsonl") {
        for line in reader.lines() {
            let record: serde_json::Value = serde_json::from_str(&line?)?;
            if let Some(text) = record["text"].as_str() {
                visit(text);
            }
        }
    } else {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes)?;
        visit(&String::from_utf8_lossy(&bytes));
    }
    Ok(())
}

fn sentences_of(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut current: Vec<&str> = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        for token in line.split_whitespace() {
            current.push(token);
            if ends_sentence(token) {
                keep_if_prose(&mut current, &mut found);
            }
        }
        // A sentence never runs over a paragraph's end.
        if lines.peek().is_none_or(|next| next.trim().is_empty()) {
            current.clear();
        }
    }
    found
}

fn ends_sentence(token: &str) -> bool {
    let bare = token.trim_end_matches(['"', '\'', ')', '”', '’']);
    // "e.g." and initials do not end a sentence.
    bare.ends_with(['!', '?'])
        || (bare.ends_with('.') && bare.len() > 3 && !bare[..bare.len() - 1].contains('.'))
}

fn keep_if_prose(tokens: &mut Vec<&str>, found: &mut Vec<String>) {
    let sentence = tokens.join(" ");
    let words = tokens.len();
    tokens.clear();
    let letters = sentence.chars().filter(|c| c.is_alphabetic()).count();
    let enough_letters = letters * 10 >= sentence.chars().count() * 7;
    let starts_well = sentence.trim_start_matches(['"', '“', '(']).starts_with(char::is_uppercase);
    let average_word = letters / words.max(1);
    if (MIN_WORDS..=MAX_WORDS).contains(&words)
        && starts_well
        && enough_letters
        && (3..=8).contains(&average_word)
        && sentence.chars().all(is_plain)
    {
        found.push(sentence);
    }
}

/// Only characters about which every definition of `\w` and of lower case agrees (no "½", no combining marks),
/// so that the truth does not depend on one library's reading of Unicode; no marks of mark-up either.
fn is_plain(c: char) -> bool {
    match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | ' ' => true,
        '.' | ',' | ';' | ':' | '!' | '?' | '\'' | '"' | '(' | ')' | '-' | '/' | '%' | '$' | '&' => true,
        '‘' | '’' | '“' | '”' | '–' | '—' | '…' | '£' | '§' | '°' => true,
        'À'..='ÿ' => c != '×' && c != '÷',
        'Œ' | 'œ' | 'Š' | 'š' | 'Ž' | 'ž' | 'Č' | 'č' | 'Ł' | 'ł' | 'ā' | 'ē' | 'ī' | 'ō' | 'ū' => {
            true
        }
        _ => false,
    }
}
