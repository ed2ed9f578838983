//! Near-duplicates among the rows of a table in memory.

use std::sync::Arc;

use lookalike_arrow::{Table, TableSource};
use lookalike_core::{Error, Result};
use lookalike_engine::Recipe;
use lookalike_engine::lexicon::{AssetFiles, NATIVE};
use lookalike_engine::run::report::Report;
use lookalike_engine::run::{Evidence, Job, Progress, compute};

use super::Session;

/// What was found among the rows of a table.
pub struct TableResult {
    /// The figures of the run.
    pub report: Report,
    /// The same as a page for people.
    pub page: String,
    /// For each row whether it stays.
    pub kept: Arc<[bool]>,
    /// Removals, clusters, pairs and rejected rows as lines of JSON, with the numbers of the rows.
    pub evidence: Evidence,
}

impl Session {
    /// Finds near-duplicates among the rows of a table, whose texts are read where they lie; rows of `known` count as
    /// known. Of the job, inputs and output are not used.
    pub fn dedup_table(
        &self,
        recipe: &Recipe,
        job: &Job,
        table: &Table,
        known: Option<&Table>,
        progress: &dyn Progress,
    ) -> Result<TableResult> {
        if self.counts_first(recipe)? {
            return Err(Error::config(
                "lexicon `native` is counted from files: write the table to one first",
            ));
        }
        let pipeline = recipe.build_with(self.registry(), &AssetFiles::default())?;
        let source = TableSource::new(table, known, &job.fields(&pipeline).0, job.max_line)?;
        let mut outcome = compute(&pipeline, job, &source, progress)?;
        let evidence = outcome.evidence()?;
        let report = outcome.finish_report("tell", progress)?.clone();
        let page = lookalike_report::run::render(&outcome.page()?);
        let mut kept = outcome.kept_lines(usize::from(known.is_some()))?;
        kept.resize(usize::try_from(table.rows()).unwrap_or(usize::MAX), false);
        Ok(TableResult { report, page, kept: kept.into(), evidence })
    }

    /// Whether a run by this recipe first counts a lexicon from its inputs, which must be files then.
    pub fn counts_first(&self, recipe: &Recipe) -> Result<bool> {
        recipe.uses_lexicon(NATIVE, self.registry())
    }
}
