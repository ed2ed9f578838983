//! No module imports another in a circle: a file can be understood by reading only what it depends
//! on, and a part can be removed without all the others.

mod graph;
mod rust;
mod scripts;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use graph::Graph;

#[test]
fn no_crate_has_modules_in_a_circle() {
    let mut crates: Vec<PathBuf> =
        std::fs::read_dir(root().join("crates")).unwrap().map(|entry| entry.unwrap().path()).collect();
    crates.sort();
    let mut wrong = Vec::new();
    for folder in &crates {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        let files = files(&folder.join("src"), |path| has_ending(path, &["rs"]));
        assert!(!files.is_empty(), "{name} has no sources");
        let circles = rust::graph(&files).circles();
        wrong.extend(circles.iter().map(|circle| format!("{name}: {circle}")));
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn the_benchmarks_have_no_circle() {
    let is_python = |path: &Path| {
        let begins =
            || std::fs::read_to_string(path).is_ok_and(|text| text.starts_with("#!/usr/bin/env python3"));
        has_ending(path, &["py"]) || (path.extension().is_none() && begins())
    };
    let files = files(&root().join("bench"), is_python);
    assert!(files.contains_key("run") && files.contains_key("lib/table.py"));
    assert_none(&scripts::python(&files));
}

#[test]
fn the_page_has_no_circle() {
    let files = files(&root().join("web/src"), |path| has_ending(path, &["ts", "tsx"]));
    assert!(files.contains_key("main.tsx"));
    assert_none(&scripts::typescript(&files));
}

fn assert_none(graph: &Graph) {
    let circles = graph.circles();
    assert!(circles.is_empty(), "\n{}", circles.join("\n"));
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn has_ending(path: &Path, endings: &[&str]) -> bool {
    path.extension().is_some_and(|ending| endings.iter().any(|wanted| ending == *wanted))
}

/// The texts of a folder's files by their path within it.
fn files(folder: &Path, wanted: impl Fn(&Path) -> bool) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(path) = waiting.pop() {
        if path.is_dir() {
            let entries = std::fs::read_dir(&path).unwrap();
            // Builds and caches are not sources.
            waiting.extend(entries.map(|entry| entry.unwrap().path()).filter(|path| {
                !path.ends_with("target") && !path.ends_with("node_modules") && !path.ends_with("__pycache__")
            }));
        } else if wanted(&path) {
            let name = path.strip_prefix(folder).unwrap().to_str().unwrap().replace('\\', "/");
            files.insert(name, std::fs::read_to_string(&path).unwrap());
        }
    }
    files
}

/// The circles among example modules of Rust, without the places of the imports.
fn circles(files: &[(&str, &str)]) -> Vec<String> {
    let files = files.iter().map(|&(name, text)| (name.to_owned(), text.to_owned())).collect();
    first_lines(&rust::graph(&files))
}

fn first_lines(graph: &Graph) -> Vec<String> {
    graph.circles().iter().map(|circle| circle.lines().next().unwrap().to_owned()).collect()
}

#[test]
fn finds_two_that_import_each_other_and_tells_where() {
    let files = [
        ("lib.rs", "mod a;\nmod b;\nmod c;"),
        ("a.rs", "//! Of `b`.\nuse crate::b::B;\nuse crate::c::C;"),
        ("b.rs", "fn f() -> super::a::A { todo() }"),
        ("c.rs", "struct C;"),
    ];
    assert_eq!(circles(&files), ["a → b → a"]);
    let files = files.iter().map(|&(name, text)| (name.to_owned(), text.to_owned())).collect();
    assert_eq!(
        rust::graph(&files).circles()[0].lines().skip(1).collect::<Vec<_>>(),
        ["    a imports b: `use crate::b::B` at a.rs:2", "    b imports a: `super::a::A` at b.rs:1"]
    );
}

#[test]
fn finds_three_across_folders() {
    let files = [
        ("lib.rs", "mod text; mod sign; mod registry;"),
        ("text/mod.rs", "mod words;"),
        ("text/words.rs", "use crate::sign::minhash::MinHash;"),
        ("sign/mod.rs", "pub mod minhash;"),
        ("sign/minhash.rs", "use crate::registry::Registry;"),
        ("registry.rs", "pub mod parts;\nuse crate::text::words;"),
        ("registry/parts.rs", ""),
    ];
    assert_eq!(circles(&files), ["registry → text::words → sign::minhash → registry"]);
}

#[test]
fn the_shortest_circle_stands_for_all_that_hang_together() {
    let files = [
        ("lib.rs", "mod a; mod b; mod c; mod d; mod e;"),
        ("a.rs", "use crate::b;"),
        ("b.rs", "use crate::c;"),
        ("c.rs", "use crate::{a, d};"),
        ("d.rs", "use crate::c;"),
        ("e.rs", "use crate::a;"),
    ];
    assert_eq!(circles(&files), ["c → d → c (one of 4 modules in circles)"]);
}

/// A list of parts in the parent's file counts as a path through it.
#[test]
fn a_parent_that_lists_its_children_is_part_of_the_way() {
    let registry = ("registry.rs", "use crate::sign::Signer;");
    let root = ("lib.rs", "mod registry; mod sign;");
    let part = ("sign/minhash.rs", "use crate::registry::Registry;");
    let with_trait = ("sign/mod.rs", "mod minhash;\npub use minhash::MinHash;\npub trait Signer {}");
    assert_eq!(circles(&[root, registry, part, with_trait]), ["registry → sign → sign::minhash → registry"]);
    let files = [
        root,
        ("registry.rs", "use crate::sign::signer::Signer;"),
        part,
        ("sign/mod.rs", "mod minhash; pub mod signer;\npub use minhash::MinHash;\npub use signer::Signer;"),
        ("sign/signer.rs", "pub trait Signer {}"),
    ];
    assert!(circles(&files).is_empty());
    // Without an import, by the name of the child alone.
    let calls = ("sign/mod.rs", "mod minhash;\npub trait Signer {}\nfn f() { minhash::g() }");
    assert_eq!(circles(&[root, registry, part, calls]).len(), 1);
}

#[test]
fn a_child_may_import_its_ancestors() {
    let files = [
        ("lib.rs", "mod a;\npub use a::b::c::C;\nconst X: u8 = 0;"),
        ("a/mod.rs", "pub mod b;\nuse b::B;\nconst Y: u8 = 0;"),
        ("a/b/mod.rs", "pub mod c;\nuse c::C;\nuse super::Y;\nuse crate::X;"),
        ("a/b/c.rs", "use super::super::Y;\nuse super::B;\nuse crate::X;"),
    ];
    assert!(circles(&files).is_empty());
}

#[test]
fn tests_comments_and_strings_do_not_count() {
    let files = [
        ("lib.rs", "mod a;\nmod b;\n#[cfg(test)]\nmod testing;"),
        ("a.rs", "use crate::b::B;"),
        (
            "b.rs",
            r##"//! See [`A`](crate::a::A).
            /* use crate::a::A; /* nested */ use crate::a::A; */
            // use crate::a::A;
            #[doc = "crate::a::A"]
            fn f() -> &'static str { let quote = '"'; "use crate::a::A; crate::a::f()" }
            const RAW: &str = r#"use " crate::a::A"#;
            #[cfg(test)]
            use crate::{a::A, testing};
            #[cfg(test)]
            mod tests { use crate::a::A; mod inner { use super::super::super::a::A; } }
            #[cfg(all(test, unix))]
            pub(crate) fn only<T, U>() { crate::a::f::<T>() }
            struct S { #[cfg(test)] a: crate::a::A, b: u8 }
            "##,
        ),
        ("testing.rs", "use crate::{a, b};"),
    ];
    assert!(circles(&files).is_empty());
    // Code after a test, or excluded from tests only, does count.
    for text in [
        "#[cfg(test)] mod tests { fn f() {} } fn g() { crate::a::f() }",
        "#[cfg(test)] use crate::c::{D, E}; use crate::a::A;",
        "#[cfg(test)] mod tests; use crate::a::A;",
        "struct S { #[cfg(test)] a: u8, b: crate::a::A }",
        "#[cfg(not(test))] use crate::a::A;",
        "fn f<'a>() -> impl Fn() + use<'a> { move || crate::a::f() }",
        "fn f() { println!(\"{}\", [crate::a::f()].len()) }",
    ] {
        let files = [("lib.rs", "mod a; mod b;"), ("a.rs", "use crate::b::B;"), ("b.rs", text)];
        assert_eq!(circles(&files).len(), 1, "{text}");
    }
}

/// Every way to write an import of `x::a` or what is in it.
#[test]
fn every_way_to_write_an_import_counts() {
    for text in [
        "use crate::x::a::A;",
        "use crate::{y::b::{self, c}, x::{a::{A, B}, d}};",
        "use crate::x::a;",
        "use crate::x::a as other;",
        "use crate::x::a::*;",
        "use crate::x::{a::{self as other}};",
        "use super::super::x::a::A;",
        "use super::super::{x::{a}};",
        "pub(crate) use crate::x::a::A as B;",
        "use crate::x as y; fn f() { y::a::g() }",
        "fn f() { y::a::g() } use crate::x as y;",
        "use crate::x as y; use y::a;",
        "use crate::x; use x::a::A;",
        "use crate::x::*; fn f() { a::g() }",
        "fn f() { use crate::x::a::A; }",
        "fn f(a: &crate::x::a::A<u8>) {}",
        "mod inner { use super::super::super::x::a::A; }",
        "mod inner { fn f() { crate::x::a::g() } }",
        "macro_rules! m { () => { $crate::x::a::g() } }",
        "impl super::super::x::a::T for S {}",
    ] {
        let files = [
            ("lib.rs", "mod x; mod y;"),
            ("x/mod.rs", "pub mod a; pub mod d;"),
            ("x/a.rs", "use crate::y::b::B;"),
            ("x/d.rs", ""),
            ("y/mod.rs", "pub mod b;"),
            ("y/b.rs", text),
        ];
        assert_eq!(circles(&files), ["x::a → y::b → x::a"], "{text}");
    }
    for text in ["use ::x::a::A;", "use other::x::a::A;", "fn f() { ::x::a::g(); T::a::g(); self.a.b() }"] {
        let files = [
            ("lib.rs", "mod x; mod b;"),
            ("x/mod.rs", "mod a;"),
            ("x/a.rs", "use crate::b;"),
            ("b.rs", text),
        ];
        assert!(circles(&files).is_empty(), "{text}");
    }
}

#[test]
fn programs_have_modules_of_their_own() {
    let files = [
        ("lib.rs", "mod a;"),
        ("main.rs", "mod a; mod b;"),
        ("bin/other.rs", "mod a;"),
        ("a.rs", "use crate::b;"),
        ("b.rs", "use crate::a;"),
    ];
    assert_eq!(circles(&files), ["a → b → a"]);
    let through_root = [("main.rs", "mod a; fn f() { a::g() } "), ("a.rs", "fn g() { crate::f() }")];
    assert!(circles(&through_root).is_empty());
}

#[test]
fn finds_circles_of_scripts() {
    let files = |files: &[(&str, &str)]| -> BTreeMap<String, String> {
        files.iter().map(|&(name, text)| (name.to_owned(), text.to_owned())).collect()
    };
    let python = |text: &str| {
        first_lines(&scripts::python(&files(&[
            ("run", "from lib import a\nimport lib.b"),
            ("lib/__init__.py", ""),
            ("lib/a.py", "from lib.b import thing"),
            ("lib/b.py", text),
        ])))
    };
    for text in [
        "from lib import a",
        "import lib.a as other",
        "from lib.a import x, y",
        "from . import a",
        "from .a import x",
        "from ..lib.a import x",
        "import a",
        "def f():\n    from lib import (\n        c,\n        a as d,\n    )",
    ] {
        assert_eq!(python(text), ["lib.a → lib.b → lib.a"], "{text}");
    }
    for text in
        ["# from lib import a", "\"\"\"\nfrom lib import a\n\"\"\"", "import lib", "import json, os.path"]
    {
        assert!(python(text).is_empty(), "{text}");
    }
    let typescript = |text: &str| {
        first_lines(&scripts::typescript(&files(&[
            ("main.tsx", "import { a } from './lib/a';"),
            ("lib/a.ts", "import type { B } from \"../parts\";"),
            ("parts/index.tsx", "export * from './b';"),
            ("parts/b.tsx", text),
        ])))
    };
    for text in [
        "import { a } from \"../lib/a\";",
        "import {\n  a,\n} from '../lib/a'",
        "export { a } from \"../lib/a\";",
        "import \"../lib/a\";",
        "const a = await import('../lib/a');",
    ] {
        assert_eq!(typescript(text), ["lib/a.ts → parts/index.tsx → parts/b.tsx → lib/a.ts"], "{text}");
    }
    for text in [
        "// import { a } from \"../lib/a\";",
        "/* from \"../lib/a\" */ import a from \"a\";",
        "const text = `from \"../lib/a\"`;",
        "const text = 'import \"../lib/a\"';",
        "import \"../style/b.css\";",
    ] {
        assert!(typescript(text).is_empty(), "{text}");
    }
}
