//! The data about its article that a page offers to search engines (JSON-LD with the vocabulary of
//! schema.org).

use serde_json::Value;

#[derive(Default, Debug)]
pub struct LinkedData {
    pub headline: Option<String>,
    pub author: Option<String>,
    pub date: Option<String>,
    pub language: Option<String>,
    pub publisher: Option<String>,
    pub body: Option<String>,
    /// Whether the type is an article, not just a page.
    pub is_article: bool,
}

/// Types that describe the page's own content.
const TYPES: [&str; 9] =
    ["Article", "Posting", "Review", "Report", "WebPage", "Recipe", "Question", "CreativeWork", "Book"];

impl LinkedData {
    /// The first article in the data; `None` if it is not JSON or there is none.
    pub fn read(source: &str) -> Option<LinkedData> {
        // Line ends within strings are common but not allowed.
        let source = source.trim().replace(['\n', '\r', '\t'], " ");
        let source =
            source.trim_start_matches("<!--").trim_start_matches("//<![CDATA[").trim_end_matches("//]]>");
        let value: Value = serde_json::from_str(source.trim().trim_end_matches(';')).ok()?;
        let mut waiting = vec![&value];
        let mut best: Option<LinkedData> = None;
        while let Some(value) = waiting.pop() {
            match value {
                Value::Array(values) => waiting.extend(values.iter().rev()),
                Value::Object(object) => {
                    if is_article(object.get("@type")) {
                        let data = LinkedData {
                            headline: text(object.get("headline")),
                            author: name(object.get("author")),
                            date: text(object.get("datePublished")),
                            language: text(object.get("inLanguage")),
                            publisher: name(object.get("publisher")),
                            body: text(object.get("articleBody")),
                            is_article: object.get("headline").is_some()
                                && object.get("datePublished").is_some(),
                        };
                        if best.as_ref().is_none_or(|best| best.body.is_none() && best.headline.is_none()) {
                            best = Some(data);
                        }
                    }
                    waiting.extend(object.get("mainEntity"));
                    waiting.extend(object.get("@graph"));
                }
                _ => {}
            }
        }
        best
    }
}

fn is_article(kind: Option<&Value>) -> bool {
    let fits = |kind: &str| TYPES.iter().any(|known| kind.ends_with(known));
    match kind {
        Some(Value::String(kind)) => fits(kind),
        Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).any(fits),
        _ => false,
    }
}

fn text(value: Option<&Value>) -> Option<String> {
    value.and_then(Value::as_str).map(|text| htmlize::unescape(text).into_owned())
}

/// The names of a person or organisation, or of several.
fn name(value: Option<&Value>) -> Option<String> {
    let one = |value: &Value| text(Some(value)).or_else(|| text(value.get("name")));
    match value? {
        Value::Array(values) => {
            let names: Vec<String> = values.iter().filter_map(one).take(10).collect();
            (!names.is_empty()).then(|| names.join(", "))
        }
        value => one(value),
    }
}
