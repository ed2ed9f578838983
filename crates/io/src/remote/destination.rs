//! A folder of objects to which files are uploaded.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use lookalike_core::{Error, Result};
use object_store::{MultipartUpload, ObjectStoreExt, PutPayload, WriteMultipart};

use super::address::Address;
use super::failure::{Failure, What};
use super::list::all_below;
use super::object::Object;
use super::open::{open, path_of};
use super::runtime::wait_for;
use super::store::{Store, connect};
use super::variables::Variables;

/// Files up to this length are sent at once, longer ones in parts of it.
const PART: u64 = 16 << 20;
/// Stores take at most this many parts.
const MOST_PARTS: u64 = 9_000;
/// Parts that are on their way at once.
const AT_ONCE: usize = 4;

/// A folder of objects.
pub struct Destination {
    address: Address,
    store: Store,
}

impl Destination {
    /// The folder of an address. Nothing is asked of the store yet.
    pub fn open(argument: &str) -> Result<Destination> {
        let address = Address::parse(argument)?;
        if !address.lists() {
            return Err(Error::config(format!(
                "{argument}: results cannot be written to a web server; s3://, gs:// and az:// take them"
            )));
        }
        let store = connect(&address, &Variables::of_process())?;
        Ok(Destination { address, store })
    }

    /// The whole address of a file in it.
    pub fn name(&self, file: &str) -> String {
        self.address.of(&self.key(file))
    }

    fn key(&self, file: &str) -> String {
        match self.address.folder() {
            "" => file.to_owned(),
            folder => format!("{folder}/{file}"),
        }
    }

    /// The names of the objects right in the folder.
    pub fn names(&self) -> Result<Vec<String>> {
        let folder = self.address.folder();
        let keys = all_below(&self.address, folder, &self.store);
        let keys = keys.map_err(|failure| failure.error(&self.address.of(folder)))?;
        let within = if folder.is_empty() { 0 } else { folder.len() + 1 };
        let names = keys.iter().filter_map(|key| key.get(within..));
        Ok(names.filter(|name| !name.contains('/')).map(str::to_owned).collect())
    }

    /// The content of a small object; `None` if there is none.
    pub fn read(&self, file: &str) -> Result<Option<Vec<u8>>> {
        let read = self.on_key(file, |store, path| async move { store.get(&path).await?.bytes().await });
        match read {
            Ok(bytes) => Ok(Some(bytes.to_vec())),
            Err(failure) if failure.what == What::NoObject => Ok(None),
            Err(failure) => Err(failure.error(&self.name(file))),
        }
    }

    /// Opens an object to read all of it in order.
    pub fn object(&self, file: &str) -> Result<Arc<Object>> {
        let opened = open(&self.address, &self.key(file), &self.store);
        opened.map(Arc::new).map_err(|failure| failure.error(&self.name(file)))
    }

    /// Removes an object; none is fine, too.
    pub fn remove(&self, file: &str) -> Result<()> {
        match self.on_key(file, |store, path| async move { store.delete(&path).await }) {
            Err(failure) if failure.what != What::NoObject => Err(failure.error(&self.name(file))),
            _ => Ok(()),
        }
    }

    /// Uploads a file. It appears under its name when all of it is there. `sent` is told how many bytes went out.
    pub fn upload(&self, file: &str, from: &Path, sent: impl FnMut(u64) -> Result<()>) -> Result<()> {
        let local = File::open(from).map_err(Error::io(from))?;
        let length = local.metadata().map_err(Error::io(from))?.len();
        self.upload_open(file, from, &local, length, sent)
    }

    /// The same for the first bytes of a file that is open, whose name is only told.
    pub fn upload_open(
        &self,
        file: &str,
        from: &Path,
        local: &File,
        length: u64,
        mut sent: impl FnMut(u64) -> Result<()>,
    ) -> Result<()> {
        let read = |start: u64, end: u64| -> Result<Bytes> {
            let mut bytes = vec![0; (end - start) as usize];
            local.read_exact_at(&mut bytes, start).map_err(Error::io(from))?;
            Ok(bytes.into())
        };
        let told = |failure: Failure| failure.error(&self.name(file));
        if length <= PART {
            let payload = PutPayload::from(read(0, length)?);
            self.on_key(file, |store, path| async move { store.put(&path, payload).await.map(drop) })
                .map_err(told)?;
            return sent(length);
        }
        let part = PART.max(length.div_ceil(MOST_PARTS));
        let begun = self.on_key(file, |store, path| async move { store.put_multipart(&path).await });
        let begun: Box<dyn MultipartUpload> = begun.map_err(told)?;
        let mut writer = WriteMultipart::new_with_chunk_size(begun, part as usize);
        let mut at = 0;
        while at < length {
            let end = (at + part).min(length);
            let stopped = match read(at, end) {
                Ok(bytes) => {
                    let put = self.on_writer(writer, |mut writer| async move {
                        // A part is begun when there is room for it; an earlier one may have failed.
                        let free = writer.wait_for_capacity(AT_ONCE).await;
                        if free.is_ok() {
                            writer.put(bytes);
                        }
                        (writer, free)
                    });
                    let (same, put) = put.map_err(told)?;
                    writer = same;
                    put.map_err(told).and_then(|()| sent(end - at)).err()
                }
                Err(error) => Some(error),
            };
            if let Some(error) = stopped {
                // Parts that nobody joins would be kept, and paid for.
                let _ = self.on_writer(writer, |writer| async move { ((), writer.abort().await) });
                return Err(error);
            }
            at = end;
        }
        let finished = self.on_writer(writer, |writer| async move { ((), writer.finish().await.map(drop)) });
        finished.and_then(|((), finished)| finished).map_err(told)
    }

    /// Asks the store something about one key, and waits for the answer.
    fn on_key<T: Send + 'static, F>(
        &self,
        file: &str,
        ask: impl FnOnce(Store, object_store::path::Path) -> F,
    ) -> Result<T, Failure>
    where
        F: Future<Output = object_store::Result<T>> + Send + 'static,
    {
        let asked = ask(self.store.clone(), path_of(&self.key(file))?);
        wait_for(asked)?.map_err(|error| Failure::of(&error, &self.address))
    }

    fn on_writer<T: Send + 'static, F>(
        &self,
        writer: WriteMultipart,
        work: impl FnOnce(WriteMultipart) -> F,
    ) -> Result<(T, Result<(), Failure>), Failure>
    where
        F: Future<Output = (T, object_store::Result<()>)> + Send + 'static,
    {
        let (kept, done) = wait_for(work(writer))?;
        Ok((kept, done.map_err(|error| Failure::of(&error, &self.address))))
    }
}

#[cfg(test)]
mod tests {
    use object_store::memory::InMemory;

    use super::*;

    #[test]
    fn files_arrive_whole_and_are_listed_by_name() {
        for folder in ["s3://b", "s3://b/a/run/"] {
            let store: Store = Arc::new(InMemory::new());
            let there = Destination { address: Address::parse(folder).unwrap(), store };
            assert_eq!(there.names().unwrap(), Vec::<String>::new());
            let dir = tempfile::tempdir().unwrap();
            for length in [0, 1, PART - 1, PART, PART + 1, 2 * PART, 2 * PART + 5] {
                let path = dir.path().join(length.to_string());
                let content: Vec<u8> = (0..length).map(|i| (i ^ (i >> 11)) as u8).collect();
                std::fs::write(&path, &content).unwrap();
                let name = format!("{length}.bin");
                let mut sent = 0;
                there
                    .upload(&name, &path, |bytes| {
                        sent += bytes;
                        Ok(())
                    })
                    .unwrap();
                assert_eq!(sent, length);
                assert!(there.read(&name).unwrap().unwrap() == content, "{length} in {folder}");
            }
            assert_eq!(there.names().unwrap().len(), 7);
            there.remove("1.bin").unwrap();
            there.remove("none").unwrap();
            assert_eq!(there.read("1.bin").unwrap(), None);
            assert_eq!(there.names().unwrap().len(), 6);
            let stopped =
                there.upload("x", &dir.path().join((2 * PART).to_string()), |_| Err(Error::Cancelled));
            assert!(matches!(stopped, Err(Error::Cancelled)));
            assert_eq!(there.read("x").unwrap(), None, "nothing is left of it");
        }
    }

    #[test]
    fn a_web_server_takes_no_results() {
        let told = Destination::open("https://host/run").err().unwrap().to_string();
        assert!(told.contains("cannot be written to a web server"), "{told}");
    }
}
