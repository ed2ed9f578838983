//! Maps by number of a document or content. Nobody outside chooses these numbers, so a plain mix of their bits will do.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

pub type NumberMap<T> = HashMap<u32, T, BuildHasherDefault<Mix>>;

#[derive(Default)]
pub struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = lookalike_core::hash::bytes(bytes);
    }

    fn write_u32(&mut self, number: u32) {
        self.0 = lookalike_core::hash::mix(u64::from(number));
    }
}
