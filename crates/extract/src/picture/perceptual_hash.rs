//! The perceptual hash: the image in 32 × 32 gray cells, their cosine transform, and which of its 8 × 8
//! lowest frequencies, without the constant one, are above their median (the method known as pHash).
//!
//! Low frequencies survive scaling and compression. Without the constant one brightness does not
//! matter, and with the median contrast does not matter.

use image::DynamicImage;

pub const SIDE: usize = 32;
const LOW: usize = 8;
/// Gray levels are counted in 256ths.
const LEVEL: u64 = 256;

/// Rows of gray levels.
pub type Cells = [[u32; SIDE]; SIDE];

/// Half of the frequencies must be stronger than this, in gray levels of the whole transform: the
/// noise of compression is about a tenth of it. Below it, noise would decide the bits.
const LEAST: i64 = 2;

/// cos(kπ/64) for k from 0 to 32, in 65536ths.
const COSINE: [i64; 33] = [
    65536, 65457, 65220, 64827, 64277, 63572, 62714, 61705, 60547, 59244, 57798, 56212, 54491, 52639, 50660,
    48559, 46341, 44011, 41576, 39040, 36410, 33692, 30893, 28020, 25080, 22078, 19024, 15924, 12785, 9616,
    6424, 3216, 0,
];

/// The hash, or `None` if the image has no structure. The bit of the constant frequency, which is
/// the highest, is never set.
pub fn of(cells: &Cells) -> Option<u64> {
    // Rows first, then columns; numbers stay below 2^58.
    let mut rows = [[0_i64; LOW]; SIDE];
    for (row, sums) in cells.iter().zip(&mut rows) {
        for (frequency, sum) in sums.iter_mut().enumerate() {
            *sum = row.iter().enumerate().map(|(x, level)| i64::from(*level) * cosine(frequency, x)).sum();
        }
    }
    let mut strengths = [0_i64; LOW * LOW];
    for (place, strength) in strengths.iter_mut().enumerate() {
        let (down, across) = (place / LOW, place % LOW);
        let sum: i64 = rows.iter().enumerate().map(|(y, sums)| sums[across] * cosine(down, y)).sum();
        // The transform's own scale gives constant directions 1/√2.
        *strength = if down == 0 || across == 0 { (sum >> 16) * COSINE[16] } else { sum };
    }
    let (_, alternating) = strengths.split_first()?;
    let median = median(alternating.to_vec())?;
    // The scale of the transform (16), of levels, and of two cosines.
    let least = LEAST * 16 * LEVEL as i64 * (1 << 32);
    if self::median(alternating.iter().map(|strength| strength.abs()).collect())? < least {
        return None;
    }
    Some(alternating.iter().fold(0, |hash, strength| (hash << 1) | u64::from(*strength > median)))
}

/// The image in gray cells: each the mean of the area it covers, on white where it is transparent.
pub fn cells(image: &DynamicImage) -> Option<Cells> {
    match image {
        DynamicImage::ImageLuma8(image) => reduce(image.width(), image.as_raw(), |[level]| u32::from(level)),
        DynamicImage::ImageRgb8(image) => reduce(image.width(), image.as_raw(), gray),
        DynamicImage::ImageRgba8(image) => reduce(image.width(), image.as_raw(), gray_on_white),
        other => {
            let image = other.to_rgba8();
            reduce(image.width(), image.as_raw(), gray_on_white)
        }
    }
}

fn gray([red, green, blue]: [u8; 3]) -> u32 {
    (77 * u32::from(red) + 150 * u32::from(green) + 29 * u32::from(blue)) >> 8
}

pub fn gray_on_white([red, green, blue, alpha]: [u8; 4]) -> u32 {
    let alpha = u32::from(alpha);
    (gray([red, green, blue]) * alpha + 255 * (255 - alpha)) / 255
}

/// Means of areas. A pixel across the edge of a cell counts for each by its share: lengths are in 32nds
/// of a pixel, so that every edge is at a whole number.
fn reduce<const N: usize>(width: u32, pixels: &[u8], gray: impl Fn([u8; N]) -> u32) -> Option<Cells> {
    let width = usize::try_from(width).ok().filter(|width| *width > 0)?;
    let (pixels, _) = pixels.as_chunks::<N>();
    let height = pixels.len() / width;
    if height == 0 {
        return None;
    }
    let columns = spans(width);
    let rows = spans(height);
    let mut sums = [[0_u64; SIDE]; SIDE];
    for (y, row) in pixels.chunks_exact(width).enumerate() {
        let line = columns.map(|span| {
            let Some(covered) = row.get(span.first..=span.last) else { return 0 };
            let whole: u32 = covered.iter().map(|pixel| gray(*pixel)).sum();
            let at = |pixel: Option<&[u8; N]>| pixel.map_or(0, |pixel| u64::from(gray(*pixel)));
            // All of them, minus the parts of the first and the last that are outside.
            u64::from(whole) * SIDE as u64
                - at(covered.first()) * span.before
                - at(covered.last()) * span.after
        });
        for (sums, span) in
            sums.iter_mut().zip(&rows).filter(|(_, span)| (span.first..=span.last).contains(&y))
        {
            let outside =
                if y == span.first { span.before } else { 0 } + if y == span.last { span.after } else { 0 };
            for (sum, level) in sums.iter_mut().zip(line) {
                *sum += level * (SIDE as u64 - outside);
            }
        }
    }
    let area = (width as u64).checked_mul(height as u64)?;
    Some(sums.map(|row| row.map(|sum| u32::try_from(sum * LEVEL / area).unwrap_or(u32::MAX))))
}

/// The pixels that a cell touches, and how much of the first and last lies outside of it.
#[derive(Clone, Copy)]
struct Span {
    first: usize,
    last: usize,
    before: u64,
    after: u64,
}

/// Where the cells are along this many pixels: a pixel is SIDE long, a cell `count`.
fn spans(count: usize) -> [Span; SIDE] {
    std::array::from_fn(|cell| {
        let (start, end) = (cell * count, (cell + 1) * count);
        let (first, last) = (start / SIDE, (end - 1) / SIDE);
        Span { first, last, before: (start - first * SIDE) as u64, after: ((last + 1) * SIDE - end) as u64 }
    })
}

/// cos((2x + 1)uπ / 64) in 65536ths.
fn cosine(frequency: usize, x: usize) -> i64 {
    match (2 * x + 1) * frequency % 128 {
        angle @ 0..=32 => COSINE[angle],
        angle @ 33..=64 => -COSINE[64 - angle],
        angle @ 65..=96 => -COSINE[angle - 64],
        angle => COSINE[128 - angle],
    }
}

fn median(mut numbers: Vec<i64>) -> Option<i64> {
    numbers.sort_unstable();
    numbers.get(numbers.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Waves without any symmetry.
    fn waves(width: u32, height: u32) -> image::GrayImage {
        image::GrayImage::from_fn(width, height, |x, y| {
            let (x, y) = (x * 256 / width, y * 256 / height);
            image::Luma([((x * x / 97 + y * y / 61 + x * y / 37) % 256) as u8])
        })
    }

    /// Computed independently of this program, by the definition.
    #[test]
    fn golden_hashes() {
        let hash = |image: image::GrayImage| of(&cells(&DynamicImage::ImageLuma8(image)).unwrap());
        assert_eq!(
            hash(waves(256, 256)).map(|hash| format!("{hash:016x}")).as_deref(),
            Some("0606060f0f3efcfc")
        );
        assert_eq!(
            hash(waves(100, 33)).map(|hash| format!("{hash:016x}")).as_deref(),
            Some("05040f0f1f3efc78")
        );
        assert_eq!(hash(waves(7, 5)).map(|hash| format!("{hash:016x}")).as_deref(), Some("1f0b10ab3d7bc254"));
    }

    #[test]
    fn cells_are_means_by_area() {
        let image = image::GrayImage::from_fn(3, 1, |x, _| image::Luma([(x * 100) as u8]));
        let cells = cells(&DynamicImage::ImageLuma8(image)).unwrap();
        assert!(cells.iter().all(|row| row == &cells[0]));
        assert_eq!(cells[0][..10], [0; 10]);
        // Two thirds are 0 and one is 100; later one third is 100 and two are 200.
        assert_eq!(cells[0][10], 100 * 256 / 3);
        assert_eq!(cells[0][11..21], [100 * 256; 10]);
        assert_eq!(cells[0][21], (100 + 2 * 200) * 256 / 3);
        assert_eq!(cells[0][22..], [200 * 256; 10]);
    }

    #[test]
    fn what_has_no_structure_has_no_hash() {
        let hash = |image: image::GrayImage| of(&cells(&DynamicImage::ImageLuma8(image)).unwrap());
        assert_eq!(hash(image::GrayImage::from_pixel(500, 300, image::Luma([77]))), None);
        assert_eq!(
            hash(image::GrayImage::from_fn(512, 100, |x, _| image::Luma([(x / 2) as u8]))),
            None,
            "gradient"
        );
        let speck =
            image::GrayImage::from_fn(640, 480, |x, y| image::Luma([if x == 5 && y == 7 { 0 } else { 255 }]));
        assert_eq!(hash(speck), None);
    }

    #[test]
    fn transparent_is_white() {
        let clear = image::RgbaImage::from_pixel(4, 4, image::Rgba([0, 0, 0, 0]));
        assert_eq!(cells(&DynamicImage::ImageRgba8(clear)).unwrap(), [[255 * 256; SIDE]; SIDE]);
    }
}
