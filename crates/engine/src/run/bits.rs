//! One bit for each document.

use crate::corpus::CorpusNumber;

#[derive(Clone)]
pub struct Bits(Vec<u64>);

impl Bits {
    pub fn new(documents: u32) -> Self {
        Bits(vec![0; (documents as usize).div_ceil(64)])
    }

    pub fn set(&mut self, document: CorpusNumber) {
        self.0[document.index() / 64] |= 1 << (document.index() % 64);
    }

    pub fn get(&self, document: CorpusNumber) -> bool {
        self.0[document.index() / 64] >> (document.index() % 64) & 1 == 1
    }
}
