//! The versions of documents that have changed. Those that the snapshot has stay in its file; in memory is where they are
//! in it, and what came since.

use std::collections::HashMap;

use lookalike_core::Result;
use lookalike_core::sign::Fingerprint;

use crate::storage::bytes::{Decoder, damaged};
use crate::storage::document::DocumentNumber;
use crate::storage::mapped::Mapped;
use crate::storage::operation::versions::decode_versions;
use crate::storage::operation::{Marks, Version};

/// Versions of a document beyond this number are dropped, the oldest first.
const MOST_VERSIONS: usize = 256;

#[derive(Default)]
pub struct History {
    written: Written,
    /// Documents whose versions are others than the snapshot has; `None` stands for none at all.
    changed: HashMap<DocumentNumber, Option<Versions>>,
    /// Versions in memory.
    new: usize,
}

/// What a snapshot has: records of a document's number and its versions, and of its number and the marks of these.
#[derive(Default)]
pub struct Written {
    versions: Mapped<u8>,
    marks: Mapped<u8>,
    /// Rising, and where the versions and marks of each are; documents without marks are at the end of these.
    numbers: Vec<DocumentNumber>,
    places: Vec<[u64; 2]>,
}

/// The versions of a document.
#[derive(Clone, Default)]
struct Versions {
    /// The first ones are those that the snapshot has of this document, without so many that were dropped.
    written: Option<(DocumentNumber, usize)>,
    /// The fingerprint of the last of them, which was not known before another one came.
    fingerprint: Option<Fingerprint>,
    new: Vec<Version>,
}

impl Written {
    /// Reads all records once, and remembers where they are.
    pub fn new(versions: Mapped<u8>, marks: Mapped<u8>) -> Result<Written> {
        let (all, all_marks) = (versions.as_slice(), marks.as_slice());
        let (mut numbers, mut places) = (Vec::new(), Vec::new());
        let (mut from, mut marks_from) = (Decoder::new(all), Decoder::new(all_marks));
        let mut next = next_number(&marks_from)?;
        while !from.is_empty() {
            let number: DocumentNumber = from.number()?;
            let place = from.place_in(all);
            let count = decode_versions(&mut from)?.len();
            let mut place_of_marks = all_marks.len();
            if next == Some(number) {
                marks_from.number::<crate::storage::document::Document>()?;
                place_of_marks = marks_from.place_in(all_marks);
                if decode_marks(&mut marks_from)?.len() != count {
                    return Err(damaged());
                }
                next = next_number(&marks_from)?;
            }
            if numbers.last().is_some_and(|&last| last >= number) {
                return Err(damaged());
            }
            numbers.push(number);
            places.push([place as u64, place_of_marks as u64]);
        }
        // Marks belong to versions.
        if next.is_some() {
            return Err(damaged());
        }
        Ok(Written { versions, marks, numbers, places })
    }

    fn get(&self, number: DocumentNumber) -> Option<Vec<Version>> {
        let place = self.numbers.binary_search(&number).ok()?;
        let [versions, marks] = self.places[place].map(|place| place as usize);
        let mut found = decode_versions(&mut Decoder::new(self.versions.as_slice().get(versions..)?)).ok()?;
        let marks = self.marks.as_slice().get(marks..).filter(|marks| !marks.is_empty());
        let marks = marks.and_then(|marks| decode_marks(&mut Decoder::new(marks)).ok());
        for (version, marks) in found.iter_mut().zip(marks.into_iter().flatten()) {
            version.marks = marks;
        }
        Some(found)
    }

    fn count(&self, number: DocumentNumber) -> usize {
        self.get(number).map_or(0, |versions| versions.len())
    }
}

fn next_number(from: &Decoder<'_>) -> Result<Option<DocumentNumber>> {
    if from.is_empty() { Ok(None) } else { from.clone().number().map(Some) }
}

fn decode_marks(from: &mut Decoder<'_>) -> Result<Vec<Marks>> {
    (0..from.count(1)?).map(|_| Marks::decode(from)).collect()
}

impl From<Written> for History {
    fn from(written: Written) -> History {
        History { written, ..History::default() }
    }
}

impl History {
    /// The versions of a document, the oldest first, if it has changed.
    pub fn get(&self, number: DocumentNumber) -> Option<Vec<Version>> {
        let Some(changed) = self.changed.get(&number) else { return self.written.get(number) };
        let Versions { written, fingerprint, new } = changed.as_ref()?;
        let mut versions = Vec::new();
        if let Some((number, dropped)) = written {
            versions = self.written.get(*number)?;
            versions.drain(..*dropped);
            if let Some(last) = versions.last_mut() {
                last.marks.fingerprint = *fingerprint;
            }
        }
        versions.extend_from_slice(new);
        Some(versions)
    }

    /// Remembers these versions of a document in place of those that it has.
    pub fn insert(&mut self, number: DocumentNumber, versions: Vec<Version>) {
        self.new += versions.len();
        let replaced = self.changed.insert(number, Some(Versions { new: versions, ..Versions::default() }));
        self.new -= replaced.flatten().map_or(0, |replaced| replaced.new.len());
    }

    /// Forgets the versions of a document.
    pub fn remove(&mut self, number: DocumentNumber) {
        self.take(number);
    }

    fn take(&mut self, number: DocumentNumber) -> Option<Versions> {
        let is_written = self.written.numbers.binary_search(&number).is_ok();
        let taken = match self.changed.remove(&number) {
            Some(changed) => changed,
            None => is_written.then_some(Versions { written: Some((number, 0)), ..Versions::default() }),
        };
        if is_written {
            self.changed.insert(number, None);
        }
        self.new -= taken.as_ref().map_or(0, |taken| taken.new.len());
        taken
    }

    /// Lets a document go on with the versions of another, which may go on with them itself, and with a new one.
    /// `fingerprint` is that of the last version so far, `first` the only one of a document that has not changed.
    pub fn go_on(
        &mut self,
        (number, before): (DocumentNumber, DocumentNumber),
        is_replaced: bool,
        first: Option<Version>,
        fingerprint: Option<Fingerprint>,
        version: Version,
    ) {
        let kept = if is_replaced { None } else { self.changed.get(&before).cloned() };
        let of_before = match kept {
            Some(kept) => kept,
            None if is_replaced => self.take(before),
            None => self
                .written
                .numbers
                .binary_search(&before)
                .is_ok()
                .then(|| Versions { written: Some((before, 0)), ..Versions::default() }),
        };
        let mut versions =
            of_before.unwrap_or_else(|| Versions { new: first.into_iter().collect(), ..Versions::default() });
        match versions.new.last_mut() {
            Some(last) => last.marks.fingerprint = fingerprint,
            None => versions.fingerprint = fingerprint,
        }
        // Many documents change now and then: growing to twice the capacity would waste much memory.
        versions.new.reserve_exact(1);
        versions.new.push(version);
        self.drop_oldest(&mut versions);
        self.new += versions.new.len();
        let replaced = self.changed.insert(number, Some(versions));
        self.new -= replaced.flatten().map_or(0, |replaced| replaced.new.len());
    }

    fn drop_oldest(&self, versions: &mut Versions) {
        let written = versions.written.map_or(0, |(number, dropped)| self.written.count(number) - dropped);
        let extra = (written + versions.new.len()).saturating_sub(MOST_VERSIONS);
        if let Some((_, dropped)) = &mut versions.written {
            *dropped += extra.min(written);
        }
        versions.new.drain(..extra.saturating_sub(written));
    }

    /// All versions, by the numbers of their documents.
    pub fn iter(&self) -> impl Iterator<Item = (DocumentNumber, Vec<Version>)> {
        let is_same = |number: &&DocumentNumber| !self.changed.contains_key(number);
        let changed =
            self.changed.iter().filter(|(_, versions)| versions.is_some()).map(|(number, _)| number);
        let mut numbers: Vec<DocumentNumber> =
            self.written.numbers.iter().filter(is_same).chain(changed).copied().collect();
        numbers.sort_unstable();
        numbers.into_iter().filter_map(|number| Some((number, self.get(number)?)))
    }

    /// Bytes in memory of which the next snapshot takes the place, about.
    pub fn own_bytes(&self) -> usize {
        self.new * size_of::<Version>() + self.changed.len() * size_of::<(DocumentNumber, Option<Versions>)>()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::io::Write;

    use proptest::prelude::*;

    use super::*;
    use crate::storage::bytes::Encode;
    use crate::storage::operation::versions::encode_versions;

    fn number(of: u8) -> DocumentNumber {
        DocumentNumber::from_index(of.into())
    }

    fn print(of: u32) -> Option<Fingerprint> {
        (!of.is_multiple_of(3)).then_some(Fingerprint { scheme: 1, low: of.into(), high: None })
    }

    fn version(of: u32) -> Version {
        let marks = Marks { distance: of.is_multiple_of(2).then_some(of as u8), ..Marks::default() };
        Version { time: of, changed: of % 2 == 1, similarity: None, bytes: of, marks }
    }

    fn map(bytes: &[u8]) -> Mapped<u8> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        Mapped::new(&file, 0, bytes.len() as u64).unwrap().unwrap()
    }

    /// As a snapshot has it and is opened again.
    fn written(history: &History) -> History {
        let (mut versions, mut marks) = (Vec::new(), Vec::new());
        for (number, of_document) in history.iter() {
            versions.number(number);
            encode_versions(&of_document, &mut versions);
            if of_document.iter().any(|version| !version.marks.is_empty()) {
                marks.number(number);
                marks.u32(of_document.len() as u32);
                of_document.iter().for_each(|version| version.marks.encode(&mut marks));
            }
        }
        Written::new(map(&versions), map(&marks)).unwrap().into()
    }

    /// Records that cannot be right are told when a snapshot is opened.
    #[test]
    fn records_that_do_not_belong_together_are_damage() {
        let records = |numbers: &[u8], with_marks: &[u8]| {
            let (mut versions, mut marks) = (Vec::new(), Vec::new());
            for &of in numbers {
                versions.number(number(of));
                encode_versions(&[version(1), version(2)], &mut versions);
            }
            for &of in with_marks {
                marks.number(number(of));
                marks.u32(2);
                [version(1), version(2)].iter().for_each(|version| version.marks.encode(&mut marks));
            }
            (versions, marks)
        };
        let opens = |(versions, marks): (Vec<u8>, Vec<u8>)| Written::new(map(&versions), map(&marks)).is_ok();
        assert!(opens(records(&[3, 5, 9], &[5])) && opens(records(&[], &[])));
        assert!(
            !opens(records(&[3, 5], &[4]))
                && !opens(records(&[3, 5], &[5, 3]))
                && !opens(records(&[5, 3], &[]))
        );
        let (versions, marks) = records(&[3, 5], &[3, 5]);
        assert!(!opens((versions[..versions.len() - 1].to_vec(), marks.clone())));
        assert!(!opens((versions, marks[..marks.len() - 1].to_vec())));
    }

    #[derive(Clone, Debug)]
    enum Step {
        GoOn { number: u8, before: u8, is_replaced: bool },
        Insert(u8, u32),
        Remove(u8),
        Checkpoint,
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            6 => (0u8..12, 0u8..12, any::<bool>()).prop_map(|(number, before, is_replaced)| Step::GoOn { number, before, is_replaced }),
            1 => (0u8..12, 1u32..300).prop_map(|(number, count)| Step::Insert(number, count)),
            1 => (0u8..12).prop_map(Step::Remove),
            1 => Just(Step::Checkpoint),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        /// Wherever versions are, they are those of a plain list.
        #[test]
        fn versions_are_those_of_plain_lists(steps in prop::collection::vec(step(), 1..60)) {
            let (mut history, mut plain) = (History::default(), BTreeMap::<DocumentNumber, Vec<Version>>::new());
            for (at, step) in (0u32..).zip(steps) {
                match step {
                    Step::GoOn { number: new, before, is_replaced } if new != before => {
                        let (new, before) = (number(new), number(before));
                        let first = Some(version(1000 + at));
                        let mut versions = plain.get(&before).cloned().unwrap_or_else(|| first.clone().into_iter().collect());
                        versions.last_mut().unwrap().marks.fingerprint = print(at);
                        versions.push(version(at));
                        versions.drain(..versions.len().saturating_sub(MOST_VERSIONS));
                        if is_replaced {
                            plain.remove(&before);
                        }
                        plain.insert(new, versions);
                        history.go_on((new, before), is_replaced, first, print(at), version(at));
                    }
                    Step::GoOn { .. } => {}
                    Step::Insert(of, count) => {
                        let versions: Vec<Version> = (0..count.min(MOST_VERSIONS as u32)).map(version).collect();
                        plain.insert(number(of), versions.clone());
                        history.insert(number(of), versions);
                    }
                    Step::Remove(of) => {
                        plain.remove(&number(of));
                        history.remove(number(of));
                    }
                    Step::Checkpoint => {
                        history = written(&history);
                        prop_assert_eq!(history.own_bytes(), 0);
                    }
                }
                for of in 0..12 {
                    prop_assert_eq!(history.get(number(of)), plain.get(&number(of)).cloned(), "{}", of);
                }
                let new: usize = history.changed.values().flatten().map(|versions| versions.new.len()).sum();
                prop_assert_eq!(history.new, new);
            }
            prop_assert_eq!(history.iter().collect::<Vec<_>>(), plain.into_iter().collect::<Vec<_>>());
        }
    }
}
