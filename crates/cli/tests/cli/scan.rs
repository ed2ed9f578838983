//! What `lookalike scan` finds and reports, as a person uses it.

use std::fs;

use serde_json::Value;

use crate::scanning::{base64, clusters, essay, html, locked_pdf, mail, place, png, reason, scan};

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
