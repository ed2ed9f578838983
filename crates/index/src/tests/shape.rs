//! Large clusters: page by page, and as one picture.

use std::collections::BTreeMap;

use super::super::{ClusterShape, Grouping, Index, MapMember, Policy, View};
use super::*;

const TOML: &str = "[features]\nshingle = 2\n[decide]\nthreshold = 0.5\n";

/// One family of many documents with up to three words changed, some of them copies, some hidden.
fn family(folder: &Path) -> Index {
    let index = create(folder, TOML);
    for number in 0..120 {
        let random = mix(number);
        let made = Made {
            id: format!("d{number:03}"),
            text: text(1, random & 3, random >> 8 & 15),
            labels: if random.is_multiple_of(9) { vec!["red"] } else { Vec::new() },
            streams: String::new(),
        };
        index.writer().add(&made.line(), Policy::Report, &at(1000)).unwrap();
    }
    index
}

fn views() -> [View; 2] {
    [View::All, View::Labels(Vec::new())]
}

fn shape(index: &Index, view: &View, by: Grouping, most: usize) -> ClusterShape {
    index.reader().cluster_shape(&id("d001"), view, by, most).unwrap().unwrap()
}

#[test]
fn pages_have_every_member_once_and_tell_what_the_map_tells() {
    let folder = TempDir::new().unwrap();
    let index = family(folder.path());
    let told = |members: &[MapMember]| -> Vec<String> {
        let told = |member: &MapMember| {
            let mut told = serde_json::to_value(member).unwrap();
            // Which words tell a member apart depends on those that are told beside it.
            told["apart"] = member.apart.is_some().into();
            told.to_string()
        };
        members.iter().map(told).collect()
    };
    for view in views() {
        let map = index.reader().cluster_map(&id("d001"), &view, 1000).unwrap().unwrap();
        assert!(map.size > 60, "{}", map.size);
        let mut paged = Vec::new();
        loop {
            let page = index.reader().cluster_members(&id("d001"), &view, paged.len(), 17).unwrap().unwrap();
            assert_eq!((page.size, page.offset, &page.cluster), (map.size, paged.len(), &map.cluster));
            if page.members.is_empty() {
                break;
            }
            paged.extend(told(&page.members));
        }
        assert_eq!(paged, told(&map.members));
        // Whoever is no copy of a member before is another content.
        let contents = shape(&index, &view, Grouping::Even, 1000).contents;
        assert_eq!(map.members.iter().filter(|member| !member.copy).count(), contents);
        assert!(map.members[0].apart.is_none() && map.members[0].difference.is_none());
        let differing = map.members.iter().filter(|member| member.apart.is_some());
        assert!(differing.clone().count() > 40);
        assert!(differing.clone().all(|member| member.difference.is_some()));
    }
    assert!(index.reader().cluster_members(&id("nobody"), &View::All, 0, 9).unwrap().is_none());
    let beyond = index.reader().cluster_members(&id("d001"), &View::All, usize::MAX, 9).unwrap().unwrap();
    assert!(beyond.members.is_empty());
}

/// With a group for each content the picture has the pairs of the map; in larger groups the means of these.
#[test]
fn a_shape_has_the_similarities_of_the_cluster() {
    let folder = TempDir::new().unwrap();
    let index = family(folder.path());
    for view in views() {
        let map = index.reader().cluster_map(&id("d001"), &view, 1000).unwrap().unwrap();
        let whole = shape(&index, &view, Grouping::Even, 1000);
        assert_eq!((whole.size, whole.shown, &whole.cluster), (map.size, whole.contents, &map.cluster));
        assert!(whole.contents < whole.size && whole.groups.len() == whole.contents, "copies are one");
        let name = |place: u32| map.members[place as usize].id.json().to_owned();
        let by_map: BTreeMap<(String, String), f64> = map
            .pairs
            .iter()
            .flat_map(|&(a, b, similarity)| {
                [((name(a), name(b)), similarity), ((name(b), name(a)), similarity)]
            })
            .collect();
        let group = |place: u32| whole.groups[place as usize].id.json().to_owned();
        let mut met = 0;
        for (a, column) in (0u32..).zip(&whole.groups) {
            for (b, row) in (a + 1..).zip(&whole.groups[a as usize + 1..]) {
                let of_map = by_map.get(&(column.id.json().to_owned(), row.id.json().to_owned()));
                let here = whole.pairs.iter().find(|pair| (pair.0, pair.1) == (a, b));
                assert_eq!(
                    of_map.map(|value| *value as f32),
                    here.map(|pair| pair.2),
                    "{} {}",
                    group(a),
                    group(b)
                );
                met += usize::from(here.is_some());
            }
        }
        assert_eq!(met, whole.pairs.len());
        let least = whole.pairs.iter().map(|pair| pair.2).reduce(f32::min);
        assert_eq!(whole.weakest, least);
        for by in [Grouping::Even, Grouping::Linked] {
            let few = shape(&index, &view, by, 7);
            assert_eq!(few.groups.len(), 7);
            let (documents, contents) = few
                .groups
                .iter()
                .fold((0, 0), |sum, group| (sum.0 + group.documents, sum.1 + group.contents));
            assert_eq!((documents as usize, contents), (few.size, few.contents));
            assert_eq!(few.groups[0].id.json(), few.cluster.json(), "the master is in the first");
            // Whatever the groups, all pairs are in them, with the same mean.
            let sum = |shape: &ClusterShape| {
                let pairs = shape.pairs.iter();
                pairs.fold((0.0, 0), |sum, pair| {
                    (sum.0 + f64::from(pair.2) * f64::from(pair.3), sum.1 + pair.3)
                })
            };
            assert_eq!(sum(&few).1, sum(&whole).1);
            assert!((sum(&few).0 - sum(&whole).0).abs() < 1e-3);
        }
    }
    assert!(index.reader().cluster_shape(&id("nobody"), &View::All, Grouping::Even, 9).unwrap().is_none());
}
