//! `lookalike tune --ask`: asks the person at the terminal for labels.

use std::fs::OpenOptions;
use std::io::{BufRead, Write};
use std::path::Path;

use anyhow::Context;
use lookalike::judge::{LabelledPair, Labels, Question, read_pairs};
use lookalike::{Progress, ReadyJob, Session};
use lookalike_core::passages::differing_words;
use serde_json::json;

use crate::host;
use crate::out::{print_json, tell};

/// How many characters of a text are shown.
const SHOWN: usize = 600;
/// How many differing words are shown.
const WORDS: usize = 20;

/// Asks for up to `count` labels and appends them to the file.
pub fn ask(
    session: &Session,
    file: &Path,
    count: usize,
    ready: &ReadyJob,
    seed: u64,
    progress: &dyn Progress,
) -> anyhow::Result<()> {
    let input = host::standard_input()?;
    let label_request = session.request_labels(ready, &labelled(file)?, seed, progress)?;
    let questions = label_request.questions(count, ready.job())?;
    if questions.is_empty() {
        tell("There is no candidate pair left to ask about.");
        return Ok(());
    }
    let mut answers = OpenOptions::new()
        .create(true)
        .append(true)
        .open(file)
        .with_context(|| file.display().to_string())?;
    let mut lines = input.lock().lines();
    let mut given = 0;
    for (number, question) in questions.iter().enumerate() {
        tell(&shown(question, number + 1, questions.len()));
        let Some(label) = answer(&mut lines)? else { break };
        let label = match label {
            Answer::Same => json!(true),
            Answer::Different => json!(false),
            Answer::Unsure => json!("unsure"),
        };
        // Written at once, so that no answer is lost.
        writeln!(answers, "{}", json!({ "a": question.a, "b": question.b, "label": label }))?;
        given += 1;
    }
    tell(&format!("{given} labels were added to {}", file.display()));
    let label_request = session.request_labels(ready, &labelled(file)?, seed, progress)?;
    match label_request.estimate()? {
        None => tell(
            "Labels do not cover all ranges of confidence yet: go on before precision and recall can be told.",
        ),
        Some(estimate) => {
            let figure = |figure: Option<lookalike::judge::Interval>| {
                figure.map_or("cannot be told".to_owned(), |figure| {
                    format!(
                        "{:.3}, with 95 % confidence from {:.3} to {:.3}",
                        figure.value, figure.low, figure.high
                    )
                })
            };
            tell(&format!(
                "{} labels. {} at a confidence of a half, among all candidates:\n  precision {}\n  recall    {}",
                label_request.labelled(),
                if label_request.is_trained { "A classifier trained on them" } else { "The first guess" },
                figure(estimate.precision),
                figure(estimate.recall)
            ));
        }
    }
    Ok(())
}

/// Prints up to `count` pairs that are worth a label as JSON, with what the labels tell so far.
pub fn questions(
    session: &Session,
    file: &Path,
    count: usize,
    ready: &ReadyJob,
    seed: u64,
    progress: &dyn Progress,
) -> anyhow::Result<()> {
    let label_request = session.request_labels(ready, &labelled(file)?, seed, progress)?;
    print_json(&json!({
        "questions": label_request.questions(count, ready.job())?,
        "labelled": label_request.labelled(),
        "trained": label_request.is_trained,
        "estimate": label_request.estimate()?,
    }))
}

fn labelled(file: &Path) -> anyhow::Result<Vec<LabelledPair>> {
    if !file.exists() || std::fs::metadata(file)?.len() == 0 {
        return Ok(Vec::new());
    }
    Ok(read_pairs(file, &Labels::default())?.0)
}

enum Answer {
    Same,
    Different,
    Unsure,
}

/// The next answer; `None` if there are no more.
fn answer(lines: &mut impl Iterator<Item = std::io::Result<String>>) -> anyhow::Result<Option<Answer>> {
    loop {
        tell("Near-duplicates? [y]es, [n]o, [u]nsure, [q]uit:");
        let Some(line) = lines.next().transpose()? else { return Ok(None) };
        match line.trim().to_lowercase().as_str() {
            "y" | "yes" => return Ok(Some(Answer::Same)),
            "n" | "no" => return Ok(Some(Answer::Different)),
            "u" | "unsure" => return Ok(Some(Answer::Unsure)),
            "q" | "quit" => return Ok(None),
            _ => {}
        }
    }
}

fn shown(question: &Question, number: usize, of: usize) -> String {
    let start = |text: &str| {
        let mut start: String =
            text.chars().take(SHOWN).map(|c| if c.is_control() && c != '\n' { ' ' } else { c }).collect();
        if start.len() < text.len() {
            start += " …";
        }
        start
    };
    let (only_a, only_b) = differing_words(&question.text_a, &question.text_b);
    let words = |words: &[(String, usize)]| {
        let mut shown: Vec<&str> = words.iter().take(WORDS).map(|(word, _)| word.as_str()).collect();
        if words.len() > WORDS {
            shown.push("…");
        }
        shown.join(" ")
    };
    format!(
        "\n── {number} of {of} · confidence {:.2} · {}\n[{}]\n{}\n\n[{}]\n{}\n\nonly the first: {}\nonly the second: {}",
        question.confidence,
        question.reason,
        question.a,
        start(&question.text_a),
        question.b,
        start(&question.text_b),
        words(&only_a),
        words(&only_b)
    )
}
