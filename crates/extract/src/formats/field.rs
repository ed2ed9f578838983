//! Field codes as Word files hold them: where a `HYPERLINK` leads.

/// The target of a link's field code, without its fragment; `None` for other fields and for links
/// within the document.
pub fn link(code: &str) -> Option<String> {
    let mut words = words(code).into_iter();
    if !words.next()?.eq_ignore_ascii_case("HYPERLINK") {
        return None;
    }
    let mut target = None;
    while let Some(word) = words.next() {
        match word.as_str() {
            // A bookmark, a tip and a frame have a word of their own, which is no target.
            "\\l" | "\\o" | "\\t" => drop(words.next()),
            switch if switch.starts_with('\\') && switch.len() == 2 => {}
            _ => target = target.or(Some(word)),
        }
    }
    let target = target?;
    let target = target.split('#').next().unwrap_or_default().trim();
    Some(target.to_owned()).filter(|target| !target.is_empty())
}

/// Words separated by white space; quotes keep one together, and a doubled backslash inside is one.
fn words(code: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let (mut quoted, mut any) = (false, false);
    let mut characters = code.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '"' | '\u{201c}' | '\u{201d}' => {
                quoted = !quoted;
                any = true;
            }
            '\\' if quoted => word.push(characters.next_if_eq(&'\\').unwrap_or('\\')),
            space if space.is_whitespace() && !quoted => {
                if any {
                    words.push(std::mem::take(&mut word));
                }
                any = false;
            }
            other => {
                any = true;
                word.push(other);
            }
        }
    }
    if any {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::link;

    #[test]
    fn links_lead_where_their_code_says() {
        assert_eq!(
            link(r#" HYPERLINK "http://a.example/b c#d" \o "A tip" "#).as_deref(),
            Some("http://a.example/b c")
        );
        assert_eq!(
            link(r#"hyperlink \t "_blank" mailto:x@a.example"#).as_deref(),
            Some("mailto:x@a.example")
        );
        assert_eq!(link(r#"HYPERLINK "C:\\a\\b.doc""#).as_deref(), Some(r"C:\a\b.doc"));
        assert_eq!(link(r#"HYPERLINK \l "_Toc1""#), None);
        assert_eq!(link("PAGEREF x"), None);
        assert_eq!(link(""), None);
    }
}
