//! Buffers answers until they are read.
//!
//! Many clients send all of a request before they read any of the answer. If unread answers kept the service from
//! reading on, both sides would wait for each other for ever. So answers wait here: a little in memory, the rest in
//! an unnamed file that disappears with the request. The writer waits only when that is full, too.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::body::{Body, Bytes};
use http_body_util::channel::Channel;
use tokio::sync::Notify;
use tokio::task::spawn_blocking;

/// How many bytes wait in memory, are read from the file at once, and may wait in all.
const MEMORY: usize = 256 << 10;
const PART: u64 = 256 << 10;
const MOST: u64 = 1 << 30;

/// Writes the body of an answer.
pub struct SpoolWriter(Arc<Shared>);

struct Shared {
    folder: PathBuf,
    waiting: Mutex<Waiting>,
    filled: Notify,
    taken: Notify,
}

/// Bytes that were written but not read yet: first those in memory, then those in the file, then `last`.
#[derive(Default)]
struct Waiting {
    memory: VecDeque<Bytes>,
    held: usize,
    file: Option<Arc<File>>,
    read: u64,
    written: u64,
    /// Whether a write to the end of the file is in progress.
    writing: bool,
    last: Option<Bytes>,
    ended: bool,
    /// Whether the reader is gone.
    abandoned: bool,
}

/// Creates the body of an answer and its writer. `place` is dropped when the body has been read to its end or the
/// reader is gone.
pub fn spool(folder: &Path, place: impl Send + 'static) -> (SpoolWriter, Body) {
    let shared = Arc::new(Shared {
        folder: folder.to_owned(),
        waiting: Mutex::default(),
        filled: Notify::new(),
        taken: Notify::new(),
    });
    let (mut sender, body) = Channel::<Bytes, Infallible>::new(2);
    let ours = Arc::clone(&shared);
    tokio::spawn(async move {
        let _place = place;
        while let Some(bytes) = ours.take().await {
            if sender.send_data(bytes).await.is_err() {
                break;
            }
        }
        ours.lock().abandoned = true;
        ours.taken.notify_one();
    });
    (SpoolWriter(shared), Body::new(body))
}

impl SpoolWriter {
    /// Writes some bytes; returns whether the reader is still there.
    pub async fn write(&self, bytes: Bytes) -> io::Result<bool> {
        let shared = &*self.0;
        loop {
            {
                let mut waiting = shared.lock();
                if waiting.abandoned {
                    return Ok(false);
                }
                let in_file = waiting.written - waiting.read;
                if in_file == 0 && (waiting.held == 0 || waiting.held + bytes.len() <= MEMORY) {
                    waiting.held += bytes.len();
                    waiting.memory.push_back(bytes);
                    shared.filled.notify_one();
                    return Ok(true);
                }
                if in_file < MOST {
                    waiting.writing = true;
                    break;
                }
            }
            shared.taken.notified().await;
        }
        let written = shared.write(bytes).await;
        shared.lock().writing = false;
        shared.filled.notify_one();
        written.map(|()| true)
    }

    /// Ends the body, with some last bytes if given.
    pub fn end(self, last: Option<Bytes>) {
        self.0.lock().last = last;
    }
}

impl Drop for SpoolWriter {
    fn drop(&mut self) {
        self.0.lock().ended = true;
        self.0.filled.notify_one();
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends to the file. There is only one writer, and while `writing` is set the file is not truncated.
    async fn write(&self, bytes: Bytes) -> io::Result<()> {
        let (file, end) = {
            let waiting = self.lock();
            (waiting.file.clone(), waiting.written)
        };
        let (folder, length) = (self.folder.clone(), bytes.len() as u64);
        let write = move || {
            let file = file.map_or_else(|| tempfile::tempfile_in(folder).map(Arc::new), Ok)?;
            file.write_all_at(&bytes, end).map(|()| file)
        };
        let file = spawn_blocking(write).await.map_err(io::Error::other)??;
        let mut waiting = self.lock();
        (waiting.file, waiting.written) = (Some(file), end + length);
        Ok(())
    }

    /// The next bytes; `None` when there are no more.
    async fn take(&self) -> Option<Bytes> {
        loop {
            let part = {
                let mut waiting = self.lock();
                if let Some(bytes) = waiting.memory.pop_front() {
                    waiting.held -= bytes.len();
                    self.taken.notify_one();
                    return Some(bytes);
                }
                let part = waiting.file.clone().filter(|_| waiting.read < waiting.written);
                if part.is_none() && waiting.ended {
                    return waiting.last.take();
                }
                part.map(|file| (file, waiting.read, (waiting.written - waiting.read).min(PART)))
            };
            match part {
                Some((file, start, length)) => return self.read(file, start, length).await,
                None => self.filled.notified().await,
            }
        }
    }

    /// Reads a part of the file, which is truncated when all of it has been read.
    async fn read(&self, file: Arc<File>, start: u64, length: u64) -> Option<Bytes> {
        let from = Arc::clone(&file);
        let read = spawn_blocking(move || {
            let mut bytes = vec![0; length as usize];
            from.read_exact_at(&mut bytes, start).map(|()| bytes)
        });
        // An answer that breaks off is better than one with a gap.
        let bytes = read.await.ok()?.ok()?;
        let mut waiting = self.lock();
        waiting.read += length;
        if waiting.read == waiting.written && !waiting.writing && file.set_len(0).is_ok() {
            (waiting.read, waiting.written) = (0, 0);
        }
        self.taken.notify_one();
        Some(Bytes::from(bytes))
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt;

    use super::*;

    /// Parts of many sizes, some far larger than what is held in memory.
    fn parts(count: usize) -> Vec<Bytes> {
        (0..count).map(|number| Bytes::from(vec![number as u8; 1 + number * number * 37 % 300_000])).collect()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn what_is_given_before_anybody_reads_comes_whole_and_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let (filler, body) = spool(folder.path(), ());
        let parts = parts(200);
        for part in &parts {
            assert!(filler.write(part.clone()).await.unwrap());
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "the file has no name");
        filler.end(Some(Bytes::from_static(b"the end")));
        let expected = [parts.concat(), b"the end".to_vec()].concat();
        assert_eq!(body.collect().await.unwrap().to_bytes(), expected);
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn giving_and_taking_at_once_loses_nothing() {
        let folder = tempfile::tempdir().unwrap();
        for pause in [0, 3, 50] {
            let (filler, body) = spool(folder.path(), ());
            let parts = parts(400);
            let expected = parts.concat();
            tokio::spawn(async move {
                for (number, part) in parts.into_iter().enumerate() {
                    assert!(filler.write(part).await.unwrap());
                    if pause > 0 && number % pause == 0 {
                        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
                    }
                }
            });
            assert_eq!(body.collect().await.unwrap().to_bytes(), expected, "{pause}");
        }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn who_stops_reading_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let (filler, body) = spool(folder.path(), ());
        drop(body);
        let mut wanted = true;
        for part in parts(400) {
            wanted = wanted && filler.write(part).await.unwrap();
            tokio::task::yield_now().await;
        }
        assert!(!wanted);
    }
}
