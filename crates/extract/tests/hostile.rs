//! Every reader on hostile files: those that a fuzzer led by coverage kept in earlier runs, and changed copies of them.
//! What crashes is written down; put it into `fuzz/crashes`.

#[path = "../../../fuzz/src/lib.rs"]
mod fuzz;

use std::fs;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};

use lzma_rust2::XzReader;

/// How many changed copies each reader is given.
const CHANGED: usize = 10_000;
/// Longer inputs are read, but not changed: most of the time would go into them.
const LONGEST: usize = 1 << 14;
/// No input may take more memory than this.
const MOST_MEMORY: u64 = 3 << 30;

macro_rules! targets {
    ($($name:ident)*) => {
        const NAMES: &[&str] = &[$(stringify!($name)),*];
        $(#[test]
        fn $name() {
            attack(stringify!($name));
        })*
    };
}

targets! {
    any archive doc docx epub html image json mail markdown mbox msg news opendocument pdf ppt pptx rtf sheet text tnef
    warc wordperfect xml
}

#[test]
fn no_target_is_left_out() {
    assert_eq!(NAMES, fuzz::TARGETS.map(|(name, _)| name));
}

fn attack(target: &str) {
    limit_memory();
    let kinds = fuzz::kinds(target).unwrap();
    let inputs = stored(target);
    assert!(inputs.len() > 3, "{target} has only {} inputs", inputs.len());
    inputs.iter().for_each(|input| read(target, kinds, input));

    let short: Vec<&Vec<u8>> = inputs.iter().filter(|input| (1..=LONGEST).contains(&input.len())).collect();
    let mut random = Random(0x5eed);
    for _ in 0..CHANGED {
        let mut input = short[random.below(short.len())].clone();
        for _ in 0..=random.below(6) {
            change(&mut input, short[random.below(short.len())], &mut random);
        }
        read(target, kinds, &input);
    }
}

fn read(target: &str, kinds: &[lookalike_extract::Kind], input: &[u8]) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| fuzz::read(kinds, input))) {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("crash-{target}"));
        fs::write(&path, input).unwrap();
        eprintln!("the input is in {}", path.display());
        resume_unwind(panic);
    }
}

/// Seeds, what once crashed, and what fuzzing kept.
fn stored(target: &str) -> Vec<Vec<u8>> {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz"));
    let mut inputs = Vec::new();
    for folder in ["seeds", "crashes"] {
        let Ok(entries) = fs::read_dir(root.join(folder).join(target)) else { continue };
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        inputs.extend(paths.iter().map(|path| fs::read(path).unwrap()));
    }
    let packed = fs::File::open(root.join("corpus").join(format!("{target}.tar.xz"))).unwrap();
    for entry in tar::Archive::new(XzReader::new(packed, false)).entries().unwrap() {
        let mut entry = entry.unwrap();
        let mut input = Vec::new();
        entry.read_to_end(&mut input).unwrap();
        if entry.header().entry_type().is_file() {
            inputs.push(input);
        }
    }
    inputs
}

/// One change of the kinds that fuzzers make.
fn change(input: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    const NUMBERS: [u32; 8] = [0, 1, 0x7f, 0x80, 0xff, 0xffff, 0x7fff_ffff, 0xffff_ffff];
    if input.is_empty() {
        input.extend_from_slice(other);
        return;
    }
    let at = random.below(input.len());
    let length = 1 + random.below((input.len() - at).min(64));
    match random.below(8) {
        0 => input[at] ^= 1 << random.below(8),
        1 => input[at] = random.next() as u8,
        2 => drop(input.drain(at..at + length)),
        3 => input.truncate(at),
        4 => {
            let again = input[at..at + length].to_vec();
            input.splice(at..at, again);
        }
        5 => {
            let from = random.below(other.len());
            let part = &other[from..(from + length).min(other.len())];
            input.splice(at..at, part.iter().copied());
        }
        6 => {
            let from = random.below(other.len());
            input.splice(at.., other[from..].iter().copied());
        }
        _ => {
            let number = NUMBERS[random.below(NUMBERS.len())];
            let bytes = if random.below(2) == 0 { number.to_le_bytes() } else { number.to_be_bytes() };
            for (place, byte) in input[at..].iter_mut().zip(bytes) {
                *place = byte;
            }
        }
    }
}

/// The same numbers in every run, so that a test fails only for what changed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn below(&mut self, end: usize) -> usize {
        self.next() as usize % end
    }
}

/// Each of these tests is a process of its own: one that asks for more memory than this is ended.
fn limit_memory() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = Rlimit { current: Some(MOST_MEMORY), maximum: getrlimit(Resource::As).maximum };
    setrlimit(Resource::As, limit).unwrap();
}
