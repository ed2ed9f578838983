//! Rules of the project that no compiler checks: the direction of dependencies, the size of files,
//! a page for every method, recipes that build.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use lookalike::{Recipe, Registry};
use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Which crates of the workspace a crate may depend on. A new crate is added here with a reason.
const MAY_KNOW: [(&str, &[&str]); 18] = [
    // Pure computation without files, so that a plug-in or a binding can use it anywhere.
    ("lookalike-core", &[]),
    // Whole files, checked logs, locks, the time: once for all crates that store data on disk.
    ("lookalike-plumbing", &["lookalike-core"]),
    ("lookalike-io", &["lookalike-core", "lookalike-plumbing"]),
    // Readers of strangers' files, with what they need; fuzzed alone.
    ("lookalike-extract", &["lookalike-core"]),
    // Training and judging: also pure computation, but deciding and signing need none of it.
    ("lookalike-learn", &["lookalike-core"]),
    // Pages and charts from plain data, without knowledge of what they show.
    ("lookalike-report", &[]),
    // Full-text search: numbers and lines in, numbers out. It asks its caller what documents mean.
    ("lookalike-search", &["lookalike-core"]),
    // Recipe, pipeline, batch run.
    (
        "lookalike-engine",
        &["lookalike-core", "lookalike-io", "lookalike-learn", "lookalike-plumbing", "lookalike-report"],
    ),
    // Tables in memory, for other languages and engines.
    ("lookalike-arrow", &["lookalike-core", "lookalike-engine", "lookalike-io"]),
    // The persistent index, storage and all.
    (
        "lookalike-index",
        &["lookalike-core", "lookalike-engine", "lookalike-io", "lookalike-plumbing", "lookalike-report"],
    ),
    // Folders of documents: not needed for corpora.
    (
        "lookalike-files",
        &[
            "lookalike-core",
            "lookalike-engine",
            "lookalike-extract",
            "lookalike-io",
            "lookalike-plumbing",
            "lookalike-report",
        ],
    ),
    // Labels, truth, training, tuning.
    (
        "lookalike-judge",
        &["lookalike-core", "lookalike-engine", "lookalike-io", "lookalike-learn", "lookalike-report"],
    ),
    // The papers' experiments use all of it, and nothing depends on them.
    (
        "lookalike-reproduce",
        &[
            "lookalike-core",
            "lookalike-engine",
            "lookalike-extract",
            "lookalike-files",
            "lookalike-io",
            "lookalike-judge",
            "lookalike-learn",
            "lookalike-plumbing",
            "lookalike-report",
        ],
    ),
    // Everything that a user of the library needs, in one place.
    (
        "lookalike",
        &[
            "lookalike-arrow",
            "lookalike-core",
            "lookalike-engine",
            "lookalike-extract",
            "lookalike-files",
            "lookalike-index",
            "lookalike-io",
            "lookalike-judge",
            "lookalike-report",
            "lookalike-reproduce",
        ],
    ),
    // HTTP and everything related stay out of the library.
    (
        "lookalike-server",
        &[
            "lookalike",
            "lookalike-core",
            "lookalike-engine",
            "lookalike-extract",
            "lookalike-io",
            "lookalike-judge",
            "lookalike-plumbing",
            "lookalike-search",
        ],
    ),
    // The command does through the library what a user of the library can do; what it shows beyond that (the words of
    // a text, the shape of a lexicon, how one file is read) it takes from the other crates directly.
    (
        "lookalike-cli",
        &[
            "lookalike",
            "lookalike-core",
            "lookalike-engine",
            "lookalike-extract",
            "lookalike-files",
            "lookalike-report",
            "lookalike-server",
        ],
    ),
    // Thin on the library and the command; of the reader of tables it needs only how their panics are caught.
    ("lookalike-python", &["lookalike", "lookalike-cli", "lookalike-io"]),
    ("lookalike-plugin-example", &["lookalike", "lookalike-cli"]),
];

#[test]
fn dependencies_point_down_only() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--offline", "--format-version", "1"])
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let packages = metadata["packages"].as_array().unwrap();
    let name = |value: &Value| value["name"].as_str().unwrap().to_owned();
    let members: BTreeSet<String> = packages.iter().map(name).collect();
    let known: BTreeMap<&str, &[&str]> = MAY_KNOW.into_iter().collect();
    for package in packages {
        let package_name = name(package);
        let allowed = known.get(package_name.as_str());
        let allowed = allowed.unwrap_or_else(|| panic!("{package_name} is not entered in MAY_KNOW"));
        // Dependencies of tests and build scripts count as well.
        for dependency in package["dependencies"].as_array().unwrap().iter().map(name) {
            let is_fine = !members.contains(&dependency) || allowed.contains(&dependency.as_str());
            assert!(is_fine, "{package_name} must not depend on {dependency}");
        }
    }
    assert_eq!(members, known.keys().map(|&name| name.to_owned()).collect(), "MAY_KNOW lists every crate");
}

/// Without default features, library and command line build recipe, pipeline and batch runs over text corpora, and
/// nothing heavy.
#[test]
fn library_and_command_line_without_features_are_small() {
    const HEAVY: [&str; 17] = [
        "arrow",
        "axum",
        "bitpacking",
        "calamine",
        "cfb",
        "hayro",
        "hyper",
        "icu_segmenter",
        "ignore",
        "image",
        "parquet",
        "quick-xml",
        "schemars",
        "sevenz",
        "tantivy",
        "zip",
        "zune",
    ];
    let all = tree(&["lookalike"]);
    let bare = tree(&["lookalike", "--no-default-features"]);
    let small = tree(&["lookalike-cli", "--no-default-features"]);
    let ours: Vec<&str> =
        bare.iter().map(String::as_str).filter(|name| name.starts_with("lookalike")).collect();
    let parts = ["lookalike", "lookalike-core", "lookalike-engine", "lookalike-io", "lookalike-learn"];
    assert_eq!(ours, [&parts[..], &["lookalike-plumbing", "lookalike-report"]].concat());
    for name in bare.iter().chain(&small) {
        assert!(!HEAVY.iter().any(|heavy| name.starts_with(heavy)), "{name} is built without any feature");
    }
    assert!(bare.len() * 2 < all.len(), "{} crates without features, {} with all", bare.len(), all.len());
    assert!(all.iter().any(|name| name == "parquet"), "the names are those of crates");
}

/// The crates that a build of a package takes.
fn tree(package: &[&str]) -> BTreeSet<String> {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--edges", "normal,build", "--prefix", "none", "--offline", "--locked", "-p"])
        .args(package)
        // Features of the whole workspace are not those of one package.
        .env_remove("CARGO_RESOLVER_FEATURE_UNIFICATION")
        .current_dir(root())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect()
}

const HEADINGS: [&str; 8] = [
    "Finds",
    "How",
    "Parameters",
    "Cost",
    "Where it fails",
    "Differences from the paper",
    "Our numbers",
    "Paper",
];

#[test]
fn every_method_has_a_page_with_the_fixed_headings() {
    for method in Registry::with_built_ins().methods() {
        let page = format!("docs/methods/{}.md", method.name);
        assert_eq!(headings(&read(&page), "## "), HEADINGS, "{page}");
    }
}

#[test]
fn every_page_of_a_method_is_about_a_method() {
    let registry = Registry::with_built_ins();
    for page in files(&root().join("docs/methods"), "md") {
        let name = page.file_stem().unwrap().to_string_lossy().into_owned();
        assert!(name == "README" || registry.method(&name).is_ok(), "{name}.md");
    }
}

#[test]
fn every_part_is_described() {
    let described = headings(&read("docs/parts.md"), "### ");
    let mut named: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (stage, parts) in Registry::with_built_ins().all_parts() {
        parts.iter().for_each(|part| named.entry(part.name).or_default().push(stage));
    }
    for (name, stages) in named {
        // Parts of different stages may share a name; each is described on its own.
        let found = described.iter().filter(|heading| *heading == name).count();
        assert_eq!(found, stages.len(), "`### {name}` in docs/parts.md, for {}", stages.join(" and "));
    }
}

/// Headings of one level, outside code blocks.
fn headings(markdown: &str, marks: &str) -> Vec<String> {
    let mut in_code = false;
    let mut found = Vec::new();
    for line in markdown.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if let Some(heading) = line.strip_prefix(marks).filter(|_| !in_code) {
            found.push(heading.trim().to_owned());
        }
    }
    found
}

#[test]
fn every_recipe_builds() {
    let registry = Registry::with_built_ins();
    let recipes = files(&root().join("recipes"), "toml");
    assert!(!recipes.is_empty(), "recipes/ holds some");
    for path in recipes {
        let text = std::fs::read_to_string(&path).unwrap();
        let built = Recipe::from_toml(&text, &registry).and_then(|recipe| recipe.build(&registry));
        let error = built.err().map(|error| error.to_string());
        // A model belongs to the user; docs/train.md trains one and runs such a recipe.
        let lacks_model = text.contains("type = \"classifier\"")
            && error.as_ref().is_some_and(|error| error.contains("there is no model `my.model`"));
        assert!(error.is_none() || lacks_model, "{}: {}", path.display(), error.unwrap());
    }
}

/// The Rust files of the product, without its tests folders.
fn sources() -> Vec<PathBuf> {
    let crates = std::fs::read_dir(root().join("crates")).unwrap();
    let found: Vec<PathBuf> =
        crates.flat_map(|entry| files(&entry.unwrap().path().join("src"), "rs")).collect();
    assert!(found.len() > 20, "the product has many files");
    found
}

#[test]
fn no_file_is_too_long() {
    const LIMIT: usize = 500;
    for path in sources() {
        let lines = std::fs::read_to_string(&path).unwrap().lines().count();
        assert!(lines <= LIMIT, "{} has {lines} lines, split it", path.display());
    }
}

/// The verbs also run in the process of another program, which has streams of its own.
#[test]
fn verbs_use_the_streams_of_their_caller() {
    let streams = ["print!(", "println!(", "eprint!(", "eprintln!(", "stdout()", "stderr()", "stdin()"];
    let allowed = [
        ("out.rs", "stdout()"),
        ("out.rs", "stderr()"),
        ("host.rs", "stdin()"),
        ("progress/mod.rs", "stderr()"),
    ];
    let found = sources().into_iter().filter(|path| path.starts_with(root().join("crates/cli/src")));
    for path in found {
        let is_allowed =
            |used: &str| allowed.iter().any(|(file, stream)| path.ends_with(file) && used == *stream);
        for (number, line) in std::fs::read_to_string(&path).unwrap().lines().enumerate() {
            let used = streams
                .into_iter()
                .find(|stream| line.contains(stream) && !line.trim_start().starts_with("//"));
            let Some(used) = used.filter(|used| !is_allowed(used)) else { continue };
            // The width of a terminal is asked of its own crate.
            assert!(line.contains("console::Term::stdout()"), "{}:{}: {used}", path.display(), number + 1);
        }
    }
}

#[test]
fn the_architecture_is_told_briefly() {
    let lines = read("ARCHITECTURE.md").lines().count();
    assert!(lines < 120, "ARCHITECTURE.md has {lines} lines");
}

#[test]
fn every_file_opens_with_what_it_is_for() {
    for path in sources() {
        let text = std::fs::read_to_string(&path).unwrap();
        // A file of tests alone says it in its name.
        let is_tests = path.file_stem().is_some_and(|stem| stem == "tests");
        assert!(is_tests || text.starts_with("//! "), "{}", path.display());
    }
}

#[test]
fn nothing_is_left_unfinished() {
    // Put together, so that this file does not find itself.
    let marks = ["todo", "unimplemented", "dbg"].map(|name| format!("{name}!("));
    for path in sources() {
        let text = std::fs::read_to_string(&path).unwrap();
        for mark in &marks {
            assert!(!text.contains(mark.as_str()), "{} has {mark}", path.display());
        }
    }
}

/// Files with this ending in a folder and the folders in it, by name. None if it does not exist.
fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut found = Vec::new();
    for path in paths {
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.extension().is_some_and(|extension| extension == ending) {
            found.push(path);
        }
    }
    found
}

/// Pages cite papers by keys; a reader who does not know one follows the link at its first use.
#[test]
fn every_key_of_a_paper_is_explained_on_its_page() {
    let mut pages = vec![root().join("README.md")];
    for folder in ["docs", "docs/methods"] {
        let entries = std::fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
        pages.extend(entries.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    }
    for page in pages.iter().filter(|page| !page.ends_with("papers.md") && !page.ends_with("reproduction.md"))
    {
        let text = std::fs::read_to_string(page).unwrap();
        for key in ["K04", "K08", "S09", "X15", "L17"] {
            let Some(place) = text.find(key) else { continue };
            let linked = text[..place].ends_with('[') && text[place + 3..].starts_with("](");
            assert!(linked, "{}: {key} is not linked to papers.md where it first stands", page.display());
        }
    }
}
