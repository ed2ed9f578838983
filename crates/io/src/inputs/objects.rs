//! Inputs in object stores: what their addresses stand for, by the rules that hold for folders on disk.

use std::collections::HashSet;
use std::path::Path;

use lookalike_core::Result;
use lookalike_core::threads::spread;

use super::{ABOUT_DATA, Input, RUN_FILES, is_about_data, is_corpus_name, no_corpora};
use crate::remote::{Address, Listing, Stores};

/// How many objects are asked about at once.
const AT_ONCE: usize = 16;

/// Opens the corpora that an address stands for.
pub(super) fn open(argument: &str, output: Option<&Path>, stores: &mut Stores) -> Result<Vec<Input>> {
    let listing = stores.list(argument)?;
    let keys = match &listing.folder {
        Some(folder) => {
            let (corpora, _) = parted(&listing, folder, output);
            if corpora.is_empty() {
                return Err(no_corpora(argument));
            }
            corpora
        }
        None => listing.keys.clone(),
    };
    let open = |key: String| Input::open_object(listing.open(&key)?);
    spread(AT_ONCE.min(keys.len().max(1)), keys, open).into_iter().collect()
}

/// Fails if any of these has changed.
pub(super) fn check_unchanged(inputs: Vec<&Input>) -> Result<()> {
    if inputs.is_empty() {
        return Ok(());
    }
    spread(AT_ONCE.min(inputs.len()), inputs, Input::check_unchanged).into_iter().collect()
}

/// The addresses that [`open`] leaves out of a folder.
pub(super) fn passed_over(argument: &str, output: Option<&Path>, stores: &mut Stores) -> Result<Vec<String>> {
    let listing = stores.list(argument)?;
    let Some(folder) = &listing.folder else { return Ok(Vec::new()) };
    let (_, others) = parted(&listing, folder, output);
    Ok(others.iter().map(|key| listing.name(key)).collect())
}

/// The corpora of a folder, and what else it holds. Hidden objects, the evidence of an earlier run and the output are neither.
fn parted(listing: &Listing, folder: &str, output: Option<&Path>) -> (Vec<String>, Vec<String>) {
    let output = output.and_then(Path::to_str).map(Address::parse).and_then(Result::ok);
    let output = output.map(|output| format!("{}/", output.of(output.folder())));
    let runs: HashSet<&str> = listing.keys.iter().filter_map(|key| key.strip_suffix("report.json")).collect();
    let is_evidence =
        |key: &str| RUN_FILES.iter().any(|name| key.strip_suffix(name).is_some_and(|run| runs.contains(run)));
    let saved: HashSet<&str> =
        listing.keys.iter().filter_map(|key| key.strip_suffix(ABOUT_DATA[0])).collect();
    let is_about = |key: &str| {
        let within = key.rfind('/').map_or("", |slash| &key[..=slash]);
        is_about_data(Path::new(key), saved.contains(within))
    };
    let is_seen = |key: &&String| {
        let within = key.strip_prefix(folder).unwrap_or(key);
        let is_hidden = within.split('/').any(|part| part.starts_with('.'));
        let is_output = output.as_ref().is_some_and(|output| listing.name(key).starts_with(output));
        !is_hidden && !is_output && !is_evidence(key) && !is_about(key)
    };
    listing.keys.iter().filter(is_seen).cloned().partition(|key| is_corpus_name(Path::new(key)))
}
