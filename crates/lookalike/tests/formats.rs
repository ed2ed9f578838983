//! Indexes of every format that was ever released open for good.

use std::fs;
use std::path::Path;

use lookalike::Id;
use lookalike::Registry;
use lookalike::index::{Ask, Index, Policy, View};

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn id(name: &str) -> Id {
    Id::from_json(format!("\"{name}\""))
}

/// 262 documents that share a key, of which two are public; two that are alike and came last; a decision about two with
/// labels. Neither crowds nor labels of decisions were noted.
#[test]
fn an_index_of_format_1_opens_and_tells_nothing_of_what_is_hidden() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/index-format-1"), &path);
    let public = View::Labels(Vec::new());
    let both = View::Labels(vec!["red".to_owned(), "blue".to_owned()]);
    for format in [1, 2, 2] {
        let manifest = fs::read_to_string(path.join("generation-1/manifest.json")).unwrap();
        assert!(manifest.contains(&format!("\"format\": {format}")), "{manifest}");
        let index = Index::open(&path, Registry::with_built_ins()).unwrap();
        assert_eq!(index.reader().stats(&View::All).unwrap().documents, 266);
        let seen = index.reader().stats(&public).unwrap();
        assert_eq!((seen.documents, seen.pairs, seen.clusters), (4, 1, 1));
        assert_eq!(index.reader().cluster(&id("late1"), &public).unwrap().unwrap().size, 2);
        assert_eq!(
            index.reader().decisions(&both).unwrap().len(),
            1,
            "the labels are those of the documents"
        );
        assert_eq!(index.reader().decisions(&public).unwrap().len(), 0);
        index.writer().checkpoint().unwrap();
    }
    let index = Index::open(&path, Registry::with_built_ins()).unwrap();
    let line = br#"{"id":"red","text":"a public text under the id of another","labels":[]}"#;
    index.writer().add(line, Policy::Report, &Ask { view: public.clone(), ..Ask::default() }).unwrap();
    assert!(
        index.reader().get(&id("red"), &both).is_err()
            && index.reader().get(&id("red"), &public).unwrap().is_some()
    );
}
