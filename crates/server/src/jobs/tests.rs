//! Jobs from the wish to the result, over restarts.

use std::time::{Duration, Instant};

use lookalike::Id;
use serde_json::json;

use super::*;
use lookalike::Recipe;
use lookalike::index::{Policy, QueryOptions, View};

/// Forty topics of two near-duplicates each, with a field that says so.
fn index(folder: &Path) -> Arc<Index> {
    let registry = Registry::with_built_ins();
    let recipe = Recipe::standard(&registry).unwrap();
    let index = Index::create(&folder.join("index"), &recipe, registry).unwrap();
    let lines: Vec<Vec<u8>> = (0..80)
        .map(|number| {
            let topic = number / 2;
            let mut words: Vec<String> = (0..60).map(|word| format!("t{topic}w{word}")).collect();
            words.extend((0..number % 2 * topic).map(|word| format!("o{topic}w{word}")));
            format!("{{\"id\":{number},\"text\":\"{}\",\"cluster\":{topic}}}", words.join(" ")).into_bytes()
        })
        .collect();
    let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
    index.writer().add_many(&lines, Policy::Report, &QueryOptions::default()).unwrap();
    Arc::new(index)
}

fn open(folder: &Path, index: &Arc<Index>) -> Arc<Jobs> {
    let registry = Registry::with_built_ins();
    Jobs::open(folder, &folder.join("jobs"), vec![folder.to_owned()], Arc::clone(index), registry).unwrap()
}

fn wait(jobs: &Jobs, id: u64) -> JobRecord {
    let began = Instant::now();
    loop {
        let job = jobs.get(id).unwrap();
        if !matches!(job.state, JobState::Queued | JobState::Running) {
            return job;
        }
        assert!(began.elapsed() < Duration::from_secs(120), "{job:?}");
        std::thread::yield_now();
    }
}

/// Ends the work with the test, however that ends.
struct Working<'a>(&'a Jobs);

impl Drop for Working<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

fn spec(json: &str) -> NewJob {
    serde_json::from_str(json).unwrap()
}

const DEDUP: &str = r#"{"kind":"dedup","testing":{"index":true},"set":{"decide.threshold":"0.6"}}"#;

#[test]
fn a_job_of_each_kind_gives_its_result() {
    let folder = tempfile::tempdir().unwrap();
    let index = index(folder.path());
    let jobs = open(folder.path(), &index);
    std::thread::scope(|scope| {
        scope.spawn(|| jobs.work(&|_| {}));
        let _working = Working(&jobs);
        let dedup = jobs.submit(spec(DEDUP)).unwrap();
        let train = jobs
            .submit(spec(r#"{"kind":"train","training":{"index":true},"truth":{"cluster_field":"cluster"},"classifier":"logistic"}"#))
            .unwrap();
        let judged = jobs
            .submit(spec(r#"{"kind":"evaluate","testing":{"index":true},"truth":{"cluster_field":"cluster"},"method":"minhash"}"#))
            .unwrap();
        let dedup = wait(&jobs, dedup.id);
        assert_eq!(
            (dedup.state, &dedup.summary["report"]["documents"]),
            (JobState::Done, &80.into()),
            "{dedup:?}"
        );
        assert!(dedup.summary["report"]["removed"].as_u64().unwrap() > 20);
        assert!(jobs.files(dedup.id).contains(&"deduped/removed.jsonl".to_owned()));
        assert!(jobs.file(dedup.id, "deduped/report.json").unwrap().exists());
        assert!(jobs.file(dedup.id, "../job.json").is_none());
        let train = wait(&jobs, train.id);
        assert_eq!(train.state, JobState::Done, "{train:?}");
        assert_eq!(jobs.files(train.id), ["classifier.model"]);
        let judged = wait(&jobs, judged.id);
        assert_eq!(judged.state, JobState::Done, "{judged:?}");
        assert!(judged.summary["evaluation"]["results"][0]["judgement"].is_object());
        assert_eq!(jobs.files(judged.id), ["evaluation.html"]);
        assert!(jobs.cancel(train.id).unwrap());
        assert!(jobs.get(train.id).is_none(), "a job that has ended is removed with its results");
    });
}

#[test]
fn uploaded_labels_are_the_truth_and_no_folder_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let index = index(folder.path());
    let jobs = open(folder.path(), &index);
    let mut pairs = "a,b,label\n".to_owned();
    for topic in 0..40 {
        pairs += &format!("{},{},duplicate\n", 2 * topic, 2 * topic + 1);
        for step in [1, 2, 3, 7, 11] {
            pairs += &format!("{},{},different\n", 2 * topic, 2 * ((topic + step) % 40) + 1);
        }
    }
    let clusters: String =
        (0..80).map(|number| format!("{{\"id\":{number},\"cluster\":{}}}\n", number / 2)).collect();
    std::fs::write(jobs.upload("pairs.csv").unwrap(), pairs).unwrap();
    std::fs::write(jobs.upload("clusters.jsonl").unwrap(), clusters).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| jobs.work(&|_| {}));
        let _working = Working(&jobs);
        let done = |json: &str| {
            let job = wait(&jobs, jobs.submit(spec(json)).unwrap().id);
            let told = serde_json::to_string(&job).unwrap();
            assert!(!told.contains(folder.path().to_str().unwrap()), "{told}");
            job
        };
        let train = done(
            r#"{"kind":"train","training":{"index":true},"truth":{"pairs":{"upload":"pairs.csv"}},"classifier":"logistic"}"#,
        );
        assert_eq!(train.state, JobState::Done, "{train:?}");
        let truth = train.summary["training"]["truth"].as_str().unwrap();
        assert!(truth.starts_with("240 labelled pairs in pairs.csv, 40 of them near-duplicates"), "{truth}");
        let model = std::fs::read_to_string(jobs.file(train.id, "classifier.model").unwrap()).unwrap();
        assert!(!model.contains(folder.path().to_str().unwrap()), "nor in the model");
        let judged = done(
            r#"{"kind":"evaluate","testing":{"index":true},"truth":{"clusters":{"upload":"clusters.jsonl"}}}"#,
        );
        assert_eq!(judged.summary["evaluation"]["truth"], "clusters in clusters.jsonl", "{judged:?}");
        let dedup = done(DEDUP);
        assert_eq!(dedup.summary["report"]["inputs"], serde_json::json!(["testing.jsonl"]));
        for name in ["none.csv", "../jobs", "/etc/hostname", ".."] {
            let missing = done(&format!(
                r#"{{"kind":"evaluate","testing":{{"index":true}},"truth":{{"pairs":{{"upload":"{name}"}}}}}}"#
            ));
            assert!(missing.error.as_ref().is_some_and(|told| told.contains("upload")), "{missing:?}");
        }
    });
}

#[test]
fn a_run_over_the_index_heeds_what_people_decided_there() {
    let folder = tempfile::tempdir().unwrap();
    let index = index(folder.path());
    let id = |number: u64| Id::from_number(number);
    for (a, b, duplicate) in [(2, 3, false), (5, 11, true)] {
        assert!(index.writer().decide(&id(a), &id(b), Some(duplicate), "me", &View::All).unwrap());
    }
    assert!(index.writer().prefer(&id(6), true, "me", &View::All).unwrap(), "7 is longer");
    // The same documents from a file are nobody's business.
    index.reader().export(&folder.path().join("corpus.jsonl")).unwrap();
    let path = folder.path().join("corpus.jsonl");
    let from_file =
        format!(r#"{{"kind":"dedup","testing":{{"paths":[{path:?}]}},"set":{{"decide.threshold":"0.6"}}}}"#);
    let jobs = open(folder.path(), &index);
    std::thread::scope(|scope| {
        scope.spawn(|| jobs.work(&|_| {}));
        let _working = Working(&jobs);
        let found = |json: &str| {
            let job = wait(&jobs, jobs.submit(spec(json)).unwrap().id);
            assert_eq!(job.state, JobState::Done, "{job:?}");
            let lines = |name: &str| -> Vec<Value> {
                let text = std::fs::read_to_string(jobs.file(job.id, name).unwrap()).unwrap();
                text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
            };
            let pairs = lines("deduped/pairs.jsonl");
            let pairs: Vec<(Value, Value)> =
                pairs.iter().map(|pair| (pair["a"].clone(), pair["b"].clone())).collect();
            (pairs, lines("deduped/removed.jsonl"), job.summary["report"]["decisions"].clone())
        };
        let pair = |a: u64, b: u64| (Value::from(a), Value::from(b));
        let (pairs, removed, counts) = found(DEDUP);
        assert!(!pairs.contains(&pair(2, 3)) && pairs.contains(&pair(5, 11)) && pairs.contains(&pair(6, 7)));
        assert_eq!(counts, json!({ "used": 3, "stale": 0, "unknown": 0, "undecidable": 0 }));
        let decided: Vec<&Value> = removed.iter().filter(|line| line["method"] == "decision").collect();
        assert_eq!(decided.len(), 1);
        assert_eq!((&decided[0]["id"], &decided[0]["keeper"]), (&5.into(), &11.into()));
        assert_eq!(decided[0]["reason"], "a person's decision");
        assert!(removed.iter().any(|line| line["id"] == 7 && line["keeper"] == 6), "{removed:?}");
        let (pairs, removed, counts) = found(&from_file);
        assert!(pairs.contains(&pair(2, 3)) && !pairs.contains(&pair(5, 11)));
        assert!(removed.iter().any(|line| line["id"] == 6 && line["keeper"] == 7), "{removed:?}");
        assert_eq!(counts, Value::Null);
    });
}

#[test]
fn queued_jobs_survive_a_restart_and_cancelled_ones_do_not_run() {
    let folder = tempfile::tempdir().unwrap();
    let index = index(folder.path());
    let jobs = open(folder.path(), &index);
    let (first, second) = (jobs.submit(spec(DEDUP)).unwrap(), jobs.submit(spec(DEDUP)).unwrap());
    assert!(jobs.cancel(second.id).unwrap() && !jobs.cancel(77).unwrap());
    drop(jobs);
    let jobs = open(folder.path(), &index);
    std::thread::scope(|scope| {
        scope.spawn(|| jobs.work(&|_| {}));
        let _working = Working(&jobs);
        assert_eq!(wait(&jobs, first.id).state, JobState::Done);
        assert_eq!(wait(&jobs, second.id).state, JobState::Cancelled);
    });
    assert_eq!(jobs.list().iter().map(|job| job.id).collect::<Vec<_>>(), [second.id, first.id]);
}

#[test]
fn a_job_that_cannot_be_done_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let index = index(folder.path());
    let jobs = open(folder.path(), &index);
    let outside = r#"{"kind":"dedup","testing":{"paths":["/etc/hostname"]}}"#;
    std::thread::scope(|scope| {
        scope.spawn(|| jobs.work(&|_| {}));
        let _working = Working(&jobs);
        let job = jobs.submit(spec(outside)).unwrap();
        let job = wait(&jobs, job.id);
        assert_eq!(job.state, JobState::Failed);
        assert!(job.error.unwrap().contains("not in a folder that jobs may read"));
    });
    for name in ["", "../x", "a/b", ".hidden", "a b"] {
        assert!(jobs.upload(name).is_err(), "{name}");
    }
    assert!(jobs.upload("corpus-1.jsonl").is_ok());
}

#[test]
fn a_job_whose_file_is_empty_or_cut_is_told_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let index = index(folder.path());
    open(folder.path(), &index).submit(spec(DEDUP)).unwrap();
    let path = folder.path().join("jobs/1/job.json");
    let whole = std::fs::read(&path).unwrap();
    for cut in 0..whole.len() - 1 {
        std::fs::write(&path, &whole[..cut]).unwrap();
        let registry = Registry::with_built_ins();
        let opened =
            Jobs::open(folder.path(), &folder.path().join("jobs"), Vec::new(), Arc::clone(&index), registry);
        let told = opened.err().expect("it is not whole").to_string();
        assert!(told.contains("job.json") && told.contains("remove the job's folder"), "{cut}: {told}");
    }
    std::fs::write(&path, &whole).unwrap();
    assert_eq!(open(folder.path(), &index).list().len(), 1);
}

#[test]
fn a_job_names_assets_and_never_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let index = index(folder.path());
    let jobs = open(folder.path(), &index);
    let there = folder.path().join("secret.json");
    std::fs::write(&there, "{}").unwrap();
    std::fs::write(jobs.upload("ours.lexicon").unwrap(), "no lexicon").unwrap();
    let (there, missing) = (there.to_string_lossy().into_owned(), folder.path().join("missing.json"));
    let missing = missing.to_string_lossy().into_owned();
    let told = |key: &str, name: &str, rest: &str| {
        let set =
            format!(r#"{{"kind":"dedup","testing":{{"index":true}},"set":{{"{key}":"{name}"{rest}}}}}"#);
        jobs.submit(spec(&set)).unwrap_err().to_string().replace(name, "NAME")
    };
    let classifier = r#","decide.type":"classifier""#;
    for (key, rest) in [("decide.model", classifier), ("features.lexicon", r#","features.type":"terms""#)] {
        let refused = told(key, &there, rest);
        assert!(refused.contains("unknown") && refused.contains("ours.lexicon"), "{refused}");
        // A device would be read for ever; nothing tells what is there and what is not.
        for name in [missing.as_str(), "/dev/zero", "../secret.json", "jobs/uploads/ours.lexicon"] {
            assert_eq!(told(key, name, rest), refused, "{name}");
        }
    }
    let recipe = format!("method = 'imatch'\\n[sign]\\nlexicon = '{there}'");
    let whole = format!(r#"{{"kind":"dedup","testing":{{"index":true}},"recipe":"{recipe}"}}"#);
    assert!(jobs.submit(spec(&whole)).unwrap_err().to_string().contains("unknown lexicon"));
    let uploaded =
        told("features.lexicon", "ours.lexicon", r#","features.type":"terms","features.weight":"idf""#);
    assert!(!uploaded.contains("unknown"), "an upload is opened: {uploaded}");
    assert!(jobs.list().is_empty());
}
