//! From the result of a run to clusters for people.

use std::collections::HashSet;

use lookalike_core::streams::StreamAgreement;
use lookalike_core::{Error, Result};

use super::info::Info;
use super::result::{ScanCluster, ScanMember, ScanReport};
use super::shown::{alike, is_by_text, is_stream};
use super::{agree, free, why};
use lookalike_engine::corpus::CorpusNumber;
use lookalike_engine::run::doubts::{self, Doubt, Doubtful, Traits};
use lookalike_engine::run::{Member, Outcome};

/// Adds the clusters of a run; `infos` are its documents in order.
pub fn add(outcome: &Outcome<'_>, infos: &[Info], threshold: f64, report: &mut ScanReport) -> Result<()> {
    let info = |document: CorpusNumber| {
        let unknown = || Error::Internal(format!("nothing is known of document {document:?}"));
        infos.get(document.index()).ok_or_else(unknown)
    };
    outcome.for_each_cluster(|cluster| {
        let master = info(cluster.master)?;
        let documents = cluster.members.iter().map(|member| member.document);
        let others = documents.map(info).collect::<Result<Vec<&Info>>>()?;
        let mut members = vec![describe(master, master, None)];
        for (member, info) in cluster.members.iter().zip(&others) {
            members.push(describe(master, info, Some((member, outcome.method_of(member)))));
        }
        let all: Vec<&Info> = std::iter::once(master).chain(others.iter().copied()).collect();
        let mut doubts = traits(&all, &members).doubts(infos.len() as u64);
        if members[1..].iter().any(|member| is_by_text(member) && member.similarity < threshold) {
            doubts.push(Doubt::Loose { why: "linked only by a chain" });
        }
        let (size, kept_by) = (cluster.size(), outcome.kept_by(cluster)?);
        report.clusters.push(ScanCluster {
            cluster: 0,
            master: master.id.clone(),
            size,
            weakest: cluster.weakest().map_or(1.0, |member| member.similarity),
            kept_because: why::because(&kept_by, master, &others),
            kept_by,
            warnings: doubts.iter().map(|doubt| doubt.note(size)).collect(),
            doubts,
            members,
        });
        Ok(())
    })
}

/// The facts that might make a cluster doubtful.
fn traits(infos: &[&Info], members: &[ScanMember]) -> Traits {
    // For files with the same bytes the number of words does not matter.
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

/// Numbers the clusters, counts what they hold, and adds warnings.
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
    let told = doubts::sentences(doubtful.collect(), |place| {
        let cluster = &report.clusters[place];
        let Some(weakest) = cluster.weakest_member() else { return Ok(String::new()) };
        Ok(format!("; the least alike are {} and {}: {}", cluster.master, weakest.id, alike(weakest).label()))
    })?;
    report.warnings.extend(told);
    Ok(())
}

/// A document for people; `found` says why it is with its master, and by which methods, unless it is the master.
fn describe(master: &Info, info: &Info, found: Option<(&Member, String)>) -> ScanMember {
    let similarity = found.as_ref().map_or(1.0, |(member, _)| member.similarity);
    let (contained, contains) = found.as_ref().map_or((None, None), |(member, _)| member.containments());
    let found_by: Vec<String> =
        found.as_ref().map_or(Vec::new(), |(_, methods)| methods.split('+').map(str::to_owned).collect());
    // Shares are known if the two texts were compared, whatever linked the two.
    let is_compared = contained.is_some() || found_by.iter().any(|name| !is_stream(name));
    let text = (found.is_none() && info.has_text() || is_compared).then_some(similarity);
    let is_same_file =
        info.file_hash == master.file_hash && info.bytes == master.bytes && info.part == master.part;
    let is_same_text = info.text_hash == master.text_hash && info.words > 0 && info.weak.is_none();
    let same = match &found {
        None => None,
        Some(_) if is_same_file => Some("file".to_owned()),
        Some(_) if is_same_text => Some("text".to_owned()),
        Some(_) => None,
    };
    let compared = found.as_ref().map_or(StreamAgreement::NONE, |(member, _)| member.streams);
    ScanMember {
        id: info.id.clone(),
        similarity,
        streams: agree::streams(master, info, text, compared),
        found_by,
        same,
        contained_in_master: contained,
        contains_master: contains,
        difference: found.as_ref().and_then(|(member, _)| member.difference),
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
