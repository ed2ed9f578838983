//! A file, or a part of one, as a reader gets it.

use lookalike_core::hash;

use crate::kind::Kind;

/// A file's bytes, with what is known about it.
pub struct File<'a> {
    /// All of it.
    pub bytes: &'a [u8],
    /// Its name, which may be misleading; empty if it has none.
    pub name: &'a str,
    /// The format.
    pub kind: Kind,
}

/// 128 bits in hexadecimal: equal for equal bytes, and different otherwise except by malice.
pub fn hash_of(bytes: &[u8]) -> String {
    let mut digester = hash::Digester::default();
    let (words, rest) = bytes.as_chunks::<8>();
    words.iter().for_each(|word| digester.push(u64::from_le_bytes(*word)));
    digester.push(hash::bytes(rest));
    digester.push(bytes.len() as u64);
    format!("{:032x}", digester.finish())
}
