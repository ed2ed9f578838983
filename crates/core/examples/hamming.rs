//! Measures the search for all pairs of fingerprints within a Hamming distance.
//!
//! ```text
//! cargo run --release -p lookalike-core --example hamming -- N K [threads] [random|clustered] [--write FILE]
//! ```
//!
//! `random` plants a neighbour for one fingerprint in a hundred; in `clustered`, a tenth of all
//! fingerprints share 40 bits besides. `--write` saves the fingerprints as little-endian 64-bit
//! numbers for `bench/peers/simhash_pybind_peer.py`. The time is that of the search alone.

use std::fs;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use lookalike_core::candidates::{Hamming, Join, Records};
use lookalike_core::hash;

/// The bits a cluster shares: any forty.
const SHARED: u64 = 0xdb6d_b6db_6db6_db0a;

fn main() -> ExitCode {
    match run(std::env::args().skip(1).collect()) {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}\nusage: hamming N K [threads] [random|clustered] [--write FILE]");
            ExitCode::FAILURE
        }
    }
}

fn run(mut arguments: Vec<String>) -> Result<String, Box<dyn std::error::Error>> {
    let mut file = None;
    if let Some(at) = arguments.iter().position(|argument| argument == "--write") {
        file = Some(arguments.get(at + 1).ok_or("--write needs a file")?.clone());
        arguments.drain(at..at + 2);
    }
    let argument = |at: usize, default: &str| arguments.get(at).map_or(default, String::as_str).to_owned();
    let count: u64 = argument(0, "").parse()?;
    let distance: u32 = argument(1, "").parse()?;
    let threads: usize = argument(2, "2").parse()?;
    let clustered = match argument(3, "random").as_str() {
        "random" => false,
        "clustered" => true,
        other => return Err(format!("`{other}` is neither random nor clustered").into()),
    };

    let mut records = Records::default();
    records.bytes.reserve_exact(count as usize * 8);
    records.ends.reserve_exact(count as usize);
    for at in 0..count {
        records.push(&fingerprint(at, clustered).to_le_bytes());
    }
    if let Some(file) = file {
        fs::write(file, &records.bytes)?;
    }
    let pairs = AtomicUsize::new(0);
    let start = Instant::now();
    Hamming::new(distance, 0, 64)?.pairs(&records, threads, &|batch| {
        pairs.fetch_add(batch.len(), Ordering::Relaxed);
        Ok(())
    })?;
    let seconds = start.elapsed().as_secs_f64();
    let (pairs, peak) = (pairs.into_inner(), peak_bytes()?);
    Ok(format!(
        r#"{{"n":{count},"k":{distance},"threads":{threads},"pairs":{pairs},"seconds":{seconds:.3},"peak_bytes":{peak}}}"#
    ))
}

fn fingerprint(at: u64, clustered: bool) -> u64 {
    let random = |at: u64| hash::mix(hash::combine(0x5eed, at));
    if clustered && at % 10 == 1 {
        return random(at) & !SHARED | random(0) & SHARED;
    }
    if at % 100 != 99 {
        return random(at);
    }
    // One to three bits flipped, far apart so that none is flipped back.
    let flips = random(at);
    (0..1 + flips % 3).fold(random(at - 50), |value, flip| value ^ 1 << (((flips >> 8) + 21 * flip) & 63))
}

fn peak_bytes() -> Result<u64, Box<dyn std::error::Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).ok_or("no VmHWM")?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kilobytes * 1024)
}
