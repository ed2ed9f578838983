//! What the names of an element reveal about its content, as a set.

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
    /// Links to other pages that may be of interest.
    pub const RELATED: Hints = Hints(1 << 4);
    pub const COMMENT: Hints = Hints(1 << 5);
    pub const ADVERT: Hints = Hints(1 << 6);
    pub const CAPTION: Hints = Hints(1 << 7);
    /// Who wrote it and when.
    pub const BYLINE: Hints = Hints(1 << 8);
    pub const TAGS: Hints = Hints(1 << 9);
    /// The body of an article, by an unambiguous name.
    pub const BODY: Hints = Hints(1 << 10);
    /// Notices of the whole site: imprint, licence, terms, cookies.
    pub const NOTICE: Hints = Hints(1 << 11);
    /// Asks for an address, a subscription, a registration.
    pub const SIGN_UP: Hints = Hints(1 << 12);
    /// schema.org says that this is the body.
    pub const ARTICLE_BODY: Hints = Hints(1 << 13);
    /// The main part of the page, by its role or element.
    pub const MAIN: Hints = Hints(1 << 14);
    pub const AUTHOR: Hints = Hints(1 << 16);

    /// All hints of elements that hold no content.
    pub const ASIDE: Hints = Hints(
        Self::NAVIGATION.0
            | Self::FRAME.0
            | Self::SHARE.0
            | Self::RELATED.0
            | Self::COMMENT.0
            | Self::ADVERT.0
            | Self::SIGN_UP.0,
    );

    /// Hints of elements that hold no list of contents; related pages and comments may be contents.
    pub const AROUND_LISTS: Hints =
        Hints(Self::NAVIGATION.0 | Self::FRAME.0 | Self::SHARE.0 | Self::ADVERT.0 | Self::SIGN_UP.0);
    /// Describes a text without being part of it.
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
}
