//! Which duplicate `lookalike scan` keeps, and what it does with the others.

use std::fs;

use crate::scanning::{clusters, essay, html, mail, place, png, scan, touch};

#[test]
fn a_scan_changes_no_file() {
    let text = essay(7);
    let place = place(&[("d/a.txt", text.as_bytes()), ("d/b.txt", text.as_bytes())]);
    scan(&place, "d");
    assert_eq!(place.names("d"), ["a.txt", "b.txt"]);
    assert_eq!(place.names("."), ["cache", "d"]);
}

#[test]
fn documents_in_archives_are_compared_but_archives_are_never_touched() {
    let (text, other) = (essay(8), essay(9));
    let mbox: String = [&text, &other]
        .map(|body| format!("From a@example.org Mon Feb  5 10:00:00 2024\n{}\n", mail(body)))
        .concat();
    let place = place(&[("d/all.mbox", mbox.as_bytes()), ("d/letter.txt", text.as_bytes())]);
    let report = scan(&place, "d");
    assert_eq!((report["files"].as_u64(), report["documents"].as_u64()), (Some(2), Some(3)));
    let found = clusters(&report);
    assert_eq!(found.len(), 1, "{report}");
    assert!(found[0].iter().any(|id| id.starts_with("d/all.mbox#")), "{found:?}");
    place.run("scan d --no-cache --keep first --apply move --to away --undo-log undo.jsonl").ok();
    assert!(place.path("d/all.mbox").exists());
}

#[test]
fn duplicates_are_moved_and_come_back() {
    let text = essay(10);
    let place = place(&[
        ("d/a.txt", text.as_bytes()),
        ("d/b.txt", text.as_bytes()),
        ("d/c.txt", essay(11).as_bytes()),
    ]);
    let listed = place.run("scan d --no-cache --keep first --apply list").ok();
    assert_eq!(listed.out, "d/b.txt\n");
    let dry = place.run("scan d --no-cache --keep first --apply move --to away --dry-run").ok();
    assert!(dry.out.contains("d/b.txt") && dry.out.contains("Nothing was changed"), "{}", dry.out);
    assert_eq!(place.names("d"), ["a.txt", "b.txt", "c.txt"]);
    place.run("scan d --no-cache --keep first --apply move --to away --undo-log undo.jsonl").ok();
    assert_eq!(
        (place.names("d"), place.names("away")),
        (vec!["a.txt".into(), "c.txt".into()], vec!["b.txt".into()])
    );
    place.run("scan --undo undo.jsonl").ok();
    assert_eq!(place.names("d"), ["a.txt", "b.txt", "c.txt"]);
    assert_eq!(place.text("d/b.txt"), text);
    let linked = place.run("scan d --no-cache --keep first --apply link --undo-log links.jsonl").ok();
    assert!(linked.out.contains("1 file done"), "{}", linked.out);
    let inode = |name: &str| std::os::unix::fs::MetadataExt::ino(&fs::metadata(place.path(name)).unwrap());
    assert_eq!(inode("d/a.txt"), inode("d/b.txt"));
}

#[test]
fn copies_of_another_format_than_the_master_are_linked_among_themselves() {
    let text = essay(20);
    let page = html(&text);
    let place = place(&[
        ("d/long.txt", format!("{text}One more line at the end of it.\n").as_bytes()),
        ("d/b.html", page.as_bytes()),
        ("d/a.html", page.as_bytes()),
    ]);
    let report = scan(&place, "d");
    assert_eq!(report["clusters"][0]["master"], "d/long.txt");
    let freed = report["duplicate_bytes"].as_u64();
    assert_eq!(freed, Some(2 * page.len() as u64));
    let run = place.run("scan d --cache cache --apply link --undo-log undo.jsonl").ok();
    assert!(run.out.contains("1 file done"), "{}{}", run.out, run.err);
    assert!(run.err.contains("d/a.html: stays, for its copies to be linked to"), "{}", run.err);
    let inode = |name: &str| std::os::unix::fs::MetadataExt::ino(&fs::metadata(place.path(name)).unwrap());
    assert_eq!(inode("d/a.html"), inode("d/b.html"));
    assert_ne!(inode("d/a.html"), inode("d/long.txt"));
    // Names of one file free its bytes only once.
    assert_eq!(scan(&place, "d")["duplicate_bytes"].as_u64(), Some(page.len() as u64));
    place.run("scan --undo undo.jsonl").ok();
    assert_ne!(inode("d/a.html"), inode("d/b.html"));
}

#[test]
fn the_rule_that_decided_and_the_date_it_used_are_told() {
    let text = essay(21);
    let place = place(&[
        ("d/a.txt", text.as_bytes()),
        ("d/b.txt", text.as_bytes()),
        ("m/first", mail(&text).as_bytes()),
        ("m/second", mail(&text).replace("5 Feb 2024", "6 Feb 2024").as_bytes()),
    ]);
    for (name, seconds) in [("d/a.txt", 0), ("d/b.txt", 0), ("m/first", 9), ("m/second", 0)] {
        touch(&place, name, seconds);
    }
    let kept = |arguments: &str| {
        let cluster = &scan(&place, arguments)["clusters"][0];
        let text = |key: &str| cluster[key].as_str().unwrap().to_owned();
        (text("master"), text("kept_by"), text("kept_because"))
    };
    let tied = kept("d");
    assert_eq!((tied.0.as_str(), tied.1.as_str()), ("d/a.txt", "id"));
    assert!(tied.2.starts_with("first by name, as no rule"), "{}", tied.2);
    for rules in ["max:score", "shortest-url", "newest", "source:x>y", "longest,max:score"] {
        let (_, rule, _) = kept(&format!("d --keep {rules}"));
        assert_eq!(rule, "id", "no document tells by {rules}");
    }
    assert_eq!(kept("d --keep first").2, "the first");
    touch(&place, "d/b.txt", 60);
    let newest = kept("d");
    assert_eq!((newest.0.as_str(), newest.1.as_str()), ("d/b.txt", "newest"));
    assert_eq!(newest.2, "the newest, 2023-11-14T22:14:20Z by the date of the file");
    // The file that was changed last is not the message that was written last.
    let mails = kept("m");
    assert_eq!(mails.0, "m/second");
    assert_eq!(mails.2, "the newest, 2024-02-06 by the date of the document");
    let table = place.run("scan m --no-cache").ok().out;
    assert!(table.contains("  2024-02-06 doc   m/second\n"), "{table}");
    assert!(place.run("scan d --no-cache").ok().out.contains("  2023-11-14 file  d/a.txt\n"));
}

#[test]
fn of_two_pictures_the_better_one_stays_not_the_newer() {
    let rings = |x: u32, y: u32| ((x.abs_diff(20).pow(2) + y.abs_diff(30).pow(2)) / 9) as u8;
    let better = png(rings);
    // The same picture with fewer shades: as many pixels, fewer bytes.
    let worse = png(|x, y| rings(x, y) / 16 * 16);
    assert!(worse.len() < better.len());
    let place = place(&[("d/better.png", &better), ("d/worse.png", &worse)]);
    touch(&place, "d/better.png", 0);
    touch(&place, "d/worse.png", 5);
    let report = scan(&place, "d");
    let cluster = &report["clusters"][0];
    assert_eq!(
        (&cluster["master"], &cluster["kept_by"]),
        (&"d/better.png".into(), &"max:picture_bytes".into())
    );
    assert_eq!(scan(&place, "d --keep newest")["clusters"][0]["master"], "d/worse.png", "as asked for");
    let table = place.run("scan d --no-cache").ok().out;
    assert!(table.contains("  dup   images "), "{table}");
}

#[test]
fn tiny_files_of_the_same_bytes_are_one_cluster_whichever_is_kept() {
    let place =
        place(&[("d/a.txt", b"tiny"), ("d/b.txt", b"tiny"), ("d/c.txt", b"tiny"), ("d/d.txt", b"tiny")]);
    ["a", "b", "c", "d"].iter().for_each(|name| touch(&place, &format!("d/{name}.txt"), 0));
    touch(&place, "d/c.txt", 60);
    let report = scan(&place, "d");
    assert_eq!(clusters(&report), [["d/a.txt", "d/b.txt", "d/c.txt", "d/d.txt"]]);
    assert_eq!(report["clusters"][0]["master"], "d/c.txt");
}
