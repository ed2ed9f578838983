//! Full-text search: each cluster once, with its near-duplicates beside it.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Json;
use axum::extract::State;
use lookalike::Error;
use lookalike::Id;
use lookalike::index::{NearDuplicate, PinnedDocument, PinnedMember, Preview, ReadTransaction, View};
use lookalike_search::{DocumentAccess, Query, Search, SearchResults};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use super::extract::{QueryParams, labels, limit, possible_ids};
use super::route::Route;
use crate::error::{ApiError, ApiResult};
use crate::guard::Authenticated;
use crate::openapi::Operation;
use crate::search::{PassingAccess, TransactionAccess, unless_damaged};
use crate::state::App;

/// How many near-duplicates have their titles read, for one hit and for all: each is a read from disk.
const TITLES: usize = 50;
const ALL_TITLES: usize = 1000;

pub fn routes() -> Vec<Route> {
    vec![Route::get(
        "/api/search",
        search,
        Operation::new("search", "Full-text search in which near-duplicates are collapsed")
            .may_be_ambiguous()
            .may_be_missing(),
    )]
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SearchQuery {
    /// Words, "phrases", -without, title:word, one OR other
    #[serde(default)]
    q: String,
    /// Hits on a page, at most 1000 [10]
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
    /// Hits that are passed over [0]
    #[serde(default)]
    offset: usize,
    /// Only the cluster of this document
    cluster: Option<String>,
    /// Its labels, as `labels` of /api/documents/{id}
    cluster_labels: Option<String>,
    /// Fields to count by, parted by commas
    #[serde(default)]
    facets: String,
    /// field:value or field:"a value, with a comma"; several parted by commas
    #[serde(default)]
    filter: String,
    /// Show each cluster once [true]
    collapse: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
struct SearchResult {
    total: u64,
    hits: Vec<Hit>,
    facets: BTreeMap<String, Vec<Facet>>,
}

#[derive(Serialize, JsonSchema)]
struct Hit {
    /// Of the best member of the cluster that the caller may see.
    #[serde(serialize_with = "raw")]
    #[schemars(with = "Id")]
    id: String,
    /// Its access labels, which belong to its name; left out if it has none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    labels: Vec<String>,
    /// Of that member, or the beginning of its text.
    title: Option<String>,
    score: f32,
    snippet: String,
    /// Where the words of the query stand in the snippet, in bytes.
    marks: Vec<[usize; 2]>,
    /// Members of the cluster that match.
    matching: u64,
    near_duplicates: Vec<NearDuplicate>,
}

#[derive(Serialize, JsonSchema)]
struct Facet {
    value: String,
    count: u64,
}

fn raw<S: Serializer>(json: &str, serializer: S) -> Result<S::Ok, S::Error> {
    RawValue::from_string(json.to_owned()).map_err(serde::ser::Error::custom)?.serialize(serializer)
}

async fn search(
    State(app): State<App>,
    Authenticated(caller): Authenticated,
    QueryParams(asked): QueryParams<SearchQuery>,
) -> ApiResult<Json<SearchResult>> {
    let names = |list: &str| -> Vec<String> {
        list.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
    };
    let filters = filters(&asked.filter).ok_or_else(|| {
        ApiError::bad_request("`filter` must be field:value or field:\"value\", several parted by commas")
    })?;
    let mut query = Query {
        text: asked.q,
        limit: limit(asked.limit, 10)?,
        offset: asked.offset,
        facets: names(&asked.facets),
        filters,
        collapse: asked.collapse.unwrap_or(true),
        // Texts are read last, after the transaction.
        snippet: 0,
        ..Query::default()
    };
    let shared = app.clone();
    let answered = app.work.run(move || {
        let meant = asked.cluster.as_deref().map(possible_ids).transpose()?;
        let labels = labels(asked.cluster_labels.as_deref())?;
        let of_cluster = meant.as_deref().map(|ids| (ids, labels.as_deref()));
        let (gathered, search) = gather(&shared, &caller.view, of_cluster, &mut query)?;
        read_texts(&query.text, gathered, &search)
    });
    Ok(Json(answered.await??))
}

/// Errors in a query are errors of the URL.
fn refused(error: Error) -> ApiError {
    match error {
        Error::Input(message) | Error::Config(message) => ApiError::bad_request(message),
        other => other.into(),
    }
}

/// The results of a search in one state of the index, except the texts.
struct Gathered {
    total: u64,
    hits: Vec<GatheredHit>,
    facets: BTreeMap<String, Vec<(String, u64)>>,
}

struct GatheredHit {
    hit: lookalike_search::Hit,
    master: PinnedDocument,
    /// The document that the snippet is from, if it is not the master.
    shown: Option<PinnedDocument>,
    members: Vec<PinnedMember>,
}

/// The document whose cluster alone is searched: what its id can mean, and its labels.
type OfCluster<'a> = Option<(&'a [Id], Option<&'a [String]>)>;

/// Runs a search. Its hits are those of one state of the index, for which writers wait; mostly they were found before,
/// and are only looked at again.
fn gather(
    app: &App,
    view: &View,
    of_cluster: OfCluster<'_>,
    query: &mut Query,
) -> ApiResult<(Gathered, Arc<Search>)> {
    let reader = app.index.reader();
    // Where clusters are found on demand, a part of them would be found again with each part of the matches.
    let finds_early = reader.transaction(view, |transaction| {
        let finds_early = of_cluster.is_none() && transaction.has_stored_clusters();
        Ok(cluster_meant(transaction, of_cluster).map(|_| finds_early))
    })??;
    let selects = of_cluster.is_some() || !query.filters.is_empty();
    let found = app.search.matches(&query.text, selects).map_err(refused)?;
    let (search, matches) = found.ok_or_else(ApiError::search_not_ready)?;
    let results = |query: &Query, access: &dyn DocumentAccess| {
        let found = search.results(query, &matches, access);
        unless_damaged(found).map_err(refused)?.ok_or_else(ApiError::search_not_ready)
    };
    let access = PassingAccess { index: &app.index, view };
    let mut early = finds_early.then(|| results(query, &access)).transpose()?;
    let gathered = reader.transaction(view, |transaction| {
        if search.generation() != transaction.numbering() {
            return Ok(Err(ApiError::search_not_ready()));
        }
        let access = TransactionAccess(transaction);
        let early = early.take().filter(|found| found.are_now(query.collapse, &access));
        let found = early.map_or_else(
            || {
                query.cluster = cluster_meant(transaction, of_cluster)?;
                results(query, &access)
            },
            Ok,
        );
        Ok(found.and_then(|found| gathered(transaction, found, query.collapse)))
    });
    let gathered = gathered??;
    Ok((gathered, search))
}

/// The master of the only cluster to be searched, if there is one.
fn cluster_meant(transaction: &ReadTransaction<'_, '_>, of_cluster: OfCluster<'_>) -> ApiResult<Option<u32>> {
    let Some((ids, labels)) = of_cluster else { return Ok(None) };
    let mut known = None;
    for id in ids {
        known = known.or(transaction.number_of((id, labels))?);
    }
    let number = known.ok_or_else(ApiError::not_found)?;
    Ok(Some(transaction.masters(&[number])[0].ok_or_else(ApiError::not_found)?))
}

fn gathered(
    transaction: &ReadTransaction<'_, '_>,
    found: SearchResults,
    collapse: bool,
) -> ApiResult<Gathered> {
    let mut titles_left = ALL_TITLES;
    let mut hits = Vec::with_capacity(found.hits.len());
    for hit in found.hits {
        let gone = || ApiError::from(Error::Internal(format!("hit {} is not in its own state", hit.number)));
        let titled = titles_left.min(TITLES);
        let members = if collapse { transaction.members(hit.number, titled)? } else { Vec::new() };
        titles_left -= members.len().min(titled);
        let master = transaction.document(hit.number)?.ok_or_else(gone)?;
        let shown = if hit.shown == hit.number { None } else { transaction.document(hit.shown)? };
        hits.push(GatheredHit { hit, master, shown, members });
    }
    Ok(Gathered { total: found.total, hits, facets: found.facets })
}

fn read_texts(query: &str, gathered: Gathered, search: &Search) -> ApiResult<SearchResult> {
    let mut hits = Vec::with_capacity(gathered.hits.len());
    let length = Query::default().snippet;
    for GatheredHit { hit, master, shown, members } in gathered.hits {
        let line = master.line()?;
        let shown = shown.map(|document| document.line()).transpose()?;
        let snippet = search.snippet(query, shown.as_deref().unwrap_or(&line), length)?;
        hits.push(Hit {
            id: master.id.json().to_owned(),
            labels: master.labels,
            title: Preview::of(&line).title,
            score: hit.score,
            snippet: snippet.text,
            marks: snippet.marks.iter().map(|mark| [mark.start, mark.end]).collect(),
            matching: hit.matching,
            near_duplicates: members.into_iter().map(PinnedMember::titled).collect::<Result<_, _>>()?,
        });
    }
    let facets = gathered.facets.into_iter().map(|(field, counts)| {
        let counts = counts.into_iter().map(|(value, count)| Facet { value, count });
        (field, counts.collect())
    });
    Ok(SearchResult { total: gathered.total, hits, facets: facets.collect() })
}

/// Parses fields and values. A value in quotes may contain commas, and doubled quotes.
fn filters(text: &str) -> Option<Vec<(String, String)>> {
    let mut filters = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        if let Some(after) = rest.strip_prefix(',') {
            rest = after.trim_start();
            continue;
        }
        let (field, after) = rest.split_once(':').filter(|(field, _)| !field.contains(','))?;
        let (value, after) = match after.strip_prefix('"') {
            Some(inside) => quoted(inside)?,
            None => {
                let end = after.find(',').unwrap_or(after.len());
                (after[..end].trim_end().to_owned(), &after[end..])
            }
        };
        filters.push((field.to_owned(), value));
        rest = after.trim_start();
        if !rest.is_empty() && !rest.starts_with(',') {
            return None;
        }
    }
    Some(filters)
}

/// The value up to the closing quote, and what follows.
fn quoted(inside: &str) -> Option<(String, &str)> {
    let (mut value, mut rest) = (String::new(), inside);
    loop {
        let (before, after) = rest.split_once('"')?;
        value.push_str(before);
        match after.strip_prefix('"') {
            None => return Some((value, after)),
            Some(more) => {
                value.push('"');
                rest = more;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_in_quotes_hold_commas() {
        let told = |text: &str| -> Option<Vec<String>> {
            Some(filters(text)?.into_iter().map(|(field, value)| format!("{field}={value}")).collect())
        };
        for (text, expected) in [
            ("source:a", &["source=a"][..]),
            ("", &[]),
            (" , ,", &[]),
            ("source:a b , type:pdf,", &["source=a b", "type=pdf"]),
            ("source:\"a, b\",type:pdf", &["source=a, b", "type=pdf"]),
            ("source:\" a \"\"b\"\" \"", &["source= a \"b\" "]),
            ("source:5\" disk", &["source=5\" disk"]),
            ("url:http://x/y", &["url=http://x/y"]),
            ("source:", &["source="]),
            ("source:\"\"", &["source="]),
        ] {
            let expected: Vec<String> = expected.iter().map(|&filter| filter.to_owned()).collect();
            assert_eq!(told(text), Some(expected), "{text}");
        }
        for wrong in ["source", "a,b", "a,b:c", "source:\"never closed", "source:\"a\"b", "type:pdf,source"] {
            assert_eq!(told(wrong), None, "{wrong}");
        }
    }
}
