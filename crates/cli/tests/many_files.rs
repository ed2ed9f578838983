//! A corpus in more files than a process may have open.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;

const FILES: usize = 900;

/// Every third shard repeats the one before.
fn text(number: usize) -> String {
    let words: Vec<String> =
        (0..30).map(|word| format!("w{}-{word}", number - usize::from(number % 3 == 2))).collect();
    words.join(" ")
}

/// Plain, packed and columnar shards in turn.
fn write_shards(corpus: &Path) {
    for number in 0..FILES {
        let line = format!("{{\"id\":{number},\"text\":\"{}\"}}\n", text(number));
        match number % 4 {
            0 => std::fs::write(corpus.join(format!("{number:04}.jsonl")), line).unwrap(),
            1 => {
                let packed = zstd::encode_all(line.as_bytes(), 1).unwrap();
                std::fs::write(corpus.join(format!("{number:04}.jsonl.zst")), packed).unwrap();
            }
            2 => {
                let table = format!("id,text\n{number},{}\n", text(number));
                std::fs::write(corpus.join(format!("{number:04}.csv")), table).unwrap();
            }
            _ => {
                let ids: ArrayRef = Arc::new(Int64Array::from(vec![number as i64]));
                let texts: ArrayRef = Arc::new(StringArray::from(vec![text(number)]));
                let batch = RecordBatch::try_from_iter([("id", ids), ("text", texts)]).unwrap();
                let file = std::fs::File::create(corpus.join(format!("{number:04}.parquet"))).unwrap();
                let mut writer = ArrowWriter::try_new(file, batch.schema(), None).unwrap();
                writer.write(&batch).unwrap();
                writer.close().unwrap();
            }
        }
    }
}

#[test]
fn thousands_of_files_are_one_corpus() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = folder.path().join("corpus");
    std::fs::create_dir(&corpus).unwrap();
    write_shards(&corpus);
    // The second limit is hardly more than a program needs for itself.
    for (limit, threads) in [(256, 2), (64, 4)] {
        let run = Command::new("sh")
            .arg("-c")
            .arg(format!("ulimit -n {limit}; exec \"$0\" \"$@\""))
            .arg(env!("CARGO_BIN_EXE_lookalike"))
            .args(["dedup", "corpus", "--keep", "first", "--json", "--threads", &threads.to_string()])
            .args(["-o", &format!("out-{limit}")])
            .current_dir(folder.path())
            .output()
            .unwrap();
        let message = String::from_utf8_lossy(&run.stderr);
        assert!(run.status.success(), "{message}");
        let report: serde_json::Value = serde_json::from_slice(&run.stdout).unwrap();
        assert_eq!(report["documents"], FILES);
        assert_eq!(report["removed"], FILES / 3);
    }
}
