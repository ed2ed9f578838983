//! Removals that were carried out, each with the documents it took away, so that it can be undone.
//!
//! `DATA/removals/N` holds `documents.jsonl`, what was removed, with all that was known of it; `removed.jsonl`, why;
//! `about.json`; and `stayed.json`, the numbers of documents that were not what the plan said any more. The documents are
//! on disk before the first of them goes. What goes are the versions that a plan named, whatever has their ids by then.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use lookalike::Id;
use lookalike::index::survey::Survey;
use lookalike::index::{Ask, Departed, Departure, Evidence, Index, Policy, Refusal, Removal, View};
use lookalike::{Error, Result};
use lookalike_io::whole::{read_json_or_plain, write_json};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

const ABOUT: &str = "about.json";
const DOCUMENTS: &str = "documents.jsonl";
const EVIDENCE: &str = "removed.jsonl";
const STAYED: &str = "stayed.json";
const BATCH: usize = 1000;
/// Format 2 keeps what was known of the documents besides the documents themselves.
const FORMAT: u32 = 2;
/// Previews that can be carried out as they were shown, and documents in all of them.
const MOST_PLANS: usize = 64;
const MOST_PLANNED: usize = 4_000_000;

pub struct Removals {
    folder: PathBuf,
    /// One at a time.
    busy: Mutex<()>,
    plans: Mutex<RemovalPlans>,
}

/// What was previewed lately, the oldest first.
#[derive(Default)]
struct RemovalPlans {
    made: u64,
    kept: Vec<RemovalPlan>,
}

/// A preview that somebody may carry out.
pub struct RemovalPlan {
    name: String,
    pub keep: Option<String>,
    pub filter: String,
    numbering: u64,
    removals: Planned,
}

/// By the number of a document: the document that is kept instead, and its own id and labels.
type Planned = HashMap<u32, (u32, Id, Vec<String>)>;

/// A removal that was carried out, or begun.
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

/// What is to be removed.
pub struct RemovalRequest<'a> {
    pub by: &'a str,
    pub keep: Option<String>,
    pub filter: String,
    /// The clusters, as places in the survey.
    pub places: Vec<u32>,
    /// Only what this plan named, if there is one.
    pub plan: Option<&'a RemovalPlan>,
}

impl Removals {
    pub fn new(data: &Path) -> Removals {
        Removals { folder: data.join("removals"), busy: Mutex::new(()), plans: Mutex::default() }
    }

    fn alone(&self) -> MutexGuard<'_, ()> {
        self.busy.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers a preview, and gives its name.
    pub fn remember(&self, mut plan: RemovalPlan) -> String {
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        plans.made += 1;
        plan.name = format!("{:x}-{}", Ask::default().now, plans.made);
        let name = plan.name.clone();
        plans.keep(plan);
        name
    }

    /// Keeps a plan that could not be carried out.
    pub fn give_back(&self, plan: RemovalPlan) {
        self.plans.lock().unwrap_or_else(PoisonError::into_inner).keep(plan);
    }

    /// Takes a preview to carry it out, which can be done once, if its rules are these where any are given.
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

    /// The numbers of all folders, also of removals that ended before anything was removed.
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
        let _alone = self.alone();
        std::fs::create_dir_all(&self.folder).map_err(Error::io(&self.folder))?;
        // A number is never used twice: a damaged folder may hold all that is left of its documents.
        let number = self.numbers()?.into_iter().max().map_or(1, |last| last + 1);
        let folder = self.folder.join(number.to_string());
        std::fs::create_dir(&folder).map_err(Error::io(&folder))?;
        let path = folder.join(DOCUMENTS);
        let mut documents = BufWriter::new(File::create(&path).map_err(Error::io(&path))?);
        let evidence = folder.join(EVIDENCE);
        let evidence = BufWriter::new(File::create(&evidence).map_err(Error::io(&evidence))?);
        let mut evidence = index.surveyor().evidence(Evidence::Jsonl, &View::All, evidence)?;
        let mut going: Vec<(Departure, Id, Vec<String>)> = Vec::new();
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
                    if !is_meant(planned.as_mut(), &removal, keeper) {
                        continue;
                    }
                    let Some(departed) = index.reader().departing(removal.number)? else { continue };
                    let mut line =
                        serde_json::to_vec(&departed).map_err(|error| Error::Internal(error.to_string()))?;
                    line.push(b'\n');
                    documents.write_all(&line).map_err(Error::io(&path))?;
                    let departure = Departure { number: removal.number, keeper };
                    going.push((departure, removal.id.clone(), removal.labels.clone()));
                    removed.push(removal);
                }
                cluster.removals = removed;
                evidence.add(&cluster)
            },
        )?;
        evidence.finish()?;
        let file = documents.into_inner().map_err(|error| Error::io(&path)(error.into_error()))?;
        file.sync_all().map_err(Error::io(&path))?;
        let mut about = RemovalRecord {
            format: FORMAT,
            removal: number,
            time: Ask::default().now,
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
        // What the plan named and is not found like that any more.
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
            let departures: Vec<Departure> = batch.iter().map(|(departure, ..)| *departure).collect();
            for (place, reason) in index.writer().depart(survey.numbering, &departures)? {
                let (departure, id, labels) = &batch[place];
                stayed.push(departure.number);
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

    /// Puts back what a removal took, as it was; `None` if there is none of this number.
    pub fn undo(&self, index: &Index, number: u64) -> Result<Option<RemovalRecord>> {
        let _alone = self.alone();
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
                put_lines_back(index, &batch)?;
                continue;
            }
            let read = |line: &Vec<u8>| {
                let damaged = |_| Error::Incompatible(format!("{DOCUMENTS} of removal {number} is damaged"));
                serde_json::from_slice::<Departed>(line).map_err(damaged)
            };
            let mut departed = batch.iter().map(read).collect::<Result<Vec<_>>>()?;
            departed.retain(|one| !stayed.contains(&one.number));
            refused.extend(index.writer().put_back(&departed, &Ask::default())?);
        }
        about.not_restored = refused.iter().map(Refused::new).collect::<Result<_>>()?;
        about.undone = true;
        write_json(&folder.join(ABOUT), &about)?;
        Ok(Some(about))
    }
}

impl RemovalPlans {
    /// The newest stays, however large it is.
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

/// Whether there is no plan, or it named this removal, which is then taken out of it.
fn is_meant(planned: Option<&mut Planned>, removal: &Removal, keeper: u32) -> bool {
    let Some(planned) = planned else { return true };
    match planned.get(&removal.number) {
        Some(&(instead, ..)) if instead == keeper => planned.remove(&removal.number).is_some(),
        _ => false,
    }
}

/// Puts back documents of which nothing else was kept. Whoever came under the same name meanwhile stays.
fn put_lines_back(index: &Index, batch: &[Vec<u8>]) -> Result<()> {
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
    for answer in index.writer().add_many(&gone, Policy::Report, &Ask::default())? {
        answer?;
    }
    Ok(())
}

/// Versions before this one wrote no checksums.
fn read_if_there<T: DeserializeOwned>(path: &Path) -> Result<Option<T>> {
    if !path.try_exists().map_err(Error::io(path))? {
        return Ok(None);
    }
    read_json_or_plain(path).map(Some)
}
