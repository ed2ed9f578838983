//! What is carried out, and what is not although it was planned.

use std::os::unix::fs::PermissionsExt;

use super::*;

#[test]
fn moved_files_have_their_paths_in_the_other_folder() {
    let mut fixture = Fixture::new();
    fixture.cluster(&["a.txt", "deep/er/b.txt", "deep/c.txt"]);
    let before = fixture.tree();
    let summary = fixture.apply(Action::Move);
    assert_eq!((summary.done, summary.failed.len(), summary.log), (2, 0, Some(fixture.log())));
    assert!(fixture.path("a.txt").exists() && !fixture.path("deep/c.txt").exists());
    let moved = fixture.tree();
    assert_eq!(moved[&fixture.aside.join("deep/er/b.txt")], before[&fixture.path("deep/er/b.txt")]);
    assert_eq!(moved[&fixture.aside.join("deep/c.txt")], before[&fixture.path("deep/c.txt")]);
}

#[test]
fn moving_to_another_file_system_keeps_content_time_and_mode() {
    let mut fixture = Fixture::new();
    let Some(other) = elsewhere(&fixture) else { return };
    fixture.aside = other.path().join("aside");
    fixture.cluster(&["a.txt", "sub/b.txt"]);
    fixture.file("sub/large.txt", &"x".repeat(3_000_000));
    fixture.file("large.txt", &"x".repeat(3_000_000));
    fixture.cluster(&["large.txt", "sub/large.txt"]);
    std::fs::set_permissions(fixture.path("sub/b.txt"), PermissionsExt::from_mode(0o640)).unwrap();
    let before = fixture.tree();
    assert_eq!(fixture.apply(Action::Move).done, 2);
    let moved = fixture.tree();
    for name in ["sub/b.txt", "sub/large.txt"] {
        assert_eq!(moved[&fixture.aside.join(name)], before[&fixture.path(name)]);
        assert!(!fixture.path(name).exists());
    }
    assert_eq!(undo(&fixture.log()).unwrap().taken_back, 2);
    assert!(!fixture.aside.exists());
    assert_eq!(fixture.tree(), before);
}

#[test]
fn nothing_is_overwritten_by_a_move() {
    let mut fixture = Fixture::new();
    fixture.cluster(&["a.txt", "b.txt", "c.txt", "d.txt"]);
    let plan = fixture.plan(Action::Move);
    std::fs::create_dir(&fixture.aside).unwrap();
    std::fs::write(fixture.aside.join("b.txt"), "came between").unwrap();
    // A copy that belongs to somebody else and must not be mistaken for ours.
    fixture.file("../aside/d.txt", "the same in cluster 0");
    let time = std::fs::metadata(fixture.path("d.txt")).unwrap().modified().unwrap();
    std::fs::File::options()
        .write(true)
        .open(fixture.aside.join("d.txt"))
        .unwrap()
        .set_modified(time)
        .unwrap();
    let summary = apply(&plan, &fixture.log()).unwrap();
    assert_eq!((summary.done, summary.failed.len()), (1, 2));
    assert_eq!(reason(&summary.failed, "b.txt"), "something of that name is already there");
    assert_eq!(std::fs::read_to_string(fixture.aside.join("b.txt")).unwrap(), "came between");
    assert!(fixture.path("b.txt").exists());
    let undone = undo(&fixture.log()).unwrap();
    assert_eq!((undone.taken_back, undone.nothing_to_do, undone.failed.len()), (1, 2, 0));
    assert!(fixture.path("d.txt").exists() && fixture.aside.join("d.txt").exists());
    assert_eq!(std::fs::read_to_string(fixture.aside.join("b.txt")).unwrap(), "came between");
}

#[test]
fn where_renaming_cannot_refuse_to_overwrite_a_link_does() {
    let fixture = Fixture::new();
    let (one, two) = (fixture.file("one.txt", "one"), fixture.file("two.txt", "two"));
    let error = disk::link_and_remove(&one, &two).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::AlreadyExists);
    disk::link_and_remove(&one, &fixture.path("three.txt")).unwrap();
    assert!(!one.exists());
    assert_eq!(std::fs::read_to_string(fixture.path("three.txt")).unwrap(), "one");
}

#[test]
fn a_link_shares_the_file_of_its_master() {
    let mut fixture = Fixture::new();
    fixture.cluster(&["a.txt", "sub/b.txt", "c.txt"]);
    let master = inode(&fixture.path("a.txt"));
    assert_eq!(fixture.apply(Action::Link).done, 2);
    assert_eq!((inode(&fixture.path("sub/b.txt")), inode(&fixture.path("c.txt"))), (master, master));
    assert_eq!(fixture.tree().len(), 4, "no temporary file is left");
}

#[test]
fn what_changed_after_the_plan_is_not_touched() {
    for action in [Action::Move, Action::Link, Action::Trash] {
        let mut fixture = Fixture::new();
        fixture.cluster(&["a.txt", "b.txt"]);
        fixture.cluster(&["c.txt", "d.txt"]);
        fixture.cluster(&["e.txt", "f.txt"]);
        fixture.cluster(&["g.txt", "h.txt"]);
        let plan = fixture.plan(action);
        assert_eq!(plan.steps.len(), 4);
        std::fs::write(fixture.path("a.txt"), "the master was changed").unwrap();
        std::fs::write(fixture.path("d.txt"), "the duplicate was changed").unwrap();
        std::fs::remove_file(fixture.path("e.txt")).unwrap();
        let before = fixture.tree();
        let summary = apply(&plan, &fixture.log()).unwrap();
        assert_eq!((summary.done, summary.failed.len()), (1, 3), "{action:?}");
        assert!(reason(&summary.failed, "b.txt").starts_with("its master"));
        assert!(reason(&summary.failed, "f.txt").starts_with("its master"));
        let after = fixture.tree();
        for name in ["a.txt", "b.txt", "c.txt", "d.txt", "f.txt", "g.txt"] {
            assert_eq!(after[&fixture.path(name)], before[&fixture.path(name)], "{action:?} {name}");
        }
    }
}

#[test]
fn a_change_that_keeps_size_and_time_is_found_by_comparing() {
    let mut fixture = Fixture::new();
    fixture.cluster(&["a.txt", "b.txt"]);
    let plan = fixture.plan(Action::Link);
    // `file` sets the same time again, and the inode stays.
    fixture.file("b.txt", "the same in cluster 9");
    let summary = apply(&plan, &fixture.log()).unwrap();
    assert_eq!(reason(&summary.failed, "b.txt"), "is not byte for byte the same as its master");
    assert_eq!(std::fs::read_to_string(fixture.path("b.txt")).unwrap(), "the same in cluster 9");
    assert_eq!(fixture.tree().len(), 2);
}

#[test]
fn a_log_is_never_overwritten() {
    let mut fixture = Fixture::new();
    fixture.cluster(&["a.txt", "b.txt"]);
    std::fs::write(fixture.log(), "mine").unwrap();
    assert!(apply(&fixture.plan(Action::Move), &fixture.log()).is_err());
    assert_eq!(std::fs::read_to_string(fixture.log()).unwrap(), "mine");
    assert!(fixture.path("b.txt").exists());
}

#[test]
fn names_of_logs_do_not_collide() {
    let dir = tempfile::tempdir().unwrap();
    for _ in 0..3 {
        let path = undo_log_name(dir.path());
        let name = path.file_name().unwrap().to_str().unwrap();
        assert!(name.starts_with("lookalike-undo-2") && name.ends_with(".jsonl"), "{name}");
        std::fs::File::create_new(path).unwrap();
    }
}

#[test]
fn a_list_changes_nothing_and_needs_no_log() {
    let mut fixture = Fixture::new();
    fixture.cluster(&["a.txt", "b.txt"]);
    let before = fixture.tree();
    let summary = fixture.apply(Action::List);
    assert_eq!(summary, Summary::default());
    assert!(!fixture.log().exists());
    assert_eq!(fixture.tree(), before);
}

#[test]
fn without_a_log_nothing_is_changed() {
    let mut fixture = Fixture::new();
    fixture.cluster(&["a.txt", "b.txt", "c.txt"]);
    let before = fixture.tree();
    // Accepts writes but reports that there is no room.
    let Ok(full) = std::fs::File::options().write(true).open("/dev/full") else { return };
    let mut executor = carry_out::PlanExecutor::with_log(log::Log::writing_to(full));
    let plan = fixture.plan(Action::Move);
    let summary = executor.carry_out(&plan);
    assert_eq!((summary.done, summary.failed.len()), (0, 2));
    assert!(summary.failed[1].reason.starts_with("not tried: the undo log cannot be written"));
    assert_eq!(fixture.tree(), before);
}

#[test]
fn a_failed_change_leaves_nothing_behind() {
    let mut fixture = Fixture::new();
    fixture.cluster(&["a.txt", "b.txt"]);
    let before = fixture.tree();
    let basket = fixture.dir.path().join("data/Trash");
    let plan = fixture.plan(Action::Trash);
    std::fs::create_dir_all(basket.join("info")).unwrap();
    // A wastebasket on a file system where nothing can be created.
    std::os::unix::fs::symlink("/proc", basket.join("files")).unwrap();
    let summary = apply(&plan, &fixture.log()).unwrap();
    assert_eq!((summary.done, summary.failed.len()), (0, 1));
    assert_eq!(std::fs::read_dir(basket.join("info")).unwrap().count(), 0);
    assert_eq!(fixture.tree(), before);
    assert_eq!(undo(&fixture.log()).unwrap().nothing_to_do, 1);
}
