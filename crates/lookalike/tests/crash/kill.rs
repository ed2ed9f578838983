//! A process is killed at random moments, and the next one goes on with what it left.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::model::{LIMITS, Model, Random, carry_out, create, open, operation};

/// Names the folder and the seed to the process that is to be killed.
const WORK: &str = "LOOKALIKE_CRASH_WORK";
/// How many kills; more take longer and prove more.
const KILLS: &str = "LOOKALIKE_CRASH_KILLS";
const STEPS: u64 = 400;

/// Not a test: what the killed process does. It says each step that is acknowledged.
#[test]
fn works_until_it_is_killed() {
    let Ok(work) = std::env::var(WORK) else { return };
    let (seed, folder) = work.split_once(' ').unwrap();
    let (seed, folder) = (seed.parse().unwrap(), Path::new(folder));
    let has_index = folder.join("index.json").exists();
    let index = if has_index { open(folder) } else { create(folder, LIMITS) }.unwrap();
    for step in 0..STEPS {
        carry_out(&index, &operation(seed, step)).unwrap();
        let mut out = std::io::stdout().lock();
        writeln!(out, "\nacknowledged {step}").and_then(|()| out.flush()).unwrap();
    }
}

#[test]
fn nothing_acknowledged_is_lost_when_the_process_is_killed() {
    let kills = std::env::var(KILLS).map_or(40, |kills| kills.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    let mut random = Random(7);
    let mut model = Model::default();
    let (mut steps, mut amid) = (0, 0);
    for seed in 0..kills {
        let before = open(&path).ok().map(|index| index.generation_number());
        let mut child = start(&path, seed);
        let acknowledged = kill(&mut child, &mut random);
        for step in 0..acknowledged {
            model = model.after(&operation(seed, step));
        }
        steps += acknowledged;
        if !path.join("index.json").exists() {
            assert_eq!(acknowledged, 0, "seed {seed}: an index that did work is gone");
            continue;
        }
        let index = open(&path).unwrap_or_else(|error| panic!("seed {seed}, step {acknowledged}: {error}"));
        // The step that was under way has happened, or not, or in part if it was of several documents.
        let states = model.states(&operation(seed, acknowledged));
        let state = states.iter().rev().find(|state| state.agrees(&index).unwrap());
        let Some(state) = state else {
            let now = (before, index.generation_number());
            panic!(
                "seed {seed}, step {acknowledged} ({:?}), generations {now:?}: holds {:?} of its states",
                operation(seed, acknowledged),
                states.iter().filter(|state| state.is_in(&index).unwrap()).count()
            );
        };
        amid += u64::from(*state != model);
        model = state.clone();
        if random.below(4) == 0 {
            index.close().unwrap();
        }
    }
    println!("{kills} kills, {steps} steps acknowledged, {amid} were done and not yet acknowledged");
    assert!(steps > kills, "the processes did not come to anything");
}

fn start(folder: &Path, seed: u64) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "kill::works_until_it_is_killed", "--nocapture", "--test-threads=1"]);
    command.env(WORK, format!("{seed} {}", folder.display()));
    command.stdout(Stdio::piped()).spawn().unwrap()
}

/// Kills a process at some moment and tells how many steps it said were acknowledged.
fn kill(child: &mut Child, random: &mut Random) -> u64 {
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let mut acknowledged = 0;
    let mut hear = |line: &String| acknowledged += u64::from(line.starts_with("acknowledged "));
    let wait = if random.below(4) == 0 {
        // At any time, be it before it has begun.
        Duration::from_micros(random.below(300_000))
    } else {
        let steps = random.below(40);
        for _ in 0..=2 * steps {
            lines.next().iter().for_each(&mut hear);
        }
        // Within the next step: most take less than this, some much more.
        let scale = random.below(14);
        Duration::from_micros(random.below(1 << scale))
    };
    std::thread::sleep(wait);
    child.kill().unwrap();
    lines.for_each(|line| hear(&line));
    let status = child.wait().unwrap();
    assert!(status.signal() == Some(9) || status.success(), "it failed before it was killed");
    acknowledged
}
