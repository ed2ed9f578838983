//! Every command in the README and the guide works as written.
//!
//! Lines that begin with `lookalike ` in `sh` blocks are run in order, each file's in a fresh folder
//! with a corpus to try them on.

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

#[test]
fn every_documented_command_works() {
    let mut pages = vec![root().join("README.md")];
    find_pages(&root().join("docs"), &mut pages);
    let (mut tried, mut failed) = (0, Vec::new());
    for page in pages {
        let text =
            std::fs::read_to_string(&page).unwrap_or_else(|error| panic!("{}: {error}", page.display()));
        let folder = playground();
        for command in commands(&text) {
            tried += 1;
            let words = split(&command);
            let mut program = Command::new(env!("CARGO_BIN_EXE_lookalike"));
            program.args(&words[1..]).current_dir(folder.path());
            let output = program.env("XDG_CACHE_HOME", folder.path().join(".cache")).output().unwrap();
            if !output.status.success() {
                let told = String::from_utf8_lossy(&output.stderr);
                failed.push(format!("{}: {command}\n  {told}", page.strip_prefix(root()).unwrap().display()));
            }
        }
    }
    assert!(failed.is_empty(), "\n{}", failed.join("\n"));
    assert!(tried > 0, "the README shows how to use the program");
}

/// What the pages assume to be there: a corpus, some more of it, the recipes, a folder of documents.
fn playground() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let corpus = std::fs::read_to_string(root().join("crates/cli/samples/documents.jsonl")).unwrap();
    let half = corpus.lines().count().div_ceil(2);
    let more: String = corpus.lines().take(half).map(|line| format!("{line}\n")).collect();
    std::fs::write(folder.path().join("corpus.jsonl"), &corpus).unwrap();
    std::fs::write(folder.path().join("more.jsonl"), more).unwrap();
    let recipes = folder.path().join("recipes");
    std::fs::create_dir(&recipes).unwrap();
    for entry in std::fs::read_dir(root().join("recipes")).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), recipes.join(entry.file_name())).unwrap();
    }
    // Documents of several formats, for what works on folders.
    let documents = folder.path().join("documents");
    std::fs::create_dir(&documents).unwrap();
    for (number, line) in corpus.lines().enumerate() {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = record["text"].as_str().unwrap();
        let (ending, text) = match number % 3 {
            0 => ("txt", text.to_owned()),
            1 => ("md", format!("# Number {number}\n\n{text}")),
            _ => ("html", format!("<html><body><article><p>{text}</p></article></body></html>")),
        };
        std::fs::write(documents.join(format!("{number}.{ending}")), text).unwrap();
    }
    folder
}

fn find_pages(folder: &Path, pages: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            find_pages(&path, pages);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
}

/// The program's own lines in `sh` blocks, each joined with the lines that a backslash continues it by.
fn commands(markdown: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut in_shell = false;
    let mut lines = markdown.lines();
    while let Some(line) = lines.next() {
        let mut line = line.trim().to_owned();
        if line.starts_with("```") {
            in_shell = !in_shell && line == "```sh";
            continue;
        }
        while line.ends_with('\\') {
            line.pop();
            line += lines.next().unwrap_or_default().trim();
        }
        if in_shell && line.starts_with("lookalike ") {
            found.push(line);
        }
    }
    found
}

/// Words as a shell parts them: quotes hold words together, a comment or a pipe into another program
/// ends the command.
fn split(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = None::<String>;
    let mut quote = None;
    for character in command.chars() {
        match (quote, character) {
            (Some(open), _) if character == open => quote = None,
            (Some(_), _) => word.get_or_insert_default().push(character),
            (None, '"' | '\'') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, '|') => break,
            (None, '#') if word.is_none() => break,
            (None, ' ' | '\t') => words.extend(word.take()),
            (None, _) => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words
}

#[test]
fn commands_are_found_in_shell_blocks_only() {
    let page = "lookalike outside\n```sh\n# note\nlookalike one\nls\nlookalike two \\\n  --three\n```\n\
                ```text\nlookalike printed\n```\n  ```sh\n  lookalike indented\n  ```\n";
    assert_eq!(commands(page), ["lookalike one", "lookalike two --three", "lookalike indented"]);
}

#[test]
fn words_are_split_like_a_shell_does() {
    assert_eq!(split("lookalike  a 'b c' --d=\"e f\" ''"), ["lookalike", "a", "b c", "--d=e f", ""]);
    assert_eq!(split("lookalike a # why"), ["lookalike", "a"]);
    assert_eq!(split("lookalike a#b | jq ."), ["lookalike", "a#b"]);
}
