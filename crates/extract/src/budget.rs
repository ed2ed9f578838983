//! What one file may unpack and write, shared by everything nested in it.
//!
//! Two counts: what is *held* at a time (a document being read, with the container around it) is
//! bounded tightly, since it is memory. The *total* that has passed is bounded loosely and by its
//! ratio to the file, since a crawl or an archive hands over its documents one by one: a container
//! calls [`Budget::mark`] before and [`Budget::release`] after each member.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::reason::Reason;
use lookalike_core::reading::Limits;

/// Below this much, a high ratio of unpacked to packed bytes is no sign of a bomb.
const RATIO_FROM: u64 = 8 << 20;

#[derive(Debug)]
pub struct Budget {
    limits: Limits,
    /// Bytes of the file itself.
    packed: u64,
    held: u64,
    total: Arc<AtomicU64>,
    documents: u64,
}

/// A decompressor whose output is added to the total while others use the budget. It fails when the
/// budget is spent; [`Budget::check`] then says why.
pub struct Metered<R> {
    from: R,
    total: Arc<AtomicU64>,
    most: u64,
}

impl Budget {
    pub fn new(limits: &Limits, file_bytes: u64) -> Self {
        Budget { limits: limits.clone(), packed: file_bytes, held: 0, total: Arc::default(), documents: 0 }
    }

    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Counts unpacked or written bytes.
    pub fn spend(&mut self, bytes: u64) -> Result<(), Reason> {
        self.held = self.held.saturating_add(bytes);
        self.total.fetch_add(bytes.min(u64::MAX / 4), Ordering::Relaxed);
        self.check()
    }

    /// Whether no limit has been exceeded so far.
    pub fn check(&self) -> Result<(), Reason> {
        let over =
            |most: u64| Err(Reason::Limit(format!("more than {} MB of text or unpacked data", most >> 20)));
        let total = self.total.load(Ordering::Relaxed);
        if self.held > self.limits.output_bytes {
            over(self.limits.output_bytes)
        } else if total > self.limits.total_bytes {
            over(self.limits.total_bytes)
        } else if total > self.most_by_ratio() {
            Err(Reason::Limit(format!("unpacks to more than {} times its size", self.limits.ratio)))
        } else if self.documents > self.limits.documents {
            Err(Reason::Limit(format!("more than {} documents in one file", self.limits.documents)))
        } else {
            Ok(())
        }
    }

    /// The amount held now, to return to later.
    pub fn mark(&self) -> u64 {
        self.held
    }

    /// Releases what was spent since the mark: the member it was for has been handed over.
    pub fn release(&mut self, mark: u64) {
        self.held = self.held.min(mark);
    }

    /// How much more may be held.
    pub fn left(&self) -> u64 {
        self.limits.output_bytes.saturating_sub(self.held)
    }

    pub fn document(&mut self) -> Result<(), Reason> {
        self.documents += 1;
        self.check()
    }

    /// Reads to the end of a decompressor, but not beyond the budget. `named_size` is what the
    /// container claims, which is only a hint.
    pub fn read_to_end(&mut self, from: &mut dyn Read, named_size: u64) -> Result<Vec<u8>, Reason> {
        let (bytes, error) = self.read_what_is_there(from, named_size)?;
        error.map_or(Ok(bytes), Err)
    }

    /// The same for a stream that may be damaged: returns the bytes before the damage, and the
    /// damage.
    pub fn read_what_is_there(
        &mut self,
        from: &mut dyn Read,
        named_size: u64,
    ) -> Result<(Vec<u8>, Option<Reason>), Reason> {
        let mut bytes = Vec::with_capacity(named_size.min(1 << 20) as usize);
        let mut chunk = vec![0; 64 << 10];
        loop {
            match from.read(&mut chunk) {
                Ok(0) => return Ok((bytes, None)),
                Ok(read) => {
                    self.spend(read as u64)?;
                    bytes.extend_from_slice(&chunk[..read]);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.check()?;
                    return Ok((bytes, Some(Reason::damaged(error))));
                }
            }
        }
    }

    /// Makes a stream count what it yields, in the total only: its reader counts what of it is held.
    pub fn metered<R: Read>(&self, from: R) -> Metered<R> {
        let most = self.most_by_ratio().min(self.limits.total_bytes);
        Metered { from, total: Arc::clone(&self.total), most }
    }

    /// Counts what is held of a metered stream, which is already counted in the total.
    pub fn hold(&mut self, bytes: u64) -> Result<(), Reason> {
        self.held = self.held.saturating_add(bytes);
        self.check()
    }

    fn most_by_ratio(&self) -> u64 {
        self.packed.max(1).saturating_mul(self.limits.ratio).max(RATIO_FROM)
    }
}

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(buffer)?;
        let before = self.total.fetch_add(read as u64, Ordering::Relaxed);
        if before.saturating_add(read as u64) > self.most {
            return Err(io::Error::other("over the budget"));
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(error: Reason) -> String {
        match error {
            Reason::Limit(which) => which,
            other => panic!("{other}"),
        }
    }

    #[test]
    fn a_bomb_is_stopped_and_a_small_file_may_unpack_well() {
        let limits = Limits::default();
        let mut small = Budget::new(&limits, 10);
        assert!(small.spend(1 << 20).is_ok());
        let mut zeros = std::io::repeat(0);
        let error = Budget::new(&limits, 1000).read_to_end(&mut zeros, 0).unwrap_err();
        assert!(why(error).contains("times its size"));
        let error = Budget::new(&limits, 1 << 30).read_to_end(&mut std::io::repeat(0), 0).unwrap_err();
        assert!(why(error).contains("256 MB"));
    }

    #[test]
    fn what_was_handed_over_is_not_held_but_counts_in_total() {
        let limits = Limits { total_bytes: 10 << 30, ..Limits::default() };
        let mut budget = Budget::new(&limits, 1 << 30);
        for _ in 0..50 {
            let mark = budget.mark();
            budget.spend(200 << 20).expect("each alone is small enough");
            budget.release(mark);
        }
        assert!(
            why(budget.spend(200 << 20).and_then(|()| budget.spend(200 << 20)).unwrap_err())
                .contains("256 MB")
        );
        budget.release(0);
        assert!(why(budget.spend(250 << 20).unwrap_err()).contains("10240 MB"));
    }

    #[test]
    fn a_metered_stream_stops_and_the_budget_says_why() {
        let budget = Budget::new(&Limits::default(), 100 << 10);
        let mut stream = budget.metered(std::io::repeat(0));
        assert!(std::io::copy(&mut stream, &mut std::io::sink()).is_err());
        assert!(why(budget.check().unwrap_err()).contains("times its size"));
    }
}
