#![no_main]
lookalike_fuzz::target!(Odt | Odp);
