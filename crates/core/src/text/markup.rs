//! The text of an HTML page in pieces, each with whether it is emphasised or page furniture.
//!
//! A small scanner, not a parser: it cuts out tags, skips comments, scripts and styles, and decodes
//! common character references. Every tag separates words. Like a browser it treats a page that ends
//! inside a tag or a comment as one that ends before it. It reads the text once, whatever it contains.
//!
//! ```
//! use lookalike_core::text::for_each_piece;
//! let mut pieces = Vec::new();
//! for_each_piece("<h1>Caf&eacute;</h1> &amp; more", &mut String::new(), |text, place| {
//!     pieces.push((text.trim().to_owned(), place.emphasised));
//! });
//! assert_eq!(pieces, [("Café".to_owned(), true), ("& more".to_owned(), false)]);
//! ```

/// Elements whose text is emphasised.
const EMPHASIS: [&str; 11] = ["h1", "h2", "h3", "h4", "h5", "h6", "title", "b", "strong", "i", "em"];
/// Elements that are the same on many pages.
const FURNITURE: [&str; 5] = ["nav", "footer", "aside", "menu", "form"];
/// Elements whose content is no text.
const SKIPPED: [&str; 3] = ["script", "style", "template"];
const ENDS_NAME: &[u8] = b" \t\n\r\x0c/>";

/// Where a piece of text stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// In a heading, a title or stressed.
    pub emphasised: bool,
    /// In navigation, a footer or the like.
    pub furniture: bool,
}

/// Calls `emit` with pieces of text in order; a piece ends where its place changes, and none is blank.
/// `buffer` is emptied and reused.
pub fn for_each_piece(html: &str, buffer: &mut String, mut emit: impl FnMut(&str, Place)) {
    buffer.clear();
    // One giant page must not keep its memory for the rest of the run.
    buffer.shrink_to(4 << 20);
    // How many elements of each kind that matters are open.
    let (mut emphasis, mut furniture) = ([0u32; EMPHASIS.len()], [0u32; FURNITURE.len()]);
    let mut place = Place::default();
    let mut rest = html;
    while let Some(at) = rest.bytes().position(|byte| byte == b'<' || byte == b'&') {
        let (before, from) = rest.split_at(at);
        buffer.push_str(before);
        if from.starts_with('&') {
            let (character, length) = reference(from).unwrap_or(('&', 1));
            buffer.push(character);
            rest = &from[length..];
            continue;
        }
        let Some((tag, after)) = tag(from) else {
            buffer.push('<');
            rest = &from[1..];
            continue;
        };
        rest = after;
        buffer.push(' ');
        let place_in = |names: &[&str]| names.iter().position(|name| tag.name.eq_ignore_ascii_case(name));
        let count = match place_in(&EMPHASIS) {
            Some(kind) => Some(&mut emphasis[kind]),
            None => place_in(&FURNITURE).map(|kind| &mut furniture[kind]),
        };
        if let Some(count) = count {
            *count = if tag.closes { count.saturating_sub(1) } else { count.saturating_add(1) };
            let any = |open: &[u32]| open.iter().any(|&count| count > 0);
            let now = Place { emphasised: any(&emphasis), furniture: any(&furniture) };
            if now != place {
                hand_out(buffer, place, &mut emit);
                place = now;
            }
        } else if !tag.closes && place_in(&SKIPPED).is_some() {
            rest = after_end_of(rest, tag.name);
        }
    }
    buffer.push_str(rest);
    hand_out(buffer, place, &mut emit);
}

fn hand_out(buffer: &mut String, place: Place, emit: &mut impl FnMut(&str, Place)) {
    if !buffer.trim_start().is_empty() {
        emit(buffer, place);
    }
    buffer.clear();
}

struct Tag<'t> {
    name: &'t str,
    closes: bool,
}

/// The tag, comment or declaration that starts here, and what follows it. A `<` that starts none is
/// text. Comments and declarations have no name.
fn tag(from: &str) -> Option<(Tag<'_>, &str)> {
    let unnamed = |after| Some((Tag { name: "", closes: false }, after));
    if let Some(comment) = from.strip_prefix("<!--") {
        // A comment may be as short as `<!-->`.
        let inside = if comment.starts_with('>') || comment.starts_with("->") { &from[2..] } else { comment };
        return unnamed(inside.find("-->").map_or("", |end| &inside[end + 3..]));
    }
    if from.starts_with("<!") || from.starts_with("<?") {
        return unnamed(from.find('>').map_or("", |end| &from[end + 1..]));
    }
    let closes = from.starts_with("</");
    let inside = &from[1 + usize::from(closes)..];
    if !inside.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let length = inside.bytes().take_while(|byte| !ENDS_NAME.contains(byte)).count();
    let name = inside.get(..length)?;
    Some((Tag { name, closes }, after_tag(&inside[length..])))
}

/// What follows the end of a tag; `>` in a quoted value does not end it.
fn after_tag(inside: &str) -> &str {
    let (mut quote, mut value_next) = (None, false);
    for (at, byte) in inside.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'>') => return &inside[at + 1..],
            (None, b'"' | b'\'') if value_next => quote = Some(byte),
            _ => {}
        }
        value_next = quote.is_none() && (byte == b'=' || value_next && byte.is_ascii_whitespace());
    }
    ""
}

/// What follows the tag that closes a skipped element.
fn after_end_of<'t>(content: &'t str, name: &str) -> &'t str {
    let closes = |at: usize| {
        let (found, after) = content.as_bytes()[at + 2..].split_at_checked(name.len()).unwrap_or_default();
        found.eq_ignore_ascii_case(name.as_bytes())
            && after.first().is_none_or(|byte| ENDS_NAME.contains(byte))
    };
    match content.match_indices("</").find(|&(at, _)| closes(at)) {
        Some((at, end)) => after_tag(&content[at + end.len() + name.len()..]),
        None => "",
    }
}

/// The character that a reference such as `&amp;`, `&#233;` or `&#xe9;` stands for, and its length.
fn reference(from: &str) -> Option<(char, usize)> {
    const LONGEST: usize = 10;
    let body = &from.as_bytes()[1..];
    if let Some(number) = body.strip_prefix(b"#") {
        let (digits, radix) = match number {
            [b'x' | b'X', digits @ ..] => (digits, 16),
            digits => (digits, 10),
        };
        let count =
            digits.iter().take(LONGEST).take_while(|digit| char::from(**digit).is_digit(radix)).count();
        if count == 0 {
            return None;
        }
        let code = u32::from_str_radix(std::str::from_utf8(&digits[..count]).ok()?, radix).ok();
        let character = code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER);
        let length = from.len() - digits.len() + count;
        return Some((character, length + usize::from(digits.get(count) == Some(&b';'))));
    }
    let end = body.iter().take(LONGEST).position(|&byte| byte == b';')?;
    let name = std::str::from_utf8(&body[..end]).ok()?;
    let place = NAMED.binary_search_by_key(&name, |&(name, _)| name).ok()?;
    Some((NAMED[place].1, end + 2))
}

/// The letters of Latin-1 and the signs that pages are full of, sorted by name.
#[rustfmt::skip]
const NAMED: [(&str, char); NAMES] = [
    ("AElig", '\u{c6}'), ("Aacute", '\u{c1}'), ("Acirc", '\u{c2}'), ("Agrave", '\u{c0}'),
    ("Aring", '\u{c5}'), ("Atilde", '\u{c3}'), ("Auml", '\u{c4}'), ("Ccedil", '\u{c7}'),
    ("Dagger", '\u{2021}'), ("ETH", '\u{d0}'), ("Eacute", '\u{c9}'), ("Ecirc", '\u{ca}'),
    ("Egrave", '\u{c8}'), ("Euml", '\u{cb}'), ("Iacute", '\u{cd}'), ("Icirc", '\u{ce}'),
    ("Igrave", '\u{cc}'), ("Iuml", '\u{cf}'), ("Ntilde", '\u{d1}'), ("OElig", '\u{152}'),
    ("Oacute", '\u{d3}'), ("Ocirc", '\u{d4}'), ("Ograve", '\u{d2}'), ("Oslash", '\u{d8}'),
    ("Otilde", '\u{d5}'), ("Ouml", '\u{d6}'), ("Prime", '\u{2033}'), ("Scaron", '\u{160}'),
    ("THORN", '\u{de}'), ("Uacute", '\u{da}'), ("Ucirc", '\u{db}'), ("Ugrave", '\u{d9}'),
    ("Uuml", '\u{dc}'), ("Yacute", '\u{dd}'), ("Yuml", '\u{178}'), ("aacute", '\u{e1}'),
    ("acirc", '\u{e2}'), ("acute", '\u{b4}'), ("aelig", '\u{e6}'), ("agrave", '\u{e0}'), ("amp", '\u{26}'),
    ("apos", '\u{27}'), ("aring", '\u{e5}'), ("asymp", '\u{2248}'), ("atilde", '\u{e3}'),
    ("auml", '\u{e4}'), ("bdquo", '\u{201e}'), ("brvbar", '\u{a6}'), ("bull", '\u{2022}'),
    ("ccedil", '\u{e7}'), ("cedil", '\u{b8}'), ("cent", '\u{a2}'), ("circ", '\u{2c6}'), ("copy", '\u{a9}'),
    ("curren", '\u{a4}'), ("dagger", '\u{2020}'), ("darr", '\u{2193}'), ("deg", '\u{b0}'),
    ("divide", '\u{f7}'), ("eacute", '\u{e9}'), ("ecirc", '\u{ea}'), ("egrave", '\u{e8}'),
    ("emsp", '\u{2003}'), ("ensp", '\u{2002}'), ("eth", '\u{f0}'), ("euml", '\u{eb}'), ("euro", '\u{20ac}'),
    ("fnof", '\u{192}'), ("frac12", '\u{bd}'), ("frac14", '\u{bc}'), ("frac34", '\u{be}'),
    ("frasl", '\u{2044}'), ("ge", '\u{2265}'), ("gt", '\u{3e}'), ("harr", '\u{2194}'),
    ("hellip", '\u{2026}'), ("iacute", '\u{ed}'), ("icirc", '\u{ee}'), ("iexcl", '\u{a1}'),
    ("igrave", '\u{ec}'), ("infin", '\u{221e}'), ("iquest", '\u{bf}'), ("iuml", '\u{ef}'),
    ("laquo", '\u{ab}'), ("larr", '\u{2190}'), ("ldquo", '\u{201c}'), ("le", '\u{2264}'),
    ("lrm", '\u{200e}'), ("lsaquo", '\u{2039}'), ("lsquo", '\u{2018}'), ("lt", '\u{3c}'),
    ("macr", '\u{af}'), ("mdash", '\u{2014}'), ("micro", '\u{b5}'), ("middot", '\u{b7}'),
    ("minus", '\u{2212}'), ("nbsp", '\u{a0}'), ("ndash", '\u{2013}'), ("ne", '\u{2260}'), ("not", '\u{ac}'),
    ("ntilde", '\u{f1}'), ("oacute", '\u{f3}'), ("ocirc", '\u{f4}'), ("oelig", '\u{153}'),
    ("ograve", '\u{f2}'), ("oline", '\u{203e}'), ("ordf", '\u{aa}'), ("ordm", '\u{ba}'),
    ("oslash", '\u{f8}'), ("otilde", '\u{f5}'), ("ouml", '\u{f6}'), ("para", '\u{b6}'),
    ("permil", '\u{2030}'), ("plusmn", '\u{b1}'), ("pound", '\u{a3}'), ("prime", '\u{2032}'),
    ("quot", '\u{22}'), ("raquo", '\u{bb}'), ("rarr", '\u{2192}'), ("rdquo", '\u{201d}'), ("reg", '\u{ae}'),
    ("rlm", '\u{200f}'), ("rsaquo", '\u{203a}'), ("rsquo", '\u{2019}'), ("sbquo", '\u{201a}'),
    ("scaron", '\u{161}'), ("sect", '\u{a7}'), ("shy", '\u{ad}'), ("sup1", '\u{b9}'), ("sup2", '\u{b2}'),
    ("sup3", '\u{b3}'), ("szlig", '\u{df}'), ("thinsp", '\u{2009}'), ("thorn", '\u{fe}'),
    ("tilde", '\u{2dc}'), ("times", '\u{d7}'), ("trade", '\u{2122}'), ("uacute", '\u{fa}'),
    ("uarr", '\u{2191}'), ("ucirc", '\u{fb}'), ("ugrave", '\u{f9}'), ("uml", '\u{a8}'), ("uuml", '\u{fc}'),
    ("yacute", '\u{fd}'), ("yen", '\u{a5}'), ("yuml", '\u{ff}'), ("zwj", '\u{200d}'), ("zwnj", '\u{200c}'),
];

const NAMES: usize = 148;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pieces(html: &str) -> Vec<(String, bool)> {
        let mut pieces = Vec::new();
        for_each_piece(html, &mut "left over".to_owned(), |text, place| {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            if !text.is_empty() {
                pieces.push((text, place.emphasised));
            }
        });
        pieces
    }

    fn text(html: &str) -> String {
        pieces(html).into_iter().map(|(text, _)| text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn tags_comments_scripts_and_styles_go() {
        for (html, expected) in [
            ("plain", "plain"),
            ("<p>one</p><p>two</p>", "one two"),
            ("a<br/>b<hr>c", "a b c"),
            ("<a href=\"x>y\" title='a>b'>link</a>", "link"),
            ("<a href = 'x>y'>link</a>", "link"),
            ("it's <b a'b>bold</b>", "it's bold"),
            ("a <!-- hidden <b>x</b> --> b", "a b"),
            ("a<!-->b<!--->c", "a b c"),
            ("<!DOCTYPE html><?xml version='1.0'?>x", "x"),
            ("<script>if (a < b) '</p>'</script>x<STYLE>p{}</style >y", "x y"),
            ("<scripted>kept</scripted>", "kept"),
            ("<script>a</scripted>b</SCRIPT>c", "c"),
            ("1 < 2 and 3 > 2 <3", "1 < 2 and 3 > 2 <3"),
            ("end <a href='never closed", "end"),
            ("end <!-- never closed", "end"),
            ("end <script> never closed", "end"),
            ("<", "<"),
            ("</", "</"),
        ] {
            assert_eq!(text(html), expected, "{html}");
        }
    }

    #[test]
    fn references_are_decoded() {
        for (html, expected) in [
            ("caf&eacute; &Uuml;ber &szlig;", "café Über ß"),
            ("a&nbsp;b &lt;b&gt; &amp;amp;", "a b <b> &amp;"),
            ("&#233;&#xE9;&#Xe9 &#0; &#xD800; &#99999999999;", "ééé \u{0} \u{fffd} \u{fffd}9;"),
            ("R&D AT&T; &unknown; &; &", "R&D AT&T; &unknown; &; &"),
            ("&#; &#x; &#xg;", "&#; &#x; &#xg;"),
        ] {
            assert_eq!(text(html), expected, "{html}");
        }
        assert!(NAMED.is_sorted_by(|a, b| a.0 < b.0));
    }

    #[test]
    fn emphasis_is_told() {
        let yes = |text: &str| (text.to_owned(), true);
        let no = |text: &str| (text.to_owned(), false);
        assert_eq!(pieces("<H1 class=x>Big</H1>small"), [yes("Big"), no("small")]);
        assert_eq!(pieces("a<b>b<i>c</i>d</b>e"), [no("a"), yes("b c d"), no("e")]);
        assert_eq!(pieces("<title>t</title><em>e</em><strong>s</strong>"), [yes("t"), yes("e"), yes("s")]);
        assert_eq!(pieces("</b>x<b>y"), [no("x"), yes("y")], "a stray end closes nothing");
        assert_eq!(pieces("<p>x</p><body>y<blockquote>z"), [no("x y z")], "only whole names count");
    }

    proptest! {
        #[test]
        fn no_page_panics(html in "(<|>|&|;|#|x|/|!|-|'|\"|=|b|script|amp|eacute|é|[0-9]| ){0,60}") {
            pieces(&html);
        }
    }

    #[test]
    fn hostile_pages_take_linear_time() {
        for part in ["<", "<a ", "<a b='", "<!--", "<script>", "&", "&#", "</script"] {
            assert!(pieces(&part.repeat(200_000)).len() < 3);
        }
    }
}
