//! Pairs that wait for a person: each document of a cluster with its master, of copies only the best one, because a
//! decision holds for all of them.

use std::cmp::Ordering;

use lookalike_core::{Error, Result};

use super::clusters::{ClusterLookup, with_clusters};
use super::index::{IndexReader, Surveyor};
use super::name::{DocumentName, find_named};
use super::query::View;
use super::survey::{Standing, Survey};
use crate::query::visibility_now;
use crate::storage::document::DocumentNumber;
use crate::storage::population::Visibility;
use crate::storage::state::State;

/// Two documents, by lasting number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReviewPair {
    /// The master of the cluster.
    pub a: u32,
    /// Another document of it.
    pub b: u32,
    /// How alike they are; `None` if they were never compared.
    pub similarity: Option<f32>,
    /// How many documents the cluster has.
    pub size: u32,
}

/// Which pairs come first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename_all = "lowercase", inline))]
pub enum ReviewOrder {
    /// Those whose similarity is the closest to the threshold; those that were never compared before all others.
    #[default]
    Uncertain,
    /// Those of the largest cluster, the most uncertain of it first.
    Size,
}

/// Who must not have decided of a pair that waits.
#[derive(Clone, Copy, Debug)]
pub enum Waiting<'a> {
    /// Nobody: no decision is in force.
    ForAnyone,
    /// This person, whatever others decided.
    For(&'a str),
}

impl ReviewOrder {
    /// The orders by name.
    pub const NAMES: [(&str, ReviewOrder); 2] =
        [("uncertain", ReviewOrder::Uncertain), ("size", ReviewOrder::Size)];

    /// The order with this name, or an error that lists the known ones.
    pub fn from_name(name: &str) -> Result<ReviewOrder> {
        let known = ReviewOrder::NAMES.iter().find(|known| known.0 == name);
        let names = ReviewOrder::NAMES.map(|known| known.0).join(", ");
        known
            .map(|known| known.1)
            .ok_or_else(|| Error::input(format!("unknown order `{name}`; known: {names}")))
    }

    /// Compares pairs of an index with this threshold. Only the same pair is equal to a pair.
    pub fn compare(self, threshold: f64, one: &ReviewPair, other: &ReviewPair) -> Ordering {
        let doubt = |pair: &ReviewPair| {
            let apart = |similarity: f32| (f64::from(similarity) - threshold).abs() as f32;
            pair.similarity.map_or(-1.0, apart)
        };
        let doubts = doubt(one).total_cmp(&doubt(other));
        let by_size = match self {
            ReviewOrder::Uncertain => Ordering::Equal,
            ReviewOrder::Size => other.size.cmp(&one.size).then(one.a.cmp(&other.a)),
        };
        by_size.then(doubts).then(one.a.cmp(&other.a)).then(one.b.cmp(&other.b))
    }
}

impl Surveyor<'_> {
    /// The pairs of the clusters at these places of the survey, in order.
    pub fn review_pairs(&self, survey: &Survey, places: &[u32], order: ReviewOrder) -> Vec<ReviewPair> {
        let rows = places.iter().filter_map(|&place| survey.rows().get(place as usize));
        let mut pairs: Vec<ReviewPair> = rows
            .flat_map(|row| {
                let members = survey.documents_of(row).iter().zip(survey.standings_of(row));
                members.filter_map(|(&b, standing)| {
                    let similarity = match *standing {
                        Standing::Copy => return None,
                        Standing::Compared(similarity) => Some(similarity),
                        Standing::Uncompared => None,
                    };
                    Some(ReviewPair { a: row.master, b, similarity, size: row.size })
                })
            })
            .collect();
        pairs.sort_unstable_by(|one, other| order.compare(survey.threshold, one, other));
        pairs
    }
}

impl IndexReader<'_> {
    /// For each pair whether it waits for a decision. Pairs of which one is not visible, or that are copies by now, wait
    /// for none.
    pub fn waiting(&self, pairs: &[ReviewPair], waiting: Waiting<'_>, view: &View) -> Vec<bool> {
        let generation = self.index.generation();
        let state = generation.store.state();
        let visibility = visibility_now(&state, view);
        let digest = |number: u32| {
            let document = state.visible_document(&visibility, number)?;
            state.population.digest_of(document)
        };
        let waits = |pair: &ReviewPair| {
            let Some((a, b)) = digest(pair.a).zip(digest(pair.b)) else { return false };
            a != b && !is_decided(&state, (a, b), waiting, &visibility)
        };
        pairs.iter().map(waits).collect()
    }

    /// Pairs by name, as they are now; `None` for those of which one is not visible.
    pub fn named_pairs(
        &self,
        names: &[(DocumentName<'_>, DocumentName<'_>)],
        view: &View,
    ) -> Result<Vec<Option<ReviewPair>>> {
        let generation = self.index.generation();
        let visibility = visibility_now(&generation.store.state(), view);
        with_clusters(&generation, &visibility, |clusters| {
            let state = clusters.state;
            let mut pairs = Vec::with_capacity(names.len());
            for &(a, b) in names {
                let found = find_named(state, a, &visibility)?.zip(find_named(state, b, &visibility)?);
                let Some((a, b)) = found else {
                    pairs.push(None);
                    continue;
                };
                pairs.push(Some(pair_of(clusters, a, b)));
            }
            Ok(pairs)
        })
    }

    /// Pairs that people see differently: the last decision contradicts what others had said before, of one mind. Whoever
    /// decides next, one of them or another person, settles it.
    pub fn disputed(&self, view: &View) -> Result<Vec<ReviewPair>> {
        let generation = self.index.generation();
        let visibility = visibility_now(&generation.store.state(), view);
        with_clusters(&generation, &visibility, |clusters| {
            let state = clusters.state;
            let best = |digest: u128| {
                let content = state.population.content_of(digest)?;
                state.population.best_visible(content, &visibility)
            };
            let disputed = state.decisions.disputed(&visibility);
            Ok(disputed.filter_map(|(a, b)| Some(pair_of(clusters, best(a)?, best(b)?))).collect())
        })
    }

    /// How many documents that are visible in the view have the content of each of these, itself included; 0 for those
    /// that are not visible themselves.
    pub fn copies(&self, numbers: &[u32], view: &View) -> Vec<u64> {
        let generation = self.index.generation();
        let state = generation.store.state();
        let visibility = visibility_now(&state, view);
        let population = &state.population;
        let copies = |&number: &u32| {
            let document = state.visible_document(&visibility, number)?;
            let seen = |copy: &DocumentNumber| visibility.includes(&population.documents[*copy]);
            Some(population.copies(population.documents[document].content?).filter(seen).count() as u64)
        };
        numbers.iter().map(|number| copies(number).unwrap_or(0)).collect()
    }
}

/// Two documents, with the similarity of their contents if they are linked.
fn pair_of(clusters: &mut ClusterLookup<'_>, a: DocumentNumber, b: DocumentNumber) -> ReviewPair {
    let state = clusters.state;
    let content = |number: DocumentNumber| state.population.documents[number].content;
    let similarity = content(a).zip(content(b)).and_then(|(a, b)| {
        let link = clusters.links(a).iter().find(|link| link.other() == b);
        link.map(|link| link.similarity() as f32)
    });
    let lasting = |number: DocumentNumber| state.lasting.of(number).raw();
    ReviewPair { a: lasting(a), b: lasting(b), similarity, size: 0 }
}

fn is_decided(state: &State, (a, b): (u128, u128), waiting: Waiting<'_>, visibility: &Visibility) -> bool {
    match waiting {
        Waiting::ForAnyone => state.decisions.of(a, b, visibility).is_some(),
        Waiting::For(person) => state.decisions.about(a, b).iter().any(|decision| {
            decision.decide.by == person
                && decision.decide.duplicate.is_some()
                && decision.is_visible(visibility)
        }),
    }
}
