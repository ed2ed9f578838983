//! What must hold for every pair of a bucket, and what its items stand for.

use super::plan::Order;
use super::word::{Item, Word};

/// The conditions that make a pair belong to this bucket and to no other.
#[derive(Clone)]
pub struct Limits<'a, W> {
    /// Bits that must agree.
    pub agree: W,
    /// In each of these masks some bit must differ: else an earlier table has the pair.
    pub differ: Vec<W>,
    /// If present, items are numbers of these groups; otherwise they are places of records.
    pub groups: Option<&'a Groups>,
}

impl<'a, W: Word> Limits<'a, W> {
    #[inline]
    pub fn allow(&self, difference: W) -> bool {
        difference & self.agree == W::ZERO && self.differ.iter().all(|&mask| difference & mask != W::ZERO)
    }

    /// Whether items that differ in no other bits than these can form a pair at all.
    pub fn allow_any_within(&self, varying: W) -> bool {
        self.differ.iter().all(|&mask| varying & mask != W::ZERO)
    }

    pub fn reordered(&self, order: &Order<W>) -> Limits<'a, W> {
        Limits {
            agree: order.apply(self.agree),
            differ: self.differ.iter().map(|&mask| order.apply(mask)).collect(),
            groups: self.groups,
        }
    }
}

/// The places of equal items.
pub struct Groups {
    places: Vec<u32>,
    /// Where each group ends.
    ends: Vec<u32>,
}

impl Groups {
    /// Keeps one item of each value; its place becomes the number of its group.
    pub fn gather<W: Word>(items: &mut Vec<Item<W>>) -> Groups {
        items.sort_unstable();
        let places = items.iter().map(|item| item.place).collect();
        let mut ends: Vec<u32> = Vec::new();
        for at in 0..items.len() {
            if at == 0 || items[at].value != items[at - 1].value {
                ends.push(at as u32);
            }
            if let Some(end) = ends.last_mut() {
                *end += 1;
            }
        }
        items.dedup_by_key(|item| item.value);
        for (number, item) in (0..).zip(items.iter_mut()) {
            item.place = number;
        }
        Groups { places, ends }
    }

    pub fn get(&self, number: u32) -> &[u32] {
        let number = number as usize;
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        &self.places[start as usize..self.ends[number] as usize]
    }

    pub fn iter(&self) -> impl Iterator<Item = &[u32]> {
        (0..self.ends.len() as u32).map(|number| self.get(number))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_items_become_one() {
        let mut items: Vec<Item<u64>> =
            [7, 3, 7, 9, 3, 7].into_iter().zip(0..).map(|(value, place)| Item { value, place }).collect();
        let groups = Groups::gather(&mut items);
        assert_eq!(items.iter().map(|item| item.value).collect::<Vec<_>>(), [3, 7, 9]);
        assert_eq!(groups.iter().collect::<Vec<_>>(), [&[1, 4][..], &[0, 2, 5], &[3]]);
        assert!(Groups::gather::<u64>(&mut Vec::new()).iter().next().is_none());
    }
}
