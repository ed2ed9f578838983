#![no_main]
lookalike_fuzz::target!(Xlsx | Xls | Ods);
