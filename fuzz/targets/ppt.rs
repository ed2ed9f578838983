#![no_main]
lookalike_fuzz::target!(Ppt);
