//! The process is killed at every change to the disk, first while applying and then while undoing.

use std::io::Write;

use super::*;

/// A fixture whose log and folders are the same each time.
fn fixture(aside: Option<&Path>) -> Fixture {
    let mut fixture = Fixture::new();
    if let Some(aside) = aside {
        fixture.aside = aside.join("aside");
    }
    fixture.cluster(&["a.txt", "sub/b.txt", "c.txt"]);
    fixture.cluster(&["sub/d.txt", "sub/deep/e.txt"]);
    fixture
}

fn relative(fixture: &Fixture) -> BTreeMap<PathBuf, FileState> {
    let below = |path: &Path| path.strip_prefix(fixture.dir.path()).unwrap_or(path).to_owned();
    fixture.tree().into_iter().map(|(path, thing)| (below(&path), thing)).collect()
}

/// Nothing may be lost at any moment: every content is somewhere under a name.
fn contents(fixture: &Fixture) -> BTreeSet<Vec<u8>> {
    let mut all: BTreeSet<Vec<u8>> = fixture.tree().into_values().map(|thing| thing.content).collect();
    all.retain(|content| content.starts_with(b"the same in cluster ") && content.len() == 21);
    all
}

fn check_all(action: Action, aside: Option<&Path>) {
    let before = relative(&fixture(aside));
    let mut finished = false;
    for applied in 0.. {
        // First without a second kill, then with one at every change of the undo.
        for taken_back in std::iter::once(None).chain((0..).map(Some)) {
            let fixture = fixture(aside);
            let plan = fixture.plan(action);
            assert_eq!((plan.steps.len(), plan.passed_over.len()), (3, 0), "{:?}", plan.passed_over);
            finished = killed_after(applied, || apply(&plan, &fixture.log()).unwrap()).is_some();
            assert_eq!(contents(&fixture).len(), 2);
            if !fixture.log().exists() {
                assert_eq!(relative(&fixture), before);
                break;
            }
            if !finished {
                // The next line may have been half written.
                let mut log = std::fs::File::options().append(true).open(fixture.log()).unwrap();
                log.write_all(
                    &br#"{"step":9,"event":{"intent":{"folder":{"path":"/"#[..applied as usize % 40],
                )
                .unwrap();
            }
            let whole =
                taken_back.map(|changes| killed_after(changes, || undo(&fixture.log()).unwrap()).is_some());
            assert_eq!(contents(&fixture).len(), 2);
            let undone = undo(&fixture.log()).unwrap();
            assert_eq!(undone.failed, Vec::new(), "{action:?} {applied} {taken_back:?}");
            assert_eq!(relative(&fixture), before, "{action:?} {applied} {taken_back:?}");
            if let Ok(basket) = std::fs::read_dir(fixture.dir.path().join("data/Trash/info")) {
                assert_eq!(basket.count(), 0);
            }
            if whole == Some(true) {
                break;
            }
        }
        if finished {
            assert!(applied > 12, "every change is counted");
            return;
        }
    }
    assert!(finished);
}

#[test]
fn moving() {
    check_all(Action::Move, None);
}

#[test]
fn moving_to_another_file_system() {
    if let Some(other) = elsewhere(&Fixture::new()) {
        check_all(Action::Move, Some(other.path()));
    }
}

#[test]
fn linking() {
    check_all(Action::Link, None);
}

#[test]
fn trashing() {
    check_all(Action::Trash, None);
}

#[test]
fn between_the_two_names_of_a_file_system_without_refusing_renames() {
    let mut fixture = Fixture::new();
    fixture.cluster(&["a.txt", "b.txt"]);
    let before = fixture.tree();
    let plan = fixture.plan(Action::Move);
    // Killed right before renaming, which is then done by a link and not finished.
    let mut changes = 0;
    while !fixture.aside.exists() || !std::fs::read_to_string(fixture.log()).unwrap().contains("{\"move\":") {
        let _ = std::fs::remove_file(fixture.log());
        let _ = std::fs::remove_dir(&fixture.aside);
        changes += 1;
        assert!(killed_after(changes, || apply(&plan, &fixture.log())).is_none());
    }
    assert!(
        killed_after(1, || disk::link_and_remove(&fixture.path("b.txt"), &fixture.aside.join("b.txt")))
            .is_none()
    );
    assert_eq!(inode(&fixture.path("b.txt")), inode(&fixture.aside.join("b.txt")));
    assert_eq!(undo(&fixture.log()).unwrap().taken_back, 1);
    assert_eq!(fixture.tree(), before);
}
