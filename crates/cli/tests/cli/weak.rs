//! Documents of which too little could be read: they are found and shown, but never matched by
//! their text and never acted on.

use std::fs;

use serde_json::Value;

use crate::support::Place;

/// An article of its own in many sentences.
fn article(seed: usize) -> String {
    let sentence = |place: usize| {
        let word = |n: usize| format!("word{}", (seed * 7919 + place * 131 + n * n * 17) % 9000);
        let words: Vec<String> = (0..14).map(word).collect();
        format!("<p>The {} met, and {}.</p>", words[0], words[1..].join(" "))
    };
    (0..12).map(sentence).collect()
}

/// A page whose article is inserted by a script that did not run.
fn unread(title: &str, address: &str) -> String {
    format!(
        "<!doctype html><html><head><title>{title}</title><link rel=canonical href='{address}'></head><body>\
         <nav><a href=/>Home</a> <a href=/news>News</a></nav><div id=root></div>\
         <div><p>This site uses cookies to remember what you read here. By going on you accept our cookie \
         policy, which tells what is kept and for how long, and who else may look at it.</p></div></body></html>"
    )
}

fn place(files: &[(&str, String)]) -> Place {
    let place = Place::new();
    fs::create_dir(place.path("pages")).unwrap();
    files.iter().for_each(|(name, text)| place.write(&format!("pages/{name}"), text));
    place
}

fn banners() -> Place {
    let first = unread("A bridge is rebuilt after twenty years", "http://daily.example/bridge");
    place(&[
        ("a.html", first.clone()),
        ("b.html", unread("Schools closed because of heavy snow", "http://daily.example/snow")),
        ("c.html", unread("Museum shows paintings never seen before", "http://daily.example/art")),
        ("copy.html", first),
    ])
}

fn names(list: &Value, field: &str) -> Vec<String> {
    let entries = list.as_array().unwrap().iter();
    entries.map(|entry| entry[field].as_str().unwrap().replace("pages/", "")).collect()
}

#[test]
fn scan_counts_and_names_them_and_matches_only_their_bytes() {
    let place = banners();
    let report: Value = serde_json::from_str(&place.run("scan pages --json --no-cache").ok().out).unwrap();
    assert_eq!(names(&report["weak"], "path"), ["a.html", "b.html", "c.html", "copy.html"]);
    assert!(report["weak"][0]["reason"].as_str().unwrap().contains("consent"), "{}", report["weak"]);
    let clusters = report["clusters"].as_array().unwrap();
    assert_eq!(clusters.len(), 1, "{clusters:?}");
    let mut members = names(&clusters[0]["members"], "id");
    members.sort();
    assert_eq!(members, ["a.html", "copy.html"]);
    let copy = clusters[0]["members"].as_array().unwrap().iter().find(|member| member["same"] == "file");
    assert!(copy.unwrap()["weak"].is_string());

    let table = place.run("scan pages --no-cache").ok().out;
    assert!(table.contains("4 documents of which too little could be read"), "{table}");
    assert!(table.contains("4 with a weak text"), "{table}");
    let csv = place.run("scan pages --csv --no-cache").ok().out;
    assert_eq!(csv.lines().filter(|line| line.contains("consent")).count(), 4, "{csv}");
    place.run("scan pages --html page.html --no-cache").ok();
    assert!(place.text("page.html").contains("Weak texts"));
}

#[test]
fn nothing_is_done_to_them_unless_they_are_the_same_file() {
    // Two saves of one page: address and title show it, but neither has its content.
    let address = "http://daily.example/bridge";
    let title = "A bridge is rebuilt after twenty years";
    let place = place(&[
        ("1.html", unread(title, address)),
        ("2.html", unread(title, address).replace("Home", "Start")),
        ("3.html", unread(title, address)),
    ]);
    let report: Value = serde_json::from_str(&place.run("scan pages --json --no-cache").ok().out).unwrap();
    assert_eq!(report["clusters"][0]["size"], 3, "{}", report["clusters"]);
    let listed = place.run("scan pages --apply list --no-cache --quiet").ok().out;
    let acted: Vec<&str> = listed.lines().filter(|line| line.ends_with(".html")).collect();
    assert!(acted.iter().all(|line| !line.ends_with("2.html")), "{listed}");
}

#[test]
fn dedup_keeps_them_and_report_names_them() {
    let place = banners();
    place.run("dedup pages -o out --quiet").ok();
    let report = place.json("out/report.json");
    assert_eq!((&report["removed"], &report["empty"]), (&0.into(), &4.into()));
    assert_eq!(names(&report["weak"], "id"), ["a.html", "b.html", "c.html", "copy.html"]);
    let kept = place.lines("out/kept.jsonl");
    assert_eq!(kept.len(), 4);
    assert_eq!(kept[0]["text"], "");
    assert!(kept[0]["weak_text"].as_str().unwrap().contains("uses cookies") && kept[0]["weak"].is_string());
}

#[test]
fn compare_and_an_index_call_none_a_duplicate() {
    let place = banners();
    let compared = place.run("compare pages/a.html pages/b.html --json").ok();
    let compared: Value = serde_json::from_str(&compared.out).unwrap();
    assert!(compared["a"]["weak"].is_string() && compared["b"]["weak"].is_string());
    let methods = compared["methods"].as_array().unwrap();
    assert!(methods.iter().all(|method| method["verdict"] == "weak"), "{methods:?}");
    place.run("index create known").ok();
    place.run("index add known pages --quiet").ok();
    let checked = place.run("index check known pages --json --quiet").out;
    assert!(!checked.contains("duplicate\""), "{checked}");
}

/// Content behind the banner is read if it is in the page at all.
#[test]
fn pages_behind_a_banner_are_told_apart_and_copies_found() {
    let page = |seed: usize, save: usize| {
        format!(
            "<!doctype html><html><head><title>The word{} met</title></head><body>\
             <div class=notice><p>Welcome, reader {save}. We tell you the news, and we need your support to go on.</p></div>\
             <div id=content hidden><article><h1>The word{} met</h1>{}</article></div></body></html>",
            seed * 7919 % 9000,
            seed * 7919 % 9000,
            article(seed)
        )
    };
    let place = place(&[
        ("a-1.html", page(1, 1)),
        ("a-2.html", page(1, 2)),
        ("b.html", page(2, 1)),
        ("c.html", page(3, 1)),
    ]);
    let report: Value = serde_json::from_str(&place.run("scan pages --json --no-cache").ok().out).unwrap();
    assert_eq!(report["weak"], serde_json::json!([]));
    assert_eq!(report["clusters"].as_array().unwrap().len(), 1, "{}", report["clusters"]);
    assert_eq!(report["clusters"][0]["size"], 2);
}

/// Each has the same text as the others, and no single page shows that it is a banner.
#[test]
fn what_many_pages_of_a_site_say_makes_no_pair() {
    let page = |number: usize| {
        let title = ["One", "Two", "Three", "Four", "Five", "Six", "Seven"][number];
        format!(
            "<!doctype html><html><head><title>{title}</title>\
             <link rel=canonical href='http://daily.example/{title}'></head><body>\
             <p>We bring you the news of the valley, every day but Sunday, by people who live here.</p></body></html>"
        )
    };
    let pages: Vec<(String, String)> =
        (0..7).map(|number| (format!("{number}.html"), page(number))).collect();
    let pages: Vec<(&str, String)> = pages.iter().map(|(name, text)| (name.as_str(), text.clone())).collect();
    let place = place(&pages);
    let report: Value = serde_json::from_str(&place.run("scan pages --json --no-cache").ok().out).unwrap();
    assert_eq!(report["clusters"], serde_json::json!([]));
    assert_eq!(report["weak"].as_array().unwrap().len(), 7);
}

/// An archive's own address in front of a page's must not turn one page into two.
#[test]
fn saves_of_one_page_from_an_archive_are_one_cluster() {
    let save = |time: &str, title: &str, seed: usize| {
        // The story continued: half of it is new.
        let text = article(5).split_inclusive("</p>").take(6).collect::<String>() + &article(seed);
        format!(
            "<!doctype html><html><head><title>{title}</title>\
             <link rel=canonical href='http://archive.example/web/{time}/http://daily.example/2016/storm'></head>\
             <body class=story><div class=page><header class=top><a href=/>Daily</a></header>\
             <article class=main><h1>{title}</h1>{text}</article></div></body></html>"
        )
    };
    let place = place(&[
        ("1.html", save("20161224000000", "Storm hits the coast", 6)),
        ("2.html", save("20161225000000", "Clean-up begins after the storm", 7)),
    ]);
    let report: Value = serde_json::from_str(&place.run("scan pages --json --no-cache").ok().out).unwrap();
    assert_eq!(report["clusters"][0]["size"], 2, "{report}");
    assert_eq!(report["clusters"][0]["members"][1]["found_by"], serde_json::json!(["page"]));
}
