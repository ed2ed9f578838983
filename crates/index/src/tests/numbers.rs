//! Documents keep their numbers whatever recipe signs them.

use super::super::survey::Attributes;
use super::super::{Index, Policy};
use super::*;

/// What everybody outside knows documents by: number, id, line.
fn known(index: &Index) -> BTreeMap<u32, (String, Vec<u8>)> {
    let mut known = BTreeMap::new();
    let next = index.reader().documents_from(0, &mut |number, line| {
        known.insert(number, (id_of(index, number), line.to_vec()));
        Ok(())
    });
    assert_eq!(next.unwrap(), index.next_number());
    for (&number, (name, line)) in &known {
        assert_eq!(index.reader().line(number, &View::All).unwrap().as_ref(), Some(line));
        assert_eq!(
            index.reader().number_of(&Id::from_json(name.as_str()), &View::All).unwrap(),
            Some(number)
        );
        let master = index.reader().resolve(&[number], &View::All).unwrap()[0].unwrap().master;
        assert!(known.contains_key(&master), "the master of {number} is {master}");
    }
    known
}

#[test]
fn numbers_last_while_generations_come_and_go() {
    let folder = TempDir::new().unwrap();
    let mut index = create(folder.path(), "");
    let documents = corpus(200, 5);
    let (first, later) = documents.split_at(120);
    let add =
        |index: &Index, made: &Made| index.writer().add(&made.line(), Policy::Report, &at(1000)).unwrap();
    let mut attributes = Attributes::default();
    for (round, batch) in first.chunks(60).chain(later.chunks(20)).enumerate() {
        batch.iter().for_each(|made| drop(add(&index, made)));
        let gone: Vec<Id> = batch.iter().step_by(3).map(|made| id(&made.id)).collect();
        let lost: Vec<u32> =
            gone.iter().filter_map(|id| index.reader().number_of(id, &View::All).unwrap()).collect();
        assert_eq!(index.writer().remove_many(&gone, &View::All).unwrap(), gone.len() as u64);
        index.surveyor().read_attributes(&mut attributes, &|| false).unwrap();
        let (before, next, numbering) = (known(&index), index.next_number(), index.numbering());
        index.writer().resign(&recipe(["", "[decide]\nthreshold = 0.6"][round % 2])).unwrap();
        assert_eq!((known(&index), index.next_number(), index.numbering()), (before, next, numbering));
        assert_eq!(
            attributes.of(numbering).map(Attributes::next),
            Some(next),
            "nothing has to be read again"
        );
        for number in lost {
            assert!(
                index.reader().resolve(&[number], &View::All).unwrap() == [None]
                    && id_of(&index, number).is_empty()
            );
            assert_eq!(index.reader().line(number, &View::All).unwrap(), None);
        }
        if round % 2 == 1 {
            let before = known(&index);
            drop(index);
            index = Index::open(folder.path(), registry()).unwrap();
            assert_eq!((known(&index), index.numbering()), (before, numbering));
        }
        // Who goes on from a number gets what came since.
        let new = Made {
            streams: String::new(),
            id: format!("new-{round}"),
            text: text(round as u64, 3, 7),
            labels: Vec::new(),
        };
        add(&index, &new);
        let mut seen = Vec::new();
        let visit = &mut |number, _: &[u8]| {
            seen.push((number, id_of(&index, number)));
            Ok(())
        };
        index.reader().documents_from(next, visit).unwrap();
        assert_eq!(seen, [(next, format!("\"new-{round}\""))]);
    }
}
