//! From a run's evidence to clusters as a person reads them.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use lookalike_core::{Error, Result};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::info::Info;
use super::result::{ScanCluster, ScanMember, ScanReport};
use super::shown::{alike, is_by_text, is_stream};
use super::{agree, free, why};
use lookalike_engine::Pipeline;
use lookalike_engine::run::doubts::{self, Doubt, Doubtful, Traits};

#[derive(Deserialize)]
struct ClusterLine {
    master: String,
    weakest: f64,
    kept_by: String,
    members: Vec<MemberLine>,
}

#[derive(Deserialize)]
struct MemberLine {
    id: String,
    similarity: f64,
}

#[derive(Deserialize)]
struct RemovedLine {
    id: String,
    contained_in_keeper: Option<f64>,
    contains_keeper: Option<f64>,
    method: String,
}

/// Adds the clusters that a run wrote.
pub fn read(output: &Path, infos: &[Info], pipeline: &Pipeline, report: &mut ScanReport) -> Result<()> {
    let by_id: HashMap<&str, &Info> = infos.iter().map(|info| (info.id.as_str(), info)).collect();
    let info =
        |id: &str| by_id.get(id).copied().ok_or_else(|| Error::Internal(format!("nothing is known of {id}")));
    let mut removed = HashMap::new();
    for_each_line(&output.join("removed.jsonl"), |line: RemovedLine| {
        removed.insert(line.id.clone(), line);
        Ok(())
    })?;
    for_each_line(&output.join("clusters.jsonl"), |line: ClusterLine| {
        let master = info(&line.master)?;
        let mut members = Vec::with_capacity(line.members.len());
        for member in &line.members {
            members.push(describe(master, info(&member.id)?, member.similarity, removed.get(&member.id)));
        }
        let of_members: Vec<&Info> = line.members.iter().filter_map(|member| info(&member.id).ok()).collect();
        let others: Vec<&Info> = of_members.iter().copied().filter(|other| other.id != master.id).collect();
        let mut doubts = traits(&of_members, &members).doubts(infos.len() as u64);
        let threshold = pipeline.decider.threshold();
        if members[1..].iter().any(|member| is_by_text(member) && member.similarity < threshold) {
            doubts.push(Doubt::Loose { why: "linked only by a chain" });
        }
        let size = members.len() as u64;
        report.clusters.push(ScanCluster {
            cluster: 0,
            master: line.master.clone(),
            size,
            weakest: line.weakest,
            kept_because: why::because(&line.kept_by, master, &others),
            kept_by: line.kept_by,
            warnings: doubts.iter().map(|doubt| doubt.note(size)).collect(),
            doubts,
            members,
        });
        Ok(())
    })
}

/// What is known of a cluster that might make it doubtful.
fn traits(infos: &[&Info], members: &[ScanMember]) -> Traits {
    // Of the same bytes nobody asks how many words they hold.
    let by_text = |member: &ScanMember| is_by_text(member) && member.same.as_deref() != Some("file");
    let mut words: Vec<u64> =
        members[1..].iter().filter(|member| by_text(member)).map(|member| member.words).collect();
    if !words.is_empty() {
        words.push(members[0].words);
    }
    let mut weak = infos.iter().filter_map(|info| info.weak.as_ref());
    Traits {
        size: members.len() as u64,
        words,
        sources: infos.iter().map(|info| info.source.as_str()).collect::<HashSet<_>>().len() as u64,
        weak: weak.clone().count() as u64,
        why_weak: weak.next().cloned(),
    }
}

/// Numbers the clusters, counts what they hold, and says which deserve a look.
pub fn finish(report: &mut ScanReport) -> Result<()> {
    report.clusters.sort_by(|a, b| a.master.cmp(&b.master));
    for (cluster, number) in report.clusters.iter_mut().zip(1..) {
        cluster.cluster = number;
    }
    free::count(report);
    let doubtful = report.clusters.iter().enumerate().flat_map(|(place, cluster)| {
        let (number, size) = (cluster.cluster, cluster.size);
        cluster.doubts.iter().map(move |doubt| Doubtful { place, number, size, doubt: doubt.clone() })
    });
    let told = doubts::tell(doubtful.collect(), |place| {
        let cluster = &report.clusters[place];
        let Some(weakest) = cluster.weakest_member() else { return Ok(String::new()) };
        Ok(format!("; the least alike are {} and {}: {}", cluster.master, weakest.id, alike(weakest).label()))
    })?;
    report.warnings.extend(told);
    Ok(())
}

fn describe(master: &Info, info: &Info, similarity: f64, removed: Option<&RemovedLine>) -> ScanMember {
    let is_master = master.id == info.id;
    let found_by: Vec<String> =
        removed.map_or(Vec::new(), |line| line.method.split('+').map(str::to_owned).collect());
    // Shares are known where two texts were compared, whatever brought the two together.
    let contained = removed.and_then(|line| line.contained_in_keeper);
    let is_compared = contained.is_some() || found_by.iter().any(|name| !is_stream(name));
    let text = (is_master && info.has_text() || is_compared).then_some(similarity);
    let same = match removed {
        None => None,
        Some(_)
            if info.file_hash == master.file_hash
                && info.bytes == master.bytes
                && info.part == master.part =>
        {
            Some("file".to_owned())
        }
        Some(_) if info.text_hash == master.text_hash && info.words > 0 && info.weak.is_none() => {
            Some("text".to_owned())
        }
        Some(_) => None,
    };
    ScanMember {
        id: info.id.clone(),
        similarity,
        streams: agree::streams(master, info, text),
        found_by,
        same,
        contained_in_master: contained,
        contains_master: removed.and_then(|line| line.contains_keeper),
        path: info.path.clone(),
        part: info.part.clone(),
        kind: info.kind.name().to_owned(),
        bytes: info.bytes,
        frees: 0,
        inode: info.inode,
        dated: why::dated(info).0,
        dated_by: why::dated(info).1.to_owned(),
        modified: why::moment(info.modified),
        modified_nanos: info.modified,
        title: info.title.clone(),
        date: info.date.clone(),
        words: info.words as u64,
        weak: info.weak.clone(),
        images: info.images.len() as u64,
        links: info.links.len() as u64,
        file_hash: info.file_hash.clone(),
    }
}

fn for_each_line<T: DeserializeOwned>(path: &Path, mut visit: impl FnMut(T) -> Result<()>) -> Result<()> {
    let text = std::fs::read_to_string(path).map_err(Error::io(path))?;
    for line in text.lines() {
        visit(
            serde_json::from_str(line)
                .map_err(|error| Error::Internal(format!("{}: {error}", path.display())))?,
        )?;
    }
    Ok(())
}
