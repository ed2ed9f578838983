#![no_main]
lookalike_fuzz::target!(Nitf | Trec | Reuters);
