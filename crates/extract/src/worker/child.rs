//! The child process: reads files and sends back their documents.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::os::unix::ffi::OsStrExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use super::{Request, frame};
use crate::dispatch::extract_stream;
use crate::out::ExtractOutcome;
use crate::reason::Reason;

/// Answers requests until there are no more. Exits if the parent is gone.
pub fn serve() -> io::Result<()> {
    limits::die_with_parent();
    // A panic becomes an answer like any other; nobody reads its trace.
    std::panic::set_hook(Box::new(|_| {}));
    let mut requests = BufReader::new(io::stdin().lock());
    let mut answers = BufWriter::with_capacity(256 << 10, io::stdout().lock());
    let mut buffer = Vec::new();
    loop {
        let request: Request = match frame::read(&mut requests, &mut buffer) {
            Ok(Some(request)) => request,
            Ok(None) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(()),
            Err(error) => return Err(error),
        };
        let path = Path::new(OsStr::from_bytes(&request.path));
        limits::set(&request.options.limits, std::fs::metadata(path).map_or(0, |metadata| metadata.len()));
        answer(&request, &mut answers)?;
        frame::write_end(&mut answers)?;
        answers.flush()?;
    }
}

fn answer(request: &Request, answers: &mut impl Write) -> io::Result<()> {
    let mut written = Ok(());
    let mut send = |outcome: ExtractOutcome| {
        if written.is_ok() {
            written = frame::write(answers, &outcome);
        }
    };
    match open_file(Path::new(OsStr::from_bytes(&request.path))) {
        Err(reason) => send(ExtractOutcome::Unreadable { part: None, reason }),
        Ok((file, length)) => {
            let (name, options) = (&request.name, &request.options);
            let reading = AssertUnwindSafe(|| extract_stream(file, length, name, options, &mut send));
            if let Err(panic) = catch_unwind(reading) {
                let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
                let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
                let how = text.unwrap_or_else(|| "a panic".to_owned());
                let line = how.lines().next().unwrap_or_default();
                send(ExtractOutcome::Unreadable {
                    part: None,
                    reason: Reason::Crashed(line.chars().take(200).collect()),
                });
            }
        }
    }
    written
}

/// The file and its length.
fn open_file(path: &Path) -> Result<(File, u64), Reason> {
    let io = |error: io::Error| Reason::Io(error.to_string());
    let file = File::open(path).map_err(io)?;
    let length = file.metadata().map_err(io)?.len();
    Ok((file, length))
}

#[cfg(target_os = "linux")]
mod limits {
    use rustix::process::{Resource, Rlimit, Signal, getrlimit, set_parent_process_death_signal, setrlimit};
    use rustix::time::{ClockId, clock_gettime};

    use lookalike_core::reading::Limits;

    /// A busy child does not notice that nobody waits for its answer.
    pub fn die_with_parent() {
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
    }

    /// Processor time counts from now; the kernel ends the process when it is used up.
    pub fn set(limits: &Limits, file_bytes: u64) {
        let used = clock_gettime(ClockId::ProcessCPUTime).tv_sec as u64;
        soft(Resource::Cpu, used.saturating_add(limits.seconds_for(file_bytes)).saturating_add(1));
        soft(Resource::As, limits.memory_bytes);
        // A core dump would be as large as the memory.
        soft(Resource::Core, 0);
    }

    fn soft(resource: Resource, value: u64) {
        let maximum = getrlimit(resource).maximum;
        let current = maximum.map_or(value, |maximum| maximum.min(value));
        // If it cannot be set, the parent's time limit still applies.
        let _ = setrlimit(resource, Rlimit { current: Some(current), maximum });
    }
}

#[cfg(not(target_os = "linux"))]
mod limits {
    use lookalike_core::reading::Limits;

    pub fn die_with_parent() {}

    pub fn set(_: &Limits, _: u64) {}
}
