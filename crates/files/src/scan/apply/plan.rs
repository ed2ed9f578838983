//! Which files an action applies to, and why others are skipped. Changes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use lookalike_core::{Error, Result};
use serde::Serialize;

use super::check::{Entry, Found, entry_of, nearest_folder, real_path, writable};
use super::disk;
use super::spelling;
use super::trash::Wastebaskets;
use super::{Action, ActionRequest};
use crate::scan::shown::{is_page_only, is_partly_read};
use crate::scan::{ScanCluster, ScanMember, ScanReport};
use lookalike_io::names::name_of;

/// What would be done and what would not; everything is checked and nothing changed.
#[derive(Clone, Debug, Serialize)]
pub struct ActionPlan {
    /// The action for each duplicate.
    pub action: Action,
    /// One for each duplicate.
    pub steps: Vec<Step>,
    /// Duplicates that are left alone, and why.
    pub passed_over: Vec<SkippedFile>,
}

/// One duplicate to act on.
#[derive(Clone, Debug, Serialize)]
pub struct Step {
    /// The number of the cluster in the report.
    pub cluster: u64,
    /// As the report spells it.
    pub path: String,
    /// The document that is kept instead.
    pub master: String,
    /// How alike the two are.
    pub similarity: f64,
    /// The length of the file.
    pub bytes: u64,
    /// Its new path, or the wastebasket; absent for a link or a list.
    #[serde(skip_serializing_if = "Option::is_none", serialize_with = "spelling::shown")]
    pub to: Option<PathBuf>,
    #[serde(skip)]
    pub(super) duplicate: Found,
    #[serde(skip)]
    pub(super) kept: Found,
}

/// A file that is left as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SkippedFile {
    /// The file.
    pub path: String,
    /// Why it is left alone.
    pub reason: String,
}

impl ActionPlan {
    /// Bytes of all files to act on.
    pub fn bytes(&self) -> u64 {
        self.steps.iter().map(|step| step.bytes).sum()
    }
}

/// Makes the plan for the result of a scan. An error means that the request is wrong; a file that
/// cannot be acted on is skipped.
pub fn plan(report: &ScanReport, request: &ActionRequest) -> Result<ActionPlan> {
    plan_with(report, request, &Wastebaskets::of_this_user())
}

pub(super) fn plan_with(
    report: &ScanReport,
    request: &ActionRequest,
    baskets: &Wastebaskets,
) -> Result<ActionPlan> {
    let operation = match (request.action, &request.to) {
        (Action::Move, Some(to)) => {
            Operation::Move { target: target(to)?, base: common_folder(&request.roots)? }
        }
        (Action::Move, None) => return Err(Error::config("to move duplicates, say to which folder")),
        (_, Some(_)) => return Err(Error::config(format!("{} takes no folder", request.action.name()))),
        (Action::List, None) => Operation::List,
        (Action::Link, None) => Operation::Link,
        (Action::Trash, None) => Operation::Trash(baskets),
    };
    let kept = Kept::of(report, request);
    let mut plan = ActionPlan { action: request.action, steps: Vec::new(), passed_over: Vec::new() };
    for cluster in &report.clusters {
        let master = find_master(cluster);
        let copies = Copies::of(cluster);
        for member in cluster.members.iter().filter(|member| member.id != cluster.master) {
            match step(cluster, member, &master, &copies, &kept, &operation) {
                Ok(step) => plan.steps.push(step),
                Err(reason) => plan.passed_over.push(SkippedFile { path: member.id.clone(), reason }),
            }
        }
    }
    Ok(plan)
}

enum Operation<'a> {
    List,
    Move { target: PathBuf, base: PathBuf },
    Link,
    Trash(&'a Wastebaskets),
}

fn find_master(cluster: &ScanCluster) -> Result<(&ScanMember, Found), String> {
    let master = cluster.members.iter().find(|member| member.id == cluster.master);
    let master = master.ok_or("its master is not in the report")?;
    match Found::as_scanned(master) {
        Ok(found) => Ok((master, found)),
        Err(reason) => Err(format!("its master {} {}", cluster.master, reason.of_another())),
    }
}

fn step(
    cluster: &ScanCluster,
    member: &ScanMember,
    master: &Result<(&ScanMember, Found), String>,
    copies: &Copies,
    kept: &Kept,
    operation: &Operation,
) -> Result<Step, String> {
    if member.part.is_some() {
        return Err("is a part within a file".to_owned());
    }
    let is_link = matches!(operation, Operation::Link);
    // Linking files that are byte for byte the same loses nothing, even for saves of a page.
    if is_page_only(member) && !is_link {
        return Err("is another save of the same web page, which may say something else".to_owned());
    }
    kept.allow_path(&member.path)?;
    let (master, master_found) = master.as_ref().map_err(Clone::clone)?;
    // Files that are byte for byte the same need no text.
    if !is_link
        && member.same.as_deref() != Some("file")
        && let Some(reason) = member.weak.as_ref().or(master.weak.as_ref())
    {
        return Err(format!("matches by a weak text or without one: {reason}"));
    }
    let found = Found::as_scanned(member)?;
    // A link needs the same bytes: those of the master, or otherwise those of the first copy.
    let copy = copies.stays(member).filter(|_| is_link && !is_copy(member, master));
    let copy = copy.map(|copy| Found::as_scanned(copy).map(|found| (copy, found)));
    let copy = copy.transpose().map_err(|reason| format!("the copy to link to {}", reason.of_another()))?;
    let (target, target_found) =
        copy.as_ref().map_or((*master, master_found), |(copy, found)| (*copy, found));
    if target.id == member.id {
        return Err("stays, for its copies to be linked to".to_owned());
    }
    kept.allow_entry(&found.entry)?;
    if found.is_same_name(target_found) {
        return Err("is its master under another path".to_owned());
    }
    if !matches!(operation, Operation::List) {
        writable(found.at.parent().ok_or("is not the path of a file")?)?;
    }
    let to = match operation {
        Operation::List => None,
        Operation::Move { target, base } => Some(moved_to(&found.at, base, target)?),
        Operation::Link => linkable(&found, target, target_found).map(|()| None)?,
        Operation::Trash(baskets) => {
            let basket = baskets.for_file(&found.at, found.device)?;
            if found.at.starts_with(&basket) {
                return Err("is in the wastebasket already".to_owned());
            }
            writable(nearest_folder(&basket.join("files"))?)?;
            Some(basket)
        }
    };
    Ok(Step {
        cluster: cluster.cluster,
        path: member.path.clone(),
        master: target.id.clone(),
        similarity: if is_link { 1.0 } else { member.similarity },
        bytes: found.seen.bytes,
        to,
        kept: target_found.clone(),
        duplicate: found,
    })
}

fn moved_to(at: &Path, base: &Path, target: &Path) -> Result<PathBuf, String> {
    if at.starts_with(target) {
        return Err("is in that folder already".to_owned());
    }
    let below = at.strip_prefix(base).map_err(|_| "lies outside the scanned folders")?;
    let to = target.join(below);
    if std::fs::symlink_metadata(&to).is_ok() {
        return Err(format!("{} is already there", name_of(&to)));
    }
    writable(nearest_folder(&to)?)?;
    Ok(to)
}

/// The whole files of a cluster that are byte for byte the same, without the master: in each such group
/// the first by name stays, and the others become links to it.
struct Copies<'a> {
    first: BTreeMap<(u64, &'a str), (&'a ScanMember, usize)>,
}

impl<'a> Copies<'a> {
    fn of(cluster: &'a ScanCluster) -> Self {
        let mut first: BTreeMap<(u64, &str), (&ScanMember, usize)> = BTreeMap::new();
        let whole =
            cluster.members.iter().filter(|member| member.id != cluster.master && member.part.is_none());
        for member in whole.filter(|member| !member.file_hash.is_empty()) {
            let (stays, count) = first.entry(content(member)).or_insert((member, 0));
            *count += 1;
            if member.path < stays.path {
                *stays = member;
            }
        }
        Copies { first }
    }

    /// The copy of a file that stays, which may be the file itself; `None` for a file without copies.
    fn stays(&self, member: &ScanMember) -> Option<&'a ScanMember> {
        self.first.get(&content(member)).filter(|(_, count)| *count > 1).map(|(stays, _)| *stays)
    }
}

/// Size and digest of a file's bytes at the time of the scan.
fn content(member: &ScanMember) -> (u64, &str) {
    (member.bytes, &member.file_hash)
}

fn is_copy(member: &ScanMember, master: &ScanMember) -> bool {
    master.part.is_none() && content(member) == content(master)
}

fn linkable(found: &Found, master: &ScanMember, master_found: &Found) -> Result<(), String> {
    let (own, its) = (&found.seen, &master_found.seen);
    if master.part.is_some() {
        return Err("its master is a part within a file, and no other file has the same bytes".to_owned());
    }
    if own.same_file(its) {
        return Err("is a hard link to its master already".to_owned());
    }
    if found.device != master_found.device {
        return Err("its master is on another file system".to_owned());
    }
    if (own.owner, own.group) != (its.owner, its.group) {
        return Err("belongs to another user or group than its master".to_owned());
    }
    match disk::same_content(&found.at, &master_found.at) {
        Ok(true) => Ok(()),
        Ok(false) => Err("is not byte for byte the same as its master or another duplicate".to_owned()),
        Err(error) => Err(format!("cannot be compared with its master: {error}")),
    }
}

/// Files that may not be touched, by path and by name in a folder.
struct Kept<'a> {
    paths: BTreeMap<&'a str, &'static str>,
    entries: BTreeMap<Entry, &'static str>,
    partly: BTreeSet<&'a str>,
}

impl<'a> Kept<'a> {
    fn of(report: &'a ScanReport, request: &'a ActionRequest) -> Self {
        let mut paths: BTreeMap<&str, &str> = BTreeMap::new();
        for cluster in &report.clusters {
            for member in &cluster.members {
                if member.id == cluster.master {
                    paths.insert(&member.path, "is the master of a cluster");
                } else if member.part.is_some() {
                    paths.entry(&member.path).or_insert("holds several documents");
                }
            }
        }
        paths.extend(request.containers.iter().map(|path| (path.as_str(), "holds several documents")));
        let entries = paths.iter().filter_map(|(path, reason)| Some((entry(path)?, *reason))).collect();
        let partly = report.partly.iter().map(|unreadable| unreadable.path.as_str()).collect();
        Kept { paths, entries, partly }
    }

    fn allow_path(&self, path: &str) -> Result<(), String> {
        if let Some(reason) = self.paths.get(path) {
            return Err((*reason).to_owned());
        }
        match is_partly_read(&self.partly, path) {
            true => Err("holds a part that could not be read".to_owned()),
            false => Ok(()),
        }
    }

    fn allow_entry(&self, entry: &Entry) -> Result<(), String> {
        self.entries.get(entry).map_or(Ok(()), |reason| Err((*reason).to_owned()))
    }
}

fn entry(path: &str) -> Option<Entry> {
    entry_of(&real_path(path).ok()?).ok()
}

/// The folder that contains all scanned files.
fn common_folder(roots: &[PathBuf]) -> Result<PathBuf> {
    let mut common: Option<PathBuf> = None;
    for root in roots {
        let real = root.canonicalize().map_err(Error::io(root))?;
        let folder = if real.is_dir() { real } else { real.parent().map(Path::to_owned).unwrap_or(real) };
        common = Some(match common {
            None => folder,
            Some(common) => {
                common.ancestors().find(|above| folder.starts_with(above)).unwrap_or(&folder).to_owned()
            }
        });
    }
    common.ok_or_else(|| Error::config("to move duplicates, the scanned folders must be known"))
}

/// The folder to move to, which need not exist yet.
fn target(to: &Path) -> Result<PathBuf> {
    let absolute = std::path::absolute(to).map_err(Error::io(to))?;
    let wrong = |reason: String| Error::config(format!("{}: {reason}", to.display()));
    let there = nearest_folder(&absolute).map_err(wrong)?;
    let missing = absolute.strip_prefix(there).unwrap_or(Path::new(""));
    if missing.components().any(|part| part == std::path::Component::ParentDir) {
        return Err(wrong("leads back from a folder that is not there".to_owned()));
    }
    // An empty path would add a slash.
    let real = there.canonicalize().map_err(Error::io(there))?;
    Ok(if missing.as_os_str().is_empty() { real } else { real.join(missing) })
}
