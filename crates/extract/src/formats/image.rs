//! Images alone: a document without text, told by its looks.

use crate::dispatch::{File, Out};
use crate::document::Extracted;
use crate::reason::Reason;

pub fn read(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    if !out.options.images {
        return Err(Reason::Unsupported("an image, and images are not looked at".to_owned()));
    }
    let picture = out.picture(file.bytes).ok_or_else(|| {
        Reason::Damaged("an image that cannot be decoded, or is too large to be".to_owned())
    })?;
    let fields = [
        ("width", picture.width.to_string()),
        ("height", picture.height.to_string()),
        ("format", format_of(file.bytes).to_owned()),
    ];
    let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    out.document(Extracted { kind: file.kind, images: vec![picture], fields, ..Extracted::default() })
}

fn format_of(bytes: &[u8]) -> &'static str {
    match bytes {
        [0xff, 0xd8, ..] => "jpeg",
        [0x89, b'P', ..] => "png",
        [b'G', b'I', b'F', ..] => "gif",
        _ => "webp",
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use crate::{Kind, Options, Outcome, Reason, extract};

    fn read(bytes: &[u8], options: &Options) -> Outcome {
        let mut outcomes = Vec::new();
        extract(bytes, "", options, &mut |outcome| outcomes.push(outcome));
        outcomes.remove(0)
    }

    #[test]
    fn an_image_is_a_document_without_text() {
        let mut png = Cursor::new(Vec::new());
        image::GrayImage::new(30, 20).write_to(&mut png, image::ImageFormat::Png).unwrap();
        let png = png.into_inner();
        let Outcome::Document(document) = read(&png, &Options::default()) else { panic!() };
        assert_eq!((document.kind, document.text.as_str()), (Kind::Image, ""));
        assert_eq!((document.images[0].width, document.images[0].height), (30, 20));
        assert_eq!(document.images[0].look, None, "a blank image looks like nothing");
        assert_eq!(document.fields["format"], "png");
        let cut = read(&png[..20], &Options::default());
        assert!(matches!(cut, Outcome::Unreadable { reason: Reason::Damaged(_), .. }));
        let unwanted = read(&png, &Options { images: false, ..Options::default() });
        assert!(matches!(unwanted, Outcome::Unreadable { reason: Reason::Unsupported(_), .. }));
    }
}
