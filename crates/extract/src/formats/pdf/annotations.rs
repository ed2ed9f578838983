//! What lies on a page besides its content: links, filled-in forms, notes written on it.

use std::collections::BTreeSet;

use hayro_syntax::object::{self, Array, Dict, Name, Rect, Stream};
use hayro_syntax::page::Page;

use super::glyph::Matrix;

/// Annotations of one page beyond this are not looked at.
const MOST_ON_A_PAGE: usize = 10_000;
/// Bits of an annotation's flags: hidden, not shown on a screen.
const HIDDEN: i32 = 2;
const NO_VIEW: i32 = 32;

/// Adds where the page's links lead.
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

/// What the page's annotations look like, each with the matrix that puts it on the page.
pub fn appearances<'a>(page: &Page<'a>) -> Vec<(Stream<'a>, Matrix)> {
    all(page).filter_map(|annotation| appearance(&annotation)).collect()
}

fn all<'a>(page: &Page<'a>) -> impl Iterator<Item = Dict<'a>> {
    let annotations = page.raw().get::<Array<'a>>("Annots").unwrap_or_default();
    annotations.iter::<Dict<'a>>().take(MOST_ON_A_PAGE)
}

fn appearance<'a>(annotation: &Dict<'a>) -> Option<(Stream<'a>, Matrix)> {
    let flags = annotation.get::<i32>("F").unwrap_or(0);
    let kind = annotation.get::<Name<'_>>("Subtype");
    if flags & (HIDDEN | NO_VIEW) != 0 || kind.is_some_and(|kind| kind.as_str() == "Popup") {
        return None;
    }
    let normal = annotation.get::<Dict<'a>>("AP")?;
    let stream = normal.get::<Stream<'a>>("N").or_else(|| {
        let states = normal.get::<Dict<'a>>("N")?;
        states.get::<Stream<'a>>(annotation.get::<Name<'_>>("AS")?)
    })?;
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
