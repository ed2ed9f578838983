//! Notes and tags on pairs, batches and saved filters, in `DATA/review.log`.
//!
//! A log of checksummed frames, each a change as JSON; the first one tells the format. A change is on disk before it is
//! acknowledged. Without the file there are none of these things.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use lookalike::index::{PinnedFile, View};
use lookalike::{Error, Id, Result};
use lookalike_plumbing::clock;
use lookalike_plumbing::files::{folder_of, make_durable, sync_folder};
use lookalike_plumbing::log::{Frames, Framing, Log};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const FILE: &str = "review.log";
const FORMAT: u32 = 1;
/// "LKRV".
const MARK: u32 = 0x5652_4b4c;
const MOST_NOTE: usize = 4000;
const MOST_TAGS: usize = 20;
const MOST_NAME: usize = 100;
const MOST_BATCHES: usize = 1000;
const MOST_FILTERS: usize = 100;

/// A document by its id as JSON and its labels in order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Named {
    pub id: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
}

/// Two documents, the same whichever comes first.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct PairName(Named, Named);

/// What a person noted of a pair.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Note {
    pub by: String,
    /// Seconds since 1970.
    pub time: u64,
    pub text: String,
}

/// What people said of a pair beside the decision.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Remarks {
    /// At most one of each person, by name.
    pub notes: Vec<Note>,
    pub tags: Vec<String>,
}

/// Pairs that some people are to decide of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Batch {
    pub batch: u64,
    pub name: String,
    pub assignees: Vec<String>,
    pub by: String,
    pub time: u64,
    pub pairs: Vec<PairName>,
}

/// A filter that a person has given a name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SavedFilter {
    pub name: String,
    /// As in /api/survey/clusters.
    pub filter: String,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "kebab-case")]
enum Change {
    Format {
        format: u32,
    },
    /// An empty text takes the note away.
    Note {
        pair: PairName,
        note: Note,
    },
    Tags {
        pair: PairName,
        tags: BTreeSet<String>,
    },
    Batch(Batch),
    DropBatch {
        batch: u64,
    },
    Filter {
        by: String,
        filter: SavedFilter,
    },
    DropFilter {
        by: String,
        name: String,
    },
}

pub struct ReviewStore {
    path: PathBuf,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    /// Made with the first change.
    log: Option<Log>,
    pairs: HashMap<PairName, PairRemarks>,
    batches: BTreeMap<u64, Batch>,
    /// The number of the last batch that was ever made.
    last_batch: u64,
    filters: BTreeMap<(String, String), String>,
}

#[derive(Default)]
struct PairRemarks {
    notes: BTreeMap<String, Note>,
    tags: BTreeSet<String>,
}

impl PairName {
    pub fn new((a, a_labels): (&Id, &[String]), (b, b_labels): (&Id, &[String])) -> PairName {
        let named = |id: &Id, labels: &[String]| {
            let mut labels = labels.to_vec();
            labels.sort_unstable();
            labels.dedup();
            Named { id: id.json().to_owned(), labels }
        };
        let (a, b) = (named(a, a_labels), named(b, b_labels));
        if a <= b { PairName(a, b) } else { PairName(b, a) }
    }

    /// The ids and labels of the two.
    pub fn names(&self) -> [(Id, &[String]); 2] {
        [&self.0, &self.1].map(|named| (Id::from_json(&*named.id), named.labels.as_slice()))
    }

    /// Whether a caller with this view sees both, if they exist.
    pub fn is_visible(&self, view: &View) -> bool {
        view.sees(&self.0.labels) && view.sees(&self.1.labels)
    }
}

impl ReviewStore {
    pub fn open(data: &Path) -> Result<ReviewStore> {
        let path = data.join(FILE);
        let held = ReviewStore::read(&path)?;
        Ok(ReviewStore { path, held: Mutex::new(held) })
    }

    fn read(path: &Path) -> Result<Held> {
        let mut held = Held::default();
        if path.try_exists().map_err(Error::io(path))? {
            let frames = Frames::read(path, MARK)?;
            let damaged = |what: &str| {
                let what = format!(
                    "{what}: restore it from a copy, or remove it to begin without notes and batches"
                );
                Error::damaged(path, what)
            };
            if frames.behind().next().is_some() {
                return Err(damaged("is damaged in the middle"));
            }
            let mut count = 0;
            for frame in frames.iter() {
                let change: Change = serde_json::from_slice(frame)
                    .map_err(|_| damaged("has a change that nobody understands"))?;
                if let Change::Format { format } = change
                    && format > FORMAT
                {
                    let message =
                        format!("{FILE} was written by a newer version: use that, or a copy made before");
                    return Err(Error::Incompatible(message));
                }
                held.apply(change);
                count += 1;
            }
            // A frame that was not finished is cut off. If not even the first was, the file is begun again.
            if count > 0 {
                held.log = Some(Log::continue_after(path, Framing::Marked(MARK), &frames, count)?);
            }
        }
        Ok(held)
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts a change on disk and then into effect.
    fn change(&self, held: &mut Held, change: Change) -> Result<()> {
        let json =
            |change: &Change| serde_json::to_vec(change).map_err(|error| Error::Internal(error.to_string()));
        if held.log.is_none() {
            let log = Log::create(&self.path, Framing::Marked(MARK))?;
            log.append(&json(&Change::Format { format: FORMAT })?)?;
            sync_folder(folder_of(&self.path))?;
            held.log = Some(log);
        }
        if let Some(log) = &held.log {
            log.append(&json(&change)?)?;
            let (file, path) = log.handle()?;
            file.sync_data().map_err(Error::io(&path))?;
        }
        held.apply(change);
        Ok(())
    }

    /// The file as it is now, for a snapshot.
    pub fn pin(&self, data: &Path) -> Result<Option<PinnedFile>> {
        let held = self.lock();
        let Some(log) = &held.log else { return Ok(None) };
        Ok(Some(PinnedFile { length: log.bytes(), ..PinnedFile::open(data, &self.path)? }))
    }

    /// Forgets notes, tags and places in batches of documents, and writes the file anew without them.
    pub fn erase(&self, ids: &BTreeSet<Id>) -> Result<()> {
        let mut held = self.lock();
        if held.log.is_none() {
            return Ok(());
        }
        make_durable(&self.path, |path| {
            let log = Log::create(path, Framing::Marked(MARK))?;
            for change in held.changes(|pair| !pair.names().iter().any(|(id, _)| ids.contains(id))) {
                let json = serde_json::to_vec(&change).map_err(|error| Error::Internal(error.to_string()))?;
                log.append(&json)?;
            }
            Ok(())
        })?;
        *held = ReviewStore::read(&self.path)?;
        Ok(())
    }

    pub fn remarks(&self, pair: &PairName) -> Remarks {
        self.lock().pairs.get(pair).map_or_else(Remarks::default, PairRemarks::told)
    }

    /// Replaces the note of a person; an empty text takes it away.
    pub fn note(&self, pair: PairName, by: &str, text: &str) -> Result<()> {
        let text = text.trim();
        if text.chars().count() > MOST_NOTE {
            return Err(Error::config(format!("a note has at most {MOST_NOTE} characters")));
        }
        let note = Note { by: by.to_owned(), time: clock::now(), text: text.to_owned() };
        self.change(&mut self.lock(), Change::Note { pair, note })
    }

    /// Replaces the tags of a pair.
    pub fn tag(&self, pair: PairName, tags: &[String]) -> Result<()> {
        let tags: BTreeSet<String> = tags.iter().map(|tag| tag.trim().to_owned()).collect();
        if tags.len() > MOST_TAGS {
            return Err(Error::config(format!("a pair has at most {MOST_TAGS} tags")));
        }
        tags.iter().try_for_each(|tag| check_name("a tag", tag))?;
        self.change(&mut self.lock(), Change::Tags { pair, tags })
    }

    /// The pairs with a tag that a caller may see, in an order that stays.
    pub fn tagged(&self, tag: &str, view: &View) -> Vec<PairName> {
        let held = self.lock();
        let with_tag =
            held.pairs.iter().filter(|(pair, remarks)| remarks.tags.contains(tag) && pair.is_visible(view));
        let mut pairs: Vec<PairName> = with_tag.map(|(pair, _)| pair.clone()).collect();
        pairs.sort_unstable_by(|one, other| (&one.0, &one.1).cmp(&(&other.0, &other.1)));
        pairs
    }

    /// All tags with the number of pairs that have them, as far as a caller may see these.
    pub fn tags(&self, view: &View) -> BTreeMap<String, u64> {
        let mut tags = BTreeMap::new();
        let held = self.lock();
        for (_, remarks) in held.pairs.iter().filter(|(pair, _)| pair.is_visible(view)) {
            for tag in &remarks.tags {
                *tags.entry(tag.clone()).or_default() += 1;
            }
        }
        tags
    }

    /// Those with a pair that the caller may see, and only such pairs.
    pub fn batches(&self, view: &View) -> Vec<Batch> {
        let held = self.lock();
        let seen = held.batches.values().map(|batch| visible(batch, view));
        seen.filter(|batch| !batch.pairs.is_empty()).collect()
    }

    pub fn batch(&self, number: u64, view: &View) -> Option<Batch> {
        let batch = visible(self.lock().batches.get(&number)?, view);
        (!batch.pairs.is_empty()).then_some(batch)
    }

    /// Stores a batch of those pairs that no other has.
    pub fn add_batch(
        &self,
        name: &str,
        assignees: &[String],
        by: &str,
        pairs: impl Iterator<Item = PairName>,
        most: usize,
    ) -> Result<Batch> {
        check_name("a batch", name)?;
        let mut assignees: Vec<String> = assignees.iter().map(|name| name.trim().to_owned()).collect();
        assignees.sort_unstable();
        assignees.dedup();
        if assignees.is_empty() {
            return Err(Error::config("a batch needs somebody who is to do it: name one in `assignees`"));
        }
        assignees.iter().try_for_each(|name| check_name("a person", name))?;
        let mut held = self.lock();
        if held.batches.len() >= MOST_BATCHES {
            return Err(Error::config(format!("there are {MOST_BATCHES} batches: remove one that is done")));
        }
        let taken = held.batches.values().flat_map(|batch| &batch.pairs).collect::<HashSet<_>>();
        let pairs: Vec<PairName> = pairs.filter(|pair| !taken.contains(pair)).take(most).collect();
        if pairs.is_empty() {
            return Err(Error::config("no pair is left for this batch: choose another filter"));
        }
        let batch = Batch {
            batch: held.last_batch + 1,
            name: name.trim().to_owned(),
            assignees,
            by: by.to_owned(),
            time: clock::now(),
            pairs,
        };
        self.change(&mut held, Change::Batch(batch.clone()))?;
        Ok(batch)
    }

    /// Forgets a batch; its decisions stay. Returns whether the caller saw one.
    pub fn drop_batch(&self, number: u64, view: &View) -> Result<bool> {
        let mut held = self.lock();
        let is_seen = held
            .batches
            .get(&number)
            .is_some_and(|batch| batch.pairs.iter().any(|pair| pair.is_visible(view)));
        if is_seen {
            self.change(&mut held, Change::DropBatch { batch: number })?;
        }
        Ok(is_seen)
    }

    /// The filters that a person saved, by name.
    pub fn filters(&self, by: &str) -> Vec<SavedFilter> {
        let held = self.lock();
        let own = held.filters.iter().filter(|((person, _), _)| person == by);
        own.map(|((_, name), filter)| SavedFilter { name: name.clone(), filter: filter.clone() }).collect()
    }

    /// Saves a filter in place of one with the same name.
    pub fn save_filter(&self, by: &str, filter: SavedFilter) -> Result<()> {
        check_name("a filter", &filter.name)?;
        let mut held = self.lock();
        let own = held.filters.keys().filter(|(person, name)| person == by && *name != filter.name).count();
        if own >= MOST_FILTERS {
            return Err(Error::config(format!("there are {MOST_FILTERS} filters: remove one first")));
        }
        self.change(&mut held, Change::Filter { by: by.to_owned(), filter })
    }

    /// Returns whether there was one.
    pub fn drop_filter(&self, by: &str, name: &str) -> Result<bool> {
        let mut held = self.lock();
        let known = held.filters.contains_key(&(by.to_owned(), name.to_owned()));
        if known {
            self.change(&mut held, Change::DropFilter { by: by.to_owned(), name: name.to_owned() })?;
        }
        Ok(known)
    }
}

impl Held {
    /// What makes all of this, with only some of the pairs.
    fn changes(&self, is_kept: impl Fn(&PairName) -> bool) -> Vec<Change> {
        let mut changes = vec![Change::Format { format: FORMAT }];
        for (pair, remarks) in self.pairs.iter().filter(|(pair, _)| is_kept(pair)) {
            changes.push(Change::Tags { pair: pair.clone(), tags: remarks.tags.clone() });
            let notes = remarks.notes.values().cloned();
            changes.extend(notes.map(|note| Change::Note { pair: pair.clone(), note }));
        }
        for batch in self.batches.values() {
            let pairs = batch.pairs.iter().filter(|pair| is_kept(pair)).cloned().collect();
            changes.push(Change::Batch(Batch { pairs, ..batch.clone() }));
        }
        if self.last_batch > 0 && !self.batches.contains_key(&self.last_batch) {
            // Numbers are not given twice.
            let (name, by) = (String::new(), String::new());
            let last =
                Batch { batch: self.last_batch, name, by, assignees: Vec::new(), time: 0, pairs: Vec::new() };
            changes.extend([Change::Batch(last), Change::DropBatch { batch: self.last_batch }]);
        }
        for ((by, name), filter) in &self.filters {
            let filter = SavedFilter { name: name.clone(), filter: filter.clone() };
            changes.push(Change::Filter { by: by.clone(), filter });
        }
        changes
    }

    fn apply(&mut self, change: Change) {
        match change {
            Change::Format { .. } => {}
            Change::Note { pair, note } => {
                let notes = &mut self.pairs.entry(pair).or_default().notes;
                if note.text.is_empty() {
                    notes.remove(&note.by);
                } else {
                    notes.insert(note.by.clone(), note);
                }
            }
            Change::Tags { pair, tags } => self.pairs.entry(pair).or_default().tags = tags,
            Change::Batch(batch) => {
                self.last_batch = self.last_batch.max(batch.batch);
                self.batches.insert(batch.batch, batch);
            }
            Change::DropBatch { batch } => {
                self.batches.remove(&batch);
            }
            Change::Filter { by, filter } => {
                self.filters.insert((by, filter.name), filter.filter);
            }
            Change::DropFilter { by, name } => {
                self.filters.remove(&(by, name));
            }
        }
    }
}

impl PairRemarks {
    fn told(&self) -> Remarks {
        Remarks { notes: self.notes.values().cloned().collect(), tags: self.tags.iter().cloned().collect() }
    }
}

fn visible(batch: &Batch, view: &View) -> Batch {
    let pairs = batch.pairs.iter().filter(|pair| pair.is_visible(view)).cloned().collect();
    Batch { pairs, ..batch.clone() }
}

fn check_name(what: &str, name: &str) -> Result<()> {
    let length = name.trim().chars().count();
    if length == 0 || length > MOST_NAME || name.chars().any(char::is_control) {
        return Err(Error::config(format!("{what} needs a name of 1 to {MOST_NAME} printable characters")));
    }
    Ok(())
}
