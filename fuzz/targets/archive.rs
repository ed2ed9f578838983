#![no_main]
lookalike_fuzz::target!(Zip | SevenZip | Tar | Gzip | Zstd | Xz | Bzip2 | Lz4 | Encoded);
