//! The verbs called in the process of another program: the same output as the command's, and nothing beside it.

use std::sync::{Arc, Mutex, mpsc};

use lookalike::files::Program;
use lookalike::{Error, Progress, Session};
use lookalike_cli::{Called, Host, call};
use serde_json::Value;

use super::judging::labelled;
use super::support::{Place, document, joined, nearly, words};

/// Remembers what it is told; calls a function when a stage begins and when work was done.
#[derive(Default)]
struct Listener {
    stages: Mutex<Vec<String>>,
    told: Mutex<Vec<String>>,
    warned: Mutex<Vec<String>>,
    advances: Mutex<usize>,
    is_cancelled: bool,
    at_stage: Option<Box<dyn Fn() + Send + Sync>>,
}

impl Progress for Listener {
    fn stage(&self, name: &'static str, _: u64) {
        self.stages.lock().unwrap().push(name.to_owned());
        *self.advances.lock().unwrap() = 0;
        if let Some(act) = &self.at_stage {
            act();
        }
    }

    fn advance(&self, _: u64, _: u64) -> lookalike::Result<()> {
        *self.advances.lock().unwrap() += 1;
        if self.is_cancelled { Err(Error::Cancelled) } else { Ok(()) }
    }

    fn warn(&self, message: &str) {
        self.warned.lock().unwrap().push(message.to_owned());
    }
}

impl Host for Listener {
    fn tell(&self, message: &str) {
        self.told.lock().unwrap().push(message.to_owned());
    }
}

fn session() -> Session {
    let path = env!("CARGO_BIN_EXE_lookalike").into();
    Session::default().reading_files_by(Program { path, arguments: vec!["extract-worker".to_owned()] })
}

fn called_by(arguments: &str, listener: Arc<Listener>) -> lookalike::Result<Called> {
    let arguments: Vec<String> = arguments.split_whitespace().map(str::to_owned).collect();
    call(&session(), &arguments, listener)
}

fn called(arguments: &str) -> lookalike::Result<Called> {
    called_by(arguments, Arc::default())
}

/// A corpus of three pairs, a folder of files, labels and an index; with paths that hold from everywhere.
fn place() -> Place {
    let mut lines = Vec::new();
    for topic in ["sea", "sky", "sun"] {
        lines.push(document(format!("{topic}-1"), &words(topic, 60)));
        lines.push(document(format!("{topic}-2"), &nearly(topic, 60)));
    }
    let place = Place::with_corpus(&lines);
    std::fs::create_dir(place.path("files")).unwrap();
    place.write("files/one.txt", words("tree", 80));
    place.write("files/two.html", format!("<title>Two</title><p>{}</p>", nearly("tree", 80)));
    place.write("labels.csv", "a,b,label\nsea-1,sea-2,true\nsky-1,sky-2,true\nsea-1,sun-1,false\n");
    place.run("index create seen").ok();
    place.run("index add seen corpus.jsonl").ok();
    place
}

fn at(place: &Place, arguments: &str) -> String {
    arguments.replace("@", &format!("{}/", place.path("").display().to_string().trim_end_matches('/')))
}

/// Without what differs from run to run.
fn timeless(value: Value) -> Value {
    const VARIES: [&str; 8] = [
        "seconds",
        "peak_memory_bytes",
        "run",
        "started",
        "stages",
        "time",
        "expected_seconds",
        "memory_bytes",
    ];
    match value {
        Value::Object(map) => {
            let kept = map.into_iter().filter(|(key, _)| !VARIES.iter().any(|varies| key.ends_with(varies)));
            kept.map(|(key, value)| (key, timeless(value))).collect()
        }
        Value::Array(values) => values.into_iter().map(timeless).collect(),
        other => other,
    }
}

fn parsed(text: &str) -> Vec<Value> {
    let values = serde_json::Deserializer::from_str(text).into_iter();
    values.map(|value| timeless(value.unwrap_or_else(|error| panic!("{error}: {text}")))).collect()
}

#[test]
fn the_answer_is_what_the_program_prints() {
    let place = place();
    for arguments in [
        "methods --json",
        "methods show minhash --json",
        "lexicon show english --word harvest --window 0.2:0.8 --json",
        "lexicon stability --trials 500 --json",
        "lexicon build @corpus.jsonl -o @some.lexicon --json",
        "compare @corpus.jsonl#sea-1 @corpus.jsonl#sea-2 --json",
        "compare @files/one.txt @files/two.html --json",
        "extract @files --json",
        "scan @files --no-cache --json",
        "dedup @corpus.jsonl -o @out --force --json",
        "evaluate @corpus.jsonl --pairs @labels.csv --resamples 50 --json",
        "tune @corpus.jsonl --pairs @new.jsonl --ask 2 --json",
        "index check @seen @corpus.jsonl --json",
        "index stats @seen --json",
        "reproduce --json",
    ] {
        let arguments = at(&place, arguments);
        let printed = place.run(&arguments).ok().out;
        let Called { code, output } =
            called(&arguments).unwrap_or_else(|error| panic!("{arguments}: {error}"));
        assert_eq!(code, 0, "{arguments}");
        assert!(!parsed(&output).is_empty(), "{arguments}");
        assert_eq!(parsed(&output), parsed(&printed), "{arguments}");
    }
    for arguments in
        ["methods", "methods show simhash", "lexicon show", "scan @files --no-cache --csv", "extract @files"]
    {
        let arguments = at(&place, arguments);
        let printed = place.run(&arguments).ok().out;
        assert_eq!(called(&arguments).unwrap(), Called { code: 0, output: printed }, "{arguments}");
    }
}

#[test]
fn codes_are_those_of_the_program() {
    let place = place();
    for (arguments, code) in [
        ("scan @files --no-cache --check -q", 1),
        ("index check @seen @corpus.jsonl --check", 1),
        ("scan @files/one.txt --no-cache --check -q", 0),
    ] {
        let arguments = at(&place, arguments);
        assert_eq!(place.run(&arguments).code, Some(code), "{arguments}");
        assert_eq!(called(&arguments).unwrap().code, u8::try_from(code).unwrap(), "{arguments}");
    }
    let help = called("dedup --help").unwrap();
    assert!(help.code == 0 && help.output.contains("--threshold") && !help.output.contains('\x1b'));
}

#[test]
fn two_threads_call_at_once_and_get_their_own_answers() {
    let place = place();
    let build = at(&place, "lexicon build @corpus.jsonl -o @slow.lexicon --json");
    let (begun, has_begun) = mpsc::channel::<()>();
    let (done, is_done) = mpsc::channel::<()>();
    // The first call waits, amid its work, for the second one to end.
    let waits = Mutex::new(Some(is_done));
    let at_stage = move || {
        if let Some(is_done) = waits.lock().unwrap().take() {
            begun.send(()).unwrap();
            is_done.recv().unwrap();
        }
    };
    let listener = Arc::new(Listener { at_stage: Some(Box::new(at_stage)), ..Listener::default() });
    std::thread::scope(|scope| {
        let slow = scope.spawn(|| called_by(&build, Arc::clone(&listener)).unwrap());
        has_begun.recv().unwrap();
        let quick = called("methods show minhash --json").unwrap();
        done.send(()).unwrap();
        let slow = slow.join().unwrap();
        assert_eq!(parsed(&quick.output)[0]["method"]["name"], "minhash");
        assert_eq!(parsed(&slow.output)[0]["documents"], 6);
        assert_eq!((parsed(&quick.output).len(), parsed(&slow.output).len()), (1, 1));
    });
    assert!(!listener.stages.lock().unwrap().is_empty());
}

#[test]
fn a_host_may_call_while_it_is_told_of_progress() {
    let place = place();
    let inner: Arc<Mutex<Vec<String>>> = Arc::default();
    let heard = Arc::clone(&inner);
    let at_stage = move || heard.lock().unwrap().push(called("methods show simhash --json").unwrap().output);
    let listener = Arc::new(Listener { at_stage: Some(Box::new(at_stage)), ..Listener::default() });
    let outer = called_by(&at(&place, "lexicon build @corpus.jsonl -o @a.lexicon --json"), listener).unwrap();
    assert_eq!(parsed(&outer.output)[0]["documents"], 6);
    assert_eq!(parsed(&inner.lock().unwrap()[0])[0]["method"]["name"], "simhash");
}

#[test]
fn errors_have_the_kind_of_their_cause() {
    let place = place();
    place.write("bad.jsonl", "no JSON\n");
    let error = |arguments: &str| called(&at(&place, arguments)).unwrap_err();
    for arguments in [
        "",
        "nothing",
        "dedup @corpus.jsonl",
        "dedup @corpus.jsonl -o @out --treshold 1",
        "dedup @corpus.jsonl -o @out --method minhush",
        "dedup @corpus.jsonl -o @out --set nothing=1",
        "scan @files --apply eat",
        "methods show minhush",
        "tune @corpus.jsonl --precision 2 --pairs @labels.csv",
        "evaluate @corpus.jsonl",
    ] {
        let error = error(arguments);
        let told = error.to_string();
        assert!(matches!(error, Error::Config(_)), "{arguments}: {error:?}");
        assert!(!told.is_empty() && !told.contains('\n') && !told.contains('\x1b'), "{arguments}: {told}");
        assert!(!told.contains("Usage:") && !told.starts_with("error"), "{arguments}: {told}");
    }
    let missing = error("lexicon show @none.lexicon");
    assert!(matches!(&missing, Error::Io { path, .. } if *path == place.path("none.lexicon")), "{missing:?}");
    let recipe = error("dedup @corpus.jsonl -o @out --recipe @none.toml");
    assert!(matches!(&recipe, Error::Io { path, .. } if *path == place.path("none.toml")), "{recipe:?}");
    let bad = error("dedup @bad.jsonl -o @out --strict");
    assert!(matches!(bad, Error::Input(_)), "{bad:?}");
    let unreadable = error("extract @none.pdf");
    assert!(matches!(unreadable, Error::Input(_)), "{unreadable:?}");
    // The words are those of the program.
    let said = place.run(&at(&place, "dedup @bad.jsonl -o @out --strict")).error();
    assert_eq!(said.trim_end(), format!("error: {bad}"));
}

#[test]
fn what_serves_or_reads_standard_input_is_refused() {
    let place = place();
    for arguments in ["serve --data @data", "view @out", "extract-worker"] {
        let told = called(&at(&place, arguments)).unwrap_err().to_string();
        assert!(told.contains("cannot be called within a program"), "{arguments}: {told}");
    }
    for arguments in [
        "dedup - -o @out",
        "evaluate - --exact jaccard:0.8",
        "lexicon build - -o @x.lexicon",
        "lexicon build --counts - -o @x.lexicon",
        "extract -",
        "check --index @seen",
        "index add @seen -",
        "index remove @seen -",
        "tune @corpus.jsonl --pairs @asked.jsonl --ask 2",
    ] {
        let error = called(&at(&place, arguments)).unwrap_err();
        assert!(
            matches!(&error, Error::Config(told) if told.contains("standard input")),
            "{arguments}: {error:?}"
        );
    }
    assert!(!place.path("asked.jsonl").exists() && !place.path("out").exists());
    // Tokens need no service.
    let token = called(&at(&place, "serve token add crawler --data @data")).unwrap();
    assert!(token.output.trim().len() > 20, "{token:?}");
}

#[test]
fn without_a_reader_of_its_own_a_session_reads_corpora_only() {
    let place = place();
    let run = |arguments: &str| {
        let arguments: Vec<String> = at(&place, arguments).split_whitespace().map(str::to_owned).collect();
        call(&Session::default(), &arguments, Arc::new(Listener::default()))
    };
    let error = run("extract @files/one.txt").unwrap_err();
    assert!(error.to_string().contains("reads corpora only"), "{error}");
    assert_eq!(run("evaluate @corpus.jsonl --exact jaccard:0.8 --json").unwrap().code, 0);
}

#[test]
fn a_host_stops_the_work() {
    let place = place();
    for arguments in [
        "dedup @corpus.jsonl -o @out --json",
        "dedup @corpus.jsonl -o @quiet --json --quiet",
        "lexicon build @corpus.jsonl -o @stopped.lexicon",
        "lexicon stability",
        "scan @files --no-cache --json",
        "extract @files --json",
        "evaluate @corpus.jsonl --pairs @labels.csv",
    ] {
        let listener = Arc::new(Listener { is_cancelled: true, ..Listener::default() });
        let outcome = called_by(&at(&place, arguments), listener);
        assert!(matches!(outcome, Err(Error::Cancelled)), "{arguments}: {outcome:?}");
    }
    assert!(!place.path("out/report.json").exists() && !place.path("quiet/report.json").exists());
    assert!(!place.path("stopped.lexicon").exists());
}

/// A host asks for an end only where it is asked.
#[test]
fn long_work_asks_the_host_often() {
    let place = labelled();
    let asked = |arguments: &str| {
        let listener: Arc<Listener> = Arc::default();
        called_by(&at(&place, arguments), Arc::clone(&listener)).unwrap();
        let last = listener.stages.lock().unwrap().last().cloned();
        (last, *listener.advances.lock().unwrap())
    };
    let (stage, times) = asked(
        "train @corpus.jsonl --cluster-field cluster --learner best --folds 3 -o @my.model --resamples 50",
    );
    // Nine learners compete, for each of three parts held out and in the end.
    assert!(stage.as_deref() == Some("training") && times >= 9 * 4, "{stage:?} {times}");
    let (_, times) = asked("lexicon stability --trials 10000");
    assert!(times >= 4 * 10, "{times}");
}

#[test]
fn a_panic_is_an_error_and_ends_the_capture() {
    let place = place();
    let arguments = at(&place, "lexicon build @corpus.jsonl -o @a.lexicon --json");
    let listener = Listener { at_stage: Some(Box::new(|| panic!("on purpose"))), ..Listener::default() };
    let outcome = called_by(&arguments, Arc::new(listener));
    assert!(matches!(outcome, Err(Error::Internal(_))), "{outcome:?}");
    assert_eq!(parsed(&called(&arguments).unwrap().output)[0]["documents"], 6);
}

#[test]
fn messages_and_warnings_go_to_the_host() {
    let place = place();
    place.write("twice.jsonl", joined(&[document(1, &words("sea", 9)), document(1, &words("sky", 9))]));
    let listener: Arc<Listener> = Arc::default();
    called_by(&at(&place, "dedup @twice.jsonl -o @out"), Arc::clone(&listener)).unwrap();
    let warned = listener.warned.lock().unwrap().clone();
    assert!(!warned.is_empty() && warned.iter().all(|warning| !warning.starts_with("warning")), "{warned:?}");
    assert!(listener.stages.lock().unwrap().contains(&"signing".to_owned()));

    let listener: Arc<Listener> = Arc::default();
    let evaluate = at(&place, "evaluate @corpus.jsonl --pairs @labels.csv --html @page.html --quiet");
    called_by(&evaluate, Arc::clone(&listener)).unwrap();
    assert_eq!(
        listener.told.lock().unwrap()[..],
        [format!("The page is {}", place.path("page.html").display())]
    );
    assert!(listener.stages.lock().unwrap().is_empty(), "no progress is wanted");
    let page = place.text("page.html");
    assert!(
        page.contains("lookalike evaluate") && page.contains("--pairs"),
        "the page has the call's arguments"
    );
}

/// In a process of its own, whose streams can be looked at.
#[test]
fn nothing_is_written_to_the_streams_of_the_process() {
    const PLACE: &str = "LOOKALIKE_TEST_PLACE";
    if let Ok(folder) = std::env::var(PLACE) {
        for arguments in [
            "methods",
            "methods --json",
            "scan @files --no-cache --csv",
            "index check @seen @corpus.jsonl --json",
            "index add @seen @corpus.jsonl --json",
            "dedup @twice.jsonl -o @out",
            "evaluate @corpus.jsonl --pairs @labels.csv --html @page.html",
            "extract @files",
            "nothing",
        ] {
            let _ = called(&arguments.replace('@', &format!("{folder}/")));
        }
        return;
    }
    let place = place();
    place.write("twice.jsonl", joined(&[document(1, &words("sea", 9)), document(1, &words("sky", 9))]));
    let test = "calling::nothing_is_written_to_the_streams_of_the_process";
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture", "--quiet", "--test-threads", "1"])
        .env(PLACE, place.path(""))
        .output()
        .unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(
        place.path("page.html").exists() && place.path("out/report.json").exists(),
        "the calls were made"
    );
    let printed = String::from_utf8(output.stdout).unwrap();
    let of_harness = |line: &str| {
        let line = line.trim();
        line.is_empty()
            || line == "."
            || line.starts_with("running 1 test")
            || line.starts_with("test result:")
    };
    let ours: Vec<&str> = printed.lines().filter(|line| !of_harness(line)).collect();
    assert!(ours.is_empty(), "{printed}");
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}
