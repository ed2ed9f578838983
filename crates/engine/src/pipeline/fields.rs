//! Which fields of a record a pipeline reads, and what each of its stages gets of a document.

use std::borrow::Cow;

use lookalike_core::document::{Document, Value};
use lookalike_core::features::{FeatureExtractor, FeatureSet, Features};
use lookalike_core::hash;
use lookalike_core::streams::{StreamKind, Streams};

use super::{Branch, Pipeline};

/// Which fields of a record the stages read, and where each stage finds its own.
pub struct FieldPlan {
    /// The fields that some stage reads, each once.
    pub wanted: Vec<String>,
    /// For each branch with features of its own, the places of their fields.
    branches: Vec<Vec<usize>>,
    /// For each view of the decider, the places of its fields.
    views: Vec<Vec<usize>>,
    /// For each keep rule, the places of its fields.
    keep: Vec<Vec<usize>>,
    /// The places of the fields that hold streams.
    streams: Vec<(StreamKind, usize)>,
    source: usize,
}

impl Pipeline {
    /// Which fields the stages of this pipeline read.
    pub fn field_plan(&self, source_field: &str) -> FieldPlan {
        // The extractor's fields come first, because it finds them by its own order.
        let mut wanted = self.features.fields();
        let mut place = |name: String| match wanted.iter().position(|other| *other == name) {
            Some(place) => place,
            None => {
                wanted.push(name);
                wanted.len() - 1
            }
        };
        let own = |branch: &Branch| branch.features.as_ref().map_or(Vec::new(), |features| features.fields());
        let branches =
            self.branches.iter().map(|branch| own(branch).into_iter().map(&mut place).collect()).collect();
        let views = self.decider.views().iter();
        let views = views.map(|view| view.fields().into_iter().map(&mut place).collect()).collect();
        let held = |kind| self.stream_fields.of(kind).iter().map(move |field| (kind, field.clone()));
        let held = StreamKind::ALL.into_iter().flat_map(held);
        let streams = held.map(|(kind, field)| (kind, place(field))).collect();
        let source = place(source_field.to_owned());
        // Keep rules refer to the source by its usual name.
        let mut named = |name: String| if name == "source" { source } else { place(name) };
        let keep =
            self.keep.rules.iter().map(|rule| rule.fields().into_iter().map(&mut named).collect()).collect();
        FieldPlan { wanted, branches, views, keep, streams, source }
    }

    /// Scores of the keep rules, larger being better.
    pub fn keep_scores(&self, plan: &FieldPlan, document: &Document<'_>, file: &str, out: &mut Vec<u64>) {
        for (rule, places) in self.keep.rules.iter().zip(&plan.keep) {
            // The source of a document that names none is its file.
            let file = |place: usize| (place == plan.source).then(|| Value::Text(file.into()));
            let single = |place: usize| document.fields.get(place)?.as_ref().filter(|value| !value.is_many());
            let value = |&place: &usize| single(place).cloned().or_else(|| file(place));
            let values: Vec<Option<Value<'_>>> = places.iter().map(value).collect();
            out.push(rule.score(document, &values));
        }
    }

    /// Computes the features by which a document is compared, in memory that is reused.
    pub fn fill_set(
        &self,
        plan: &FieldPlan,
        document: &Document<'_>,
        features: &mut Features,
        set: &mut FeatureSet,
    ) {
        features.fill(&*self.features, document);
        set.fill(features);
        plan.fill_views(self.decider.views(), document, features, set);
    }
}

impl FieldPlan {
    /// The source of a document.
    pub fn source_of<'d>(&self, document: &'d Document<'_>) -> Option<&'d str> {
        match document.fields.get(self.source) {
            Some(Some(Value::Text(source))) => Some(source),
            _ => None,
        }
    }

    /// Reads the streams of a document, into memory that is reused.
    pub fn fill_streams(&self, document: &Document<'_>, streams: &mut Streams) {
        streams.clear();
        for &(kind, place) in &self.streams {
            if let Some(Some(value)) = document.fields.get(place) {
                streams.add(kind, &self.wanted[place], value);
            }
        }
        streams.finish();
    }

    /// Whether a document may have streams; without them nothing has to be computed.
    pub fn has_streams(&self, document: &Document<'_>) -> bool {
        self.streams.iter().any(|&(_, place)| matches!(document.fields.get(place), Some(Some(_))))
    }

    /// The document for a branch's own extractor: with its fields in the extractor's order.
    pub fn view<'d>(&self, branch: usize, document: &'d Document<'d>) -> Cow<'d, Document<'d>> {
        with_fields(&self.branches[branch], document)
    }

    /// Adds the decider's views to a document's set, in memory that is reused.
    pub(super) fn fill_views(
        &self,
        views: &[Box<dyn FeatureExtractor>],
        document: &Document<'_>,
        features: &mut Features,
        set: &mut FeatureSet,
    ) {
        set.views.resize_with(views.len(), FeatureSet::default);
        for ((view, places), seen) in views.iter().zip(&self.views).zip(&mut set.views) {
            features.fill(&**view, &with_fields(places, document));
            seen.fill(features);
        }
    }

    /// A digest of the fields that the decider's views read, besides the text; 0 if they read none.
    pub(crate) fn fields_digest(
        &self,
        views: &[Box<dyn FeatureExtractor>],
        document: &Document<'_>,
        features: &mut Features,
    ) -> u128 {
        let reading = views.iter().zip(&self.views).filter(|(_, places)| !places.is_empty());
        reading.fold(0, |digest, (view, places)| {
            features.fill(&**view, &with_fields(places, document));
            let other = features.digest();
            hash::digest(&[digest as u64, (digest >> 64) as u64, other as u64, (other >> 64) as u64])
        })
    }
}

fn with_fields<'d>(places: &[usize], document: &'d Document<'d>) -> Cow<'d, Document<'d>> {
    if places.is_empty() {
        return Cow::Borrowed(document);
    }
    let fields = places.iter().map(|&place| document.fields.get(place).cloned().flatten()).collect();
    Cow::Owned(Document { text: Cow::Borrowed(&document.text), fields, position: document.position })
}
