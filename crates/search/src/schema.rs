//! Which fields of a document are searchable, and how.
//!
//! Text, title and address are indexed by word with positions. Facet fields are also kept whole in a column, for
//! counting and filtering. The text itself is not stored: the document index has it, and gives it only to callers
//! who may see it.

use std::sync::Arc;

use lookalike_core::lexicon::Lexicon;
use lookalike_core::{Error, Result};
use tantivy::TantivyDocument;
use tantivy::schema::{FAST, Field, INDEXED, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};

use crate::line;

/// The settings of a search index. If any but the lexicon change, the index is rebuilt.
#[derive(Clone)]
pub struct SearchSettings {
    /// Identifies the numbering of documents: under another one the numbers mean other documents.
    pub generation: u64,
    pub text_field: String,
    /// Scalar fields that can be counted, filtered by, and searched as `field:word`.
    pub facets: Vec<String>,
    /// Determines how much words weigh. Without one all words weigh the same.
    pub lexicon: Option<Arc<Lexicon>>,
}

impl Default for SearchSettings {
    fn default() -> Self {
        let facets = ["source", "type", "language"].map(str::to_owned).to_vec();
        SearchSettings { generation: 0, text_field: "text".to_owned(), facets, lexicon: None }
    }
}

const MOST_FACETS: usize = 16;
/// Values of facets are cut to this many bytes.
const LONGEST_VALUE: usize = 256;

/// Places in [`Fields::names`].
pub(crate) const TEXT: usize = 0;
pub(crate) const TITLE: usize = 1;
pub(crate) const FIRST_FACET: usize = 3;
pub(crate) const NUMBER: &str = "number";
pub(crate) const TOKENIZER: &str = "lookalike";

/// The searchable fields: text, title, url, then the facets.
#[derive(Clone)]
pub(crate) struct Fields {
    /// The names of the fields in documents.
    pub names: Vec<String>,
    pub indexed: Vec<Field>,
    pub number: Field,
    pub schema: Schema,
}

impl SearchSettings {
    /// Checks the settings, and says what is wrong with them.
    pub fn check(&self) -> Result<()> {
        Fields::new(self).map(drop)
    }
}

impl Fields {
    pub fn new(settings: &SearchSettings) -> Result<Fields> {
        let mut names = vec![settings.text_field.clone(), "title".to_owned(), "url".to_owned()];
        if settings.facets.len() > MOST_FACETS {
            return Err(Error::config(format!("a search index has at most {MOST_FACETS} facets")));
        }
        for facet in &settings.facets {
            let is_reserved = facet.is_empty() || ["id", "labels", "fields"].contains(&facet.as_str());
            if is_reserved || names.contains(facet) {
                return Err(Error::config(format!("`{facet}` cannot be a facet, or is one already")));
            }
            names.push(facet.clone());
        }
        let words = TextFieldIndexing::default()
            .set_tokenizer(TOKENIZER)
            .set_index_option(IndexRecordOption::WithFreqsAndPositions);
        let words = TextOptions::default().set_indexing_options(words);
        let mut schema = Schema::builder();
        let number = schema.add_u64_field(NUMBER, INDEXED | FAST);
        let indexed = (0..names.len()).map(|place| {
            let options = if place >= FIRST_FACET { words.clone().set_fast("raw") } else { words.clone() };
            schema.add_text_field(&column(place), options)
        });
        let indexed = indexed.collect();
        Ok(Fields { names, indexed, number, schema: schema.build() })
    }

    /// The place of a field, by its name in a query.
    pub fn by_query_name(&self, name: &str) -> Option<usize> {
        let is_named = |place: &usize| self.names[*place].eq_ignore_ascii_case(name);
        (TITLE..self.names.len()).find(is_named)
    }

    /// The place of a facet, or an error that lists the known ones.
    pub fn facet(&self, name: &str) -> Result<usize> {
        let known = &self.names[FIRST_FACET..];
        let place = known.iter().position(|facet| facet == name);
        let unknown = || Error::input(format!("unknown facet `{name}`; known: {}", known.join(", ")));
        Ok(FIRST_FACET + place.ok_or_else(unknown)?)
    }

    /// A line in the form that the search library takes; `None` if it is no JSON object.
    pub fn document(&self, number: u32, line: &[u8]) -> Option<TantivyDocument> {
        let values = line::pick(line, &self.names)?;
        let mut document = TantivyDocument::with_capacity(line.len());
        document.add_u64(self.number, u64::from(number));
        for (place, value) in values.iter().enumerate() {
            let Some(mut value) = value.as_deref().filter(|value| !value.is_empty()) else { continue };
            if place >= FIRST_FACET {
                value = cut_value(value);
            }
            document.add_text(self.indexed[place], value);
        }
        Some(document)
    }
}

/// The part of a facet's value that is indexed.
pub(crate) fn cut_value(value: &str) -> &str {
    &value[..value.floor_char_boundary(LONGEST_VALUE)]
}

/// The name of a field in the search library, which allows fewer names than documents do.
pub(crate) fn column(place: usize) -> String {
    format!("field_{place}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facets_that_cannot_be_are_refused() {
        for facets in [vec!["labels"], vec!["a", "a"], vec![""], vec!["text"], vec!["title"], vec!["id"]] {
            let facets = facets.into_iter().map(str::to_owned).collect();
            assert!(Fields::new(&SearchSettings { facets, ..SearchSettings::default() }).is_err());
        }
        let many = (0..17).map(|i| i.to_string()).collect();
        assert!(Fields::new(&SearchSettings { facets: many, ..SearchSettings::default() }).is_err());
    }

    #[test]
    fn unknown_facets_name_the_known() {
        let fields = Fields::new(&SearchSettings::default()).unwrap();
        let error = fields.facet("title").unwrap_err().to_string();
        assert!(error.contains("source, type, language"), "{error}");
        assert_eq!(fields.by_query_name("LANGUAGE"), Some(fields.facet("language").unwrap()));
        assert_eq!(fields.by_query_name("text"), None);
    }
}
