//! The items of a stream: a document's images or links instead of its words.

use super::extractor::{FeatureExtractor, Features};
use crate::document::Document;
use crate::error::Result;
use crate::part::{Param, Params, PartInfo, Spec};
use crate::registry::BuildContext;
use crate::streams::{self, StreamKind};

/// The items of one stream.
pub struct Items {
    stream: StreamKind,
    fields: Vec<String>,
}

impl Items {
    /// The description of this part in the registry.
    pub const INFO: PartInfo = PartInfo {
        name: "items",
        summary: "The items of a stream: images or links instead of words",
        paper: "",
        params: &[
            Param {
                name: "stream",
                default: "\"images\"",
                help: "images, links, metadata or structure; [streams] says which fields hold it",
            },
            // The spec names them, so that a scheme says what was read.
            Param { name: "fields", default: "those of [streams]", help: "fields that hold the stream" },
        ],
    };

    /// The items that these fields hold.
    pub fn new(stream: StreamKind, fields: Vec<String>) -> Self {
        Items { stream, fields }
    }

    /// Reads its parameters from a section of a recipe.
    pub fn from_params(params: &mut Params, context: &BuildContext<'_>) -> Result<Self> {
        let stream = StreamKind::parse(&params.text("stream", "images")?, "features.stream")?;
        let fields = params.texts("fields")?;
        let fields = if fields.is_empty() { context.streams.of(stream).to_vec() } else { fields };
        Ok(Items::new(stream, fields))
    }
}

impl FeatureExtractor for Items {
    fn spec(&self) -> Spec {
        Spec::new(Self::INFO.name).with("stream", self.stream.name()).with("fields", self.fields.clone())
    }

    fn fields(&self) -> Vec<String> {
        self.fields.clone()
    }

    fn extract(&self, document: &Document<'_>, out: &mut Features) {
        for (value, name) in document.fields.iter().zip(&self.fields) {
            if let Some(value) = value {
                streams::append(self.stream, name, value, &mut out.hashes);
            }
        }
        // Equal sets are exact copies, in whatever order they were written.
        streams::keep_distinct(&mut out.hashes);
    }
}

/// The field that says why a text could not be read well: then its images may belong to something else, too.
pub const WEAK: &str = "weak";

/// Features of a text, or the items of a stream where a document has none: a photo is compared by what it looks like,
/// and everything else by its words.
pub struct WithFallback {
    text: Box<dyn FeatureExtractor>,
    items: Items,
}

impl WithFallback {
    /// The key of the section `features` that holds for every kind of features.
    pub const KEY: &'static str = "without_text";

    /// The items of a stream for documents without features of the text.
    pub fn new(text: Box<dyn FeatureExtractor>, items: Items) -> Self {
        WithFallback { text, items }
    }
}

impl FeatureExtractor for WithFallback {
    fn spec(&self) -> Spec {
        self.text.spec().with(Self::KEY, self.items.stream.name())
    }

    /// Those of the text come first, because its extractor finds them by its own order.
    fn fields(&self) -> Vec<String> {
        [self.text.fields(), self.items.fields(), vec![WEAK.to_owned()]].concat()
    }

    /// Items are no words.
    fn sees_every_word(&self) -> bool {
        self.text.sees_every_word()
    }

    fn passages(&self, text: &str) -> Option<Vec<(std::ops::Range<usize>, u64)>> {
        self.text.passages(text)
    }

    fn extract(&self, document: &Document<'_>, out: &mut Features) {
        self.text.extract(document, out);
        if !out.hashes.is_empty() {
            return;
        }
        // A document with words too few for this kind of features is no picture.
        if document.text.chars().any(char::is_alphanumeric) {
            return;
        }
        let own = self.text.fields().len();
        if document.fields.get(own + self.items.fields.len()).is_some_and(Option::is_some) {
            return;
        }
        for (value, name) in document.fields.iter().skip(own).zip(&self.items.fields) {
            if let Some(value) = value {
                streams::append(self.items.stream, name, value, &mut out.hashes);
            }
        }
        streams::keep_distinct(&mut out.hashes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Many, Value};
    use crate::features::Words;
    use crate::testing::check_extractor;

    fn hashes(extractor: &dyn FeatureExtractor, text: &str, fields: Vec<Option<Value<'_>>>) -> Vec<u64> {
        let mut features = Features::default();
        features.fill(extractor, &Document { fields, ..Document::from_text(text) });
        features.hashes
    }

    fn with_fallback() -> WithFallback {
        let words = Words::new(1, usize::MAX, vec!["subject".to_owned()]);
        WithFallback::new(Box::new(words), Items::new(StreamKind::Images, vec!["images".to_owned()]))
    }

    #[test]
    fn passes_the_conformance_suite() {
        check_extractor(&Items::new(StreamKind::Images, vec!["images".to_owned()]));
        check_extractor(&with_fallback());
    }

    #[test]
    fn items_are_the_features_in_whatever_order_they_come() {
        let items = Items::new(StreamKind::Images, vec!["images".to_owned(), "photos".to_owned()]);
        let given = || Some(Value::Many(Many { items: vec![3, 9], ..Many::default() }));
        let found =
            hashes(&items, "words do not count", vec![given(), Some(Value::Text("0000000000000001".into()))]);
        assert_eq!(found, [1, 3, 9]);
        assert_eq!(hashes(&items, "", vec![None, given()]), [3, 9]);
        assert!(hashes(&items, "words", vec![None, Some(Value::Bool(true))]).is_empty());
    }

    #[test]
    fn only_a_document_without_words_is_compared_by_its_items() {
        let images = || Some(Value::Many(Many { items: vec![3, 9], ..Many::default() }));
        let both = with_fallback();
        assert_eq!(hashes(&both, " \n", vec![None, images()]), [3, 9]);
        assert_eq!(both.fields(), ["subject", "images", "weak"]);
        let weak = Some(Value::Text("a banner covers it".into()));
        assert!(hashes(&both, "", vec![None, images(), weak]).is_empty());
        let words = hashes(&both, "two words", vec![None, images()]);
        assert_eq!(words, hashes(&both, "two words", vec![None, None]));
        assert_eq!(words.len(), 2);
        let subject = hashes(&both, "", vec![Some(Value::Text("a subject".into())), images()]);
        assert!(!subject.contains(&3), "a field has words, too");
    }
}
