//! One object, read by ranges.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::{Mutex, OnceLock, PoisonError};

use bytes::Bytes;
use lookalike_core::{Error, Result, hash};
use object_store::path::Path;
use object_store::{GetOptions, ObjectMeta};

use super::address::Address;
use super::failure::{Failure, What};
use super::runtime::{Pending, wait_for};
use super::store::Store;

/// An object. Whatever is read of it is of one state: if it is replaced meanwhile, reading fails.
#[derive(Debug)]
pub struct Object {
    address: Address,
    name: String,
    bytes: u64,
    stamp: u128,
    content: Content,
    /// Ranges that were asked for before somebody needs them.
    windows: Mutex<Vec<Window>>,
    /// Why reading it has failed, which is final.
    failure: OnceLock<Failure>,
}

#[derive(Debug)]
pub enum Content {
    Stored {
        store: Store,
        path: Path,
        /// The store's name for this state of the object, if it has one.
        tag: Option<String>,
    },
    /// A copy without a name, of what a server sends only as a whole.
    Copied(File),
}

#[derive(Debug)]
struct Window {
    range: Range<u64>,
    fetch: Fetch,
}

/// A range that is here or on its way.
#[derive(Debug)]
pub enum Fetch {
    Here(Bytes),
    Coming(Pending<Result<Bytes, Failure>>),
}

impl Object {
    /// By what a store says of it.
    pub fn stored(address: Address, name: String, store: Store, meta: ObjectMeta) -> Object {
        let (bytes, stamp) = (meta.size, stamp_of(&meta));
        let content = Content::Stored { store, path: meta.location.clone(), tag: tag_of(&meta) };
        Object::new(address, name, bytes, stamp, content)
    }

    /// A copy of the whole.
    pub fn copied(address: Address, name: String, file: File, bytes: u64, digest: u128) -> Object {
        Object::new(address, name, bytes, digest, Content::Copied(file))
    }

    fn new(address: Address, name: String, bytes: u64, stamp: u128, content: Content) -> Object {
        Object { address, name, bytes, stamp, content, windows: Mutex::default(), failure: OnceLock::new() }
    }

    /// Its whole address.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the end of its name says about its format.
    pub fn file_name(&self) -> &str {
        self.address.file_name()
    }

    /// Its length.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// A number that is another one if the object is replaced.
    pub fn stamp(&self) -> u128 {
        self.stamp
    }

    /// Fails if the store has another object under this address by now.
    pub fn check_unchanged(&self) -> Result<()> {
        let Content::Stored { store, path, .. } = &self.content else { return Ok(()) };
        let (store, path, address) = (store.clone(), path.clone(), self.address.clone());
        let asked = async move {
            // A web server may answer this question only together with some bytes.
            let options = if address.lists() {
                GetOptions { head: true, ..GetOptions::default() }
            } else {
                GetOptions { range: Some((0..1).into()), ..GetOptions::default() }
            };
            store
                .get_opts(&path, options)
                .await
                .map(|got| got.meta)
                .map_err(|error| Failure::of(&error, &address))
        };
        let meta = wait_for(asked).map_err(Error::io(&self.name))?;
        let meta = meta.map_err(|failure| failure.error(&self.name))?;
        match meta.size == self.bytes && stamp_of(&meta) == self.stamp {
            true => Ok(()),
            false => Err(Failure::changed().error(&self.name)),
        }
    }

    /// Why reading it has failed. A decoder may take a failure of the network for the end of a damaged stream; this tells
    /// the difference.
    pub fn failure(&self) -> Option<Error> {
        self.failure.get().map(|failure| failure.error(&self.name))
    }

    /// Begins to read a range, which must be within the object.
    pub fn fetch(&self, range: Range<u64>) -> io::Result<Fetch> {
        match &self.content {
            Content::Stored { store, path, tag } => {
                let wanted = Wanted {
                    store: store.clone(),
                    path: path.clone(),
                    address: self.address.clone(),
                    tag: tag.clone(),
                    bytes: self.bytes,
                    range,
                };
                Pending::begin(wanted.get()).map(Fetch::Coming)
            }
            Content::Copied(file) => {
                let mut bytes = vec![0; (range.end - range.start) as usize];
                file.read_exact_at(&mut bytes, range.start)?;
                Ok(Fetch::Here(bytes.into()))
            }
        }
    }

    /// Waits for a range.
    pub fn wait(&self, fetch: Fetch) -> io::Result<Bytes> {
        let got = match fetch {
            Fetch::Here(bytes) => Ok(bytes),
            Fetch::Coming(pending) => pending.wait().unwrap_or_else(|error| Err(error.into())),
        };
        got.map_err(|failure| {
            let _ = self.failure.set(failure.clone());
            io::Error::other(failure)
        })
    }

    /// Fills a buffer from an offset.
    pub fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let end = offset.saturating_add(buffer.len() as u64);
        if end > self.bytes {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if buffer.is_empty() {
            return Ok(());
        }
        let covers = |window: &Window| window.range.start <= offset && end <= window.range.end;
        let mut windows = self.windows();
        let window = windows.iter().position(covers).map(|place| windows.swap_remove(place));
        drop(windows);
        match window {
            Some(Window { range, fetch }) => {
                let bytes = self.wait(fetch)?;
                let from = (offset - range.start) as usize;
                buffer.copy_from_slice(&bytes[from..from + buffer.len()]);
                self.windows().push(Window { range, fetch: Fetch::Here(bytes) });
            }
            None => buffer.copy_from_slice(&self.wait(self.fetch(offset..end)?)?),
        }
        Ok(())
    }

    /// Begins to read a range that will be needed soon. It is held until it is [released](Object::release).
    pub fn expect(&self, range: Range<u64>) {
        let range = range.start..range.end.min(self.bytes);
        if range.is_empty() || matches!(self.content, Content::Copied(_)) {
            return;
        }
        let mut windows = self.windows();
        if windows.iter().any(|window| window.range == range) {
            return;
        }
        // If it cannot be begun, who needs it is told.
        if let Ok(fetch) = self.fetch(range.clone()) {
            windows.push(Window { range, fetch });
        }
    }

    /// Forgets an expected range.
    pub fn release(&self, start: u64) {
        self.windows().retain(|window| window.range.start != start);
    }

    fn windows(&self) -> std::sync::MutexGuard<'_, Vec<Window>> {
        self.windows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A range to get, with what it must be part of.
struct Wanted {
    store: Store,
    path: Path,
    address: Address,
    tag: Option<String>,
    bytes: u64,
    range: Range<u64>,
}

impl Wanted {
    /// The store's library repeats requests, and what is left of a body that is cut if it can tell that the rest is of the same
    /// object. If it cannot, the whole range is asked for again.
    async fn get(self) -> Result<Bytes, Failure> {
        const TRIES: u32 = 6;
        let mut tries = 1;
        loop {
            let options = GetOptions { range: Some(self.range.clone().into()), ..GetOptions::default() };
            let failed = |error: object_store::Error| Failure::of(&error, &self.address);
            let got = self.store.get_opts(&self.path, options).await.map_err(failed)?;
            if got.meta.size != self.bytes || tag_of(&got.meta) != self.tag {
                return Err(Failure::changed());
            }
            let length = self.range.end - self.range.start;
            match got.bytes().await {
                Ok(bytes) if bytes.len() as u64 == length => return Ok(bytes),
                read if self.tag.is_some() || tries == TRIES => {
                    let said =
                        read.map_err(failed).err().map_or(String::new(), |failure| format!(" ({failure})"));
                    return Err(Failure::new(
                        What::Other,
                        format!("the store sends less than it has, and trying again did not help{said}"),
                    ));
                }
                _ => tokio::time::sleep(std::time::Duration::from_millis(100 << tries)).await,
            }
            tries += 1;
        }
    }
}

/// The tag of an object's state. Stores write the same tag with and without quotes.
fn tag_of(meta: &ObjectMeta) -> Option<String> {
    let tag = meta.e_tag.as_deref()?;
    let tag = tag.strip_prefix("W/").unwrap_or(tag).trim_matches('"');
    (!tag.is_empty()).then(|| tag.to_owned())
}

fn stamp_of(meta: &ObjectMeta) -> u128 {
    match tag_of(meta) {
        Some(tag) => hash::digest_bytes(tag.as_bytes()),
        None => hash::digest_bytes(&meta.last_modified.timestamp().to_le_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use object_store::memory::InMemory;
    use object_store::{ObjectStoreExt, PutPayload};

    use super::*;

    fn object(content: &[u8]) -> (Store, Object) {
        let store: Store = Arc::new(InMemory::new());
        (store.clone(), put(&store, content))
    }

    fn put(store: &Store, content: &[u8]) -> Object {
        let (payload, there) = (PutPayload::from(content.to_vec()), store.clone());
        let path = Path::from("key");
        let meta = wait_for(async move {
            there.put(&path, payload).await.unwrap();
            there.head(&path).await.unwrap()
        });
        let address = Address::parse("s3://bucket/key").unwrap();
        Object::stored(address, "s3://bucket/key".to_owned(), store.clone(), meta.unwrap())
    }

    proptest::proptest! {
        /// Whatever was expected and released before, a range is what the object has there.
        #[test]
        fn ranges_are_what_the_object_has(
            length in 0_usize..200,
            steps in proptest::collection::vec((0_u64..220, 0_usize..60, 0_u8..3), 1..20),
        ) {
            let content: Vec<u8> = (0..length).map(|i| i as u8).collect();
            let (_, object) = object(&content);
            for (offset, count, what) in steps {
                match what {
                    0 => object.expect(offset..offset + count as u64),
                    1 => object.release(offset),
                    _ => {}
                }
                let mut buffer = vec![0; count];
                let read = object.read_exact_at(&mut buffer, offset);
                match content.get(offset as usize..offset as usize + count) {
                    Some(expected) => {
                        read.unwrap();
                        proptest::prop_assert_eq!(buffer, expected);
                    }
                    None => proptest::prop_assert_eq!(read.unwrap_err().kind(), io::ErrorKind::UnexpectedEof),
                }
            }
        }
    }

    #[test]
    fn a_replaced_object_is_not_read_on() {
        let (store, object) = object(b"one state");
        object.check_unchanged().unwrap();
        let mut buffer = [0; 3];
        object.read_exact_at(&mut buffer, 4).unwrap();
        assert_eq!(&buffer, b"sta");
        put(&store, b"two state");
        assert!(object.read_exact_at(&mut buffer, 4).is_err());
        let told = object.failure().unwrap().to_string();
        assert!(told.starts_with("s3://bucket/key changed while it was being read"), "{told}");
        assert!(object.check_unchanged().unwrap_err().to_string().contains("changed"));
    }

    #[test]
    fn a_copy_is_read_as_an_object() {
        let file = tempfile::tempfile().unwrap();
        file.write_all_at(b"some bytes", 0).unwrap();
        let address = Address::parse("http://host/a").unwrap();
        let object = Object::copied(address, "http://host/a".to_owned(), file, 10, 1);
        let mut buffer = [0; 5];
        object.expect(0..10);
        object.read_exact_at(&mut buffer, 5).unwrap();
        assert_eq!(&buffer, b"bytes");
        object.check_unchanged().unwrap();
    }
}
