//! One engine: the same recipe over the same documents gives the same pairs, similarities, masters and removals, by
//! whichever way the documents come in.
//!
//! `cargo nextest run -p lookalike-cli one_engine --no-capture` prints the table.

use std::collections::{BTreeMap, BTreeSet};

use lookalike::index::{Index, Policy, QueryOptions, View};
use lookalike::{Id, Recipe, Registry};
use lookalike_core::hash::mix;
use serde_json::{Value, json};

use super::serving::Serving;
use super::support::Place;

type Documents = Vec<(String, String)>;
/// Which documents have the features of a document, itself included.
type Copies = BTreeMap<String, BTreeSet<String>>;

/// What is known of some documents in the end: each pair with its similarity, and the master of each document. Whatever
/// is not its own master is removed.
#[derive(Debug, Default, PartialEq)]
struct Known {
    pairs: BTreeMap<(String, String), f64>,
    masters: BTreeMap<String, String>,
}

impl Known {
    fn add(&mut self, a: &str, b: &str, similarity: f64) {
        let pair = if a < b { (a, b) } else { (b, a) };
        let before = self.pairs.insert((pair.0.to_owned(), pair.1.to_owned()), similarity);
        assert!(before.is_none_or(|before| before == similarity), "{pair:?} both ways round");
    }

    /// Whoever is its own master and nobody else's is in no cluster.
    fn forget_loners(&mut self) {
        let masters: BTreeSet<String> = self
            .masters
            .iter()
            .filter(|(id, master)| id != master)
            .map(|(_, master)| master.clone())
            .collect();
        self.masters.retain(|id, master| id != master || masters.contains(id));
    }

    fn removed(&self) -> usize {
        self.masters.iter().filter(|(id, master)| id != master).count()
    }
}

const ENGLISH: &str = "the of and to in a is that for it as was with be by on not he his but at are this have from or had an \
    they which one you were all her she there would their we him been has when who will no more if out so said what up \
    its about than into them can only other time new some could these two may first then do any like my now over such \
    our man me even most made after also did many off before must well back through years where much your way down \
    harbour winter market council letter bridge garden captain station village river minister theatre doctor engine";
const CHINESE: &str = "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏闰余成岁律吕调阳云腾致雨露结为霜金生丽水玉出昆冈剑号巨阙珠称夜光果珍李柰菜\
    重芥姜海咸河淡鳞潜羽翔龙师火帝鸟官人皇始制文字乃服衣裳推位让国有虞陶唐吊民伐罪周发殷汤坐朝问道垂拱平章爱育黎首臣伏戎羌遐迩一体率宾归王";

/// A text of a family: its words are those of the family but for a few.
fn text(words: &[String], between: &str, family: u64, version: u64, length: u64) -> String {
    let word = |place: u64| {
        let seed = mix(family * 1000 + place);
        let is_changed = version > 0 && mix(family * 7919 + version * 131 + place) % 100 < 2 * (version % 4);
        let seed = if is_changed { mix(seed ^ version) } else { seed };
        // Few words are frequent.
        let rank = (seed % 1000) * ((seed >> 32) % 1000) * words.len() as u64 / 1_000_000;
        words[rank as usize].clone()
    };
    let mut text: Vec<String> = (0..length).map(word).collect();
    text.push(format!("{between}f{}v{}.", letters(family), letters(version)));
    text.join(between)
}

/// A number as letters, for numbers do not count by every method.
fn letters(mut number: u64) -> String {
    let mut word = "q".to_owned();
    while number > 0 {
        word.push((b'a' + (number % 26) as u8) as char);
        number /= 26;
    }
    word
}

fn english(families: u64) -> Documents {
    let words: Vec<String> = ENGLISH.split_whitespace().map(str::to_owned).collect();
    let one = |number: u64| text(&words, " ", number / 4, number % 4, 70 + number / 4 % 5 * 9);
    (0..families * 4).map(|number| (format!("e{number}"), one(number))).collect()
}

fn chinese(families: u64) -> Documents {
    let words: Vec<String> = CHINESE.chars().filter(|c| !c.is_whitespace()).map(String::from).collect();
    let one = |number: u64| text(&words, "", number / 4, number % 4, 120 + number / 4 % 5 * 15);
    (0..families * 4).map(|number| (format!("z{number}"), one(number))).collect()
}

/// Copies of some documents, and a crowd: a family of so many that are nearly the same that each is compared with a few
/// only.
fn copied() -> Documents {
    let mut documents = english(8);
    let copies = documents.iter().step_by(3).map(|(id, text)| (format!("{id}-copy"), text.clone()));
    let copies: Documents = copies.collect();
    documents.extend(copies);
    let words: Vec<String> = ENGLISH.split_whitespace().map(str::to_owned).collect();
    let template = text(&words, " ", 999, 0, 45);
    documents.extend(
        (0..270).map(|number| (format!("c{number}"), format!("{template} {}", letters(number + 900)))),
    );
    documents
}

fn line((id, text): &(String, String)) -> String {
    json!({ "id": id, "text": text }).to_string()
}

/// Every method with what it needs, and clusters that a run has left.
fn recipes(place: &Place) -> Vec<(String, String)> {
    let registry = Registry::with_built_ins();
    place.run("dedup corpus.jsonl -o labels --threshold 0.6").ok();
    place.run("train corpus.jsonl --clusters labels/clusters.jsonl --learner logistic --folds 2 --anyway -o my.model").ok();
    let clusters = "[features]\ntype = 'terms'\n[decide]\nmeasure = 'weighted-cosine'\n[candidates]\ntype = 'clusters'\nfloor = 0.3\n";
    place.write("offline.toml", format!("{clusters}clustering = {{ type = 'fuzzy-c-means', clusters = 6 }}"));
    place.run("dedup corpus.jsonl -o offline --recipe offline.toml").ok();
    let partition = place.path("offline/clusters.partition");
    let frozen =
        format!("{clusters}clustering = {{ type = 'frozen', partition = '{}' }}", partition.display());
    let model = place.path("my.model");
    let of_method = |name: &str| match name {
        "classifier" => {
            format!("method = 'classifier'\n[decide]\ntype = 'classifier'\nmodel = '{}'", model.display())
        }
        name => format!("method = '{name}'"),
    };
    let methods = registry.methods().map(|method| (method.name.clone(), of_method(&method.name)));
    methods.chain([("frozen clusters".to_owned(), frozen)]).collect()
}

/// What the batch run writes. Of documents with the same features it tells only one with others.
fn by_program(place: &Place, copies: &Copies) -> Known {
    place.run("dedup corpus.jsonl -o out --force --recipe recipe.toml").ok();
    let mut known = Known::default();
    for pair in place.lines("out/pairs.jsonl") {
        let [a, b] = [&pair["a"], &pair["b"]].map(|id| &copies[id.as_str().unwrap()]);
        for (a, b) in a.iter().flat_map(|a| b.iter().map(move |b| (a, b))).filter(|(a, b)| a != b) {
            known.add(a, b, pair["similarity"].as_f64().unwrap());
        }
    }
    for cluster in place.lines("out/clusters.jsonl") {
        for member in cluster["members"].as_array().unwrap() {
            let [member, master] =
                [&member["id"], &cluster["master"]].map(|id| id.as_str().unwrap().to_owned());
            known.masters.insert(member, master);
        }
    }
    let removed: BTreeSet<String> =
        place.lines("out/removed.jsonl").iter().map(|line| line["id"].as_str().unwrap().to_owned()).collect();
    let expected: BTreeSet<String> =
        known.masters.iter().filter(|(id, master)| id != master).map(|(id, _)| id.clone()).collect();
    assert_eq!(removed, expected, "what is removed is what is no master");
    known
}

/// The order in which documents come, and what is added, changed and removed on the way.
fn history(documents: &Documents, seed: u64) -> (Documents, Vec<String>) {
    let mut order: Vec<(u64, (String, String))> = documents
        .iter()
        .enumerate()
        .map(|(place, document)| (mix(seed ^ place as u64) >> 8, document.clone()))
        .collect();
    let mut gone = Vec::new();
    for (place, (id, text)) in documents.iter().enumerate().step_by(5) {
        // An earlier version of one document, and a document that goes again.
        let other = &documents[(place * 7 + 3) % documents.len()].1;
        order.push((0, (id.clone(), format!("{other} once"))));
        order.push((mix(seed ^ 77 ^ place as u64) >> 8, (format!("{id}-gone"), format!("{text} soon gone"))));
        gone.push(format!("{id}-gone"));
    }
    order.sort();
    (order.into_iter().map(|(_, document)| document).collect(), gone)
}

fn by_index(place: &Place, toml: &str, documents: &Documents) -> (Known, Copies) {
    let registry = Registry::with_built_ins();
    let folder = place.path("index");
    let _ = std::fs::remove_dir_all(&folder);
    let index = Index::create(&folder, &Recipe::from_toml(toml, &registry).unwrap(), registry).unwrap();
    let (order, gone) = history(documents, 1);
    let options = QueryOptions { limit: 1000, ..QueryOptions::default() };
    let lines: Vec<String> = order.iter().map(line).collect();
    for batch in lines.chunks(16) {
        let batch: Vec<&[u8]> = batch.iter().map(String::as_bytes).collect();
        let answers = index.writer().add_many(&batch, Policy::Report, &options).unwrap();
        assert!(answers.iter().all(Result::is_ok));
    }
    for id in gone {
        assert!(index.writer().remove(&Id::from_json(json!(id).to_string()), &View::All).unwrap());
    }
    let (mut known, mut copies) = (Known::default(), Copies::new());
    for document in documents {
        let own = copies.entry(document.0.clone()).or_default();
        own.insert(document.0.clone());
        let answer = index.reader().check(line(document).as_bytes(), &options).unwrap();
        for found in answer.matches.iter().filter(|found| found.id.display() != document.0) {
            known.add(&document.0, &found.id.display(), found.similarity);
            if found.method == "exact" {
                own.insert(found.id.display().into_owned());
            }
        }
        let id = Id::from_json(json!(document.0).to_string());
        let master = index.reader().get(&id, &View::All).unwrap().unwrap().master;
        known.masters.extend(master.map(|master| (document.0.clone(), master.display().into_owned())));
    }
    known.forget_loners();
    (known, copies)
}

fn by_service(place: &Place, documents: &Documents) -> Known {
    let data = place.path("data");
    let _ = std::fs::remove_dir_all(&data);
    let recipe = place.path("recipe.toml");
    let serving = Serving::service(&data, &["--recipe", recipe.to_str().unwrap()]);
    let (order, gone) = history(documents, 2);
    for document in &order {
        let (status, told) =
            serving.post("/api/documents", "application/json", None, line(document).as_bytes());
        assert_eq!(status, 200, "{told}");
    }
    for id in gone {
        assert_eq!(serving.delete(&format!("/api/documents/{id}")), 204);
    }
    let mut known = Known::default();
    for document in documents {
        let (status, answer) =
            serving.post("/api/check?limit=1000", "application/json", None, line(document).as_bytes());
        assert_eq!(status, 200, "{answer}");
        for found in answer["matches"].as_array().unwrap() {
            let other = found["id"].as_str().unwrap();
            if other != document.0 {
                known.add(&document.0, other, found["similarity"].as_f64().unwrap());
            }
        }
        let (_, stored) = serving.get(&format!("/api/documents/{}", document.0));
        let master = stored["master"].as_str().map(|master| (document.0.clone(), master.to_owned()));
        known.masters.extend(master);
    }
    serving.end();
    known.forget_loners();
    known
}

fn check(corpus: &str, documents: &Documents) {
    let lines: Vec<String> = documents.iter().map(line).collect();
    let place = Place::with_corpus(&lines);
    println!(
        "| {corpus}, {} documents | pairs | removed | program = index = service |\n|---|---|---|---|",
        documents.len()
    );
    let mut differing = Vec::new();
    for (name, toml) in recipes(&place) {
        place.write("recipe.toml", &toml);
        let (index, copies) = by_index(&place, &toml, documents);
        let program = by_program(&place, &copies);
        let service = by_service(&place, documents);
        let same = program == index && index == service;
        println!(
            "| {name} | {} | {} | {} |",
            program.pairs.len(),
            program.removed(),
            if same { "yes" } else { "**no**" }
        );
        if !same {
            differing.push(format!(
                "{name}: {}",
                difference(&program, &index).or(difference(&index, &service)).unwrap_or_default()
            ));
        }
    }
    assert!(differing.is_empty(), "{corpus}\n{}", differing.join("\n"));
}

/// The first few differences, for whoever has to find the reason.
fn difference(one: &Known, other: &Known) -> Option<String> {
    let pairs = |a: &Known, b: &Known| -> Vec<Value> {
        a.pairs
            .iter()
            .filter(|(pair, s)| b.pairs.get(*pair) != Some(s))
            .take(3)
            .map(|(pair, s)| json!([pair.0, pair.1, s]))
            .collect()
    };
    let masters: Vec<_> =
        one.masters.iter().filter(|(id, master)| other.masters.get(*id) != Some(master)).take(3).collect();
    (one != other).then(|| {
        format!("only here {:?}, only there {:?}, masters {masters:?}", pairs(one, other), pairs(other, one))
    })
}

#[test]
fn one_engine_english() {
    check("English", &english(30));
}

#[test]
fn one_engine_chinese() {
    check("Chinese", &chinese(30));
}

#[test]
fn one_engine_copies() {
    check("copies and a crowd", &copied());
}
