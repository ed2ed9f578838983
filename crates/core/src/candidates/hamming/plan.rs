//! How the bits of some items are cut into blocks, and how many blocks are worth their cost.
//!
//! Two values that differ in at most k bits agree on at least L of k + L blocks. Each of the
//! C(k + L, L) choices of L blocks is a table, in which only items that agree on these blocks are
//! compared. More blocks make more tables with smaller buckets; the best number follows from the
//! number of items.
//!
//! Bits that all items share distinguish nothing and are left out; bits that nearly all items share
//! distinguish little. So a sample measures how much each bit distinguishes, and the bits are dealt
//! to the blocks in turn, from the best to the worst: items that share many bits are still
//! separated by every table.

use super::table::Field;
use super::word::{Item, Word};
use crate::hash;

/// What decides between tables and plain comparison; tests make it prefer tables.
#[derive(Clone, Copy, Debug)]
pub struct Tuning {
    /// Up to this many items, each is compared with each.
    pub leaf: usize,
    /// From this many items on, threads share the work.
    pub spread: usize,
    /// The cost of sorting an item into a table, in comparisons.
    pub move_cost: f64,
}

impl Default for Tuning {
    fn default() -> Self {
        Tuning { leaf: 48, spread: 1 << 14, move_cost: 15.0 }
    }
}

/// The size of the sample that measures how much each bit distinguishes.
const SAMPLE: usize = 256;

/// The most blocks on which pairs agree. Each further block multiplies the tables; it is better to
/// cut what is left again, by what its own bits distinguish.
const MOST_LEVELS: u32 = 4;

/// The most bits of a key; the counters for more would not fit into the cache.
const MOST_KEY_BITS: u32 = 16;

pub struct Plan<W> {
    pub order: Order<W>,
    pub blocks: Vec<Block<W>>,
    /// How many of the blocks may differ.
    pub spare: usize,
}

/// Bits that are compared as one. They stand side by side, those that distinguish most first.
#[derive(Clone, Copy, Debug)]
pub struct Block<W> {
    pub mask: W,
    shift: u32,
    bits: u32,
    /// How much the block distinguishes: it separates items like this many random bits.
    information: f64,
}

impl<W> Block<W> {
    /// The key by which this many items are sorted; only a part of the block if they are few.
    pub fn field(&self, items: usize) -> Field {
        let enough = items.max(1).ilog2() + 3;
        Field { shift: self.shift, bits: self.bits.min(enough).min(MOST_KEY_BITS) }
    }

    /// The size above which a bucket is larger than chance explains.
    pub fn crowd(&self, items: usize, leaf: usize) -> usize {
        let fair = items as f64 / self.information.min(f64::from(MOST_KEY_BITS)).exp2();
        (4.0 * fair) as usize + 2 * leaf
    }
}

impl<W: Word> Plan<W> {
    /// The cheapest plan for distinct or mostly distinct items; `None` if comparing each with each is
    /// cheaper. Bits that must `agree` come first, in a table of their own.
    pub fn choose(items: &[Item<W>], varying: W, agree: W, distance: u32, tuning: &Tuning) -> Option<Self> {
        let bits = informative_bits(items, varying);
        let (fixed, free): (Vec<_>, Vec<_>) = bits.into_iter().partition(|&(_, bit)| agree.has(bit));
        if !fixed.is_empty() {
            return Some(Plan::new(&[fixed, free], 1, 0));
        }
        let information = free.iter().map(|&(information, _)| information).sum();
        let levels = cheapest_levels(items.len(), information, free.len(), distance, tuning)?;
        let mut blocks = vec![Vec::new(); (distance + levels) as usize];
        let count = blocks.len();
        for (at, bit) in free.into_iter().enumerate() {
            // Forwards and backwards in turn, or the first block would get the best bit of each
            // round.
            let (round, seat) = (at / count, at % count);
            blocks[if round % 2 == 0 { seat } else { count - 1 - seat }].push(bit);
        }
        Some(Plan::new(&blocks, count, distance as usize))
    }

    /// Lays all groups of bits side by side; the first `count` of them are blocks.
    fn new(groups: &[Vec<(f64, u32)>], count: usize, spare: usize) -> Self {
        let mut order = Vec::new();
        let mut blocks = Vec::new();
        for group in groups {
            let shift = order.len() as u32;
            order.extend(group.iter().map(|&(_, bit)| bit));
            let mask = (shift..order.len() as u32).fold(W::ZERO, |mask, bit| mask | W::ONE << bit);
            let information = group.iter().map(|&(information, _)| information).sum();
            blocks.push(Block { mask, shift, bits: group.len() as u32, information });
        }
        blocks.truncate(count);
        Plan { order: Order::new(&order), blocks, spare }
    }
}

/// The bits that vary, with how much each distinguishes; the best first.
fn informative_bits<W: Word>(items: &[Item<W>], varying: W) -> Vec<(f64, u32)> {
    // A sample at regular steps would be misled by items that repeat at the same steps.
    let places =
        (0..SAMPLE.min(items.len()) as u64).map(|at| (u128::from(hash::mix(at)) * items.len() as u128) >> 64);
    let sample: Vec<W> = places.filter_map(|place| Some(items.get(place as usize)?.value)).collect();
    let size = sample.len() as f64;
    let mut bits: Vec<(f64, u32)> = (0..W::BITS)
        .filter(|&bit| varying.has(bit))
        .map(|bit| {
            let ones = sample.iter().filter(|value| value.has(bit)).count() as f64;
            // Half a count is added on both sides: the sample may have missed the few that differ.
            let share = (ones + 0.5) / (size + 1.0);
            let meet = share * share + (1.0 - share) * (1.0 - share);
            (-meet.log2(), bit)
        })
        .collect();
    bits.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    bits
}

/// On how many blocks pairs should agree; `None` if tables do not pay. Costs are counted in
/// comparisons per item.
fn cheapest_levels(
    items: usize,
    information: f64,
    bits: usize,
    distance: u32,
    tuning: &Tuning,
) -> Option<u32> {
    let mut best = (items as f64 / 2.0, None);
    for levels in (1..=MOST_LEVELS).take_while(|levels| (distance + levels) as usize <= bits) {
        let shrink = (information / f64::from(distance + levels)).min(f64::from(MOST_KEY_BITS)).exp2();
        let (mut cost, mut tables, mut bucket) = (0.0, 1.0, items as f64);
        for level in 1..=levels {
            if bucket <= tuning.leaf as f64 {
                break;
            }
            tables *= f64::from(distance + level) / f64::from(level);
            cost += tables * tuning.move_cost;
            bucket /= shrink;
        }
        cost += tables * bucket / 2.0;
        if cost < best.0 {
            best = (cost, Some(levels));
        }
    }
    best.1
}

/// Puts the bits of a word in another order, some of them left out, by one look-up for each byte.
pub struct Order<W> {
    images: Vec<[W; 256]>,
}

impl<W: Word> Order<W> {
    /// Bit `i` of the result is bit `bits[i]` of the word.
    fn new(bits: &[u32]) -> Self {
        let mut targets = vec![W::ZERO; W::BITS as usize];
        for (to, &from) in (0..).zip(bits) {
            targets[from as usize] = W::ONE << to;
        }
        let images = targets.chunks_exact(8).map(|targets| {
            let mut image = [W::ZERO; 256];
            for byte in 1..256usize {
                image[byte] = image[byte & (byte - 1)] | targets[byte.trailing_zeros() as usize];
            }
            image
        });
        Order { images: images.collect() }
    }

    #[inline]
    pub fn apply(&self, word: W) -> W {
        let mut result = W::ZERO;
        for (image, shift) in self.images.iter().zip((0..).step_by(8)) {
            result = result | image[(word >> shift).low() as usize & 0xff];
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(count: u32) -> Vec<Item<u64>> {
        (0..count).map(|place| Item { value: hash::mix(u64::from(place)), place }).collect()
    }

    #[test]
    fn an_order_moves_bits_and_drops_the_others() {
        let order = Order::<u64>::new(&[63, 0, 17]);
        assert_eq!(order.apply(1 << 63 | 1 << 17 | 1 << 16), 0b101);
        let wide = Order::<u128>::new(&[5, 127]);
        assert_eq!(wide.apply(1 << 127), 2);
    }

    #[test]
    fn blocks_cover_every_varying_bit_once() {
        let (items, varying) = (random(100_000), u64::MAX >> 7);
        let plan = Plan::choose(&items, varying, 0, 3, &Tuning::default()).unwrap();
        assert_eq!(plan.blocks.len(), plan.spare + 1, "few items: one block agrees");
        let union = plan.blocks.iter().fold(0, |union, block| {
            assert_eq!(union & block.mask, 0);
            union | block.mask
        });
        assert_eq!(union, u64::MAX >> 7);
        assert_eq!(plan.order.apply(u64::MAX), union);
        assert_eq!(plan.order.apply(!varying), 0);
    }

    #[test]
    fn bits_that_must_agree_are_the_first_block() {
        let plan = Plan::choose(&random(1000), u64::MAX, 0xff << 56, 3, &Tuning::default()).unwrap();
        assert_eq!((plan.blocks.len(), plan.spare), (1, 0));
        assert_eq!(plan.order.apply(0xff << 56), plan.blocks[0].mask);
        assert_eq!(plan.order.apply(u64::MAX), u64::MAX, "the others are kept");
    }

    #[test]
    fn more_items_agree_on_more_blocks_and_great_distances_are_not_worth_it() {
        let levels = |items, distance| cheapest_levels(items, 64.0, 64, distance, &Tuning::default());
        assert_eq!(levels(60, 3), None);
        assert_eq!(levels(1_000_000, 3), Some(1));
        assert_eq!(levels(10_000_000, 3), Some(2));
        assert_eq!(levels(100_000, 16), None);
        assert_eq!(cheapest_levels(1000, 2.0, 2, 3, &Tuning::default()), None, "fewer bits than may differ");
    }

    #[test]
    fn constant_bits_are_spread_over_the_blocks() {
        // A tenth of the values varies in the high half, all in the low one.
        let mut items = random(10_000);
        for item in &mut items {
            let rare = u64::from(item.place % 10 == 0);
            item.value &= u64::from(u32::MAX) | u64::MAX.wrapping_mul(rare);
        }
        let plan = Plan::choose(&items, u64::MAX, 0, 3, &Tuning::default()).unwrap();
        let least = plan.blocks.iter().map(|block| block.information).fold(f64::MAX, f64::min);
        let most = plan.blocks.iter().map(|block| block.information).fold(0.0, f64::max);
        assert!(most - least < 1.5, "{least} to {most}");
    }
}
