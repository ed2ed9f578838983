//! The way back, also when things changed meanwhile.

use std::os::unix::fs::PermissionsExt;

use super::*;

#[test]
fn links_become_files_of_their_own_again() {
    let mut desk = Desk::new();
    desk.cluster(&["a.txt", "longer-name.txt", "c.txt"]);
    std::fs::set_permissions(desk.path("c.txt"), PermissionsExt::from_mode(0o600)).unwrap();
    let before = desk.tree();
    desk.apply(Action::Link);
    assert_ne!(desk.tree(), before, "time and mode are the master's");
    let undone = undo(&desk.log()).unwrap();
    assert_eq!((undone.taken_back, undone.failed), (2, Vec::new()));
    assert_eq!(desk.tree(), before);
    let inodes: BTreeSet<u64> = before.keys().map(|path| inode(path)).collect();
    assert_eq!(inodes.len(), 3);
}

#[test]
fn undo_can_be_repeated() {
    for action in [Action::Move, Action::Link, Action::Trash] {
        let mut desk = Desk::new();
        desk.cluster(&["a.txt", "sub/b.txt", "c.txt"]);
        let before = desk.tree();
        desk.apply(action);
        assert_eq!(undo(&desk.log()).unwrap().taken_back, 2);
        // What the user does afterwards is no longer its business.
        std::fs::remove_file(desk.path("c.txt")).unwrap();
        let again = undo(&desk.log()).unwrap();
        assert_eq!((again.taken_back, again.nothing_to_do, again.failed.len()), (0, 2, 0));
        assert_eq!(desk.tree().len(), before.len() - 1);
    }
}

#[test]
fn something_new_is_not_overwritten() {
    for action in [Action::Move, Action::Trash] {
        let mut desk = Desk::new();
        desk.cluster(&["a.txt", "b.txt", "c.txt"]);
        desk.apply(action);
        std::fs::write(desk.path("b.txt"), "new").unwrap();
        let undone = undo(&desk.log()).unwrap();
        assert_eq!(undone.taken_back, 1);
        assert!(reason(&undone.failed, "b.txt").starts_with("something new is in its place; it stays at"));
        assert_eq!(std::fs::read_to_string(desk.path("b.txt")).unwrap(), "new");
        // Out of the way, it can be taken back after all.
        std::fs::remove_file(desk.path("b.txt")).unwrap();
        assert_eq!(undo(&desk.log()).unwrap().taken_back, 1);
        assert_eq!(std::fs::read_to_string(desk.path("b.txt")).unwrap(), "the same in cluster 0");
        assert!(!desk.aside.exists());
    }
}

#[test]
fn what_was_changed_where_it_was_moved_stays_there() {
    let mut desk = Desk::new();
    desk.cluster(&["a.txt", "b.txt"]);
    desk.apply(Action::Move);
    std::fs::write(desk.aside.join("b.txt"), "worked on").unwrap();
    let undone = undo(&desk.log()).unwrap();
    assert!(reason(&undone.failed, "b.txt").starts_with("was changed since; it stays at"));
    assert_eq!(std::fs::read_to_string(desk.aside.join("b.txt")).unwrap(), "worked on");
}

#[test]
fn a_link_that_was_written_to_is_left() {
    let mut desk = Desk::new();
    desk.cluster(&["a.txt", "b.txt", "c.txt"]);
    desk.apply(Action::Link);
    std::fs::remove_file(desk.path("c.txt")).unwrap();
    std::fs::write(desk.path("c.txt"), "another file now").unwrap();
    std::fs::write(desk.path("a.txt"), "written through one name").unwrap();
    let before = desk.tree();
    let undone = undo(&desk.log()).unwrap();
    assert!(reason(&undone.failed, "b.txt").starts_with("was changed since it became a link"));
    assert!(reason(&undone.failed, "c.txt").starts_with("was replaced since"));
    assert_eq!(desk.tree(), before);
}

#[test]
fn a_link_outlives_its_master() {
    let mut desk = Desk::new();
    desk.cluster(&["a.txt", "b.txt"]);
    let before = desk.tree();
    desk.apply(Action::Link);
    std::fs::remove_file(desk.path("a.txt")).unwrap();
    assert_eq!(undo(&desk.log()).unwrap().taken_back, 1);
    assert_eq!(desk.tree()[&desk.path("b.txt")], before[&desk.path("b.txt")]);
}

#[test]
fn folders_are_made_again_and_those_in_use_stay() {
    let mut desk = Desk::new();
    desk.cluster(&["a.txt", "sub/b.txt"]);
    desk.apply(Action::Move);
    std::fs::remove_dir(desk.path("sub")).unwrap();
    std::fs::write(desk.aside.join("note.txt"), "by the user").unwrap();
    let undone = undo(&desk.log()).unwrap();
    assert_eq!((undone.taken_back, undone.failed), (1, Vec::new()));
    assert!(desk.path("sub/b.txt").exists());
    assert!(desk.aside.join("note.txt").exists() && !desk.aside.join("sub").exists());
}

#[test]
fn one_file_under_two_paths_is_not_taken_for_a_copy() {
    let mut desk = Desk::new();
    desk.cluster(&["a.txt", "sub/b.txt"]);
    desk.apply(Action::Move);
    // The user turns the old folder into another name for the new one.
    std::fs::remove_dir(desk.path("sub")).unwrap();
    std::os::unix::fs::symlink(desk.aside.join("sub"), desk.path("sub")).unwrap();
    let undone = undo(&desk.log()).unwrap();
    assert_eq!(undone.failed.len(), 1);
    assert_eq!(std::fs::read_to_string(desk.path("sub/b.txt")).unwrap(), "the same in cluster 0");
}

#[test]
fn other_files_are_no_logs_and_damaged_lines_are_told() {
    let mut desk = Desk::new();
    let other = desk.file("a.jsonl", "{\"id\":1}\n{\"id\":2}\nno end");
    assert!(undo(&other).is_err());
    assert!(std::fs::read_to_string(&other).unwrap().ends_with("no end"));
    std::fs::remove_file(other).unwrap();
    assert!(undo(&desk.log()).is_err());
    desk.cluster(&["a.txt", "b.txt", "c.txt"]);
    desk.apply(Action::Move);
    let mut lines: Vec<String> =
        std::fs::read_to_string(desk.log()).unwrap().lines().map(str::to_owned).collect();
    let second = lines.iter().position(|line| line.contains("/c.txt")).unwrap();
    lines[second] = "damaged".to_owned();
    std::fs::write(desk.log(), lines.join("\n") + "\n").unwrap();
    let undone = undo(&desk.log()).unwrap();
    assert_eq!((undone.taken_back, undone.failed.len()), (1, 1));
    assert_eq!(undone.failed[0].reason, format!("line {} is not understood", second + 1));
}
