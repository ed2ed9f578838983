//! The decider on small documents, with models written by hand.

use toml::Table;

use super::*;
use crate::document::{Document, Value};
use crate::features::Features;
use crate::lexicon::{Assets, Lexicon};
use crate::registry::{NoAssets, Registry};
use crate::streams::StreamKind;

/// Words of the text and of the field `title`.
fn schema() -> Schema {
    let mut schema = Schema { views: Vec::new(), components: Vec::new() };
    schema.add("words", "type = 'words'".parse().unwrap(), &["jaccard", "length-ratio"]);
    schema.add(
        "title",
        "type = 'words'\ntext = false\nfields = ['title']".parse().unwrap(),
        &["jaccard", PRESENT],
    );
    schema
}

/// F = 2 · jaccard of words + title agreement − 1.5.
fn model() -> Model {
    let weights = vec![2.0, 0.0, 1.0, 0.0];
    Model {
        standard: Standard { mean: vec![0.0; 4], scale: vec![1.0; 4] },
        function: Function::Linear { weights, bias: -1.5 },
        calibration: Calibration { slope: 4.0, intercept: 0.0 },
    }
}

fn trained(schema: Schema, model: Model) -> Arc<Trained> {
    Arc::new(Trained { schema, model, id: "test".to_owned() })
}

fn classifier(confidence: Option<f64>) -> Classifier {
    let registry = Registry::with_built_ins();
    let context = BuildContext::new(&registry, &NoAssets);
    Classifier::new(trained(schema(), model()), confidence, &context).unwrap()
}

/// The document's set with what the decider's views see.
fn set(decider: &Classifier, text: &str, title: Option<&str>) -> FeatureSet {
    let mut features = Features::default();
    let fields = vec![title.map(|title| Value::Text(title.into()))];
    let document = Document { text: text.into(), fields, position: 0 };
    let mut views = Vec::new();
    for view in decider.views() {
        features.fill(&**view, &document);
        views.push(FeatureSet::from_features(&features));
    }
    features.fill(&*decider.views()[0], &document);
    FeatureSet { views, ..FeatureSet::from_features(&features) }
}

#[test]
fn decides_by_the_function_and_says_why() {
    let decider = classifier(None);
    let one = set(&decider, "a b c d", Some("plans"));
    // 2 · 3/5 + 1 − 1.5 = 0.7.
    let other = set(&decider, "a b c e", Some("Plans!"));
    let verdict = decider.decide(&one, &other);
    assert!(verdict.duplicate);
    assert!((verdict.similarity - 1.0 / (1.0 + (-4.0f64 * 0.7).exp())).abs() < 1e-12, "{verdict:?}");
    let names = decider.reasons();
    let named: Vec<&str> = verdict
        .because
        .iter()
        .filter(|&&reason| reason > 0)
        .map(|&reason| names[reason as usize - 1].as_str())
        .collect();
    assert_eq!(named, ["jaccard of words", "jaccard of title"]);
    assert_eq!(verdict.overlap.unwrap().shared, 3);
    // Without the title 2 · 3/5 − 1.5 is below 0.
    let untitled = set(&decider, "a b c e", None);
    assert!(!decider.decide(&one, &untitled).duplicate);
    assert_eq!(decider.decide(&one, &other), decider.measure(&other, &one), "symmetric");
    assert_eq!(decider.threshold(), 0.5);
}

#[test]
fn nothing_is_like_nothing() {
    let decider = classifier(None);
    let (empty, some) = (set(&decider, "", Some("plans")), set(&decider, "a", Some("plans")));
    for (a, b) in [(&empty, &empty), (&empty, &some), (&some, &empty)] {
        let verdict = decider.measure(a, b);
        assert!(!verdict.duplicate && verdict.similarity == 0.0);
    }
    // Documents without views, as a caller may give by mistake, never match.
    assert!(!decider.decide(&FeatureSet { views: Vec::new(), ..some.clone() }, &some).duplicate);
}

#[test]
fn a_confidence_takes_the_place_of_zero() {
    let strict = classifier(Some(0.99));
    let one = set(&strict, "a b c d", Some("plans"));
    assert!(!strict.decide(&one, &set(&strict, "a b c e", Some("plans"))).duplicate);
    assert!(strict.decide(&one, &one.clone()).duplicate, "F = 1.5 gives 0.9975");
    assert_eq!(strict.threshold(), 0.99);
}

/// The size is that of the smaller document and does not depend on what is shared.
#[test]
fn a_size_is_that_of_the_smaller_document() {
    let mut schema = Schema { views: Vec::new(), components: Vec::new() };
    schema.add("words", "type = 'words'".parse().unwrap(), &[SIZE]);
    let registry = Registry::with_built_ins();
    let vector = schema.build(&BuildContext::new(&registry, &NoAssets)).unwrap();
    let seen = |text: &str| {
        let mut features = Features::default();
        let document = Document { text: text.into(), fields: Vec::new(), position: 0 };
        features.fill(&*vector.views[0], &document);
        FeatureSet { views: vec![FeatureSet::from_features(&features)], ..FeatureSet::default() }
    };
    let size = |a: &str, b: &str| {
        let mut out = Vec::new();
        vector.fill(&seen(a), &seen(b), &mut out);
        out[0]
    };
    let three = 4.0f64.ln() / (f64::from(1 << 20) + 1.0).ln();
    assert!((size("a b c", "x y z w v") - three).abs() < 1e-12);
    assert_eq!(size("a b c", "x y z w v"), size("a b c d e", "a b c"));
    assert!(size("a", "a") < three && size("a", "") == 0.0);
}

/// Assets with one model.
struct OneModel;

impl Assets for OneModel {
    fn load(&self, name: &str) -> Result<Arc<Lexicon>> {
        Err(Error::config(format!("no lexicon {name}")))
    }

    fn model(&self, name: &str) -> Result<Arc<Trained>> {
        assert_eq!(name, "my.model");
        Ok(trained(schema(), model()))
    }
}

#[test]
fn parameters_are_checked() {
    let registry = Registry::with_built_ins();
    let build = |toml: &str| {
        let params = Params::new("decide", toml.parse().unwrap());
        registry.decide.build(params, "classifier", &BuildContext::new(&registry, &OneModel))
    };
    let decider = build("model = 'my.model'\nconfidence = 0.9").unwrap();
    assert_eq!(decider.spec().params["confidence"].as_float(), Some(0.9));
    for (wrong, expected) in [
        ("", "decide.model is missing"),
        ("model = 'my.model'\nconfidence = 0", "above 0"),
        ("model = 'my.model'\nconfidence = nan", "decide.confidence is nan"),
        ("model = 'my.model'\nthreshold = 0.5", "known: type, model, confidence"),
    ] {
        let error = build(wrong).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains(expected), "{wrong}: {error}");
    }
}

#[test]
fn models_of_another_schema_are_refused() {
    let registry = Registry::with_built_ins();
    let context = BuildContext::new(&registry, &NoAssets);
    let refused = |schema: Schema, model: Model| {
        Classifier::new(trained(schema, model), None, &context)
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    };
    let mut wide = schema();
    wide.components.push(Component { view: "words".into(), compare: "dice".into() });
    assert!(refused(wide, model()).contains("vectors of 4 components, its schema has 5"));
    let mut unknown = schema();
    unknown.components[0].view = "letters".into();
    assert!(refused(unknown, model()).contains("no view `letters`"));
    let mut unmeasured = schema();
    unmeasured.components[0].compare = "sameness".into();
    assert!(refused(unmeasured, model()).contains("unknown measure `sameness`"));
    // A view that is now built differently than when the model was trained.
    let mut changed = schema().build(&context).unwrap().schema;
    assert!(!changed.views[0].built.is_empty());
    changed.views[0].built.insert("min_length".into(), 9.into());
    assert!(refused(changed, model()).contains("train it again"));
    assert!(
        refused(Schema { views: Vec::new(), components: Vec::new() }, model())
            .contains("1 to 127 components")
    );
}

/// Models carry the schema that they were trained with, so this is what new models see.
#[test]
fn the_standard_vector_has_its_components() {
    let standard = |streams: &[StreamKind]| Schema::standard(&["year".to_owned()], streams).unwrap();
    let with_streams = standard(&[StreamKind::Images]);
    assert_eq!(with_streams.components.last().map(Component::name).as_deref(), Some("both have the images"));
    let schema = standard(&[]);
    assert_eq!(with_streams.components[..32], schema.components, "streams come last");
    let names: Vec<String> = schema.components.iter().map(Component::name).collect();
    assert_eq!(names.len(), 32);
    assert_eq!(names[..3], ["jaccard of words", "cosine of words", "containment of words"]);
    assert_eq!(names[29..], ["jaccard of year", "containment of year", "both have year"]);
    let table: &Table = &schema.views[10].features;
    assert_eq!(table["fields"].as_array().map(Vec::len), Some(1));
}
