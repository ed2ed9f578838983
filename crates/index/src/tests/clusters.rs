//! The offline part feeds the online one: clusters that a batch run found are where later documents are looked for.

use lookalike_engine::partition_file::{self, PARTITION_FILE};
use lookalike_engine::run::{Job, Quiet, find};

use super::super::Index;
use super::same_as_batch::{check_fed_one_by_one, check_history};
use super::*;

const FEATURES: &str = "[features]\ntype = 'terms'\nweight = 'one'\n";
const DECIDE: &str = "[decide]\nmeasure = 'weighted-cosine'\nthreshold = 0.6\n";

/// The folder of a run that clustered some documents, and recipes that look for partners in its clusters.
fn recipes(folder: &TempDir, clustering: &str) -> Vec<(String, String)> {
    let corpus = folder.path().join("corpus.jsonl");
    let mut lines = super::corpus(120, 5).iter().map(Made::line).collect::<Vec<_>>().join(&b'\n');
    lines.push(b'\n');
    std::fs::write(&corpus, lines).unwrap();
    let toml = format!("{FEATURES}{DECIDE}[candidates]\ntype = 'clusters'\nclustering = {clustering}");
    let pipeline = recipe(&toml).build(&registry()).unwrap();
    find(&pipeline, &Job::new([corpus.to_string_lossy()], "unused"), &Quiet).unwrap();
    partition_file::keep(&pipeline, folder.path()).unwrap();
    let path = folder.path().join(PARTITION_FILE);
    let frozen = format!("{{ type = 'frozen', partition = '{}' }}", path.display());
    let recipe = |more: &str| {
        format!("{FEATURES}{DECIDE}[candidates]\ntype = 'clusters'\nclustering = {frozen}\n{more}")
    };
    let among_others = format!(
        "method = 'ensemble'\n[decide]\nthreshold = 0.4\n[candidates]\nmethods = ['minhash', 'cosine']\nrule = 'vote'\n\
         [candidates.cosine.features]\ntype = 'terms'\nweight = 'one'\n\
         [candidates.cosine.candidates]\ntype = 'clusters'\nfloor = 0.3\nclustering = {frozen}"
    );
    vec![
        (format!("{clustering}, frozen"), recipe("")),
        (format!("{clustering}, frozen, above a floor"), recipe("floor = 0.5")),
        (format!("{clustering}, frozen, in an ensemble"), among_others),
    ]
}

#[test]
fn frozen_clusters_find_in_an_index_what_they_find_in_a_batch_run() {
    for clustering in ["{ type = 'fuzzy-c-means', clusters = 9 }", "{ type = 'k-means', clusters = 9 }"] {
        let folder = TempDir::new().unwrap();
        for (name, toml) in recipes(&folder, clustering) {
            check_fed_one_by_one(&name, &toml);
        }
    }
    let all = format!("{FEATURES}{DECIDE}[candidates]\ntype = 'clusters'\nclustering = 'none'\nfloor = 0.4");
    check_fed_one_by_one("all with all", &all);
}

#[test]
fn frozen_clusters_do_so_after_any_history() {
    let folder = TempDir::new().unwrap();
    let recipes = recipes(&folder, "{ type = 'fuzzy-c-means', clusters = 9 }");
    let (name, toml) = &recipes[1];
    check_history(name, toml);
}

#[test]
fn a_partition_of_other_features_is_refused() {
    let folder = TempDir::new().unwrap();
    let (_, toml) = recipes(&folder, "'k-means'").remove(0);
    let path = folder.path().join("index");
    let create = |toml: &str| Index::create(&path, &recipe(toml), registry()).err().unwrap().to_string();
    let told = create(&toml.replace("weight = 'one'", "weight = 'log'\nlexicon = 'english'"));
    assert!(told.contains("made of other features") && told.contains("one"), "{told}");
    let told = create(&toml.replace(PARTITION_FILE, "other.partition"));
    assert!(told.contains("there is no partition"), "{told}");
    std::fs::write(folder.path().join(PARTITION_FILE), "LKPART").unwrap();
    let told = create(&toml);
    assert!(told.contains("no partition of this program"), "{told}");
    assert!(!path.exists());
}
