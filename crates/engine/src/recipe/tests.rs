use super::*;

fn error_of(recipe: &str) -> String {
    let registry = Registry::with_built_ins();
    let built = Recipe::from_toml(recipe, &registry).and_then(|recipe| recipe.build(&registry));
    built.err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn mistakes_are_named_with_what_is_known() {
    for (recipe, expected) in [
        ("method = 'minhush'", "known: classifier, cosine, ensemble, exact, imatch"),
        ("[decide]\ntreshold = 0.8", "known: type, measure, threshold, distance, verify"),
        ("[decide]\nthreshold = nan", "decide.threshold is nan"),
        ("[decide]\nmeasure = 'jacard'", "known: bits, containment, cosine, dice, euclidean"),
        ("[decide]\nverify = 'maybe'", "known: exact, estimate, signature"),
        ("[features]\nshingle = 0", "from 1 to 64"),
        ("[sign]\nhashes = 2", "the best is"),
        ("[candidates]\nbands = 20\nrows = 20", "do not fit"),
        ("[candidates]\nbands = 20", "go together"),
        ("[shingling]\nsize = 5", "unknown recipe section `shingling`"),
        ("[keep]\nrule = 'best'", "unknown keep rule `best`"),
        ("[extract]\nmian = true", "unknown key `mian`"),
        ("keep = 5", "must be a section"),
        ("= 5", "not valid TOML"),
        ("method = 'ensemble'\n[decide]\ndistance = 3", "belongs to a member"),
        ("method = 'ensemble'\n[candidates]\nmethods = ['ensemble']", "cannot be a member"),
        ("method = 'ensemble'\n[candidates]\nvotes = 2", "goes with candidates.rule"),
        ("method = 'ensemble'\n[sign]\nhashes = 64", "signs nothing itself"),
        ("method = 'ensemble'\n[candidates.minhash.keep]\nrule = 'first'", "a member has only"),
        ("method = 'ensemble'\n[candidates]\nmethods = []", "1 to 27 different methods"),
        ("method = 'ensemble'\n[candidates]\nrule = 'vote'\nvotes = 9", "candidates.votes is 9"),
        ("method = 'spotsigs'\n[decide]\nverify = 'estimate'", "decide.verify = estimate needs"),
        ("[decide]\ndistance = 3", "searched by Hamming distance"),
    ] {
        let error = error_of(recipe);
        assert!(error.contains(expected), "{recipe}: {error}");
    }
}

#[test]
fn a_new_type_of_part_keeps_the_keys_given_with_it() {
    let registry = Registry::with_built_ins();
    let recipe = "[features]\nmin_length = 4\ntype = 'words'\n[candidates]\nrecall = 0.9";
    let pipeline = Recipe::from_toml(recipe, &registry).unwrap().build(&registry).unwrap();
    assert_eq!(pipeline.features.spec().params["min_length"].as_integer(), Some(4));
}

#[test]
fn members_of_an_ensemble_share_its_threshold_unless_they_have_their_own() {
    let registry = Registry::with_built_ins();
    let bands = |recipe: &str| {
        let recipe = format!("method = 'ensemble'\n[candidates]\nmethods = ['minhash']\n{recipe}");
        let pipeline = Recipe::from_toml(&recipe, &registry).unwrap().build(&registry).unwrap();
        pipeline.branches[0].finder.spec().params["rows"].as_integer().unwrap()
    };
    let decide = |threshold: f64| format!("[decide]\nmeasure = 'jaccard'\nthreshold = {threshold}");
    assert!(bands(&decide(0.5)) < bands(&decide(0.95)));
    let own = format!("[candidates.minhash.decide]\nthreshold = 0.95\n{}", decide(0.5));
    assert_eq!(bands(&own), bands(&decide(0.95)));
}

#[test]
fn the_scheme_names_what_makes_signatures_and_nothing_else() {
    let registry = Registry::with_built_ins();
    let scheme =
        |recipe: &str| Recipe::from_toml(recipe, &registry).unwrap().build(&registry).unwrap().scheme.id;
    let standard = scheme("");
    assert_eq!(
        standard, "minhash-ec05dc8d50674d1f",
        "persisted results depend on it: a change is a new scheme, never a fix"
    );
    assert_eq!(standard, scheme("[keep]\nrule = 'first'\n[cluster]\ntype = 'components'"));
    assert_eq!(standard, scheme("[candidates]\nbands = 16\nrows = 6"), "chosen or given");
    assert_ne!(standard, scheme("[sign]\nseed = 2"));
    assert_ne!(standard, scheme("[features]\nshingle = 4"));
}

#[test]
fn changes_are_made_to_what_is_there() {
    let registry = Registry::with_built_ins();
    let stored = "method = 'simhash'\n[decide]\ndistance = 5\n[keep]\nrule = 'newest'";
    let stored = Recipe::from_toml(stored, &registry).unwrap();
    assert_eq!(stored.changed("", &registry).unwrap().to_toml(), stored.to_toml());
    let mut expected = stored.clone();
    expected.set("decide.threshold", "0.9").unwrap();
    let changed = stored.changed("[decide]\nthreshold = 0.9", &registry).unwrap();
    assert_eq!(changed.to_toml(), expected.to_toml());
    let whole = stored.changed("method = 'minhash'", &registry).unwrap();
    assert_eq!(whole.to_toml(), Recipe::standard(&registry).unwrap().to_toml(), "a recipe of its own");
    let mut expected = Recipe::standard(&registry).unwrap();
    expected.set("keep.rule", "newest").unwrap();
    assert_eq!(stored.with_method("minhash", &registry).unwrap().to_toml(), expected.to_toml());
    assert_eq!(stored.with_method("simhash", &registry).unwrap().to_toml(), stored.to_toml());
    assert!(stored.changed("[shingling]\nsize = 1", &registry).is_err());
}
