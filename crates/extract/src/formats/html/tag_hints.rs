//! What an element's class, id, role and style reveal about its content.

use super::attribute::Attributes;
use super::element::Element;
use super::hints::Hints;
use super::words::hints_in;

/// The hints in the tag of an element.
pub fn hints_of(element: Element, tag: &str) -> Hints {
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
        // Most attributes are irrelevant, which their first letters show.
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
            assert!(hints_of(Element::Div, &format!("div class='{class}'")).has(Hints::RELATED), "{class}");
        }
        assert!(hints_of(Element::Div, "div id=story-body--7").has(Hints::BODY));
        assert!(!hints_of(Element::Div, "div class='download header'").has(Hints::ADVERT));
        assert!(hints_of(Element::Div, "div style='color: red; DISPLAY : none'").has(Hints::HIDDEN));
        assert!(hints_of(Element::Div, "div itemprop='articleBody'").has(Hints::ARTICLE_BODY));
        assert_eq!(hints_of(Element::Div, "div"), Hints::default());
    }
}
