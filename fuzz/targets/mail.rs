#![no_main]
lookalike_fuzz::target!(Mail);
