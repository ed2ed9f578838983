#![no_main]
lookalike_fuzz::target!(Json | Notebook | Calendar | Subtitles);
