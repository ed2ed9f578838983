//! What an index was told, and what it must answer therefore.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use lookalike::Id;
use lookalike::index::{Index, IndexLimits, Policy, QueryOptions, Refresh, Stats, View};
use lookalike::{Error, Recipe, Registry, Result};
use lookalike_core::hash::mix;

/// So small that upkeep happens all the time.
pub const LIMITS: IndexLimits = IndexLimits {
    head_entries: 400,
    operations: 25,
    own_bytes: 1,
    segment_bytes: 6000,
    dead_documents: u32::MAX,
    dead_bytes: u64::MAX,
};

pub const RECIPES: [&str; 4] = [
    "[features]\nshingle = 2\n[decide]\nthreshold = 0.5\n",
    "[features]\nshingle = 3\n[decide]\nthreshold = 0.4\n[cluster]\ntype = 'components'\n",
    "method = 'simhash'\n[decide]\ndistance = 3\nthreshold = 0.5",
    "method = 'imatch'\n[features]\nmin_length = 1\nmax_digits = 9\n[sign]\nlexicon = 'native'\nlow = 0\nhigh = 1\n\
     [decide]\nthreshold = 0.5",
];
/// The recipe whose lexicon is counted from the documents.
pub const NATIVE: usize = 3;

/// Ids that operations are about.
const IDS: u64 = 80;

#[derive(Clone, Debug)]
pub enum Operation {
    /// Documents by id and text; one alone is inserted alone.
    Add(Vec<(u64, String)>),
    Remove(Vec<u64>),
    Decide(u64, u64, Option<bool>),
    Compact,
    Checkpoint,
    Resign(usize),
}

/// What is known to be in the index.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Model {
    /// Text and number of versions.
    pub documents: BTreeMap<u64, (String, usize)>,
    /// By the two texts, the smaller first.
    pub decisions: BTreeMap<(String, String), bool>,
    /// The recipe by which documents are signed.
    pub recipe: usize,
}

/// Random numbers that are the same for the same seed.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0) % bound
    }
}

/// The operation that a process with this seed does at this step, whatever the index holds.
pub fn operation(seed: u64, step: u64) -> Operation {
    let mut random = Random(mix(seed << 20 | step));
    match random.below(100) {
        0..30 => Operation::Add(vec![document(&mut random)]),
        30..52 => Operation::Add((0..random.below(25) + 2).map(|_| document(&mut random)).collect()),
        52..70 => Operation::Remove((0..random.below(12) + 1).map(|_| random.below(IDS)).collect()),
        70..80 => {
            let verdict = [Some(true), Some(false), None][random.below(3) as usize];
            Operation::Decide(random.below(IDS), random.below(IDS), verdict)
        }
        80..87 => Operation::Checkpoint,
        87..94 => Operation::Compact,
        _ => Operation::Resign(random.below(RECIPES.len() as u64) as usize),
    }
}

/// Documents are in families of near-duplicates, some are exact copies, some have no words.
fn document(random: &mut Random) -> (u64, String) {
    let (id, family) = (random.below(IDS), random.below(IDS / 6));
    let mut words: Vec<String> = (0..30).map(|at| format!("w{}", mix(family << 8 | at) % 3000)).collect();
    for _ in 0..random.below(4) {
        let place = random.below(words.len() as u64) as usize;
        words[place] = format!("x{}", random.below(6));
    }
    if random.below(20) == 0 {
        words.clear();
    }
    (id, words.join(" "))
}

pub fn line(id: u64, text: &str) -> Vec<u8> {
    format!("{{\"id\":\"d{id}\",\"text\":\"{text}\"}}").into_bytes()
}

pub fn name(id: u64) -> Id {
    Id::from_json(format!("\"d{id}\""))
}

pub fn ask() -> QueryOptions {
    QueryOptions { now: 1000, limit: usize::MAX, ..QueryOptions::default() }
}

pub fn registry() -> Registry {
    Registry::with_built_ins()
}

pub fn recipe(toml: &str) -> Recipe {
    Recipe::from_toml(toml, &registry()).unwrap()
}

pub fn create(folder: &Path, limits: IndexLimits) -> Result<Index> {
    counting(Index::create_with(folder, &recipe(RECIPES[0]), registry(), limits)?)
}

/// With this setting a lexicon may be counted over no documents, too.
fn counting(index: Index) -> Result<Index> {
    index.writer().set_refresh(Refresh::new(Some(u64::MAX), None)?)?;
    Ok(index)
}

pub fn open(folder: &Path) -> Result<Index> {
    counting(Index::open_with(folder, registry(), LIMITS)?)
}

/// Carries an operation out. That a document has no words to decide on is no failure.
pub fn carry_out(index: &Index, operation: &Operation) -> Result<()> {
    match operation {
        Operation::Add(documents) => {
            let lines: Vec<Vec<u8>> = documents.iter().map(|(id, text)| line(*id, text)).collect();
            if let [line] = &lines[..] {
                return index.writer().add(line, Policy::Report, &ask()).map(drop);
            }
            let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
            index
                .writer()
                .add_many(&lines, Policy::Report, &ask())?
                .into_iter()
                .try_for_each(|answer| answer.map(drop))
        }
        Operation::Remove(ids) => {
            let ids: Vec<Id> = ids.iter().map(|&id| name(id)).collect();
            index.writer().remove_many(&ids, &View::All).map(drop)
        }
        Operation::Decide(a, b, verdict) => {
            match index.writer().decide(&name(*a), &name(*b), *verdict, "me", &View::All) {
                Err(Error::Input(_)) => Ok(()),
                other => other.map(drop),
            }
        }
        Operation::Compact => index.writer().compact(),
        Operation::Checkpoint => index.writer().checkpoint(),
        Operation::Resign(number) => index.writer().resign(&recipe(RECIPES[*number])),
    }
}

impl Model {
    /// The states that an operation goes through, as far as a crash may show them; the last is its end.
    pub fn states(&self, operation: &Operation) -> Vec<Model> {
        let mut states = vec![self.clone()];
        let mut next = self.clone();
        match operation {
            Operation::Add(documents) => {
                for (id, text) in documents {
                    let entry = next.documents.entry(*id).or_insert((text.clone(), 1));
                    if entry.0 != *text {
                        *entry = (text.clone(), entry.1 + 1);
                    }
                    states.push(next.clone());
                }
            }
            Operation::Remove(ids) => next.documents.retain(|id, _| !ids.contains(id)),
            Operation::Decide(a, b, verdict) => {
                let text = |id| next.documents.get(id).map(|document| document.0.clone());
                if let (Some(a), Some(b)) = (text(a), text(b))
                    && a != b
                    && !a.is_empty()
                    && !b.is_empty()
                {
                    let pair = (a.clone().min(b.clone()), a.max(b));
                    match verdict {
                        Some(verdict) => next.decisions.insert(pair, *verdict),
                        None => next.decisions.remove(&pair),
                    };
                }
            }
            // A decision about texts that are gone cannot be made for other features.
            Operation::Resign(recipe) => {
                let lives = |text: &String| next.documents.values().any(|document| document.0 == *text);
                next.decisions.retain(|(a, b), _| *recipe == self.recipe || lives(a) && lives(b));
                next.recipe = *recipe;
            }
            Operation::Compact | Operation::Checkpoint => {}
        }
        states.push(next);
        states
    }

    pub fn after(&self, operation: &Operation) -> Model {
        self.states(operation).pop().unwrap()
    }

    /// Whether the index has this recipe and holds these documents, byte for byte, and as many decisions.
    pub fn is_in(&self, index: &Index) -> Result<bool> {
        let mut held = 0;
        let mut same = index.reader().stats(&View::All)?.decisions == self.decisions.len() as u64
            && index.recipe() == recipe(RECIPES[self.recipe]).to_toml();
        for (&id, (text, versions)) in &self.documents {
            let (Some(stored), Some(history)) =
                (index.reader().get(&name(id), &View::All)?, index.reader().history(&name(id), &View::All)?)
            else {
                return Ok(false);
            };
            same &= stored.document.get().as_bytes() == line(id, text) && history.versions.len() == *versions;
        }
        index.reader().documents_from(0, &mut |_, _| {
            held += 1;
            Ok(())
        })?;
        Ok(same && held == self.documents.len())
    }

    /// An index that never was interrupted, with the living documents in the order of their numbers.
    pub fn rebuilt(&self, folder: &Path, like: &Index) -> Result<Index> {
        let own = format!("generation-{}/native.lexicon", like.generation_number());
        let recipe = recipe(&like.recipe()).with_native_lexicon(&like.folder().join(own));
        let index = Index::create(folder, &recipe, registry())?;
        let texts: Vec<&String> = self.decisions.keys().flat_map(|(a, b)| [a, b]).collect();
        let told: Vec<Vec<u8>> = texts.iter().zip(1000..).map(|(text, id)| line(id, text)).collect();
        add(&index, &told)?;
        for (&verdict, id) in self.decisions.values().zip((1000..).step_by(2)) {
            index.writer().decide(&name(id), &name(id + 1), Some(verdict), "me", &View::All)?;
        }
        let ids: Vec<Id> = (1000..).take(told.len()).map(name).collect();
        index.writer().remove_many(&ids, &View::All)?;
        let mut lines = Vec::new();
        like.reader().documents_from(0, &mut |_, line| {
            lines.push(line.to_vec());
            Ok(())
        })?;
        add(&index, &lines)?;
        Ok(index)
    }

    /// Whether the index holds exactly this and answers as one that was never interrupted.
    pub fn agrees(&self, index: &Index) -> Result<bool> {
        if !self.is_in(index)? {
            return Ok(false);
        }
        let folder = tempfile::tempdir().unwrap();
        let rebuilt = self.rebuilt(folder.path(), index)?;
        Ok(answers(index)? == answers(&rebuilt)?)
    }
}

fn add(index: &Index, lines: &[Vec<u8>]) -> Result<()> {
    let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
    index
        .writer()
        .add_many(&lines, Policy::Report, &ask())?
        .into_iter()
        .try_for_each(|answer| answer.map(drop))
}

/// Every answer of an index, in an order that does not depend on its past.
pub fn answers(index: &Index) -> Result<BTreeMap<String, String>> {
    let mut lines = Vec::new();
    index.reader().documents_from(0, &mut |_, line| {
        lines.push(line.to_vec());
        Ok(())
    })?;
    let mut answers = BTreeMap::new();
    for line in lines {
        let mut answer = index.reader().check(&line, &ask())?;
        let id = answer.id.clone().unwrap();
        answer.matches.sort_by(|a, b| a.id.cmp(&b.id));
        // By what two texts were found depends on which was first, where a person decided.
        let mut told = format!("{:?} {:?} {}", answer.verdict, answer.master, answer.matching);
        for one in &answer.matches {
            let _ = write!(told, "\n{} {:?} {:?}", one.id.json(), one.similarity, one.contained_in);
        }
        let mut cluster = index.reader().cluster(&id, &View::All)?.unwrap();
        cluster.members.sort_by(|a, b| a.id.cmp(&b.id));
        let master = index.reader().get(&id, &View::All)?.unwrap().master;
        let _ = write!(told, "\n{master:?} {cluster:?}");
        answers.insert(id.json().to_owned(), told);
    }
    for mut cluster in index.reader().clusters(&View::All, None, usize::MAX)? {
        cluster.members.sort_by(|a, b| a.id.cmp(&b.id));
        answers.insert(format!("cluster {}", cluster.cluster.json()), format!("{cluster:?}"));
    }
    let Stats { documents, contents, clusters, duplicates, pairs, decisions, text_bytes, .. } =
        index.reader().stats(&View::All)?;
    let stats = [documents, contents, clusters, duplicates, pairs, decisions, text_bytes];
    answers.insert("stats".to_owned(), format!("{stats:?}"));
    Ok(answers)
}
