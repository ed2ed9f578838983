//! Snapshots, restoring, verifying and upgrading an index by the program.

use std::path::Path;

use super::support::{Place, document, joined, nearly, words};

fn filled() -> Place {
    let lines: Vec<String> = (0..40)
        .map(|number| {
            let topic = format!("t{}", number / 2);
            let text = if number % 2 == 0 { words(&topic, 60) } else { nearly(&topic, 60) };
            document(number, &text)
        })
        .collect();
    let place = Place::with_corpus(&lines);
    place.run("index create seen").ok();
    place.run("index add seen corpus.jsonl").ok();
    place
}

#[test]
fn a_restored_index_answers_as_it_did() {
    let place = filled();
    place.write("asked.jsonl", joined(&[document("q", &nearly("t3", 60)), document("r", &words("new", 60))]));
    let answers = |index: &str| place.run(&format!("index check {index} asked.jsonl --json")).ok().out;
    let before = answers("seen");
    let told = place.run("index snapshot seen kept").ok().out;
    assert!(told.contains("40 documents"), "{told}");
    place.run("index remove seen 6").ok();
    let again = place.run("index snapshot seen kept --json").ok().json();
    assert!(again["new_bytes"].as_u64() < again["bytes"].as_u64(), "{again}");
    let listed = place.run("index snapshots kept --json").ok().json();
    let first = listed[0]["snapshot"].as_str().unwrap().to_owned();
    assert_eq!((listed.as_array().unwrap().len(), &listed[1]["documents"]), (2, &39.into()), "{listed}");
    let told = place.run(&format!("index restore kept back --snapshot {first}")).ok().out;
    assert!(told.contains("every file as it was") && told.contains("nothing is damaged"), "{told}");
    assert_eq!(answers("back"), before);
    place.run("index restore kept newest").ok();
    assert_ne!(answers("newest"), before, "the newest lacks what was removed");
    let refused = place.run("index restore kept back").error();
    assert!(refused.contains("is not empty"), "{refused}");
    let refused = place.run("index restore kept other --snapshot none").error();
    assert!(refused.contains("has no snapshot none"), "{refused}");
    assert!(!place.path("other").exists());
    place.run("index snapshot seen kept --keep 1").ok();
    assert_eq!(place.run("index snapshots kept --json").ok().json().as_array().unwrap().len(), 1);
    let refused = place.run("index snapshot seen .").error();
    assert!(refused.contains("holds other things"), "{refused}");
    let refused = place.run("index snapshot seen kept --keep-for soon").error();
    assert!(refused.contains("--keep-for") && refused.contains("no time"), "{refused}");
}

#[test]
fn damage_is_told_with_its_place_and_a_bad_exit() {
    let place = filled();
    let told = place.run("index verify seen").ok().out;
    assert!(told.contains("40 documents") && told.contains("nothing is damaged"), "{told}");
    let texts = place.path("seen/texts/000000");
    let mut bytes = std::fs::read(&texts).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&texts, bytes).unwrap();
    let run = place.run("index verify seen --json");
    assert_eq!(run.code, Some(2));
    let found = run.json();
    assert_eq!((found["documents"].as_u64(), found["damage"].as_array().unwrap().len()), (Some(39), 1));
    assert!(found["damage"][0].as_str().unwrap().contains("texts/000000"), "{found}");
    let told = place.run("index verify nothing").error();
    assert!(told.contains("is no index"), "{told}");
}

#[test]
fn an_upgrade_is_told_before_it_is_done() {
    let place = Place::new();
    let fixture =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../lookalike/tests/fixtures/index-format-2/index");
    copy(&fixture, &place.path("old"));
    let manifest = || place.text("old/generation-1/manifest.json");
    let before = manifest();
    let told = place.run("index upgrade old --dry-run").ok().out;
    assert!(
        told.contains("has format 2 and would get format 4") && told.contains("nothing was changed"),
        "{told}"
    );
    assert_eq!(manifest(), before);
    let told = place.run("index upgrade old").ok().out;
    assert!(told.contains("had format 2 and has format 4 now"), "{told}");
    assert!(manifest().contains("\"format\": 4"));
    let told = place.run("index upgrade old").ok().out;
    assert!(told.contains("has format 4, the newest"), "{told}");
    place.run("index verify old").ok();
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}
