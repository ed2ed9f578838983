//! The exit codes of the program.

/// All is done.
pub const DONE: u8 = 0;
/// Duplicates were found under `--check`, or nothing can be recommended.
pub const FOUND: u8 = 1;
/// Something went wrong.
pub const FAILED: u8 = 2;
