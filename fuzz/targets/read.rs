//! The fuzzer's program, one for all targets: which one is named by `LOOKALIKE_FUZZ_READER`.
#![no_main]

use std::sync::LazyLock;

use lookalike_extract::Kind;

static KINDS: LazyLock<&[Kind]> = LazyLock::new(|| {
    let target = std::env::var("LOOKALIKE_FUZZ_READER").unwrap_or_else(|_| "any".to_owned());
    lookalike_fuzz::kinds(&target).unwrap_or_else(|| panic!("there is no target {target}"))
});

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lookalike_fuzz::read(&KINDS, bytes));
