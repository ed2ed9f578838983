//! What an element's class, id and role say about its content.
//!
//! Authors name the parts of a page in much the same words. The words are looked for in one pass by
//! an automaton (Aho and Corasick) over letters and word limits; `relatedPosts`, `related-posts` and
//! `related_posts` are the same two words.

use std::sync::OnceLock;

use super::attribute::Attributes;
use super::element::Element;

/// A set of hints.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hints(pub u32);

impl Hints {
    pub const HIDDEN: Hints = Hints(1);
    /// Menus, breadcrumbs, pagination.
    pub const NAVIGATION: Hints = Hints(1 << 1);
    /// Headers, footers, sidebars, dialogs, forms: the frame that a site puts around its pages.
    pub const FRAME: Hints = Hints(1 << 2);
    pub const SHARE: Hints = Hints(1 << 3);
    /// Other pages that may interest.
    pub const RELATED: Hints = Hints(1 << 4);
    pub const COMMENT: Hints = Hints(1 << 5);
    pub const ADVERT: Hints = Hints(1 << 6);
    pub const CAPTION: Hints = Hints(1 << 7);
    /// Who wrote it and when.
    pub const BYLINE: Hints = Hints(1 << 8);
    pub const TAGS: Hints = Hints(1 << 9);
    /// The body of an article, said plainly.
    pub const BODY: Hints = Hints(1 << 10);
    /// Something like an article or content.
    pub const ARTICLE: Hints = Hints(1 << 11);
    /// Asks for an address, a subscription, a registration.
    pub const SIGN_UP: Hints = Hints(1 << 12);
    /// schema.org says that this is the body.
    pub const ARTICLE_BODY: Hints = Hints(1 << 13);
    /// The main part of the page, said by its role or element.
    pub const MAIN: Hints = Hints(1 << 14);
    pub const TITLE: Hints = Hints(1 << 15);
    pub const AUTHOR: Hints = Hints(1 << 16);

    /// All that no content stands in.
    pub const ASIDE: Hints = Hints(
        Self::NAVIGATION.0
            | Self::FRAME.0
            | Self::SHARE.0
            | Self::RELATED.0
            | Self::COMMENT.0
            | Self::ADVERT.0
            | Self::SIGN_UP.0,
    );

    /// What no list of contents stands in; related pages and comments may be the contents.
    pub const AROUND_LISTS: Hints =
        Hints(Self::NAVIGATION.0 | Self::FRAME.0 | Self::SHARE.0 | Self::ADVERT.0 | Self::SIGN_UP.0);
    /// Says something about a text without being part of it.
    pub const ABOUT_TEXT: Hints = Hints(Self::CAPTION.0 | Self::BYLINE.0 | Self::TAGS.0);
    pub const ANY_BODY: Hints = Hints(Self::BODY.0 | Self::ARTICLE_BODY.0);

    pub fn has(self, any: Hints) -> bool {
        self.0 & any.0 != 0
    }

    pub fn with(self, more: Hints) -> Hints {
        Hints(self.0 | more.0)
    }

    /// What the tag of an element says.
    pub fn of(element: Element, tag: &str) -> Hints {
        let mut hints = match element {
            Element::Nav | Element::Menu => Hints::NAVIGATION,
            Element::Footer | Element::Aside | Element::Dialog => Hints::FRAME,
            Element::Figcaption => Hints::CAPTION,
            Element::Article => Hints::ARTICLE,
            Element::Main => Hints::MAIN,
            _ => Hints::default(),
        };
        for (name, value) in Attributes::of(tag) {
            let bytes = name.as_bytes();
            // Most attributes are none of these; their first letters tell.
            let found = match bytes.first().map(u8::to_ascii_lowercase) {
                Some(b'c') if name.eq_ignore_ascii_case("class") => automaton().search(value),
                Some(b'i') if name.eq_ignore_ascii_case("id") => automaton().search(value),
                Some(b'i') if name.eq_ignore_ascii_case("itemprop") => of_property(value),
                Some(b'i') if name.eq_ignore_ascii_case("itemtype") => of_type(value),
                Some(b'r') if name.eq_ignore_ascii_case("role") => of_role(value),
                Some(b'r') if name.eq_ignore_ascii_case("rel") && value.eq_ignore_ascii_case("author") => {
                    Hints::AUTHOR
                }
                Some(b's') if name.eq_ignore_ascii_case("style") => of_style(value),
                Some(b'h') if name.eq_ignore_ascii_case("hidden") => Hints::HIDDEN,
                Some(b'd')
                    if name.eq_ignore_ascii_case("data-component")
                        || name.eq_ignore_ascii_case("data-testid")
                        || name.eq_ignore_ascii_case("data-component-name") =>
                {
                    automaton().search(value)
                }
                _ => continue,
            };
            hints = hints.with(found);
        }
        hints
    }
}

fn of_property(value: &str) -> Hints {
    let mut hints = Hints::default();
    for word in value.split_ascii_whitespace() {
        hints = hints.with(match word.to_ascii_lowercase().as_str() {
            "articlebody" => Hints::ARTICLE_BODY,
            "author" => Hints::AUTHOR,
            "caption" => Hints::CAPTION,
            "headline" => Hints::TITLE,
            "comment" => Hints::COMMENT,
            "breadcrumb" => Hints::NAVIGATION,
            _ => Hints::default(),
        });
    }
    hints
}

fn of_type(value: &str) -> Hints {
    match value.rsplit('/').next().unwrap_or_default() {
        "Comment" | "UserComments" => Hints::COMMENT,
        "BreadcrumbList" | "SiteNavigationElement" => Hints::NAVIGATION,
        "WPFooter" | "WPSideBar" => Hints::FRAME,
        _ => Hints::default(),
    }
}

fn of_role(value: &str) -> Hints {
    match value.trim().to_ascii_lowercase().as_str() {
        "main" => Hints::MAIN,
        "article" => Hints::ARTICLE,
        "navigation" | "menu" | "menubar" | "tablist" | "toolbar" => Hints::NAVIGATION,
        "banner" | "contentinfo" | "complementary" | "search" | "dialog" | "alertdialog" | "alert" => {
            Hints::FRAME
        }
        _ => Hints::default(),
    }
}

fn of_style(value: &str) -> Hints {
    let mut declarations = value.split(';').filter_map(|declaration| declaration.split_once(':'));
    let hides = declarations.any(|(property, value)| {
        let (property, value) = (property.trim(), value.trim());
        property.eq_ignore_ascii_case("display")
            && value.get(..4).is_some_and(|start| start.eq_ignore_ascii_case("none"))
            || property.eq_ignore_ascii_case("visibility")
                && value.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("hidden"))
    });
    if hides { Hints::HIDDEN } else { Hints::default() }
}

/// Words by what they mean; a space is the limit of a word, where there is none the word may go on.
const WORDS: [(Hints, &[&str]); 14] = [
    (
        Hints::HIDDEN,
        &[
            " visually hidden ",
            " screen reader ",
            " screenreader ",
            " sr only ",
            " visuallyhidden ",
            " element invisible ",
            " print only ",
            " hidden print only ",
            " u hidden ",
        ],
    ),
    (
        Hints::NAVIGATION,
        &[
            " nav ",
            "navbar",
            "navigation",
            " menu ",
            "breadcrumb",
            "bread crumb",
            "pagination",
            " pager ",
            " paging ",
            " page links ",
            " toc ",
            " subnav ",
            " skip link",
            " prev next",
            " next prev",
            " post nav",
            " jump ",
            " link list ",
            "sitemap",
        ],
    ),
    (
        Hints::FRAME,
        &[
            "footer",
            "masthead",
            "sidebar",
            " side bar ",
            " side column ",
            " rail ",
            " banner ",
            "cookie",
            "consent",
            " gdpr",
            "privacy",
            "modal",
            "popup",
            "pop up ",
            " overlay ",
            " lightbox",
            "toolbar",
            " tool bar ",
            " tools ",
            " utility ",
            " widget ",
            " widgets ",
            "copyright",
            " legal ",
            " disclaimer ",
            " search ",
            " site header ",
            " global header ",
            " page header ",
            " topbar ",
            " top bar ",
            " bottom bar ",
            " tooltip ",
            " alert ",
            " notification",
            " ticker ",
            " print link",
            " login ",
            " aside ",
            " adblock",
            " no js ",
            " noscript ",
            " browser upgrade ",
            " rating ",
            " ratings ",
            " poll ",
            " quiz ",
            " skip to ",
            " secondary ",
            " accessib",
            " backtotop ",
            " back to top ",
            " feedback ",
            " report abuse ",
            " correction ",
        ],
    ),
    (
        Hints::SHARE,
        &[
            " share",
            "sharing",
            " social ",
            " social",
            "addthis",
            "addtoany",
            " follow ",
            " follow us ",
            "sociable",
            " sharedaddy",
            " whatsapp ",
            " pinterest ",
            " shariff",
        ],
    ),
    (
        Hints::RELATED,
        &[
            "related",
            "recommend",
            " recirc",
            " trending",
            " most read",
            " most popular",
            "mostpopular",
            "mostread",
            " popular ",
            " read more",
            "readmore",
            " read next",
            " up next ",
            " more from",
            " more stories",
            " more on ",
            " more news",
            " see also",
            "seealso",
            " also read",
            " also like",
            " you may",
            " you might",
            " further reading ",
            " suggested",
            " similar ",
            " other news",
            " othernews",
            " other stories",
            " latest",
            " next article",
            " next post",
            " next story",
            " in this ",
            " dont miss",
            " don t miss",
            " top stories",
            " teaser",
            " teasers ",
            " promo",
            "promoted",
            " more articles",
            " inline story ",
            " onward ",
            "crosslink",
            " cross link",
            " linkbox",
            " link box ",
            " listing ",
            "carousel",
            " slider ",
            " crp ",
            "yarpp",
            " zergnet",
            " jp relatedposts",
            " article list",
            " headlines ",
            " rich link",
            " read also",
            " internal link",
            " interlink",
            " card list ",
            " in article link",
            " interstitial link",
        ],
    ),
    (
        Hints::COMMENT,
        &[
            " comment ",
            " comments ",
            "commentlist",
            " comment",
            "disqus",
            " respond ",
            " replies ",
            " fb comments ",
            " discussion ",
            " talkback",
            " viafoura",
            " livefyre",
        ],
    ),
    (
        Hints::ADVERT,
        &[
            " ad ",
            " ads ",
            "advert",
            " adsense",
            " sponsor",
            "sponsored",
            " dfp ",
            "outbrain",
            "taboola",
            " google ads ",
            " ad slot",
            " adslot",
            " ad unit",
            " ad container",
            " adcontainer",
            " adbox ",
            " ad box ",
            " commercial",
            " affiliate",
            " mpu ",
            " gpt ",
            " revcontent",
            " merchandis",
            " shopping ",
            " donate ",
            " donation",
            " partner ",
        ],
    ),
    (
        Hints::CAPTION,
        &[
            "caption",
            " credit ",
            " credits ",
            " photo credit",
            " image credit",
            " image source ",
            " img desc",
            " media desc",
            " photo info ",
            " image meta ",
        ],
    ),
    (
        Hints::BYLINE,
        &[
            "byline",
            " by line ",
            " author ",
            " authors ",
            "dateline",
            "timestamp",
            " time stamp",
            " publish date",
            " pubdate ",
            " pub date ",
            " published ",
            " posted on ",
            " post meta ",
            " entry meta ",
            " article meta ",
            " article info ",
            " article infos ",
            " meta ",
            " postmeta ",
            " postmetadata ",
            " post info ",
            " post date ",
            " article date ",
            " date ",
            " author bio ",
            " author box ",
            " author info ",
            " about author ",
            " about the author ",
            " bio ",
            " writer ",
            " contributor",
            " article header ",
            " entry header ",
            " reading time ",
            " read time ",
            " infoline ",
            " datum ",
            " metadata ",
            " meta data ",
            " article author",
            " user info ",
            " user profile ",
            " avatar ",
            " kicker ",
            " eyebrow ",
            " story meta",
            " post header ",
        ],
    ),
    (
        Hints::TAGS,
        &[
            " tags ",
            " taglist ",
            " tag list ",
            " tagcloud ",
            " tag cloud ",
            " topics ",
            " categories ",
            " category list ",
            " keywords ",
            " filed under ",
            " cat links ",
            " tag links ",
            " post tags ",
            " entry tags ",
            " article tags ",
            " post categories ",
            " tagged ",
            " labels ",
            " article topics",
        ],
    ),
    (
        Hints::BODY,
        &[
            "articlebody",
            "article body",
            "entry content",
            "entrycontent",
            "post content",
            "postcontent",
            "post body",
            "postbody",
            "story body",
            "storybody",
            "article content",
            "articlecontent",
            "article text",
            "articletext",
            "story content",
            "storycontent",
            "story text",
            "storytext",
            "post text",
            "post entry",
            " body text ",
            "bodytext",
            "body copy",
            "bodycopy",
            "article main body",
            " rich text ",
            " richtext ",
            "news content",
            "newscontent",
            " text content ",
            "news text",
            "newstext",
            "content body",
            " copy paste ",
            " article copy ",
            " article rich ",
            " articlepage content ",
        ],
    ),
    (
        Hints::ARTICLE,
        &[
            "article",
            " post ",
            " story ",
            " entry ",
            " content ",
            " main ",
            " text ",
            " body ",
            " hentry ",
            " news ",
            " blog ",
            " prose ",
            " page content ",
            " maincontent ",
            " main content ",
        ],
    ),
    (
        Hints::SIGN_UP,
        &[
            "newsletter",
            "subscri",
            " signup",
            " sign up",
            " paywall",
            " register ",
            " registration",
            " optin",
            " opt in ",
            " mailchimp",
            " mc embed",
            " email form",
            " call to action",
            " cta ",
            " inline form ",
            " piano ",
            " regwall",
            " membership",
        ],
    ),
    (
        Hints::TITLE,
        &[" headline ", " entry title ", " post title ", " article title ", " page title ", " story title "],
    ),
];

/// Letters and the limit of a word.
const SYMBOLS: usize = 27;
const LIMIT: usize = 0;

struct Automaton {
    next: Vec<[u16; SYMBOLS]>,
    found: Vec<Hints>,
}

fn automaton() -> &'static Automaton {
    static AUTOMATON: OnceLock<Automaton> = OnceLock::new();
    AUTOMATON.get_or_init(Automaton::new)
}

fn symbol(byte: u8) -> usize {
    match byte {
        b'a'..=b'z' => (byte - b'a') as usize + 1,
        b'A'..=b'Z' => (byte - b'A') as usize + 1,
        _ => LIMIT,
    }
}

impl Automaton {
    fn new() -> Self {
        const NONE: u16 = u16::MAX;
        let mut next = vec![[NONE; SYMBOLS]];
        let mut found = vec![Hints::default()];
        for (hints, words) in WORDS {
            for word in words {
                let mut state = 0;
                for byte in word.bytes() {
                    let symbol = symbol(byte);
                    if next[state][symbol] == NONE {
                        next[state][symbol] = next.len() as u16;
                        next.push([NONE; SYMBOLS]);
                        found.push(Hints::default());
                    }
                    state = next[state][symbol] as usize;
                }
                found[state] = found[state].with(hints);
            }
        }
        // Breadth first, so that the shorter suffix of a state is done before the state.
        let mut suffix = vec![0; next.len()];
        let mut queue = std::collections::VecDeque::from([0]);
        while let Some(state) = queue.pop_front() {
            for symbol in 0..SYMBOLS {
                let shorter = if state == 0 { 0 } else { next[suffix[state]][symbol] };
                let target = next[state][symbol];
                if target == NONE {
                    next[state][symbol] = shorter;
                } else {
                    let target = target as usize;
                    suffix[target] = shorter as usize;
                    found[target] = found[target].with(found[shorter as usize]);
                    queue.push_back(target);
                }
            }
        }
        Automaton { next, found }
    }

    fn search(&self, names: &str) -> Hints {
        let mut hints = Hints::default();
        let mut state = 0;
        let mut step = |symbol: usize| {
            state = self.next.get(state).map_or(0, |next| next[symbol] as usize);
            hints = hints.with(self.found.get(state).copied().unwrap_or_default());
        };
        step(LIMIT);
        let mut before = b' ';
        for byte in names.bytes() {
            let limit = symbol(byte) == LIMIT;
            if byte.is_ascii_uppercase() && before.is_ascii_lowercase() {
                step(LIMIT);
            }
            // Many limits in a row are one.
            if !limit || symbol(before) != LIMIT {
                step(symbol(byte));
            }
            before = byte;
        }
        if symbol(before) != LIMIT {
            step(LIMIT);
        }
        hints
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_however_they_are_joined() {
        for class in ["related-posts", "relatedPosts x", "td_block_related_posts", "RELATED"] {
            assert!(Hints::of(Element::Div, &format!("div class='{class}'")).has(Hints::RELATED), "{class}");
        }
        assert!(Hints::of(Element::Div, "div id=story-body--7").has(Hints::BODY));
        assert!(!Hints::of(Element::Div, "div class='download header'").has(Hints::ADVERT));
        assert!(Hints::of(Element::Div, "div style='color: red; DISPLAY : none'").has(Hints::HIDDEN));
        assert!(Hints::of(Element::Div, "div itemprop='articleBody'").has(Hints::ARTICLE_BODY));
        assert_eq!(Hints::of(Element::Div, "div"), Hints::default());
    }
}
