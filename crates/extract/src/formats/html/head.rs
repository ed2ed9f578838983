//! The metadata of a page: title, author, date, language, address, description.

use super::archive;
use super::element::Element;
use super::hints::Hints;
use super::linked_data::LinkedData;
use super::outline::Outline;
use super::tree::Tree;
use crate::date;
use crate::document::says_same;

/// The longest byline.
const LONGEST_NAME: usize = 120;

#[derive(Default, Debug)]
pub struct Head {
    pub title: Option<String>,
    pub author: Option<String>,
    pub date: Option<String>,
    pub language: Option<String>,
    pub description: Option<String>,
    pub keywords: Option<String>,
    pub url: Option<String>,
    pub site: Option<String>,
    /// The base of relative addresses.
    pub base: Option<String>,
    /// The page says that it is an article.
    pub is_article: bool,
    /// The article in the page's data for search engines.
    pub article: Option<String>,
}

/// The value found for one field, with how far it can be trusted.
#[derive(Default)]
struct Best(Option<(u8, String)>);

impl Best {
    /// Keeps the value unless an equally good one was found before.
    fn offer(&mut self, rank: u8, value: impl AsRef<str>) {
        let value = value.as_ref().trim();
        if !value.is_empty() && self.0.as_ref().is_none_or(|(other, _)| rank < *other) {
            self.0 = Some((rank, value.split_whitespace().collect::<Vec<_>>().join(" ")));
        }
    }

    fn take(self) -> Option<String> {
        self.0.map(|(_, value)| value)
    }
}

#[derive(Default)]
struct Finder {
    title: Best,
    author: Best,
    date: Best,
    language: Best,
    description: Best,
    keywords: Best,
    url: Best,
    site: Best,
    base: Best,
    heading: Best,
    article: Option<String>,
    is_article: bool,
}

impl Head {
    pub fn of(tree: &Tree<'_>, outline: &Outline) -> Head {
        let mut finder = Finder::default();
        for index in 0..tree.nodes.len() {
            finder.visit(tree, outline, index);
        }
        let site = finder.site.take();
        let heading = finder.heading.take();
        let title =
            finder.title.take().map(|title| without_site(&title, site.as_deref(), heading.as_deref()));
        Head {
            title: title.filter(|title| !title.is_empty()).or(heading),
            author: finder.author.take(),
            date: finder.date.take(),
            language: finder.language.take(),
            description: finder.description.take(),
            keywords: finder.keywords.take(),
            url: finder.url.take().map(|url| archive::original(&url).to_owned()),
            site,
            base: finder.base.take(),
            article: finder.article,
            is_article: finder.is_article,
        }
    }

    /// Whether a heading repeats the title.
    pub fn is_title(&self, heading: &str) -> bool {
        self.title.as_deref().is_some_and(|title| says_same(title, heading))
    }
}

impl Finder {
    fn visit(&mut self, tree: &Tree<'_>, outline: &Outline, index: usize) {
        let value = |name: &str| tree.attribute(index, name);
        match tree.element(index) {
            Element::Text => {}
            Element::Html => {
                for name in ["lang", "xml:lang"] {
                    if let Some(tag) = value(name).and_then(|tag| language(&tag)) {
                        self.language.offer(0, tag);
                    }
                }
            }
            Element::Title => self.title.offer(2, tree.words(index)),
            Element::H1 => self.heading.offer(0, tree.words(index)),
            Element::Base => self.base.offer(0, value("href").unwrap_or_default()),
            Element::Link => {
                let relation = value("rel").unwrap_or_default();
                if relation.eq_ignore_ascii_case("canonical") {
                    self.url.offer(0, value("href").unwrap_or_default());
                }
            }
            Element::Meta => self.meta(tree, index),
            Element::Script => {
                let kind = value("type").unwrap_or_default();
                if kind.to_ascii_lowercase().contains("ld+json") {
                    self.linked_data(tree.source(index + 1));
                }
            }
            Element::Time => {
                if let Some(date) = value("datetime").and_then(|date| date::normalise(&date)) {
                    let published = value("pubdate").is_some()
                        || value("itemprop").is_some_and(|p| p.contains("datePublished"));
                    self.date.offer(if published { 2 } else { 5 }, date);
                }
            }
            _ => {
                let hints = outline.hints(index);
                if hints.has(Hints::AUTHOR) || hints.has(Hints::BYLINE) && self.author.0.is_none() {
                    self.byline(tree, index, hints);
                }
            }
        }
    }

    fn meta(&mut self, tree: &Tree<'_>, index: usize) {
        let value = |name: &str| tree.attribute(index, name);
        let Some(content) = value("content") else { return };
        let Some(name) = value("property")
            .or_else(|| value("name"))
            .or_else(|| value("itemprop"))
            .or_else(|| value("http-equiv"))
        else {
            return;
        };
        let content = content.as_ref();
        match name.trim().to_ascii_lowercase().as_str() {
            "og:title" => self.title.offer(0, content),
            "twitter:title" | "dc.title" | "citation_title" => self.title.offer(1, content),
            "author" | "dc.creator" | "citation_author" | "parsely-author" | "sailthru.author" => {
                self.name(0, content)
            }
            "article:author" => self.name(1, content),
            "article:published_time" | "datepublished" | "citation_publication_date" | "dc.date.issued" => {
                self.day(0, content)
            }
            "date" | "dc.date" | "pubdate" | "publishdate" | "parsely-pub-date" | "sailthru.date"
            | "publish-date" | "og:published_time" => self.day(3, content),
            "article:modified_time" | "last-modified" => self.day(6, content),
            "og:locale" | "content-language" | "language" | "dc.language" | "inlanguage" => {
                if let Some(tag) = language(content) {
                    self.language.offer(1, tag);
                }
            }
            "description" => self.description.offer(0, content),
            "og:description" | "twitter:description" => self.description.offer(1, content),
            "keywords" | "news_keywords" => self.keywords.offer(0, content),
            "og:url" => self.url.offer(1, content),
            "og:type" => self.is_article |= content.trim().eq_ignore_ascii_case("article"),
            "og:site_name" => self.site.offer(0, content),
            "application-name" => self.site.offer(1, content),
            _ => {}
        }
    }

    fn linked_data(&mut self, source: &str) {
        let Some(data) = LinkedData::read(source) else { return };
        self.is_article |= data.is_article;
        self.title.offer(1, data.headline.unwrap_or_default());
        self.name(0, &data.author.unwrap_or_default());
        self.day(1, &data.date.unwrap_or_default());
        self.site.offer(1, data.publisher.unwrap_or_default());
        if let Some(tag) = data.language.and_then(|tag| language(&tag)) {
            self.language.offer(2, tag);
        }
        if data.body.as_ref().map(String::len) > self.article.as_ref().map(String::len) {
            self.article = data.body;
        }
    }

    fn day(&mut self, rank: u8, written: &str) {
        if let Some(date) = date::normalise(written) {
            self.date.offer(rank, date);
        }
    }

    /// Addresses of profiles are no names.
    fn name(&mut self, rank: u8, name: &str) {
        if !name.contains("://") && !name.starts_with('@') && name.len() <= LONGEST_NAME {
            self.author.offer(rank, name);
        }
    }

    fn byline(&mut self, tree: &Tree<'_>, index: usize, hints: Hints) {
        let words = tree.words(index);
        let by = words.get(..3).is_some_and(|start| start.eq_ignore_ascii_case("by "));
        let name = if by { words.get(3..).unwrap_or_default() } else { &words };
        // An element whose class mentions the author may contain anything, so its text must look
        // like a name.
        let few = name.len() <= 40 && !name.is_empty() && !name.contains(|c: char| c.is_ascii_digit());
        if few && (hints.has(Hints::AUTHOR) || by) {
            self.name(if hints.has(Hints::AUTHOR) { 3 } else { 4 }, name);
        }
    }
}

/// A BCP 47 tag, if it looks like one.
fn language(written: &str) -> Option<String> {
    let tag = written.split([',', ';']).next().unwrap_or_default().trim().replace('_', "-");
    let primary = tag.split('-').next().unwrap_or_default();
    let letters = primary.bytes().all(|byte| byte.is_ascii_alphabetic());
    let rest = tag.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
    ((2..=3).contains(&primary.len()) && letters && rest && tag.len() <= 35).then_some(tag)
}

/// A title without the name of the site before or behind it.
fn without_site(title: &str, site: Option<&str>, heading: Option<&str>) -> String {
    const PARTS: [&str; 9] = [" | ", " - ", " – ", " — ", " :: ", " » ", " « ", " · ", " • "];
    let same = |left: &str, right: Option<&str>| {
        right.is_some_and(|right| left.trim().eq_ignore_ascii_case(right.trim()))
    };
    if same(title, heading) {
        return title.to_owned();
    }
    for part in PARTS {
        if let Some((before, after)) = title.rsplit_once(part) {
            if same(after, site) || same(before, heading) {
                return before.trim().to_owned();
            }
            // A short end after a long beginning is the name of the site, even if nothing says so.
            let words = |text: &str| text.split_whitespace().count();
            if site.is_none() && part != " - " && words(after) <= 3 && words(before) >= 2 * words(after) {
                return before.trim().to_owned();
            }
        }
        if let Some((before, after)) = title.split_once(part)
            && (same(before, site) || same(after, heading))
        {
            return after.trim().to_owned();
        }
    }
    title.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(html: &str) -> Head {
        let tree = Tree::parse(html);
        let outline = Outline::of(&tree);
        Head::of(&tree, &outline)
    }

    #[test]
    fn the_most_trusted_of_what_a_page_says() {
        let head = head(
            "<html lang=de-AT><head><title>A storm &amp; more | The Daily</title><meta property='og:site_name' content='The Daily'>
             <meta name=author content='https://x.y/z'><meta name=keywords content='a, b'>
             <meta property=article:published_time content='2024-01-31T12:00:00+01:00'>
             <link rel=canonical href='https://example.org/a'></head><body><a rel=author href=x>Ann Other</a>
             <time datetime='1999-01-01'>x</time>",
        );
        assert_eq!(head.title.as_deref(), Some("A storm & more"));
        assert_eq!(head.author.as_deref(), Some("Ann Other"));
        assert_eq!(head.date.as_deref(), Some("2024-01-31T11:00:00Z"));
        assert_eq!(head.language.as_deref(), Some("de-AT"));
        assert_eq!(head.url.as_deref(), Some("https://example.org/a"));
        assert_eq!((head.site.as_deref(), head.keywords.as_deref()), (Some("The Daily"), Some("a, b")));
    }

    #[test]
    fn linked_data_and_headings_help_out() {
        let found = head(
            r#"<script type="application/ld+json">{"@graph":[{"@type":"NewsArticle","headline":"H","datePublished":"2020-02-03","author":[{"name":"B. Line"}]}]}</script>"#,
        );
        assert_eq!((found.title.as_deref(), found.author.as_deref()), (Some("H"), Some("B. Line")));
        assert_eq!(found.date.as_deref(), Some("2020-02-03T00:00:00"));
        assert_eq!(head("<h1>Only <i>this</i></h1>").title.as_deref(), Some("Only this"));
        assert_eq!(head("<p>x").title, None);
    }
}
