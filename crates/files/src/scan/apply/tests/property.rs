//! After any actions in any order, undoing them restores the same folders and files.

use proptest::prelude::*;

use super::*;

fn actions() -> impl Strategy<Value = Vec<(u8, u8)>> {
    prop::collection::vec((0u8..4, any::<u8>()), 1..5)
}

/// Files by folder; many have the same content.
fn files() -> impl Strategy<Value = Vec<(u8, u8)>> {
    prop::collection::vec((0u8..4, 0u8..3), 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn undo_gives_back_the_same_tree(files in files(), actions in actions()) {
        let mut fixture = Fixture::new();
        let mut clusters: BTreeMap<u8, Vec<String>> = BTreeMap::new();
        for (number, (folder, content)) in files.iter().enumerate() {
            let name = ["", "x/", "x/y/", "z ü/"][usize::from(*folder)].to_owned() + &format!("{number}.txt");
            fixture.file(&name, &format!("content {content}"));
            clusters.entry(*content).or_default().push(name);
        }
        let before = fixture.tree();
        let mut logs = Vec::new();
        for (number, (action, turn)) in actions.iter().enumerate() {
            // The files that are left are duplicates again, with another master.
            let here = |name: &&String| fixture.path(name).exists();
            let left = clusters.values().map(|names| names.iter().filter(here).cloned().collect::<Vec<_>>());
            let mut left: Vec<Vec<String>> = left.filter(|names| names.len() > 1).collect();
            for names in &mut left {
                let by = usize::from(*turn) % names.len();
                names.rotate_left(by);
                // So that there is something left for the next action.
                names.truncate(names.len().div_ceil(2).max(2));
            }
            fixture.clusters = left;
            let plan = fixture.plan(Action::ALL[usize::from(*action)]);
            let log = fixture.dir.path().join(format!("{number}.jsonl"));
            let summary = apply(&plan, &log).unwrap();
            prop_assert!(summary.failed.is_empty());
            for cluster in &fixture.clusters {
                prop_assert!(fixture.path(&cluster[0]).exists(), "a master is gone");
            }
            if summary.log.is_some() {
                logs.push(log);
            }
        }
        for log in logs.iter().rev() {
            let undone = undo(log).unwrap();
            prop_assert!(undone.failed.is_empty(), "{:?}", undone.failed);
        }
        prop_assert_eq!(fixture.tree(), before);
    }
}
