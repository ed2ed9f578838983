//! The keep order of documents, as bytes that can be compared.

use lookalike_core::document::Id;

/// Bytes whose order is the keep order: documents of the corpus compared against first, then those that people prefer,
/// then by the scores of the keep rules, then by id.
pub fn order(is_known: bool, is_preferred: bool, scores: &[u64], id: &Id) -> Vec<u8> {
    let json = id.json();
    let mut bytes = Vec::with_capacity(2 + 8 * scores.len() + 9 + json.len());
    bytes.extend([u8::from(!is_known), u8::from(!is_preferred)]);
    scores.iter().for_each(|score| bytes.extend((!score).to_be_bytes()));
    match json.as_bytes().first() {
        Some(b'"') => bytes.push(2),
        Some(b't' | b'f' | b'n') => bytes.push(0),
        _ => {
            bytes.push(1);
            let bits = json.parse::<f64>().unwrap_or(0.0).to_bits();
            let ordered = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
            bytes.extend(ordered.to_be_bytes());
        }
    }
    bytes.extend(id.display().as_bytes());
    bytes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn bytes_have_the_order_of_ids(
            a in r#"("[a-c\u{e9}]{0,3}(\\n|\\")?[a-c]{0,2}")|(-?[1-9][0-9]{0,17}(\.[0-9]{1,3})?)|true|false|0"#,
            b in r#"("[a-c\u{e9}]{0,3}(\\n|\\")?[a-c]{0,2}")|(-?[1-9][0-9]{0,17}(\.[0-9]{1,3})?)|true|false|0"#,
        ) {
            let (a, b) = (Id::from_json(a), Id::from_json(b));
            prop_assert_eq!(order(false, false, &[], &a).cmp(&order(false, false, &[], &b)), a.cmp(&b));
        }

        #[test]
        fn what_is_known_and_what_scores_high_comes_first(
            a in (any::<bool>(), any::<bool>(), any::<[u64; 2]>()),
            b in (any::<bool>(), any::<bool>(), any::<[u64; 2]>()),
        ) {
            let id = Id::from_number(1);
            let bytes = |(known, preferred, scores): (bool, bool, [u64; 2])| order(known, preferred, &scores, &id);
            prop_assert_eq!(bytes(a).cmp(&bytes(b)), b.cmp(&a));
        }
    }
}
