//! Whole pages.

use proptest::prelude::*;

use super::page;
use crate::document::Tag;

const SENTENCE: &str =
    "The council met on Monday, and after a long debate it agreed to rebuild the old bridge over the river.";

fn paragraphs(count: usize) -> String {
    (0..count).map(|number| format!("<p>Part {number}. {SENTENCE}</p>")).collect()
}

#[test]
fn an_article_without_what_is_around_it() {
    let html = format!(
        "<html lang=en><head><title>A bridge is rebuilt - The Daily</title></head><body>
         <header><a href=/>The Daily</a></header><nav><ul><li><a href=/n>News</a><li><a href=/s>Sport</a></ul></nav>
         <div id=content><h1>A bridge is rebuilt</h1><div class=byline>By Ann Other</div>{}
         <figure><img src=b.jpg width=300><figcaption>The bridge in May, seen from the north.</figcaption></figure>
         <h2>What <b>follows</b></h2><p>See <a href='/plan?x=1#top'>the plan</a>. {SENTENCE}</p>
         <p>Read more: <a href=/other>Another bridge was rebuilt last year</a></p>
         <div class='related-posts'><p>{SENTENCE}</p></div></div>
         <div id=comments><p>I think that this is wrong. {SENTENCE}</p></div>
         <footer><p>All rights reserved, by The Daily and others. {SENTENCE}</p></footer>",
        paragraphs(3)
    );
    let found = page(&html, true);
    assert_eq!(found.text.matches("The council met").count(), 4, "{}", found.text);
    for left_out in
        ["Daily", "Ann", "Sport", "seen from", "Another", "wrong", "rights", "A bridge is rebuilt"]
    {
        assert!(!found.text.contains(left_out), "{left_out} in {}", found.text);
    }
    let shown: Vec<_> =
        found.marks.iter().map(|mark| (mark.tag, &found.text[mark.start..mark.end])).collect();
    assert_eq!(shown, [(Tag::Heading, "What follows"), (Tag::Bold, "follows"), (Tag::Anchor, "the plan")]);
    assert_eq!(found.links.iter().map(String::as_str).collect::<Vec<_>>(), ["/other", "/plan?x=1"]);
    assert_eq!(found.images[0].source.as_deref(), Some("b.jpg"));
    assert_eq!(found.title.as_deref(), Some("A bridge is rebuilt"));
    let whole = page(&html, false);
    assert!(whole.text.contains("All rights") && whole.text.contains("Sport"));
}

#[test]
fn a_page_that_is_no_article_keeps_its_list() {
    let items: String = (0..20)
        .map(|n| {
            format!("<li><a href=/{n}>Thread number {n} about the weather in May</a> <i>3 replies</i></li>")
        })
        .collect();
    let html = format!(
        "<body><nav><a href=/>Home</a></nav><ul class=threads>{items}</ul><footer>Imprint and more</footer>"
    );
    let found = page(&html, true);
    assert_eq!(found.text.lines().count(), 20, "{}", found.text);
    assert_eq!(found.links.len(), 20);
}

#[test]
fn what_is_hidden_is_left_out_unless_it_is_all() {
    let html = format!(
        "<p>{SENTENCE}</p><div hidden><p>Not to be seen.</p></div><p style='display:none'>Nor this.</p>"
    );
    assert_eq!(page(&html, false).text, SENTENCE);
    assert_eq!(
        page(&format!("<p>Help</p><div hidden><p>{SENTENCE}</p></div>"), false).text,
        format!("Help\n\n{SENTENCE}")
    );
}

#[test]
fn lines_blocks_and_ruby() {
    let html = "<p>a<br>b</p><ul><li>c<li>d</ul><table><tr><td>e<td>f<tr><td>g</table><pre>h\n  i</pre>\
                <ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>字&amp;x&shy;y&nbsp;z";
    assert_eq!(page(html, false).text, "a\nb\n\nc\nd\n\ne f\ng\n\nh\ni\n\n漢字&xy z");
}

#[test]
fn an_article_that_only_search_engines_get() {
    let body = SENTENCE.repeat(10);
    let html = format!(
        "<script type='application/ld+json'>{{\"@type\":\"NewsArticle\",\"headline\":\"H\",\"articleBody\":\"{body}\"}}</script><p>Loading"
    );
    assert_eq!(page(&html, true).text, body);
}

/// Each of these took a naive reader quadratic time or a deep stack.
#[test]
fn hostile_pages_end() {
    let many = 200_000;
    for html in [
        "<div>".repeat(many),
        "<b><p>".repeat(many),
        "<a href=x>".repeat(many),
        "<table><tr><td>".repeat(many),
        format!("<p {}>x", "a=1 ".repeat(many)),
        "<p a='".repeat(many),
        "<!--".repeat(many),
        "<script>".repeat(many),
        "</b>".repeat(many),
        format!("<i>{}", "<b></i>".repeat(many)),
        "&amp".repeat(many),
        "<![CDATA[".repeat(many),
        "<h1>x".repeat(many),
        format!("<title>{}</title>{}", "x ".repeat(many), "<h2>x</h2>".repeat(many)),
        "<time datetime=2020-01-01>".repeat(many),
        "<span class=author>".repeat(many),
    ] {
        for main in [true, false] {
            page(&html, main);
        }
    }
}

proptest! {
    #[test]
    fn any_text_is_a_page(html in "\\PC*", main: bool) {
        page(&html, main);
    }

    /// Bits of markup in any order; what is marked lies within the text.
    #[test]
    fn any_nesting_is_a_page(
        bits in prop::collection::vec(prop::sample::select(&[
            "<p>", "</p>", "<div class=article-body>", "</div>", "<b>", "</b>", "<i>", "</i>", "<table>", "<tr>", "<td>",
            "</table>", "<ul>", "<li>", "</ul>", "<a href=x>", "</a>", "<!--", "-->", "<script>", "</script>", "<h1>", "</h1>",
            "word ", "&lt;", "<br/>", "<x:y>", "</x:y>", "<", ">", "\"", "='", "<svg>", "</svg>", "<title>", "</title>", "é",
            "<div hidden>", "<nav>", "</nav>", "A sentence, long enough to be prose for the reader, is here. ",
        ][..]), 0..120),
        main: bool,
    ) {
        let found = page(&bits.concat(), main);
        for mark in &found.marks {
            prop_assert!(found.text.get(mark.start..mark.end).is_some_and(|text| !text.is_empty()));
        }
    }

    /// Inline elements, closed in any order or not at all, change nothing in the text.
    #[test]
    fn inline_elements_do_not_change_the_text(bits in prop::collection::vec(
        prop::sample::select(&["<b>", "</b>", "<i>", "</i>", "<span>", "</span>", "one", " two ", "<em class='x'>", "</em>"][..]),
        0..60,
    )) {
        let plain: String = bits.iter().filter(|bit| !bit.starts_with('<')).copied().collect();
        let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
        prop_assert_eq!(page(&format!("<p>{}", bits.concat()), false).text, plain);
    }
}
