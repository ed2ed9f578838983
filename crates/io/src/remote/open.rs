//! Opening an object: what it is, and for a server that sends only whole files, a copy.

use std::fs::File;
use std::io::Write;
use std::os::unix::fs::FileExt;
use std::time::Duration;

use lookalike_core::hash;
use object_store::path::Path;
use object_store::{GetOptions, ObjectStoreExt};

use super::address::Address;
use super::failure::{Failure, What};
use super::object::Object;
use super::runtime::wait_for;
use super::store::Store;

/// Opens an object by its key.
pub fn open(address: &Address, key: &str, store: &Store) -> Result<Object, Failure> {
    let name = address.of(key);
    let path = path_of(key)?;
    let address = Address { key: key.to_owned(), ..address.clone() };
    if !address.lists() {
        return open_web(address, name, store);
    }
    let (there, place) = (store.clone(), address.clone());
    let meta =
        wait_for(async move { there.head(&path).await.map_err(|error| Failure::of(&error, &place)) })??;
    Ok(Object::stored(address, name, store.clone(), meta))
}

/// A key as the library takes it.
pub fn path_of(key: &str) -> Result<Path, Failure> {
    Path::parse(key)
        .map_err(|error| Failure::new(What::Other, format!("no possible key of an object: {error}")))
}

/// One byte is asked for: the answer tells the length, and whether the server sends parts.
fn open_web(address: Address, name: String, store: &Store) -> Result<Object, Failure> {
    let (there, place) = (store.clone(), address.clone());
    let asked = wait_for(async move {
        let options = GetOptions { range: Some((0..1).into()), ..GetOptions::default() };
        let got = there.get_opts(&Path::default(), options).await;
        got.map(|got| got.meta).map_err(|error| Failure::of(&error, &place))
    })?;
    match asked {
        Ok(meta) => Ok(Object::stored(address, name, store.clone(), meta)),
        Err(failure) if failure.what == What::OnlyWhole => copy(address, name),
        Err(failure) => Err(failure),
    }
}

/// Downloads a whole file into one without a name, in the folder for temporary files.
fn copy(address: Address, name: String) -> Result<Object, Failure> {
    let url = address.store.clone();
    let copied = wait_for(async move {
        const TRIES: u32 = 6;
        let mut tries = 1;
        loop {
            match download(&url).await {
                Err((failure, true)) if tries < TRIES => {
                    tokio::time::sleep(Duration::from_millis(100 << tries)).await;
                    drop(failure);
                }
                done => break done.map_err(|(failure, _)| failure),
            }
            tries += 1;
        }
    })?;
    let (file, bytes, digest) = copied?;
    Ok(Object::copied(address, name, file, bytes, digest))
}

/// The file, its length and a digest of it; or why not, and whether trying again may help.
async fn download(url: &str) -> Result<(File, u64, u128), (Failure, bool)> {
    let broken = |error: reqwest::Error| {
        let told = error.without_url().to_string();
        (Failure::new(What::Other, format!("the server does not answer as it should: {told}")), true)
    };
    let here = |error: std::io::Error| {
        let folder = std::env::temp_dir();
        (Failure::new(What::Other, format!("no copy in {}: {error}", folder.display())), false)
    };
    let client = reqwest::Client::builder()
        .connect_timeout(Duration::from_secs(5))
        .read_timeout(Duration::from_secs(30))
        .build()
        .map_err(broken)?;
    let mut response = client.get(url).send().await.map_err(broken)?;
    let status = response.status();
    if !status.is_success() {
        let what = if status.as_u16() == 404 { What::NoObject } else { What::Other };
        let may_help = status.is_server_error() || status.as_u16() == 429;
        return Err((Failure::new(what, format!("the server answers {status}")), may_help));
    }
    let length = response.content_length();
    let tells_end = length.is_some()
        || response.version() > reqwest::Version::HTTP_11
        || response.headers().contains_key("transfer-encoding");
    if !tells_end {
        let told = "the server does not tell where the file ends, so nobody knows whether all of it came; download it \
                    in another way";
        return Err((Failure::new(What::Other, told), false));
    }
    let mut file = tempfile::tempfile().map_err(here)?;
    let mut bytes = 0;
    while let Some(piece) = response.chunk().await.map_err(broken)? {
        file.write_all(&piece).map_err(here)?;
        bytes += piece.len() as u64;
    }
    if length.is_some_and(|length| length != bytes) {
        return Err((Failure::new(What::Other, "the server sends less than it says"), true));
    }
    let digest = digest_of(&file, bytes).map_err(here)?;
    Ok((file, bytes, digest))
}

/// A digest of the content, by which a second download of the same file is recognised.
fn digest_of(file: &File, bytes: u64) -> std::io::Result<u128> {
    const BLOCK: usize = 1 << 20;
    let (mut digest, mut at) = (0_u128, 0);
    let mut block = Vec::with_capacity(BLOCK + 16);
    while at < bytes {
        let length = BLOCK.min((bytes - at) as usize);
        block.clear();
        block.extend_from_slice(&digest.to_le_bytes());
        block.resize(16 + length, 0);
        file.read_exact_at(&mut block[16..], at)?;
        digest = hash::digest_bytes(&block);
        at += length as u64;
    }
    Ok(digest)
}
