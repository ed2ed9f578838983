#![no_main]
lookalike_fuzz::target!(Zip | Tar | Gzip | Zstd);
