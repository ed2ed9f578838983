//! Every command in the documentation works as written, and prints what the documentation shows.
//!
//! The `sh` blocks of a page are one script. It starts in an empty folder, with the program on the path, and makes
//! what it needs by `lookalike demo --data`. An `output` block shows what the `sh` block before it printed: `…` stands for
//! any part of a line, and alone on a line for any lines. Only the port is changed, so that pages can run at the same time.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// README and every page of `docs`.
fn pages() -> Vec<PathBuf> {
    let mut pages = vec![root().join("README.md")];
    find_pages(&root().join("docs"), &mut pages);
    pages
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

#[test]
fn every_documented_command_works_and_prints_what_is_shown() {
    let waiting = Mutex::new(pages());
    let failed = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(page) = { waiting.lock().unwrap().pop() } {
                    let name = page.strip_prefix(root()).unwrap().display().to_string();
                    let found = follow(&blocks(&std::fs::read_to_string(&page).unwrap()));
                    failed.lock().unwrap().extend(found.err().map(|why| format!("{name}: {why}")));
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "\n{}", failed.join("\n\n"));
}

/// What a reader may copy is in `sh` blocks, where it is run. Experiments on data that must be fetched first are
/// the exception, and so is what `./run` and `./test` do.
#[test]
fn no_command_stands_outside_what_is_run() {
    let mut wrong = Vec::new();
    for page in pages().iter().filter(|page| !page.ends_with("docs/reproduction.md")) {
        let text = std::fs::read_to_string(page).unwrap();
        for block in blocks(&text).iter().filter(|block| block.kind != "sh") {
            let lines = block.text.lines().map(str::trim_start);
            let commands = lines.filter(|line| line.starts_with("lookalike ") || line.starts_with("curl "));
            wrong.extend(commands.map(|line| format!("{}: {line}", page.display())));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[derive(Debug, PartialEq)]
struct Block {
    kind: String,
    /// The line of the fence, from 1.
    line: usize,
    text: String,
}

fn blocks(markdown: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut open = false;
    for (line, number) in markdown.lines().zip(1..) {
        if let Some(kind) = line.trim_start().strip_prefix("```") {
            open = !open;
            if open {
                found.push(Block { kind: kind.trim().to_owned(), line: number, text: String::new() });
            }
        } else if let Some(block) = found.last_mut().filter(|_| open) {
            block.text += line;
            block.text.push('\n');
        }
    }
    found
}

/// Runs a page's script and compares what it shows.
fn follow(blocks: &[Block]) -> Result<(), String> {
    if blocks.iter().all(|block| block.kind != "sh") {
        return Ok(());
    }
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("empty");
    std::fs::create_dir(&folder).unwrap();
    let printed = |block: &Block| place.path().join(format!("printed-{}", block.line));
    // Servers that the page starts are ended with it.
    let mut script = "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n".to_owned();
    for block in blocks.iter().filter(|block| block.kind == "sh") {
        writeln!(script, "echo 'block at line {}' >&2", block.line).unwrap();
        writeln!(script, "{{\n{}}} > '{}'", block.text, printed(block).display()).unwrap();
    }
    let port = free_port().to_string();
    let script = script.replace("8080", &port);
    let program = Path::new(env!("CARGO_BIN_EXE_lookalike"));
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", program.parent().unwrap().display());
    let run = Command::new("bash")
        .args(["-euo", "pipefail", "-c", &script])
        .current_dir(&folder)
        .env("PATH", path)
        .env("HOME", place.path())
        .env("LOOKALIKE_LISTEN", format!("127.0.0.1:{port}"))
        .env("XDG_CACHE_HOME", place.path().join("cache"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    if !run.status.success() {
        let told = String::from_utf8_lossy(&run.stderr);
        let told: Vec<&str> = told.lines().rev().take(12).collect();
        return Err(format!("{}\n  {}", run.status, told.into_iter().rev().collect::<Vec<_>>().join("\n  ")));
    }
    let mut before = None;
    for block in blocks {
        match (block.kind.as_str(), before) {
            ("sh", _) => before = Some(block),
            ("output", Some(commands)) => {
                let printed = std::fs::read_to_string(printed(commands)).unwrap();
                let shown: Vec<&str> = block.text.lines().collect();
                if !is_shown(&shown, &printed.lines().collect::<Vec<_>>()) {
                    return Err(format!(
                        "line {} shows\n{}but printed is\n{printed}",
                        block.line, block.text
                    ));
                }
            }
            ("output", None) => return Err(format!("line {}: output of no command", block.line)),
            _ => {}
        }
    }
    Ok(())
}

fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Whether the lines shown are those printed.
fn is_shown(shown: &[&str], printed: &[&str]) -> bool {
    let Some((first, rest)) = shown.split_first() else { return printed.is_empty() };
    if first.trim() == "…" {
        return (0..=printed.len()).any(|skipped| is_shown(rest, &printed[skipped..]));
    }
    let Some((line, others)) = printed.split_first() else { return false };
    is_line(first, line.trim_end()) && is_shown(rest, others)
}

fn is_line(shown: &str, printed: &str) -> bool {
    let mut parts = shown.trim_end().split('…');
    let Some(mut rest) = parts.next().and_then(|first| printed.strip_prefix(first)) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(place) => rest = &rest[place + part.len()..],
            None => return false,
        }
    }
    true
}

#[test]
fn blocks_are_found_with_their_kinds() {
    let page = "one\n```sh\nlookalike a\n```\n  ```output\n  b\n  ```\n```text\nc\n```\n";
    let found: Vec<_> = blocks(page).into_iter().map(|block| (block.kind, block.line, block.text)).collect();
    let block = |kind: &str, line, text: &str| (kind.to_owned(), line, text.to_owned());
    let expected = [block("sh", 2, "lookalike a\n"), block("output", 5, "  b\n"), block("text", 8, "c\n")];
    assert_eq!(found, expected);
}

#[test]
fn what_is_shown_may_leave_out_and_nothing_else() {
    let printed = ["a 1.5 s b", "second", "third"];
    assert!(is_shown(&["a … s b", "second", "third"], &printed));
    assert!(is_shown(&["a 1.5 s …", "…"], &printed));
    assert!(is_shown(&["…", "third"], &printed));
    assert!(!is_shown(&["a … s c", "…"], &printed));
    assert!(!is_shown(&["a 1.5 s b", "second"], &printed));
    assert!(!is_shown(&["…", "second"], &printed));
}

#[test]
fn a_page_that_promises_too_much_is_told() {
    let page = |text: &str| follow(&blocks(text));
    assert!(page("```sh\necho yes\n```\n```output\nyes\n```\n").is_ok());
    assert!(page("```sh\necho yes\n```\n```output\nno\n```\n").unwrap_err().contains("printed is"));
    assert!(page("```sh\nfalse\necho yes\n```\n").unwrap_err().contains("block at line 1"));
    assert!(page("```sh\nlookalike dedup nothing.jsonl -o x\n```\n").is_err());
}

/// Every page can be reached from the README: by its table, or by the table of methods.
#[test]
fn the_index_of_documents_lists_every_page() {
    let read = |name: &str| std::fs::read_to_string(root().join(name)).unwrap();
    let (readme, methods) = (read("README.md"), read("docs/methods/README.md"));
    let table = &readme[readme.find("## Documentation").expect("the README has an index of documents")..];
    let mut missing = Vec::new();
    for page in pages() {
        let name = page.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
        let listed = match name.strip_prefix("docs/methods/") {
            Some(method) if method != "README.md" => methods.contains(&format!("]({method})")),
            _ => name == "README.md" || table.contains(&format!("]({name})")),
        };
        missing.extend((!listed).then_some(name));
    }
    assert!(missing.is_empty(), "not in the index of documents: {}", missing.join(", "));
}
