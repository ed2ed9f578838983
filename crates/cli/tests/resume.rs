//! Killing a run at any point and resuming it loses nothing and changes nothing.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const FILES: [&str; 5] = ["kept.jsonl", "removed.jsonl", "clusters.jsonl", "pairs.jsonl", "rejected.jsonl"];

fn command(input: &Path, output: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lookalike"));
    command.arg("dedup").arg(input).arg("-o").arg(output).args(["--threads", "2", "--memory", "70MB", "-q"]);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// About 12 MB with near-duplicates, exact copies and a bad line now and then.
fn write_corpus(path: &Path) {
    let mut text = String::new();
    let mut state = 9u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    let mut bases: Vec<Vec<u64>> = Vec::new();
    for number in 0..12_000 {
        let mut words = if number % 3 == 0 || bases.is_empty() {
            (0..120 + random() % 60).map(|_| random() % 50_000).collect()
        } else {
            bases[random() as usize % bases.len()].clone()
        };
        for _ in 0..random() % 6 {
            let place = random() as usize % words.len();
            words[place] = random() % 50_000;
        }
        let body: Vec<String> = words.iter().map(|word| format!("word{word}")).collect();
        text += &format!("{{\"id\":{number},\"text\":\"{}\"}}\n", body.join(" "));
        if number % 1000 == 500 {
            text += "{not json\n";
        }
        if number % 3 == 0 {
            bases.push(words);
        }
    }
    std::fs::write(path, text).unwrap();
}

/// Decisions about unrelated and related documents, and some documents to keep.
fn write_decisions(path: &Path) {
    let line = |number: u64| match number % 3 {
        0 => format!("{{\"a\":{number},\"b\":{},\"duplicate\":true}}\n", number + 3),
        1 => format!("{{\"a\":{number},\"b\":{},\"duplicate\":false}}\n", number - 1),
        _ => format!("{{\"keep\":{number}}}\n"),
    };
    std::fs::write(path, (0..600).map(line).collect::<String>()).unwrap();
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// There are decisions about some documents, and the run is killed at any point.
fn check(input: &Path, folder: &Path, kept: &str) {
    let decisions = folder.join("decisions.jsonl");
    write_decisions(&decisions);
    let command = |input: &Path, output: &Path| {
        let mut command = command(input, output);
        command.arg("--decisions").arg(&decisions);
        command
    };
    let (whole, broken) = (folder.join("whole"), folder.join("broken"));
    let began = std::time::Instant::now();
    assert!(command(input, &whole).status().unwrap().success());
    let duration = began.elapsed();
    let mut kills = 0;
    for round in 0u32..40 {
        let mut child = command(input, &broken).arg("--resume").spawn().unwrap();
        // Later and later, so that some round gets to the end: every stage is interrupted on the
        // way.
        let wait = duration.mul_f64(0.02 + 0.06 * f64::from(round) + 0.01 * f64::from(round * 7 % 5));
        std::thread::sleep(wait.max(Duration::from_millis(2)));
        if child.try_wait().unwrap().is_some_and(|status| status.success()) {
            break;
        }
        // SIGKILL: no clean-up of any kind.
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
        let partial = FILES.iter().find(|file| {
            let (half, done) = (broken.join(file), whole.join(file));
            half.exists() && std::fs::read(&half).unwrap() != std::fs::read(&done).unwrap()
        });
        assert_eq!(partial, None, "no half file under a final name");
    }
    assert!(kills >= 3, "{kills} kills");
    assert!(command(input, &broken).arg("--resume").status().unwrap().success());
    for file in FILES.iter().filter(|file| !file.starts_with("kept")).chain([&kept]) {
        assert_eq!(
            std::fs::read(whole.join(file)).unwrap(),
            std::fs::read(broken.join(file)).unwrap(),
            "{file} after {kills} kills"
        );
    }
    assert!(!broken.join(".lookalike-work").exists());
}

#[test]
fn a_killed_run_resumes_to_the_same_result() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in.jsonl");
    write_corpus(&input);
    check(&input, folder.path(), "kept.jsonl");
}

#[test]
fn a_killed_run_over_compressed_input_resumes_to_the_same_result() {
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("in.jsonl");
    write_corpus(&plain);
    let input = folder.path().join("in.jsonl.gz");
    std::fs::write(&input, gzip(&std::fs::read(&plain).unwrap())).unwrap();
    check(&input, folder.path(), "kept.jsonl.gz");
}

#[test]
fn a_killed_run_over_a_table_resumes_to_the_same_result() {
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("in.jsonl");
    write_corpus(&plain);
    let text = std::fs::read_to_string(&plain).unwrap();
    let rows = text.lines().map(|line| match serde_json::from_str::<serde_json::Value>(line) {
        Ok(value) => format!("{},\"{}\n\"\n", value["id"], value["text"].as_str().unwrap()),
        Err(_) => "too short\n".to_owned(),
    });
    let table = format!("id,text\n{}", rows.collect::<String>());
    let input = folder.path().join("in.csv.gz");
    std::fs::write(&input, gzip(table.as_bytes())).unwrap();
    check(&input, folder.path(), "kept.csv.gz");
}

/// The power fails again and again: of what was not forced to disk, the disk has any part. What was killed first is the
/// process, so its files are complete up to there; then parts of them are lost.
fn check_power(input: &Path, folder: &Path, kept: &str) {
    let (whole, broken) = (folder.join("whole"), folder.join("broken"));
    let began = std::time::Instant::now();
    assert!(command(input, &whole).status().unwrap().success());
    let duration = began.elapsed();
    let mut state = 5u64;
    let mut below = |limit: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % limit.max(1)
    };
    let mut cuts = 0;
    for round in 0u32..12 {
        let mut child = command(input, &broken).arg("--resume").spawn().unwrap();
        std::thread::sleep(duration.mul_f64(0.1 + 0.15 * f64::from(round)));
        if child.try_wait().unwrap().is_some() {
            break;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let work = broken.join(".lookalike-work");
        let Ok(files) = std::fs::read_dir(&work) else { continue };
        cuts += 1;
        for path in files.map(|entry| entry.unwrap().path()) {
            // These are forced to disk when they are written.
            if ["manifest.json", "lock"].iter().any(|name| path.ends_with(name)) {
                continue;
            }
            let mut bytes = std::fs::read(&path).unwrap();
            let length = bytes.len() as u64;
            match below(3) {
                0 => bytes.truncate(below(length + 1) as usize),
                1 => {
                    let from = below(length);
                    let to = (from + 1 + below(length - from)).min(length);
                    bytes[from as usize..to as usize].fill(0);
                }
                _ => {}
            }
            std::fs::write(&path, bytes).unwrap();
        }
    }
    assert!(cuts >= 2, "{cuts} power cuts");
    let last = command(input, &broken).arg("--resume").stderr(Stdio::piped()).output().unwrap();
    assert!(last.status.success(), "{}", String::from_utf8_lossy(&last.stderr));
    for file in FILES.iter().filter(|file| !file.starts_with("kept")).chain([&kept]) {
        let read = |folder: &Path| std::fs::read(folder.join(file)).unwrap();
        assert!(read(&whole) == read(&broken), "{file} after {cuts} power cuts");
    }
}

#[test]
fn a_run_that_lost_power_resumes_to_the_same_result() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in.jsonl");
    write_corpus(&input);
    check_power(&input, folder.path(), "kept.jsonl");
    let folder = tempfile::tempdir().unwrap();
    let packed = folder.path().join("in.jsonl.gz");
    std::fs::write(&packed, gzip(&std::fs::read(&input).unwrap())).unwrap();
    check_power(&packed, folder.path(), "kept.jsonl.gz");
}

/// Everything that `report.json` stands for is on disk before it has its name.
#[test]
fn results_are_forced_to_disk_before_the_report_has_its_name() {
    if Command::new("strace").arg("-V").output().is_err() {
        return eprintln!("left out: there is no strace");
    }
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in.jsonl");
    write_corpus(&input);
    let (output, trace) = (folder.path().join("out"), folder.path().join("trace"));
    let plain = command(&input, &output);
    let mut traced = Command::new("strace");
    traced.args(["-f", "-y", "-e", "trace=fsync,fdatasync,rename,renameat,renameat2", "-o"]).arg(&trace);
    traced.arg(plain.get_program()).args(plain.get_args());
    assert!(traced.status().unwrap().success());
    let trace = std::fs::read_to_string(&trace).unwrap();
    let lines: Vec<&str> = trace.lines().collect();
    let place = |what: &dyn Fn(&str) -> bool| lines.iter().rposition(|line| what(line));
    let named = place(&|line| line.contains("rename") && line.contains("report.json")).unwrap();
    for file in FILES.iter().chain(&["report.html"]) {
        let given = place(&|line| line.contains("rename") && line.contains(file)).unwrap();
        let synced = place(&|line| line.contains("sync(") && line.contains(file)).unwrap();
        assert!(given < synced && synced < named, "{file}:\n{trace}");
    }
    let report = place(&|line| line.contains("sync(") && line.contains("report.json.partial")).unwrap();
    let names = place(&|line| line.contains("sync(") && line.contains("/out>")).unwrap();
    assert!(report < named && named < names, "{trace}");
}

#[test]
fn resuming_with_other_input_or_settings_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let input = folder.path().join("in.jsonl");
    write_corpus(&input);
    let output = folder.path().join("out");
    let mut child = command(&input, &output).spawn().unwrap();
    while !output.join(".lookalike-work/manifest.json").exists() {
        assert!(child.try_wait().unwrap().is_none(), "ended before it could be killed");
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let refused = |extra: &[&str]| {
        let out = command(&input, &output).args(extra).stderr(Stdio::piped()).output().unwrap();
        assert_eq!(out.status.code(), Some(2));
        String::from_utf8(out.stderr).unwrap()
    };
    assert!(refused(&[]).contains("--resume"));
    assert!(refused(&["--resume", "--threshold", "0.7"]).contains("other"));
    let decisions = folder.path().join("decisions.jsonl");
    write_decisions(&decisions);
    assert!(refused(&["--resume", "--decisions", decisions.to_str().unwrap()]).contains("other decisions"));
    let mut text = std::fs::read_to_string(&input).unwrap();
    text += "{\"text\":\"one more\"}\n";
    std::fs::write(&input, text).unwrap();
    assert!(refused(&["--resume"]).contains("other input files"));
}

/// The work folder of an earlier version: the signatures of two files and incomplete ones of a third, and one batch
/// of verified pairs. Since then, the words of two documents were changed. So only a run that uses what was left
/// calls `b2` a copy of `a2`, and gives `a1` and `b1` the similarity that they had.
#[test]
fn what_a_run_of_format_5_left_is_gone_on_with() {
    let folder = tempfile::tempdir().unwrap();
    let fixture = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/interrupted-run-5");
    let work = folder.path().join("out/.lookalike-work");
    std::fs::create_dir_all(&work).unwrap();
    for name in ["manifest.json", "signatures", "verified"] {
        std::fs::copy(fixture.join(name), work.join(name)).unwrap();
    }
    for name in ["a.jsonl", "b.jsonl", "c.jsonl", "recipe.toml"] {
        std::fs::copy(fixture.join(name), folder.path().join(name)).unwrap();
        let file = std::fs::File::options().write(true).open(folder.path().join(name)).unwrap();
        file.set_modified(std::time::UNIX_EPOCH + Duration::from_secs(1_700_000_000)).unwrap();
    }
    let dedup = |output: &str, more: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lookalike"));
        command.args([
            "dedup",
            "a.jsonl",
            "b.jsonl",
            "c.jsonl",
            "--recipe",
            "recipe.toml",
            "-q",
            "-o",
            output,
        ]);
        let done = command.args(more).current_dir(&folder).output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
        let read = |name: &str| std::fs::read_to_string(folder.path().join(output).join(name)).unwrap();
        (read("pairs.jsonl"), read("removed.jsonl"))
    };
    let stored = |name: &str| std::fs::read_to_string(fixture.join(name)).unwrap();
    assert_eq!(dedup("out", &["--resume"]), (stored("pairs.jsonl"), stored("removed.jsonl")));
    // A run that starts again sees the changes.
    let (pairs, removed) = dedup("anew", &[]);
    assert!(pairs != stored("pairs.jsonl") && removed != stored("removed.jsonl"));
    assert!(stored("removed.jsonl").contains("\"b2\"") && !removed.contains("\"b2\""));
}
