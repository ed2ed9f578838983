//! External programs that read a format: Poppler, Ghostscript, Tesseract.
//!
//! They are used only if a recipe asks for one, since their results depend on the machine. They run
//! as children of the child that reads the file: its limits on memory and processor time apply to
//! them, and they end with it. Only bytes go in and out, so the file has no name that they could use.

use std::io::{ErrorKind, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio};

use rustix::process::Signal;

use crate::reason::Reason;
use lookalike_core::reading::Limits;

/// The output of a program and how it ended.
pub struct ProgramOutput {
    pub output: Vec<u8>,
    pub status: ExitStatus,
}

/// Passes the bytes to a program and collects its output.
pub fn run(name: &str, arguments: &[&str], input: &[u8], limits: &Limits) -> Result<ProgramOutput, Reason> {
    // Programs may create temporary files in their folder, so they get an empty one.
    let own = tempfile::tempdir()
        .map_err(|error| Reason::Io(format!("no temporary folder for {name}: {error}")))?;
    let mut child = Command::new(name)
        .args(arguments)
        .current_dir(own.path())
        .env("TMPDIR", own.path())
        .env("TEMP", own.path())
        // Time is counted for all threads together.
        .env("OMP_THREAD_LIMIT", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|error| match error.kind() {
            ErrorKind::NotFound => {
                Reason::Io(format!("the program {name}, which was asked to read it, is not installed"))
            }
            _ => Reason::Io(format!("the program {name} cannot be started: {error}")),
        })?;
    let (Some(mut to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(Reason::Io(format!("the program {name} has no input or output")));
    };
    // Both pipes are used at once, since either side may fill one before reading the other.
    let mut output = Vec::new();
    let most = limits.output_bytes;
    let read = std::thread::scope(|scope| {
        // A program that stops reading has read enough; its output then decides.
        scope.spawn(move || to.write_all(input).ok());
        let read = from.take(most.saturating_add(1)).read_to_end(&mut output);
        // Without reading its further output, both sides would wait for each other.
        if output.len() as u64 > most {
            child.kill().ok();
        }
        read
    });
    let status = child.wait();
    read.map_err(|error| Reason::Io(error.to_string()))?;
    if output.len() as u64 > most {
        return Err(Reason::Limit(format!("more than {} MB of text or unpacked data", most >> 20)));
    }
    let status = status.map_err(|error| Reason::Io(error.to_string()))?;
    match status.signal() {
        Some(signal) if signal == Signal::XCPU.as_raw() => {
            Err(Reason::Limit(format!("{name} took longer than {} s", limits.seconds)))
        }
        // Output up to that point may be cut anywhere.
        Some(_) => {
            Err(Reason::Limit(format!("{name} was ended; it may need more memory than extract.memory")))
        }
        None => Ok(ProgramOutput { output, status }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_gets_bytes_and_is_stopped_when_it_says_too_much() {
        let limits = Limits { output_bytes: 1 << 20, ..Limits::default() };
        let many = vec![b'x'; 300_000];
        assert_eq!(run("cat", &[], &many, &limits).unwrap().output, many);
        let endless = run("yes", &[], b"", &limits);
        assert!(matches!(endless, Err(Reason::Limit(_))));
        // A program that does not read its input.
        assert_eq!(run("true", &[], &vec![0; 10 << 20], &limits).unwrap().output, b"");
        let missing = run("no-such-program-here", &[], b"", &limits);
        assert!(matches!(missing, Err(Reason::Io(why)) if why.contains("not installed")));
    }
}
