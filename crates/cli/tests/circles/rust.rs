//! The modules of a Rust crate and what they import, read from the tokens of its files: comments,
//! strings and code for tests only are ignored.
//!
//! A path leads to the innermost module that it names. A module may import its own ancestors, so that
//! a parent and its child can share a constant or a type; everything else counts.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::graph::Graph;

/// Texts of files by their path within the folder `src`.
pub type Files = BTreeMap<String, String>;

/// What the modules of a crate import. The root of a library is `crate`, that of a program has the
/// name of its file.
pub fn graph(files: &Files) -> Graph {
    let mut graph = Graph::default();
    for root in files.keys().filter(|file| is_root(file)) {
        let mut modules = BTreeMap::new();
        read_module(files, root, Vec::new(), &mut modules);
        let known: BTreeSet<&Path> = modules.keys().collect();
        let name = |module: &Path| match (module.is_empty(), root.as_str()) {
            (false, _) => module.join("::"),
            (true, "lib.rs") => "crate".to_owned(),
            (true, program) => program.trim_end_matches(".rs").to_owned(),
        };
        for (module, source) in &modules {
            for (target, import) in source.targets(module, &known) {
                if !module.starts_with(&target) {
                    let place = format!("`{}` at {}:{}", import.written(), source.file, import.line);
                    graph.add(&name(module), &name(&target), place);
                }
            }
        }
    }
    graph
}

fn is_root(file: &str) -> bool {
    file == "lib.rs" || file == "main.rs" || file.strip_prefix("bin/").is_some_and(|name| !name.contains('/'))
}

/// Names from the root of the crate down.
type Path = Vec<String>;

/// One file.
#[derive(Default)]
struct Source {
    file: String,
    children: Vec<String>,
    imports: Vec<Import>,
}

/// A path as it is written, or an import.
struct Import {
    /// Modules within the file that it is written in.
    inline: Path,
    segments: Path,
    kind: Kind,
    line: usize,
}

#[derive(PartialEq)]
enum Kind {
    /// A path in code.
    Path,
    /// An import under a name.
    Named(String),
    /// An import of all that a module has.
    Glob,
}

impl Import {
    fn written(&self) -> String {
        let path = self.segments.join("::");
        match &self.kind {
            Kind::Path => path,
            Kind::Glob => format!("use {path}::*"),
            Kind::Named(_) => format!("use {path}"),
        }
    }
}

/// Reads a module and those that it declares.
fn read_module(files: &Files, file: &str, module: Path, modules: &mut BTreeMap<Path, Source>) {
    let tokens: TokenStream =
        files[file].parse().unwrap_or_else(|error| panic!("{file} is not Rust: {error}"));
    let mut source = Source { file: file.to_owned(), ..Source::default() };
    source.scan(tokens, &[]);
    // The children of a file `a.rs` are in the folder `a`, those of `a/mod.rs` in its own folder.
    let (folder, name) = file.rsplit_once('/').map_or(("", file), |(folder, name)| (folder, name));
    let own = matches!(name, "mod.rs" | "lib.rs" | "main.rs") || is_root(file);
    let folder = match (folder, own) {
        ("", true) => String::new(),
        (folder, true) => format!("{folder}/"),
        (_, false) => format!("{}/", file.trim_end_matches(".rs")),
    };
    for child in source.children.clone() {
        let places = [format!("{folder}{child}.rs"), format!("{folder}{child}/mod.rs")];
        if let Some(place) = places.iter().find(|place| files.contains_key(*place)) {
            read_module(files, place, [module.as_slice(), &[child]].concat(), modules);
        }
    }
    modules.insert(module, source);
}

impl Source {
    /// Where the paths of this file lead.
    fn targets(&self, module: &Path, known: &BTreeSet<&Path>) -> Vec<(Path, &Import)> {
        let mut names = BTreeMap::new();
        // Twice, since a name may depend on a name that is imported further down.
        for _ in 0..2 {
            for import in &self.imports {
                let Some((target, true)) = import.resolve(module, known, &names) else { continue };
                match &import.kind {
                    Kind::Named(name) => {
                        names.insert(name.clone(), target);
                    }
                    Kind::Glob => {
                        let children =
                            known.iter().filter(|m| m.len() > target.len() && m.starts_with(&target));
                        for child in children {
                            let name = child[target.len()].clone();
                            names.entry(name.clone()).or_insert([target.as_slice(), &[name]].concat());
                        }
                    }
                    Kind::Path => {}
                }
            }
        }
        let target = |import| Import::resolve(import, module, known, &names).map(|(target, _)| target);
        self.imports.iter().filter_map(|import| Some((target(import)?, import))).collect()
    }

    fn scan(&mut self, tokens: TokenStream, inline: &[String]) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        while at < tokens.len() {
            at = self.scan_one(&tokens, at, inline);
        }
    }

    /// Reads what begins at a place and returns where it ends.
    fn scan_one(&mut self, tokens: &[TokenTree], at: usize, inline: &[String]) -> usize {
        if let Some((is_test, is_inner, end)) = attribute(tokens, at) {
            return match (is_test, is_inner) {
                (true, true) => tokens.len(),
                (true, false) => end_of_item(tokens, end),
                (false, _) => end,
            };
        }
        if let TokenTree::Group(group) = &tokens[at] {
            self.scan(group.stream(), inline);
            return at + 1;
        }
        let Some(word) = word(tokens, at) else { return at + 1 };
        match (word.as_str(), tokens.get(at + 2)) {
            ("mod", Some(TokenTree::Punct(end))) if end.as_char() == ';' => {
                self.children.extend(self::word(tokens, at + 1).filter(|_| inline.is_empty()));
                at + 3
            }
            ("mod", Some(TokenTree::Group(body))) if body.delimiter() == Delimiter::Brace => {
                let name = self::word(tokens, at + 1).unwrap_or_default();
                self.scan(body.stream(), &[inline, &[name]].concat());
                at + 3
            }
            // `use<'a>` in a type is no import.
            ("use", Some(_)) if !is(tokens, at + 1, '<') => {
                let end = (at..tokens.len()).find(|&place| is(tokens, place, ';')).unwrap_or(tokens.len());
                self.scan_use(&tokens[at + 1..end], &[], inline);
                end
            }
            _ => self.scan_path(tokens, at, inline),
        }
    }

    /// A path in code. A single name says nothing about modules.
    fn scan_path(&mut self, tokens: &[TokenTree], at: usize, inline: &[String]) -> usize {
        let mut segments: Path = word(tokens, at).into_iter().collect();
        let mut end = at + 1;
        while is_double_colon(tokens, end) {
            let Some(segment) = word(tokens, end + 2) else { break };
            segments.push(segment);
            end += 3;
        }
        // What follows `::` names a crate, or goes on after something like `<T as Trait>`.
        let goes_on = at >= 2 && is_double_colon(tokens, at - 2);
        if segments.len() > 1 && !goes_on {
            let line = tokens[at].span().start().line;
            self.imports.push(Import { inline: inline.to_vec(), segments, kind: Kind::Path, line });
        }
        end
    }

    /// A tree of imports below a path.
    fn scan_use(&mut self, tokens: &[TokenTree], above: &[String], inline: &[String]) {
        let Some(first) = tokens.first() else { return };
        let line = first.span().start().line;
        let mut segments = above.to_vec();
        // `use ::name` is another crate.
        if is_double_colon(tokens, 0) {
            return;
        }
        let mut at = 0;
        let mut kind = None;
        while at < tokens.len() && kind.is_none() {
            match &tokens[at] {
                TokenTree::Group(group) => {
                    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                    let is_comma =
                        |token: &TokenTree| matches!(token, TokenTree::Punct(p) if p.as_char() == ',');
                    for tree in inner.split(is_comma) {
                        self.scan_use(tree, &segments, inline);
                    }
                    return;
                }
                TokenTree::Punct(punct) if punct.as_char() == '*' => kind = Some(Kind::Glob),
                TokenTree::Ident(name) if *name == "as" => kind = word(tokens, at + 1).map(Kind::Named),
                TokenTree::Ident(_) => match word(tokens, at) {
                    // `a::{self}` is `a`.
                    Some(name) if name == "self" && !segments.is_empty() => {}
                    name => segments.extend(name),
                },
                _ => {}
            }
            at += 1;
        }
        let Some(last) = segments.last() else { return };
        let kind = kind.unwrap_or_else(|| Kind::Named(last.clone()));
        self.imports.push(Import { inline: inline.to_vec(), segments, kind, line });
    }
}

impl Import {
    /// The innermost module that the path names, and whether that is all it names.
    fn resolve(
        &self,
        module: &Path,
        known: &BTreeSet<&Path>,
        names: &BTreeMap<String, Path>,
    ) -> Option<(Path, bool)> {
        let mut at = [module.as_slice(), &self.inline].concat();
        let mut rest = self.segments.as_slice();
        match rest.first()?.as_str() {
            "crate" => (at, rest) = (Vec::new(), &rest[1..]),
            "self" => rest = &rest[1..],
            "super" => {
                while rest.first().is_some_and(|segment| segment == "super") {
                    at.pop()?;
                    rest = &rest[1..];
                }
            }
            name if known.contains(&[at.as_slice(), &[name.to_owned()]].concat()) => {}
            name => (at, rest) = (names.get(name)?.clone(), &rest[1..]),
        }
        while let Some((segment, after)) = rest.split_first() {
            let inner = [at.as_slice(), std::slice::from_ref(segment)].concat();
            if !known.contains(&inner) {
                break;
            }
            (at, rest) = (inner, after);
        }
        // Modules within a file belong to it.
        while !known.contains(&at) {
            at.pop()?;
        }
        Some((at, rest.is_empty()))
    }
}

fn word(tokens: &[TokenTree], at: usize) -> Option<String> {
    match tokens.get(at) {
        Some(TokenTree::Ident(name)) => Some(name.to_string().trim_start_matches("r#").to_owned()),
        _ => None,
    }
}

fn is(tokens: &[TokenTree], at: usize, character: char) -> bool {
    matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == character)
}

fn is_double_colon(tokens: &[TokenTree], at: usize) -> bool {
    is(tokens, at, ':') && is(tokens, at + 1, ':')
}

/// Whether an attribute begins here, whether it is for tests only, whether it applies to the
/// enclosing item, and its end.
fn attribute(tokens: &[TokenTree], at: usize) -> Option<(bool, bool, usize)> {
    let is_inner = is(tokens, at + 1, '!');
    let place = at + 1 + usize::from(is_inner);
    match tokens.get(place) {
        Some(TokenTree::Group(group)) if is(tokens, at, '#') && group.delimiter() == Delimiter::Bracket => {
            let text = group.stream().to_string().replace(' ', "");
            let is_test = text == "cfg(test)" || text.starts_with("cfg(all(test,");
            Some((is_test, is_inner, place + 1))
        }
        _ => None,
    }
}

/// The end of an item that follows an attribute: its braces, a semicolon, or the comma after a field.
fn end_of_item(tokens: &[TokenTree], mut at: usize) -> usize {
    while let Some((_, false, end)) = attribute(tokens, at) {
        at = end;
    }
    const ITEMS: [&str; 15] = [
        "pub", "use", "mod", "fn", "struct", "enum", "impl", "trait", "const", "static", "type", "let",
        "async", "unsafe", "extern",
    ];
    let is_item = word(tokens, at).is_some_and(|word| ITEMS.contains(&word.as_str()));
    // Braces of an import are not its end.
    let is_use =
        (at..tokens.len().min(at + 3)).any(|place| word(tokens, place).is_some_and(|word| word == "use"));
    while at < tokens.len() {
        let is_body = matches!(&tokens[at], TokenTree::Group(group) if group.delimiter() == Delimiter::Brace);
        let ends = is(tokens, at, ';') || (is_body && !is_use) || (is(tokens, at, ',') && !is_item);
        at += 1;
        if ends {
            break;
        }
    }
    at
}
