//! A corpus in more files than a process may have open.

use std::process::Command;

#[test]
fn thousands_of_files_are_one_corpus() {
    const FILES: usize = 600;
    let folder = tempfile::tempdir().unwrap();
    let corpus = folder.path().join("corpus");
    std::fs::create_dir(&corpus).unwrap();
    for number in 0..FILES {
        // Every third file repeats the one before, and every other one is compressed.
        let words: Vec<String> =
            (0..30).map(|word| format!("w{}-{word}", number - usize::from(number % 3 == 2))).collect();
        let line = format!("{{\"id\":{number},\"text\":\"{}\"}}\n", words.join(" "));
        if number % 2 == 0 {
            std::fs::write(corpus.join(format!("{number:04}.jsonl")), line).unwrap();
        } else {
            let packed = zstd::encode_all(line.as_bytes(), 1).unwrap();
            std::fs::write(corpus.join(format!("{number:04}.jsonl.zst")), packed).unwrap();
        }
    }
    let run = Command::new("sh")
        .arg("-c")
        .arg("ulimit -n 300; exec \"$0\" \"$@\"")
        .arg(env!("CARGO_BIN_EXE_lookalike"))
        .args(["dedup", "corpus", "-o", "out", "--keep", "first", "--json", "--threads", "2"])
        .current_dir(folder.path())
        .output()
        .unwrap();
    let message = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{message}");
    let report: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
    assert_eq!(report["documents"], FILES);
    assert_eq!(report["removed"], FILES / 3);
}
