//! Plans which documents to remove so that every cluster keeps one, with the evidence for each removal.
//!
//! With other keep rules than the index's own a cluster may keep another document. Every member is therefore
//! compared with the document that is kept, and stays if the two are not similar enough: similarity to a third
//! document is not enough.

use crate::index::Surveyor;
use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::storage::document::{ContentNumber, DocumentNumber};
use crate::storage::population::Visibility;
use lookalike_core::difference::Difference;
use lookalike_core::document::Id;
use lookalike_core::streams::StreamAgreement;
use lookalike_core::{Error, Result};
use lookalike_io::record::{Fields, TextBuffer};
use serde::Serialize;

use super::answer;
use super::clusters::with_clusters;
use super::generation::{Generation, LoadedDocument, SigningContext};
use super::name::{labels_of, readers_see};
use super::query::View;
use super::survey::Survey;
use crate::query::visibility_now;
use lookalike_core::threads::{self, try_on_threads};
use lookalike_engine::Recipe;
use lookalike_engine::pipeline::{Compare, FieldPlan, Judged, Pipeline};

/// How many clusters are planned before their plans are handed on.
const BATCH: usize = 512;

/// A document to be removed, and why; as in `removed.jsonl` of a batch run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Removal {
    /// The document to be removed.
    #[serde(serialize_with = "answer::id")]
    pub id: Id,
    /// The document that is kept instead.
    #[serde(serialize_with = "answer::id")]
    pub keeper: Id,
    /// The cluster's name: the id of its master by the index's own rules.
    #[serde(serialize_with = "answer::id")]
    pub cluster: Id,
    /// Access labels of the removed document; they belong to its name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// Access labels of the kept document.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keeper_labels: Vec<String>,
    /// Access labels of the master of the cluster.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cluster_labels: Vec<String>,
    /// The similarity of the two.
    pub similarity: f64,
    /// The share of its features that the kept document has; null for an estimate.
    pub contained_in_keeper: Option<f64>,
    /// The share of the kept document's features that it has; null for an estimate.
    pub contains_keeper: Option<f64>,
    /// The method that found the pair, `exact`, or `decision`.
    pub method: String,
    /// Why it is a duplicate.
    pub reason: RemovalReason,
    /// How it differs from the kept document.
    pub difference: Difference,
    /// How their images, links and other streams agree; left out if they have none in common.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub streams: Option<StreamAgreement>,
    /// Its lasting number.
    #[serde(skip)]
    pub number: u32,
    /// Bytes of its line.
    #[serde(skip)]
    pub bytes: u64,
}

/// Why a document is removed, in the words of a batch run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum RemovalReason {
    /// It has exactly the same features.
    #[serde(rename = "all features are the same")]
    Exact,
    /// It is a near-duplicate.
    #[serde(rename = "near-duplicate")]
    NearDuplicate,
    /// A person decided so.
    #[serde(rename = "a person's decision")]
    Decision,
}

/// The plan for one cluster.
#[derive(Clone, Debug)]
pub struct ClusterPlan {
    /// The lasting number of the document that is kept.
    pub keeper: u32,
    /// The lasting number of the current master of the cluster.
    pub master: u32,
    /// The documents to be removed.
    pub removals: Vec<Removal>,
    /// How many members stay because they are not similar enough to the kept document, or because their readers
    /// cannot read it.
    pub stay: u32,
}

/// Keep rules other than those of the index.
struct OtherRules {
    pipeline: Pipeline,
    plan: FieldPlan,
    fields: Fields,
}

impl Surveyor<'_> {
    /// Plans the removals of some clusters of a survey, given as places in [`Survey::rows`], and calls `visit` with
    /// each plan in order. `keep` are keep rules such as `longest,newest`; `None` means those of the index.
    /// Documents that people prefer are kept in any case.
    pub fn plan_removals(
        &self,
        survey: &Survey,
        places: &[u32],
        keep: Option<&str>,
        visit: &mut dyn FnMut(ClusterPlan) -> Result<()>,
    ) -> Result<()> {
        let generation = self.index.generation();
        if generation.number != survey.generation {
            return Err(Error::input("the index has another recipe by now: look again"));
        }
        let rules = keep.map(|keep| self.other_rules(&generation, keep)).transpose()?;
        let threads = threads::available();
        for batch in places.chunks(BATCH) {
            let next = AtomicUsize::new(0);
            let parts = try_on_threads(threads, |_| {
                let mut context = SigningContext::new(&generation);
                let mut plans = Vec::new();
                while let Some(&place) = batch.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let numbers = survey.documents_of(&survey.rows()[place as usize]).iter();
                    let documents: Vec<DocumentNumber> =
                        numbers.filter_map(|&number| survey.document(number)).collect();
                    plans.push((
                        place,
                        plan(&generation, &mut context, &documents, &survey.view, rules.as_ref())?,
                    ));
                }
                Ok(plans)
            })?;
            let mut plans: Vec<(u32, Option<ClusterPlan>)> = parts.into_iter().flatten().collect();
            let order: std::collections::HashMap<u32, usize> = batch.iter().copied().zip(0..).collect();
            plans.sort_by_key(|(place, _)| order.get(place).copied());
            plans.into_iter().filter_map(|(_, plan)| plan).try_for_each(&mut *visit)?;
        }
        Ok(())
    }

    fn other_rules(&self, generation: &Generation, keep: &str) -> Result<OtherRules> {
        let mut recipe = Recipe::from_toml(&generation.recipe, &self.index.registry)?;
        recipe.set("keep.rule", keep)?;
        let pipeline = recipe.build_with(&self.index.registry, &generation.lexicons.assets())?;
        let plan = pipeline.field_plan("source");
        let fields = Fields { id: "id".to_owned(), text: "text".to_owned(), wanted: plan.wanted.clone() };
        Ok(OtherRules { pipeline, plan, fields })
    }
}

/// The plan for one cluster; `None` if there is nothing left to remove.
fn plan(
    generation: &Generation,
    context: &mut SigningContext<'_>,
    documents: &[DocumentNumber],
    view: &View,
    rules: Option<&OtherRules>,
) -> Result<Option<ClusterPlan>> {
    let (alive, visibility): (Vec<DocumentNumber>, Visibility) = {
        let state = generation.store.state();
        let visibility = visibility_now(&state, view);
        let is_seen = |&&number: &&DocumentNumber| visibility.includes(&state.population.documents[number]);
        (documents.iter().filter(is_seen).copied().collect(), visibility)
    };
    let Some(&master) = documents.first() else { return Ok(None) };
    let keeper = match rules {
        Some(rules) => best_by(generation, &alive, rules)?,
        None => alive.iter().copied().min_by(|&a, &b| generation.store.state().population.order(a, b)),
    };
    let Some(keeper) = keeper.filter(|_| alive.len() > 1) else { return Ok(None) };
    let lasting = Arc::clone(&generation.store.state().lasting);
    let mut plan = ClusterPlan {
        keeper: lasting.of(keeper).raw(),
        master: lasting.of(master).raw(),
        removals: Vec::new(),
        stay: 0,
    };
    let linked: HashSet<ContentNumber> = with_clusters(generation, &visibility, |clusters| {
        let content = clusters.state.population.documents[keeper].content;
        let links = content.map_or(&[][..], |content| clusters.links(content));
        Ok(links.iter().map(|link| link.other()).collect())
    })?;
    let pipeline = &generation.pipeline;
    let (mut kept, mut other) = (LoadedDocument::default(), LoadedDocument::default());
    context.load(keeper, &mut kept, false)?;
    for &number in alive.iter().filter(|&&number| number != keeper) {
        context.load(number, &mut other, false)?;
        let judged = pipeline.compare(Compare::Measure, other.as_compared(), kept.as_compared());
        let Some(Judged { verdict, difference, streams }) = judged else { continue };
        let is_near = verdict.duplicate
            && other.features.class == kept.features.class
            && !pipeline.keeps_apart(difference, streams);
        let state = generation.store.state();
        let population = &state.population;
        let digests = (population.digest_of(number), population.digest_of(keeper));
        let (Some(own), Some(keepers)) = digests else { continue };
        let decided =
            state.decisions.of(own, keepers, &visibility).and_then(|decision| decision.decide.duplicate);
        let [document, stays] = [number, keeper].map(|number| &population.documents[number]);
        let linked = || document.content.is_some_and(|content| linked.contains(&content));
        // Nothing is removed in favour of a document that its readers cannot read.
        if !readers_see(&state, document, stays) {
            plan.stay += 1;
            continue;
        }
        let reason = if own == keepers {
            RemovalReason::Exact
        } else if decided == Some(true) {
            RemovalReason::Decision
        } else if decided.is_none() && (linked() || is_near) {
            RemovalReason::NearDuplicate
        } else {
            plan.stay += 1;
            continue;
        };
        let id = |number: DocumentNumber| Id::from_json(population.ids.get(number));
        let labels = |number: DocumentNumber| labels_of(&state, number).to_vec();
        let method = match reason {
            RemovalReason::Exact => "exact".to_owned(),
            RemovalReason::Decision => "decision".to_owned(),
            RemovalReason::NearDuplicate => generation.pipeline.method.clone(),
        };
        plan.removals.push(Removal {
            id: id(number),
            keeper: id(keeper),
            cluster: id(master),
            labels: labels(number),
            keeper_labels: labels(keeper),
            cluster_labels: labels(master),
            similarity: if reason == RemovalReason::Exact { 1.0 } else { verdict.similarity },
            contained_in_keeper: verdict.overlap.map(|overlap| overlap.a_in_b()),
            contains_keeper: verdict.overlap.map(|overlap| overlap.b_in_a()),
            method,
            reason,
            difference: difference.reversed(),
            streams: streams.told(),
            number: lasting.of(number).raw(),
            bytes: u64::from(population.documents[number].place.length),
        });
    }
    Ok(Some(plan))
}

/// The best document by other keep rules.
fn best_by(
    generation: &Generation,
    documents: &[DocumentNumber],
    rules: &OtherRules,
) -> Result<Option<DocumentNumber>> {
    let (mut line, mut buffer) = (Vec::new(), TextBuffer::default());
    let mut best = None;
    for &number in documents {
        match generation.read_line(number, &mut line) {
            Err(Error::Gone) => continue,
            read => read?,
        }
        let mut scores = Vec::new();
        if let Ok(line) = std::str::from_utf8(&line)
            && let Ok(mut record) = rules.fields.parse(line, &mut buffer)
        {
            record.document.position = u64::from(number.raw());
            rules.pipeline.keep_scores(&rules.plan, &record.document, "", &mut scores);
        }
        let state = generation.store.state();
        let preferred = state.population.documents[number].is_preferred();
        let id = Id::from_json(state.population.ids.get(number));
        let rank = (Reverse(preferred), Reverse(scores), id, number);
        if best.as_ref().is_none_or(|best| rank < *best) {
            best = Some(rank);
        }
    }
    Ok(best.map(|(.., number)| number))
}
