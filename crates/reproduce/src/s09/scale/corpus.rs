//! Documents of a size that no free collection has: articles as they are, revised, and composed anew.

use std::borrow::Cow;
use std::ops::Range;

use lookalike_core::Result;
use lookalike_core::document::{Document, Value};
use lookalike_core::hash::{combine, mix};

use crate::Data;
use crate::s09::articles::text_of;
use lookalike_engine::run::{Job, Progress};
use lookalike_report::text::escaped;

/// Shorter texts have too few sentences to be revised.
const LEAST_SENTENCES: usize = 3;
const SEED: u64 = 6_02;

/// A text with what is known of it.
#[derive(Clone, Debug, Default)]
pub struct Article {
    pub title: String,
    pub byline: String,
    pub date: String,
    /// Without the title.
    pub text: String,
    /// With markup, if the source has any.
    pub marked: Option<String>,
}

impl Article {
    /// The text that is compared: with its title, which is a heading where markup counts.
    pub fn text(&self, marked: bool) -> Cow<'_, str> {
        match &self.marked {
            Some(marked_text) if marked => Cow::Borrowed(marked_text),
            Some(_) => Cow::Borrowed(&self.text),
            None if marked => {
                Cow::Owned(format!("<h1>{}</h1><p>{}</p>", escaped(&self.title), escaped(&self.text)))
            }
            None => Cow::Owned(format!("{}\n\n{}", self.title, self.text)),
        }
    }

    /// A field by the name that the variants use.
    pub fn field(&self, name: &str) -> Option<Value<'_>> {
        let value = match name {
            "title" => &self.title,
            "byline" => &self.byline,
            "date" => &self.date,
            _ => return None,
        };
        (!value.is_empty()).then(|| Value::Text(value.as_str().into()))
    }
}

/// Articles, and documents made of them.
pub struct Corpus {
    articles: Vec<Article>,
    /// The sentences of each article.
    sentences: Vec<Vec<Range<usize>>>,
    documents: u32,
}

impl Corpus {
    fn new(articles: Vec<Article>) -> Self {
        let sentences = articles.iter().map(|article| sentences_of(&article.text)).collect();
        Corpus { documents: articles.len() as u32, articles, sentences }
    }

    pub fn news(data: &Data, progress: &dyn Progress) -> Result<Corpus> {
        let job = data.job(&["reuters-news.jsonl.zst"], progress)?;
        Ok(Corpus::new(read(&job, &["title", "byline", "date"], |_| true)?))
    }

    /// News and newsgroups, as far as they have a few sentences.
    pub fn all(data: &Data, progress: &dyn Progress) -> Result<Corpus> {
        let mut articles = Vec::new();
        for (file, fields) in [
            ("reuters-news.jsonl.zst", ["title", "byline", "date"]),
            ("reuters21578.jsonl.zst", ["title", "dateline", "date"]),
            ("20news.jsonl.zst", ["subject", "group", "date"]),
        ] {
            let job = data.job(&[file], progress)?;
            articles
                .extend(read(&job, &fields, |article| sentences_of(&article.text).len() >= LEAST_SENTENCES)?);
        }
        Ok(Corpus::new(articles))
    }

    pub fn terms(data: &Data, progress: &dyn Progress) -> Result<Corpus> {
        let job = data.job(&["ota-versions.jsonl.zst"], progress)?;
        Ok(Corpus::new(read(&job, &["title", "byline", "date"], |_| true)?))
    }

    /// English help pages as users read them: the same pages plain and with markup.
    pub fn help(data: &Data, progress: &dyn Progress) -> Result<Corpus> {
        let file = ["docs-versions.tar.zst"];
        let marked = help_pages(&data.marked_job(&file, progress)?)?;
        let mut plain = help_pages(&data.job(&file, progress)?)?;
        for (article, marked) in plain.iter_mut().zip(marked) {
            article.marked = Some(marked.text);
        }
        Ok(Corpus::new(plain))
    }

    /// The same articles, and so many more documents made of them.
    pub fn grown_to(self, documents: u32) -> Corpus {
        Corpus { documents: documents.max(self.documents), ..self }
    }

    pub fn documents(&self) -> u32 {
        self.documents
    }

    /// The document of this number; always the same.
    pub fn document(&self, number: u32) -> Cow<'_, Article> {
        let count = self.articles.len().max(1);
        let (place, version) = (number as usize % count, number as usize / count);
        let Some(article) = self.articles.get(place) else { return Cow::Owned(Article::default()) };
        if version == 0 {
            return Cow::Borrowed(article);
        }
        let mut draw = Draw(combine(mix(SEED), u64::from(number)));
        Cow::Owned(match draw.below(10) {
            0..=2 => self.revised(place, version, draw.share(0.0, 0.1), &mut draw),
            3..=4 => self.revised(place, version, draw.share(0.1, 0.6), &mut draw),
            // The report of another day: the same sentences with other numbers.
            5 => Article {
                date: format!("{} +{version}", article.date),
                text: other_numbers(&article.text, &mut draw),
                ..article.clone()
            },
            _ => self.composed(place, version, &mut draw),
        })
    }

    /// With a share of its sentences replaced by those of others.
    fn revised(&self, place: usize, version: usize, share: f64, draw: &mut Draw) -> Article {
        let (article, sentences) = (&self.articles[place], &self.sentences[place]);
        let mut text = String::with_capacity(article.text.len());
        for sentence in sentences {
            let taken = if draw.share(0.0, 1.0) < share {
                self.any_sentence(draw)
            } else {
                &article.text[sentence.clone()]
            };
            text.push_str(taken.trim_end());
            text.push(' ');
        }
        Article { date: format!("{} +{version}", article.date), text, ..article.clone() }
    }

    /// A new one of sentences out of anywhere, as long as an old one.
    fn composed(&self, place: usize, version: usize, draw: &mut Draw) -> Article {
        let article = &self.articles[place];
        let mut text = String::with_capacity(article.text.len());
        for _ in &self.sentences[place] {
            text.push_str(self.any_sentence(draw).trim_end());
            text.push(' ');
        }
        Article {
            title: self.articles[draw.below(self.articles.len())].title.clone(),
            byline: self.articles[draw.below(self.articles.len())].byline.clone(),
            date: format!("{} +{version}", article.date),
            text,
            marked: None,
        }
    }

    fn any_sentence(&self, draw: &mut Draw) -> &str {
        let place = draw.below(self.articles.len());
        let sentences = &self.sentences[place];
        match sentences.get(draw.below(sentences.len().max(1))) {
            Some(sentence) => &self.articles[place].text[sentence.clone()],
            None => &self.articles[place].text,
        }
    }
}

/// Numbers that look drawn at random, always the same.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }

    fn below(&mut self, count: usize) -> usize {
        (self.next() % count.max(1) as u64) as usize
    }

    fn share(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn read(job: &Job, fields: &[&str; 3], wanted: impl Fn(&Article) -> bool) -> Result<Vec<Article>> {
    let fields = fields.map(str::to_owned);
    let mut articles = Vec::new();
    job.corpus()?.for_each(&fields, |_, _, document| {
        let [title, byline, date] = [0, 1, 2].map(|place| text_of(document, place).to_owned());
        let article = Article { title, byline, date, text: document.text.to_string(), marked: None };
        if wanted(&article) {
            articles.push(article);
        }
        Ok(())
    })?;
    Ok(articles)
}

/// English pages in their order; the version is their date.
fn help_pages(job: &Job) -> Result<Vec<Article>> {
    let mut articles = Vec::new();
    job.corpus()?.for_each(&["title".to_owned()], |_, id, document: &Document<'_>| {
        let id = id.display();
        let Some((_, path)) = id.split_once("lohelp/en-us/") else { return Ok(()) };
        articles.push(Article {
            title: text_of(document, 0).to_owned(),
            date: path.split('/').next().unwrap_or_default().to_owned(),
            text: document.text.to_string(),
            ..Article::default()
        });
        Ok(())
    })?;
    Ok(articles)
}

/// Ends after a full stop, question or exclamation mark before white space, and at the end.
fn sentences_of(text: &str) -> Vec<Range<usize>> {
    let (mut sentences, mut start, mut ends) = (Vec::new(), 0, false);
    for (at, character) in text.char_indices() {
        if ends && character.is_whitespace() {
            sentences.push(start..at);
            start = at;
        }
        ends = matches!(character, '.' | '!' | '?');
    }
    if !text[start..].trim().is_empty() {
        sentences.push(start..text.len());
    }
    sentences
}

fn other_numbers(text: &str, draw: &mut Draw) -> String {
    let digit = |draw: &mut Draw| char::from(b'0' + draw.below(10) as u8);
    text.chars().map(|character| if character.is_ascii_digit() { digit(draw) } else { character }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corpus() -> Corpus {
        let article = |number: usize| Article {
            title: format!("title {number}"),
            date: "2010".to_owned(),
            text: (0..20).map(|line| format!("Line {line} of {number} says 12. ")).collect(),
            ..Article::default()
        };
        Corpus::new((0..50).map(article).collect()).grown_to(2000)
    }

    #[test]
    fn a_document_is_always_the_same_and_the_first_are_the_articles() {
        let corpus = corpus();
        assert_eq!(corpus.documents(), 2000);
        for number in 0..2000 {
            assert_eq!(corpus.document(number).text, corpus.document(number).text);
        }
        assert!((0..50).all(|number| matches!(corpus.document(number), Cow::Borrowed(_))));
    }

    #[test]
    fn there_are_revisions_and_new_ones() {
        let corpus = corpus();
        let shares: Vec<f64> = (50..2000)
            .map(|number| {
                let (made, article) = (corpus.document(number), corpus.document(number % 50));
                let kept = sentences_of(&article.text).into_iter();
                let kept = kept.filter(|sentence| made.text.contains(article.text[sentence.clone()].trim()));
                kept.count() as f64 / 20.0
            })
            .collect();
        let count =
            |low: f64, high: f64| shares.iter().filter(|&&share| share >= low && share <= high).count();
        assert!(count(0.85, 1.0) > 400, "light revisions");
        assert!(count(0.3, 0.8) > 250, "heavy ones");
        assert!(count(0.0, 0.2) > 700, "new ones and other numbers");
    }

    #[test]
    fn sentences_make_up_the_text() {
        let text = "One. Two 3.5 is? Yes! end";
        let parts: Vec<&str> = sentences_of(text).into_iter().map(|sentence| &text[sentence]).collect();
        assert_eq!(parts, ["One.", " Two 3.5 is?", " Yes!", " end"]);
        assert!(sentences_of("").is_empty());
    }
}
