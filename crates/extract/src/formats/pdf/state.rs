//! The state while a page's instructions are executed: matrices, font, spacing, marked stretches.

use std::rc::Rc;

use super::font::{Character, Face};
use super::glyph::{Glyph, Matrix, angle_of};

#[derive(Clone)]
pub struct State<'a> {
    matrix: Matrix,
    pub text: Text<'a>,
}

#[derive(Clone)]
pub struct Text<'a> {
    pub font: Option<Rc<Face<'a>>>,
    pub size: f64,
    pub character_space: f64,
    pub word_space: f64,
    pub stretch: f64,
    pub leading: f64,
    pub rise: f64,
    matrix: Matrix,
    line: Matrix,
}

/// A marked stretch of the instructions.
#[derive(Default)]
pub struct Marked {
    /// Whether it belongs to a hidden layer.
    pub hides: bool,
    /// The text that replaces whatever is drawn in it, and where that was drawn.
    actual: Option<String>,
    drawn: Option<Glyph>,
}

impl<'a> State<'a> {
    pub fn new(matrix: Matrix) -> Self {
        State {
            matrix,
            text: Text {
                font: None,
                size: 0.0,
                character_space: 0.0,
                word_space: 0.0,
                stretch: 1.0,
                leading: 0.0,
                rise: 0.0,
                matrix: Matrix::IDENTITY,
                line: Matrix::IDENTITY,
            },
        }
    }

    pub fn transform(&mut self, by: &Matrix) {
        self.matrix = by.then(&self.matrix);
    }

    /// The character as a glyph at the current position; `None` if it cannot be visible.
    pub fn glyph(&self, character: &Character, face: &Face<'_>) -> Option<Glyph> {
        let text = &self.text;
        let size = Matrix([text.size * text.stretch, 0.0, 0.0, text.size, 0.0, text.rise]);
        let onto = size.then(&text.matrix).then(&self.matrix);
        if !onto.is_finite() {
            return None;
        }
        let [a, b, c, d, x, y] = onto.0;
        let (along, across) = (a.hypot(b), c.hypot(d));
        let (direction, length) = if face.is_vertical { ((-c, -d), across) } else { ((a, b), along) };
        if across <= 0.0 && along <= 0.0 {
            return None;
        }
        Some(Glyph {
            text: Rc::clone(&character.text),
            x,
            y,
            width: (character.advance * length).abs(),
            size: face.height * if face.is_vertical { along } else { across },
            angle: angle_of(direction.0, direction.1),
            style: face.style,
            is_guess: character.is_guess,
        })
    }
}

impl Text<'_> {
    pub fn begin(&mut self) {
        self.set_matrix(Matrix::IDENTITY);
    }

    pub fn set_matrix(&mut self, matrix: Matrix) {
        (self.matrix, self.line) = (matrix, matrix);
    }

    pub fn move_line(&mut self, x: f64, y: f64) {
        self.set_matrix(Matrix::translation(x, y).then(&self.line));
    }

    pub fn next_line(&mut self) {
        self.move_line(0.0, -self.leading);
    }

    /// Moves back by thousandths of the font's size.
    pub fn shift(&mut self, thousandths: f64, is_vertical: bool) {
        self.forward(-thousandths / 1000.0 * self.size, is_vertical);
    }

    pub fn advance(&mut self, character: &Character, is_vertical: bool) {
        let word_space = if character.is_space_code { self.word_space } else { 0.0 };
        self.forward(character.advance * self.size + self.character_space + word_space, is_vertical);
    }

    fn forward(&mut self, by: f64, is_vertical: bool) {
        let by = if is_vertical {
            Matrix::translation(0.0, by)
        } else {
            Matrix::translation(by * self.stretch, 0.0)
        };
        self.matrix = by.then(&self.matrix);
    }
}

impl Marked {
    pub fn layer(is_shown: bool) -> Self {
        Marked { hides: !is_shown, ..Marked::default() }
    }

    pub fn actual(text: Option<String>) -> Self {
        Marked { actual: text, ..Marked::default() }
    }

    pub fn replaces(&self) -> bool {
        self.actual.is_some()
    }

    /// Adds a glyph that the actual text replaces.
    pub fn add_replaced(&mut self, glyph: Glyph) {
        match &mut self.drawn {
            None => self.drawn = Some(glyph),
            Some(first) => {
                let (sine, cosine) = f64::from(first.angle).to_radians().sin_cos();
                let reach = (glyph.x - first.x) * cosine + (glyph.y - first.y) * sine + glyph.width;
                first.width = first.width.max(reach);
            }
        }
    }

    /// The actual text as one glyph, if it replaces something drawn.
    pub fn finish(self) -> Option<Glyph> {
        Some(Glyph { text: Rc::from(self.actual?), is_guess: false, ..self.drawn? })
    }
}
