//! The kinds of differences, and sets of them.

use std::fmt;
use std::num::NonZeroU16;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// One way in which a text differs from another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum DifferenceKind {
    /// Not at all, but for white space and for characters that Unicode calls compatible.
    None,
    /// Somewhere the words are the same, but not the case of letters or the punctuation.
    Case,
    /// A number is another one, or only one of the texts has it.
    Numbers,
    /// A date or a time is another one, or only one of the texts has it.
    Dates,
    /// A capitalised word is another one, or only one of the texts has it.
    Names,
    /// Words are the same, but stand in another place.
    Order,
    /// The second text has words that the first has not.
    Added,
    /// The first text has words that the second has not.
    Cut,
    /// The second text has other words at the place of words of the first.
    Replaced,
}

impl DifferenceKind {
    /// All kinds, in the order in which they are listed.
    pub const ALL: [DifferenceKind; 9] = [
        DifferenceKind::None,
        DifferenceKind::Case,
        DifferenceKind::Numbers,
        DifferenceKind::Dates,
        DifferenceKind::Names,
        DifferenceKind::Order,
        DifferenceKind::Added,
        DifferenceKind::Cut,
        DifferenceKind::Replaced,
    ];

    /// As results and recipes name it.
    pub fn name(self) -> &'static str {
        match self {
            DifferenceKind::None => "none",
            DifferenceKind::Case => "case",
            DifferenceKind::Numbers => "numbers",
            DifferenceKind::Dates => "dates",
            DifferenceKind::Names => "names",
            DifferenceKind::Order => "order",
            DifferenceKind::Added => "added",
            DifferenceKind::Cut => "cut",
            DifferenceKind::Replaced => "replaced",
        }
    }

    /// By the name that results and recipes use.
    pub fn from_name(name: &str) -> Option<DifferenceKind> {
        DifferenceKind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// Kinds found so far, if any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Kinds(u16);

impl Kinds {
    pub fn add(&mut self, kind: DifferenceKind) {
        self.0 |= kind.bit();
    }

    pub fn add_all(&mut self, kinds: Kinds) {
        self.0 |= kinds.0;
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn difference(self) -> Difference {
        Difference::from_bits(self.0).unwrap_or(Difference::of(DifferenceKind::None))
    }
}

/// The kinds of differences between two texts: [`None`](DifferenceKind::None) alone, or one or several of the others.
/// Two bytes, even where there may be none, since every verified pair has it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Difference(NonZeroU16);

impl Difference {
    /// This kind alone.
    pub fn of(kind: DifferenceKind) -> Difference {
        // No kind is without a bit.
        Difference(NonZeroU16::new(kind.bit()).unwrap_or(NonZeroU16::MIN))
    }

    /// Whether this kind is among them.
    pub fn has(self, kind: DifferenceKind) -> bool {
        self.0.get() & kind.bit() != 0
    }

    /// The kinds, in the order of [`DifferenceKind::ALL`].
    pub fn kinds(self) -> impl Iterator<Item = DifferenceKind> {
        DifferenceKind::ALL.into_iter().filter(move |&kind| self.has(kind))
    }

    /// How the first text differs from the second.
    pub fn reversed(self) -> Difference {
        let (added, cut) = (DifferenceKind::Added, DifferenceKind::Cut);
        let mut bits = self.0.get() & !(added.bit() | cut.bit());
        bits |= if self.has(added) { cut.bit() } else { 0 };
        bits |= if self.has(cut) { added.bit() } else { 0 };
        Difference::from_bits(bits).unwrap_or(self)
    }

    /// A number for storing it; never 0.
    pub fn bits(self) -> u16 {
        self.0.get()
    }

    /// The reverse of [`bits`](Difference::bits); `None` for a number that it does not return.
    pub fn from_bits(bits: u16) -> Option<Difference> {
        let none = DifferenceKind::None.bit();
        let is_known = bits < 1 << DifferenceKind::ALL.len() && (bits & none == 0 || bits == none);
        NonZeroU16::new(bits).filter(|_| is_known).map(Difference)
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.kinds().map(DifferenceKind::name).collect();
        out.write_str(&names.join(", "))
    }
}

impl fmt::Debug for Difference {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Difference({self})")
    }
}

impl Serialize for Difference {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.kinds())
    }
}

impl<'de> Deserialize<'de> for Difference {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let kinds = <Vec<DifferenceKind>>::deserialize(deserializer)?;
        let bits = kinds.iter().fold(0, |bits, kind| bits | kind.bit());
        Difference::from_bits(bits)
            .ok_or_else(|| de::Error::custom("no kinds of difference, or `none` among others"))
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Difference {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Difference".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        <Vec<DifferenceKind>>::json_schema(generator)
    }
}
