use proptest::prelude::*;

use super::*;
use crate::document::Many;

fn set(mut items: Vec<u64>) -> Vec<u64> {
    keep_distinct(&mut items);
    items
}

fn links(items: &[u64]) -> Streams {
    let mut streams = Streams::default();
    streams.add(StreamKind::Links, "links", &Value::Many(Many { items: items.to_vec(), ..Many::default() }));
    streams.finish();
    streams
}

#[test]
fn items_are_read_as_people_write_them() {
    let read = |text: &str| {
        let mut items = Vec::new();
        text_items(text, &mut items);
        items
    };
    let expected: Vec<u64> = ["/a", "/b"].into_iter().filter_map(item).collect();
    for text in ["/a /b", " /a\n/b ", "['/a', '/b']", "[\"/a\",\"/b\"]", "[/a,,/b,]"] {
        assert_eq!(read(text), expected, "{text}");
    }
    for nothing in ["", "  ", "[]", "['']", "[,]"] {
        assert!(read(nothing).is_empty(), "{nothing:?}");
    }
    assert_eq!(item("00000000000000ff"), Some(255), "a perceptual hash stands for itself");
    assert_ne!(item("0000000000000xff"), Some(255));
    assert_eq!((number_item("18446744073709551615"), number_item("7")), (u64::MAX, 7));
    assert_eq!(number_item("1.5"), crate::hash::bytes(b"1.5"));
    assert_ne!(field_item("title", "x"), field_item("author", "x"));
}

/// What is stored and compared across machines: a change here is a new scheme, never a fix.
#[test]
fn golden_items() {
    let golden = [item("https://example.com/a"), field_item("title", "A story"), Some(number_item("-3"))];
    assert_eq!(golden, GOLDEN);
}

const GOLDEN: [Option<u64>; 3] =
    [Some(16148170476640450111), Some(526542140506972049), Some(16785018926399071944)];

#[test]
fn a_stream_contradicts_if_several_items_share_nearly_none() {
    let contradicts = |a: &[u64], b: &[u64]| {
        let agreement = links(a).agreement(&links(b), 6);
        assert_eq!(agreement, links(b).agreement(&links(a), 6));
        agreement.contradicts(StreamKind::Links)
    };
    assert!(contradicts(&[1, 2, 3], &[4, 5, 6]));
    assert!(!contradicts(&[1, 2], &[4, 5, 6]), "two are too few");
    assert!(!contradicts(&[1, 2, 3], &[3, 4, 5]), "a fifth is shared");
    let many: Vec<u64> = (0..20).collect();
    let others: Vec<u64> = (19..39).collect();
    assert!(contradicts(&many, &others), "one of 39 is shared");
    assert!(!contradicts(&[], &others));
    let agreement = links(&[1, 2, 3]).agreement(&links(&[1, 2, 4]), 6);
    assert_eq!(agreement.resemblance(StreamKind::Links), Some(0.5));
    let apart = links(&many).agreement(&links(&others), 6);
    assert_eq!(apart.resemblance(StreamKind::Links), Some(0.0256), "to four digits");
    let told = toml::to_string(&apart).unwrap();
    assert_eq!(told, "links = 0.0256\ncontradict = [\"links\"]\n");
    assert_eq!(Streams::default().agreement(&links(&many), 6).told(), None);
}

#[test]
fn images_that_look_nearly_the_same_are_the_same() {
    let alike = |a: &[u64], b: &[u64], distance| {
        resemblance(StreamKind::Images, &set(a.to_vec()), &set(b.to_vec()), distance)
    };
    assert_eq!(alike(&[0b111, 1 << 40], &[0b110, 1 << 41 | 1 << 40], 1), Some(1.0));
    assert_eq!(alike(&[0b111, u64::MAX], &[0b110, 1 << 39], 0), Some(0.0));
    assert_eq!(alike(&[0], &[1, 2, 4], 1), Some(1.0 / 3.0), "one image stands for one");
    assert_eq!(alike(&[], &[1], 6), None);
}

#[test]
fn a_huge_stream_is_a_sample() {
    let huge = |from: u64| -> Vec<u64> { (from..from + 1_000_000).map(crate::hash::mix).collect() };
    let (a, b) = (links(&huge(0)), links(&huge(500_000)));
    assert_eq!(a.items(StreamKind::Links).len(), MOST_ITEMS);
    let share = a.agreement(&b, 6).resemblance(StreamKind::Links).unwrap();
    assert!((share - 1.0 / 3.0).abs() < 0.03, "{share}");
}

#[test]
fn the_digest_tells_streams_apart() {
    let all = StreamKind::ALL;
    assert_eq!(Streams::default().digest(&all), 0);
    assert_eq!(links(&[1, 2]).digest(&all), links(&[2, 1, 2]).digest(&all));
    assert_ne!(links(&[1, 2]).digest(&all), links(&[1, 3]).digest(&all));
    assert_eq!(links(&[1, 2]).digest(&[StreamKind::Images]), 0, "only the streams that are asked for");
    let mut images = Streams::default();
    images.add(StreamKind::Images, "images", &Value::Many(Many { items: vec![1, 2], ..Many::default() }));
    assert_ne!(images.digest(&all), links(&[1, 2]).digest(&all), "the same items of another stream");
}

proptest! {
    #[test]
    fn the_resemblance_is_that_of_sets(
        a in prop::collection::vec(0u64..30, 0..20),
        b in prop::collection::vec(0u64..30, 0..20),
    ) {
        let (a, b) = (set(a), set(b));
        let shared = a.iter().filter(|item| b.contains(item)).count();
        let all = a.len() + b.len() - shared;
        let expected = (!a.is_empty() && !b.is_empty()).then(|| shared as f64 / all as f64);
        for kind in StreamKind::ALL {
            prop_assert_eq!(resemblance(kind, &a, &b, 0), expected);
        }
    }

    #[test]
    fn images_agree_whichever_comes_first(
        a in prop::collection::vec(0u64..4096, 0..12),
        b in prop::collection::vec(0u64..4096, 0..12),
        distance in 0u32..8,
    ) {
        let (a, b) = (set(a), set(b));
        let there = resemblance(StreamKind::Images, &a, &b, distance);
        prop_assert_eq!(there, resemblance(StreamKind::Images, &b, &a, distance));
        prop_assert!(there >= resemblance(StreamKind::Images, &a, &b, 0), "nearness adds");
    }

    #[test]
    fn what_is_stored_comes_back(
        a in prop::collection::vec(0u64..30, 0..20),
        b in prop::collection::vec(0u64..30, 0..20),
        bytes in prop::collection::vec(any::<u8>(), 0..12),
    ) {
        let agreement = links(&a).agreement(&links(&b), 6);
        prop_assert_eq!(StreamAgreement::from_bytes(&agreement.to_bytes()), Some(agreement));
        if let Some(read) = StreamAgreement::from_bytes(&bytes) {
            prop_assert_eq!(read.to_bytes().to_vec(), bytes);
        }
    }
}
