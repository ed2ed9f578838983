//! What an element's class, id, role and style say about its content.

use super::attribute::Attributes;
use super::element::Element;
use super::words::hints_in;

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
    /// Notices of the whole site: imprint, licence, terms, cookies.
    pub const NOTICE: Hints = Hints(1 << 11);
    /// Asks for an address, a subscription, a registration.
    pub const SIGN_UP: Hints = Hints(1 << 12);
    /// schema.org says that this is the body.
    pub const ARTICLE_BODY: Hints = Hints(1 << 13);
    /// The main part of the page, said by its role or element.
    pub const MAIN: Hints = Hints(1 << 14);
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

    pub const fn with(self, more: Hints) -> Hints {
        Hints(self.0 | more.0)
    }

    pub const fn without(self, some: Hints) -> Hints {
        Hints(self.0 & !some.0)
    }

    /// What the tag of an element says.
    pub fn of(element: Element, tag: &str) -> Hints {
        let mut hints = match element {
            Element::Nav | Element::Menu => Hints::NAVIGATION,
            Element::Footer => Hints::FRAME.with(Hints::NOTICE),
            Element::Aside | Element::Dialog => Hints::FRAME,
            Element::Figcaption => Hints::CAPTION,
            Element::Main => Hints::MAIN,
            _ => Hints::default(),
        };
        for (name, value) in Attributes::of(tag) {
            let bytes = name.as_bytes();
            // Most attributes are none of these; their first letters tell.
            let found = match bytes.first().map(u8::to_ascii_lowercase) {
                Some(b'c') if name.eq_ignore_ascii_case("class") => hints_in(value),
                Some(b'i') if name.eq_ignore_ascii_case("id") => hints_in(value),
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
                    hints_in(value)
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
        "WPFooter" => Hints::FRAME.with(Hints::NOTICE),
        "WPSideBar" => Hints::FRAME,
        _ => Hints::default(),
    }
}

fn of_role(value: &str) -> Hints {
    match value.trim().to_ascii_lowercase().as_str() {
        "main" => Hints::MAIN,
        "navigation" | "menu" | "menubar" | "tablist" | "toolbar" => Hints::NAVIGATION,
        "contentinfo" => Hints::FRAME.with(Hints::NOTICE),
        "banner" | "complementary" | "search" | "dialog" | "alertdialog" | "alert" => Hints::FRAME,
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
