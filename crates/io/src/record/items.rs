//! Arrays and objects as the items of a stream.

use std::collections::BTreeMap;

use lookalike_core::streams::{field_item, image_item, item, keep_distinct, number_item};
use serde::Deserialize;
use serde_json::value::RawValue;

/// The items of an array, or the fields of an object. Whatever cannot be an item is passed over: a list that somebody
/// else wrote must not cost its document.
pub fn items(json: &str) -> Vec<u64> {
    let mut items: Vec<u64> = if json.starts_with('[') {
        let members: Vec<&RawValue> = serde_json::from_str(json).unwrap_or_default();
        members.into_iter().filter_map(|member| member_item(member.get())).collect()
    } else {
        let fields: BTreeMap<String, &RawValue> = serde_json::from_str(json).unwrap_or_default();
        fields.into_iter().filter_map(|(name, value)| object_field(&name, value.get())).collect()
    };
    keep_distinct(&mut items);
    items
}

fn member_item(json: &str) -> Option<u64> {
    match json.as_bytes().first()? {
        b'"' => item(&text(json)?),
        b'-' | b'0'..=b'9' => Some(number_item(json)),
        // An object that names nothing, such as an image of which only the size is known, is no item.
        b'{' => {
            let Linked { look, source, width, height } = serde_json::from_str(json).ok()?;
            image_item(look.as_deref(), source.as_deref(), (width, height))
        }
        b'n' => None,
        _ => item(json),
    }
}

fn object_field(name: &str, json: &str) -> Option<u64> {
    match json.as_bytes().first()? {
        b'"' => field_item(name, &text(json)?),
        b'n' => None,
        _ => field_item(name, json),
    }
}

fn text(json: &str) -> Option<String> {
    serde_json::from_str(json).ok()
}

/// An image as `lookalike extract` writes it, or anything with an address.
#[derive(Deserialize)]
struct Linked {
    #[serde(default)]
    look: Option<String>,
    #[serde(default, alias = "url", alias = "src", alias = "href")]
    source: Option<String>,
    #[serde(default)]
    width: u32,
    #[serde(default)]
    height: u32,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(texts: &[&str]) -> Vec<u64> {
        let mut items: Vec<u64> = texts.iter().filter_map(|text| item(text)).collect();
        keep_distinct(&mut items);
        items
    }

    #[test]
    fn lists_are_sets_of_what_they_name() {
        assert_eq!(items(r#"["b", "a", " b ", "", null, "\u0063"]"#), set(&["a", "b", "c"]));
        assert_eq!(items("[3, 1, 18446744073709551615]"), [1, 3, u64::MAX]);
        let pictures = r#"[{"look":"00000000000000ff","width":400,"height":300},
            {"source":"http://x/a.png","width":0,"height":0}, {"src":"b.png"}, {"look":"01","width":9,"height":400}]"#;
        let mut expected = set(&["http://x/a.png", "b.png"]);
        expected.push(255);
        expected.sort_unstable();
        assert_eq!(items(pictures), expected, "an image of nine pixels is an icon");
        let fields = items(r#"{"title":"T","year":1999,"none":null,"empty":" "}"#);
        assert_eq!(fields.len(), 2);
        assert!(fields.contains(&field_item("title", "T").unwrap()));
    }

    #[test]
    fn anything_can_stand_in_a_list() {
        let huge = format!("[{}1]", "1.5,".repeat(1_000_000));
        assert_eq!(items(&huge).len(), 2);
        let deep = format!("[{}{}]", "[".repeat(100), "]".repeat(100));
        assert_eq!(items(&deep).len(), 1);
        for nothing in ["[]", "{}", "[null]", "[\"\"]", r#"[{"look":"","source":""}]"#] {
            assert!(items(nothing).is_empty(), "{nothing}");
        }
        assert_eq!(
            items(r#"[{"look":5}, {"width":9}, true, [1]]"#).len(),
            2,
            "what names nothing is no item"
        );
    }
}
