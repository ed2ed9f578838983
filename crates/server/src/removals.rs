//! Applied removals, each stored with the removed documents, so that it can be undone.
//!
//! `DATA/removals/N` contains `documents.jsonl`, the removed documents with everything known about them;
//! `removed.jsonl`, why they were removed; `about.json`; and `stayed.json`, the numbers of documents that had
//! changed since the plan and stayed. The documents are on disk before the first of them is removed. Exactly the
//! versions of the plan are removed, whichever documents have their ids by then.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use lookalike::Id;
use lookalike::index::survey::Survey;
use lookalike::index::{
    Index, PlannedRemoval, Policy, QueryOptions, Refusal, Removal, RemovalReportFormat, RemovedDocument, View,
};
use lookalike::{Error, Result};
use lookalike_plumbing::files::{AtomicFile, folder_of, sync_folder};
use lookalike_plumbing::json::{read_json_or_plain, write_json};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

const ABOUT: &str = "about.json";
const DOCUMENTS: &str = "documents.jsonl";
const EVIDENCE: &str = "removed.jsonl";
const STAYED: &str = "stayed.json";
const BATCH: usize = 1000;
/// Format 2 also stores what is known about the documents.
const FORMAT: u32 = 2;
/// How many previews can still be applied as they were shown, and how many documents all of them may have.
const MOST_PLANS: usize = 64;
const MOST_PLANNED: usize = 4_000_000;

pub struct Removals {
    folder: PathBuf,
    /// Held while a removal is applied or undone.
    busy: Mutex<()>,
    plans: Mutex<RemovalPlans>,
}

/// Recent previews, the oldest first.
#[derive(Default)]
struct RemovalPlans {
    made: u64,
    kept: Vec<RemovalPlan>,
}

/// A preview that can be applied.
pub struct RemovalPlan {
    name: String,
    pub keep: Option<String>,
    pub filter: String,
    numbering: u64,
    removals: Planned,
}

/// By the number of a document: the keeper, and the id and labels of the document.
type Planned = HashMap<u32, (u32, Id, Vec<String>)>;

/// A removal that was applied, or at least started.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "Removal")]
pub struct RemovalRecord {
    /// The format of the stored files.
    #[serde(default = "first_format")]
    format: u32,
    pub removal: u64,
    /// Seconds since 1970.
    pub time: u64,
    pub by: String,
    pub keep: Option<String>,
    pub filter: String,
    pub documents: u64,
    /// False if the service ended before all were removed; `undo` puts back those that were.
    pub complete: bool,
    pub undone: bool,
    /// Documents of the plan that changed since it was made: they stayed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<Refused>,
    /// Documents that could not be put back.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_restored: Vec<Refused>,
}

fn first_format() -> u32 {
    1
}

/// A document that stayed as it was.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Refused {
    #[schemars(with = "Id")]
    id: Box<RawValue>,
    /// Its access labels, which belong to its name; left out if it has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    labels: Vec<String>,
    reason: String,
}

impl Refused {
    fn new(refusal: &Refusal) -> Result<Refused> {
        let broken = |_| Error::Internal("an id is no JSON".to_owned());
        Ok(Refused {
            id: RawValue::from_string(refusal.id.json().to_owned()).map_err(broken)?,
            labels: refusal.labels.clone(),
            reason: refusal.reason.clone(),
        })
    }
}

/// What to remove.
pub struct RemovalRequest<'a> {
    pub by: &'a str,
    pub keep: Option<String>,
    pub filter: String,
    /// The clusters, by place in the survey.
    pub places: Vec<u32>,
    /// If given, only removals of this plan are applied.
    pub plan: Option<&'a RemovalPlan>,
}

impl Removals {
    pub fn new(data: &Path) -> Removals {
        Removals { folder: data.join("removals"), busy: Mutex::new(()), plans: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, ()> {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `work` while nothing is removed or restored, with the files of all removals.
    pub fn while_idle<T>(&self, work: impl FnOnce(Vec<PathBuf>) -> Result<T>) -> Result<T> {
        let _lock = self.lock();
        let mut files = Vec::new();
        for number in self.numbers()? {
            let folder = self.folder.join(number.to_string());
            for entry in std::fs::read_dir(&folder).map_err(Error::io(&folder))? {
                let entry = entry.map_err(Error::io(&folder))?;
                if entry.file_type().map_err(Error::io(&folder))?.is_file() {
                    files.push(entry.path());
                }
            }
        }
        work(files)
    }

    /// Forgets documents that were removed: they cannot be restored any more, and no file tells of them.
    pub fn erase(&self, ids: &BTreeSet<Id>) -> Result<()> {
        let _lock = self.lock();
        self.plans.lock().unwrap_or_else(PoisonError::into_inner).kept.clear();
        for number in self.numbers()? {
            let folder = self.folder.join(number.to_string());
            for name in [DOCUMENTS, EVIDENCE] {
                erase_lines(&folder.join(name), ids)?;
            }
            if let Some(mut about) = self.about(number)? {
                let before = about.refused.len() + about.not_restored.len();
                let stays = |refused: &Refused| !ids.contains(&Id::from_json(refused.id.get()));
                about.refused.retain(stays);
                about.not_restored.retain(stays);
                if about.refused.len() + about.not_restored.len() < before {
                    write_json(&folder.join(ABOUT), &about)?;
                }
            }
        }
        Ok(())
    }

    /// Stores a preview and returns its name.
    pub fn remember(&self, mut plan: RemovalPlan) -> String {
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        plans.made += 1;
        plan.name = format!("{:x}-{}", QueryOptions::default().now, plans.made);
        let name = plan.name.clone();
        plans.keep(plan);
        name
    }

    /// Stores a plan again that could not be applied.
    pub fn give_back(&self, plan: RemovalPlan) {
        self.plans.lock().unwrap_or_else(PoisonError::into_inner).keep(plan);
    }

    /// Takes a preview out, to apply it; this works once. If rules are given they must be those of the preview.
    /// `None` if it is unknown.
    pub fn planned(
        &self,
        name: &str,
        keep: Option<&str>,
        filter: Option<&str>,
    ) -> Result<Option<RemovalPlan>> {
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(place) = plans.kept.iter().position(|plan| plan.name == name) else { return Ok(None) };
        let plan = &plans.kept[place];
        let same_rules = keep.is_none() || keep == plan.keep.as_deref();
        if !same_rules || filter.is_some_and(|filter| filter != plan.filter) {
            let message = "`keep` and `filter` are not those of the plan: leave them out, or the plan";
            return Err(Error::config(message));
        }
        Ok(Some(plans.kept.remove(place)))
    }

    /// The newest first.
    pub fn list(&self) -> Result<Vec<RemovalRecord>> {
        let mut numbers = self.numbers()?;
        numbers.sort_unstable_by_key(|&number| std::cmp::Reverse(number));
        numbers.into_iter().filter_map(|number| self.about(number).transpose()).collect()
    }

    /// The numbers of all folders, including those of removals that failed before anything was removed.
    fn numbers(&self) -> Result<Vec<u64>> {
        let failed = Error::io(&self.folder);
        let entries = match std::fs::read_dir(&self.folder) {
            Ok(entries) => entries.collect::<std::io::Result<Vec<_>>>().map_err(failed)?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(error)),
        };
        Ok(entries.iter().filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect())
    }

    fn about(&self, number: u64) -> Result<Option<RemovalRecord>> {
        read_if_there(&self.folder.join(number.to_string()).join(ABOUT))
    }

    /// Removes documents of the clusters from the index.
    pub fn apply(
        &self,
        index: &Index,
        survey: &Survey,
        request: RemovalRequest<'_>,
    ) -> Result<RemovalRecord> {
        let _lock = self.lock();
        std::fs::create_dir_all(&self.folder).map_err(Error::io(&self.folder))?;
        // Numbers are never reused: a damaged folder may contain the only copy of its documents.
        let number = self.numbers()?.into_iter().max().map_or(1, |last| last + 1);
        let folder = self.folder.join(number.to_string());
        std::fs::create_dir(&folder).map_err(Error::io(&folder))?;
        let mut documents = AtomicFile::create(&folder.join(DOCUMENTS))?;
        let report = folder.join(EVIDENCE);
        let report = BufWriter::new(File::create(&report).map_err(Error::io(&report))?);
        let mut report = index.surveyor().removal_report(RemovalReportFormat::Jsonl, &View::All, report)?;
        let mut going: Vec<(PlannedRemoval, Id, Vec<String>)> = Vec::new();
        let mut planned = request.plan.map(|plan| plan.removals.clone());
        if request.plan.is_some_and(|plan| plan.numbering != survey.numbering) {
            return Err(Error::input("the index has other numbers for its documents by now: look again"));
        }
        index.surveyor().plan_removals(
            survey,
            &request.places,
            request.keep.as_deref(),
            &mut |mut cluster| {
                let mut removed = Vec::with_capacity(cluster.removals.len());
                let keeper = cluster.keeper;
                for removal in std::mem::take(&mut cluster.removals) {
                    if !is_planned(planned.as_mut(), &removal, keeper) {
                        continue;
                    }
                    let Some(removed_document) = index.reader().removal_backup(removal.number)? else {
                        continue;
                    };
                    let mut line = serde_json::to_vec(&removed_document)
                        .map_err(|error| Error::Internal(error.to_string()))?;
                    line.push(b'\n');
                    documents.write(&line)?;
                    let planned_removal = PlannedRemoval { number: removal.number, keeper };
                    going.push((planned_removal, removal.id.clone(), removal.labels.clone()));
                    removed.push(removal);
                }
                cluster.removals = removed;
                report.add(&cluster)
            },
        )?;
        report.finish()?;
        documents.finish_synced()?;
        let mut about = RemovalRecord {
            format: FORMAT,
            removal: number,
            time: QueryOptions::default().now,
            by: request.by.to_owned(),
            keep: request.keep,
            filter: request.filter,
            documents: going.len() as u64,
            complete: false,
            undone: false,
            refused: Vec::new(),
            not_restored: Vec::new(),
        };
        write_json(&folder.join(ABOUT), &about)?;
        // Planned removals that do not apply any more.
        let mut refused: Vec<(Id, Vec<String>, &str)> = Vec::new();
        let left = planned.into_iter().flatten().map(|(_, named)| named);
        refused.extend(left.map(|(_, id, labels)| {
            (
                id,
                labels,
                "it, its cluster or the document that is kept instead changed since the plan was made",
            )
        }));
        let mut stayed: Vec<u32> = Vec::new();
        for batch in going.chunks(BATCH) {
            let planned_removals: Vec<PlannedRemoval> =
                batch.iter().map(|(planned_removal, ..)| *planned_removal).collect();
            for (place, reason) in index.writer().remove_planned(survey.numbering, &planned_removals)? {
                let (planned_removal, id, labels) = &batch[place];
                stayed.push(planned_removal.number);
                refused.push((id.clone(), labels.clone(), reason));
            }
        }
        refused.sort_by(|a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
        about.documents -= stayed.len() as u64;
        if !stayed.is_empty() {
            write_json(&folder.join(STAYED), &stayed)?;
        }
        for (id, labels, reason) in refused {
            about.refused.push(Refused::new(&Refusal { id, labels, reason: reason.to_owned() })?);
        }
        about.complete = true;
        write_json(&folder.join(ABOUT), &about)?;
        Ok(about)
    }

    /// Restores what a removal deleted; `None` if there is no removal with this number.
    pub fn undo(&self, index: &Index, number: u64) -> Result<Option<RemovalRecord>> {
        let _lock = self.lock();
        let Some(mut about) = self.about(number)? else { return Ok(None) };
        if about.undone {
            return Ok(Some(about));
        }
        if about.format > FORMAT {
            return Err(Error::Incompatible(format!("removal {number} was written by a newer version")));
        }
        let folder = self.folder.join(number.to_string());
        let stayed: HashSet<u32> = read_if_there(&folder.join(STAYED))?.unwrap_or_default();
        let path = folder.join(DOCUMENTS);
        let mut lines = BufReader::new(File::open(&path).map_err(Error::io(&path))?).split(b'\n').peekable();
        let mut refused = Vec::new();
        while lines.peek().is_some() {
            let batch =
                lines.by_ref().take(BATCH).collect::<std::io::Result<Vec<_>>>().map_err(Error::io(&path))?;
            if about.format == first_format() {
                restore_lines(index, &batch)?;
                continue;
            }
            let read = |line: &Vec<u8>| {
                let damaged = |_| Error::Incompatible(format!("{DOCUMENTS} of removal {number} is damaged"));
                serde_json::from_slice::<RemovedDocument>(line).map_err(damaged)
            };
            let mut removed_document = batch.iter().map(read).collect::<Result<Vec<_>>>()?;
            removed_document.retain(|one| !stayed.contains(&one.number));
            refused.extend(index.writer().restore(&removed_document, &QueryOptions::default())?);
        }
        about.not_restored = refused.iter().map(Refused::new).collect::<Result<_>>()?;
        about.undone = true;
        write_json(&folder.join(ABOUT), &about)?;
        Ok(Some(about))
    }
}

impl RemovalPlans {
    /// Stores a plan. The newest is always kept, however large it is.
    fn keep(&mut self, plan: RemovalPlan) {
        self.kept.push(plan);
        let planned = |plans: &[RemovalPlan]| plans.iter().map(|plan| plan.removals.len()).sum::<usize>();
        while self.kept.len() > MOST_PLANS || self.kept.len() > 1 && planned(&self.kept) > MOST_PLANNED {
            self.kept.remove(0);
        }
    }
}

impl RemovalPlan {
    pub fn new(keep: Option<String>, filter: String, numbering: u64) -> RemovalPlan {
        RemovalPlan { name: String::new(), keep, filter, numbering, removals: HashMap::new() }
    }

    pub fn add(&mut self, removals: &[Removal], keeper: u32) {
        let named =
            |removal: &Removal| (removal.number, (keeper, removal.id.clone(), removal.labels.clone()));
        self.removals.extend(removals.iter().map(named));
    }
}

/// Whether a removal is part of the plan, or there is none. A planned removal is taken out of the plan.
fn is_planned(planned: Option<&mut Planned>, removal: &Removal, keeper: u32) -> bool {
    let Some(planned) = planned else { return true };
    match planned.get(&removal.number) {
        Some(&(instead, ..)) if instead == keeper => planned.remove(&removal.number).is_some(),
        _ => false,
    }
}

/// Restores documents of format 1, of which only the lines were stored. Newer documents with the same name stay.
fn restore_lines(index: &Index, batch: &[Vec<u8>]) -> Result<()> {
    #[derive(Deserialize)]
    struct Line<'a> {
        #[serde(borrow)]
        id: &'a RawValue,
        #[serde(default)]
        labels: Option<Vec<String>>,
    }
    let mut gone: Vec<&[u8]> = Vec::new();
    for line in batch {
        let Ok(named) = serde_json::from_slice::<Line<'_>>(line) else { continue };
        let (id, labels) = (Id::from_json(named.id.get()), named.labels.unwrap_or_default());
        if index.reader().number_of((&id, Some(labels.as_slice())), &View::All)?.is_none() {
            gone.push(line);
        }
    }
    for answer in index.writer().add_many(&gone, Policy::Report, &QueryOptions::default())? {
        answer?;
    }
    Ok(())
}

/// Writes a file of JSON lines without those about one of the documents.
fn erase_lines(path: &Path, ids: &BTreeSet<Id>) -> Result<()> {
    let lines = match File::open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        file => BufReader::new(file.map_err(Error::io(path))?).split(b'\n'),
    };
    let mut out = AtomicFile::create(path)?;
    let mut erased = false;
    for line in lines {
        let line = line.map_err(Error::io(path))?;
        if mentions(&line, ids) {
            erased = true;
            continue;
        }
        out.write(&line)?;
        out.write(b"\n")?;
    }
    if erased { out.finish_synced().and_then(|()| sync_folder(folder_of(path))) } else { Ok(()) }
}

/// Whether a line is about one of the documents, or names it in the place of another.
fn mentions(line: &[u8], ids: &BTreeSet<Id>) -> bool {
    #[derive(Deserialize)]
    struct Named<'a> {
        #[serde(borrow)]
        id: Option<&'a RawValue>,
        #[serde(borrow)]
        keeper: Option<&'a RawValue>,
        #[serde(borrow)]
        cluster: Option<&'a RawValue>,
        #[serde(borrow)]
        document: Option<&'a RawValue>,
    }
    let Ok(named) = serde_json::from_slice::<Named<'_>>(line) else { return false };
    let is_one = |id: &RawValue| ids.contains(&Id::from_json(id.get()));
    [named.id, named.keeper, named.cluster].into_iter().flatten().any(is_one)
        || named.document.is_some_and(|document| mentions(document.get().as_bytes(), ids))
}

/// Reads a file if it exists. Earlier versions wrote no checksums.
fn read_if_there<T: DeserializeOwned>(path: &Path) -> Result<Option<T>> {
    if !path.try_exists().map_err(Error::io(path))? {
        return Ok(None);
    }
    read_json_or_plain(path).map(Some)
}
