//! One bit for each document.

pub struct Bits(Vec<u64>);

impl Bits {
    pub fn new(documents: u32) -> Self {
        Bits(vec![0; (documents as usize).div_ceil(64)])
    }

    pub fn set(&mut self, document: u32) {
        self.0[document as usize / 64] |= 1 << (document % 64);
    }

    pub fn get(&self, document: u32) -> bool {
        self.0[document as usize / 64] >> (document % 64) & 1 == 1
    }
}
