//! What documents have beside their texts: images and links that contradict, and `--streams`.

use serde_json::{Value, json};

use super::scanning::{base64, png};
use super::serving::Serving;
use super::support::{Place, each, joined};

const TEXT: &str = "The harbour office counted the ships of the week again. In all they brought much grain to the \
                    western quay, which is about what the merchants of the town had hoped for when they met. Nobody \
                    expects that more will come before the summer, since the roads from the hills are still closed \
                    and the mills have no room to store what they cannot grind.";

fn page(id: &str, text: &str, links: &Value, images: &Value) -> String {
    json!({ "id": id, "text": text, "links": links, "images": images }).to_string()
}

fn links(site: &str) -> Value {
    json!([1, 2, 3, 4].map(|page| format!("https://{site}/{page}")))
}

fn images(first: u8) -> Value {
    json!([1, 2, 3].map(|place: u8| format!("{:016x}", u64::from_be_bytes([first * place; 8]))))
}

/// Two pages with the same text and other images and links, one with the same of both, and one that nothing is known of.
fn corpus() -> Vec<String> {
    vec![
        page("a", TEXT, &links("one.example"), &images(17)),
        page("b", TEXT, &links("two.example"), &images(40)),
        page("c", &TEXT.replace("much grain", "much corn"), &links("one.example"), &images(17)),
        json!({ "id": "d", "text": TEXT.replace("Nobody", "No one") }).to_string(),
    ]
}

#[test]
fn the_same_text_with_other_images_and_links_is_shown_as_such_in_every_output() {
    let place = Place::with_corpus(&corpus());
    let summary = place.run("dedup corpus.jsonl -o out --threshold 0.6 --keep first").ok().out;
    assert!(summary.contains("of the removed have other images than their keepers"), "{summary}");
    let removed = place.lines("out/removed.jsonl");
    assert_eq!(each(&removed, "id"), ["b", "c", "d"]);
    let apart = json!({ "images": 0.0, "links": 0.0, "contradict": ["images", "links"] });
    let same = json!({ "images": 1.0, "links": 1.0 });
    assert_eq!(each(&removed, "streams"), [apart.clone(), same.clone(), Value::Null]);
    assert_eq!(removed[0]["similarity"], 1.0, "an exact copy by its text");
    let pairs = place.lines("out/pairs.jsonl");
    let pair =
        |a: &str, b: &str| &pairs.iter().find(|pair| pair["a"] == a && pair["b"] == b).unwrap()["streams"];
    assert_eq!((pair("a", "b"), pair("a", "c")), (&apart, &same));
    assert!(pair("a", "d").is_null());
    let report = place.json("out/report.json");
    assert_eq!(report["contradictions"], json!({ "images": 1, "links": 1 }));
    assert!(place.text("out/report.html").contains("contradicting images, links"));

    let compared = place.run("compare corpus.jsonl#a corpus.jsonl#b --json").ok().json();
    assert_eq!(compared["streams"], apart);
    let shown = place.run("compare corpus.jsonl#a corpus.jsonl#b").ok().out;
    let told = "Beside the text they share: images 0.0000 (contradicting), links 0.0000 (contradicting).";
    assert!(shown.contains(told), "{shown}");

    place.run("index create seen --set decide.threshold=0.6").ok();
    place.run("index add seen corpus.jsonl").ok();
    place.write("asked.jsonl", page("x", TEXT, &links("two.example"), &images(17)) + "\n");
    let answer = place.run("index check seen asked.jsonl --json").out;
    let answer: Value = serde_json::from_str(answer.lines().next().unwrap()).unwrap();
    let told = |id: &str| {
        let matches = answer["matches"].as_array().unwrap();
        matches.iter().find(|one| one["id"] == id).unwrap()["streams"].clone()
    };
    assert_eq!(told("a"), json!({ "images": 1.0, "links": 0.0, "contradict": ["links"] }));
    assert_eq!(told("b"), json!({ "images": 0.0, "links": 1.0, "contradict": ["images"] }));
    assert_eq!(told("d"), Value::Null);
    let shown = place.run("index check seen asked.jsonl").ok().out;
    assert!(shown.contains("a 1.000 (other links)") && shown.contains("b 1.000 (other images)"), "{shown}");
}

#[test]
fn streams_keep_pages_apart_on_request() {
    let place = Place::with_corpus(&corpus());
    let removed = |out: &str, options: &str| {
        place.run(&format!("dedup corpus.jsonl -o {out} --threshold 0.6 --keep first {options}")).ok();
        each(&place.lines(&format!("{out}/removed.jsonl")), "id")
    };
    assert_eq!(removed("all", ""), ["b", "c", "d"]);
    assert_eq!(removed("images", "--streams images"), ["c", "d"]);
    assert_eq!(removed("both", "--streams links,images"), ["c", "d"]);
    place.write("recipe.toml", "[decide]\nstreams = ['links']\n");
    assert_eq!(removed("recipe", "--recipe recipe.toml"), ["c", "d"]);
    assert_eq!(place.json("recipe/report.json")["recipe"]["decide"]["streams"], json!(["links"]));
    let pairs = place.lines("recipe/pairs.jsonl");
    assert!(!pairs.iter().any(|pair| pair["a"] == "a" && pair["b"] == "b"), "no pair at all");
    let verdict = |other: &str| {
        let options = "--method minhash --streams links --json";
        let run = place.run(&format!("compare corpus.jsonl#a corpus.jsonl#{other} {options}"));
        run.ok().json()["methods"][0]["verdict"].clone()
    };
    assert_eq!((verdict("b"), verdict("c")), (json!("kept-apart"), json!("near-duplicate")));
    let error = place.run("dedup corpus.jsonl -o out --streams pictures").error();
    assert!(error.contains("pictures") && error.contains("images, links, metadata, structure"), "{error}");
    let error = place.run("dedup corpus.jsonl -o out --streams links --verify estimate").error();
    assert!(error.contains("decide.streams"), "{error}");
}

#[test]
fn streams_can_be_weighed_and_named_otherwise() {
    let lines: Vec<String> =
        corpus().into_iter().map(|line| line.replace("\"links\"", "\"targets\"")).collect();
    let place = Place::with_corpus(&lines);
    place.write(
        "recipe.toml",
        "[streams]\nlinks = 'targets'\n[decide]\ntype = 'weighted-streams'\nthreshold = 0.6\n\
         weights = { text = 0.7, links = 0.3 }\n[candidates]\ntype = 'join'\n",
    );
    place.run("dedup corpus.jsonl -o out --recipe recipe.toml --keep first").ok();
    let pairs = place.lines("out/pairs.jsonl");
    let pair = |a: &str, b: &str| pairs.iter().find(|pair| pair["a"] == a && pair["b"] == b).unwrap();
    assert_eq!(pair("a", "b")["similarity"], 0.7, "the text alone");
    assert_eq!(pair("a", "b")["streams"]["contradict"], json!(["images", "links"]));
    assert!(pair("a", "c")["similarity"].as_f64().unwrap() > pair("a", "d")["similarity"].as_f64().unwrap());
}

#[test]
fn tables_have_streams_in_their_cells() {
    let place = Place::new();
    let row = |id: &str, links: &str| format!("{id},\"{TEXT}\",\"{links}\"\n");
    let table = "id,text,links\n".to_owned()
        + &row("a", "/a /b /c")
        + &row("b", "['/d', '/e', '/f']")
        + &row("c", "[\"\"/c\"\", \"\"/b\"\", \"\"/a\"\"]");
    place.write("corpus.csv", table);
    place.run("dedup corpus.csv -o out --keep first").ok();
    let removed = place.lines("out/removed.jsonl");
    assert_eq!(removed[0]["streams"], json!({ "links": 0.0, "contradict": ["links"] }));
    assert_eq!(removed[1]["streams"], json!({ "links": 1.0 }));
}

#[test]
fn lists_that_are_none_cost_no_document() {
    let million: Vec<u32> = (0..1_000_000).collect();
    let odd = [json!(5), json!(true), json!(""), json!(["", null, {}]), json!({ "a": 1 }), json!(million)];
    let lines: Vec<String> =
        odd.iter().enumerate().map(|(place, odd)| page(&format!("d{place}"), TEXT, odd, odd)).collect();
    let place = Place::with_corpus(&lines);
    place.run("dedup corpus.jsonl -o out --streams images --keep first").ok();
    assert_eq!(place.json("out/report.json")["rejected"], 0);
    assert_eq!(place.lines("out/removed.jsonl").len(), 5, "nothing contradicts");
}

/// A web page with this text, links to a site, and pictures of it.
fn web_page(site: &str, pixel: impl Fn(u32, u32) -> u8 + Copy) -> String {
    let body: String = TEXT.split(". ").map(|sentence| format!("<p>{sentence}.</p>")).collect();
    let links: String = (1..5)
        .map(|page| format!("<p>More about it <a href='https://{site}/{page}'>on page {page}</a>.</p>"))
        .collect();
    let pictures: String = (1..4)
        .map(|place| {
            let bytes = png(move |x, y| pixel(x * place % 64, y));
            format!("<p><img src='data:image/png;base64,{}'></p>", base64(&bytes))
        })
        .collect();
    format!(
        "<html><head><title>Grain</title></head><body><article>{body}{links}{pictures}</article></body></html>"
    )
}

fn ask(service: &Serving, path: &str, document: &Value) -> Value {
    let (status, answer) = service.post(path, "application/json", None, document.to_string().as_bytes());
    assert_eq!(status, 200, "{answer}");
    answer
}

fn slopes(x: u32, y: u32) -> u8 {
    (x * 5 + (y / 8) * 40) as u8
}

fn rings(x: u32, y: u32) -> u8 {
    if ((x * x + y * y) / 300).is_multiple_of(2) { 240 } else { 20 }
}

#[test]
fn files_have_streams_in_a_scan_a_run_an_index_and_the_service() {
    let place = Place::new();
    std::fs::create_dir(place.path("pages")).unwrap();
    place.write("pages/a.html", web_page("one.example", slopes));
    place.write("pages/b.html", web_page("two.example", rings));
    let scan = place.run("scan pages --json --no-cache").ok().json();
    let member = &scan["clusters"][0]["members"][1];
    assert_eq!(member["streams"]["contradict"], json!(["images", "links"]), "{scan:#}");
    let shown = place.run("scan pages --no-cache --html out.html").ok().out;
    assert!(shown.contains("contradicting images and links"), "{shown}");
    assert!(place.run("scan pages --no-cache --csv").ok().out.contains(",\"images, links\"\r\n"));
    assert!(place.text("out.html").contains("contradicting images"));
    let kept_apart = place.run("scan pages --json --no-cache --streams links").ok().json();
    assert_eq!(kept_apart["clusters"], json!([]));

    place.run("dedup pages -o out").ok();
    assert_eq!(place.lines("out/removed.jsonl")[0]["streams"]["contradict"], json!(["images", "links"]));

    let service = Serving::service(&place.path("data"), &[]);
    let content =
        |name: &str| json!({ "id": name, "content": base64(&place.read(&format!("pages/{name}"))) });
    let added = ask(&service, "/api/documents", &content("a.html"));
    assert_eq!(added["action"], "inserted", "{added}");
    let answer = ask(&service, "/api/check", &content("b.html"));
    assert_eq!(answer["matches"][0]["streams"]["contradict"], json!(["images", "links"]), "{answer}");
}

#[test]
fn pictures_without_words_are_found_online() {
    let place = Place::new();
    let service = Serving::service(&place.path("data"), &["--set", "features.without_text=images"]);
    let picture = |id: &str, pixel: fn(u32, u32) -> u8| json!({ "id": id, "content": base64(&png(pixel)) });
    for (id, pixel) in [("slopes", slopes as fn(u32, u32) -> u8), ("rings", rings)] {
        assert_eq!(ask(&service, "/api/documents", &picture(id, pixel))["verdict"], "new");
    }
    let answer = ask(&service, "/api/check", &picture("x", rings));
    assert_eq!(
        (&answer["verdict"], &answer["matches"][0]["id"]),
        (&json!("duplicate"), &json!("rings")),
        "{answer}"
    );

    place.write(
        "photos.jsonl",
        joined(&[json!({ "id": 1, "text": "", "images": ["f0f0f0f0f0f0f0f0"] }).to_string()]),
    );
    place.run("index create photos --set features.without_text=images").ok();
    place.run("index add photos photos.jsonl").ok();
    let answer = place.run("index check photos photos.jsonl --json").out;
    let answer: Value = serde_json::from_str(answer.lines().next().unwrap()).unwrap();
    assert_eq!(answer["verdict"], "duplicate");
}

/// Of three versions of each text, two have the same links and are one document.
#[test]
fn a_classifier_learns_from_streams() {
    let mut lines = Vec::new();
    for family in 0..40u32 {
        for version in 0..3u32 {
            let word = |place: u32| match place % 9 == version {
                true => format!("other{}", (family * 31 + place * 7 + version) % 300),
                false => format!("word{}", (family * 53 + place * 17) % 300),
            };
            let text: Vec<String> = (0..40).map(word).collect();
            let group = version / 2;
            let links: Vec<String> = (0..4).map(|link| format!("/{family}/{group}/{link}")).collect();
            let cluster = format!("{family}-{group}");
            lines.push(
                json!({ "id": lines.len(), "text": text.join(" "), "links": links, "cluster": cluster }),
            );
        }
    }
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    let place = Place::with_corpus(&lines);
    let train =
        "train corpus.jsonl --cluster-field cluster --learner logistic --folds 3 --anyway -o my.model -q";
    place.run(train).ok();
    let views = place.json("my.model")["schema"]["views"].clone();
    assert_eq!(
        each(views.as_array().unwrap(), "name").last(),
        Some(&json!("the links")),
        "no stream that nobody has"
    );
    place.run("dedup corpus.jsonl -o out --method classifier --set decide.model=my.model -q").ok();
    let pairs = place.lines("out/pairs.jsonl");
    assert_eq!(pairs.len(), 40);
    assert!(pairs.iter().all(|pair| pair["streams"]["links"] == 1.0));
    assert!(pairs[0]["because"].to_string().contains("of the links"), "{}", pairs[0]);
}
