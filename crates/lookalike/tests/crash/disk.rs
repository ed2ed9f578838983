//! The disk is full or read-only. A limit on the size of files stands in for a full disk where none can be mounted:
//! a write fails in the same way, in the middle.

use std::path::Path;
use std::process::Command;

use lookalike::Error;
use lookalike::index::{Index, IndexLimits, View};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::model::{LIMITS, Model, Operation, answers, carry_out, create, line, open, operation};

/// Names the folder and the largest size of a file to the process that works under that limit.
const FULL: &str = "LOOKALIKE_CRASH_FULL";

/// Works until the disk is full, goes on asking, then gets room and goes on writing.
fn fill_up(index: &Index, model: &mut Model, seed: u64, make_room: impl FnOnce()) {
    let full = (0..10_000).find_map(|step| {
        let operation = operation(seed, step);
        let outcome = carry_out(index, &operation);
        if outcome.is_ok() {
            *model = model.after(&operation);
        }
        outcome.err().map(|error| (operation, error))
    });
    let (last, error) = full.expect("the disk never was full");
    assert!(matches!(error, Error::Io { .. }), "{error}");
    // The operation that failed may have come in, in part if it was of several documents.
    let states = model.states(&last);
    *model =
        states.into_iter().find(|state| state.is_in(index).unwrap()).expect("what was whole is not there");
    let before = answers(index).unwrap();
    for step in 0..50 {
        let more = operation(seed + 1, step);
        match carry_out(index, &more) {
            Ok(()) => *model = model.after(&more),
            Err(error) => {
                assert!(matches!(error, Error::Io { .. }), "{error}");
                let states = model.states(&more);
                *model = states.into_iter().find(|state| state.is_in(index).unwrap()).unwrap();
            }
        }
        assert_eq!(index.reader().stats(&View::All).unwrap().documents, model.documents.len() as u64);
    }
    assert!(!before.is_empty() && !answers(index).unwrap().is_empty(), "it goes on answering");
    make_room();
    for step in 0..60 {
        let more = operation(seed + 2, step);
        carry_out(index, &more).unwrap_or_else(|error| panic!("with room again, {more:?}: {error}"));
        *model = model.after(&more);
    }
}

/// Not a test: what works under a limit.
#[test]
fn works_with_small_files() {
    let Ok(work) = std::env::var(FULL) else { return };
    let (bytes, folder) = work.split_once(' ').unwrap();
    let index = create(Path::new(folder), LARGE_SEGMENTS).unwrap();
    let before = getrlimit(Resource::Fsize);
    setrlimit(Resource::Fsize, Rlimit { current: Some(bytes.parse().unwrap()), ..before }).unwrap();
    let mut model = Model::default();
    fill_up(&index, &mut model, 3000, || setrlimit(Resource::Fsize, before).unwrap());
    assert!(model.agrees(&index).unwrap());
    drop(index);
    assert!(model.agrees(&open(Path::new(folder)).unwrap()).unwrap(), "opened again");
}

const LARGE_SEGMENTS: IndexLimits = IndexLimits { segment_bytes: 1 << 30, ..LIMITS };

#[test]
fn a_full_disk_is_told_and_writing_goes_on_when_there_is_room() {
    for bytes in [1500, 4000, 10_000, 30_000] {
        let folder = tempfile::tempdir().unwrap();
        // Without this the kernel ends a process whose file gets too large.
        let mut command = Command::new("sh");
        command.args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""]).arg(std::env::current_exe().unwrap());
        command.args(["--exact", "disk::works_with_small_files", "--nocapture"]);
        command.env(FULL, format!("{bytes} {}", folder.path().join("index").display()));
        // Through pipes: a file that is written to would be limited, too.
        let output = command.output().unwrap();
        let said = [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        assert!(output.status.success(), "files of at most {bytes} bytes: {}", said.concat());
    }
}

/// Something mounted, for as long as this lives.
struct Mounted<'a>(&'a Path);

impl Drop for Mounted<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(self.0).status();
    }
}

/// Mounts, or says why not.
fn mount<'a>(arguments: &[&str], target: &'a Path) -> Option<Mounted<'a>> {
    match Command::new("mount").args(arguments).arg(target).output() {
        Ok(output) if output.status.success() => Some(Mounted(target)),
        Ok(output) => {
            println!("skipped, cannot mount: {}", String::from_utf8_lossy(&output.stderr).trim());
            None
        }
        Err(error) => {
            println!("skipped, cannot mount: {error}");
            None
        }
    }
}

#[test]
fn a_small_disk_that_is_full_is_told_and_writing_goes_on_when_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let Some(_mounted) = mount(&["-t", "tmpfs", "-o", "size=1m", "tmpfs"], folder.path()) else { return };
    let ballast = folder.path().join("ballast");
    std::fs::write(&ballast, vec![1; 960_000]).unwrap();
    let path = folder.path().join("index");
    let index = create(&path, LIMITS).unwrap();
    let mut model = Model::default();
    fill_up(&index, &mut model, 4000, || std::fs::remove_file(&ballast).unwrap());
    assert!(model.agrees(&index).unwrap());
    drop(index);
    assert!(model.agrees(&open(&path).unwrap()).unwrap());
}

#[test]
fn a_read_only_disk_is_told_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("index");
    let index = create(&path, LIMITS).unwrap();
    let one = Operation::Add(vec![(1, "some words that are in the index before".to_owned())]);
    carry_out(&index, &one).unwrap();
    let model = Model::default().after(&one);
    drop(index);
    let target = tempfile::tempdir().unwrap();
    let bound = mount(&["--bind", path.to_str().unwrap()], target.path());
    let read_only = bound.as_ref().and_then(|_| mount(&["-o", "remount,ro,bind"], target.path()));
    let folder = if read_only.is_some() { target.path() } else { &path };
    if read_only.is_none() {
        permit_writing(&path, false);
    }
    match open(folder) {
        Ok(_) => println!("skipped, the permission to write cannot be taken away"),
        Err(error) => {
            assert!(matches!(error, Error::Io { .. }), "{error}");
            let error = create(&folder.join("new"), LIMITS).err().expect("it is read-only");
            assert!(matches!(error, Error::Io { .. }), "{error}");
        }
    }
    permit_writing(&path, true);
    let index = open(&path).unwrap();
    assert!(model.agrees(&index).unwrap());
    assert!(
        index
            .reader()
            .check(&line(1, "some words that are in the index before"), &super::model::ask())
            .is_ok()
    );
}

/// Gives or takes the permission to write a folder and its files.
fn permit_writing(path: &Path, permit: bool) {
    let mode = match (path.is_dir(), permit) {
        (true, true) => 0o755,
        (true, false) => 0o555,
        (false, true) => 0o644,
        (false, false) => 0o444,
    };
    std::fs::set_permissions(path, std::os::unix::fs::PermissionsExt::from_mode(mode)).unwrap();
    if path.is_dir() {
        for entry in std::fs::read_dir(path).unwrap() {
            permit_writing(&entry.unwrap().path(), permit);
        }
    }
}
