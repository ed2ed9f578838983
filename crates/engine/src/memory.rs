//! How much memory there is, how much may be used, and how much was used.

use lookalike_core::{Error, Result};

/// The memory this process may use: the machine's, or the limit of its container.
pub fn machine_memory() -> u64 {
    let machine =
        std::fs::read_to_string("/proc/meminfo").ok().and_then(|info| kilobytes(&info, "MemTotal:"));
    let machine = machine.unwrap_or(2 << 30);
    container_limit().map_or(machine, |limit| limit.min(machine))
}

/// The most memory this process has used so far; 0 if the system does not report it.
pub fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").ok();
    status.and_then(|status| kilobytes(&status, "VmHWM:")).unwrap_or(0)
}

/// Resets [`peak_memory`], where the system can do that.
pub fn forget_peak_memory() {
    // If that fails, the peak is that of the whole process, which is still true.
    let _ = std::fs::write("/proc/self/clear_refs", "5");
}

fn kilobytes(text: &str, key: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.starts_with(key))?;
    line.split_whitespace().nth(1)?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

/// The smallest limit of the control groups this process is in, version 2 or 1.
fn container_limit() -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    let mut files = vec![
        "/sys/fs/cgroup/memory.max".to_owned(),
        "/sys/fs/cgroup/memory/memory.limit_in_bytes".to_owned(),
    ];
    for group in groups.lines().filter_map(|line| line.rsplit(':').next()) {
        files.push(format!("/sys/fs/cgroup{group}/memory.max"));
        files.push(format!("/sys/fs/cgroup/memory{group}/memory.limit_in_bytes"));
    }
    let limits = files.iter().filter_map(|file| std::fs::read_to_string(file).ok());
    limits.filter_map(|text| text.trim().parse().ok()).min()
}

/// Parses `300MB`, `1.5 GiB`, `4096`.
pub fn parse_bytes(text: &str) -> Result<u64> {
    let trimmed = text.trim();
    let unit_start = trimmed.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(trimmed.len());
    let (number, unit) = trimmed.split_at(unit_start);
    let factor: f64 = match unit.trim().to_ascii_lowercase().as_str() {
        "" | "b" => 1.0,
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "t" | "tb" => 1e12,
        "kib" => 1024.0,
        "mib" => 1024.0 * 1024.0,
        "gib" => 1024.0 * 1024.0 * 1024.0,
        "tib" => 1024.0 * 1024.0 * 1024.0 * 1024.0,
        _ => return Err(not_a_size(text)),
    };
    let number: f64 = number.parse().map_err(|_| not_a_size(text))?;
    let bytes = number * factor;
    if bytes.is_finite() && (1.0..9e18).contains(&bytes) { Ok(bytes as u64) } else { Err(not_a_size(text)) }
}

/// Refuses limits that are too small for a pass over a corpus.
pub fn check_limits(threads: usize, memory: u64, max_line: u64, least_memory: u64) -> Result<()> {
    if threads == 0 {
        return Err(Error::config("--threads must be at least 1"));
    }
    if memory < least_memory {
        return Err(Error::config(format!(
            "--memory must be at least {} MB with {threads} threads",
            least_memory.div_ceil(1_000_000)
        )));
    }
    if max_line == 0 || max_line > u64::from(u32::MAX) {
        return Err(Error::config("--max-line must be from 1 byte to 4 GB"));
    }
    Ok(())
}

fn not_a_size(text: &str) -> Error {
    Error::config(format!("`{text}` is not a size; write it like 300MB, 1.5GiB or 4096"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_in_every_usual_notation() {
        assert_eq!(parse_bytes("300MB").unwrap(), 300_000_000);
        assert_eq!(parse_bytes("1.5 GiB").unwrap(), 3 << 29);
        assert_eq!(parse_bytes("4096").unwrap(), 4096);
        for bad in ["", "MB", "-5MB", "5 apples", "nan", "1e3", "0"] {
            assert!(parse_bytes(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn this_process_uses_some_memory_but_not_all() {
        assert!(peak_memory() > 1 << 20 && peak_memory() < machine_memory());
    }
}
