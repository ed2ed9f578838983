//! What judging needs to know of the documents besides their texts: ids, and fields with labels.

use std::collections::HashMap;

use lookalike_core::document::{Document, Id, Value};
use lookalike_core::hash;
use lookalike_core::{Error, Result};

use lookalike_engine::run::Job;

/// The documents of a job as the truth refers to them: by id and by fields.
pub struct JudgedCorpus {
    /// By number.
    pub ids: Vec<Id>,
    numbers: HashMap<String, u32>,
    /// An id that several documents share, if there is one.
    repeated: Option<String>,
    fields: HashMap<String, Vec<Option<String>>>,
    /// Documents that are not judged.
    pub left_out: Vec<bool>,
    /// A digest of each document's words: documents with equal digests have the same text.
    pub texts: Vec<u128>,
}

/// Selects documents by a field and its values: `label=ham,easy-ham`, or `ambiguous` for any value
/// except an empty one, `false` and 0.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldFilter {
    /// The name of the field.
    pub field: String,
    /// The values that count; none means any except false and 0.
    pub values: Vec<String>,
}

impl FieldFilter {
    /// Parses `FIELD` or `FIELD=VALUE,VALUE`.
    pub fn parse(text: &str) -> Result<FieldFilter> {
        let (field, values) = text.split_once('=').unwrap_or((text, ""));
        if field.trim().is_empty() {
            return Err(Error::config(format!("`{text}`: write it as FIELD or FIELD=VALUE,VALUE")));
        }
        let values = values.split(',').map(str::trim).filter(|value| !value.is_empty());
        Ok(FieldFilter { field: field.trim().to_owned(), values: values.map(str::to_owned).collect() })
    }

    fn holds(&self, value: Option<&String>) -> bool {
        match value {
            None => false,
            Some(value) if self.values.is_empty() => !matches!(value.as_str(), "" | "false" | "0"),
            Some(value) => self.values.contains(value),
        }
    }
}

impl JudgedCorpus {
    /// Reads all documents once. Those that `leave_out` names are marked.
    pub fn read(job: &Job, fields: &[String], leave_out: Option<&FieldFilter>) -> Result<JudgedCorpus> {
        let mut fields = fields.to_vec();
        fields.extend(leave_out.map(|filter| filter.field.clone()));
        fields.sort();
        fields.dedup();
        let mut corpus = JudgedCorpus {
            ids: Vec::new(),
            numbers: HashMap::new(),
            repeated: None,
            fields: HashMap::new(),
            left_out: Vec::new(),
            texts: Vec::new(),
        };
        let mut values: Vec<Vec<Option<String>>> = vec![Vec::new(); fields.len()];
        let mut scratch = lookalike_core::text::Scratch::default();
        let mut words = Vec::new();
        job.corpus()?.for_each(&fields, |number, id, document: &Document<'_>| {
            if corpus.numbers.insert(id.display().into_owned(), number.raw()).is_some() {
                corpus.repeated.get_or_insert_with(|| id.display().into_owned());
            }
            corpus.ids.push(id);
            words.clear();
            lookalike_core::text::for_each_word(&document.text, &mut scratch, |word| words.push(word.hash));
            corpus.texts.push(hash::digest(&words));
            for (place, column) in values.iter_mut().enumerate() {
                column.push(document.fields.get(place).and_then(Option::as_ref).and_then(text_of));
            }
            Ok(())
        })?;
        corpus.fields = fields.into_iter().zip(values).collect();
        corpus.left_out = match leave_out {
            Some(filter) => corpus.matching(filter)?,
            None => vec![false; corpus.ids.len()],
        };
        Ok(corpus)
    }

    /// The number of documents.
    pub fn len(&self) -> u32 {
        self.ids.len() as u32
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    /// Fails unless each id belongs to one document, which labels by id need.
    pub fn check_ids(&self) -> Result<()> {
        match &self.repeated {
            None => Ok(()),
            Some(id) => {
                Err(Error::Input(format!("several documents have the id `{id}`: labels would mean them all")))
            }
        }
    }

    /// The number of a document.
    pub fn number(&self, id: &str) -> Option<u32> {
        self.numbers.get(id).copied()
    }

    /// The values of a field that was requested.
    pub fn field(&self, name: &str) -> &[Option<String>] {
        self.fields.get(name).map_or(&[], Vec::as_slice)
    }

    /// Marks the documents that have one of the values.
    pub fn matching(&self, filter: &FieldFilter) -> Result<Vec<bool>> {
        let values = self.field(&filter.field);
        if values.iter().all(Option::is_none) {
            return Err(Error::Input(format!("no document has the field `{}`", filter.field)));
        }
        Ok(values.iter().map(|value| filter.holds(value.as_ref())).collect())
    }
}

fn text_of(value: &Value<'_>) -> Option<String> {
    match value {
        Value::Text(text) => Some(text.to_string()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(yes) => Some(yes.to_string()),
        Value::Many(_) => {
            let texts: Vec<String> = value.parts().filter_map(|(_, part)| text_of(part)).collect();
            (!texts.is_empty()).then(|| texts.join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_chosen_by_field() {
        let filter = |text: &str, value: Option<&str>| {
            FieldFilter::parse(text).unwrap().holds(value.map(str::to_owned).as_ref())
        };
        assert!(filter("ambiguous", Some("true")) && filter("label=ham, spam", Some("spam")));
        assert!(
            !filter("ambiguous", Some("false"))
                && !filter("ambiguous", None)
                && !filter("ambiguous", Some("0"))
        );
        assert!(!filter("label=ham", Some("hamster")));
        assert!(FieldFilter::parse("=x").is_err());
    }
}
