//! From the bytes of a shown string to characters and widths.
//!
//! The font's own `ToUnicode` map and the names of its glyphs come first. Chinese, Japanese and
//! Korean fonts often have neither; their characters are then found by their numbers in the
//! collection they were made for.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use hayro_cmap::{BfString, CMap, CMapName, CidFamily};
use hayro_font::{CMapResolverFn, Font, FontCache, FontGlyph, FontQuery, FontResolverFn, StandardFont};
use hayro_syntax::object::{self, Array, Dict, Name, Object};

use super::glyph::Style;

/// The highest character number in any collection or font.
const HIGHEST_CID: u32 = 0xFFFF;

pub struct Fonts<'a> {
    cache: FontCache<'a>,
    font_resolver: FontResolverFn,
    cmap_resolver: CMapResolverFn,
    /// By where the dictionary's bytes are, which is unique and cheap.
    faces: HashMap<usize, Rc<Face<'a>>>,
}

pub struct Face<'a> {
    font: Option<Font<'a>>,
    collection: Option<Collection>,
    pub style: Style,
    pub is_vertical: bool,
    seen: RefCell<HashMap<u32, Rc<Character>>>,
}

/// What one code of a string shows.
pub struct Character {
    /// Empty if nobody knows.
    pub text: Rc<str>,
    /// In parts of the font's height.
    pub advance: f64,
    /// The code that word spacing applies to.
    pub is_space_code: bool,
}

/// From codes over the numbers of a collection to characters.
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
        let font = if has_sane_widths(dictionary) {
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

    fn look_up(&self, font: &Font<'_>, code: u32, length: usize) -> Character {
        let known = match font.glyph(font.map_code(code), code) {
            FontGlyph::Outline(glyph) => glyph.as_unicode(),
            FontGlyph::Type3(glyph) => glyph.as_unicode(),
        };
        let known = known.filter(|text| *text != BfString::Char('\0'));
        let text = known.or_else(|| self.collection.as_ref()?.character(code, length as u8));
        let text: Rc<str> = match text {
            Some(BfString::Char(character)) => Rc::from(character.to_string()),
            Some(BfString::String(text)) => Rc::from(text),
            None => Rc::from(""),
        };
        let advance = font.code_advance(code);
        let advance = if self.is_vertical { advance.y } else { advance.x } / 1000.0;
        Character {
            text,
            advance: if advance.is_finite() { advance } else { 0.0 },
            is_space_code: code == 32 && length == 1,
        }
    }
}

impl Collection {
    fn of(dictionary: &Dict<'_>, resolver: &CMapResolverFn) -> Option<Self> {
        let descendant = dictionary.get::<Array<'_>>("DescendantFonts")?.iter::<Dict<'_>>().next()?;
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

/// Ranges of codes are spelled out when a font is loaded, so absurd ones would cost all memory.
fn has_sane_widths(dictionary: &Dict<'_>) -> bool {
    if dictionary.get::<i64>("FirstChar").is_some_and(|first| !(0..=255).contains(&first)) {
        return false;
    }
    let descendant = dictionary
        .get::<Array<'_>>("DescendantFonts")
        .and_then(|descendants| descendants.iter::<Dict<'_>>().next());
    let Some(descendant) = descendant else { return true };
    ["W", "W2"].iter().all(|key| {
        let Some(widths) = descendant.get::<Array<'_>>(key) else { return true };
        let mut total = 0_i64;
        let mut last = None;
        for item in widths.iter::<Object<'_>>() {
            let number = item.into_number().map(|number| number.as_i64());
            if let (Some(first), Some(second)) = (last, number) {
                if first <= i64::from(HIGHEST_CID) && second > i64::from(HIGHEST_CID) {
                    return false;
                }
            }
            total += 1;
            last = number;
        }
        total < 1 << 20
    })
}
