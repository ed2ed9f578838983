//! What an address stands for: an object, all objects of a folder, or those that a pattern matches.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::TryStreamExt;
use lookalike_core::{Error, Result};
use object_store::ObjectMeta;

use super::address::Address;
use super::failure::{Failure, What};
use super::object::Object;
use super::open::{open, path_of};
use super::runtime::wait_for;
use super::store::{Store, connect};
use super::variables::Variables;

/// Connections to stores, one for each bucket.
pub struct Stores {
    variables: Variables,
    connected: HashMap<String, Store>,
}

/// What an address stands for.
pub struct Listing {
    address: Address,
    store: Store,
    /// The key of the folder, if the address is that of one.
    pub folder: Option<String>,
    /// The keys of the objects by their parts, as folders on disk are sorted.
    pub keys: Vec<String>,
}

impl Stores {
    /// With the credentials of the environment.
    pub fn new() -> Self {
        Stores { variables: Variables::of_process(), connected: HashMap::new() }
    }

    fn connect(&mut self, address: &Address) -> Result<Store> {
        if let Some(store) = self.connected.get(&address.store) {
            return Ok(store.clone());
        }
        let store = connect(address, &self.variables)?;
        self.connected.insert(address.store.clone(), store.clone());
        Ok(store)
    }

    /// Finds what an address stands for. Of a web server nothing is asked yet.
    pub fn list(&mut self, argument: &str) -> Result<Listing> {
        let address = Address::parse(argument)?;
        let store = self.connect(&address)?;
        let listing = |folder: Option<String>, keys: Vec<String>| Listing {
            address: address.clone(),
            store: store.clone(),
            folder,
            keys,
        };
        let told = |failure: Failure| failure.error(argument);
        if !address.lists() {
            return Ok(listing(None, vec![String::new()]));
        }
        if address.is_pattern() {
            let keys = all_below(&address, address.folder_of_pattern(), &store).map_err(told)?;
            return Ok(listing(None, matching(argument, &address.key, keys)?));
        }
        let folder = address.folder();
        if folder.len() == address.key.len() && !folder.is_empty() {
            match open(&address, folder, &store) {
                Ok(_) => return Ok(listing(None, vec![folder.to_owned()])),
                Err(failure) if failure.what == What::NoObject => {}
                Err(failure) => return Err(told(failure)),
            }
        }
        let keys = all_below(&address, folder, &store).map_err(told)?;
        if keys.is_empty() {
            let what = "there is no such object, and no folder of this name with objects in it";
            return Err(Error::config(format!("{argument}: {what}")));
        }
        Ok(listing(Some(folder.to_owned()), keys))
    }
}

impl Default for Stores {
    fn default() -> Self {
        Stores::new()
    }
}

impl Listing {
    /// The whole address of a key.
    pub fn name(&self, key: &str) -> String {
        self.address.of(key)
    }

    /// Opens an object.
    pub fn open(&self, key: &str) -> Result<Arc<Object>> {
        let opened = open(&self.address, key, &self.store);
        opened.map(Arc::new).map_err(|failure| failure.error(&self.name(key)))
    }
}

/// The keys of all objects below a folder. Empty objects without an ending stand for folders and are none.
pub fn all_below(address: &Address, folder: &str, store: &Store) -> Result<Vec<String>, Failure> {
    let prefix = if folder.is_empty() { None } else { Some(path_of(folder)?) };
    let (store, address) = (store.clone(), address.clone());
    let listed = wait_for(async move {
        let listed: Result<Vec<ObjectMeta>, _> = store.list(prefix.as_ref()).try_collect().await;
        listed.map_err(|error| Failure::of(&error, &address))
    })??;
    let is_folder = |meta: &ObjectMeta| {
        meta.size == 0 && !meta.location.filename().is_some_and(|name| name.contains('.'))
    };
    let objects = listed.into_iter().filter(|meta| !is_folder(meta));
    let mut keys: Vec<String> = objects.map(|meta| meta.location.to_string()).collect();
    keys.sort_by(|a, b| a.split('/').cmp(b.split('/')));
    Ok(keys)
}

/// The keys that a pattern matches, as a shell would match them; there must be at least one.
fn matching(argument: &str, pattern: &str, keys: Vec<String>) -> Result<Vec<String>> {
    // A key may have the characters of a pattern itself.
    if keys.iter().any(|key| key == pattern) {
        return Ok(vec![pattern.to_owned()]);
    }
    let matcher =
        glob::Pattern::new(pattern).map_err(|error| Error::config(format!("pattern {argument}: {error}")))?;
    let options = glob::MatchOptions {
        require_literal_separator: true,
        require_literal_leading_dot: true,
        ..Default::default()
    };
    let found: Vec<String> = keys.into_iter().filter(|key| matcher.matches_with(key, options)).collect();
    if found.is_empty() {
        return Err(Error::config(format!("no object matches {argument}")));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use object_store::memory::InMemory;
    use object_store::path::Path;
    use object_store::{ObjectStoreExt, PutPayload};

    use super::*;

    fn stores(keys: &[&str]) -> Stores {
        let store: Store = Arc::new(InMemory::new());
        for key in keys {
            let (store, path) = (store.clone(), Path::parse(key).unwrap());
            let put = async move { store.put(&path, PutPayload::from_static(b"x")).await.map(drop) };
            wait_for(put).unwrap().unwrap();
        }
        let connected = HashMap::from([("s3://b".to_owned(), store)]);
        Stores { variables: Variables::new(Vec::new()), connected }
    }

    #[test]
    fn folders_patterns_and_objects() {
        let mut stores = stores(&[
            "a/b.jsonl",
            "a/b/c.jsonl",
            "a/b-c.jsonl",
            "a/.hidden.jsonl",
            "d[1].jsonl",
            "d1.jsonl",
            "e f%20.x",
        ]);
        let mut keys = |argument: &str| {
            let found = stores.list(argument).map_err(|error| error.to_string())?;
            Ok::<_, String>((found.folder, found.keys.join(" ")))
        };
        let folder = |name: &str, keys: &str| Ok((Some(name.to_owned()), keys.to_owned()));
        let object = |keys: &str| Ok((None, keys.to_owned()));
        let all = "a/.hidden.jsonl a/b/c.jsonl a/b-c.jsonl a/b.jsonl";
        assert_eq!(keys("s3://b/a"), folder("a", all));
        assert_eq!(keys("s3://b/a/"), folder("a", all));
        assert_eq!(keys("s3://b/"), folder("", &format!("{all} d1.jsonl d[1].jsonl e f%20.x")));
        assert_eq!(keys("s3://b/a/*.jsonl"), object("a/b-c.jsonl a/b.jsonl"));
        assert_eq!(keys("s3://b/a/**/*.jsonl"), object("a/b/c.jsonl a/b-c.jsonl a/b.jsonl"));
        assert_eq!(keys("s3://b/*/b?c.jsonl"), object("a/b-c.jsonl"));
        assert_eq!(keys("s3://b/d[1].jsonl"), object("d[1].jsonl"), "a key that is written like a pattern");
        assert_eq!(keys("s3://b/e f%20.x"), object("e f%20.x"));
        assert_eq!(keys("s3://b/none*"), Err("no object matches s3://b/none*".to_owned()));
        assert!(keys("s3://b/none").unwrap_err().contains("there is no such object"));
        assert!(keys("s3://b/a//b.jsonl").unwrap_err().contains("no possible key"));
        assert!(keys("s3://b/a[").unwrap_err().contains("pattern s3://b/a["));
    }
}
