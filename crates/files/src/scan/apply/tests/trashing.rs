//! The wastebasket, as desktops expect it.

use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

#[test]
fn a_trashed_file_can_be_restored_by_desktops() {
    let mut fixture = Fixture::new();
    fixture.cluster(&["a.txt", "sub folder/b ü%.txt"]);
    let before = fixture.tree();
    assert_eq!(fixture.apply(Action::Trash).done, 1);
    let basket = fixture.dir.path().join("data/Trash");
    let file = basket.join("files/b ü%.txt");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "the same in cluster 0");
    assert_eq!(std::fs::metadata(&basket).unwrap().mode() & 0o777, 0o700);
    let info = std::fs::read_to_string(basket.join("info/b ü%.txt.trashinfo")).unwrap();
    let lines: Vec<&str> = info.lines().collect();
    assert_eq!(lines[0], "[Trash Info]");
    let docs = fixture.docs().canonicalize().unwrap();
    assert_eq!(lines[1], format!("Path={}/sub%20folder/b%20%C3%BC%25.txt", docs.display()));
    let date = lines[2].strip_prefix("DeletionDate=").unwrap();
    assert_eq!(date.len(), "2004-08-31T22:32:08".len());
    date.parse::<jiff::civil::DateTime>().unwrap();
    assert_eq!(undo(&fixture.log()).unwrap().taken_back, 1);
    assert_eq!(fixture.tree(), before);
    for folder in ["files", "info"] {
        assert_eq!(std::fs::read_dir(basket.join(folder)).unwrap().count(), 0);
    }
}

#[test]
fn files_of_one_name_do_not_collide() {
    let mut fixture = Fixture::new();
    let names: Vec<String> = (0..25).map(|number| format!("{number}/same.tar")).collect();
    let mut cluster = vec!["a.txt"];
    cluster.extend(names.iter().map(String::as_str));
    fixture.cluster(&cluster);
    let basket = fixture.dir.path().join("data/Trash");
    std::fs::create_dir_all(basket.join("files")).unwrap();
    std::fs::create_dir_all(basket.join("info")).unwrap();
    // An entry with only one of its two files still occupies its name.
    std::fs::write(basket.join("files/same.tar"), "older").unwrap();
    std::fs::write(basket.join("info/same.2.tar.trashinfo"), "older").unwrap();
    let before = fixture.tree();
    let summary = fixture.apply(Action::Trash);
    assert_eq!((summary.done, summary.failed), (25, Vec::new()));
    assert_eq!(std::fs::read_dir(basket.join("files")).unwrap().count(), 26);
    assert_eq!(undo(&fixture.log()).unwrap().taken_back, 25);
    assert_eq!(fixture.tree(), before);
    assert_eq!(std::fs::read_to_string(basket.join("files/same.tar")).unwrap(), "older");
    assert_eq!(std::fs::read_to_string(basket.join("info/same.2.tar.trashinfo")).unwrap(), "older");
}

#[test]
fn long_names_fit() {
    let mut fixture = Fixture::new();
    let long = format!("{}.text", "ü".repeat(125));
    fixture.cluster(&["a.txt", &long]);
    let before = fixture.tree();
    assert_eq!(fixture.apply(Action::Trash).failed, Vec::new());
    assert_eq!(undo(&fixture.log()).unwrap().taken_back, 1);
    assert_eq!(fixture.tree(), before);
}

#[test]
fn an_emptied_wastebasket_is_told() {
    let mut fixture = Fixture::new();
    fixture.cluster(&["a.txt", "b.txt", "c.txt"]);
    fixture.apply(Action::Trash);
    std::fs::remove_file(fixture.dir.path().join("data/Trash/files/b.txt")).unwrap();
    let undone = undo(&fixture.log()).unwrap();
    assert_eq!(undone.taken_back, 1);
    assert!(reason(&undone.failed, "b.txt").starts_with("is neither there nor at"));
}

#[test]
fn on_other_file_systems_the_wastebasket_is_at_the_top() {
    let fixture = Fixture::new();
    let baskets = fixture.baskets();
    let top = fixture.docs();
    let user = baskets.user;
    let own = top.join(format!(".Trash-{user}"));
    assert_eq!(baskets.at_the_top(&top).unwrap(), own);
    // A shared wastebasket must be a folder in which users cannot remove each other's files.
    std::fs::create_dir(top.join(".Trash")).unwrap();
    assert_eq!(baskets.at_the_top(&top).unwrap(), own);
    std::fs::set_permissions(top.join(".Trash"), PermissionsExt::from_mode(0o1777)).unwrap();
    let shared = top.join(format!(".Trash/{user}"));
    assert_eq!(baskets.at_the_top(&top).unwrap(), shared);
    symlink("/", &shared).unwrap();
    assert!(baskets.at_the_top(&top).is_err());
    let now = jiff::Zoned::now();
    let about = |basket: &Path| trash::about(&top.join("sub/a.txt"), basket, &now);
    assert!(about(&shared).contains("\nPath=sub/a.txt\n"));
    assert!(about(&own).contains("\nPath=sub/a.txt\n"));
}

#[test]
fn the_top_of_another_file_system_is_found() {
    let mut fixture = Fixture::new();
    let Some(other) = elsewhere(&fixture) else { return };
    fixture.cluster(&["a.txt"]);
    std::fs::copy(fixture.path("a.txt"), other.path().join("b.txt")).unwrap();
    fixture.clusters[0].push(other.path().join("b.txt").display().to_string());
    let plan = fixture.plan(Action::Trash);
    let own = format!(".Trash-{}", fixture.baskets().user);
    assert_eq!(plan.steps[0].to, Some(Path::new("/dev/shm").canonicalize().unwrap().join(own)));
}
