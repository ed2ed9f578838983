//! `lookalike lexicon show`

use anyhow::{Context, bail};
use clap::{Args, ValueHint};
use lookalike::lexicon::open;
use lookalike_core::hash;
use lookalike_core::lexicon::window::{Selection, histogram};
use lookalike_core::lexicon::{Assets, Lexicon, WORDS, Window};
use lookalike_core::text::{Scratch, words};
use lookalike_engine::lexicon::AssetFiles;
use serde::Serialize;
use serde_json::{Value, json};

use crate::out::{bytes, count, print, print_json, table};

#[derive(Args)]
pub struct ShowArgs {
    /// A lexicon file, or english for the one compiled in
    #[arg(default_value = "english", value_hint = ValueHint::FilePath)]
    lexicon: String,
    /// Tell what is between two values of nidf, such as 0.2:0.8
    #[arg(long, value_name = "LOW:HIGH", allow_hyphen_values = true)]
    window: Option<String>,
    /// Tell what is known of a word; may be repeated
    #[arg(long, value_name = "WORD")]
    word: Vec<String>,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

const BARS: usize = 10;
const SAMPLES: usize = 12;

/// What a lexicon knows of a word.
#[derive(Serialize)]
struct Known {
    word: String,
    df: u32,
    idf: f64,
    nidf: f64,
    /// How many terms occur in more documents, and one of them.
    rank: Option<usize>,
}

pub fn run(arguments: &ShowArgs) -> anyhow::Result<()> {
    let lexicon = match arguments.lexicon.as_str() {
        "english" => AssetFiles::default().load("english")?.as_ref().clone(),
        path => open(path.as_ref())?,
    };
    let window = arguments.window.as_deref().map(Window::parse).transpose().context("--window")?;
    let known = look_up(&lexicon, &arguments.word)?;
    let bars = histogram(&lexicon, BARS);
    let selected = window.map(|window| (window, window.select(&lexicon), samples(&lexicon, window)));
    if arguments.json {
        print_json(&as_json(&lexicon, &bars, &selected, &known))
    } else {
        let mut text = about(&lexicon);
        text += &format!("\n{}", histogram_table(&lexicon, &bars));
        if let Some((window, selection, samples)) = &selected {
            text += &format!("\n{}", window_text(&lexicon, *window, selection, samples));
        }
        if !known.is_empty() {
            text += &format!("\n{}", word_table(&known));
        }
        print(&text)
    }
}

fn look_up(lexicon: &Lexicon, asked: &[String]) -> anyhow::Result<Vec<Known>> {
    if !asked.is_empty() && lexicon.about().counted != WORDS {
        bail!("this lexicon does not count words, so it knows nothing of any");
    }
    let mut scratch = Scratch::default();
    let mut found = Vec::new();
    for asked in asked {
        let parts = words(asked, &mut scratch);
        if parts.is_empty() {
            bail!("--word {asked}: that is no word");
        }
        for word in parts {
            let df = lexicon.df(hash::bytes(word.as_bytes()));
            let more = || lexicon.terms().filter(|term| term.1 > df).count();
            found.push(Known {
                df,
                idf: lexicon.idf(df),
                nidf: lexicon.nidf(df),
                rank: (df > 0).then(|| more() + 1),
                word,
            });
        }
    }
    Ok(found)
}

/// Words from the whole window, the common ones first.
fn samples(lexicon: &Lexicon, window: Window) -> Vec<String> {
    let mut found = vec![None; SAMPLES];
    let step = (window.highest - window.lowest).max(f64::MIN_POSITIVE) / SAMPLES as f64;
    for (_, df, text) in lexicon.entries() {
        let nidf = lexicon.nidf(df);
        if window.contains(nidf) && !text.is_empty() {
            let part = ((nidf - window.lowest) / step).clamp(0.0, SAMPLES as f64 - 1.0) as usize;
            found[part].get_or_insert_with(|| String::from_utf8_lossy(text).into_owned());
        }
    }
    found.into_iter().flatten().collect()
}

fn about(lexicon: &Lexicon) -> String {
    let about = lexicon.about();
    let row = |name: &str, value: String| vec![name.to_owned(), value];
    let mut rows = vec![
        row("source", about.source.clone()),
        row("documents", count(about.documents)),
        row("terms", count(lexicon.len() as u64)),
        row("counted", about.counted.trim().replace('\n', ", ")),
        row("text rules", about.rules.clone()),
        row("id", lexicon.id()),
        row("size", bytes(lexicon.as_bytes().len() as u64)),
    ];
    if about.least_df > 1 {
        rows.insert(3, row("left out", format!("terms in fewer than {} documents", about.least_df)));
    }
    table(&rows)
}

fn histogram_table(lexicon: &Lexicon, bars: &[Selection]) -> String {
    let mut rows = vec![["nidf", "terms", "documents each", "in a document"].map(str::to_owned).to_vec()];
    for (part, bar) in bars.iter().enumerate() {
        let border = |part: usize| part as f64 / BARS as f64;
        rows.push(vec![
            format!("{:.1}–{:.1}", border(part), border(part + 1)),
            count(bar.terms),
            frequencies(bar),
            format!("{:.1}", per_document(lexicon, bar)),
        ]);
    }
    table(&rows)
}

fn frequencies(selection: &Selection) -> String {
    match (selection.least_df, selection.most_df) {
        (Some(least), Some(most)) if least == most => count(least.into()),
        (Some(least), Some(most)) => format!("{}–{}", count(least.into()), count(most.into())),
        _ => String::new(),
    }
}

fn per_document(lexicon: &Lexicon, selection: &Selection) -> f64 {
    selection.occurrences as f64 / lexicon.documents().max(1) as f64
}

fn window_text(lexicon: &Lexicon, window: Window, selection: &Selection, samples: &[String]) -> String {
    let share = 100.0 * selection.terms as f64 / lexicon.len().max(1) as f64;
    let mut text = format!(
        "The window {}:{} selects {} terms ({share:.1} %); a document has {:.1} of them on average.\n",
        window.lowest,
        window.highest,
        count(selection.terms),
        per_document(lexicon, selection)
    );
    if !samples.is_empty() {
        text += &format!("From common to rare: {}\n", samples.join(", "));
    }
    text
}

fn word_table(known: &[Known]) -> String {
    let mut rows = vec![["word", "documents", "idf", "nidf", "rank"].map(str::to_owned).to_vec()];
    rows.extend(known.iter().map(|known| {
        vec![
            known.word.clone(),
            count(known.df.into()),
            format!("{:.3}", known.idf),
            format!("{:.3}", known.nidf),
            known.rank.map_or("unknown word".to_owned(), |rank| count(rank as u64)),
        ]
    }));
    table(&rows)
}

fn as_json(
    lexicon: &Lexicon,
    bars: &[Selection],
    selected: &Option<(Window, Selection, Vec<String>)>,
    known: &[Known],
) -> Value {
    let about = lexicon.about();
    let selection_json = |selection: &Selection, from: f64, to: f64| {
        json!({
            "from": from, "to": to,
            "terms": selection.terms,
            "least_df": selection.least_df,
            "most_df": selection.most_df,
            "per_document": per_document(lexicon, selection),
        })
    };
    let border = |part: usize| part as f64 / BARS as f64;
    let bars: Vec<Value> = bars
        .iter()
        .enumerate()
        .map(|(part, bar)| selection_json(bar, border(part), border(part + 1)))
        .collect();
    let window = selected.as_ref().map(|(window, selection, samples)| {
        let mut value = selection_json(selection, window.lowest, window.highest);
        value["samples"] = json!(samples);
        value
    });
    json!({
        "source": about.source,
        "documents": about.documents,
        "terms": lexicon.len(),
        "least_df": about.least_df,
        "counted": about.counted,
        "rules": about.rules,
        "id": lexicon.id(),
        "digest": format!("{:032x}", lexicon.digest()),
        "bytes": lexicon.as_bytes().len(),
        "histogram": bars,
        "window": window,
        "words": known,
    })
}
