//! Operations as bytes of the journal, and those of their parts that a snapshot has, too.

use lookalike_core::Result;

use super::versions::{decode_versions, encode_versions};
use super::{Continues, Decide, Marks, Operation, Prefer, Put, Touch, Version};
use crate::storage::bytes::{Decoder, Encode, damaged};
use crate::storage::texts::Place;

const PUT: u8 = 1;
const REMOVE: u8 = 2;
const TOUCH: u8 = 3;
const DECIDE: u8 = 4;
const PREFER: u8 = 5;
const NUMBER: u8 = 6;
const KEEP: u8 = 7;
const REMEMBER: u8 = 8;
const PUT_INTO_CROWD: u8 = 9;
/// Before an operation that is followed by the marks of its versions.
const MARKED: u8 = 10;

/// Added to the byte of a decision if the digests of the texts follow.
const WITH_TEXTS: u8 = 4;
/// Added if access labels follow.
const WITH_LABELS: u8 = 8;

impl Operation {
    pub fn encode(&self, out: &mut Vec<u8>) {
        let marks = self.marks();
        let is_marked = marks.iter().any(|marks| !marks.is_empty());
        if is_marked {
            out.u8(MARKED);
        }
        self.encode_unmarked(out);
        if is_marked {
            marks.iter().for_each(|marks| marks.encode(out));
        }
    }

    pub fn decode(from: &mut Decoder<'_>) -> Result<Operation> {
        match from.u8()? {
            MARKED => {
                let kind = from.u8()?;
                let mut operation = Operation::decode_unmarked(kind, from)?;
                match &mut operation {
                    Operation::Put(Put { continues: Some(continues), .. }) => {
                        continues.before = Marks::decode(from)?.fingerprint;
                        continues.version.marks = Marks::decode(from)?;
                    }
                    Operation::Remember { versions, .. } => {
                        for version in versions {
                            version.marks = Marks::decode(from)?;
                        }
                    }
                    _ => return Err(damaged()),
                }
                Ok(operation)
            }
            kind => Operation::decode_unmarked(kind, from),
        }
    }

    /// The marks of the versions in it, in the order in which they are encoded.
    fn marks(&self) -> Vec<Marks> {
        match self {
            Operation::Put(Put { continues: Some(continues), .. }) => {
                vec![Marks { fingerprint: continues.before, ..Marks::default() }, continues.version.marks]
            }
            Operation::Remember { versions, .. } => versions.iter().map(|version| version.marks).collect(),
            _ => Vec::new(),
        }
    }

    fn encode_unmarked(&self, out: &mut Vec<u8>) {
        match self {
            Operation::Put(put) => {
                out.u8(if put.crowd.is_some() { PUT_INTO_CROWD } else { PUT });
                put.encode(out);
            }
            Operation::Remove { document } => {
                out.u8(REMOVE);
                out.number(*document);
            }
            Operation::Touch(touch) => {
                out.u8(TOUCH);
                let Touch { document, seen, expires, hits, unchanged, interval } = touch;
                out.number(*document);
                out.u32s([*seen, *expires, *hits, *unchanged, *interval]);
            }
            Operation::Decide(decide) => {
                out.u8(DECIDE);
                decide.encode(out);
            }
            Operation::Prefer(prefer) => {
                out.u8(PREFER);
                prefer.encode(out);
            }
            Operation::Number { since, next } => {
                out.u8(NUMBER);
                out.u64(*since);
                out.number(*next);
            }
            Operation::Keep(numbers) => {
                out.u8(KEEP);
                out.u32(numbers.len() as u32);
                numbers.iter().for_each(|&number| out.number(number));
            }
            Operation::Remember { document, versions } => {
                out.u8(REMEMBER);
                out.number(*document);
                encode_versions(versions, out);
            }
        }
    }

    fn decode_unmarked(kind: u8, from: &mut Decoder<'_>) -> Result<Operation> {
        Ok(match kind {
            PUT => Operation::Put(Put::decode(from)?),
            PUT_INTO_CROWD => {
                let mut put = Put::decode(from)?;
                put.crowd = Some((0..from.count(4)?).map(|_| from.number()).collect::<Result<_>>()?);
                Operation::Put(put)
            }
            REMOVE => Operation::Remove { document: from.number()? },
            TOUCH => Operation::Touch(Touch {
                document: from.number()?,
                seen: from.u32()?,
                expires: from.u32()?,
                hits: from.u32()?,
                unchanged: from.u32()?,
                interval: from.u32()?,
            }),
            DECIDE => Operation::Decide(Decide::decode(from)?),
            PREFER => Operation::Prefer(Prefer::decode(from)?),
            NUMBER => Operation::Number { since: from.u64()?, next: from.number()? },
            KEEP => Operation::Keep((0..from.count(4)?).map(|_| from.number()).collect::<Result<_>>()?),
            REMEMBER => Operation::Remember { document: from.number()?, versions: decode_versions(from)? },
            _ => return Err(damaged()),
        })
    }
}

impl Put {
    fn encode(&self, out: &mut Vec<u8>) {
        out.text(&self.id);
        encode_place(self.place, out);
        out.u128(self.digest.unwrap_or(0));
        out.u32(self.scores.len() as u32);
        self.scores.iter().for_each(|&score| out.u64(score));
        out.u32(self.keys.len() as u32);
        self.keys.iter().for_each(|&key| out.u64(key));
        out.bytes(&self.stored);
        out.u32(self.labels.len() as u32);
        self.labels.iter().for_each(|label| out.text(label));
        out.text(&self.set);
        out.u32s([self.added, self.expires, self.lives, self.hits, self.interval]);
        out.u32(self.links.len() as u32);
        for &(content, similarity) in &self.links {
            out.number(content);
            out.f64(similarity);
        }
        out.optional_number(self.continues.as_ref().map(|continues| continues.document));
        if let Some(continues) = &self.continues {
            out.u8(u8::from(continues.replaces));
            continues.version.encode(out);
        }
        out.optional_number(self.origin);
        if let Some(crowd) = &self.crowd {
            out.u32(crowd.len() as u32);
            crowd.iter().for_each(|&content| out.number(content));
        }
    }

    fn decode(from: &mut Decoder<'_>) -> Result<Put> {
        let id = from.text()?.to_owned();
        let place = decode_place(from)?;
        let digest = Some(from.u128()?).filter(|&digest| digest != 0);
        let scores = (0..from.count(8)?).map(|_| from.u64()).collect::<Result<_>>()?;
        let keys = (0..from.count(8)?).map(|_| from.u64()).collect::<Result<_>>()?;
        let stored = from.bytes()?.to_vec();
        let labels = (0..from.count(4)?).map(|_| Ok(from.text()?.to_owned())).collect::<Result<_>>()?;
        let set = from.text()?.to_owned();
        let [added, expires, lives, hits, interval] =
            [from.u32()?, from.u32()?, from.u32()?, from.u32()?, from.u32()?];
        let links = (0..from.count(12)?).map(|_| Ok((from.number()?, from.f64()?))).collect::<Result<_>>()?;
        let continues = match from.optional_number()? {
            None => None,
            Some(document) => {
                let replaces = from.u8()? != 0;
                Some(Continues { document, replaces, before: None, version: Version::decode(from)? })
            }
        };
        let origin = from.optional_number()?;
        Ok(Put {
            id,
            place,
            digest,
            scores,
            keys,
            stored,
            labels,
            set,
            added,
            expires,
            lives,
            hits,
            interval,
            links,
            continues,
            origin,
            crowd: None,
        })
    }
}

impl Decide {
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.u128(self.digests.0);
        out.u128(self.digests.1);
        out.text(&self.ids.0);
        out.text(&self.ids.1);
        let texts = if self.texts.is_some() { WITH_TEXTS } else { 0 };
        let labels = if self.labels.is_some() { WITH_LABELS } else { 0 };
        out.u8(self.duplicate.map_or(2, u8::from) + texts + labels);
        out.text(&self.by);
        out.u32(self.time);
        out.f64(self.link.unwrap_or(f64::NAN));
        if let Some((a, b)) = self.texts {
            out.u128(a);
            out.u128(b);
        }
        if let Some((a, b)) = &self.labels {
            for labels in [a, b] {
                out.u32(labels.len() as u32);
                labels.iter().for_each(|label| out.text(label));
            }
        }
    }

    pub fn decode(from: &mut Decoder<'_>) -> Result<Decide> {
        let digests = (from.u128()?, from.u128()?);
        let ids = (from.text()?.to_owned(), from.text()?.to_owned());
        let word = from.u8()?;
        let duplicate = match word % WITH_TEXTS {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        };
        let (by, time) = (from.text()?.to_owned(), from.u32()?);
        let link = Some(from.f64()?).filter(|link| !link.is_nan());
        let texts = if word & WITH_TEXTS != 0 { Some((from.u128()?, from.u128()?)) } else { None };
        let mut set = || (0..from.count(4)?).map(|_| Ok(from.text()?.to_owned())).collect::<Result<_>>();
        let labels = if word & WITH_LABELS != 0 { Some((set()?, set()?)) } else { None };
        Ok(Decide { digests, ids, duplicate, by, time, link, texts, labels })
    }
}

impl Prefer {
    pub fn encode(&self, out: &mut Vec<u8>) {
        out.number(self.document);
        out.u8(u8::from(self.preferred));
        out.text(&self.by);
        out.u32(self.time);
    }

    pub fn decode(from: &mut Decoder<'_>) -> Result<Prefer> {
        Ok(Prefer {
            document: from.number()?,
            preferred: from.u8()? != 0,
            by: from.text()?.to_owned(),
            time: from.u32()?,
        })
    }
}

pub fn encode_place(place: Place, out: &mut Vec<u8>) {
    out.u32s([place.segment, place.offset, place.length]);
}

pub fn decode_place(from: &mut Decoder<'_>) -> Result<Place> {
    Ok(Place { segment: from.u32()?, offset: from.u32()?, length: from.u32()? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lookalike_core::difference::{Difference, DifferenceKind};
    use lookalike_core::numbers::Number;
    use lookalike_core::sign::Fingerprint;

    #[test]
    fn operations_come_back_as_they_were_and_a_cut_is_an_error() {
        let put = Put {
            id: "\"a\"".to_owned(),
            place: Place { segment: 1, offset: 2, length: 3 },
            digest: Some(7),
            scores: vec![1, 2],
            keys: vec![u64::MAX, 5],
            stored: vec![9],
            labels: vec!["x".to_owned(), "y".to_owned()],
            set: "spam".to_owned(),
            added: 10,
            expires: 11,
            lives: 12,
            hits: 13,
            interval: 14,
            links: vec![(Number::from_index(3), 0.5)],
            continues: Some(Continues {
                document: Number::from_index(4),
                replaces: true,
                before: None,
                version: Version {
                    time: 1,
                    changed: true,
                    similarity: None,
                    bytes: 9,
                    marks: Marks::default(),
                },
            }),
            origin: None,
            crowd: None,
        };
        let print = |high| Some(Fingerprint { scheme: 3, low: u64::MAX - 1, high });
        let difference = Some(Difference::of(DifferenceKind::Replaced));
        let marks = Marks { fingerprint: print(Some(5)), distance: Some(128), difference };
        let mut marked = put.clone();
        if let Some(continues) = &mut marked.continues {
            continues.before = print(None);
            continues.version.marks = Marks { fingerprint: None, ..marks };
        }
        let crowded = Put { crowd: Some(vec![Number::from_index(3), Number::from_index(9)]), ..put.clone() };
        let bare =
            Put { digest: None, continues: None, links: Vec::new(), labels: Vec::new(), ..put.clone() };
        let decide = Decide {
            digests: (1, 2),
            ids: ("1".to_owned(), "2".to_owned()),
            duplicate: None,
            by: "me".to_owned(),
            time: 5,
            link: Some(0.25),
            texts: Some((u128::MAX, 3)),
            labels: Some((vec!["x".to_owned(), "y".to_owned()], Vec::new())),
        };
        let unlabelled = Decide { labels: None, ..decide.clone() };
        let denied = Decide { duplicate: Some(false), link: None, texts: None, ..decide.clone() };
        let touch = Touch {
            document: Number::from_index(1),
            seen: 2,
            expires: 3,
            hits: 4,
            unchanged: 5,
            interval: 6,
        };
        let version =
            Version { time: 1, changed: false, similarity: Some(0.5), bytes: 9, marks: Marks::default() };
        let all = [
            Operation::Put(put),
            Operation::Put(bare),
            Operation::Put(crowded),
            Operation::Put(Put { crowd: Some(Vec::new()), ..marked.clone() }),
            Operation::Put(marked),
            Operation::Remove { document: Number::from_index(8) },
            Operation::Touch(touch),
            Operation::Decide(decide),
            Operation::Decide(unlabelled),
            Operation::Decide(denied),
            Operation::Prefer(Prefer {
                document: Number::from_index(3),
                preferred: true,
                by: "me".to_owned(),
                time: 6,
            }),
            Operation::Number { since: 3, next: Number::from_index(9) },
            Operation::Keep([1, 5, 8].map(Number::from_index).to_vec()),
            Operation::Remember { document: Number::from_index(2), versions: vec![version.clone(); 2] },
            Operation::Remember {
                document: Number::from_index(2),
                versions: vec![version.clone(), Version { marks, ..version }],
            },
        ];
        for operation in all {
            let mut bytes = Vec::new();
            operation.encode(&mut bytes);
            let mut decoder = Decoder::new(&bytes);
            assert_eq!(Operation::decode(&mut decoder).unwrap(), operation);
            assert!(decoder.is_empty());
            for cut in 0..bytes.len() {
                assert!(Operation::decode(&mut Decoder::new(&bytes[..cut])).is_err(), "{cut}");
            }
        }
    }
}
