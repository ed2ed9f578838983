use super::*;

const MARK: u32 = 0x6a4c_4b4c;
const BOTH: [Framing; 2] = [Framing::Plain, Framing::Marked(MARK)];
/// Where the frames of [`three`] end.
const ENDS: [usize; 3] = [19, 35, 66];

fn three(path: &Path, framing: Framing) -> Vec<u8> {
    let log = Log::create(path, framing).unwrap();
    for frame in [&b"one"[..], b"", b"three is longer"] {
        log.append(frame).unwrap();
    }
    assert_eq!(log.bytes(), 66);
    std::fs::read(path).unwrap()
}

fn frames(path: &Path, framing: Framing) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    let log = Log::open(path, framing, |offset, frame| {
        found.push((offset, frame.to_vec()));
        Ok(())
    })
    .unwrap();
    for (offset, frame) in &found {
        let mut again = vec![0; frame.len()];
        log.read(*offset, &mut again).unwrap();
        assert_eq!(again, *frame);
    }
    found.into_iter().map(|(_, frame)| frame).collect()
}

#[test]
fn the_bytes_are_those_of_every_version() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log");
    let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    Log::create(&path, Framing::Plain).unwrap().append(b"one").unwrap();
    assert_eq!(hex(&std::fs::read(&path).unwrap()), format!("0300000000000000{CHECKSUM}6f6e65"));
    Log::create(&path, Framing::Marked(MARK)).unwrap().append(b"one").unwrap();
    assert_eq!(hex(&std::fs::read(&path).unwrap()), format!("4c4b4c6a03000000{CHECKSUM}6f6e65"));
}

/// The checksum of `one`.
const CHECKSUM: &str = "4a3b0f0b88a41c78";

#[test]
fn a_log_cut_anywhere_keeps_its_whole_frames_and_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log");
    for framing in BOTH {
        let whole = three(&path, framing);
        for cut in 0..=whole.len() {
            std::fs::write(&path, &whole[..cut]).unwrap();
            let expected = ENDS.iter().filter(|&&end| end <= cut).count();
            assert_eq!(frames(&path, framing).len(), expected, "cut at {cut}");
            let log = Log::open(&path, framing, |_, _| Ok(())).unwrap();
            log.append(b"next").unwrap();
            let found = frames(&path, framing);
            assert_eq!(found.len(), expected + 1, "cut at {cut}");
            assert_eq!(found.last().unwrap(), b"next");
        }
    }
}

#[test]
fn a_damaged_frame_ends_the_log() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log");
    for framing in BOTH {
        let whole = three(&path, framing);
        for place in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[place] ^= 1;
            std::fs::write(&path, bytes).unwrap();
            let before = ENDS.iter().filter(|&&end| end <= place).count();
            assert_eq!(frames(&path, framing).len(), before, "{place}");
        }
    }
}

#[test]
fn what_was_read_at_once_goes_on_where_it_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log");
    let framing = Framing::Marked(MARK);
    let whole = three(&path, framing);
    for cut in 0..=whole.len() {
        std::fs::write(&path, &whole[..cut]).unwrap();
        let expected = ENDS.iter().filter(|&&end| end <= cut).count();
        let read = Frames::read(&path, MARK).unwrap();
        let log = Log::continue_after(&path, framing, &read, read.iter().count()).unwrap();
        log.append(b"next").unwrap();
        let found: Vec<Vec<u8>> = Frames::read(&path, MARK).unwrap().iter().map(<[u8]>::to_vec).collect();
        assert_eq!(found.len(), expected + 1, "cut at {cut}");
        assert_eq!(found.last().unwrap(), b"next");
    }
    three(&path, framing);
    Log::continue_after(&path, framing, &Frames::read(&path, MARK).unwrap(), 1).unwrap();
    assert_eq!(frames(&path, framing), [b"one"], "the rest is cut off");
    let none = Frames::read(&path, MARK).unwrap();
    Log::continue_after(&path, framing, &none, 0).unwrap();
    assert!(frames(&path, framing).is_empty());
}

#[test]
fn whole_frames_behind_damage_are_seen() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log");
    let whole = three(&path, Framing::Marked(MARK));
    for place in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[place] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        let before = ENDS.iter().filter(|&&end| end <= place).count();
        let read = Frames::read(&path, MARK).unwrap();
        assert_eq!((read.iter().count(), read.behind().count()), (before, 2 - before), "{place}");
        assert_eq!(read.end(), [0, 19, 35][before]);
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }
}

#[test]
fn a_full_disk_leaves_the_log_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("full");
    std::os::unix::fs::symlink("/dev/full", &path).unwrap();
    // A device has no length to set, so the log is begun by hand.
    let file = OpenOptions::new().read(true).write(true).open(&path).unwrap();
    let log = Log { path, framing: Framing::Plain, file, end: Mutex::new(0) };
    assert!(matches!(log.append(b"something"), Err(Error::Io { .. })));
    assert_eq!(log.bytes(), 0);
}

#[test]
fn frames_are_read_while_others_are_appended() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("log");
    for framing in BOTH {
        let log = Log::create(&path, framing).unwrap();
        let (mut reader, mut frame) = (log.reader().unwrap(), vec![1; 9]);
        assert!(!reader.next(log.bytes(), &mut frame).unwrap(), "there is none yet");
        log.append(b"one").unwrap();
        let one = log.bytes();
        log.append(b"").unwrap();
        assert!(reader.next(one, &mut frame).unwrap());
        assert_eq!(frame, b"one");
        assert!(!reader.next(one, &mut frame).unwrap());
        assert!(reader.next(log.bytes(), &mut frame).unwrap());
        assert_eq!(frame, b"");
        log.append(b"three").unwrap();
        assert!(reader.next(log.bytes() - 1, &mut frame).is_err(), "no frame ends there");
        let mut bytes = std::fs::read(&path).unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        let told = reader.next(log.bytes(), &mut frame).unwrap_err().to_string();
        assert!(told.contains("is damaged at byte 35"), "{told}");
        bytes[last] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        assert!(reader.next(log.bytes(), &mut frame).unwrap(), "it stayed where it was");
        assert_eq!(frame, b"three");
    }
}
