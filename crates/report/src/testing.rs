//! Helpers for tests of pages.

/// Everything between `open` and `close`.
pub fn between<'a>(html: &'a str, open: &str, close: &str) -> Vec<&'a str> {
    html.split(open).skip(1).filter_map(|rest| Some(rest.split_once(close)?.0)).collect()
}

/// The names of all tags, including all attributes. Places to break a name do not count as tags: they
/// depend on the text only.
pub fn tags(html: &str) -> Vec<&str> {
    between(html, "<", ">").into_iter().filter(|tag| *tag != "wbr").collect()
}

/// Stricter than HTML: every element is closed in order, every attribute quoted, no id occurs twice.
pub fn check_well_formed(html: &str) {
    const VOID: [&str; 5] = ["meta", "input", "br", "hr", "wbr"];
    let mut open: Vec<&str> = Vec::new();
    let mut ids = std::collections::HashSet::new();
    let mut rest = html.strip_prefix("<!DOCTYPE html>").expect("a document type");
    while let Some((before, after)) = rest.split_once('<') {
        assert!(!before.contains('>'), "a bare > in {before:?}");
        let (tag, after) = after.split_once('>').expect("a tag that ends");
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "closed at {:?}", &after[..after.len().min(80)]);
            continue;
        }
        let is_empty = tag.ends_with('/');
        let (name, attributes) = tag.trim_end_matches('/').split_once([' ', '\n']).unwrap_or((tag, ""));
        let name = name.trim_end_matches('/');
        assert!(name.chars().all(|letter| letter.is_ascii_alphanumeric()), "{tag}");
        check_attributes(attributes, &mut ids);
        if ["script", "style"].contains(&name) {
            rest = rest.split_once(&format!("</{name}>")).expect("its end").1;
        } else if !is_empty && !VOID.contains(&name) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "left open: {open:?}");
}

fn check_attributes(attributes: &str, ids: &mut std::collections::HashSet<String>) {
    let mut rest = attributes.trim();
    while !rest.is_empty() {
        let end = rest.find(['=', ' ', '\n']).unwrap_or(rest.len());
        let name = &rest[..end];
        assert!(name.chars().all(|letter| letter.is_ascii_alphabetic() || letter == '-'), "{attributes}");
        rest = &rest[end..];
        if let Some(value) = rest.strip_prefix("=\"") {
            let (value, after) = value.split_once('"').expect("a closing quote");
            assert!(name != "id" || ids.insert(value.to_owned()), "id {value} twice");
            rest = after;
        }
        rest = rest.trim_start();
    }
}
