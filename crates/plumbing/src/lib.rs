//! What every crate that stores data on disk needs: files that exist complete or not at all ([`files`]), JSON with a
//! checksum ([`json`]), logs of checksummed frames ([`log`]), locks between processes ([`lock`]), and the time
//! ([`clock`]).
//!
//! Threads are in `lookalike_core::threads`, because the core itself uses them and depends on no other
//! crate.

pub mod clock;
pub mod files;
pub mod json;
pub mod lock;
pub mod log;
