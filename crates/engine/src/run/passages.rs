//! The passages that removed documents share with their keepers, on request.

use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};

use lookalike_core::Result;
use lookalike_core::passages::{LEAST_WORDS, shared_passages};
use lookalike_io::record::Fields;

use super::candidates::on_threads;
use super::catalog::Catalog;
use super::reread::Reread;

/// For each pair of a removed document and its keeper, the shared passages as JSON: byte offsets in
/// both texts, in the order of the removed one.
pub fn as_json(
    catalog: &Catalog,
    fields: &Fields,
    threads: usize,
    pairs: &[(u32, u32)],
) -> Result<Vec<String>> {
    let found = Mutex::new(vec![String::new(); pairs.len()]);
    let next = AtomicUsize::new(0);
    on_threads(threads, || {
        let (mut removed, mut keeper) = (Reread::new(catalog, fields), Reread::new(catalog, fields));
        loop {
            let place = next.fetch_add(1, Ordering::Relaxed);
            let Some(&(document, master)) = pairs.get(place) else { return Ok(()) };
            let (a, b) = (removed.read(document)?, keeper.read(master)?);
            let passages: Vec<String> = shared_passages(&a.text, &b.text, LEAST_WORDS)
                .into_iter()
                .map(|passage| {
                    format!(
                        "{{\"removed\":[{},{}],\"keeper\":[{},{}],\"words\":{}}}",
                        passage.a.start, passage.a.end, passage.b.start, passage.b.end, passage.words
                    )
                })
                .collect();
            let json = format!("[{}]", passages.join(","));
            found.lock().unwrap_or_else(PoisonError::into_inner)[place] = json;
        }
    })?;
    Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner))
}
