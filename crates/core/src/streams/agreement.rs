//! How the streams of two documents agree.

use std::cmp::Ordering;
use std::fmt;

use serde::Serialize;

use super::item::{MOST_ITEMS, STRUCTURE_ITEMS};
use super::{StreamKind, Streams};

/// A stream contradicts below this resemblance: a logo or a footer that all pages of a site share does not make
/// different pictures and links the same, and a tenth is more than a few such items make of an ordinary page.
const CONTRADICTS_BELOW: f64 = 0.1;

/// The fewest items that both documents must have for a stream to contradict. A single link or date that changed is
/// no contradiction. Documents have fewer images than links, and one alone is often a logo or a portrait.
const LEAST_ITEMS: [usize; StreamKind::ALL.len()] = [2, 3, 3, 3];

/// Images that are not the same are compared one by one, if there are no more than this many.
const MOST_COMPARED: usize = 64;

/// The scale of the stored resemblances.
const SCALE: u16 = 10_000;
const ABSENT: u16 = u16::MAX;

/// For each stream that two documents have, the Jaccard resemblance of its items to four digits, and whether it
/// contradicts. Nine bytes, since every verified pair has it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct StreamAgreement {
    resemblance: [u16; StreamKind::ALL.len()],
    contradicting: u8,
}

impl StreamAgreement {
    /// Of documents that have no stream in common.
    pub const NONE: StreamAgreement =
        StreamAgreement { resemblance: [ABSENT; StreamKind::ALL.len()], contradicting: 0 };

    /// The bytes of [`to_bytes`](StreamAgreement::to_bytes).
    pub const BYTES: usize = 2 * StreamKind::ALL.len() + 1;

    pub(super) fn between(a: &Streams, b: &Streams, distance: u32) -> StreamAgreement {
        let mut agreement = StreamAgreement::NONE;
        for kind in StreamKind::ALL {
            let (x, y) = (a.items(kind), b.items(kind));
            if let Some(share) = resemblance(kind, x, y, distance) {
                agreement.note(kind, (x.len(), y.len()), share);
            }
        }
        agreement
    }

    /// Notes how two documents with so many items of a stream resemble each other in it.
    pub fn note(&mut self, kind: StreamKind, (a, b): (usize, usize), resemblance: f64) {
        let place = kind as usize;
        // Nothing but the same is 1, nothing but a difference in everything 0.
        self.resemblance[place] = match resemblance {
            0.0 => 0,
            1.0 => SCALE,
            share => ((share * f64::from(SCALE)).round() as u16).clamp(1, SCALE - 1),
        };
        if a.min(b) >= LEAST_ITEMS[place] && resemblance < CONTRADICTS_BELOW {
            self.contradicting |= 1 << place;
        }
    }

    /// The resemblance of a stream, from 0 to 1; `None` unless both documents have it.
    pub fn resemblance(&self, kind: StreamKind) -> Option<f64> {
        let share = self.resemblance[kind as usize];
        (share != ABSENT).then(|| f64::from(share) / f64::from(SCALE))
    }

    /// Whether both documents have several items of a stream, and nearly none in common.
    pub fn contradicts(&self, kind: StreamKind) -> bool {
        self.contradicting >> kind as u8 & 1 == 1
    }

    /// The streams that contradict.
    pub fn contradicting(self) -> impl Iterator<Item = StreamKind> {
        StreamKind::ALL.into_iter().filter(move |&kind| self.contradicts(kind))
    }

    /// Itself, if there is anything to tell.
    pub fn told(self) -> Option<StreamAgreement> {
        (self != StreamAgreement::NONE).then_some(self)
    }

    /// For storing it.
    pub fn to_bytes(self) -> [u8; StreamAgreement::BYTES] {
        let mut bytes = [0; StreamAgreement::BYTES];
        for (place, share) in bytes.as_chunks_mut::<2>().0.iter_mut().zip(self.resemblance) {
            *place = share.to_le_bytes();
        }
        bytes[StreamAgreement::BYTES - 1] = self.contradicting;
        bytes
    }

    /// The reverse of [`to_bytes`](StreamAgreement::to_bytes); `None` for bytes that it does not return.
    pub fn from_bytes(bytes: &[u8]) -> Option<StreamAgreement> {
        let (shares, rest) = bytes.as_chunks::<2>();
        let shares: [[u8; 2]; StreamKind::ALL.len()] = shares.try_into().ok()?;
        let &[contradicting] = rest else { return None };
        let resemblance = shares.map(u16::from_le_bytes);
        let is_known = resemblance.iter().all(|&share| share <= SCALE || share == ABSENT)
            && contradicting < 1 << StreamKind::ALL.len();
        is_known.then_some(StreamAgreement { resemblance, contradicting })
    }
}

/// The Jaccard resemblance of two streams, whose items rise; `None` unless both have items. Images count as the same
/// if their hashes differ in at most `distance` bits.
pub fn resemblance(kind: StreamKind, a: &[u64], b: &[u64], distance: u32) -> Option<f64> {
    if a.is_empty() || b.is_empty() {
        return None;
    }
    Some(match kind {
        StreamKind::Images => of_images(a, b, distance),
        StreamKind::Links | StreamKind::Metadata => of_samples(a, b, MOST_ITEMS),
        StreamKind::Structure => of_samples(a, b, STRUCTURE_ITEMS),
    })
}

/// The resemblance of two sets by the lowest items of both: exact, unless one has more than the sample holds.
fn of_samples(a: &[u64], b: &[u64], sample: usize) -> f64 {
    let (mut seen, mut shared, mut left, mut right) = (0u32, 0u32, 0, 0);
    // A set that is no sample of a larger one is known to its end.
    let most = if a.len() < sample && b.len() < sample { usize::MAX } else { sample };
    while (seen as usize) < most && (left < a.len() || right < b.len()) {
        let order = match (a.get(left), b.get(right)) {
            (Some(x), Some(y)) => x.cmp(y),
            (Some(_), None) => Ordering::Less,
            (None, _) => Ordering::Greater,
        };
        left += usize::from(order.is_le());
        right += usize::from(order.is_ge());
        shared += u32::from(order.is_eq());
        seen += 1;
    }
    f64::from(shared) / f64::from(seen.max(1))
}

/// Each image is paired with at most one of the other document: the same first, then the nearest.
fn of_images(a: &[u64], b: &[u64], distance: u32) -> f64 {
    let only = |these: &[u64], others: &[u64]| -> Vec<u64> {
        these.iter().filter(|item| others.binary_search(item).is_err()).copied().collect()
    };
    let (mut only_a, mut only_b) = (only(a, b), only(b, a));
    let mut shared = a.len() - only_a.len();
    if only_a.len().max(only_b.len()) <= MOST_COMPARED {
        let all = only_a.iter().flat_map(|&x| only_b.iter().map(move |&y| ((x ^ y).count_ones(), x, y)));
        let mut near: Vec<(u32, u64, u64)> = all.filter(|&(bits, ..)| bits <= distance).collect();
        // Whichever document comes first, the same pairs are made.
        near.sort_unstable_by_key(|&(bits, x, y)| (bits, x.min(y), x.max(y)));
        for (_, x, y) in near {
            let places = (only_a.binary_search(&x), only_b.binary_search(&y));
            if let (Ok(in_a), Ok(in_b)) = places {
                only_a.remove(in_a);
                only_b.remove(in_b);
                shared += 1;
            }
        }
    }
    shared as f64 / (a.len() + b.len() - shared).max(1) as f64
}

impl fmt::Debug for StreamAgreement {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut map = out.debug_map();
        for kind in StreamKind::ALL {
            if let Some(share) = self.resemblance(kind) {
                map.entry(&kind.name(), &(share, self.contradicts(kind)));
            }
        }
        map.finish()
    }
}

/// As results write it.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
struct Told {
    /// How alike their images are, from 0 to 1; left out unless both have some.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    images: Option<f64>,
    /// How alike their links are.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    links: Option<f64>,
    /// How alike their metadata are.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    metadata: Option<f64>,
    /// How alike they are built.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0, max = 1)))]
    structure: Option<f64>,
    /// The streams of which both have several items and nearly none in common; left out if there is none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    contradict: Vec<StreamKind>,
}

impl Serialize for StreamAgreement {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let told = Told {
            images: self.resemblance(StreamKind::Images),
            links: self.resemblance(StreamKind::Links),
            metadata: self.resemblance(StreamKind::Metadata),
            structure: self.resemblance(StreamKind::Structure),
            contradict: self.contradicting().collect(),
        };
        told.serialize(serializer)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for StreamAgreement {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "StreamAgreement".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Told::json_schema(generator)
    }
}
