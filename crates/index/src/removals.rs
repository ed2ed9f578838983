//! What would go if every cluster kept one document, with the evidence for each removal.
//!
//! By other keep rules than the index's own a cluster may keep another document. Every member is therefore compared
//! with the one that is kept, and stays if the two are not alike enough: nothing goes on the word of a third.

use crate::index::Surveyor;
use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::storage::document::{ContentNumber, DocumentNumber};
use crate::storage::population::Sight;
use lookalike_core::document::Id;
use lookalike_core::features::FeatureSet;
use lookalike_core::{Error, Result};
use lookalike_io::record::{Fields, TextBuffer};
use serde::Serialize;

use super::answer;
use super::ask::View;
use super::clusters::look;
use super::generation::{Desk, Generation};
use super::name::{all_see, labels_of};
use super::survey::Survey;
use crate::ask::now_sight;
use lookalike_core::threads::{self, try_on_threads};
use lookalike_engine::Recipe;
use lookalike_engine::pipeline::{FieldPlan, Pipeline};

/// Clusters that are looked at before their removals are handed on.
const BATCH: usize = 512;

/// A document that goes, and why; as `removed.jsonl` has it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Removal {
    #[serde(serialize_with = "answer::id")]
    pub id: Id,
    #[serde(serialize_with = "answer::id")]
    pub keeper: Id,
    /// The cluster's name, which is the id of its master by the index's own rules.
    #[serde(serialize_with = "answer::id")]
    pub cluster: Id,
    /// Access labels of the three, which belong to their names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub keeper_labels: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cluster_labels: Vec<String>,
    pub similarity: f64,
    pub contained_in_keeper: Option<f64>,
    pub contains_keeper: Option<f64>,
    pub method: String,
    pub reason: Reason,
    #[serde(skip)]
    pub number: u32,
    #[serde(skip)]
    pub bytes: u64,
}

/// In the words of a batch run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Reason {
    #[serde(rename = "all features are the same")]
    Exact,
    #[serde(rename = "near-duplicate")]
    NearDuplicate,
    #[serde(rename = "a person's decision")]
    Decision,
}

/// What becomes of one cluster.
#[derive(Clone, Debug)]
pub struct ClusterPlan {
    /// The document that is kept, and the one that stands for the cluster today.
    pub keeper: u32,
    pub master: u32,
    pub removals: Vec<Removal>,
    /// Members that are not like the kept document and stay, too.
    pub stay: u32,
}

/// Keep rules other than those of the index.
struct OtherRules {
    pipeline: Pipeline,
    plan: FieldPlan,
    fields: Fields,
}

impl Surveyor<'_> {
    /// Plans the removals of some clusters of a survey, and hands them on in order. `keep` are rules such as
    /// `longest,newest`; without any those of the index hold. What people prefer is kept in any case.
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
                let mut desk = Desk::new(&generation);
                let mut plans = Vec::new();
                while let Some(&place) = batch.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let numbers = survey.documents_of(&survey.rows()[place as usize]).iter();
                    let documents: Vec<DocumentNumber> =
                        numbers.filter_map(|&number| survey.document(number)).collect();
                    plans.push((
                        place,
                        plan(&generation, &mut desk, &documents, &survey.view, rules.as_ref())?,
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
        let pipeline = recipe.build(&self.index.registry)?;
        let plan = pipeline.field_plan("source");
        let fields = Fields { id: "id".to_owned(), text: "text".to_owned(), wanted: plan.wanted.clone() };
        Ok(OtherRules { pipeline, plan, fields })
    }
}

/// `None` for a cluster of which nothing is left to remove.
fn plan(
    generation: &Generation,
    desk: &mut Desk<'_>,
    documents: &[DocumentNumber],
    view: &View,
    rules: Option<&OtherRules>,
) -> Result<Option<ClusterPlan>> {
    let (alive, sight): (Vec<DocumentNumber>, Sight) = {
        let state = generation.store.state();
        let sight = now_sight(&state, view);
        let is_seen = |&&number: &&DocumentNumber| sight.sees(&state.population.documents[number]);
        (documents.iter().filter(is_seen).copied().collect(), sight)
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
    let linked: HashSet<ContentNumber> = look(generation, &sight, |clusters| {
        let content = clusters.state.population.documents[keeper].content;
        let links = content.map_or(&[][..], |content| clusters.links(content));
        Ok(links.iter().map(|link| link.other).collect())
    })?;
    let (mut kept, mut other) = (FeatureSet::default(), FeatureSet::default());
    desk.features_of(keeper, &mut kept)?;
    for &number in alive.iter().filter(|&&number| number != keeper) {
        desk.features_of(number, &mut other)?;
        let verdict = generation.pipeline.decider.measure(&other, &kept);
        let state = generation.store.state();
        let population = &state.population;
        let digests = (population.digest_of(number), population.digest_of(keeper));
        let (Some(own), Some(keepers)) = digests else { continue };
        let decided = state.decisions.of(own, keepers, &sight).and_then(|said| said.decide.duplicate);
        let [document, stays] = [number, keeper].map(|number| &population.documents[number]);
        let linked = || document.content.is_some_and(|content| linked.contains(&content));
        // Nothing goes in favour of what its readers may not see.
        if !all_see(&state, document, stays) {
            plan.stay += 1;
            continue;
        }
        let reason = if own == keepers {
            Reason::Exact
        } else if decided == Some(true) {
            Reason::Decision
        } else if decided.is_none() && (linked() || verdict.duplicate && other.class == kept.class) {
            Reason::NearDuplicate
        } else {
            plan.stay += 1;
            continue;
        };
        let id = |number: DocumentNumber| Id::from_json(population.ids.get(number));
        let labels = |number: DocumentNumber| labels_of(&state, number).to_vec();
        let method = match reason {
            Reason::Exact => "exact".to_owned(),
            Reason::Decision => "decision".to_owned(),
            Reason::NearDuplicate => generation.pipeline.method.clone(),
        };
        plan.removals.push(Removal {
            id: id(number),
            keeper: id(keeper),
            cluster: id(master),
            labels: labels(number),
            keeper_labels: labels(keeper),
            cluster_labels: labels(master),
            similarity: if reason == Reason::Exact { 1.0 } else { verdict.similarity },
            contained_in_keeper: verdict.overlap.map(|overlap| overlap.a_in_b()),
            contains_keeper: verdict.overlap.map(|overlap| overlap.b_in_a()),
            method,
            reason,
            number: lasting.of(number).raw(),
            bytes: u64::from(population.documents[number].place.length),
        });
    }
    Ok(Some(plan))
}

/// The document that other rules like best.
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
        let preferred = state.population.documents[number].preferred;
        let id = Id::from_json(state.population.ids.get(number));
        let rank = (Reverse(preferred), Reverse(scores), id, number);
        if best.as_ref().is_none_or(|best| rank < *best) {
            best = Some(rank);
        }
    }
    Ok(best.map(|(.., number)| number))
}
