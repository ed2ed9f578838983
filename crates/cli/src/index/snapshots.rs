//! `lookalike index snapshot`, `snapshots`, `restore`, `verify` and `upgrade`.

use std::path::PathBuf;

use anyhow::Context;
use clap::{Args, ValueHint};
use lookalike::Session;
use lookalike::index::{Index, Repository, Retention, SnapshotInfo, Verified};
use lookalike::parse_time;
use serde_json::json;

use super::Folder;
use crate::exit::{DONE, FAILED};
use crate::out::{bytes, count, print, print_json, table};

#[derive(Args)]
pub struct SnapshotArgs {
    #[command(flatten)]
    place: Folder,
    /// Folder or address (s3://, gs://, az://) of the snapshots
    #[arg(value_name = "TO", value_hint = ValueHint::AnyPath)]
    to: String,
    #[command(flatten)]
    keep: RetentionArgs,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

/// Which snapshots stay.
#[derive(Args)]
pub struct RetentionArgs {
    /// Remove all but the newest of them afterwards
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    keep: Option<u32>,
    /// Remove older ones afterwards, such as 30d; the newest stays
    #[arg(long, value_name = "TIME")]
    keep_for: Option<String>,
}

impl RetentionArgs {
    pub fn retention(&self) -> anyhow::Result<Option<Retention>> {
        let seconds = self.keep_for.as_deref().map(parse_time).transpose().context("--keep-for")?;
        let seconds = seconds.map(|time| time.as_secs());
        let keep = Retention { newest: self.keep.map(|newest| newest as usize), seconds };
        Ok((keep != Retention::default()).then_some(keep))
    }
}

#[derive(Args)]
pub struct ListArgs {
    /// Folder or address of the snapshots
    #[arg(value_name = "FROM", value_hint = ValueHint::AnyPath)]
    from: String,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub struct RestoreArgs {
    /// Folder or address of the snapshots
    #[arg(value_name = "FROM", value_hint = ValueHint::AnyPath)]
    from: String,
    /// Folder to make; for a snapshot of a service its data folder
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    folder: PathBuf,
    /// Name of the snapshot; the newest one without it
    #[arg(long, value_name = "NAME")]
    snapshot: Option<String>,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub struct VerifyArgs {
    #[command(flatten)]
    place: Folder,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub struct UpgradeArgs {
    #[command(flatten)]
    place: Folder,
    /// Only tell what would be done
    #[arg(long)]
    dry_run: bool,
    /// Print as JSON
    #[arg(long)]
    json: bool,
}

pub fn snapshot(session: &Session, arguments: &SnapshotArgs) -> anyhow::Result<()> {
    let keep = arguments.keep.retention()?;
    let to = Repository::open(&arguments.to)?;
    let index = session.open_index(&arguments.place.folder)?;
    let taken = to.take(&index.pin()?, |_| Ok(()))?;
    let removed = keep.map_or(Ok(Vec::new()), |keep| to.prune(keep))?;
    index.close()?;
    if arguments.json {
        let mut told = json!(SnapshotInfo::from(&taken.snapshot));
        told["new_bytes"] = taken.new_bytes.into();
        told["removed"] = removed.into();
        return print_json(&told);
    }
    let mut told = format!(
        "{}: {} documents, {}, of which {} were not there yet\n",
        taken.snapshot.name,
        count(taken.snapshot.documents),
        bytes(taken.snapshot.bytes),
        bytes(taken.new_bytes)
    );
    removed.iter().for_each(|name| told += &format!("{name} removed\n"));
    print(&told)
}

pub fn list(arguments: &ListArgs) -> anyhow::Result<()> {
    let all = Repository::open(&arguments.from)?.list()?;
    if arguments.json {
        return print_json(&all.iter().map(SnapshotInfo::from).collect::<Vec<_>>());
    }
    let mut rows = vec![["snapshot", "documents", "bytes", "program"].map(str::to_owned).to_vec()];
    rows.extend(
        all.into_iter().map(|one| vec![one.name, count(one.documents), bytes(one.bytes), one.program]),
    );
    print(&table(&rows))
}

pub fn restore(session: &Session, arguments: &RestoreArgs) -> anyhow::Result<u8> {
    let from = Repository::open(&arguments.from)?;
    let snapshot = from.find(arguments.snapshot.as_deref())?;
    let found = session.restore_snapshot(&from, &snapshot, &arguments.folder, |_| Ok(()))?;
    if arguments.json {
        let mut restored = json!(SnapshotInfo::from(&snapshot));
        restored["damage"] = json!(found.damage);
        print_json(&restored)?;
    } else {
        let place = arguments.folder.display();
        print(&format!("{} is in {place}, every file as it was. {}", snapshot.name, told(&found)))?;
    }
    Ok(outcome(&found))
}

pub fn verify(session: &Session, arguments: &VerifyArgs) -> anyhow::Result<u8> {
    let found = session.verify_index(&arguments.place.folder)?;
    if arguments.json {
        print_json(&found)?;
    } else {
        print(&told(&found))?;
    }
    Ok(outcome(&found))
}

fn outcome(found: &Verified) -> u8 {
    if found.damage.is_empty() { DONE } else { FAILED }
}

fn told(found: &Verified) -> String {
    let read = format!("{} documents, {}", count(found.documents), bytes(found.bytes));
    if found.damage.is_empty() {
        return format!("{read}: all files and all documents were read, and nothing is damaged\n");
    }
    let mut told: String = found.damage.iter().map(|damage| format!("damaged: {damage}\n")).collect();
    if found.more_damage > 0 {
        told += &format!("and {} more\n", count(found.more_damage));
    }
    told + &format!("{read} could be read\n")
}

pub fn upgrade(session: &Session, arguments: &UpgradeArgs) -> anyhow::Result<()> {
    let folder = &arguments.place.folder;
    let formats = Index::formats(folder)?;
    let (has, newest) = (formats.has, formats.newest);
    if formats.is_old() && !arguments.dry_run {
        let index = session.open_index(folder)?;
        index.writer().checkpoint()?;
        index.close()?;
    }
    if arguments.json {
        let mut told = json!(formats);
        told["upgraded"] = (formats.is_old() && !arguments.dry_run).into();
        return print_json(&told);
    }
    if !formats.is_old() {
        return print(&format!("{} has format {has}, the newest\n", folder.display()));
    }
    let size = bytes(formats.rewritten);
    if arguments.dry_run {
        return print(&format!(
            "{} has format {has} and would get format {newest}: {size} are read, and written once more before the old \
             files are removed. Earlier programs cannot open it afterwards; nothing was changed\n",
            folder.display()
        ));
    }
    print(&format!("{} had format {has} and has format {newest} now\n", folder.display()))
}
