//! What one file may unpack and write, shared by everything nested in it.

use std::io::Read;

use crate::options::Limits;
use crate::reason::Reason;

/// Below this much, a high ratio of unpacked to packed bytes is no sign of a bomb.
const RATIO_FROM: u64 = 8 << 20;

#[derive(Debug)]
pub struct Budget {
    limits: Limits,
    /// Bytes of the file itself.
    packed: u64,
    spent: u64,
    documents: u64,
}

impl Budget {
    pub fn new(limits: &Limits, file_bytes: u64) -> Self {
        Budget { limits: limits.clone(), packed: file_bytes, spent: 0, documents: 0 }
    }

    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Counts unpacked or written bytes.
    pub fn spend(&mut self, bytes: u64) -> Result<(), Reason> {
        self.spent = self.spent.saturating_add(bytes);
        if self.spent > self.limits.output_bytes {
            return Err(Reason::Limit(format!(
                "more than {} MB of text or unpacked data",
                self.limits.output_bytes >> 20
            )));
        }
        if self.spent > RATIO_FROM && self.spent / self.packed.max(1) > self.limits.ratio {
            return Err(Reason::Limit(format!("unpacks to more than {} times its size", self.limits.ratio)));
        }
        Ok(())
    }

    pub fn document(&mut self) -> Result<(), Reason> {
        self.documents += 1;
        if self.documents > self.limits.documents {
            return Err(Reason::Limit(format!("more than {} documents in one file", self.limits.documents)));
        }
        Ok(())
    }

    /// Reads to the end of a decompressor, but not beyond the budget. `named_size` is what the
    /// container claims, which is only a hint.
    pub fn read_to_end(&mut self, from: &mut dyn Read, named_size: u64) -> Result<Vec<u8>, Reason> {
        let mut bytes = Vec::with_capacity(named_size.min(1 << 20) as usize);
        let mut chunk = vec![0; 64 << 10];
        loop {
            let read = from.read(&mut chunk).map_err(Reason::damaged)?;
            if read == 0 {
                return Ok(bytes);
            }
            self.spend(read as u64)?;
            bytes.extend_from_slice(&chunk[..read]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bomb_is_stopped_and_a_small_file_may_unpack_well() {
        let limits = Limits::default();
        let mut small = Budget::new(&limits, 10);
        assert!(small.spend(1 << 20).is_ok());
        let mut zeros = std::io::repeat(0);
        let error = Budget::new(&limits, 1000).read_to_end(&mut zeros, 0).unwrap_err();
        assert!(matches!(&error, Reason::Limit(which) if which.contains("times its size")), "{error}");
        let error = Budget::new(&limits, 1 << 30).read_to_end(&mut std::io::repeat(0), 0).unwrap_err();
        assert!(matches!(&error, Reason::Limit(which) if which.contains("256 MB")), "{error}");
    }
}
