//! Fingerprints of 64 or 128 bits under one name, so that the search is written once.

use std::ops::{BitAnd, BitOr, BitXor, Shl, Shr};

pub trait Word:
    Copy
    + Default
    + Ord
    + Send
    + Sync
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
{
    const BITS: u32;
    const ZERO: Self;
    const ONE: Self;

    /// From the little-endian bytes of a record; `None` if they are too few or too many.
    fn read(bytes: &[u8]) -> Option<Self>;

    fn ones(self) -> u32;

    /// The lowest 64 bits.
    fn low(self) -> u64;

    /// Whether the bit is set; `bit` is below [`Word::BITS`].
    fn has(self, bit: u32) -> bool {
        (self >> bit).low() & 1 == 1
    }
}

macro_rules! word {
    ($type:ty) => {
        impl Word for $type {
            const BITS: u32 = <$type>::BITS;
            const ZERO: Self = 0;
            const ONE: Self = 1;

            fn read(bytes: &[u8]) -> Option<Self> {
                Some(<$type>::from_le_bytes(bytes.try_into().ok()?))
            }

            #[inline(always)]
            fn ones(self) -> u32 {
                self.count_ones()
            }

            #[inline(always)]
            fn low(self) -> u64 {
                self as u64
            }
        }
    };
}

word!(u64);
word!(u128);

/// A fingerprint, and the place of its record or the number of its group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Item<W> {
    pub value: W,
    pub place: u32,
}

/// The bits in which not all items agree.
pub fn varying<W: Word>(items: &[Item<W>]) -> W {
    let Some(first) = items.first() else { return W::ZERO };
    items.iter().fold(W::ZERO, |bits, item| bits | (item.value ^ first.value))
}
