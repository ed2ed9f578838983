//! Mail as K08 §6.3 prepares it: subject and body, no trivial duplicates, nothing of fewer than five words.

use std::collections::{BTreeMap, BTreeSet};

use lookalike_core::document::{Document, Value};
use lookalike_core::features::{Features, Words};
use lookalike_core::text::{Scratch, for_each_word};
use lookalike_core::{Error, Result, hash};
use serde_json::json;

use crate::Data;
use lookalike_engine::run::{Job, Progress};

/// Shorter messages are ignored (K08 §6.3).
const LEAST_WORDS: usize = 5;

pub struct Mail {
    /// Its path in the archive.
    pub id: String,
    text: String,
    /// Equal for messages with the same words in the same order.
    digest: u128,
}

/// Messages of one kind.
#[derive(Default)]
pub struct Mails {
    pub mails: Vec<Mail>,
    /// Left out because an earlier message has the same words in the same order.
    pub copies: u64,
    /// Left out because they have fewer than five words that count.
    pub short: u64,
    seen: BTreeSet<u128>,
}

impl Mails {
    /// Adds the messages of an archive in folders whose names begin with a prefix.
    pub fn add(&mut self, data: &Data, archive: &str, folder: &str, progress: &dyn Progress) -> Result<()> {
        let job = data.job(&[archive], progress)?;
        let words = Words::new(4, 1, Vec::new());
        let (mut features, mut scratch) = (Features::default(), Scratch::default());
        job.corpus()?.for_each(&["title".to_owned(), "type".to_owned()], |_, id, document| {
            let field = |place: usize| match document.fields.get(place) {
                Some(Some(Value::Text(text))) => text.as_ref(),
                _ => "",
            };
            // An attachment is no message.
            let name = id.display();
            let path = name.split_once('#').map_or(&*name, |(_, path)| path);
            if field(1) == "mail" && path.starts_with(folder) {
                let text = format!("{}\n\n{}", field(0), document.text);
                features.fill(&words, &Document::from_text(&text));
                let mut hashes = Vec::new();
                for_each_word(&text, &mut scratch, |word| hashes.push(word.hash));
                let mail = Mail { id: path.to_owned(), digest: hash::digest(&hashes), text };
                self.take(mail, features.hashes.len());
            }
            Ok(())
        })
    }

    fn take(&mut self, mail: Mail, words: usize) {
        if words < LEAST_WORDS {
            self.short += 1;
        } else if self.seen.insert(mail.digest) {
            self.mails.push(mail);
        } else {
            self.copies += 1;
        }
    }

    /// Writes them as a corpus whose documents have a label.
    pub fn write(&self, data: &Data, name: &str, label: &str) -> Result<String> {
        let path = data.scratch().join(format!("{name}.jsonl"));
        let line = |mail: &Mail| format!("{}\n", json!({ "id": mail.id, "text": mail.text, "label": label }));
        let lines: String = self.mails.iter().map(line).collect();
        std::fs::write(&path, lines).map_err(Error::io(&path))?;
        Ok(path.to_string_lossy().into_owned())
    }

    pub fn len(&self) -> u64 {
        self.mails.len() as u64
    }

    /// Messages that both have word for word: errors in the labels.
    pub fn in_both(&self, other: &Mails) -> Vec<(String, String)> {
        let known: BTreeMap<u128, &str> =
            other.mails.iter().map(|mail| (mail.digest, mail.id.as_str())).collect();
        let twin = |mail: &Mail| known.get(&mail.digest).map(|twin| (mail.id.clone(), (*twin).to_owned()));
        self.mails.iter().filter_map(twin).collect()
    }
}

/// A job over corpora that were written, with the settings of another.
pub fn job_over(inputs: Vec<String>, data: &Data, model: &Job) -> Job {
    Job { inputs, output: data.scratch().join("none"), ..model.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mail(id: &str, digest: u128) -> Mail {
        Mail { id: id.to_owned(), text: String::new(), digest }
    }

    #[test]
    fn copies_and_short_messages_are_left_out_and_twins_are_told() {
        let (mut spam, mut legitimate) = (Mails::default(), Mails::default());
        spam.take(mail("a", 1), 5);
        spam.take(mail("b", 1), 9);
        spam.take(mail("c", 2), 4);
        spam.take(mail("d", 3), 6);
        assert_eq!((spam.len(), spam.copies, spam.short), (2, 1, 1));
        legitimate.take(mail("x", 3), 6);
        legitimate.take(mail("y", 4), 6);
        assert_eq!(spam.in_both(&legitimate), [("d".to_owned(), "x".to_owned())]);
    }
}
