//! `lookalike extract`: the documents in files, for people and for scripts.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Args, ValueHint};
use lookalike::files::{ExtractOutcome, Extracted, Picture, Reason};
use lookalike::files::{Extraction, Sources};
use lookalike::{Error, Progress, Recipe, Registry, Session};
use lookalike_core::text::{Scratch, for_each_word};
use lookalike_extract::worker::{Program, Worker};
use lookalike_files::documents::find::find;
use lookalike_files::documents::line::id_of;
use lookalike_files::documents::name_of;
use serde::Serialize;

use crate::exit::DONE;
use crate::host;
use crate::out::{print, tell};
use crate::progress::Bars;

pub const EXTRACT_HELP: &str = "\
Examples:
  lookalike extract contract.pdf
  lookalike extract mail.mbox --json | jq -r .title
  curl -s https://example.org/ | lookalike extract - --set extract.main=false
  lookalike extract page.html --set features.markup=html
  lookalike extract scan.png --set extract.ocr=tesseract --json | jq '.confidence, .reasons'

Several documents are printed one after another, each under a line with its name. With --json each is a line of its own,
and so is what cannot be read: {\"path\",\"part\",\"reason\"}. The exit code is 0 if at least one document was read, and 2 if
none was. Of a web page, what all pages of its site share is left in: only `scan` and `dedup` see the others.";

#[derive(Args)]
pub struct ExtractArgs {
    /// Files of any format, or folders of them; `-` reads standard input
    #[arg(required = true, value_name = "FILE", value_hint = ValueHint::AnyPath)]
    files: Vec<PathBuf>,
    /// Recipe file (TOML), of which the section `extract` counts, and whether features weigh markup: then the text is
    /// printed with its title, headings and emphasis
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    recipe: Option<PathBuf>,
    /// Set a key of the recipe, such as extract.main=false or features.markup=html; may be repeated
    #[arg(long, value_name = "STAGE.KEY=VALUE")]
    set: Vec<String>,
    /// Print a line of JSON for each document
    #[arg(long)]
    json: bool,
}

pub fn run(session: &Session, arguments: &ExtractArgs) -> anyhow::Result<u8> {
    let registry = session.registry();
    let extraction = arguments.recipe(registry)?.extraction()?;
    let program = session.file_reader()?.clone();
    let mut show = Show {
        json: arguments.json,
        marked: extraction.marked,
        documents: 0,
        unreadable: Vec::new(),
        failed: None,
    };
    let bars = Bars::new(true);
    let mut reading = Reading { worker: Worker::new(&program), program: &program, extraction: &extraction };
    for argument in &arguments.files {
        if argument == Path::new("-") {
            let kept = standard_input(extraction.options.limits.file_bytes)?;
            reading.file(kept.path(), "-", "", &mut show)?;
            continue;
        }
        let sources = Sources { paths: vec![argument.clone()], ..Sources::default() };
        match find(&sources) {
            Err(error) => show.unreadable(&name_of(argument), None, Reason::Io(plain(&error)))?,
            Ok((found, places)) => {
                for (path, reason) in places {
                    show.unreadable(&path, None, reason)?;
                }
                for file in found {
                    bars.advance(0, 0)?;
                    let name = file.path.file_name().unwrap_or_default().to_string_lossy();
                    reading.file(&file.path, &file.id, &name, &mut show)?;
                }
            }
        }
    }
    show.conclude()
}

impl ExtractArgs {
    fn recipe(&self, registry: &Registry) -> anyhow::Result<Recipe> {
        let mut recipe = match &self.recipe {
            None => Recipe::standard(registry)?,
            Some(file) => {
                let text = std::fs::read_to_string(file).with_context(|| file.display().to_string())?;
                Recipe::from_toml(&text, registry).with_context(|| file.display().to_string())?
            }
        };
        for assignment in &self.set {
            let (key, value) = assignment
                .split_once('=')
                .with_context(|| format!("--set {assignment}: write it as extract.key=value"))?;
            recipe.set(key.trim(), value.trim())?;
        }
        Ok(recipe)
    }
}

/// Reads files in a child process that can be killed, as `scan` does.
struct Reading<'a> {
    worker: Worker<'a>,
    program: &'a Program,
    extraction: &'a Extraction,
}

impl Reading<'_> {
    /// `id` is the file's name in the output, `name` the one that its reader gets.
    fn file(&mut self, path: &Path, id: &str, name: &str, show: &mut Show) -> anyhow::Result<()> {
        let started = self.worker.read(path, name, &self.extraction.options, &mut |outcome| {
            if show.failed.is_none() {
                show.failed = show.outcome(id, outcome).err();
            }
        });
        started.with_context(|| format!("cannot start {} to read files", self.program.path.display()))?;
        show.failed.take().map_or(Ok(()), Err)
    }
}

/// Prints documents as they come, and remembers what could not be read.
struct Show {
    json: bool,
    /// Whether texts are shown as they are compared by features that weigh markup.
    marked: bool,
    documents: u64,
    /// What could not be read, with its name.
    unreadable: Vec<(String, Reason)>,
    failed: Option<anyhow::Error>,
}

/// A document as JSON.
#[derive(Serialize)]
struct Line<'a> {
    id: &'a str,
    path: &'a str,
    part: Option<&'a str>,
    r#type: &'a str,
    title: Option<&'a str>,
    author: Option<&'a str>,
    date: Option<&'a str>,
    language: Option<&'a str>,
    fields: BTreeMap<&'a str, Metadata<'a>>,
    links: &'a BTreeSet<String>,
    images: &'a [Picture],
    text: &'a str,
    words: usize,
    bytes: u64,
    file_hash: &'a str,
    confidence: f64,
    weak: bool,
    reasons: &'a [String],
}

/// Metadata of a file.
#[derive(Serialize)]
#[serde(untagged)]
enum Metadata<'a> {
    One(&'a str),
    Several(&'a [String]),
}

#[derive(Serialize)]
struct UnreadableLine<'a> {
    path: &'a str,
    part: Option<&'a str>,
    reason: String,
}

impl Show {
    fn outcome(&mut self, path: &str, outcome: ExtractOutcome) -> anyhow::Result<()> {
        match outcome {
            ExtractOutcome::Document(document) => self.document(path, &document),
            ExtractOutcome::Unreadable { part, reason } => self.unreadable(path, part.as_deref(), reason),
        }
    }

    fn document(&mut self, path: &str, document: &Extracted) -> anyhow::Result<()> {
        let id = id_of(path, document.part.as_deref());
        self.documents += 1;
        let marked;
        let text = match self.marked {
            true => {
                marked = document.marked_up();
                &marked
            }
            false => &document.text,
        };
        if self.json {
            let single = document.fields.iter().map(|(name, value)| (name.as_str(), Metadata::One(value)));
            let lists =
                document.lists.iter().map(|(name, values)| (name.as_str(), Metadata::Several(values)));
            // What is single comes last and thus replaces a list of the same name, as in a corpus.
            let fields = lists.chain(single).collect();
            let line = Line {
                id: &id,
                path,
                part: document.part.as_deref(),
                r#type: document.kind.name(),
                title: document.title.as_deref(),
                author: document.author.as_deref(),
                date: document.date.as_deref(),
                language: document.language.as_deref(),
                fields,
                links: &document.links,
                images: &document.images,
                text,
                words: count_words(&document.text),
                bytes: document.bytes,
                file_hash: &document.file_hash,
                confidence: document.confidence.value(),
                weak: document.confidence.is_weak(),
                reasons: &document.doubts,
            };
            return print(&(serde_json::to_string(&line)? + "\n"));
        }
        if let Some(why) = document.weakness() {
            tell(&format!("warning: {id}: weak text ({:.2}): {why}", document.confidence.value()));
        }
        // From the second document on, names are needed; only then is it known that there are
        // several.
        let heading = if self.documents > 1 || document.part.is_some() {
            format!("==> {id} <==\n")
        } else {
            String::new()
        };
        let before = if self.documents > 1 { "\n" } else { "" };
        print(&format!("{before}{heading}{text}\n"))
    }

    fn unreadable(&mut self, path: &str, part: Option<&str>, reason: Reason) -> anyhow::Result<()> {
        if self.json {
            let line = UnreadableLine { path, part, reason: reason.to_string() };
            print(&(serde_json::to_string(&line)? + "\n"))?;
        }
        self.unreadable.push((id_of(path, part), reason));
        Ok(())
    }

    /// Reports what was not read; it is an error if nothing was read at all.
    fn conclude(self) -> anyhow::Result<u8> {
        if self.documents > 0 {
            if !self.json {
                for (id, reason) in &self.unreadable {
                    tell(&format!("warning: {id}: {reason}"));
                }
            }
            return Ok(DONE);
        }
        let told = match self.unreadable.as_slice() {
            [] => "there is no file in what was named".to_owned(),
            [(id, reason)] => format!("{id}: {reason}"),
            [(id, reason), rest @ ..] => {
                format!("nothing could be read of {} files; the first: {id}: {reason}", 1 + rest.len())
            }
        };
        Err(Error::Input(told).into())
    }
}

/// Counted as all methods count them.
fn count_words(text: &str) -> usize {
    let mut words = 0;
    for_each_word(text, &mut Scratch::default(), |_| words += 1);
    words
}

/// Saves standard input to a file, because children read files. More than the limit of a file is not
/// kept.
fn standard_input(most: u64) -> anyhow::Result<tempfile::NamedTempFile> {
    let mut kept = tempfile::NamedTempFile::new().context("a temporary file")?;
    std::io::copy(&mut host::standard_input()?.lock().take(most.saturating_add(1)), &mut kept)
        .context("standard input")?;
    kept.flush().context("a temporary file")?;
    Ok(kept)
}

/// The error without the name, which precedes it anyway.
fn plain(error: &lookalike::Error) -> String {
    match error {
        lookalike::Error::Io { source, .. } => source.to_string(),
        other => other.to_string(),
    }
}
