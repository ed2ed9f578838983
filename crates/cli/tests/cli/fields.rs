//! Fields beside the text: lists, nested values, what links say; and titles and headings where markup counts.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::serving::Serving;
use super::support::Place;

const TEXT: &str = "the harbour council met on monday and after a long debate about the winter market it agreed to rebuild \
    the old bridge over the river before the first ships of the new year arrive";

/// Documents of one text: `a` and `b` have the same values, and so have `c` and `d`, however these are written.
fn documents() -> Vec<Value> {
    let ann = json!({ "by": { "name": "Ann" }, "year": 1999 });
    vec![
        json!({ "id": "a", "text": TEXT, "tags": ["red", "green"], "about": ann }),
        json!({ "id": "b", "text": TEXT, "tags": ["green", "red", "red", null], "about": ann }),
        json!({ "id": "c", "text": TEXT, "tags": ["red"], "about": ann }),
        json!({ "id": "d", "text": TEXT, "tags": "red", "about": { "year": "1999", "by": [{ "name": "Ann" }] } }),
        json!({ "id": "e", "text": TEXT, "tags": ["red", "green"], "about": { "by": { "name": "Bob" }, "year": 1999 } }),
        json!({ "id": "f", "text": TEXT, "about": ann }),
    ]
}

type Pairs = BTreeSet<(String, String)>;

fn pair(a: &Value, b: &Value) -> (String, String) {
    let [a, b] = [a, b].map(|id| id.as_str().unwrap().to_owned());
    (a.clone().min(b.clone()), a.max(b))
}

/// Every value of a field counts, in a batch run, in an index and over HTTP. A field that differs turns some of sixteen bits.
#[test]
fn each_value_of_lists_and_objects_counts_everywhere() {
    let lines: Vec<String> = documents().iter().map(Value::to_string).collect();
    let place = Place::with_corpus(&lines);
    let expected: Pairs = [pair(&json!("a"), &json!("b")), pair(&json!("c"), &json!("d"))].into();
    for metadata in ["['tags', 'about']", "['tags', 'about.by.name', 'about.year']"] {
        place.write(
            "recipe.toml",
            format!(
                "method = 'simhash'\n[features]\nmetadata = {metadata}\nmetadata_flips = 16\n[decide]\nverify = 'signature'\ndistance = 0"
            ),
        );
        let run = place.run("dedup corpus.jsonl -o out --force --recipe recipe.toml");
        run.ok();
        let batch: Pairs =
            place.lines("out/pairs.jsonl").iter().map(|found| pair(&found["a"], &found["b"])).collect();
        assert_eq!(batch, expected, "{metadata}");
        let _ = std::fs::remove_dir_all(place.path("index"));
        place.run("index create index --recipe recipe.toml").ok();
        place.run("index add index corpus.jsonl").ok();
        let data = place.path("data");
        let _ = std::fs::remove_dir_all(&data);
        let recipe = place.path("recipe.toml");
        let serving = Serving::service(&data, &["--recipe", recipe.to_str().unwrap()]);
        for line in &lines {
            let (status, told) = serving.post("/api/documents", "application/json", None, line.as_bytes());
            assert_eq!(status, 200, "{told}");
        }
        let (mut by_index, mut by_service) = (Pairs::new(), Pairs::new());
        for document in documents() {
            let line = document.to_string();
            let others = |answer: &Value| -> Pairs {
                let matches = answer["matches"].as_array().unwrap().iter();
                let others = matches.filter(|found| found["id"] != document["id"]);
                others.map(|found| pair(&found["id"], &document["id"])).collect()
            };
            place.write("one.jsonl", &line);
            let run = place.run("index check index one.jsonl --json");
            by_index.extend(others(&run.json()));
            let (_, answer) = serving.post("/api/check", "application/json", None, line.as_bytes());
            by_service.extend(others(&answer));
        }
        serving.end();
        assert_eq!((by_index, by_service), (expected.clone(), expected.clone()), "{metadata}");
    }
}

fn page(title: &str, heading: &str, number: usize, links: &str) -> String {
    let sentence = |part: usize| {
        format!(
            "<p>Paragraph {part} of page {number} tells, at some length, what matter {number}{part} is about, and why.</p>"
        )
    };
    let text: String = (0..4).map(sentence).collect();
    format!(
        "<html><head><title>{title}</title></head><body><article><h1>{heading}</h1>{text}<p>More of page {number} is said {links} and elsewhere, in other words.</p></article></body></html>"
    )
}

#[test]
fn titles_and_headings_count_where_markup_does() {
    let place = Place::new();
    place.write("page.html", page("Old bridges - Guide", "Rebuilding an old bridge", 1, "here"));
    let plain = place.run("extract page.html").out;
    assert!(plain.starts_with("Paragraph 0") && !plain.contains("Rebuilding"), "{plain}");
    let marked = place.run("extract page.html --set features.markup=html").out;
    let start = "<h1>Old bridges - Guide</h1>\n\n<h1>Rebuilding an old bridge</h1>\n\nParagraph 0";
    assert!(marked.starts_with(start), "{marked}");
    // As a recipe reads it: the heading parts pages of one text.
    place.write("recipe.toml", "method = 'simhash'\n[features]\nmarkup = 'html'");
    std::fs::create_dir(place.path("pages")).unwrap();
    place.write("pages/a.html", page("Same", "Rebuilding an old bridge", 1, "here"));
    place.run("dedup pages -o out --recipe recipe.toml").ok();
    let text = place.lines("out/kept.jsonl")[0]["text"].as_str().unwrap().to_owned();
    assert!(text.starts_with("<h1>Same</h1>\n\n<h1>Rebuilding an old bridge</h1>"), "{text}");
}

#[test]
fn what_links_say_of_a_page_is_its_field_if_a_recipe_asks() {
    let place = Place::new();
    std::fs::create_dir_all(place.path("site/deep")).unwrap();
    place.write("site/a.html", page("A", "A", 1, "<a href='deep/b.html#top'>all about  B</a>"));
    place.write("site/deep/b.html", page("B", "B", 2, "<a href='../a.html'>back to A</a>"));
    place.write("site/c.html", page("C", "C", 3, "<a href='deep/b.html'>B again</a>"));
    let anchors = |arguments: &str| -> Vec<(String, Value)> {
        place.run(&format!("dedup site -o out --force {arguments}")).ok();
        let name = |line: &Value| line["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        let mut found: Vec<(String, Value)> = place
            .lines("out/kept.jsonl")
            .iter()
            .filter(|line| !line["anchors"].is_null())
            .map(|line| (name(line), line["anchors"].clone()))
            .collect();
        found.sort_by(|a, b| a.0.cmp(&b.0));
        found
    };
    assert_eq!(anchors(""), [], "nobody asked");
    place.write("recipe.toml", "method = 'simhash'\n[features]\nmetadata = ['anchors']");
    let expected = [
        ("a.html".to_owned(), json!(["back to A"])),
        ("b.html".to_owned(), json!(["B again", "all about B"])),
    ];
    assert_eq!(anchors("--recipe recipe.toml"), expected);
}

/// A story in NITF with these classifiers.
fn story(classifiers: &[&str]) -> String {
    let classifiers: String =
        classifiers.iter().map(|one| format!("<classifier type='descriptor' value='{one}'/>")).collect();
    format!(
        "<?xml version='1.0'?><nitf><head><meta name='labels' content='secret'/><docdata><identified-content>{classifiers}\
         </identified-content></docdata></head><body><body.content><p>{TEXT}</p></body.content></body></nitf>"
    )
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let four = |three: &[u8]| -> String {
        let bits = three.iter().fold(0, |bits, &byte| bits << 8 | u32::from(byte)) << (8 * (3 - three.len()));
        let digit = |place: usize| match place <= three.len() {
            true => char::from(DIGITS[(bits >> (18 - 6 * place) & 63) as usize]),
            false => '=',
        };
        (0..4).map(digit).collect()
    };
    bytes.chunks(3).map(four).collect()
}

/// Metadata of files counts for the service as it does in a batch run, and cannot pose as the service's own.
#[test]
fn metadata_of_files_counts_for_the_service_too() {
    let place = Place::new();
    std::fs::create_dir(place.path("news")).unwrap();
    let stories = [
        ("a.xml", story(&["Arts", "Crafts"])),
        ("b.xml", story(&["Crafts", "Arts"])),
        ("c.xml", story(&["Sport"])),
    ];
    stories.iter().for_each(|(name, story)| place.write(&format!("news/{name}"), story));
    place.write(
        "recipe.toml",
        "method = 'simhash'\n[features]\nmetadata = ['classifier']\nmetadata_flips = 16\n[decide]\nverify = 'signature'\ndistance = 0",
    );
    place.run("dedup news -o out --recipe recipe.toml").ok();
    let pairs = place.lines("out/pairs.jsonl");
    assert_eq!(pairs.len(), 1, "{pairs:?}");
    let recipe = place.path("recipe.toml");
    let serving = Serving::service(&place.path("data"), &["--recipe", recipe.to_str().unwrap()]);
    let mut found = Vec::new();
    for (name, story) in &stories {
        let document = json!({ "id": name, "content": base64(story.as_bytes()) }).to_string();
        let (status, answer) = serving.post("/api/documents", "application/json", None, document.as_bytes());
        assert_eq!(status, 200, "{answer}");
        let (_, answer) = serving.post("/api/check", "application/json", None, document.as_bytes());
        let matches = answer["matches"].as_array().unwrap().iter();
        found.extend(
            matches.filter(|other| other["id"] != *name).map(|other| pair(&other["id"], &json!(name))),
        );
        let (_, stored) = serving.get(&format!("/api/documents/{name}"));
        assert!(!stored.to_string().contains("secret"), "{stored}");
    }
    serving.end();
    assert_eq!(found, [pair(&json!("a.xml"), &json!("b.xml"))]);
}
