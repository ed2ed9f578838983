//! The parent process: starts a child, sends it files, and finds out why it died.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

use super::{Request, frame};
use crate::out::ExtractOutcome;
use crate::reason::Reason;
use lookalike_core::reading::Options;

/// Real time allowed for each second of processor time: a waiting child uses no processor time, but
/// must not wait for ever either.
const PATIENCE: u32 = 4;

/// A year is as good as for ever, and can be added to any time.
const LONGEST: u64 = 366 * 86_400;

/// How to start a child.
#[derive(Clone, Debug)]
pub struct Program {
    /// The path of the program.
    pub path: PathBuf,
    /// The arguments that make it serve.
    pub arguments: Vec<String>,
}

/// One child process, started when needed and restarted after it died.
pub struct Worker<'a> {
    program: &'a Program,
    running: Option<Running>,
    buffer: Vec<u8>,
}

struct Running {
    child: Arc<Mutex<Child>>,
    requests: ChildStdin,
    answers: BufReader<ChildStdout>,
    /// The child's error output.
    errors: File,
    watch: Arc<Watch>,
}

impl<'a> Worker<'a> {
    /// Starts no child yet.
    pub fn new(program: &'a Program) -> Self {
        Worker { program, running: None, buffer: Vec::new() }
    }

    /// Reads a file and calls `sink` at least once. Only a child that cannot be started is an error.
    pub fn read(
        &mut self,
        path: &Path,
        name: &str,
        options: &Options,
        sink: &mut dyn FnMut(ExtractOutcome),
    ) -> io::Result<()> {
        let running = match &mut self.running {
            Some(running) => running,
            none => none.insert(Running::start(self.program)?),
        };
        let request = Request {
            path: path.as_os_str().as_bytes().to_vec(),
            name: name.to_owned(),
            options: options.clone(),
        };
        let seconds =
            options.limits.seconds_for(std::fs::metadata(path).map_or(0, |metadata| metadata.len()));
        let patience = Duration::from_secs(seconds.min(LONGEST)) * PATIENCE;
        running.watch.set(Some(Instant::now() + patience));
        let answered = running.ask(&request, &mut self.buffer, sink);
        let late = running.watch.set(None);
        if let Err(error) = answered {
            // After any error this child is not used again.
            let reason = match self.running.take() {
                Some(running) => running.failure_reason(&error, late, seconds, options)?,
                None => Reason::Crashed(error.to_string()),
            };
            sink(ExtractOutcome::Unreadable { part: None, reason });
        }
        Ok(())
    }
}

impl Running {
    fn start(program: &Program) -> io::Result<Running> {
        let errors = tempfile::tempfile()?;
        let mut child = Command::new(&program.path)
            .args(&program.arguments)
            // A process group of its own, so that everything the child starts can be ended with it.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(errors.try_clone()?)
            .env("RUST_BACKTRACE", "0")
            .spawn()?;
        let (Some(requests), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("the child has no pipes"));
        };
        let child = Arc::new(Mutex::new(child));
        let watch = Watch::over(Arc::clone(&child));
        Ok(Running { child, requests, answers: BufReader::with_capacity(256 << 10, answers), errors, watch })
    }

    fn ask(
        &mut self,
        request: &Request,
        buffer: &mut Vec<u8>,
        sink: &mut dyn FnMut(ExtractOutcome),
    ) -> io::Result<()> {
        frame::write(&mut self.requests, request)?;
        self.requests.flush()?;
        while let Some(outcome) = frame::read(&mut self.answers, buffer)? {
            sink(outcome);
        }
        Ok(())
    }

    /// Why the child gave no answer.
    fn failure_reason(
        mut self,
        error: &io::Error,
        late: bool,
        seconds: u64,
        options: &Options,
    ) -> io::Result<Reason> {
        let limits = &options.limits;
        let status = {
            let mut child = lock(&self.child);
            // It may still be running and have sent something other than a result.
            kill(&mut child);
            child.wait()?
        };
        let mut said = Vec::new();
        self.errors.seek(SeekFrom::Start(0))?;
        (&mut self.errors).take(64 << 10).read_to_end(&mut said)?;
        let said = String::from_utf8_lossy(&said);
        if late || used_up_its_time(status) {
            return Ok(Reason::Limit(format!("reading it took longer than {seconds} s")));
        }
        if said.contains("memory allocation of") {
            let megabytes = limits.memory_bytes >> 20;
            return Ok(Reason::Limit(format!("reading it needed more than {megabytes} MB of memory")));
        }
        if said.contains("overflowed its stack") {
            return Ok(Reason::Crashed("nested too deeply".to_owned()));
        }
        if status.success() {
            return Ok(Reason::Crashed(error.to_string()));
        }
        Ok(Reason::Crashed(status.to_string()))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.watch.end();
        let mut child = lock(&self.child);
        kill(&mut child);
        let _ = child.wait();
    }
}

fn used_up_its_time(status: ExitStatus) -> bool {
    status.signal() == Some(Signal::XCPU.as_raw())
}

/// Kills the child when it is late.
struct Watch {
    state: Mutex<WatchState>,
    changed: Condvar,
}

#[derive(Default)]
struct WatchState {
    deadline: Option<Instant>,
    killed: bool,
    ended: bool,
}

impl Watch {
    fn over(child: Arc<Mutex<Child>>) -> Arc<Watch> {
        let watch = Arc::new(Watch { state: Mutex::default(), changed: Condvar::new() });
        let theirs = Arc::clone(&watch);
        std::thread::spawn(move || theirs.run(&child));
        watch
    }

    /// Sets or ends the time for an answer; returns whether the child was killed for being late.
    fn set(&self, deadline: Option<Instant>) -> bool {
        let mut state = lock(&self.state);
        // A thread that sleeps without a deadline must be woken for a new one; a deadline wakes it
        // by itself.
        let wake = state.deadline.is_none() && deadline.is_some();
        state.deadline = deadline;
        let killed = state.killed;
        drop(state);
        if wake {
            self.changed.notify_one();
        }
        killed
    }

    fn end(&self) {
        lock(&self.state).ended = true;
        self.changed.notify_one();
    }

    fn run(&self, child: &Mutex<Child>) {
        let mut state = lock(&self.state);
        while !state.ended {
            let now = Instant::now();
            state = match state.deadline {
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(deadline) if now < deadline => {
                    let wait = self.changed.wait_timeout(state, deadline - now);
                    wait.unwrap_or_else(PoisonError::into_inner).0
                }
                Some(_) => {
                    state.killed = true;
                    kill(&mut lock(child));
                    return;
                }
            };
        }
    }
}

/// Ends the child and everything it has started.
fn kill(child: &mut Child) {
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    let _ = child.kill();
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
