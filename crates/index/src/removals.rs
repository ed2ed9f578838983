//! What would go if every cluster kept one document, with the evidence for each removal.
//!
//! By other keep rules than the index's own a cluster may keep another document. Every member is therefore compared
//! with the one that is kept, and stays if the two are not alike enough: nothing goes on the word of a third.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::storage::population::{NONE, Sight};
use lookalike_core::document::Id;
use lookalike_core::features::FeatureSet;
use lookalike_core::{Error, Result};
use lookalike_io::record::{Fields, TextBuffer};
use serde::Serialize;

use super::ask::View;
use super::generation::{Desk, Generation, read_line};
use super::links::look;
use super::name::{all_see, labels_of};
use super::see::now_sight;
use super::survey::Survey;
use super::{Index, answer};
use lookalike_engine::Recipe;
use lookalike_engine::pipeline::{FieldPlan, Pipeline};
use lookalike_engine::run::on_threads;

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

impl Index {
    /// Plans the removals of some clusters of a survey, and hands them on in order. `keep` are rules such as
    /// `longest,newest`; without any those of the index hold. What people prefer is kept in any case.
    pub fn plan_removals(
        &self,
        survey: &Survey,
        places: &[u32],
        keep: Option<&str>,
        visit: &mut dyn FnMut(ClusterPlan) -> Result<()>,
    ) -> Result<()> {
        let generation = self.generation();
        if generation.number != survey.generation {
            return Err(Error::input("the index has another recipe by now: look again"));
        }
        let rules = keep.map(|keep| self.other_rules(&generation, keep)).transpose()?;
        let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get());
        for batch in places.chunks(BATCH) {
            let next = AtomicUsize::new(0);
            let parts = on_threads(threads, || {
                let mut desk = Desk::new(&generation);
                let mut plans = Vec::new();
                while let Some(&place) = batch.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let numbers = survey.documents_of(&survey.rows()[place as usize]).iter();
                    let documents: Vec<u32> = numbers.filter_map(|&number| survey.document(number)).collect();
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
        let mut recipe = Recipe::from_toml(&generation.recipe, &self.registry)?;
        recipe.set("keep.rule", keep)?;
        let pipeline = recipe.build(&self.registry)?;
        let plan = pipeline.field_plan("source");
        let fields = Fields { id: "id".to_owned(), text: "text".to_owned(), wanted: plan.wanted.clone() };
        Ok(OtherRules { pipeline, plan, fields })
    }
}

/// `None` for a cluster of which nothing is left to remove.
fn plan(
    generation: &Generation,
    desk: &mut Desk<'_>,
    documents: &[u32],
    view: &View,
    rules: Option<&OtherRules>,
) -> Result<Option<ClusterPlan>> {
    let (alive, sight): (Vec<u32>, Sight) = {
        let state = generation.store.state();
        let sight = now_sight(&state, view);
        let is_seen = |&&number: &&u32| sight.sees(&state.population.documents[number as usize]);
        (documents.iter().filter(is_seen).copied().collect(), sight)
    };
    let Some(&master) = documents.first() else { return Ok(None) };
    let keeper = match rules {
        Some(rules) => best_by(generation, &alive, rules)?,
        None => alive.iter().copied().min_by(|&a, &b| generation.store.state().population.order(a, b)),
    };
    let Some(keeper) = keeper.filter(|_| alive.len() > 1) else { return Ok(None) };
    let lasting = Arc::clone(&generation.store.state().lasting);
    let mut plan =
        ClusterPlan { keeper: lasting.of(keeper), master: lasting.of(master), removals: Vec::new(), stay: 0 };
    let linked: HashSet<u32> = look(generation, &sight, |clusters| {
        let content = clusters.state.population.documents[keeper as usize].content;
        Ok(clusters.links(content).iter().map(|link| link.other).collect())
    })?;
    let (mut kept, mut other) = (FeatureSet::default(), FeatureSet::default());
    desk.features_of(keeper, &mut kept)?;
    for &number in alive.iter().filter(|&&number| number != keeper) {
        desk.features_of(number, &mut other)?;
        let verdict = generation.pipeline.decider.measure(&other, &kept);
        let state = generation.store.state();
        let population = &state.population;
        let digest = |number: u32| {
            let content = population.documents[number as usize].content;
            (content != NONE).then(|| population.contents[content as usize].digest)
        };
        let (Some(own), Some(keepers)) = (digest(number), digest(keeper)) else { continue };
        let decided = state.decisions.of(own, keepers, &sight).and_then(|said| said.decide.duplicate);
        let [document, stays] = [number, keeper].map(|number| &population.documents[number as usize]);
        let linked = || linked.contains(&document.content);
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
        let id = |number: u32| Id::from_json(population.ids.get(number));
        let labels = |number: u32| labels_of(&state, number).to_vec();
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
            number: lasting.of(number),
            bytes: u64::from(population.documents[number as usize].place.length),
        });
    }
    Ok(Some(plan))
}

/// The document that other rules like best.
fn best_by(generation: &Generation, documents: &[u32], rules: &OtherRules) -> Result<Option<u32>> {
    let (mut line, mut buffer) = (Vec::new(), TextBuffer::default());
    let mut best = None;
    for &number in documents {
        read_line(&generation.store, number, &mut line)?;
        let mut scores = Vec::new();
        if let Ok(line) = std::str::from_utf8(&line)
            && let Ok(mut record) = rules.fields.parse(line, &mut buffer)
        {
            record.document.position = u64::from(number);
            rules.pipeline.keep_scores(&rules.plan, &record.document, "", &mut scores);
        }
        let state = generation.store.state();
        let preferred = state.population.documents[number as usize].preferred;
        let id = Id::from_json(state.population.ids.get(number));
        let rank = (Reverse(preferred), Reverse(scores), id, number);
        if best.as_ref().is_none_or(|best| rank < *best) {
            best = Some(rank);
        }
    }
    Ok(best.map(|(.., number)| number))
}
