use std::io::Cursor;

use crate::{ExtractOutcome, Extracted, Kind, Ocr, Options, Reason, extract};

fn read(bytes: &[u8], options: &Options) -> ExtractOutcome {
    let mut outcomes = Vec::new();
    extract(bytes, "", options, &mut |outcome| outcomes.push(outcome));
    outcomes.remove(0)
}

fn document(bytes: &[u8], options: &Options) -> Extracted {
    match read(bytes, options) {
        ExtractOutcome::Document(document) => *document,
        other => panic!("{other:?}"),
    }
}

fn written(image: &image::DynamicImage, format: image::ImageFormat) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    image.write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

#[test]
fn an_image_is_a_document_without_text() {
    let png = written(&image::GrayImage::new(30, 20).into(), image::ImageFormat::Png);
    let found = document(&png, &Options::default());
    assert_eq!((found.kind, found.text.as_str()), (Kind::Image, ""));
    assert_eq!((found.images[0].width, found.images[0].height), (30, 20));
    assert_eq!(found.images[0].perceptual_hash, None, "a blank image looks like nothing");
    assert_eq!(found.fields["format"], "png");
    let cut = read(&png[..20], &Options::default());
    assert!(matches!(cut, ExtractOutcome::Unreadable { reason: Reason::Damaged(_), .. }));
    let unwanted = read(&png, &Options { images: false, ..Options::default() });
    assert!(matches!(unwanted, ExtractOutcome::Unreadable { reason: Reason::Unsupported(_), .. }));
}

#[test]
fn one_picture_looks_the_same_in_all_formats() {
    let waves = image::RgbImage::from_fn(300, 200, |x, y| {
        let wave = |a: u32, b: u32| ((x * x / a + y * y / b + x * y / 37) % 256) as u8;
        image::Rgb([wave(97, 61), wave(91, 67), wave(89, 71)])
    });
    let image = image::DynamicImage::from(waves);
    let formats = [
        (image::ImageFormat::Png, "png"),
        (image::ImageFormat::Tiff, "tiff"),
        (image::ImageFormat::Bmp, "bmp"),
        (image::ImageFormat::Pnm, "pnm"),
    ];
    let hashes = formats.map(|(format, name)| {
        let bytes = written(&image, format);
        let found = document(&bytes, &Options::default());
        assert_eq!(found.fields["format"], name);
        for end in [20, 40, bytes.len() / 2] {
            read(&bytes[..end], &Options::default());
        }
        found.images[0].perceptual_hash.clone().unwrap()
    });
    assert!(hashes.iter().all(|hash| *hash == hashes[0]), "{hashes:?}");
    assert_eq!(Kind::detect(b"BMW makes cars and motorcycles in Munich.", ""), Kind::Text);
    assert_eq!(Kind::detect(b"P1 and P2 are places.", ""), Kind::Text);
}

#[test]
fn what_is_not_decoded_has_a_size_and_says_so() {
    let mut avif = b"\0\0\0\x1cftypavif\0\0\0\0mif1miafavif".to_vec();
    avif.extend(b"\0\0\0\x14ispe\0\0\0\0\0\0\0\x40\0\0\0\x30\0\0\0\x14ispe\0\0\0\0\0\0\x02\x80\0\0\x01\xe0");
    let found = document(&avif, &Options::default());
    assert_eq!((found.images[0].width, found.images[0].height), (640, 480));
    assert_eq!((found.images[0].perceptual_hash.as_ref(), found.fields["format"].as_str()), (None, "avif"));
    assert_eq!(found.doubts, ["AVIF is not decoded, so it is compared by its bytes alone"]);
    assert!(matches!(read(&avif[..30], &Options::default()), ExtractOutcome::Unreadable { .. }));
    assert_eq!(Kind::detect(b"\0\0\0\x18ftypisom\0\0\0\0isomiso2", ""), Kind::Unknown, "a film");
}

#[test]
fn text_is_read_only_where_asked_for_and_follows_its_certainty() {
    let page = include_bytes!("page.png");
    assert_eq!(document(page, &Options::default()).text, "");
    let asked = Options { ocr: Ocr::Tesseract, ..Options::default() };
    if std::process::Command::new("tesseract").arg("--version").output().is_err() {
        eprintln!("skipped: tesseract is not installed");
        return;
    }
    let found = document(page, &asked);
    let words: Vec<&str> = found.text.split_whitespace().collect();
    assert_eq!(words.join(" "), "Minutes of the meeting All members agreed to the plan.");
    assert!(found.confidence.value() > 0.7 && found.doubts[0].contains("certainty"), "{found:?}");
    let other = Options { ocr_languages: "xxx".to_owned(), ..asked };
    assert!(
        matches!(read(page, &other), ExtractOutcome::Unreadable { reason: Reason::Io(why), .. } if why.contains("xxx"))
    );
}
