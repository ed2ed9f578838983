//! What is on a page besides its content: links, filled-in forms, notes.

use std::collections::BTreeSet;
use std::rc::Rc;

use hayro_syntax::object::{self, Array, Dict, Name, Rect, Stream};
use hayro_syntax::page::Page;

use super::about::text_string;
use super::glyph::{Glyph, Matrix, Style};

/// The most annotations of one page that are read.
const MOST_ON_A_PAGE: usize = 10_000;
/// Bits of an annotation's flags: hidden, not shown on a screen.
const HIDDEN: i32 = 2;
const NO_VIEW: i32 = 32;

/// Adds the targets of the page's links.
pub fn links(page: &Page<'_>, links: &mut BTreeSet<String>) {
    for annotation in all(page) {
        let Some(action) = annotation.get::<Dict<'_>>("A") else { continue };
        let Some(address) = action.get::<object::String<'_>>("URI") else { continue };
        let address = String::from_utf8_lossy(address.as_bytes());
        let address = address.split('#').next().unwrap_or_default().trim();
        if !address.is_empty() && address.len() < 4096 {
            links.insert(address.to_owned());
        }
    }
}

/// The appearances of the page's annotations, each with the matrix that places it on the page.
pub fn appearances<'a>(page: &Page<'a>, are_stale: bool) -> Vec<(Stream<'a>, Matrix)> {
    let own = all(page).filter(|annotation| !is_text_to_write(annotation, are_stale));
    own.filter_map(|annotation| appearance(&annotation)).collect()
}

/// Whether the document says that the appearance of filled-in forms is out of date.
pub fn are_stale(catalog: &Dict<'_>) -> bool {
    let forms = catalog.get::<Dict<'_>>("AcroForm");
    forms.and_then(|forms| forms.get::<bool>("NeedAppearances")).unwrap_or(false)
}

/// The text of annotations without an appearance of their own, which the viewer has to draw.
pub fn written(page: &Page<'_>, are_stale: bool) -> Vec<Glyph> {
    /// The size and width that a viewer would choose do not matter, only the order of the lines.
    const SIZE: f64 = 10.0;
    let mut glyphs = Vec::new();
    for annotation in all(page).filter(|annotation| is_text_to_write(annotation, are_stale)) {
        let (Some(text), Some(place)) = (text_of(&annotation), annotation.get::<Rect>("Rect")) else {
            continue;
        };
        for (index, line) in text.lines().take(MOST_ON_A_PAGE).enumerate() {
            glyphs.push(Glyph {
                text: Rc::from(line),
                x: place.x0.min(place.x1),
                y: place.y0.max(place.y1) - SIZE * (index as f64 + 1.0),
                width: SIZE * 0.5 * line.len() as f64,
                size: SIZE,
                angle: 0,
                style: Style::default(),
                is_guess: false,
            });
        }
    }
    glyphs
}

/// Whether the annotation is a text without an appearance of its own, or with an outdated one.
fn is_text_to_write(annotation: &Dict<'_>, are_stale: bool) -> bool {
    let is_stale = are_stale && is_kind(annotation, "Widget");
    is_shown(annotation)
        && (is_stale || appearance_stream(annotation).is_none())
        && text_of(annotation).is_some()
}

/// The text of the annotation, or of the form field that it shows.
fn text_of(annotation: &Dict<'_>) -> Option<String> {
    let text = if is_kind(annotation, "FreeText") {
        annotation.get::<object::String<'_>>("Contents")?
    } else if is_kind(annotation, "Widget") {
        let own = annotation.get::<object::String<'_>>("V");
        own.or_else(|| annotation.get::<Dict<'_>>("Parent")?.get::<object::String<'_>>("V"))?
    } else {
        return None;
    };
    Some(text_string(text.as_bytes()))
}

fn is_kind(annotation: &Dict<'_>, kind: &str) -> bool {
    annotation.get::<Name<'_>>("Subtype").is_some_and(|own| own.as_str() == kind)
}

fn is_shown(annotation: &Dict<'_>) -> bool {
    let flags = annotation.get::<i32>("F").unwrap_or(0);
    flags & (HIDDEN | NO_VIEW) == 0 && !is_kind(annotation, "Popup")
}

/// The stream that draws the annotation.
fn appearance_stream<'a>(annotation: &Dict<'a>) -> Option<Stream<'a>> {
    let appearances = annotation.get::<Dict<'a>>("AP")?;
    appearances.get::<Stream<'a>>("N").or_else(|| {
        let states = appearances.get::<Dict<'a>>("N")?;
        states.get::<Stream<'a>>(annotation.get::<Name<'_>>("AS")?)
    })
}

fn all<'a>(page: &Page<'a>) -> impl Iterator<Item = Dict<'a>> {
    let annotations = page.raw().get::<Array<'a>>("Annots").unwrap_or_default();
    annotations.iter::<Dict<'a>>().take(MOST_ON_A_PAGE)
}

fn appearance<'a>(annotation: &Dict<'a>) -> Option<(Stream<'a>, Matrix)> {
    let stream = appearance_stream(annotation).filter(|_| is_shown(annotation))?;
    let place = annotation.get::<Rect>("Rect")?;
    let form = Matrix(stream.dict().get::<[f64; 6]>("Matrix").unwrap_or(Matrix::IDENTITY.0));
    let bounds = stream.dict().get::<Rect>("BBox").unwrap_or(place);
    let corners =
        [(bounds.x0, bounds.y0), (bounds.x0, bounds.y1), (bounds.x1, bounds.y0), (bounds.x1, bounds.y1)];
    let corners = corners.map(|(x, y)| form.apply(x, y));
    let least = |pick: fn((f64, f64)) -> f64| corners.map(pick).into_iter().fold(f64::INFINITY, f64::min);
    let most = |pick: fn((f64, f64)) -> f64| corners.map(pick).into_iter().fold(f64::NEG_INFINITY, f64::max);
    let (left, bottom) = (least(|corner| corner.0), least(|corner| corner.1));
    let (right, top) = (most(|corner| corner.0), most(|corner| corner.1));
    let scale = |have: f64, want: f64| if have.abs() > 1e-6 { want / have } else { 1.0 };
    let (wide, high) = (scale(right - left, place.x1 - place.x0), scale(top - bottom, place.y1 - place.y0));
    let onto = Matrix([wide, 0.0, 0.0, high, place.x0 - left * wide, place.y0 - bottom * high]);
    onto.is_finite().then_some((stream, onto))
}
