//! Checkpoints in the background, step by step, with changes between any two steps: a process that is killed there, or a
//! machine that loses its power, leaves files of which the same state is made again.

use lookalike_core::threads::Stop;

use super::super::background::{Background, Rest};
use super::super::checkpoint::Checkpoint;
use super::both::{Both, buckets, copy_of, opened, told};
use super::*;

#[test]
fn changes_between_any_two_steps_are_kept_whatever_happens_there() {
    let (stop, idle) = (Stop::default(), Background::default());
    for seed in 0..3 {
        let mut both = Both::new(seed);
        for round in 0..3 {
            let rest = &mut Rest::new(&stop, &idle);
            let step = |name: &str| format!("seed {seed}, round {round}, {name}");
            both.go_on(&step("before"));
            let pin = |both: &Both| {
                (
                    both.store.write().unwrap().pin_files(both.folder.path()).unwrap(),
                    told(&both.store.state()),
                )
            };
            let mut pinned = vec![pin(&both)];
            let mut checkpoint = Checkpoint::begin(&both.store).unwrap();
            both.go_on(&step("begun"));
            checkpoint.move_keys(rest).unwrap();
            both.go_on(&step("keys are in a run"));
            checkpoint.replay(rest).unwrap();
            both.go_on(&step("a second state is made"));
            pinned.push(pin(&both));
            checkpoint.write(rest).unwrap();
            both.go_on(&step("it is written"));
            let journal = checkpoint.catch_up(rest).unwrap();
            both.go_on(&step("another journal is begun"));
            pinned.push(pin(&both));
            checkpoint.exchange(journal, rest).unwrap();
            // All of the new journal is on disk.
            both.sync();
            both.check_killed(&step("exchanged"));
            both.go_on(&step("after"));
            for (files, then) in &pinned {
                let (_folder, store) = opened(files);
                assert!(told(&store.state()) == *then, "{}", step("what was pinned meanwhile"));
            }
            let manifest = both.store.writer.lock().unwrap().manifest.clone();
            assert!(manifest.snapshot.is_some() && manifest.frames > 0);
        }
    }
}

/// Writers who write a checkpoint or move keys themselves, and texts that are moved, while there is one in the background.
#[test]
fn what_was_done_otherwise_meanwhile_stays() {
    let (stop, idle) = (Stop::default(), Background::default());
    for (at, other) in (0..6).flat_map(|at| (0..3).map(move |other| (at, other))) {
        let mut both = Both::new(100 + at);
        (0..15).for_each(|_| both.change());
        both.store.write().unwrap().checkpoint().unwrap();
        (0..15).for_each(|_| both.change());
        let rest = &mut Rest::new(&stop, &idle);
        let mut checkpoint = Checkpoint::begin(&both.store).unwrap();
        let mut done = Ok(());
        let mut journal = None;
        for step in 0..6 {
            if step == at {
                match other {
                    0 => both.store.write().unwrap().checkpoint().unwrap(),
                    1 => both.store.write().unwrap().flush(true).unwrap(),
                    _ => both.store.compact(true).unwrap(),
                }
                both.change();
            }
            done = done.and_then(|()| match step {
                0 => checkpoint.move_keys(rest),
                1 => checkpoint.replay(rest),
                2 => checkpoint.write(rest),
                3 => checkpoint.catch_up(rest).map(|begun| journal = Some(begun)),
                _ => Ok(()),
            });
        }
        let before = (told(&both.store.state()), both.store.writer.lock().unwrap().manifest.clone());
        match (done, journal) {
            (Ok(()), Some(journal)) => checkpoint.exchange(journal, rest).unwrap(),
            // Files that it needs are gone.
            _ => drop(checkpoint),
        }
        let named = both.store.writer.lock().unwrap().manifest.clone();
        // Keys alone are no part of a snapshot, so it is exchanged although they were moved.
        assert_eq!(named == before.1, other != 1, "step {at}, other {other}");
        assert!(told(&both.store.state()) == before.0, "step {at}, other {other}");
        let copy = copy_of(both.folder.path());
        let opened = Store::open(&copy.path().join("generation-1"), parts(copy.path()), true).unwrap();
        assert!(told(&opened.state()) == before.0, "step {at}, other {other}");
        assert_eq!(buckets(&opened.state()), buckets(&both.store.state()));
    }
}
