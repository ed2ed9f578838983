//! Reading files in child processes that can be killed.
//!
//! A library that loops, overflows its stack or eats all memory takes only its child with it: the
//! file is reported with the reason, a new child goes on with the next one. The child is the
//! program itself, started with an argument that makes it call [`serve`]; it reads requests from
//! standard input and answers on standard output, so nothing but bytes is shared.

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
    /// The file, as the system names it: any bytes.
    path: Vec<u8>,
    /// What the file is called, for formats that only the name tells.
    name: String,
    options: Options,
}
