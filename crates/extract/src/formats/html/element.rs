//! The elements that matter for reading; all others are [`Element::Other`].

macro_rules! elements {
    ($($variant:ident $name:literal),* $(,)?) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Element {
            $($variant,)*
            /// Any element not listed.
            Other,
            /// A run of text, not an element.
            Text,
        }

        impl Element {
            /// How many there are.
            pub const COUNT: usize = Element::Text as usize + 1;

            fn of_lower_case(name: &[u8]) -> Element {
                match name {
                    $($name => Element::$variant,)*
                    _ => Element::Other,
                }
            }
        }
    };
}

elements! {
    Html b"html", Head b"head", Body b"body", Title b"title", Meta b"meta", Link b"link", Base b"base",
    Script b"script", Style b"style", Noscript b"noscript", Template b"template",
    Article b"article", Section b"section", Main b"main", Nav b"nav", Aside b"aside", Header b"header",
    Footer b"footer", Address b"address", Hgroup b"hgroup",
    H1 b"h1", H2 b"h2", H3 b"h3", H4 b"h4", H5 b"h5", H6 b"h6",
    P b"p", Div b"div", Ul b"ul", Ol b"ol", Menu b"menu", Dir b"dir", Li b"li", Dl b"dl", Dt b"dt", Dd b"dd",
    Blockquote b"blockquote", Pre b"pre", Listing b"listing", Hr b"hr", Br b"br", Wbr b"wbr", Center b"center",
    Table b"table", Caption b"caption", Thead b"thead", Tbody b"tbody", Tfoot b"tfoot", Tr b"tr", Td b"td",
    Th b"th", Colgroup b"colgroup", Col b"col",
    Form b"form", Fieldset b"fieldset", Legend b"legend", Button b"button", Input b"input", Select b"select",
    Option b"option", Optgroup b"optgroup", Datalist b"datalist", Textarea b"textarea", Label b"label",
    Figure b"figure", Figcaption b"figcaption", Img b"img", Image b"image", Picture b"picture", Source b"source", Track b"track",
    Video b"video", Audio b"audio", Canvas b"canvas", Object b"object", Embed b"embed", Param b"param",
    Iframe b"iframe", Svg b"svg", Math b"math", Noembed b"noembed", Noframes b"noframes", Frameset b"frameset", Frame b"frame",
    Xmp b"xmp", Details b"details", Summary b"summary", Dialog b"dialog",
    A b"a", B b"b", Strong b"strong", I b"i", Em b"em", Span b"span", Font b"font", Small b"small", U b"u",
    Code b"code", Sup b"sup", Sub b"sub", Time b"time", Cite b"cite", Rt b"rt", Rp b"rp", Rtc b"rtc",
    Area b"area", Bgsound b"bgsound", Keygen b"keygen",
}

/// Longer than any name listed.
const LONGEST: usize = 12;

impl Element {
    /// By name in any case.
    pub fn named(name: &[u8]) -> Element {
        let mut lower = [0; LONGEST];
        let Some(place) = lower.get_mut(..name.len()) else { return Element::Other };
        place.copy_from_slice(name);
        place.make_ascii_lowercase();
        Element::of_lower_case(place)
    }

    /// Never has content.
    pub fn is_void(self) -> bool {
        use Element::*;
        matches!(
            self,
            Area | Base
                | Bgsound
                | Br
                | Col
                | Embed
                | Frame
                | Hr
                | Image
                | Img
                | Input
                | Keygen
                | Link
                | Meta
                | Param
                | Source
                | Track
                | Wbr
        )
    }

    /// Its content is raw text up to its end tag. `noscript` is among them, as for a browser that
    /// runs scripts.
    pub fn is_raw(self) -> bool {
        use Element::*;
        matches!(self, Script | Style | Title | Textarea | Noscript | Iframe | Noembed | Xmp)
    }

    /// May stand in a page's head without beginning its body.
    pub fn is_for_head(self) -> bool {
        use Element::*;
        matches!(
            self,
            Html | Head | Title | Meta | Link | Base | Script | Style | Noscript | Template | Bgsound
        )
    }

    /// Begins and ends a block of text.
    pub fn is_block(self) -> bool {
        use Element::*;
        matches!(
            self,
            Html | Body
                | Article
                | Section
                | Main
                | Nav
                | Aside
                | Header
                | Footer
                | Address
                | Hgroup
                | H1
                | H2
                | H3
                | H4
                | H5
                | H6
                | P
                | Div
                | Ul
                | Ol
                | Menu
                | Dir
                | Li
                | Dl
                | Dt
                | Dd
                | Blockquote
                | Pre
                | Listing
                | Hr
                | Center
                | Table
                | Caption
                | Thead
                | Tbody
                | Tfoot
                | Tr
                | Td
                | Th
                | Form
                | Fieldset
                | Legend
                | Figure
                | Figcaption
                | Details
                | Summary
                | Dialog
                | Xmp
                | Noframes
                | Frameset
        )
    }

    pub fn is_heading(self) -> bool {
        use Element::*;
        matches!(self, H1 | H2 | H3 | H4 | H5 | H6)
    }

    pub fn is_list(self) -> bool {
        matches!(self, Element::Ul | Element::Ol | Element::Menu | Element::Dir)
    }

    /// An end tag inside it does not end elements outside.
    pub fn is_scope(self) -> bool {
        use Element::*;
        matches!(self, Html | Body | Table | Caption | Td | Th | Template | Object | Svg | Math)
    }

    /// Nothing in it is text to read.
    pub fn is_unread(self) -> bool {
        use Element::*;
        matches!(
            self,
            Head | Title
                | Script
                | Style
                | Noscript
                | Template
                | Select
                | Datalist
                | Textarea
                | Video
                | Audio
                | Canvas
                | Object
                | Iframe
                | Svg
                | Math
                | Noembed
                | Rt
                | Rp
                | Rtc
                | Meta
                | Link
                | Base
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_any_case_and_nonsense() {
        assert_eq!(Element::named(b"BlockQuote"), Element::Blockquote);
        assert_eq!(Element::named(b"figcaption"), Element::Figcaption);
        assert_eq!(Element::named(b""), Element::Other);
        assert_eq!(Element::named(&[b'a'; 100]), Element::Other);
    }
}
