//! `lookalike compare`

use std::collections::BTreeMap;

use clap::{Args, ValueHint};
use lookalike::compare::{
    ComparedDocument, Comparison, DifferenceKind, PairVerdict, StreamAgreement, StreamKind,
};
use lookalike::files::Reference;
use lookalike::{Recipe, Session};

use crate::args::RecipeArgs;
use crate::out::{count, print, print_json, table};

pub const COMPARE_HELP: &str = "\
Examples:
  lookalike compare contract.docx contract.pdf
  lookalike compare corpus.jsonl#17 corpus.jsonl#42 --json | jq .passages
  lookalike compare a.txt b.txt --method simhash --set decide.distance=8";

/// What to compare, and how.
#[derive(Args)]
pub struct CompareArgs {
    /// A file of any format, a document within one as FILE#PART, or a record of a corpus as FILE#ID
    /// (JSONL, CSV, Parquet, Arrow or WET; without ids: FILE#LINE)
    #[arg(value_hint = ValueHint::FilePath)]
    pub a: String,
    /// The other one
    #[arg(value_hint = ValueHint::FilePath)]
    pub b: String,
    #[command(flatten)]
    pub recipe: RecipeArgs,
    /// Field with a record's id
    #[arg(long, value_name = "NAME", default_value = "id")]
    pub id_field: String,
    /// Field with a record's text
    #[arg(long, value_name = "NAME", default_value = "text")]
    pub text_field: String,
    /// How many shared passages are shown
    #[arg(long, value_name = "N", default_value_t = 10)]
    pub passages: usize,
    /// Print everything as JSON
    #[arg(long)]
    pub json: bool,
}

pub fn run(session: &Session, arguments: &CompareArgs) -> anyhow::Result<()> {
    let recipe: Option<Recipe> =
        if arguments.recipe.is_given() { Some(arguments.recipe.recipe(session.registry())?) } else { None };
    let fields = Reference {
        id_field: arguments.id_field.clone(),
        text_field: arguments.text_field.clone(),
        fields: Vec::new(),
    };
    let comparison = session.compare(recipe.as_ref(), &arguments.a, &arguments.b, &fields)?;
    if arguments.json { print_json(&comparison) } else { print(&text(&comparison, arguments.passages)) }
}

/// How many words are listed; the rest is counted.
const MOST_WORDS: usize = 30;
/// How many characters of a passage are shown.
const EXCERPT: usize = 100;

fn text(comparison: &Comparison, most_passages: usize) -> String {
    let mut text = String::new();
    text += &table(&[
        row(["", "bytes", "words", "in shared passages", "word 5-grams in the other"]),
        side_row("A", &comparison.a),
        side_row("B", &comparison.b),
    ]);
    for side in [&comparison.a, &comparison.b] {
        if let Some(reason) = &side.weak {
            text += &format!("The text of {} is weak: {reason}.\n", side.name);
        }
    }
    text += &match (comparison.identical, comparison.difference.has(DifferenceKind::None)) {
        (true, _) => "The texts are identical.\n".to_owned(),
        (false, true) => "B differs from A in white space only.\n".to_owned(),
        (false, false) => format!("B differs from A in: {}.\n", comparison.difference),
    };
    text += &comparison.streams.map(streams).unwrap_or_default();
    text += &format!(
        "\n{}\n{}\n{}",
        measures(comparison),
        methods(comparison),
        passages(comparison, most_passages)
    );
    for (name, words) in [("A", &comparison.only_in_a), ("B", &comparison.only_in_b)] {
        text += &format!("\nOnly in {name}: {}\n", word_list(words));
    }
    text
}

/// How the streams agree, in a sentence.
fn streams(agreement: StreamAgreement) -> String {
    let told = StreamKind::ALL.into_iter().filter_map(|kind| {
        let share = agreement.resemblance(kind)?;
        let note = if agreement.contradicts(kind) { " (contradicting)" } else { "" };
        Some(format!("{} {share:.4}{note}", kind.name()))
    });
    format!("Beside the text they share: {}.\n", told.collect::<Vec<_>>().join(", "))
}

fn row<const N: usize>(cells: [&str; N]) -> Vec<String> {
    cells.map(str::to_owned).to_vec()
}

fn side_row(letter: &str, side: &ComparedDocument) -> Vec<String> {
    vec![
        format!("{letter} {}", side.name),
        count(side.bytes as u64),
        count(side.words as u64),
        format!("{:.1} %", 100.0 * side.in_passages),
        format!("{:.1} %", 100.0 * side.contained_in_other),
    ]
}

/// A row for each measure, a column for each kind of features.
fn measures(comparison: &Comparison) -> String {
    let mut kinds: Vec<&str> = Vec::new();
    let mut rows: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for measured in &comparison.measures {
        if !kinds.contains(&measured.features.as_str()) {
            kinds.push(&measured.features);
        }
        rows.entry(&measured.measure).or_default().push(format!("{:.4}", measured.similarity));
    }
    let head = std::iter::once("MEASURE").chain(kinds).map(str::to_owned).collect();
    let rows = rows.into_iter().map(|(name, values)| [vec![name.to_owned()], values].concat());
    table(&std::iter::once(head).chain(rows).collect::<Vec<_>>())
}

fn methods(comparison: &Comparison) -> String {
    let mut rows = vec![row(["METHOD", "verdict", "similarity", "of at least", "by", "signatures"])];
    for method in &comparison.methods {
        let verdict = match method.verdict {
            PairVerdict::Duplicate => "duplicate",
            PairVerdict::NearDuplicate => "near-duplicate",
            PairVerdict::Different => "different",
            PairVerdict::Missed => "alike, but not found",
            PairVerdict::KeptApart => "alike, but kept apart",
            PairVerdict::Empty => "nothing to compare",
            PairVerdict::Weak => "weak text, no verdict",
        };
        let says = |pair: &lookalike::compare::SignaturePair| match method.signatures.len() {
            1 => pair.says.clone(),
            _ => format!("{}: {}", pair.method, if pair.candidate { "finds it" } else { "does not" }),
        };
        rows.push(vec![
            method.method.clone(),
            verdict.to_owned(),
            format!("{:.4}", method.similarity),
            method.threshold.to_string(),
            method.measure.clone(),
            method.signatures.iter().map(says).collect::<Vec<_>>().join(", "),
        ]);
    }
    table(&rows)
}

fn passages(comparison: &Comparison, most: usize) -> String {
    let all = comparison.passages.len();
    if all == 0 {
        return "No passage of eight words or more is in both.\n".to_owned();
    }
    let mut rows = vec![row(["SHARED", "words", "bytes of A", "bytes of B", "text"])];
    for (number, passage) in comparison.passages.iter().take(most).enumerate() {
        let words: Vec<&str> = passage.text.split_whitespace().collect();
        let text = words.join(" ");
        let excerpt: String = text.chars().take(EXCERPT).collect();
        let more = if excerpt.len() < text.len() { "…" } else { "" };
        let range = |range: [usize; 2]| format!("{}–{}", range[0], range[1]);
        rows.push(vec![
            (number + 1).to_string(),
            count(passage.words as u64),
            range(passage.a),
            range(passage.b),
            format!("{excerpt}{more}"),
        ]);
    }
    let rest = all.saturating_sub(most);
    let more =
        if rest > 0 { format!("… and {} more (--passages)\n", count(rest as u64)) } else { String::new() };
    table(&rows) + &more
}

fn word_list(words: &[(String, usize)]) -> String {
    if words.is_empty() {
        return "none".to_owned();
    }
    let shown = words.iter().take(MOST_WORDS).map(|(word, times)| match times {
        1 => word.clone(),
        times => format!("{word} ×{times}"),
    });
    let list = shown.collect::<Vec<_>>().join(", ");
    match words.len().saturating_sub(MOST_WORDS) {
        0 => list,
        rest => format!("{list} … and {} more", count(rest as u64)),
    }
}
