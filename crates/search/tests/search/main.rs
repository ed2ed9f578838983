//! Search as its callers use it, with real files.

mod asking;
mod common;
mod oracle;
mod restart;
