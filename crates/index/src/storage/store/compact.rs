//! Frees the space of removed texts, by copying the others out of their segments.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use lookalike_core::Result;

use super::Store;
use super::write::StoreWriter;
use crate::storage::document::DocumentNumber;
use crate::storage::texts::{End, HEADER, Place, Texts};

/// How many lines, and bytes of them, are copied at once.
const BATCH: usize = 1024;
const BATCH_BYTES: u64 = 4 << 20;
const PAUSE: Duration = Duration::from_millis(1);

impl Store {
    /// Copies living texts out of segments with many removed ones, merges all runs, and writes a checkpoint. Other
    /// writers get their turn in between.
    pub fn compact(self: &Arc<Self>, all: bool) -> Result<()> {
        // No operation records where texts go, so a state cannot be made out of operations meanwhile.
        let _held = self.hold_work();
        let emptied = self.write()?.wasteful_segments(all)?;
        // Starts with the last one, which texts are written to, so that none is copied twice.
        for &segment in emptied.iter().rev() {
            self.write()?.close_segment(segment);
            let mut first = Some(DocumentNumber::FIRST);
            while let Some(from) = first {
                first = self.write()?.move_some(segment, from)?;
                // Without a pause, waiting writers would not get the lock.
                std::thread::sleep(PAUSE);
            }
        }
        self.write()?.flush(true)?;
        std::thread::sleep(PAUSE);
        self.write()?.checkpoint()?;
        emptied.iter().try_for_each(|&segment| self.texts.remove_segment(segment))
    }
}

impl StoreWriter<'_> {
    /// Segments with enough removed texts to be worth copying the others.
    fn wasteful_segments(&self, all: bool) -> Result<Vec<u32>> {
        let sizes = self.store.texts.sizes()?;
        let mut living = BTreeMap::<u32, u64>::new();
        for document in self.store.state().population.documents.iter().filter(|document| document.is_alive())
        {
            *living.entry(document.place.segment).or_default() += HEADER + u64::from(document.place.length);
        }
        // A segment with mostly living texts is left alone, unless nothing may be left of the others.
        let worth = |&&(segment, size): &&(u32, u64)| {
            let living = living.get(&segment).copied().unwrap_or(0);
            if all { living < size } else { living * 10 < size * 9 }
        };
        Ok(sizes.iter().filter(worth).map(|&(segment, _)| segment).collect())
    }

    /// Copies some living texts of a closed segment to the end, of documents from `first` on; `None` if there are
    /// no more. The segment is deleted after the next checkpoint.
    fn move_some(&mut self, segment: u32, first: DocumentNumber) -> Result<Option<DocumentNumber>> {
        let store = self.store;
        let to_move: Vec<(DocumentNumber, Place)> = {
            let state = store.state();
            let documents = state.population.documents.iter_from(first);
            let living =
                documents.filter(|(_, document)| document.is_alive() && document.place.segment == segment);
            let mut bytes = 0;
            let few = living.take(BATCH).take_while(|(_, document)| {
                let is_room = bytes < BATCH_BYTES;
                bytes += u64::from(document.place.length);
                is_room
            });
            few.map(|(number, document)| (number, document.place)).collect()
        };
        let Some(&(last, _)) = to_move.last() else {
            // As are new places, this is known when the next checkpoint has been written.
            self.writing.moved = true;
            store.state.write().unwrap_or_else(PoisonError::into_inner).forget_texts(segment);
            return Ok(None);
        };
        let mut end = self.writing.end;
        let from = end.segment;
        let moved = copy(&store.texts, &to_move, &mut end).and_then(|moved| {
            store.texts.sync(from)?;
            Ok(moved)
        });
        if moved.is_err() {
            // The copies are useless now, and the disk may be full.
            let _ = store.texts.truncate(self.writing.end);
        }
        let moved = moved?;
        (self.writing.end, self.writing.moved) = (end, true);
        store.state.write().unwrap_or_else(PoisonError::into_inner).move_texts(&moved);
        Ok(Some(last.next()))
    }

    /// Stops writing to a segment.
    fn close_segment(&mut self, segment: u32) {
        if self.writing.end.segment == segment {
            self.writing.end = End { segment: segment + 1, offset: 0 };
        }
    }
}

fn copy(
    texts: &Texts,
    to_move: &[(DocumentNumber, Place)],
    end: &mut End,
) -> Result<Vec<(DocumentNumber, Place)>> {
    let read = |&(_, place): &(DocumentNumber, Place)| {
        let mut line = Vec::new();
        texts.read(place, &mut line).map(|()| line)
    };
    let lines = to_move.iter().map(read).collect::<Result<Vec<_>>>()?;
    let lines: Vec<&[u8]> = lines.iter().map(Vec::as_slice).collect();
    let places = texts.write(end, &lines)?;
    Ok(to_move.iter().zip(places).map(|(&(number, _), place)| (number, place)).collect())
}
