use std::io::Write;

use flate2::write::GzEncoder;

use std::path::Path;

use super::*;

fn options() -> ReadOptions {
    ReadOptions {
        max_line: 16 << 20,
        columns: vec!["id".into(), "text".into()],
        text: "text".into(),
        cursors: 2,
    }
}

/// All chunks in input order, read by several threads.
fn read_all(inputs: &[Input], options: ReadOptions) -> Vec<(usize, u64, Vec<u8>, Option<String>)> {
    let reader = Reader::open(inputs, options.clone()).unwrap();
    let mut all = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..3)
            .map(|_| {
                scope.spawn(|| {
                    let mut found = Vec::new();
                    let mut chunk = Chunk::default();
                    while reader.next(&mut chunk, &|_, _| false).unwrap() {
                        found.push((chunk.input, chunk.part, chunk.bytes().to_vec(), chunk.broken.clone()));
                    }
                    found
                })
            })
            .collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    all.sort();
    let mut again = Vec::new();
    let mut chunk = Chunk::default();
    let reader = Reader::open(inputs, options).unwrap();
    let mut raw_bytes = 0;
    while reader.next(&mut chunk, &|_, _| false).unwrap() {
        raw_bytes += chunk.raw_bytes;
        again.push((chunk.input, chunk.part, chunk.bytes().to_vec(), chunk.broken.clone()));
    }
    again.sort();
    assert!(again == all, "what is read again is the same");
    assert!(raw_bytes <= inputs.iter().map(|input| input.bytes).sum(), "{raw_bytes}");
    all
}

fn joined(chunks: &[(usize, u64, Vec<u8>, Option<String>)]) -> Vec<u8> {
    chunks.iter().flat_map(|chunk| chunk.2.clone()).collect()
}

/// About 13 MB in lines of very different lengths, some of them longer than a chunk.
fn long_text() -> Vec<u8> {
    let mut text = Vec::new();
    for i in 0..60_000usize {
        let _ = writeln!(text, "{{\"text\":\"{}\"}}", "y".repeat(i * i % 97));
        if i % 20_000 == 7 {
            text.extend(std::iter::repeat_n(b'z', (CHUNK_BYTES as usize / 2) * (1 + i / 20_000)));
            text.push(b'\n');
        }
    }
    text.extend_from_slice(b"no line end");
    text
}

fn write(path: &Path, bytes: &[u8]) -> Input {
    std::fs::write(path, bytes).unwrap();
    Input::open(path, &path.to_string_lossy()).unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn every_line_comes_once_whatever_the_compression() {
    let dir = tempfile::tempdir().unwrap();
    let text = long_text();
    let half = text.len() / 2;
    // Two members and two frames: both formats allow it.
    let gz = [gzip(&text[..half]), gzip(&text[half..])].concat();
    let zst = [&text[..half], &text[half..]].map(|part| zstd::encode_all(part, 1).unwrap()).concat();
    for (files, (name, bytes)) in (1..).zip([("a.jsonl", &text), ("b.jsonl.gz", &gz), ("c.jsonl.zst", &zst)])
    {
        let input = write(&dir.path().join(name), bytes);
        let chunks = read_all(&[input], options());
        assert!(chunks.iter().all(|chunk| chunk.3.is_none()));
        assert_eq!(joined(&chunks), text, "{name}");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), files, "{name}: there is no copy");
    }
}

#[test]
fn a_line_beyond_the_limit_is_passed_over_and_named() {
    let dir = tempfile::tempdir().unwrap();
    let mut text = b"first\n".to_vec();
    text.extend(std::iter::repeat_n(b'x', 3 * CHUNK_BYTES as usize));
    text.extend_from_slice(b"\nlast\n");
    for (name, bytes) in [("a.jsonl", text.clone()), ("a.jsonl.gz", gzip(&text))] {
        let input = write(&dir.path().join(name), &bytes);
        let chunks = read_all(&[input], ReadOptions { max_line: 1 << 20, ..options() });
        assert_eq!(joined(&chunks), b"first\nlast\n", "{name}");
        let broken: Vec<_> = chunks.iter().filter_map(|chunk| chunk.3.as_ref()).collect();
        assert_eq!(broken.len(), 1);
        assert!(broken[0].contains("12582912 bytes"), "{}", broken[0]);
    }
}

#[test]
fn a_cut_stream_gives_what_came_before() {
    let dir = tempfile::tempdir().unwrap();
    let text = "a line of text\n".repeat(100_000);
    for (name, whole) in
        [("cut.gz", gzip(text.as_bytes())), ("cut.zst", zstd::encode_all(text.as_bytes(), 1).unwrap())]
    {
        let input = write(&dir.path().join(name), &whole[..whole.len() - 10]);
        let chunks = read_all(&[input], options());
        let read = joined(&chunks);
        assert!(text.as_bytes().starts_with(&read), "{name}");
        assert!(read.is_empty() || read.ends_with(b"\n"));
        let broken: Vec<_> = chunks.iter().filter_map(|chunk| chunk.3.as_ref()).collect();
        assert_eq!(broken.len(), 1, "{name}");
        assert!(broken[0].contains("damaged or cut"));
    }
}

#[test]
fn chunks_that_are_done_are_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let text = long_text();
    for (name, bytes) in [("a.jsonl", text.clone()), ("a.jsonl.gz", gzip(&text))] {
        let input = write(&dir.path().join(name), &bytes);
        let all = read_all(std::slice::from_ref(&input), options());
        let reader = Reader::open(&[input], options()).unwrap();
        let (mut chunk, mut rest) = (Chunk::default(), Vec::new());
        while reader.next(&mut chunk, &|_, part| part % 2 == 0).unwrap() {
            rest.push(chunk.part);
        }
        let expected: Vec<u64> = all.iter().map(|chunk| chunk.1).filter(|part| part % 2 == 1).collect();
        assert_eq!(rest, expected, "{name}");
    }
}

#[test]
fn standard_input_is_copied_decompressed_and_only_once() {
    let dir = tempfile::tempdir().unwrap();
    let path = copy_stdin(&gzip(b"one\ntwo\n")[..], dir.path()).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), b"one\ntwo\n");
    assert_eq!(copy_stdin(&b"ignored"[..], dir.path()).unwrap(), path);
    assert_eq!(std::fs::read(&path).unwrap(), b"one\ntwo\n");
}
