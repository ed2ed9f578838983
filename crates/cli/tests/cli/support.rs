//! A folder to work in, the program run in it, and documents to feed it.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};

pub struct Place(tempfile::TempDir);

impl Place {
    pub fn new() -> Self {
        Place(tempfile::tempdir().unwrap())
    }

    /// A folder with one corpus, `corpus.jsonl`, of these lines.
    pub fn with_corpus(lines: &[String]) -> Self {
        let place = Place::new();
        place.write("corpus.jsonl", joined(lines));
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    pub fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    pub fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.text(name)).unwrap()
    }

    /// The values of a JSONL file.
    pub fn lines(&self, name: &str) -> Vec<Value> {
        values(&self.text(name))
    }

    /// The names of everything in a folder, hidden files too.
    pub fn names(&self, folder: &str) -> Vec<String> {
        let entries = std::fs::read_dir(self.path(folder)).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    pub fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lookalike"));
        command.current_dir(self.0.path()).args(arguments.split_whitespace());
        command
    }

    /// Runs the program; the arguments are separated by spaces.
    pub fn run(&self, arguments: &str) -> Run {
        Run::new(arguments, self.command(arguments).output().unwrap())
    }

    /// Runs the program with bytes on its standard input.
    pub fn run_with_input(&self, arguments: &str, input: &[u8]) -> Run {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        // A program that refuses its arguments ends before it has read anything: its output is judged.
        match child.stdin.take().unwrap().write_all(input) {
            Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => panic!("{error}"),
            _ => {}
        }
        Run::new(arguments, child.wait_with_output().unwrap())
    }
}

/// The output of a run of the program.
pub struct Run {
    arguments: String,
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Run {
    pub fn new(arguments: &str, output: Output) -> Self {
        Run {
            arguments: arguments.to_owned(),
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Fails unless the program succeeded.
    pub fn ok(self) -> Self {
        assert_eq!(self.code, Some(0), "lookalike {}\n{}", self.arguments, self.err);
        self
    }

    /// Fails unless there is an error of one sentence, and returns it.
    pub fn error(self) -> String {
        let told = format!("lookalike {}\n{}", self.arguments, self.err);
        assert_eq!(self.code, Some(2), "{told}");
        assert_eq!(self.err.lines().count(), 1, "one line, please: {told}");
        assert!(self.err.starts_with("error: "), "{told}");
        assert_eq!(self.out, "", "nothing on stdout: {told}");
        self.err
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }
}

/// Lines as a file has them.
pub fn joined(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

pub fn values(jsonl: &str) -> Vec<Value> {
    let parse = |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    jsonl.lines().map(parse).collect()
}

/// One field of each value.
pub fn each(values: &[Value], key: &str) -> Vec<Value> {
    values.iter().map(|value| value[key].clone()).collect()
}

/// The keys of a JSON object in the order in which they are written.
pub fn keys(line: &str) -> Vec<String> {
    struct Keys(Vec<String>);

    impl<'de> serde::de::Visitor<'de> for Keys {
        type Value = Vec<String>;

        fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            formatter.write_str("an object")
        }

        fn visit_map<A: serde::de::MapAccess<'de>>(mut self, mut map: A) -> Result<Vec<String>, A::Error> {
            while let Some((key, _)) = map.next_entry::<String, serde::de::IgnoredAny>()? {
                self.0.push(key);
            }
            Ok(self.0)
        }
    }

    let mut deserializer = serde_json::Deserializer::from_str(line);
    serde::Deserializer::deserialize_map(&mut deserializer, Keys(Vec::new())).unwrap()
}

pub fn document(id: impl Into<Value>, text: &str) -> String {
    json!({ "id": id.into(), "text": text }).to_string()
}

/// Words that no other topic has.
pub fn words(topic: &str, count: usize) -> String {
    let words: Vec<String> = (0..count).map(|number| format!("{topic}{number}")).collect();
    words.join(" ")
}

/// The topic's words with another one at the end: nearly the same document, and longer.
pub fn nearly(topic: &str, count: usize) -> String {
    format!("{} somethingdifferent", words(topic, count))
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

pub fn gunzip(bytes: &[u8]) -> String {
    let mut text = String::new();
    std::io::Read::read_to_string(&mut flate2::read::MultiGzDecoder::new(bytes), &mut text).unwrap();
    text
}
