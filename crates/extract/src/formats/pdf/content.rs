//! Executes a page's drawing instructions as far as they place text and images.
//!
//! Paths, colours and clips are ignored, since they contain no text. Invisible text counts, since
//! that is how scanned pages store recognised text.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::rc::Rc;

use hayro_syntax::content::{Instruction, UntypedIter};
use hayro_syntax::object::{self, Array, Dict, Name, Object, ObjectIdentifier, Rect, Stream};
use hayro_syntax::page::{Page, Resources};

use super::about::text_string;
use super::annotations;
use super::font::{Face, Fonts};
use super::glyph::{Glyph, Matrix};
use super::layers::Layers;
use super::state::{Marked, State, Text};
use super::stream;

/// The most forms within forms. Real ones nest three or four deep.
const DEEPEST: usize = 12;
/// How many states may be saved and how many marked stretches open at once.
const MOST_SAVED: usize = 256;
const MOST_OPERATIONS: u64 = 30_000_000;
const MOST_FORMS: u64 = 50_000;
const MOST_GLYPHS_ON_A_PAGE: usize = 1_000_000;
const MOST_IMAGES: usize = 64;

pub struct Reader<'a> {
    /// Images that the pages show, each once, in the order of their first appearance.
    pub images: Vec<Stream<'a>>,
    known_images: BTreeSet<ObjectIdentifier>,
    fonts: Fonts<'a>,
    layers: Layers,
    are_forms_stale: bool,
    /// How many more operations are allowed in this document.
    operations: u64,
    forms: u64,
    bytes: u64,
    glyphs: Vec<Glyph>,
    sheet: Rect,
    /// Forms that are currently drawn, so that none draws itself.
    open_forms: Vec<ObjectIdentifier>,
}

impl<'a> Reader<'a> {
    /// `most_bytes` is how much may be unpacked in all.
    pub fn new(catalog: &Dict<'a>, most_bytes: u64) -> Self {
        Reader {
            images: Vec::new(),
            known_images: BTreeSet::new(),
            fonts: Fonts::new(),
            layers: Layers::new(catalog),
            are_forms_stale: annotations::are_stale(catalog),
            operations: MOST_OPERATIONS,
            forms: MOST_FORMS,
            bytes: most_bytes,
            glyphs: Vec::new(),
            sheet: Rect::new(0.0, 0.0, 0.0, 0.0),
            open_forms: Vec::new(),
        }
    }

    /// Whether a limit was reached, so that further pages would stay empty.
    pub fn is_exhausted(&self) -> bool {
        self.operations == 0 || self.forms == 0 || self.bytes == 0
    }

    /// The glyphs of a page and its annotations, in drawing order.
    pub fn page(&mut self, page: &Page<'a>) -> Vec<Glyph> {
        self.sheet = page.media_box();
        let mut contents = Vec::new();
        if let Some(stream) = page.raw().get::<Stream<'a>>("Contents") {
            contents.extend_from_slice(&self.unpacked(&stream));
        } else if let Some(streams) = page.raw().get::<Array<'a>>("Contents") {
            for stream in streams.iter::<Stream<'a>>() {
                contents.extend_from_slice(&self.unpacked(&stream));
                contents.push(b'\n');
            }
        }
        self.run(&contents, page.resources(), State::new(Matrix::IDENTITY));
        for (form, matrix) in annotations::appearances(page, self.are_forms_stale) {
            self.form(&form, page.resources(), State::new(matrix));
        }
        for glyph in annotations::written(page, self.are_forms_stale) {
            self.place(glyph, &mut []);
        }
        std::mem::take(&mut self.glyphs)
    }

    fn run(&mut self, contents: &[u8], resources: &Resources<'a>, first: State<'a>) {
        let mut state = first;
        let mut saved: Vec<State<'a>> = Vec::new();
        let mut marked: Vec<Marked> = Vec::new();
        let mut instructions = UntypedIter::new(contents);
        while let Some(instruction) = instructions.next() {
            if self.operations == 0 || self.glyphs.len() >= MOST_GLYPHS_ON_A_PAGE {
                return;
            }
            self.operations -= 1;
            let operator: &[u8] = instruction.operator;
            match operator {
                b"q" if saved.len() < MOST_SAVED => saved.push(state.clone()),
                b"Q" => state = saved.pop().unwrap_or(state),
                b"cm" => {
                    if let Some(numbers) = numbers(&instruction) {
                        state.transform(&Matrix(numbers));
                    }
                }
                b"Do" => self.draw(&instruction, resources, &state, &marked),
                b"BDC" => {
                    let opened = self.opened(&instruction, resources);
                    marked.push(opened);
                }
                b"BMC" => marked.push(Marked::default()),
                b"EMC" => {
                    if let Some(glyph) = marked.pop().and_then(Marked::finish) {
                        self.place(glyph, &mut marked);
                    }
                }
                b"gs" => self.graphics_state(&instruction, resources, &mut state.text),
                b"Tf" => self.font(&instruction, resources, &mut state.text),
                b"Tj" => self.strings(&instruction, &mut state, &mut marked),
                b"TJ" => self.strings(&instruction, &mut state, &mut marked),
                b"'" => {
                    state.text.next_line();
                    self.strings(&instruction, &mut state, &mut marked);
                }
                b"\"" => {
                    if let Some([word, character]) = numbers(&instruction) {
                        (state.text.word_space, state.text.character_space) = (word, character);
                    }
                    state.text.next_line();
                    self.strings(&instruction, &mut state, &mut marked);
                }
                _ => text_operator(operator, &instruction, &mut state.text),
            }
            if marked.len() > MOST_SAVED {
                marked.remove(0);
            }
        }
        // Stretches that were never closed end here.
        while let Some(open) = marked.pop() {
            if let Some(glyph) = open.finish() {
                self.place(glyph, &mut marked);
            }
        }
    }

    /// `Do`: executes a form, remembers an image.
    fn draw(
        &mut self,
        instruction: &Instruction<'_, '_>,
        resources: &Resources<'a>,
        state: &State<'a>,
        marked: &[Marked],
    ) {
        let Some(Object::Name(name)) = instruction.operands().last() else { return };
        let Some(drawn) = resources.get_x_object(name) else { return };
        if marked.iter().any(|marked| marked.hides) || !self.layers.shows(drawn.dict(), b"OC") {
            return;
        }
        let kind = drawn.dict().get::<Name<'_>>("Subtype");
        if kind.as_ref().is_some_and(|kind| kind.as_str() == "Image") {
            if self.images.len() < MOST_IMAGES && self.known_images.insert(drawn.obj_id()) {
                self.images.push(drawn);
            }
        } else if kind.is_some_and(|kind| kind.as_str() == "Form") {
            self.form(&drawn, resources, state.clone());
        }
    }

    fn form(&mut self, form: &Stream<'a>, outer: &Resources<'a>, mut state: State<'a>) {
        let id = form.obj_id();
        if self.forms == 0 || self.open_forms.len() >= DEEPEST || self.open_forms.contains(&id) {
            return;
        }
        self.forms -= 1;
        if let Some(matrix) = form.dict().get::<[f64; 6]>("Matrix") {
            state.transform(&Matrix(matrix));
        }
        state.text.begin();
        let own = form.dict().get::<Dict<'a>>("Resources").map(Resources::new);
        let contents = self.unpacked(form);
        self.open_forms.push(id);
        self.run(&contents, own.as_ref().unwrap_or(outer), state);
        self.open_forms.pop();
    }

    fn unpacked(&mut self, stream: &Stream<'a>) -> Cow<'a, [u8]> {
        if stream::is_bomb(stream, self.bytes) {
            self.bytes = 0;
            return Cow::default();
        }
        let contents = stream.decoded_data().unwrap_or_default();
        self.bytes = self.bytes.saturating_sub(contents.len() as u64);
        contents
    }

    fn opened(&self, instruction: &Instruction<'_, '_>, resources: &Resources<'a>) -> Marked {
        let mut operands = instruction.operands();
        let is_layer = matches!(operands.next(), Some(Object::Name(tag)) if tag.as_str() == "OC");
        let properties = match operands.next() {
            Some(Object::Dict(direct)) => Cow::Borrowed(direct),
            Some(Object::Name(name)) => {
                if is_layer {
                    return Marked::layer(self.layers.shows(&resources.properties, name));
                }
                Cow::Owned(resources.properties.get::<Dict<'_>>(name).unwrap_or_default())
            }
            _ => return Marked::default(),
        };
        let actual = properties.get::<object::String<'_>>("ActualText");
        Marked::actual(actual.map(|text| text_string(text.as_bytes())))
    }

    fn graphics_state(
        &mut self,
        instruction: &Instruction<'_, '_>,
        from: &Resources<'a>,
        text: &mut Text<'a>,
    ) {
        let Some(Object::Name(name)) = instruction.operands().last() else { return };
        let Some(font) = from.get_ext_g_state(name).and_then(|state| state.get::<Array<'a>>("Font")) else {
            return;
        };
        let mut items = font.iter::<Object<'a>>();
        if let (Some(Object::Dict(font)), Some(Object::Number(size))) = (items.next(), items.next()) {
            text.font = Some(self.fonts.face(&font));
            text.size = size.as_f64();
        }
    }

    fn font(&mut self, instruction: &Instruction<'_, '_>, from: &Resources<'a>, text: &mut Text<'a>) {
        for operand in instruction.operands() {
            match operand {
                Object::Name(name) => {
                    let font = from.get_font(name);
                    text.font = font.map(|font| self.fonts.face(&font));
                }
                Object::Number(size) => text.size = size.as_f64(),
                _ => {}
            }
        }
    }

    /// Shows the strings among the operands, with the shifts between them.
    fn strings(&mut self, instruction: &Instruction<'_, '_>, state: &mut State<'a>, marked: &mut [Marked]) {
        let Some(face) = state.text.font.clone() else { return };
        match instruction.operands().last() {
            Some(Object::String(string)) => self.show(string.as_bytes(), &face, state, marked),
            Some(Object::Array(items)) => {
                for item in items.iter::<Object<'_>>() {
                    match item {
                        Object::String(string) => self.show(string.as_bytes(), &face, state, marked),
                        Object::Number(shift) => state.text.shift(shift.as_f64(), face.is_vertical),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn show(&mut self, bytes: &[u8], face: &Rc<Face<'a>>, state: &mut State<'a>, marked: &mut [Marked]) {
        face.each(bytes, |character| {
            if let Some(glyph) = state.glyph(character, face) {
                self.place(glyph, marked);
            }
            state.text.advance(character, face.is_vertical);
        });
    }

    /// Keeps a glyph unless it is hidden, outside of the page, or replaced by other text.
    fn place(&mut self, glyph: Glyph, marked: &mut [Marked]) {
        let sheet = &self.sheet;
        let is_beside = |at: f64, one: f64, other: f64| {
            let (low, high) = (one.min(other), one.max(other));
            high - low > 1.0 && (at < low - glyph.size || at > high)
        };
        if marked.iter().any(|marked| marked.hides)
            || is_beside(glyph.x, sheet.x0, sheet.x1)
            || is_beside(glyph.y, sheet.y0, sheet.y1)
        {
            return;
        }
        match marked.iter_mut().find(|marked| marked.replaces()) {
            Some(marked) => marked.add_replaced(glyph),
            None if glyph.text.is_empty() => {}
            None => self.glyphs.push(glyph),
        }
    }
}

/// The operators that only set text parameters.
fn text_operator(operator: &[u8], instruction: &Instruction<'_, '_>, text: &mut Text<'_>) {
    match operator {
        b"BT" => text.begin(),
        b"T*" => text.next_line(),
        b"Td" | b"TD" => {
            if let Some([x, y]) = numbers(instruction) {
                if operator == b"TD" {
                    text.leading = -y;
                }
                text.move_line(x, y);
            }
        }
        b"Tm" => {
            if let Some(numbers) = numbers(instruction) {
                text.set_matrix(Matrix(numbers));
            }
        }
        b"Tc" | b"Tw" | b"Tz" | b"TL" | b"Ts" => {
            let Some([number]) = numbers(instruction) else { return };
            match operator {
                b"Tc" => text.character_space = number,
                b"Tw" => text.word_space = number,
                b"Tz" => text.stretch = number / 100.0,
                b"TL" => text.leading = number,
                _ => text.rise = number,
            }
        }
        _ => {}
    }
}

/// The first numbers among the operands.
fn numbers<const COUNT: usize>(instruction: &Instruction<'_, '_>) -> Option<[f64; COUNT]> {
    let mut found = [0.0; COUNT];
    let mut operands = instruction.operands().filter_map(|operand| match operand {
        Object::Number(number) => Some(number.as_f64()),
        _ => None,
    });
    for place in &mut found {
        *place = operands.next()?;
    }
    Some(found)
}
