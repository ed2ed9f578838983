//! From a run's evidence to clusters as a person reads them.

use std::collections::HashMap;
use std::path::Path;

use lookalike_core::{Error, Result};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::agree;
use super::info::Info;
use super::result::{ScanCluster, ScanMember, ScanReport};
use crate::pipeline::Pipeline;
use crate::run::Stream;

#[derive(Deserialize)]
struct ClusterLine {
    master: String,
    weakest: f64,
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
        let others: Vec<&Info> = members[1..].iter().filter_map(|member| info(&member.id).ok()).collect();
        report.clusters.push(ScanCluster {
            cluster: 0,
            master: line.master.clone(),
            size: members.len() as u64,
            weakest: line.weakest,
            kept_because: why(&pipeline.keep.text, master, &others),
            members,
        });
        Ok(())
    })
}

/// Numbers the clusters, and counts what they hold.
pub fn finish(report: &mut ScanReport) {
    report.clusters.sort_by(|a, b| a.master.cmp(&b.master));
    for (cluster, number) in report.clusters.iter_mut().zip(1..) {
        cluster.cluster = number;
    }
    let whole = report.duplicates().filter(|(_, member)| member.part.is_none());
    report.duplicate_bytes = whole.map(|(_, member)| member.bytes).sum();
}

fn describe(master: &Info, info: &Info, similarity: f64, removed: Option<&RemovedLine>) -> ScanMember {
    let is_master = master.id == info.id;
    let found_by: Vec<String> =
        removed.map_or(Vec::new(), |line| line.method.split('+').map(str::to_owned).collect());
    let by_text = found_by.iter().any(|name| Stream::ALL.iter().all(|stream| stream.name() != name));
    let text = (is_master && info.has_text() || by_text).then_some(similarity);
    let same = match removed {
        None => None,
        Some(_)
            if info.file_hash == master.file_hash
                && info.bytes == master.bytes
                && info.part == master.part =>
        {
            Some("file".to_owned())
        }
        Some(_) if info.text_hash == master.text_hash && info.words > 0 => Some("text".to_owned()),
        Some(_) => None,
    };
    ScanMember {
        id: info.id.clone(),
        similarity,
        streams: agree::streams(master, info, text),
        found_by,
        same,
        contained_in_master: removed.and_then(|line| line.contained_in_keeper),
        contains_master: removed.and_then(|line| line.contains_keeper),
        path: info.path.clone(),
        part: info.part.clone(),
        kind: info.kind.name().to_owned(),
        bytes: info.bytes,
        modified: moment(info.modified),
        modified_nanos: info.modified,
        title: info.title.clone(),
        date: info.date.clone(),
        words: info.words as u64,
        images: info.images.len() as u64,
        links: info.links.len() as u64,
        file_hash: info.file_hash.clone(),
    }
}

fn moment(nanos: u64) -> String {
    let moment = jiff::Timestamp::from_second((nanos / 1_000_000_000) as i64).unwrap_or_default();
    moment.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// The first rule by which the master is better than all others, in words.
fn why(rules: &str, master: &Info, others: &[&Info]) -> String {
    for rule in rules.split(',').map(str::trim) {
        let decided = match rule {
            "longest" => others.iter().all(|other| other.text_bytes < master.text_bytes),
            "newest" => others.iter().all(|other| time_of(other) < time_of(master)),
            // Told by values that a scan does not remember.
            _ => return format!("best by `{rule}`"),
        };
        if decided {
            return match rule {
                "longest" => format!("the longest text, {} words", master.words),
                _ => "the newest".to_owned(),
            };
        }
        let tied = match rule {
            "longest" => others.iter().all(|other| other.text_bytes == master.text_bytes),
            _ => others.iter().all(|other| time_of(other) == time_of(master)),
        };
        if !tied {
            return match rule {
                "longest" => format!("none has a longer text than its {} words", master.words),
                _ => "none is newer".to_owned(),
            };
        }
    }
    "as good as the others, first by name".to_owned()
}

/// The document's own date, or else the file's: what `newest` goes by.
fn time_of(info: &Info) -> i128 {
    let own = info.date.as_deref().and_then(|date| {
        let zoned = if date.ends_with('Z') { date.to_owned() } else { format!("{date}Z") };
        zoned.parse::<jiff::Timestamp>().ok()
    });
    own.map_or(i128::from(info.modified), |moment| moment.as_nanosecond())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_that_decided_is_named() {
        let info = |text_bytes, date: &str| Info {
            text_bytes,
            words: text_bytes / 5,
            date: Some(date.to_owned()),
            ..Info::default()
        };
        let (old, new) = ("2020-01-01", "2024-05-05T10:00:00Z");
        let old_time = format!("{old}T00:00:00");
        let case = |master: &Info, other: &Info| why("longest,newest", master, &[other]);
        assert_eq!(case(&info(100, &old_time), &info(90, new)), "the longest text, 20 words");
        assert_eq!(case(&info(90, new), &info(90, &old_time)), "the newest");
        assert_eq!(case(&info(90, new), &info(90, new)), "as good as the others, first by name");
        assert_eq!(why("max:score", &info(1, new), &[]), "best by `max:score`");
    }
}
