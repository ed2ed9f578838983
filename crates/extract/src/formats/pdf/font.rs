//! From the bytes of a shown string to characters and widths.
//!
//! The font's own `ToUnicode` map and the names of its glyphs come first. Chinese, Japanese and
//! Korean fonts often have neither; their characters are then found by their numbers in the
//! collection they were made for. If nothing helps, a code stands for itself: often that is the
//! character, and if it is not, copies of a document are still alike.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use encoding_rs::WINDOWS_1252;
use hayro_cmap::{BfString, CMap, CMapName, CidFamily};
use hayro_font::{CMapResolverFn, Font, FontCache, FontGlyph, FontQuery, FontResolverFn, StandardFont};
use hayro_syntax::object::{self, Array, Dict, Name, Object, Rect, Stream};

use super::glyph::Style;
use super::lenient::Lenient;
use super::stream;

/// The most codes in all ranges of widths together; no font has as many.
const MOST_CODES: i64 = 200_000;
/// A longer map from codes to characters is not read.
const LONGEST_MAP: u64 = 16 << 20;
/// A larger font is not loaded.
const LARGEST_PROGRAM: u64 = 64 << 20;

pub struct Fonts<'a> {
    cache: FontCache<'a>,
    font_resolver: FontResolverFn,
    cmap_resolver: CMapResolverFn,
    /// By the address of the dictionary's bytes, which is unique and cheap.
    faces: HashMap<usize, Rc<Face<'a>>>,
}

pub struct Face<'a> {
    font: Option<Font<'a>>,
    collection: Option<Collection>,
    unexplained: Unexplained,
    /// The factor from the font's size to the height of its text.
    pub height: f64,
    pub style: Style,
    pub is_vertical: bool,
    seen: RefCell<HashMap<u32, Rc<Character>>>,
}

/// A character that one code of a string shows.
pub struct Character {
    /// Empty if it is not known.
    pub text: Rc<str>,
    /// As a multiple of the font's height.
    pub advance: f64,
    /// Whether word spacing applies to the code.
    pub is_space_code: bool,
    /// Whether the two-byte code is used as the character's number without any evidence: then it is
    /// probably the number of a glyph in this font.
    pub is_guess: bool,
}

/// How to interpret a code that neither the font nor its collection explains.
enum Unexplained {
    Nothing,
    Itself,
    /// As a character of Windows' Western code page, the usual choice for fonts that name no other.
    Western,
    /// By the broken map.
    Broken(Lenient),
}

/// Maps codes to characters by way of the numbers of a collection.
struct Collection {
    encoding: CMap,
    unicode: CMap,
}

impl<'a> Fonts<'a> {
    pub fn new() -> Self {
        Fonts {
            cache: FontCache::new(),
            font_resolver: Arc::new(|query| {
                Some(match query {
                    FontQuery::Standard(font) => font.get_font_data(),
                    FontQuery::Fallback(query) => query.pick_standard_font().get_font_data(),
                })
            }),
            cmap_resolver: Arc::new(hayro_cmap::load_embedded),
            faces: HashMap::new(),
        }
    }

    pub fn face(&mut self, dictionary: &Dict<'a>) -> Rc<Face<'a>> {
        let key = dictionary.data().as_ptr() as usize;
        if let Some(face) = self.faces.get(&key) {
            return Rc::clone(face);
        }
        let face = Rc::new(self.load(dictionary));
        self.faces.insert(key, Rc::clone(&face));
        face
    }

    fn load(&self, dictionary: &Dict<'a>) -> Face<'a> {
        let font = if has_sane_widths(dictionary) && has_sane_streams(dictionary) {
            self.cache.font(dictionary, &self.font_resolver, &self.cmap_resolver)
        } else {
            None
        };
        let name = dictionary.get::<Name<'_>>("BaseFont").map(|name| name.as_str().to_lowercase());
        let has = |part: &str| name.as_ref().is_some_and(|name| name.contains(part));
        let is_vertical = font.as_ref().is_some_and(|font| !font.is_horizontal());
        Face {
            font: font.or_else(|| self.cache.standard_font(StandardFont::Helvetica, &self.font_resolver)),
            collection: Collection::of(dictionary, &self.cmap_resolver),
            style: Style { bold: has("bold") || has("black"), italic: has("italic") || has("oblique") },
            unexplained: Unexplained::of(dictionary, &self.cmap_resolver),
            height: height(dictionary),
            is_vertical,
            seen: RefCell::default(),
        }
    }
}

impl Face<'_> {
    /// The characters of a shown string, in turn.
    pub fn each(&self, bytes: &[u8], mut show: impl FnMut(&Character)) {
        let Some(font) = &self.font else { return };
        let mut at = 0;
        while at < bytes.len() {
            let (code, length) = font.read_code(bytes, at);
            let length = length.max(1);
            at += length;
            // Codes of different lengths are different codes.
            let key = code ^ (length as u32) << 29;
            let known = self.seen.borrow().get(&key).map(Rc::clone);
            let character = known.unwrap_or_else(|| {
                let character = Rc::new(self.look_up(font, code, length));
                self.seen.borrow_mut().insert(key, Rc::clone(&character));
                character
            });
            show(&character);
        }
    }

    fn explained(&self, font: &Font<'_>, code: u32, length: usize) -> Option<BfString> {
        if matches!(self.unexplained, Unexplained::Western) {
            return None;
        }
        let known = match font.glyph(font.map_code(code), code) {
            FontGlyph::Outline(glyph) => glyph.as_unicode(),
            FontGlyph::Type3(glyph) => glyph.as_unicode(),
        };
        let known = known.filter(|text| *text != BfString::Char('\0'));
        known.or_else(|| self.collection.as_ref()?.character(code, length as u8))
    }

    fn look_up(&self, font: &Font<'_>, code: u32, length: usize) -> Character {
        let explained = self.explained(font, code, length);
        let is_guess = explained.is_none()
            && length > 1
            && matches!(self.unexplained, Unexplained::Itself)
            && !char::from_u32(code).is_some_and(is_likely_letter);
        let text: Rc<str> = match explained {
            Some(BfString::Char(character)) => spelled(character.encode_utf8(&mut [0; 4])),
            Some(BfString::String(text)) => spelled(&text),
            None => spelled(&self.unexplained.text(code)),
        };
        let advance = font.code_advance(code);
        let advance = if self.is_vertical { advance.y } else { advance.x } / 1000.0;
        Character {
            text,
            advance: if advance.is_finite() { advance } else { 0.0 },
            is_space_code: code == 32 && length == 1,
            is_guess,
        }
    }
}

impl Unexplained {
    fn of(dictionary: &Dict<'_>, resolver: &CMapResolverFn) -> Self {
        let is_named = dictionary.contains_key("Encoding");
        let is_windows =
            dictionary.get::<Name<'_>>("Subtype").is_some_and(|kind| kind.as_str() == "TrueType");
        let otherwise = if is_windows && !is_named { Unexplained::Western } else { Unexplained::Itself };
        let Some(map) = dictionary.get::<Stream<'_>>("ToUnicode") else { return otherwise };
        let map = stream::unpacked(&map, LONGEST_MAP).unwrap_or_default();
        if memchr::memmem::find(&map, b"beginbf").is_none() {
            return otherwise;
        }
        let resolver = Arc::clone(resolver);
        match CMap::parse(&map, move |name| resolver(name)) {
            Some(_) => Unexplained::Nothing,
            None => Unexplained::Broken(Lenient::parse(&map)),
        }
    }

    fn text(&self, code: u32) -> String {
        match self {
            Unexplained::Nothing => String::new(),
            Unexplained::Itself => char::from_u32(code).map(String::from).unwrap_or_default(),
            Unexplained::Western => {
                let byte = [u8::try_from(code).unwrap_or(b' ')];
                WINDOWS_1252.decode_without_bom_handling(&byte).0.into_owned()
            }
            Unexplained::Broken(map) => map.character(code).unwrap_or_default(),
        }
    }
}

/// Whether a code is likely to be a character's number, not that of a glyph: small letters and East Asian
/// characters. Numbers of glyphs begin at 1, so they look like capitals, signs and rare letters.
fn is_likely_letter(character: char) -> bool {
    matches!(character, 'a'..='z' | 'ß'..='ſ' | 'α'..='ώ' | 'а'..='џ' | '\u{3040}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}')
}

/// The characters without controls, and with ligatures replaced by their letters.
fn spelled(characters: &str) -> Rc<str> {
    let mut text = String::new();
    for character in characters.chars() {
        match character {
            '\u{fb00}' => text.push_str("ff"),
            '\u{fb01}' => text.push_str("fi"),
            '\u{fb02}' => text.push_str("fl"),
            '\u{fb03}' => text.push_str("ffi"),
            '\u{fb04}' => text.push_str("ffl"),
            '\u{fb05}' | '\u{fb06}' => text.push_str("st"),
            '\t' | '\n' | '\r' => text.push(' '),
            other if other.is_control() => {}
            other => text.push(other),
        }
    }
    Rc::from(text)
}

impl Collection {
    fn of(dictionary: &Dict<'_>, resolver: &CMapResolverFn) -> Option<Self> {
        let descendant = descendant(dictionary)?;
        let encoding = encoding(dictionary, resolver)?;
        let named = encoding.metadata().character_collection.as_ref().map(|found| found.family.clone());
        let family = named.filter(|family| family.ucs2_cmap().is_some()).or_else(|| {
            let info = descendant.get::<Dict<'_>>("CIDSystemInfo")?;
            let registry = info.get::<object::String<'_>>("Registry")?;
            let ordering = info.get::<object::String<'_>>("Ordering")?;
            Some(CidFamily::from_registry_ordering(registry.as_bytes(), ordering.as_bytes()))
        })?;
        let data = resolver(family.ucs2_cmap()?)?;
        let resolver = Arc::clone(resolver);
        Some(Collection { encoding, unicode: CMap::parse(data, move |name| resolver(name))? })
    }

    fn character(&self, code: u32, length: u8) -> Option<BfString> {
        self.unicode.lookup_bf_string(self.encoding.lookup_cid_code(code, length)?)
    }
}

fn encoding(dictionary: &Dict<'_>, resolver: &CMapResolverFn) -> Option<CMap> {
    let resolver = Arc::clone(resolver);
    match dictionary.get::<Object<'_>>("Encoding")? {
        Object::Name(name) => match CMapName::from_bytes(&name) {
            CMapName::IdentityH => Some(CMap::identity_h()),
            CMapName::IdentityV => Some(CMap::identity_v()),
            name => CMap::parse(resolver(name)?, move |name| resolver(name)),
        },
        Object::Stream(stream) => CMap::parse(&stream.decoded_data().ok()?, move |name| resolver(name)),
        _ => None,
    }
}

/// Fonts drawn by the document itself choose their own unit; their bounding box shows how high the
/// text is.
fn height(dictionary: &Dict<'_>) -> f64 {
    if dictionary.get::<Name<'_>>("Subtype").is_none_or(|kind| kind.as_str() != "Type3") {
        return 1.0;
    }
    let matrix = dictionary.get::<[f64; 6]>("FontMatrix").unwrap_or([0.001, 0.0, 0.0, 0.001, 0.0, 0.0]);
    let bounds = dictionary.get::<Rect>("FontBBox").map_or(0.0, |bounds| bounds.y1 - bounds.y0);
    let height = (bounds * matrix[3]).abs();
    if height.is_finite() && height > 1e-4 { height } else { 1.0 }
}

/// Fonts and maps that decompress to huge sizes would use up all memory.
fn has_sane_streams(dictionary: &Dict<'_>) -> bool {
    let is_sane = |holder: &Dict<'_>, key: &str, most: u64| {
        holder.get::<Stream<'_>>(key).is_none_or(|stream| !stream::is_bomb(&stream, most))
    };
    let holder = descendant(dictionary).unwrap_or_else(|| dictionary.clone());
    let descriptor = holder.get::<Dict<'_>>("FontDescriptor").unwrap_or_default();
    is_sane(dictionary, "ToUnicode", LONGEST_MAP)
        && is_sane(dictionary, "Encoding", LONGEST_MAP)
        && is_sane(&holder, "CIDToGIDMap", LONGEST_MAP)
        && ["FontFile", "FontFile2", "FontFile3"].iter().all(|key| is_sane(&descriptor, key, LARGEST_PROGRAM))
}

/// The font that has the glyphs, of a composite font.
fn descendant<'a>(dictionary: &Dict<'a>) -> Option<Dict<'a>> {
    dictionary.get::<Array<'_>>("DescendantFonts")?.iter::<Dict<'_>>().next()
}

/// Ranges of codes are expanded when a font is loaded, so absurd ones would use up all memory.
fn has_sane_widths(dictionary: &Dict<'_>) -> bool {
    if dictionary.get::<i64>("FirstChar").is_some_and(|first| !(0..=255).contains(&first)) {
        return false;
    }
    let Some(descendant) = descendant(dictionary) else { return true };
    // A range is `first last width`, or `first last` and three numbers in the vertical case.
    [("W", 3), ("W2", 5)].iter().all(|&(key, length)| {
        let Some(widths) = descendant.get::<Array<'_>>(key) else { return true };
        let mut range: Vec<i64> = Vec::new();
        let mut codes = 0_i64;
        widths.iter::<Object<'_>>().all(|item| {
            match item.into_number() {
                Some(number) => range.push(number.as_i64()),
                None => range.clear(),
            }
            if range.len() == length {
                codes = codes.saturating_add(range[1].saturating_sub(range[0]).max(0));
                range.clear();
            }
            codes <= MOST_CODES
        })
    })
}
