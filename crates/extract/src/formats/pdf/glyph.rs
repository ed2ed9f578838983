//! A glyph on a page, and the matrices that place it there.

use std::rc::Rc;

/// `x' = a x + c y + e`, `y' = b x + d y + f`, as PDF writes it: `[a b c d e f]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Matrix(pub [f64; 6]);

impl Matrix {
    pub const IDENTITY: Matrix = Matrix([1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);

    pub fn translation(x: f64, y: f64) -> Self {
        Matrix([1.0, 0.0, 0.0, 1.0, x, y])
    }

    /// First this matrix, then the other.
    pub fn then(&self, other: &Matrix) -> Matrix {
        let [a, b, c, d, e, f] = self.0;
        let [p, q, r, s, t, u] = other.0;
        Matrix([
            a * p + b * r,
            a * q + b * s,
            c * p + d * r,
            c * q + d * s,
            e * p + f * r + t,
            e * q + f * s + u,
        ])
    }

    pub fn apply(&self, x: f64, y: f64) -> (f64, f64) {
        let [a, b, c, d, e, f] = self.0;
        (a * x + c * y + e, b * x + d * y + f)
    }

    pub fn is_finite(&self) -> bool {
        self.0.iter().all(|number| number.is_finite() && number.abs() < 1e9)
    }
}

/// A glyph at its place, in the page's own units (points, y upwards).
#[derive(Clone, Debug)]
pub struct Glyph {
    pub text: Rc<str>,
    pub x: f64,
    pub y: f64,
    /// Its extent in the direction of writing.
    pub width: f64,
    /// The height of the font.
    pub size: f64,
    /// The direction of writing in whole degrees, 0 to 359; 270 for vertical writing.
    pub angle: u16,
    pub style: Style,
    /// Whether it is unknown which character it is.
    pub is_guess: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    pub bold: bool,
    pub italic: bool,
}

/// The direction of a vector in whole degrees. Slightly tilted text (of a scan) counts as upright.
pub fn angle_of(x: f64, y: f64) -> u16 {
    let degrees = y.atan2(x).to_degrees().rem_euclid(360.0);
    let nearest = (degrees / 90.0).round() * 90.0;
    let settled = if (degrees - nearest).abs() <= 3.0 { nearest } else { degrees.round() };
    settled as u16 % 360
}
