//! `lookalike scan` as a person uses it.

use std::fs;

use serde_json::Value;

use crate::support::Place;

/// A text of many words that no other seed shares.
fn essay(seed: u64) -> String {
    let words = (0..120).map(|place| format!("w{}", (seed * 7919 + place * place * 31) % 5000));
    words.collect::<Vec<_>>().chunks(12).map(|line| line.join(" ") + ".\n").collect()
}

fn place(files: &[(&str, &[u8])]) -> Place {
    let place = Place::new();
    for (name, bytes) in files {
        let path = place.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
    place
}

fn scan(place: &Place, arguments: &str) -> Value {
    let run = place.run(&format!("scan {arguments} --json --cache cache")).ok();
    serde_json::from_str(&run.out).unwrap()
}

/// The members of each cluster, by name.
fn clusters(report: &Value) -> Vec<Vec<String>> {
    let members = |cluster: &Value| {
        let ids = cluster["members"].as_array().unwrap().iter();
        let mut ids: Vec<String> = ids.map(|member| member["id"].as_str().unwrap().to_owned()).collect();
        ids.sort();
        ids
    };
    report["clusters"].as_array().unwrap().iter().map(members).collect()
}

fn reason(report: &Value, path: &str) -> String {
    let unreadable = report["unreadable"].as_array().unwrap();
    let found = unreadable.iter().find(|entry| entry["path"] == path);
    found.unwrap_or_else(|| panic!("{path} in {unreadable:?}"))["reason"].as_str().unwrap().to_owned()
}

fn html(body: &str) -> String {
    let paragraphs: String = body.lines().map(|line| format!("<p>{line}</p>\n")).collect();
    format!(
        "<!doctype html><html><head><title>An essay</title></head><body><article>{paragraphs}</article></body></html>"
    )
}

fn mail(body: &str) -> String {
    format!(
        "From: a@example.org\nTo: b@example.org\nSubject: essay\nDate: Mon, 5 Feb 2024 10:00:00 +0100\n\n{body}"
    )
}

#[test]
fn the_same_text_in_several_formats_is_one_cluster() {
    let text = essay(1);
    let files = [
        ("docs/essay.txt", text.clone()),
        ("docs/essay.md", format!("# An essay\n\n{}", text.replace('\n', "\n\n"))),
        ("docs/web/essay.html", html(&text)),
        ("docs/letter", mail(&text)),
        ("docs/other.txt", essay(2)),
    ];
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, text)| (*name, text.as_bytes())).collect();
    let place = place(&files);
    let report = scan(&place, "docs");
    assert_eq!((&report["files"], &report["read"], &report["documents"]), (&5.into(), &5.into(), &5.into()));
    assert_eq!(
        clusters(&report),
        [["docs/essay.md", "docs/essay.txt", "docs/letter", "docs/web/essay.html"]]
    );
    let cluster = &report["clusters"][0];
    assert_eq!(cluster["master"], "docs/essay.md", "the longest");
    assert!(cluster["kept_because"].as_str().unwrap().contains("longest"), "{cluster}");
    for member in cluster["members"].as_array().unwrap() {
        assert!(member["streams"]["text"].as_f64().unwrap() >= 0.8, "{member}");
        assert!(member["similarity"].as_f64().unwrap() >= cluster["weakest"].as_f64().unwrap());
    }
    let by_type = scan(&place, "docs --by-type");
    assert_eq!(clusters(&by_type), [["docs/essay.md", "docs/essay.txt"]], "text and Markdown are one type");
}

#[test]
fn nothing_is_left_unaccounted_for_and_too_little_text_matches_nothing() {
    let noise: Vec<u8> = (0..4000u32).map(|place| (place.wrapping_mul(2_654_435_761) >> 21) as u8).collect();
    let place = place(&[
        ("d/empty.txt", b""),
        ("d/noise.bin", &noise),
        ("d/cut.docx", b"PK\x03\x04 and then nothing that a zip would have"),
        ("d/one.txt", b"hello"),
        ("d/two.txt", b"hello!"),
        ("d/same-1.txt", b"tiny"),
        ("d/same-2.txt", b"tiny"),
    ]);
    let report = scan(&place, "d");
    let (files, read) = (report["files"].as_u64().unwrap(), report["read"].as_u64().unwrap());
    assert_eq!((files, read), (7, 4));
    assert_eq!(report["unreadable"].as_array().unwrap().len(), 3);
    assert!(reason(&report, "d/empty.txt").contains("no text"));
    assert!(reason(&report, "d/noise.bin").contains("not a document"));
    assert!(reason(&report, "d/cut.docx").contains("damaged"));
    assert_eq!(clusters(&report), [["d/same-1.txt", "d/same-2.txt"]], "the same bytes are the same");
    assert_eq!(report["clusters"][0]["members"][1]["same"], "file");
}

#[test]
fn check_tells_scripts() {
    let twice = essay(3);
    let place =
        place(&[("d/a.txt", twice.as_bytes()), ("d/b.txt", twice.as_bytes()), ("e/a.txt", twice.as_bytes())]);
    let found = place.run("scan d --check --no-cache");
    assert_eq!(found.code, Some(1), "{}", found.err);
    assert_eq!(place.run("scan e --check --no-cache").code, Some(0));
    let missing = place.run("scan none --no-cache");
    assert_eq!(missing.code, Some(2));
    assert!(missing.error().contains("none"));
}

#[test]
fn the_second_scan_reads_only_what_changed() {
    let (one, two) = (essay(4), essay(5));
    let place =
        place(&[("d/a.txt", one.as_bytes()), ("d/b.txt", one.as_bytes()), ("d/c.txt", two.as_bytes())]);
    let first = scan(&place, "d");
    assert_eq!((first["from_cache"].as_u64(), clusters(&first).len()), (Some(0), 1));
    let second = scan(&place, "d");
    assert_eq!(second["from_cache"], 3);
    assert_eq!(second["clusters"], first["clusters"]);
    fs::write(place.path("d/c.txt"), format!("{one}and some more words at the end")).unwrap();
    fs::remove_file(place.path("d/b.txt")).unwrap();
    let third = scan(&place, "d");
    assert_eq!((third["from_cache"].as_u64(), third["files"].as_u64()), (Some(1), Some(2)));
    assert_eq!(clusters(&third), [["d/a.txt", "d/c.txt"]]);
    let other = scan(&place, "d --threshold 0.99");
    assert_eq!(
        (other["from_cache"].as_u64(), clusters(&other).len()),
        (Some(2), 0),
        "another question, no reading"
    );
}

#[test]
fn hidden_and_ignored_files_are_left_alone_unless_asked_for() {
    let text = essay(6);
    let place = place(&[
        ("d/a.txt", text.as_bytes()),
        ("d/.hidden.txt", text.as_bytes()),
        ("d/.ignore", b"*.bak\n"),
        ("d/a.bak", text.as_bytes()),
    ]);
    assert_eq!(clusters(&scan(&place, "d")).len(), 0);
    assert_eq!(clusters(&scan(&place, "d --hidden")), [["d/.hidden.txt", "d/a.txt"]]);
    assert_eq!(clusters(&scan(&place, "d --no-ignore")), [["d/a.bak", "d/a.txt"]]);
}

#[test]
fn a_scan_changes_no_file() {
    let text = essay(7);
    let place = place(&[("d/a.txt", text.as_bytes()), ("d/b.txt", text.as_bytes())]);
    scan(&place, "d");
    assert_eq!(place.names("d"), ["a.txt", "b.txt"]);
    assert_eq!(place.names("."), ["cache", "d"]);
}

/// A gray picture of 64 × 64 whose pixels a function gives, as PNG.
fn png(pixel: impl Fn(u32, u32) -> u8) -> Vec<u8> {
    use std::io::Write;
    let mut rows = Vec::new();
    for y in 0..64 {
        rows.push(0);
        rows.extend((0..64).map(|x| pixel(x, y)));
    }
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&rows).unwrap();
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut chunk = |name: &[u8; 4], data: &[u8]| {
        bytes.extend((data.len() as u32).to_be_bytes());
        let mut sum = flate2::Crc::new();
        sum.update(name);
        sum.update(data);
        bytes.extend(name);
        bytes.extend(data);
        bytes.extend(sum.sum().to_be_bytes());
    };
    chunk(b"IHDR", &[0, 0, 0, 64, 0, 0, 0, 64, 8, 0, 0, 0, 0]);
    chunk(b"IDAT", &packed.finish().unwrap());
    chunk(b"IEND", &[]);
    bytes
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let bits =
            three.iter().fold(0u32, |bits, &byte| bits << 8 | u32::from(byte)) << (8 * (3 - three.len()));
        let letter = |place: usize| char::from(LETTERS[(bits >> (18 - 6 * place)) as usize & 63]);
        (0..4).for_each(|place| text.push(if place <= three.len() { letter(place) } else { '=' }));
    }
    text
}

#[test]
fn images_decide_where_there_is_little_text() {
    let rings = |x: u32, y: u32| ((x.abs_diff(20).pow(2) + y.abs_diff(30).pow(2)) / 9) as u8;
    let first = png(rings);
    let lighter = png(|x, y| rings(x, y) / 2 * 2 + 1);
    let other = png(|x, y| (x * 5 + (y / 8) * 40) as u8);
    let page = |image: &[u8], words: &str| {
        format!(
            "<html><body><p>{words}</p><img src=\"data:image/png;base64,{}\"></body></html>",
            base64(image)
        )
    };
    let files = [
        ("d/a.png", first.clone()),
        ("d/b.png", lighter),
        ("d/c.png", other.clone()),
        ("d/page-1.html", page(&first, "Our new picture").into_bytes()),
        ("d/page-2.html", page(&first, "Our new picture today").into_bytes()),
        ("d/page-3.html", page(&first, "Tickets for Sunday").into_bytes()),
        ("d/page-4.html", page(&other, "Our new picture").into_bytes()),
    ];
    let files: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (*name, &bytes[..])).collect();
    let report = scan(&place(&files), "d --by-type");
    assert_eq!(clusters(&report), [["d/a.png", "d/b.png"], ["d/page-1.html", "d/page-2.html"]]);
    for cluster in report["clusters"].as_array().unwrap() {
        assert_eq!(cluster["members"][1]["found_by"], serde_json::json!(["images"]));
        assert_eq!(cluster["members"][1]["streams"]["images"], 1.0);
    }
}

/// A PDF that opens with a password only.
fn locked_pdf() -> Vec<u8> {
    let key = "5a".repeat(32);
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]/Contents 4 0 R>>".to_owned(),
        "<</Length 9>>\nstream\nabcdefghi\nendstream".to_owned(),
        format!("<</Filter/Standard/V 1/R 2/P -44/O<{key}>/U<{key}>>>"),
    ];
    let mut file = "%PDF-1.4\n".to_owned();
    let mut places = "0000000000 65535 f \n".to_owned();
    for (object, number) in objects.iter().zip(1..) {
        places += &format!("{:010} 00000 n \n", file.len());
        file += &format!("{number} 0 obj\n{object}\nendobj\n");
    }
    let start = file.len();
    file += &format!(
        "xref\n0 6\n{places}trailer\n<</Size 6/Root 1 0 R/Encrypt 5 0 R/ID[<00><00>]>>\nstartxref\n{start}\n%%EOF\n"
    );
    file.into_bytes()
}

#[test]
fn bombs_and_locked_files_are_reported_and_never_matched() {
    let zeros = crate::support::gzip(&vec![b'0'; 48 << 20]);
    let locked = &locked_pdf();
    let place = place(&[("d/bomb.gz", &zeros), ("d/a.pdf", locked), ("d/b.pdf", locked)]);
    let report = scan(&place, "d");
    assert!(reason(&report, "d/bomb.gz").contains("times its size"), "{report}");
    for name in ["d/a.pdf", "d/b.pdf"] {
        assert_eq!(reason(&report, name), "encrypted, not compared");
    }
    assert_eq!((report["read"].as_u64(), clusters(&report).len()), (Some(0), 0));
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
fn tables_pages_and_sheets_show_the_same() {
    let text = essay(12);
    let place = place(&[("d/a<b>.txt", text.as_bytes()), ("d/=b.txt", text.as_bytes())]);
    let table = place.run("scan d --no-cache").ok();
    assert!(table.out.contains("d/a<b>.txt") && table.out.contains("2 documents"), "{}", table.out);
    let csv = place.run("scan d --no-cache --csv").ok();
    assert_eq!(csv.out.lines().count(), 3, "{}", csv.out);
    place.run("scan d --no-cache --html page.html -q").ok();
    let page = place.text("page.html");
    assert!(page.contains("a&lt;b&gt;.txt") && !page.contains("a<b>.txt"));
}

#[test]
fn a_folder_of_documents_is_a_corpus() {
    let text = essay(13);
    let page = html(&text);
    let place = place(&[("d/a.txt", text.as_bytes()), ("d/b.html", page.as_bytes()), ("d/c.bin", &[0; 64])]);
    let report = place.run("dedup d -o out --json -q").ok().json();
    assert_eq!(
        (report["documents"].as_u64(), report["removed"].as_u64(), report["rejected"].as_u64()),
        (Some(2), Some(1), Some(1))
    );
    let kept = place.lines("out/kept.jsonl");
    assert_eq!(kept.len(), 1);
    assert!(["text", "html"].contains(&kept[0]["type"].as_str().unwrap()), "{}", kept[0]);
    assert_eq!(place.lines("out/rejected.jsonl")[0]["file"], "d/c.bin");
    assert!(
        place.names("out").iter().all(|name| !name.starts_with(".lookalike")),
        "{:?}",
        place.names("out")
    );
    let compared = place.run("compare d/a.txt d/b.html --method minhash --json").ok().json();
    assert_ne!(compared["methods"][0]["verdict"], "different");
    place.run("lexicon build d -o words.lexicon -q").ok();
}

/// The same time for all, or one that is later by so many seconds.
fn touch(place: &Place, name: &str, seconds: u64) {
    let time = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_700_000_000 + seconds);
    fs::File::options().write(true).open(place.path(name)).unwrap().set_modified(time).unwrap();
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
    // What is one file already frees its bytes once.
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
fn two_saves_of_a_page_are_not_told_to_be_the_same_text() {
    let page = |body: &str| {
        format!(
            "<!doctype html><html><head><title>Front page</title><link rel=\"canonical\" href=\"https://example.org/\">\
             </head><body><header><nav><ul><li>Home</li><li>News</li></ul></nav></header><main><article>{}</article></main>\
             <footer><p>About</p></footer></body></html>",
            body.lines().map(|line| format!("<p>{line}</p>\n")).collect::<String>()
        )
    };
    let (monday, tuesday) = (page(&essay(22)), page(&essay(23)));
    let place = place(&[("d/monday.html", monday.as_bytes()), ("d/tuesday.html", tuesday.as_bytes())]);
    let report = scan(&place, "d");
    let member = &report["clusters"][0]["members"][1];
    assert_eq!(member["found_by"], serde_json::json!(["page"]));
    let text = member["streams"]["text"].as_f64().unwrap();
    assert!(text < 0.3, "{member}");
    assert_eq!(member["similarity"].as_f64(), Some(text));
    assert_eq!(report["clusters"][0]["weakest"].as_f64(), Some(text));
    assert_eq!(report["duplicate_bytes"], 0, "no action touches it");
    let table = place.run("scan d --no-cache").ok().out;
    assert!(table.contains("  dup   page  ") && !table.contains("1.00  "), "{table}");
    assert!(
        table.contains("page 1.00") || table.contains("page >0.99") || table.contains("page 0."),
        "{table}"
    );
    let csv = place.run("scan d --no-cache --csv").ok().out;
    assert!(csv.lines().nth(2).unwrap().contains(",page,"), "{csv}");
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

#[test]
fn a_crowd_of_short_texts_is_named_everywhere() {
    let banner = "We use cookies to improve this site and to show what you may like";
    let names: Vec<String> = (0..6).map(|number| format!("d/site-{number}/page.txt")).collect();
    let texts: Vec<String> = (0..6).map(|number| format!("{banner}{}", ".".repeat(number + 1))).collect();
    let mut files: Vec<(&str, &[u8])> =
        names.iter().zip(&texts).map(|(name, text)| (name.as_str(), text.as_bytes())).collect();
    let long = essay(24);
    files.extend([("d/long-1.txt", long.as_bytes()), ("d/long-2.txt", long.as_bytes())]);
    let place = place(&files);
    let report = scan(&place, "d");
    let of = |place: usize| report["clusters"][place]["warnings"].as_array().cloned().unwrap_or_default();
    assert_eq!(of(0), Vec::<Value>::new(), "{report}");
    assert_eq!(of(1), ["short texts: the same few words, 14 at most, in 6 sources"]);
    let told = report["warnings"][0].as_str().unwrap();
    assert!(
        told.starts_with("short texts, the same few words in many sources: cluster 2 has 6 documents"),
        "{told}"
    );
    let again = place.run("scan d --cache cache --html page.html").ok();
    assert!(again.out.contains("  look  short texts: the same few words"), "{}", again.out);
    assert!(again.out.contains(told), "{}", again.out);
    let page = place.text("page.html");
    assert!(page.contains("class=\"look\"") && page.contains("in many sources: cluster 2"));
    assert!(place.run("scan d --cache cache --csv").ok().out.contains("short texts: the same few words"));
    // The same texts as a corpus.
    let line = |(name, text): (&String, &String)| {
        serde_json::json!({ "id": name, "text": text, "source": name }).to_string() + "\n"
    };
    let corpus: String = names.iter().zip(&texts).map(line).collect();
    place.write("corpus.jsonl", &corpus);
    let run = place.run("dedup corpus.jsonl -o out").ok();
    assert!(
        run.err.contains("short texts, the same few words in many sources: cluster 1 has 6 documents"),
        "{}",
        run.err
    );
    assert!(place.text("out/report.json").contains("short texts"));
    assert!(place.text("out/report.html").contains("short texts"));
}
