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

/// A page's frame with so many links that a few words are a small part of it.
fn framed(head: &str, body: &str) -> String {
    let menu: String = (0..40).map(|n| format!("<li><a href=/{n}>Section {n}</a>")).collect();
    format!(
        "<html><head><title>Council rebuilds the old bridge - The Daily</title>{head}</head><body><ul>{menu}</ul>{body}"
    )
}

#[test]
fn an_article_in_a_gallery_of_captions_is_read_as_it_is_marked() {
    let slides: String = (0..30)
        .map(|n| format!("<div class=slide><p class=caption>Picture {n}. {SENTENCE}</p></div>"))
        .collect();
    let gallery = format!(
        "<div class=viewport>{slides}<div class=slide><h3>Like this? You may like these, too:</h3></div></div>"
    );
    let article = paragraphs(3);
    for body in [
        format!("<div itemprop=articleBody>{article}{gallery}</div>"),
        format!("<div class=text>{article}</div><div class=more>{gallery}</div>"),
    ] {
        let found = page(&framed("", &body), true);
        assert_eq!(found.text.matches("The council met").count(), 3, "{}", found.text);
        assert!(!found.text.contains("Picture"), "{}", found.text);
        assert_eq!(found.weakness(), None);
    }
}

#[test]
fn an_article_that_a_script_would_show_is_read() {
    let visible = format!(
        "<div class=welcome><p>Welcome to our paper. {}</p></div>",
        "We are glad, and so on. ".repeat(12)
    );
    for opening in [
        "<div hidden>",
        "<div style='display: none'>",
        "<div style='visibility:hidden'>",
        "<div class='modal overlay' hidden>",
    ] {
        let html = framed(
            "",
            &format!(
                "{visible}{opening}<article><h1>Council rebuilds the old bridge</h1>{}</article></div>",
                paragraphs(12)
            ),
        );
        let found = page(&html, true);
        assert_eq!(found.text.matches("The council met").count(), 12, "{opening}: {}", found.text);
        assert_eq!(found.weakness(), None);
    }
    // A dialog is hidden as well, but is about something else.
    let dialog = "We and our partners keep what you read here, for many ends. ".repeat(20);
    let body = format!("<div class=text>{}</div><div hidden><p>{dialog}</p></div>", paragraphs(3));
    let found = page(&framed("", &body), true);
    assert_eq!(found.text.matches("The council met").count(), 3, "{}", found.text);
    assert!(!found.text.contains("partners"), "{}", found.text);
}

#[test]
fn a_list_does_not_shrink_to_the_notice_below_it() {
    let items: String = (0..30)
        .map(|n| {
            format!("<div><h3><a href=/{n}>Headline number {n} about the weather in the north</a></h3></div>")
        })
        .collect();
    let notice = "<p>All content is ours unless we say otherwise, and it must not be copied, sold, or changed in any way.</p>".repeat(4);
    for footer in [format!("<footer>{notice}</footer>"), format!("<div class=copyright>{notice}</div>")] {
        let found = page(
            &format!("<title>Weather in the north today</title><body><div class=list>{items}</div>{footer}"),
            true,
        );
        assert!(found.text.contains("Headline number 29"), "{}", found.text);
        assert!(!found.text.contains("All content"), "{}", found.text);
    }
}

#[test]
fn what_is_no_article_is_weak() {
    for (body, why) in [
        (
            "Like this topic? You may also like these photo galleries, which our readers looked at most often \
             in the last week of the month:",
            "title",
        ),
        (
            "This page uses cookies to remember you and what you looked at. Please accept our cookie policy to \
             go on, or read how to change it.",
            "consent",
        ),
        (
            "Please enable JavaScript to see how the council rebuilds the old bridge: this page needs it to \
             show you anything at all, pictures and text.",
            "consent",
        ),
        (
            "All rights to everything that is shown here are reserved by the publisher, and by those who gave \
             it to us, unless something else is said.",
            "title",
        ),
    ] {
        let found = page(&framed("", &format!("<div><p>{body}</p></div>")), true);
        assert!(
            found.weakness().is_some_and(|reason| reason.contains(why)),
            "{body}: {:?} {}",
            found.doubts,
            found.text
        );
    }
    // The same page, read whole, is not doubted; nor is a small page without other content.
    assert_eq!(page(&framed("", "<p>Like this?</p>"), false).weakness(), None);
    let small = page("<title>Notes</title><p>Milk, bread, and two eggs.</p>", true);
    assert_eq!((small.text.as_str(), small.weakness()), ("Milk, bread, and two eggs.", None));
}

#[test]
fn a_save_from_an_archive_is_of_the_site_it_was_saved_from() {
    let html = format!(
        "<link rel=canonical href='http://archive.example/web/20161101014924/http://daily.example/bridge'>\
         <div id=wm-ipp><p>This save was made on the first of November, and others before and after it.</p></div>\
         <article>{}<p>See <a href='/web/20161101014924/http://daily.example/plan'>the plan</a>, which is old.</p></article>",
        paragraphs(3)
    );
    let found = page(&html, true);
    assert_eq!(found.fields["url"], "http://daily.example/bridge");
    assert_eq!(found.links.iter().map(String::as_str).collect::<Vec<_>>(), ["http://daily.example/plan"]);
    assert_eq!(crate::site::site_of(&found), Some("daily.example"));
    assert!(!found.text.contains("This save"), "{}", found.text);
}

/// Each of these would take a naive reader quadratic time or a deep stack.
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

/// The headings beside the text, each with the first word after it.
fn headings(html: &str, main: bool) -> Vec<(String, String)> {
    let page = page(html, main);
    let next = |at: usize| page.text[at..].split_whitespace().next().unwrap_or_default().to_owned();
    page.headings.iter().map(|heading| (heading.text.clone(), next(heading.at))).collect()
}

/// An article of two paragraphs with something before each.
fn article(above: &str, before: &str, between: &str) -> String {
    let prose = |word: &str| {
        format!(
            "<p>{word} paragraph tells, at some length, what the council decided about the bridge, and why it did so on a Monday.</p>"
        )
    };
    let (one, two) = (prose("First").repeat(2), prose("Second").repeat(2));
    format!(
        "<html><head><title>The old bridge</title></head><body><div class='nav'><h1><a href='/'>The Paper</a></h1></div>\
         {above}<div class='article-body'>{before}{one}{between}{two}</div></body></html>"
    )
}

#[test]
fn headings_that_are_no_text_are_kept_beside_it() {
    let pair = |heading: &str, next: &str| (heading.to_owned(), next.to_owned());
    let title = || pair("The old bridge", "First");
    assert_eq!(headings(&article("", "", ""), true), [title()], "the title counts where no heading says it");
    let same = article("", "<h1>The Old Bridge!</h1>", "");
    assert_eq!(headings(&same, true), [pair("The Old Bridge!", "First")], "what is said twice counts once");
    assert!(!page(&same, true).text.contains("Bridge!"), "the text is without its title, as ever");
    let other = article("", "<header><h1>Council rebuilds</h1><p>By Ann</p></header>", "<h1>Costs</h1>");
    assert_eq!(headings(&other, true), [title(), pair("Council rebuilds", "First"), pair("Costs", "Second")]);
    let above = article("<div><h1>Council rebuilds</h1></div>", "", "");
    assert_eq!(headings(&above, true), [title(), pair("Council rebuilds", "First")], "above the article");
    let whole = page(&other, false);
    assert!(
        whole.text.contains("Costs") && whole.headings.len() == 1,
        "the whole page has its headings as text"
    );
    let marked = page(&other, true).marked_up();
    let start = "<h1>The old bridge</h1>\n\n<h1>Council rebuilds</h1>\n\nFirst";
    assert!(marked.starts_with(start) && marked.contains(".\n\n<h1>Costs</h1>\n\nSecond"), "{marked}");
}
