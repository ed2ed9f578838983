//! The versions of a document over time, and what changed from one to the next (S09 §2.6.1).
//!
//! Texts of old versions are not kept. So what tells two versions apart is computed when the second comes, and stored;
//! only the fingerprint of the last version is computed from its text when it is asked for.

use lookalike_core::sign::Fingerprint;
use lookalike_core::{Error, Result};

use super::answer::{self, History};
use super::clusters::with_clusters;
use super::generation::SigningContext;
use super::name::{DocumentName, find_named, labels_of};
use super::query::{View, visibility_now};
use super::recrawl;
use crate::index::IndexReader;
use crate::storage::operation::Version;

impl IndexReader<'_> {
    /// The versions of a document, and when to fetch it again; `None` if it is not visible.
    pub fn history<'a>(&self, name: impl Into<DocumentName<'a>>, view: &View) -> Result<Option<History>> {
        let (generation, name) = (self.index.generation(), name.into());
        let visibility = visibility_now(&generation.store.state(), view);
        let found = with_clusters(&generation, &visibility, |clusters| {
            let state = clusters.state;
            let Some(number) = find_named(state, name, &visibility)? else { return Ok(None) };
            let recrawl = recrawl::of_document(clusters, number);
            let unchanged = u64::from(state.population.documents[number].unchanged);
            let labels = labels_of(state, number).to_vec();
            Ok(Some((number, labels, state.versions(number), unchanged, recrawl)))
        })?;
        let Some((number, labels, versions, unchanged, recrawl)) = found else { return Ok(None) };
        let last = match SigningContext::new(&generation).fingerprint_of(number, None) {
            Err(Error::Gone) => return Ok(None),
            last => last?,
        };
        let versions = described(&versions, last);
        Ok(Some(History { id: name.id.clone(), labels, versions, unchanged, recrawl }))
    }
}

/// Versions as answers tell them; the last has this fingerprint.
pub fn described(versions: &[Version], last: Option<Fingerprint>) -> Vec<answer::Version> {
    let mut prints: Vec<Option<Fingerprint>> =
        versions.iter().map(|version| version.marks.fingerprint).collect();
    if let Some(print) = prints.last_mut() {
        *print = last;
    }
    let version = |(place, version): (usize, &Version)| answer::Version {
        time: u64::from(version.time),
        changed: version.changed,
        similarity: version.similarity,
        bytes: u64::from(version.bytes),
        fingerprint: prints[place].map(|print| print.to_string()),
        distance: version.marks.distance.map(u32::from),
        difference: version.marks.difference,
        came_back_to: came_back_to(&prints, place).map(|earlier| u64::from(versions[earlier].time)),
    };
    versions.iter().enumerate().map(version).collect()
}

/// The last version before the one at `place` that has its fingerprint, if one with another is between them: a document
/// that hardly changed has not come back, it never went.
fn came_back_to(prints: &[Option<Fingerprint>], place: usize) -> Option<usize> {
    let print = prints[place]?;
    let earlier = prints[..place].iter().rposition(|other| *other == Some(print))?;
    let differs = |other: &Fingerprint| other.distance(print).is_some_and(|distance| distance > 0);
    prints[earlier + 1..place].iter().flatten().any(differs).then_some(earlier)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_comes_back_only_after_another() {
        let print = |scheme, low| Some(Fingerprint { scheme, low, high: None });
        let (a, b) = (print(1, 1), print(1, 2));
        let back = |prints: &[Option<Fingerprint>]| came_back_to(prints, prints.len() - 1);
        assert_eq!(back(&[a]), None);
        assert_eq!(back(&[a, a]), None, "it never went");
        assert_eq!(back(&[a, b]), None);
        assert_eq!(back(&[a, b, a]), Some(0));
        assert_eq!(back(&[a, b, a, b, a]), Some(2), "to the last of them");
        assert_eq!(back(&[a, b, a, a]), None);
        assert_eq!(back(&[a, None, a]), None, "nothing is known of what was between");
        assert_eq!(back(&[a, None, b, None, a]), Some(0));
        assert_eq!(back(&[a, print(2, 2), a]), None, "what another recipe made cannot be compared");
        assert_eq!(back(&[print(2, 1), b, a]), None);
        assert_eq!(back(&[None, b, None]), None, "nothing is no fingerprint");
    }
}
