//! What is planned and what is skipped.

use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;
use crate::scan::Unreadable;

#[test]
fn a_plan_changes_nothing_and_keeps_the_masters() {
    let mut fixture = Fixture::new();
    fixture.cluster(&["a.txt", "sub/b.txt", "c.txt"]);
    fixture.cluster(&["sub/d.txt", "e.txt"]);
    let before = fixture.tree();
    for action in Action::ALL {
        let plan = fixture.plan(action);
        let paths: Vec<&str> = plan.steps.iter().map(|step| step.path.rsplit_once('/').unwrap().1).collect();
        assert_eq!(paths, ["b.txt", "c.txt", "e.txt"], "{action:?}: {:?}", plan.passed_over);
        assert!(plan.passed_over.is_empty());
        assert!(!fixture.dir.path().join("data").exists());
    }
    assert_eq!(fixture.tree(), before);
}

#[test]
fn containers_and_parts_are_never_touched() {
    let mut fixture = Fixture::new();
    fixture.cluster(&["a.txt", "mail.eml", "box.zip", "whole.txt", "partly.eml", "named.eml"]);
    let mut report = fixture.report();
    let mut part = fixture.member("box.zip");
    part.part = Some("inner.txt".to_owned());
    part.id += "#inner.txt";
    report.clusters[0].members[2] = part;
    // A mail with an attachment that is a master elsewhere.
    let mut attachment = fixture.member("mail.eml");
    attachment.part = Some("1".to_owned());
    attachment.id += "#1";
    let master = attachment.id.clone();
    let other = ScanCluster { cluster: 2, master, members: vec![attachment], ..ScanCluster::default() };
    report.clusters.push(other);
    let unread = format!("{}#2", fixture.path("partly.eml").display());
    report.partly.push(Unreadable { path: unread, reason: "encrypted".to_owned() });
    let mut request = fixture.request(Action::Trash);
    request.containers.insert(fixture.path("named.eml").display().to_string());
    let plan = plan_with(&report, &request, &fixture.baskets()).unwrap();
    let passed = reasons(&plan.passed_over);
    assert_eq!(passed["box.zip#inner.txt"], "is a part within a file");
    assert_eq!(passed["mail.eml"], "is the master of a cluster");
    assert_eq!(passed["partly.eml"], "holds a part that could not be read");
    assert_eq!(passed["named.eml"], "holds several documents");
    assert_eq!(plan.steps.len(), 1);
    assert!(plan.steps[0].path.ends_with("whole.txt"));
}

#[test]
fn a_file_with_a_part_in_a_cluster_is_a_container() {
    let mut fixture = Fixture::new();
    fixture.cluster(&["a.txt", "mail.eml"]);
    fixture.cluster(&["b.txt", "mail.eml"]);
    let mut report = fixture.report();
    report.clusters[1].members[1].part = Some("1".to_owned());
    report.clusters[1].members[1].id += "#1";
    let plan = fixture.plan_of(&report, Action::Move);
    assert!(plan.steps.is_empty());
    assert_eq!(reason(&plan.passed_over, "mail.eml"), "holds several documents");
}

#[test]
fn what_changed_since_the_scan_is_passed_over() {
    let mut fixture = Fixture::new();
    fixture.cluster(&[
        "a.txt",
        "touched.txt",
        "grown.txt",
        "gone.txt",
        "linked.txt",
        "folder.txt",
        "fine.txt",
    ]);
    fixture.cluster(&["master.txt", "orphan.txt"]);
    let report = fixture.report();
    let now = std::time::SystemTime::now();
    std::fs::File::options()
        .write(true)
        .open(fixture.path("touched.txt"))
        .unwrap()
        .set_modified(now)
        .unwrap();
    fixture.file("grown.txt", "another content, of another length");
    std::fs::remove_file(fixture.path("gone.txt")).unwrap();
    std::fs::remove_file(fixture.path("linked.txt")).unwrap();
    symlink(fixture.path("fine.txt"), fixture.path("linked.txt")).unwrap();
    std::fs::remove_file(fixture.path("folder.txt")).unwrap();
    std::fs::create_dir(fixture.path("folder.txt")).unwrap();
    std::fs::remove_file(fixture.path("master.txt")).unwrap();
    for action in Action::ALL {
        let plan = fixture.plan_of(&report, action);
        let passed = reasons(&plan.passed_over);
        assert_eq!(passed["touched.txt"], "was changed since the scan");
        assert_eq!(passed["grown.txt"], "was changed since the scan");
        assert_eq!(passed["gone.txt"], "no file of that name is there");
        assert_eq!(passed["linked.txt"], "is a symbolic link");
        assert_eq!(passed["folder.txt"], "is not a regular file");
        assert!(passed["orphan.txt"].contains("its master"), "{}", passed["orphan.txt"]);
        assert_eq!(plan.steps.len(), 1, "{action:?}");
    }
}

#[test]
fn copies_are_linked_to_each_other_where_the_master_is_another_format() {
    let mut fixture = Fixture::new();
    fixture.file("report.docx", "the same in another format");
    for name in ["b.pdf", "a.pdf", "sub/c.pdf"] {
        fixture.file(name, "printed");
    }
    fixture.file("other.pdf", "printed later");
    fixture.cluster(&["report.docx", "b.pdf", "a.pdf", "sub/c.pdf", "other.pdf", "same.docx"]);
    fixture.file("same.docx", "the same in another format");
    let mut report = fixture.report();
    let digests = ["docx", "pdf", "pdf", "pdf", "other", "docx"];
    for (member, digest) in report.clusters[0].members.iter_mut().zip(digests) {
        member.file_hash = digest.to_owned();
        member.similarity = 0.9;
    }
    // Another save of a page may be linked to its own copy, but never moved.
    report.clusters[0].members[3].found_by = vec!["page".to_owned()];
    let plan = fixture.plan_of(&report, Action::Link);
    let name = |path: &str| path.rsplit_once('/').unwrap().1.to_owned();
    let steps: Vec<_> =
        plan.steps.iter().map(|step| (name(&step.path), name(&step.master), step.similarity)).collect();
    let expected = [("b.pdf", "a.pdf"), ("c.pdf", "a.pdf"), ("same.docx", "report.docx")];
    assert_eq!(steps, expected.map(|(path, master)| (path.to_owned(), master.to_owned(), 1.0)));
    assert_eq!(reason(&plan.passed_over, "a.pdf"), "stays, for its copies to be linked to");
    assert_eq!(
        reason(&plan.passed_over, "other.pdf"),
        "is not byte for byte the same as its master or another duplicate"
    );
    apply(&plan, &fixture.log()).unwrap();
    assert_eq!(inode(&fixture.path("b.pdf")), inode(&fixture.path("sub/c.pdf")));
    assert_ne!(inode(&fixture.path("b.pdf")), inode(&fixture.path("report.docx")));
    assert_eq!(inode(&fixture.path("same.docx")), inode(&fixture.path("report.docx")));
    let moved = fixture.plan_of(&fixture.report(), Action::Move);
    assert_eq!(moved.steps.len(), 5, "all but the master go elsewhere");
}

#[test]
fn odd_names_are_found_or_passed_over() {
    let mut fixture = Fixture::new();
    let odd =
        ["a.txt", "two  spaces .txt", "line\nend.txt", "-rf", "#hash%41.txt", "日本.txt", "\u{202e}txt.exe"];
    fixture.cluster(&odd);
    let mut report = fixture.report();
    let mut lossy = report.clusters[0].members[1].clone();
    lossy.path = fixture.path("not-utf8-\u{fffd}.txt").display().to_string();
    lossy.id = lossy.path.clone();
    let bytes = std::os::unix::ffi::OsStrExt::from_bytes(b"not-utf8-\xff.txt");
    let _ = std::fs::write(fixture.docs().join::<&std::ffi::OsStr>(bytes), "the same in cluster 0");
    report.clusters[0].members.push(lossy);
    let plan = fixture.plan_of(&report, Action::Move);
    assert_eq!(plan.steps.len(), odd.len() - 1, "{:?}", plan.passed_over);
    assert_eq!(reason(&plan.passed_over, "not-utf8-\u{fffd}.txt"), "no file of that name is there");
    let shown = plan.to_string();
    assert!(shown.contains("line\\nend.txt") && shown.contains("\\u{202e}txt.exe"), "{shown}");
    assert!(!shown.contains('\u{202e}'));
    let json: serde_json::Value = serde_json::to_value(&plan).unwrap();
    assert_eq!(json["steps"].as_array().unwrap().len(), odd.len() - 1);
    assert_eq!(json["action"], "move");
    let summary = apply(&plan, &fixture.log()).unwrap();
    assert_eq!((summary.done, summary.failed.len()), (odd.len() as u64 - 1, 0));
    assert!(fixture.aside.join("line\nend.txt").is_file());
}

#[test]
fn the_master_under_another_path_is_not_a_duplicate_of_itself() {
    let mut fixture = Fixture::new();
    fixture.cluster(&["real/a.txt"]);
    symlink(fixture.path("real"), fixture.path("alias")).unwrap();
    fixture.clusters[0].push("alias/a.txt".to_owned());
    for action in Action::ALL {
        let plan = fixture.plan(action);
        assert!(plan.steps.is_empty(), "{action:?}");
    }
    // A second name of the same file may be removed, but not the only one that the master has.
    std::fs::hard_link(fixture.path("real/a.txt"), fixture.path("second.txt")).unwrap();
    fixture.clusters[0].push("second.txt".to_owned());
    let plan = fixture.plan(Action::Trash);
    assert_eq!(plan.steps.len(), 1);
    assert!(plan.steps[0].path.ends_with("second.txt"));
}

#[test]
fn a_master_of_another_cluster_is_kept_under_every_path() {
    let mut fixture = Fixture::new();
    fixture.cluster(&["real/a.txt", "b.txt"]);
    symlink(fixture.path("real"), fixture.path("alias")).unwrap();
    fixture.cluster(&["c.txt", "alias/a.txt"]);
    let plan = fixture.plan(Action::Move);
    assert_eq!(reason(&plan.passed_over, "a.txt"), "is the master of a cluster");
    assert_eq!(plan.steps.len(), 1);
}

#[test]
fn links_are_for_the_same_bytes_only() {
    let mut fixture = Fixture::new();
    fixture.file("one-byte.txt", "the same in cluster 1");
    fixture.file("longer.txt", "the same in cluster 0 ");
    fixture.cluster(&["a.txt", "b.txt", "one-byte.txt", "longer.txt"]);
    std::fs::hard_link(fixture.path("a.txt"), fixture.path("linked.txt")).unwrap();
    fixture.clusters[0].push("linked.txt".to_owned());
    let plan = fixture.plan(Action::Link);
    let passed = reasons(&plan.passed_over);
    assert_eq!(passed["one-byte.txt"], "is not byte for byte the same as its master or another duplicate");
    assert_eq!(passed["longer.txt"], "is not byte for byte the same as its master or another duplicate");
    assert_eq!(passed["linked.txt"], "is a hard link to its master already");
    assert_eq!(plan.steps.len(), 1);
    let mut report = fixture.report();
    report.clusters[0].members[0].part = Some("inner".to_owned());
    let plan = fixture.plan_of(&report, Action::Link);
    assert!(plan.steps.is_empty());
    assert_eq!(
        reason(&plan.passed_over, "b.txt"),
        "its master is a part within a file, and no other file has the same bytes"
    );
}

#[test]
fn links_do_not_cross_file_systems() {
    let mut fixture = Fixture::new();
    let Some(other) = elsewhere(&fixture) else { return };
    fixture.cluster(&["a.txt"]);
    std::fs::copy(fixture.path("a.txt"), other.path().join("b.txt")).unwrap();
    fixture.clusters[0].push(other.path().join("b.txt").display().to_string());
    let plan = fixture.plan(Action::Link);
    assert_eq!(reason(&plan.passed_over, "b.txt"), "its master is on another file system");
}

#[test]
fn moving_keeps_the_structure_below_the_scanned_folders() {
    let mut fixture = Fixture::new();
    fixture.cluster(&["x/a.txt", "y/a.txt", "z/a.txt"]);
    let mut request = fixture.request(Action::Move);
    request.roots = vec![fixture.path("x"), fixture.path("x/../y"), fixture.path("z/a.txt")];
    let plan = plan_with(&fixture.report(), &request, &fixture.baskets()).unwrap();
    let real = fixture.dir.path().canonicalize().unwrap();
    let to: Vec<PathBuf> = plan.steps.iter().map(|step| step.to.clone().unwrap()).collect();
    assert_eq!(to, [real.join("aside/y/a.txt"), real.join("aside/z/a.txt")]);
    request.roots = vec![fixture.path("x"), fixture.path("x")];
    let plan = plan_with(&fixture.report(), &request, &fixture.baskets()).unwrap();
    assert_eq!(plan.passed_over.len(), 2);
    assert_eq!(plan.passed_over[0].reason, "lies outside the scanned folders");
}

#[test]
fn what_is_in_the_way_of_a_move_is_named() {
    let mut fixture = Fixture::new();
    fixture.aside = fixture.docs().join("aside");
    fixture.cluster(&["a.txt", "b.txt", "sub/c.txt", "aside/d.txt"]);
    fixture.file("aside/b.txt", "was here first");
    fixture.file("aside/sub", "a file where a folder should be");
    let plan = fixture.plan(Action::Move);
    assert!(plan.steps.is_empty());
    assert!(reason(&plan.passed_over, "b.txt").ends_with("aside/b.txt is already there"));
    assert!(reason(&plan.passed_over, "c.txt").contains("aside/sub"));
    assert_eq!(reason(&plan.passed_over, "d.txt"), "is in that folder already");
}

#[test]
fn wishes_that_make_no_sense_are_refused() {
    let mut fixture = Fixture::new();
    fixture.cluster(&["a.txt", "b.txt"]);
    let file = fixture.file("file", "no folder");
    let request =
        |action, to: Option<PathBuf>, roots| ActionRequest { action, to, roots, containers: BTreeSet::new() };
    let roots = || vec![fixture.docs()];
    assert!(plan(&fixture.report(), &request(Action::Move, None, roots())).is_err());
    assert!(plan(&fixture.report(), &request(Action::Link, Some(fixture.aside.clone()), roots())).is_err());
    assert!(plan(&fixture.report(), &request(Action::Move, Some(file), roots())).is_err());
    assert!(
        plan(&fixture.report(), &request(Action::Move, Some(fixture.aside.join("../x")), roots())).is_err()
    );
    assert!(
        plan(&fixture.report(), &request(Action::Move, Some(fixture.aside.clone()), Vec::new())).is_err()
    );
}

#[test]
fn a_read_only_folder_is_passed_over() {
    if rustix::process::getuid().is_root() {
        return;
    }
    let mut fixture = Fixture::new();
    fixture.cluster(&["a.txt", "locked/b.txt", "c.txt"]);
    std::fs::set_permissions(fixture.path("locked"), PermissionsExt::from_mode(0o555)).unwrap();
    let plans: Vec<ActionPlan> =
        [Action::Move, Action::Link, Action::Trash].map(|action| fixture.plan(action)).into();
    std::fs::set_permissions(fixture.path("locked"), PermissionsExt::from_mode(0o755)).unwrap();
    for plan in plans {
        assert!(reason(&plan.passed_over, "b.txt").contains("cannot be changed"));
        assert_eq!(plan.steps.len(), 1);
    }
}
