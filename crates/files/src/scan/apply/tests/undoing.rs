//! Undo, also when files changed in between.

use std::os::unix::fs::PermissionsExt;

use super::*;

#[test]
fn links_become_files_of_their_own_again() {
    let mut fixture = Fixture::new();
    fixture.cluster(&["a.txt", "longer-name.txt", "c.txt"]);
    std::fs::set_permissions(fixture.path("c.txt"), PermissionsExt::from_mode(0o600)).unwrap();
    let before = fixture.tree();
    fixture.apply(Action::Link);
    assert_ne!(fixture.tree(), before, "time and mode are the master's");
    let undone = undo(&fixture.log()).unwrap();
    assert_eq!((undone.taken_back, undone.failed), (2, Vec::new()));
    assert_eq!(fixture.tree(), before);
    let inodes: BTreeSet<u64> = before.keys().map(|path| inode(path)).collect();
    assert_eq!(inodes.len(), 3);
}

#[test]
fn undo_can_be_repeated() {
    for action in [Action::Move, Action::Link, Action::Trash] {
        let mut fixture = Fixture::new();
        fixture.cluster(&["a.txt", "sub/b.txt", "c.txt"]);
        let before = fixture.tree();
        fixture.apply(action);
        assert_eq!(undo(&fixture.log()).unwrap().taken_back, 2);
        // Later changes by the user are left alone.
        std::fs::remove_file(fixture.path("c.txt")).unwrap();
        let again = undo(&fixture.log()).unwrap();
        assert_eq!((again.taken_back, again.nothing_to_do, again.failed.len()), (0, 2, 0));
        assert_eq!(fixture.tree().len(), before.len() - 1);
    }
}

#[test]
fn something_new_is_not_overwritten() {
    for action in [Action::Move, Action::Trash] {
        let mut fixture = Fixture::new();
        fixture.cluster(&["a.txt", "b.txt", "c.txt"]);
        fixture.apply(action);
        std::fs::write(fixture.path("b.txt"), "new").unwrap();
        let undone = undo(&fixture.log()).unwrap();
        assert_eq!(undone.taken_back, 1);
        assert!(reason(&undone.failed, "b.txt").starts_with("something new is in its place; it stays at"));
        assert_eq!(std::fs::read_to_string(fixture.path("b.txt")).unwrap(), "new");
        // Once that file is out of the way, undo succeeds.
        std::fs::remove_file(fixture.path("b.txt")).unwrap();
        assert_eq!(undo(&fixture.log()).unwrap().taken_back, 1);
        assert_eq!(std::fs::read_to_string(fixture.path("b.txt")).unwrap(), "the same in cluster 0");
        assert!(!fixture.aside.exists());
    }
}

#[test]
fn what_was_changed_where_it_was_moved_stays_there() {
    let mut fixture = Fixture::new();
    fixture.cluster(&["a.txt", "b.txt"]);
    fixture.apply(Action::Move);
    std::fs::write(fixture.aside.join("b.txt"), "worked on").unwrap();
    let undone = undo(&fixture.log()).unwrap();
    assert!(reason(&undone.failed, "b.txt").starts_with("was changed since; it stays at"));
    assert_eq!(std::fs::read_to_string(fixture.aside.join("b.txt")).unwrap(), "worked on");
}

#[test]
fn a_link_that_was_written_to_is_left() {
    let mut fixture = Fixture::new();
    fixture.cluster(&["a.txt", "b.txt", "c.txt"]);
    fixture.apply(Action::Link);
    std::fs::remove_file(fixture.path("c.txt")).unwrap();
    std::fs::write(fixture.path("c.txt"), "another file now").unwrap();
    std::fs::write(fixture.path("a.txt"), "written through one name").unwrap();
    let before = fixture.tree();
    let undone = undo(&fixture.log()).unwrap();
    assert!(reason(&undone.failed, "b.txt").starts_with("was changed since it became a link"));
    assert!(reason(&undone.failed, "c.txt").starts_with("was replaced since"));
    assert_eq!(fixture.tree(), before);
}

#[test]
fn a_link_outlives_its_master() {
    let mut fixture = Fixture::new();
    fixture.cluster(&["a.txt", "b.txt"]);
    let before = fixture.tree();
    fixture.apply(Action::Link);
    std::fs::remove_file(fixture.path("a.txt")).unwrap();
    assert_eq!(undo(&fixture.log()).unwrap().taken_back, 1);
    assert_eq!(fixture.tree()[&fixture.path("b.txt")], before[&fixture.path("b.txt")]);
}

#[test]
fn folders_are_made_again_and_those_in_use_stay() {
    let mut fixture = Fixture::new();
    fixture.cluster(&["a.txt", "sub/b.txt"]);
    fixture.apply(Action::Move);
    std::fs::remove_dir(fixture.path("sub")).unwrap();
    std::fs::write(fixture.aside.join("note.txt"), "by the user").unwrap();
    let undone = undo(&fixture.log()).unwrap();
    assert_eq!((undone.taken_back, undone.failed), (1, Vec::new()));
    assert!(fixture.path("sub/b.txt").exists());
    assert!(fixture.aside.join("note.txt").exists() && !fixture.aside.join("sub").exists());
}

#[test]
fn one_file_under_two_paths_is_not_taken_for_a_copy() {
    let mut fixture = Fixture::new();
    fixture.cluster(&["a.txt", "sub/b.txt"]);
    fixture.apply(Action::Move);
    // The user turns the old folder into another name for the new one.
    std::fs::remove_dir(fixture.path("sub")).unwrap();
    std::os::unix::fs::symlink(fixture.aside.join("sub"), fixture.path("sub")).unwrap();
    let undone = undo(&fixture.log()).unwrap();
    assert_eq!(undone.failed.len(), 1);
    assert_eq!(std::fs::read_to_string(fixture.path("sub/b.txt")).unwrap(), "the same in cluster 0");
}

#[test]
fn other_files_are_no_logs_and_damaged_lines_are_told() {
    let mut fixture = Fixture::new();
    let other = fixture.file("a.jsonl", "{\"id\":1}\n{\"id\":2}\nno end");
    assert!(undo(&other).is_err());
    assert!(std::fs::read_to_string(&other).unwrap().ends_with("no end"));
    std::fs::remove_file(other).unwrap();
    assert!(undo(&fixture.log()).is_err());
    fixture.cluster(&["a.txt", "b.txt", "c.txt"]);
    fixture.apply(Action::Move);
    let mut lines: Vec<String> =
        std::fs::read_to_string(fixture.log()).unwrap().lines().map(str::to_owned).collect();
    let second = lines.iter().position(|line| line.contains("/c.txt")).unwrap();
    lines[second] = "damaged".to_owned();
    std::fs::write(fixture.log(), lines.join("\n") + "\n").unwrap();
    let undone = undo(&fixture.log()).unwrap();
    assert_eq!((undone.taken_back, undone.failed.len()), (1, 1));
    assert_eq!(undone.failed[0].reason, format!("line {} is not understood", second + 1));
}
