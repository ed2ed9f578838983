//! Exports a sample of the documents as a corpus.

use std::collections::HashSet;
use std::path::Path;

use lookalike_core::Result;
use lookalike_core::hash::mix;

use super::{Attributes, SurveyRow};
use crate::index::Surveyor;
use crate::query::View;

/// Makes the random draw of documents independent of that of clusters.
const SAMPLE: u64 = 0x5a3e;

impl Surveyor<'_> {
    /// Writes about `most` documents as a corpus: half of them whole clusters, half drawn at random from all.
    pub fn export_sample(&self, path: &Path, most: u64) -> Result<()> {
        let survey = self.survey(&View::All, &Attributes::default())?;
        if survey.documents <= most {
            return self.index.reader().export(path);
        }
        let mut rows: Vec<&SurveyRow> = survey.rows().iter().collect();
        rows.sort_by_key(|row| mix(u64::from(row.master)));
        let mut wanted: HashSet<u32> = HashSet::new();
        for row in rows {
            if wanted.len() as u64 >= most / 2 {
                break;
            }
            wanted.extend(survey.documents_of(row).iter().take(100));
        }
        let share = u64::MAX / survey.documents * (most / 2);
        self.index
            .reader()
            .export_some(path, &|number| wanted.contains(&number) || mix(u64::from(number) ^ SAMPLE) < share)
    }
}
