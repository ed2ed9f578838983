//! Reading files in child processes that can be killed.
//!
//! A library that loops, overflows its stack or uses up all memory takes only its child with it:
//! the file is reported with the reason, and a new child continues with the next one. The child is
//! the program itself, started with an argument that makes it call [`serve`]; it reads requests
//! from standard input and answers on standard output, so only bytes are exchanged.

mod child;
mod frame;
mod parent;
#[cfg(test)]
mod tests;

pub use child::serve;
pub use parent::{Program, Worker};

use serde::{Deserialize, Serialize};

use lookalike_core::reading::Options;

#[derive(Serialize, Deserialize)]
struct Request {
    /// The path of the file, which may be any bytes.
    path: Vec<u8>,
    /// The name of the file, for formats that only the name identifies.
    name: String,
    options: Options,
}
