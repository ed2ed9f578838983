//! Queries, their results, and how one leads to the other.

use std::collections::{BTreeMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use lookalike_core::{Error, Result};

use crate::collapse::{Cluster, DocumentAccess, collapse};
use crate::facets;
use crate::line;
use crate::matching::{Match, matches};
use crate::parse::{Parsed, parse};
use crate::schema::TEXT;
use crate::search::Search;
use crate::snapshot::Snapshot;
use crate::snippet::{Snippet, snippet};

/// How many hits a query may request at most.
pub const MOST_HITS: usize = 1000;
/// How many matching members a hit lists at most; all are counted.
pub const MOST_MATCHED: usize = 100;

/// A query to a search index.
#[derive(Clone, Debug)]
pub struct Query {
    /// The query text. Without any word nothing is found, unless `cluster` or `filters` restrict the query: then
    /// everything they select is found.
    pub text: String,
    pub limit: usize,
    /// How many hits are skipped.
    pub offset: usize,
    /// Only the cluster of this master, as the caller sees it.
    pub cluster: Option<u32>,
    /// Whether each cluster is shown once. Otherwise each document is a hit of its own.
    pub collapse: bool,
    /// Fields to count by.
    pub facets: Vec<String>,
    /// Fields and the values they must have. Several values of one field are alternatives.
    pub filters: Vec<(String, String)>,
    /// Bytes of a snippet; 0 for none.
    pub snippet: usize,
}

impl Default for Query {
    fn default() -> Self {
        Query {
            text: String::new(),
            limit: 10,
            offset: 0,
            cluster: None,
            collapse: true,
            facets: Vec::new(),
            filters: Vec::new(),
            snippet: 240,
        }
    }
}

impl Query {
    pub fn new(text: impl Into<String>) -> Query {
        Query { text: text.into(), ..Query::default() }
    }

    /// Whether more than its text restricts it.
    fn selects(&self) -> bool {
        self.cluster.is_some() || !self.filters.is_empty()
    }
}

/// The results of a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SearchResults {
    /// How many clusters have a match that the caller may see.
    pub total: u64,
    /// The best first, equal scores by number.
    pub hits: Vec<Hit>,
    /// For each requested field, clusters by value, the most frequent first.
    pub facets: BTreeMap<String, Vec<(String, u64)>>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Hit {
    /// The number of the best member of the cluster that the caller may see, whether or not it matches itself.
    pub number: u32,
    /// The score of the best match. Only comparable between queries with the same text.
    pub score: f32,
    /// The number of the member that matches best.
    pub best: u32,
    /// How many members match that the caller may see.
    pub matching: u64,
    /// The first of these, by number.
    pub matched: Vec<u32>,
    /// The document that the snippet is from: the master if it matches itself, otherwise the best match.
    pub shown: u32,
    pub snippet: Snippet,
}

impl SearchResults {
    /// Whether `access` sees the hits: the members that match are in the cluster, or there, if each document is one of
    /// its own. What is only counted may have changed.
    pub fn are_now(&self, collapsed: bool, access: &dyn DocumentAccess) -> bool {
        self.hits.iter().all(|hit| {
            let mut numbers = vec![hit.number, hit.best];
            numbers.extend(&hit.matched);
            let masters = access.masters(&numbers);
            let is_in =
                |master: &Option<u32>| master.is_some_and(|master| !collapsed || master == hit.number);
            masters.len() == numbers.len() && masters.iter().all(is_in)
        })
    }
}

/// The documents that match a text, whoever may see them. Finding them needs no state of the index.
pub struct Matches {
    parsed: Parsed,
    snapshot: Arc<Snapshot>,
    found: Vec<Match>,
}

impl Matches {
    /// The masters of all clusters with a match that `access` allows to see.
    pub fn masters(&self, access: &dyn DocumentAccess) -> Result<HashSet<u32>> {
        let (clusters, _) = collapse(&self.found, access, true, None)?;
        Ok(clusters.into_iter().map(|cluster| cluster.number).collect())
    }
}

impl Search {
    /// Finds what matches a text. Of a text without any word that is all there is if `selects`, if something else
    /// restricts the query, and nothing otherwise.
    pub fn matches(&self, text: &str, selects: bool) -> Result<Matches> {
        let parsed = parse(text, &self.fields)?;
        let snapshot = self.snapshot();
        let lexicon = self.settings.lexicon.as_deref();
        let found = if parsed.is_empty() && !selects {
            Vec::new()
        } else {
            self.guarded(|| matches(&snapshot, &parsed, &self.fields, lexicon))?
        };
        Ok(Matches { parsed, snapshot, found })
    }

    /// Answers a query, limited to what `access` allows to see.
    pub fn query(&self, query: &Query, access: &dyn DocumentAccess) -> Result<SearchResults> {
        let matches = self.matches(&query.text, query.selects())?;
        self.results(query, &matches, access)
    }

    /// Answers a query whose matches are known.
    pub fn results(
        &self,
        query: &Query,
        matches: &Matches,
        access: &dyn DocumentAccess,
    ) -> Result<SearchResults> {
        if query.limit > MOST_HITS {
            return Err(Error::input(format!(
                "{} hits are too many; ask for at most {MOST_HITS}",
                query.limit
            )));
        }
        let Matches { parsed, snapshot, found: matches } = matches;
        let facet_fields =
            query.facets.iter().map(|name| self.fields.facet(name)).collect::<Result<Vec<_>>>()?;
        let mut filters: BTreeMap<usize, Vec<String>> = BTreeMap::new();
        for (name, value) in &query.filters {
            filters.entry(self.fields.facet(name)?).or_default().push(value.clone());
        }
        let (clusters, members) = collapse(matches, access, query.collapse, query.cluster)?;
        let mut found = SearchResults::default();
        let mut kept: Vec<u32> = (0..clusters.len() as u32).collect();
        self.guarded(|| facets::filter(&clusters, &mut kept, &filters, snapshot))?;
        found.total = kept.len() as u64;
        for (name, &field) in query.facets.iter().zip(&facet_fields) {
            let counts = self.guarded(|| facets::count(&clusters, &kept, field, snapshot))?;
            found.facets.insert(name.clone(), counts);
        }
        let page = page(&clusters, kept, query.offset, query.limit);
        for (&at, matched) in page.iter().zip(members.of(&page, MOST_MATCHED)) {
            let cluster = &clusters[at as usize];
            let shown = if cluster.master_matches() { cluster.number } else { cluster.best };
            found.hits.push(Hit {
                number: cluster.number,
                score: cluster.score,
                best: cluster.best,
                matching: u64::from(cluster.matching),
                matched,
                shown,
                snippet: self.snippet_of(shown, parsed, query.snippet, access),
            });
        }
        Ok(found)
    }

    /// A snippet of a document's line, for callers that read the lines of hits later.
    pub fn snippet(&self, text: &str, line: &[u8], length: usize) -> Result<Snippet> {
        Ok(self.snippet_in(line, &parse(text, &self.fields)?, length))
    }

    fn snippet_of(
        &self,
        number: u32,
        parsed: &Parsed,
        length: usize,
        access: &dyn DocumentAccess,
    ) -> Snippet {
        if length == 0 {
            return Snippet::default();
        }
        access.document(number).map(|line| self.snippet_in(&line, parsed, length)).unwrap_or_default()
    }

    fn snippet_in(&self, line: &[u8], parsed: &Parsed, length: usize) -> Snippet {
        let values = line::pick(line, &self.fields.names[TEXT..=TEXT]).unwrap_or_default();
        let text = values.into_iter().next().flatten();
        text.map(|text| snippet(&text, parsed, length)).unwrap_or_default()
    }

    /// The search library trusts the files it reads: damaged ones may make it fail or panic.
    fn guarded<T>(&self, step: impl FnOnce() -> tantivy::Result<T>) -> Result<T> {
        match catch_unwind(AssertUnwindSafe(step)) {
            Ok(Ok(done)) => Ok(done),
            Ok(Err(error)) => Err(self.report_damage(&error.to_string())),
            Err(_) => Err(self.report_damage("it could not be read")),
        }
    }
}

/// The clusters of one page in order. Only as many are sorted as needed.
fn page(clusters: &[Cluster], mut kept: Vec<u32>, offset: usize, limit: usize) -> Vec<u32> {
    let order = |a: &u32, b: &u32| {
        let (a, b) = (&clusters[*a as usize], &clusters[*b as usize]);
        b.score.total_cmp(&a.score).then(a.number.cmp(&b.number))
    };
    let end = offset.saturating_add(limit).min(kept.len());
    if offset >= end {
        return Vec::new();
    }
    if end < kept.len() {
        kept.select_nth_unstable_by(end, order);
        kept.truncate(end);
    }
    kept.sort_unstable_by(order);
    kept.split_off(offset)
}
