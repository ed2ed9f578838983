//! What every crate that keeps something on disk needs, once: files that are whole or not there ([`files`]), JSON that
//! tells whether it is what was written ([`json`]), logs of checked frames ([`log`]), locks between processes
//! ([`lock`]), and the time ([`clock`]).
//!
//! Threads are in `lookalike_core::threads`: the core itself computes on them, and knows no other crate.

pub mod clock;
pub mod files;
pub mod json;
pub mod lock;
pub mod log;
