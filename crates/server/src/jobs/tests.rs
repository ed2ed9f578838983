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

/// The job says what is alike, people have the last word, and all of it can be taken back.
#[test]
fn pairs_of_a_job_become_decisions_and_are_withdrawn() {
    let folder = tempfile::tempdir().unwrap();
    let index = index(folder.path());
    let jobs = open(folder.path(), &index);
    std::thread::scope(|scope| {
        scope.spawn(|| jobs.work(&|_| {}));
        let _working = Working(&jobs);
        let done = |json: &str| wait(&jobs, jobs.submit(spec(json)).unwrap().id);
        let low = DEDUP.replace("0.6", "0.5");
        let dedup = done(&low);
        assert_eq!(dedup.state, JobState::Done, "{dedup:?}");
        let pairs = std::fs::read_to_string(jobs.file(dedup.id, "deduped/pairs.jsonl").unwrap()).unwrap();
        let pairs = pairs.lines().count() as u64;
        assert!(pairs > 30, "{pairs}");
        // One pair is decided by a person, one document has another text by now, one is gone.
        let id = |number: u64| Id::from_json(number.to_string());
        let all = View::All;
        assert!(index.writer().decide(&id(10), &id(11), Some(false), "ann", &all).unwrap());
        let changed = br#"{"id":20,"text":"another text that is like no other"}"#;
        index.writer().add(changed, Policy::Report, &QueryOptions::default()).unwrap();
        assert!(index.writer().remove(&id(30), &all).unwrap());
        let alone = index.reader().cluster(&id(70), &all).unwrap().unwrap();
        assert!(alone.members.is_empty());
        let apply = format!(r#"{{"kind":"apply","of":{}}}"#, dedup.id);
        let applied = done(&apply);
        assert_eq!(applied.state, JobState::Done, "{applied:?}");
        // Documents 0 and 1 are exact copies: there is nothing to decide.
        let expected = json!({ "changed": pairs - 4, "decided_before": 1, "left": 3 });
        assert_eq!(applied.summary["decisions"], expected);
        let by = |name: &str| {
            let decisions = index.reader().decisions(&all).unwrap();
            decisions.into_iter().filter(|decision| decision.by == name).count() as u64
        };
        let author = format!("job {}", dedup.id);
        assert_eq!((by(&author), by("ann")), (pairs - 4, 1));
        let others = || index.reader().cluster(&id(70), &all).unwrap().unwrap().members.len();
        assert_eq!(others(), 1, "what the index itself would not pair is a cluster now");
        assert_eq!(done(&apply).summary["decisions"]["changed"], 0, "a second time nothing is left to do");
        assert!(index.writer().decide(&id(12), &id(13), Some(false), "ben", &all).unwrap());
        let undone = done(&format!(r#"{{"kind":"undo","of":{}}}"#, dedup.id));
        assert_eq!(undone.summary["decisions"]["changed"], pairs - 5);
        assert_eq!((by(&author), by("ann"), by("ben"), others()), (0, 1, 1, 0));
        let told = |json: &str| jobs.submit(spec(json)).err().unwrap().to_string();
        assert!(told(r#"{"kind":"apply","of":99}"#).contains("job 99"));
        assert!(told(&format!(r#"{{"kind":"apply","of":{}}}"#, undone.id)).contains("none that has found"));
    });
}

/// Does something when a stage begins: as somebody would who works at the same time.
struct Meanwhile<F>(F);

impl<F: Fn() + Sync> lookalike::Progress for Meanwhile<F> {
    fn stage(&self, _: &'static str, _: u64) {
        (self.0)();
    }
}

#[test]
fn what_a_person_decides_while_a_job_is_applied_stays() {
    let folder = tempfile::tempdir().unwrap();
    let index = index(folder.path());
    let (a, b, all) = (Id::from_json("10"), Id::from_json("11"), View::All);
    let corpus = folder.path().join("corpus.jsonl");
    let lines = [&a, &b].map(|id| index.reader().get(id, &all).unwrap().unwrap().document.get().to_owned());
    std::fs::write(&corpus, lines.join("\n")).unwrap();
    std::fs::write(folder.path().join("pairs.jsonl"), "{\"a\":10,\"b\":11,\"similarity\":0.9}\n").unwrap();
    let decide = |duplicate, by: &str| assert!(index.writer().decide(&a, &b, duplicate, by, &all).unwrap());
    let decided = || {
        let decision = index.reader().decision(&a, &b, &all).unwrap();
        decision.map(|decision| (decision.duplicate, decision.by))
    };
    let apply = |meanwhile: &dyn lookalike::Progress| {
        super::apply::apply(folder.path(), &corpus, "job 1", &index, meanwhile).unwrap()
    };
    let applied = apply(&Meanwhile(|| decide(Some(false), "ann")));
    assert_eq!((applied.changed, applied.decided_before, applied.left), (0, 1, 0));
    assert_eq!(decided(), Some((false, "ann".to_owned())));
    decide(None, "ann");
    assert_eq!(apply(&Meanwhile(|| {})).changed, 1);
    assert_eq!(decided(), Some((true, "job 1".to_owned())));
    let undone = super::apply::undo("job 1", &index, &Meanwhile(|| decide(Some(false), "ben"))).unwrap();
    assert_eq!((undone.changed, undone.left), (0, 1));
    assert_eq!(decided(), Some((false, "ben".to_owned())));
}

/// A job clusters and trains; then the index looks for partners in its clusters and its classifier decides.
#[test]
fn the_index_takes_over_what_a_job_made() {
    let folder = tempfile::tempdir().unwrap();
    let index = index(folder.path());
    let jobs = open(folder.path(), &index);
    std::thread::scope(|scope| {
        scope.spawn(|| jobs.work(&|_| {}));
        let _working = Working(&jobs);
        let done = |json: &str| wait(&jobs, jobs.submit(spec(json)).unwrap().id);
        let before = index.recipe();
        let dedup = done(
            r#"{"kind":"dedup","testing":{"index":true},"training":{"index":true},"truth":{"cluster_field":"cluster"},
                "clustering":"fuzzy-c-means","classifier":"logistic"}"#,
        );
        assert_eq!(dedup.state, JobState::Done, "{dedup:?}");
        assert!(jobs.files(dedup.id).contains(&"deduped/clusters.partition".to_owned()));
        assert!(jobs.before_adoption(dedup.id).unwrap().is_none() && !dedup.adopted);
        let recipe = jobs.adopt(dedup.id).unwrap();
        assert!(!jobs.get(dedup.id).unwrap().adopted, "not before the index has the recipe");
        index.writer().resign(&recipe).unwrap();
        assert!(jobs.get(dedup.id).unwrap().adopted);
        assert!(index.recipe().contains("frozen") && index.recipe().contains("classifier"));
        // What comes now is judged as the job judged.
        let mut found = std::collections::BTreeSet::new();
        for number in 0..80 {
            let id = Id::from_json(number.to_string());
            let cluster = index.reader().cluster(&id, &View::All).unwrap().unwrap();
            found.extend((!cluster.members.is_empty()).then_some(cluster.master.display().into_owned()));
        }
        let clusters = dedup.summary["report"]["clusters"].as_u64().unwrap();
        assert_eq!(found.len() as u64, clusters);
        assert!(clusters > 30, "{clusters}");
        // The job may go; its files stay.
        let back = jobs.before_adoption(dedup.id).unwrap().unwrap();
        index.writer().resign(&back).unwrap();
        assert_eq!(index.recipe(), before);
        assert!(!jobs.get(dedup.id).unwrap().adopted);
        let evaluate = done(
            r#"{"kind":"evaluate","testing":{"index":true},"truth":{"cluster_field":"cluster"},"method":"minhash"}"#,
        );
        assert!(jobs.adopt(evaluate.id).err().unwrap().to_string().contains("has a recipe to take over"));
        let train = done(
            r#"{"kind":"train","training":{"index":true},"truth":{"cluster_field":"cluster"},"classifier":"logistic"}"#,
        );
        index.writer().resign(&jobs.adopt(train.id).unwrap()).unwrap();
        assert!(index.recipe().contains("models/job-"), "{}", index.recipe());
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
