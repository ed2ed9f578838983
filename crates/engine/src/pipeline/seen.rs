//! Fields that a recipe names and no document has: a misspelt name must not go unnoticed.

use std::sync::atomic::{AtomicBool, Ordering};

use lookalike_core::document::Document;
use lookalike_core::features::WEAK;

use super::{FieldPlan, Pipeline};

/// Which of the fields that features are made of some document has.
pub struct SeenFields {
    /// Whether there was any document.
    any: AtomicBool,
    /// The name of each, its place among a document's fields, and whether it was seen.
    fields: Vec<(String, usize, AtomicBool)>,
}

impl SeenFields {
    /// None was seen yet.
    pub fn new(pipeline: &Pipeline, plan: &FieldPlan) -> Self {
        let own = pipeline.branches.iter().filter_map(|branch| branch.features.as_ref());
        let mut names = pipeline.features.fields();
        names.extend(own.flat_map(|features| features.fields()));
        names.sort();
        names.dedup();
        // Readers of files say it, and no recipe names it.
        names.retain(|name| name != WEAK);
        let place = |name: &String| plan.wanted.iter().position(|wanted| wanted == name);
        let fields = names.into_iter().filter_map(|name| Some((place(&name)?, name)));
        let fields = fields.map(|(place, name)| (name, place, AtomicBool::new(false))).collect();
        SeenFields { any: AtomicBool::new(false), fields }
    }

    /// Notes the fields of a document.
    pub fn see(&self, document: &Document<'_>) {
        if !self.any.load(Ordering::Relaxed) {
            self.any.store(true, Ordering::Relaxed);
        }
        for (_, place, seen) in &self.fields {
            // Reading first keeps threads from writing to the same memory for every document.
            if !seen.load(Ordering::Relaxed) && document.fields.get(*place).is_some_and(Option::is_some) {
                seen.store(true, Ordering::Relaxed);
            }
        }
    }

    /// For documents that are not read again.
    pub fn see_all(&self) {
        self.fields.iter().for_each(|(_, _, seen)| seen.store(true, Ordering::Relaxed));
    }

    /// The fields that no document has; none without documents.
    pub fn absent(&self) -> impl Iterator<Item = &str> {
        let any = self.any.load(Ordering::Relaxed);
        let absent = self.fields.iter().filter(move |(_, _, seen)| any && !seen.load(Ordering::Relaxed));
        absent.map(|(name, ..)| name.as_str())
    }
}
