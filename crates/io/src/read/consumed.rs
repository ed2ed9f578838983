//! How much of a file was read, whatever becomes of it when it is decoded.

use std::io::{BufRead, Read, Result};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::place::InOrder;

/// Counts the bytes of a file that decoders took.
#[derive(Clone, Default)]
pub struct Consumed(Arc<AtomicU64>);

impl Consumed {
    /// How many there were since the last call.
    pub fn take(&self) -> u64 {
        self.0.swap(0, Ordering::Relaxed)
    }

    /// Counts what is read of a file.
    pub fn of(&self, file: InOrder) -> Counted {
        Counted { file, consumed: self.clone() }
    }
}

/// A file of which is counted how much was read.
pub struct Counted {
    file: InOrder,
    consumed: Consumed,
}

impl Read for Counted {
    fn read(&mut self, out: &mut [u8]) -> Result<usize> {
        let read = self.file.read(out)?;
        self.consumed.0.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

impl BufRead for Counted {
    fn fill_buf(&mut self) -> Result<&[u8]> {
        self.file.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.file.consume(count);
        self.consumed.0.fetch_add(count as u64, Ordering::Relaxed);
    }
}
