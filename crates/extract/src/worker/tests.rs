//! Children that misbehave, simulated by shell commands.

use std::path::Path;

use super::{Program, Worker};
use crate::out::ExtractOutcome;
use crate::reason::Reason;
use lookalike_core::reading::Options;

fn shell(script: &str) -> Program {
    Program { path: "sh".into(), arguments: vec!["-c".to_owned(), script.to_owned()] }
}

/// The results for two files that a child is asked for.
fn ask(script: &str) -> Vec<Reason> {
    let program = shell(script);
    let mut worker = Worker::new(&program);
    let mut options = Options::default();
    options.limits.seconds = 1;
    let mut reasons = Vec::new();
    for name in ["a", "b"] {
        let mut calls = 0;
        worker
            .read(Path::new(name), name, &options, &mut |outcome| {
                calls += 1;
                if let ExtractOutcome::Unreadable { reason, .. } = outcome {
                    reasons.push(reason);
                }
            })
            .unwrap();
        assert!(calls > 0, "every file gets an answer");
    }
    reasons
}

#[test]
fn a_child_that_hangs_is_killed() {
    let reasons = ask("while :; do sleep 1; done");
    assert_eq!(reasons, vec![Reason::Limit("reading it took longer than 1 s".to_owned()); 2]);
}

#[test]
fn a_child_that_dies_is_replaced_and_its_death_explained() {
    assert!(matches!(&ask("kill -SEGV $$")[..], [Reason::Crashed(how), _] if how.contains("signal")));
    assert!(matches!(&ask("kill -XCPU $$")[..], [Reason::Limit(_), Reason::Limit(_)]));
    let memory = ask("echo 'memory allocation of 9 bytes failed' >&2; kill -ABRT $$");
    assert!(matches!(&memory[..], [Reason::Limit(which), _] if which.contains("600 MB of memory")));
    let stack = ask("echo 'thread main has overflowed its stack' >&2; kill -ABRT $$");
    assert!(matches!(&stack[..], [Reason::Crashed(how), _] if how.contains("nested too deeply")));
}

#[test]
fn nonsense_is_no_answer() {
    for script in ["exit 0", "printf 'abcdefgh'; sleep 60", "printf '\\004\\000\\000\\000abcd'; sleep 60"] {
        assert_eq!(ask(script).len(), 2, "{script}");
    }
}

#[test]
fn a_child_that_cannot_be_started_is_an_error() {
    let program = Program { path: "no-such-program-anywhere".into(), arguments: Vec::new() };
    let read = Worker::new(&program).read(Path::new("a"), "a", &Options::default(), &mut |_| {});
    assert!(read.is_err());
}
