//! What Python and TypeScript files import from each other. Imports have lines of their own there, so
//! little of the rest has to be parsed.

use std::collections::BTreeMap;

use crate::graph::Graph;

/// Texts of files by their path within a folder.
pub type Files = BTreeMap<String, String>;

/// What the Python files of a folder import. Scripts may have no ending. A package is its `__init__.py`.
pub fn python(files: &Files) -> Graph {
    let names: BTreeMap<String, &str> = files.keys().map(|file| (python_name(file), file.as_str())).collect();
    let mut graph = Graph::default();
    for (file, text) in files {
        let from = python_name(file);
        let is_package = file.ends_with("__init__.py");
        let folder = if is_package { from.as_str() } else { outer(&from) };
        for (line, module) in python_imports(text) {
            let relative = module.trim_start_matches('.');
            let absolute = match module.len() - relative.len() {
                // From the folder of the script that was started, or from that of the file.
                0 => vec![module.clone(), joined(folder, &module)],
                dots => vec![joined((1..dots).fold(folder, |folder, _| outer(folder)), relative)],
            };
            let target = absolute.iter().find_map(|module| innermost(module, &names));
            if let Some(to) = target.filter(|to| *to != from && !from.starts_with(&format!("{to}."))) {
                graph.add(&from, &to, format!("`{module}` at {file}:{line}"));
            }
        }
    }
    graph
}

fn python_name(file: &str) -> String {
    file.trim_end_matches(".py").trim_end_matches("/__init__").replace('/', ".")
}

/// The package that a package or module is in.
fn outer(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(folder, _)| folder)
}

fn joined(folder: &str, module: &str) -> String {
    if folder.is_empty() { module.to_owned() } else { format!("{folder}.{module}") }
}

/// The longest known beginning of a dotted name.
fn innermost(module: &str, names: &BTreeMap<String, &str>) -> Option<String> {
    let ends = module.match_indices('.').map(|(place, _)| place).chain([module.len()]);
    ends.map(|end| &module[..end]).rev().find(|name| names.contains_key(*name)).map(str::to_owned)
}

/// Everything that `import` and `from … import` name, with its line.
fn python_imports(text: &str) -> Vec<(usize, String)> {
    let mut imports = Vec::new();
    let mut open: Option<(usize, String)> = None;
    let mut quote: Option<&str> = None;
    for (number, line) in text.lines().enumerate() {
        // Texts over several lines.
        let marks: Vec<&str> = [r#"""""#, "'''"].into_iter().filter(|mark| line.contains(mark)).collect();
        if let Some(mark) = quote {
            if line.contains(mark) {
                quote = None;
            }
            continue;
        }
        if let Some(mark) = marks.first() {
            quote = (line.matches(mark).count() % 2 == 1).then_some(*mark);
            continue;
        }
        let code = line.split('#').next().unwrap_or_default().trim();
        let (begun, statement) = match open.take() {
            Some((begun, statement)) => (begun, format!("{statement} {code}")),
            None if code.starts_with("import ") || code.starts_with("from ") => (number + 1, code.to_owned()),
            None => continue,
        };
        if statement.contains('(') && !statement.contains(')') {
            open = Some((begun, statement));
            continue;
        }
        let statement = statement.replace(['(', ')'], " ");
        let names = |list: &str| -> Vec<String> {
            list.split(',').filter_map(|name| name.split_whitespace().next().map(str::to_owned)).collect()
        };
        if let Some(list) = statement.strip_prefix("import ") {
            imports.extend(names(list).into_iter().map(|module| (begun, module)));
        } else if let Some((module, list)) = statement[5..].split_once(" import ") {
            let module = module.trim();
            let dot = if module.ends_with('.') { "" } else { "." };
            imports.extend(names(list).into_iter().map(|name| (begun, format!("{module}{dot}{name}"))));
        }
    }
    imports
}

/// What the TypeScript files of a folder import.
pub fn typescript(files: &Files) -> Graph {
    let mut graph = Graph::default();
    for (file, text) in files {
        for (line, import) in typescript_imports(text) {
            let Some(path) = beside(file, &import) else { continue };
            let places =
                [".ts", ".tsx", "/index.ts", "/index.tsx", ""].map(|ending| format!("{path}{ending}"));
            if let Some(to) = places.iter().find(|place| files.contains_key(*place) && *place != file) {
                graph.add(file, to, format!("`{import}` at {file}:{line}"));
            }
        }
    }
    graph
}

/// The path that a relative import means.
fn beside(file: &str, import: &str) -> Option<String> {
    let mut path: Vec<&str> = file.split('/').collect();
    path.pop();
    for step in import.split('/') {
        match step {
            "." => {}
            ".." => {
                path.pop()?;
            }
            name => path.push(name),
        }
    }
    Some(path.join("/"))
}

/// The relative paths after `from`, `import` and `import(`, with their lines.
fn typescript_imports(text: &str) -> Vec<(usize, String)> {
    let mut imports = Vec::new();
    let mut rest = text;
    let mut line = 1;
    // The last word before what is read, if nothing but a bracket stands between.
    let mut before = String::new();
    while let Some(character) = rest.chars().next() {
        let length = match character {
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            '`' => rest[1..].find('`').map_or(1, |end| end + 2),
            '"' | '\'' => {
                // A quote that is not closed on its line does not count: it is an apostrophe in
                // text.
                let inner = &rest[1..];
                let end = inner.find([character, '\n']).filter(|&end| inner[end..].starts_with(character));
                let text = end.map_or("", |end| &inner[..end]);
                if text.starts_with('.') && matches!(before.as_str(), "from" | "import") {
                    imports.push((line, text.to_owned()));
                }
                before.clear();
                end.map_or(1, |end| end + 2)
            }
            letter if letter.is_alphanumeric() || letter == '_' => {
                let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
                before = rest[..end].to_owned();
                end
            }
            other => {
                if !other.is_whitespace() && other != '(' {
                    before.clear();
                }
                other.len_utf8()
            }
        };
        line += rest[..length].matches('\n').count();
        rest = &rest[length..];
    }
    imports
}
