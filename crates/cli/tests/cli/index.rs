//! `index` and `check` from a user's point of view.

use serde_json::json;

use super::support::{Place, document, each, joined, nearly, values, words};

fn place() -> Place {
    let place = Place::with_corpus(&[
        document("a", &words("alpha", 40)),
        document("b", &nearly("alpha", 40)),
        document("c", &words("gamma", 40)),
    ]);
    place.run("index create seen").ok();
    place
}

#[test]
fn documents_go_in_are_found_and_go_out() {
    let place = place();
    let answers = values(&place.run("index add seen corpus.jsonl --json").ok().out);
    assert_eq!(each(&answers, "verdict"), ["new", "near-duplicate", "new"]);
    assert_eq!(each(&answers, "action"), ["inserted"; 3]);
    assert_eq!(answers[1]["matches"][0]["id"], "a");
    assert_eq!(answers[1]["master"], "b", "the longer one is kept");
    let again = place.run("index add seen corpus.jsonl").ok().out;
    assert_eq!(again, "unchanged  3\n");
    place.write("new.jsonl", joined(&[document("x", &words("alpha", 40)), document("y", &words("new", 40))]));
    let told = place.run("index check seen new.jsonl").ok().out;
    let told: Vec<&str> = told.lines().collect();
    assert!(told[0].starts_with("x\tduplicate\ta 1.000\tb 0."), "{told:?}");
    assert_eq!(told[1], "y\tnew");
    assert_eq!(place.run("index check seen new.jsonl --check").code, Some(1));
    let stats = place.run("index stats seen --json").ok().json();
    assert_eq!((&stats["documents"], &stats["clusters"]), (&3.into(), &1.into()));
    assert_eq!(place.run_with_input("index remove seen - c", b"a\nb\n\n").ok().out, "3 removed\n");
    place.run("index compact seen").ok();
    assert_eq!(place.run("index check seen new.jsonl --check").code, Some(0));
}

#[test]
fn policies_and_kept_documents_of_a_run() {
    let place = place();
    place.run("dedup corpus.jsonl -o deduped").ok();
    assert_eq!(place.run("index add seen deduped").ok().out, "inserted  2\n");
    let answers = values(&place.run("index add seen corpus.jsonl --policy reject --json").ok().out);
    assert_eq!(each(&answers, "action"), ["rejected", "unchanged", "unchanged"]);
    // A batch run knows the documents of the index.
    place.write("new.jsonl", joined(&[document("x", &words("gamma", 40)), document("y", &words("new", 40))]));
    let report = place.run("dedup new.jsonl --against seen -o fresh --json").ok().json();
    assert_eq!((&report["kept"], &report["removed"], &report["against"]), (&1.into(), &1.into(), &2.into()));
    assert_eq!(place.lines("fresh/removed.jsonl")[0]["keeper"], "c");
}

#[test]
fn another_recipe_takes_over() {
    let place = place();
    place.run("index add seen corpus.jsonl").ok();
    let before = place.run("index stats seen --json").ok().json();
    let told = place.run("index resign seen --method imatch --threshold 0.5").ok().out;
    assert!(told.starts_with("3 documents are signed by scheme imatch-"), "{told}");
    let after = place.run("index stats seen --json").ok().json();
    assert_ne!(before["scheme"], after["scheme"]);
    assert_eq!((&after["documents"], &after["generation"]), (&3.into(), &2.into()));
}

#[test]
fn signing_again_changes_what_is_asked_for_and_nothing_else() {
    let place = place();
    place.run("index create near --method simhash --set decide.distance=5 --keep newest").ok();
    place.run("index add near corpus.jsonl").ok();
    let recipe = |place: &Place| -> toml::Table {
        place.json("near/index.json")["content"]["recipe"].as_str().unwrap().parse().unwrap()
    };
    let before = recipe(&place);
    let told = place.run("index resign near --threshold 0.9").ok().out;
    assert!(told.contains("by scheme simhash-"), "{told}");
    let mut expected = before.clone();
    expected["decide"].as_table_mut().unwrap().insert("threshold".to_owned(), 0.9.into());
    assert_eq!(recipe(&place), expected);
    place.run("index resign near").ok();
    assert_eq!(recipe(&place), expected, "nothing was asked for");
    // A file that names no method contains changes.
    place.write("changes.toml", "[decide]\ndistance = 4\n");
    place.run("index resign near --recipe changes.toml").ok();
    expected["decide"].as_table_mut().unwrap().insert("distance".to_owned(), 4.into());
    assert_eq!(recipe(&place), expected);
    place.run("index resign near --method minhash").ok();
    let after = recipe(&place);
    assert_eq!(after["method"].as_str(), Some("minhash"));
    assert_eq!(after["keep"], before["keep"], "what is kept is no matter of the method");
    assert!(after.get("decide").is_none_or(|decide| decide.get("distance").is_none()), "{after}");
    place.write("whole.toml", "method = 'simhash'\n");
    place.run("index resign near --recipe whole.toml").ok();
    assert!(recipe(&place).get("keep").is_none(), "a recipe of its own");
}

/// A misspelt field would make no feature of any document.
#[test]
fn a_field_that_no_document_has_is_told() {
    let place = Place::new();
    let article = |id: &str| json!({ "id": id, "text": words(id, 20), "section": "world" }).to_string();
    place.write("corpus.jsonl", joined(&[article("a"), article("b")]));
    place.write("more.jsonl", joined(&[document("c", &words("c", 20))]));
    place.run("index create near --method simhash --set features.metadata=[\"section\"]").ok();
    assert_eq!(place.run("index add near corpus.jsonl").ok().err, "");
    let warning = |field: &str| {
        format!(
            "warning: none of these documents has a text or a number in the field `{field}`, which the recipe of the index \
             names\n"
        )
    };
    assert_eq!(place.run("index add near more.jsonl").ok().err, warning("section"));
    let told = place.run("index resign near --set features.metadata=[\"section\",\"sektion\"]").ok();
    assert_eq!(told.err, warning("sektion"), "{}", told.out);
    place.write("last.jsonl", joined(&[document("d", &words("d", 20))]));
    assert_eq!(place.run("index add near last.jsonl").ok().err, warning("section") + &warning("sektion"));
}

#[test]
fn a_mail_is_told_by_the_exit_code() {
    let place = Place::new();
    place.run("index create prototypes").ok();
    let mail = |body: &str| {
        format!("From: a@example.org\r\nSubject: offer\r\nContent-Type: text/plain\r\n\r\n{body}\r\n")
            .into_bytes()
    };
    let spam = serde_json::json!({ "id": "s", "text": words("cheap", 60), "set": "spam" }).to_string();
    let ham = serde_json::json!({ "id": "h", "text": words("minutes", 60), "set": "legitimate" }).to_string();
    place.write("known.jsonl", joined(&[spam, ham]));
    place.run("index add prototypes known.jsonl --ttl 30d").ok();
    let code = |body: &str| place.run_with_input("check --index prototypes --mail", &mail(body)).code;
    assert_eq!(code(&nearly("cheap", 60)), Some(0), "known spam");
    assert_eq!(code(&words("minutes", 60)), Some(1), "known to be legitimate");
    assert_eq!(code(&words("other", 60)), Some(1), "unknown");
    assert_eq!(code(""), Some(1), "nothing to compare");
    let answer = place.run_with_input("check --index prototypes --mail --json", &mail(&words("cheap", 60)));
    assert_eq!((&answer.json()["set"]["name"], &answer.json()["set"]["hits"]), (&"spam".into(), &2.into()));
    place.write("letter.txt", words("minutes", 60));
    assert_eq!(place.run("check letter.txt --index prototypes").code, Some(1), "something like it is known");
}

/// A recipe may name files from where it is given; the index finds them from anywhere.
#[test]
fn an_index_finds_its_files_from_any_folder() {
    let place = place();
    place.run("lexicon build corpus.jsonl -o own.lexicon").ok();
    place.run("index create by-words --method imatch --lexicon own.lexicon").ok();
    place.run("dedup corpus.jsonl -o offline --set features.type=terms --set candidates.type=clusters").ok();
    let clusters = "method = 'minhash'\n[features]\ntype = 'terms'\n[candidates]\ntype = 'clusters'\n\
                    clustering = { type = 'frozen', partition = 'offline/clusters.partition' }";
    place.write("clusters.toml", clusters);
    place.run("index create by-clusters --recipe clusters.toml").ok();
    let elsewhere = tempfile::tempdir().unwrap();
    for name in ["by-words", "by-clusters"] {
        let corpus = place.path("corpus.jsonl");
        let mut command = place.command("index add");
        let output =
            command.arg(place.path(name)).arg(corpus).current_dir(elsewhere.path()).output().unwrap();
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        place.run(&format!("index resign {name} --keep first")).ok();
    }
}

#[test]
fn what_cannot_be_done_is_said_in_a_sentence() {
    let place = place();
    for (command, expected) in [
        ("index create seen", "is an index already"),
        ("index create other --set candidates.type=clusters", "one at a time"),
        ("index add nowhere corpus.jsonl", "is no index"),
        ("index add seen corpus.jsonl --policy best", "known: report, reject, replace"),
        ("index add seen corpus.jsonl --ttl soon", "is no time"),
        ("index add seen missing.jsonl", "missing.jsonl"),
        ("index get seen nobody", "no document has the id nobody"),
        ("check --server ftp://example.org", "must begin with http://"),
    ] {
        let told = place.run(command).error();
        assert!(told.contains(expected), "{command}: {told}");
    }
    assert!(!place.path("other").exists());
    // A document that is not JSON is counted, and the others are inserted.
    place.write("bad.jsonl", format!("no json\n{}\n", document("d", &words("delta", 40))));
    let told = place.run("index add seen bad.jsonl").ok().out;
    assert!(
        told.contains("bad       1\ninserted  1\nThe first bad line: bad.jsonl: line 1: not valid JSON"),
        "{told}"
    );
}

#[test]
fn the_history_tells_what_changed() {
    let place = Place::new();
    place.run("index create seen").ok();
    for text in [words("alpha", 40), nearly("alpha", 40), words("alpha", 40)] {
        place.write("page.jsonl", joined(&[document("page", &text)]));
        place.run("index add seen page.jsonl").ok();
    }
    place.run("index add seen page.jsonl").ok();
    let told = place.run("index history seen page").ok().out;
    let rows: Vec<&str> = told.lines().collect();
    assert_eq!(rows.len(), 5, "{told}");
    assert!(rows[0].starts_with("version") && rows[0].ends_with("what changed"), "{told}");
    assert!(rows[2].ends_with("added") && rows[3].contains("cut; as it was 20"), "{told}");
    assert_eq!(rows[4], "it came again unchanged since then: 1");
    let json = place.run("index history seen page --json").ok().json();
    let versions = json["versions"].as_array().unwrap();
    let prints = each(versions, "fingerprint");
    assert!(
        prints[0] == prints[2] && prints[0] != prints[1] && rows[1].contains(prints[0].as_str().unwrap())
    );
    assert_eq!(each(versions, "distance")[0], serde_json::Value::Null);
    assert_eq!(place.run("index get seen page").ok().json()["history"], json);
    place.write("page.jsonl", joined(&[document("page", &words("gamma", 40))]));
    place.run("index add seen page.jsonl").ok();
    let told = place.run("index history seen page").ok().out;
    assert!(told.lines().nth(4).is_some_and(|row| row.ends_with("another text")), "{told}");
    assert!(place.run("index history seen none").error().contains("no document has the id none"));
}

#[test]
fn hosts_that_mirror_each_other_are_listed() {
    let page = |host: &str, number: u32| {
        let text = words(&format!("topic{number}"), 40);
        serde_json::json!({ "id": format!("http://{host}/{number}"), "text": text }).to_string()
    };
    let hosts = ["example.org", "WWW.example.org:80", "mirror.example.net"];
    let mut lines: Vec<String> =
        hosts.iter().flat_map(|host| (0..3).map(|number| page(host, number))).collect();
    lines.push(page("other.example", 0));
    lines.extend((10..13).map(|number| page("other.example", number)));
    lines.extend((0..70).map(|number| page(&format!("crowd{number}.example"), 99)));
    let place = Place::with_corpus(&lines);
    place.run("index create seen").ok();
    place.run("index add seen corpus.jsonl").ok();
    let told = place.run("index mirrors seen").ok().out;
    let rows: Vec<Vec<&str>> = told.lines().map(|line| line.split_whitespace().collect()).collect();
    let shown: Vec<String> = rows[1..4].iter().map(|row| row[..7].join(" ")).collect();
    assert_eq!(
        shown,
        [
            "example.org mirror.example.net 3 3 3 1.00 1.00",
            "example.org www.example.org 3 3 3 1.00 1.00",
            "mirror.example.net www.example.org 3 3 3 1.00 1.00",
        ],
        "{told}"
    );
    assert!(rows[1][7].starts_with("http://example.org/"), "{told}");
    let last: Vec<&str> = told.lines().skip(4).collect();
    assert_eq!(
        last,
        [
            "3 hosts together: example.org mirror.example.net www.example.org",
            "3 of 3 pairs of hosts that mirror each other, of 74 hosts",
            "clusters left out because they have more than 64 hosts: 1",
        ]
    );
    let json = place.run("index mirrors seen --json --limit 1 --clusters 1 --share 0.25").ok().json();
    assert_eq!((&json["found"], json["pairs"].as_array().unwrap().len()), (&6.into(), 1));
    assert!(place.run("index mirrors seen --share 2").error().contains("from 0 to 1"));
    assert!(place.run("index mirrors seen --clusters 0").error().contains("at least 1"));
}
