//! Finds the documents that match a query, and scores them.
//!
//! A score depends on the document and the query alone: how often a word occurs, how long the field is, and how
//! rare a frozen lexicon says the word is. It does not depend on what else is indexed. So a score reveals nothing
//! about hidden documents, is the same for all callers, and stays the same while other documents come and go. This
//! is BM25 with frozen statistics instead of those of the collection.
//!
//! The search library finds the matches. Its own scores are not used, because they add up in an order that depends
//! on how segments were merged: equal documents could differ in the last bit, and so in their order.

use lookalike_core::{hash, lexicon::Lexicon};
use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::{Postings, SegmentPostings};
use tantivy::query::{AllQuery, BooleanQuery, EnableScoring, PhraseQuery, Query, TermQuery};
use tantivy::schema::IndexRecordOption;
use tantivy::{BitSet, DocSet, SegmentReader, Term};

use crate::parse::{Item, Parsed};
use crate::schema::{Fields, TEXT, TITLE};
use crate::snapshot::{Place, Snapshot};

#[derive(Clone, Copy)]
pub(crate) struct Match {
    pub number: u32,
    pub score: f32,
    pub place: Place,
}

/// All matches, including removed and hidden documents.
pub(crate) fn matches(
    snapshot: &Snapshot,
    parsed: &Parsed,
    fields: &Fields,
    lexicon: Option<&Lexicon>,
) -> tantivy::Result<Vec<Match>> {
    let weigh =
        |query: Box<dyn Query>| query.weight(EnableScoring::disabled_from_searcher(&snapshot.searcher));
    let wanted = weigh(wanted(parsed, fields))?;
    let excluded = excluded(parsed, fields).map(weigh).transpose()?;
    let words = scored_words(parsed, lexicon);
    let mut found = Vec::new();
    for (segment, reader) in snapshot.searcher.segment_readers().iter().enumerate() {
        let numbers = &snapshot.numbers[segment].of_document;
        let mut cursors = cursors(reader, &words, fields)?;
        let alive = reader.alive_bitset();
        // Excluded documents are collected here, because the library's own exclusion asks phrases for documents
        // they have already passed, which it must not do.
        let mut left_out = None;
        if let Some(excluded) = &excluded {
            let left_out = left_out.insert(BitSet::with_max_value(reader.max_doc()));
            excluded.for_each_no_score(reader, &mut |documents| {
                for &document in documents {
                    left_out.insert(document);
                }
            })?;
        }
        let counts = |document: u32| {
            alive.is_none_or(|alive| alive.is_alive(document))
                && left_out.as_ref().is_none_or(|left_out| !left_out.contains(document))
        };
        wanted.for_each_no_score(reader, &mut |documents| {
            let first = found.len();
            let documents = documents.iter().filter(|&&document| counts(document));
            found.extend(documents.map(|&document| {
                let place = Place { segment: segment as u32, document };
                Match { number: numbers[document as usize], score: 0.0, place }
            }));
            for cursor in &mut cursors {
                cursor.score(&mut found[first..]);
            }
        })?;
    }
    Ok(found)
}

/// The wanted documents: without any word, all that are not excluded.
fn wanted(parsed: &Parsed, fields: &Fields) -> Box<dyn Query> {
    let groups = parsed.groups.iter();
    let mut groups: Vec<Box<dyn Query>> = groups
        .map(|group| any_of(group.iter().flat_map(|item| item_queries(item, fields)).collect()))
        .collect();
    match groups.pop() {
        None => Box::new(AllQuery),
        Some(only) if groups.is_empty() => only,
        Some(last) => {
            groups.push(last);
            Box::new(BooleanQuery::intersection(groups))
        }
    }
}

fn excluded(parsed: &Parsed, fields: &Fields) -> Option<Box<dyn Query>> {
    let items = parsed.excluded.iter().flat_map(|item| item_queries(item, fields));
    (!parsed.excluded.is_empty()).then(|| any_of(items.collect()))
}

fn any_of(mut queries: Vec<Box<dyn Query>>) -> Box<dyn Query> {
    match queries.pop() {
        Some(only) if queries.is_empty() => only,
        last => {
            queries.extend(last);
            Box::new(BooleanQuery::union(queries))
        }
    }
}

/// The fields in which an item is looked for.
pub(crate) fn places(field: Option<usize>) -> Vec<usize> {
    field.map_or_else(|| vec![TEXT, TITLE], |place| vec![place])
}

fn item_queries(item: &Item, fields: &Fields) -> Vec<Box<dyn Query>> {
    let in_field = |place: usize| -> Box<dyn Query> {
        let term = |word: &String| Term::from_field_text(fields.indexed[place], word);
        match &item.words[..] {
            [word] => Box::new(TermQuery::new(term(word), IndexRecordOption::Basic)),
            words => Box::new(PhraseQuery::new(words.iter().map(term).collect())),
        }
    };
    places(item.field).into_iter().map(in_field).collect()
}

struct ScoredWord<'a> {
    word: &'a str,
    place: usize,
    weight: f32,
}

/// Every word of the query once for each field it is looked for in, in an order that depends only on the query.
fn scored_words<'a>(parsed: &'a Parsed, lexicon: Option<&Lexicon>) -> Vec<ScoredWord<'a>> {
    let mut scored: Vec<ScoredWord> = Vec::new();
    for item in parsed.groups.iter().flatten() {
        for word in &item.words {
            for place in places(item.field) {
                if !scored.iter().any(|known| known.word == word && known.place == place) {
                    let weight = weight(word, lexicon) * field_weight(place);
                    scored.push(ScoredWord { word, place, weight });
                }
            }
        }
    }
    scored
}

/// The weight of a word, from 0.05 for one that is everywhere to 1 for one that the lexicon does not know. No word
/// has weight 0, otherwise a query of common words would have no order.
fn weight(word: &str, lexicon: Option<&Lexicon>) -> f32 {
    let rarity = lexicon.map_or(1.0, |lexicon| lexicon.nidf(lexicon.df(hash::bytes(word.as_bytes()))));
    0.05 + 0.95 * rarity as f32
}

/// Words in the title weigh more.
fn field_weight(place: usize) -> f32 {
    if place == TITLE { 1.5 } else { 1.0 }
}

/// The length in words at which a field counts as neither short nor long. BM25 takes the average of the collection;
/// it is frozen here for the reason given above.
fn usual_length(place: usize) -> f32 {
    match place {
        TEXT => 400.0,
        TITLE => 10.0,
        _ => 5.0,
    }
}

/// How quickly further occurrences stop mattering, and how much the length matters: the usual values of BM25.
const K1: f32 = 1.2;
const B: f32 = 0.75;

/// Walks through the occurrences of a word alongside the matches.
struct Cursor {
    postings: SegmentPostings,
    lengths: FieldNormReader,
    /// By the byte that encodes a length.
    norms: [f32; 256],
    weight: f32,
}

fn cursors(reader: &SegmentReader, words: &[ScoredWord], fields: &Fields) -> tantivy::Result<Vec<Cursor>> {
    let mut cursors = Vec::with_capacity(words.len());
    for &ScoredWord { word, place, weight } in words {
        let field = fields.indexed[place];
        let term = Term::from_field_text(field, word);
        let index = reader.inverted_index(field)?;
        if let Some(postings) = index.read_postings(&term, IndexRecordOption::WithFreqs)? {
            let lengths = reader.get_fieldnorms_reader(field)?;
            let norms = std::array::from_fn(|id| {
                let length = FieldNormReader::id_to_fieldnorm(id as u8) as f32;
                K1 * (1.0 - B + B * length / usual_length(place))
            });
            cursors.push(Cursor { postings, lengths, norms, weight: weight * (K1 + 1.0) });
        }
    }
    Ok(cursors)
}

impl Cursor {
    /// Adds to the scores of matches, whose documents rise from call to call.
    fn score(&mut self, matches: &mut [Match]) {
        let mut at = self.postings.doc();
        for found in matches {
            let document = found.place.document;
            if at < document {
                at = self.postings.seek(document);
            }
            if at == document {
                let frequency = self.postings.term_freq() as f32;
                let norm = self.norms[usize::from(self.lengths.fieldnorm_id(document))];
                found.score += self.weight * frequency / (frequency + norm);
            }
        }
    }
}
