//! A program that has verbs done in its own process: where their output, messages and progress go meanwhile.
//!
//! A call is known to its thread alone, so that several threads can call at once.

use std::cell::RefCell;
use std::io::Stdin;
use std::sync::Arc;

use lookalike::{Error, Progress, Result};

/// Receives what a verb tells beside its output. An error of `advance` ends the verb.
pub trait Host: Progress + Send {
    /// A message for a person that is no warning, such as where a page was written.
    fn tell(&self, _message: &str) {}
}

/// What is under way on a thread.
struct Call {
    host: Arc<dyn Host>,
    arguments: Vec<String>,
    output: Vec<u8>,
}

thread_local! {
    static CALL: RefCell<Option<Call>> = const { RefCell::new(None) };
}

/// A call on this thread, until it is dropped. The one before goes on then: a host may call again.
pub struct UnderWay {
    before: Option<Call>,
}

impl UnderWay {
    pub fn begin(host: Arc<dyn Host>, arguments: Vec<String>) -> UnderWay {
        UnderWay { before: CALL.replace(Some(Call { host, arguments, output: Vec::new() })) }
    }

    /// What was captured since it began.
    pub fn output(&self) -> Vec<u8> {
        let taken = |call: &mut Option<Call>| call.as_mut().map(|call| std::mem::take(&mut call.output));
        CALL.with_borrow_mut(taken).unwrap_or_default()
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        // Dropped here and not within: its host may do anything when it goes.
        drop(CALL.replace(self.before.take()));
    }
}

/// The host of the call on this thread.
pub fn current() -> Option<Arc<dyn Host>> {
    CALL.with_borrow(|call| call.as_ref().map(|call| Arc::clone(&call.host)))
}

/// Whether this thread does a verb for a host.
pub fn is_called() -> bool {
    CALL.with_borrow(Option::is_some)
}

/// Keeps output for the caller; returns whether there is one.
pub fn capture(bytes: &[u8]) -> bool {
    CALL.with_borrow_mut(|call| call.as_mut().map(|call| call.output.extend_from_slice(bytes)).is_some())
}

/// The arguments without the program's name, of the call or else of the process.
pub fn arguments() -> Vec<String> {
    let of_call = CALL.with_borrow(|call| call.as_ref().map(|call| call.arguments.clone()));
    let of_process = || std::env::args_os().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    of_call.unwrap_or_else(|| of_process().collect())
}

/// Standard input belongs to the host and not to a verb that it calls.
pub fn standard_input() -> Result<Stdin> {
    if is_called() {
        return Err(Error::config(
            "a call within a program reads no standard input: name files instead of `-`",
        ));
    }
    Ok(std::io::stdin())
}

/// An error if one of the inputs is standard input and that is not to be read.
pub fn check_inputs(inputs: &[String]) -> Result<()> {
    if inputs.iter().any(|input| input == "-") { standard_input().map(|_| ()) } else { Ok(()) }
}
