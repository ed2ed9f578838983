//! The papers' experiments give what docs/reproduction.md says of them, but for times.
//!
//! They need public data, which are no part of this repository: the folder that `LOOKALIKE_DATA` names, or one called
//! `shared/data` beside the repository. Without them the tests say so and pass.

use std::path::{Path, PathBuf};
use std::process::Command;

/// All experiments of one kind are run again and compared with the page.
fn reproduce(quick: bool) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let listed = printed(&["reproduce", "--json"]);
    let listed: Vec<serde_json::Value> = serde_json::from_str(&listed).unwrap();
    let chosen: Vec<&serde_json::Value> =
        listed.iter().filter(|known| known["quick"] == quick && is_wanted(known)).collect();
    assert!(!chosen.is_empty());
    let page = std::fs::read_to_string(root.join("docs/reproduction.md")).unwrap();
    let data = data(&root);
    let mut wrong = Vec::new();
    for known in chosen {
        let name = known["name"].as_str().unwrap();
        let data = match (&data, known["data"].as_array().unwrap().is_empty()) {
            (Some(data), _) => data.to_str().unwrap(),
            (None, true) => ".",
            (None, false) => {
                eprintln!("{name} is not run again: there are no data, set LOOKALIKE_DATA to their folder");
                continue;
            }
        };
        // The number of threads is printed beside times.
        let again = printed(&["reproduce", name, "--data", data, "--markdown", "--threads", "2", "--quiet"]);
        wrong.extend(difference(section(&page, name), &again).map(|line| format!("{name}: {line}")));
    }
    assert!(
        wrong.is_empty(),
        "put what `lookalike reproduce NAME --data DATA --markdown` prints into docs/reproduction.md:\n{}",
        wrong.join("\n")
    );
}

#[test]
fn quick_experiments_give_what_the_page_says() {
    reproduce(true);
}

#[test]
#[ignore = "takes an hour; LOOKALIKE_ONLY=NAME chooses one"]
fn all_other_experiments_give_what_the_page_says() {
    reproduce(false);
}

fn is_wanted(known: &serde_json::Value) -> bool {
    std::env::var("LOOKALIKE_ONLY").map_or(true, |only| known["name"] == only.as_str())
}

fn data(root: &Path) -> Option<PathBuf> {
    let named = std::env::var_os("LOOKALIKE_DATA").map(PathBuf::from);
    let folder = named.unwrap_or_else(|| root.join("../shared/data"));
    folder.is_dir().then_some(folder)
}

fn printed(arguments: &[&str]) -> String {
    let run = Command::new(env!("CARGO_BIN_EXE_lookalike")).args(arguments).output().unwrap();
    assert!(run.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&run.stderr));
    String::from_utf8(run.stdout).unwrap()
}

fn section<'p>(page: &'p str, name: &str) -> &'p str {
    let head = format!("\n## `{name}`: ");
    let start = page.find(&head).unwrap_or_else(|| panic!("{name} has no section")) + 1;
    let rest = &page[start..];
    rest.find("\n## `").map_or(rest, |end| &rest[..end + 1])
}

/// The first line that differs by more than a time.
fn difference(expected: &str, got: &str) -> Option<String> {
    let (expected, got) = (masked(expected), masked(got));
    let mut lines = expected.iter().zip(&got);
    match lines.find(|(expected, got)| expected != got) {
        Some((expected, got)) => Some(format!("the page says\n  {expected}\nand the program\n  {got}")),
        None if expected.len() != got.len() => {
            Some(format!("the page has {} lines, the program prints {}", expected.len(), got.len()))
        }
        None => None,
    }
}

/// The lines without times: numbers before a unit of time, and columns that are called `time` or `seconds`.
fn masked(text: &str) -> Vec<String> {
    let mut timed: Vec<usize> = Vec::new();
    let mut was_table = false;
    let lines = text.trim_end().lines().map(|line| {
        let is_table = line.starts_with("| ");
        let cells: Vec<&str> = line.split(" | ").collect();
        if is_table && !was_table {
            let is_time = |cell: &&str| matches!(cell.trim_matches([' ', '|']), "time" | "seconds");
            timed = (0..cells.len()).filter(|&place| is_time(&cells[place])).collect();
        } else if is_table {
            let cells = cells.iter().enumerate();
            let cells =
                cells.map(
                    |(place, cell)| {
                        if timed.contains(&place) { "TIME".to_owned() } else { without_times(cell) }
                    },
                );
            was_table = true;
            return cells.collect::<Vec<_>>().join(" | ");
        }
        was_table = is_table || line.starts_with("|--");
        without_times(line)
    });
    lines.collect()
}

fn without_times(line: &str) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let is_unit =
        |word: &str| matches!(word.trim_end_matches(['.', ',', ';', ':', ')', '|']), "s" | "ms" | "min");
    let is_number = |word: &str| word.trim_matches(['(', '|']).parse::<f64>().is_ok();
    let shown = words.iter().enumerate().map(|(place, word)| {
        let is_time = is_number(word) && words.get(place + 1).is_some_and(|next| is_unit(next));
        if is_time { "TIME" } else { word }
    });
    shown.collect::<Vec<_>>().join(" ")
}

#[test]
fn only_times_are_masked() {
    let page = "A join in 8.6 s found 9 pairs.\n\n| what | seconds | time, thesis |\n|---|---|---|\n| a | 5.2 | 0.3 ms |\n| b | 4.1 | 7 |\n";
    let masked = masked(page);
    assert_eq!(masked[0], "A join in TIME s found 9 pairs.");
    assert_eq!(masked[4..], ["| a | TIME | TIME ms |", "| b | TIME | 7 |"]);
    assert_eq!(difference(page, &page.replace("8.6", "12").replace("5.2", "0")), None);
    let wrong = difference(page, &page.replace("9 pairs", "8 pairs")).unwrap();
    assert!(wrong.contains("found 9 pairs") && wrong.contains("found 8 pairs"), "{wrong}");
    assert!(difference(page, &page.replace("| 7 |", "| 8 |")).is_some());
    assert!(difference(page, &format!("{page}more\n")).is_some());
}

#[test]
fn a_section_ends_where_the_next_begins() {
    let page = "# Page\n\n## `a`: One\nx\n\n## `b`: Two\ny\n";
    assert_eq!((section(page, "a"), section(page, "b")), ("## `a`: One\nx\n\n", "## `b`: Two\ny\n"));
}
