//! What a zip file is, by the names of its members and the first bytes of one of them.

use crate::budget::Budget;
use crate::kind::Kind;
use lookalike_core::reading::Limits;

use super::{Package, is_within};

/// How much of a member is read.
const MOST_BYTES: u64 = 64 << 10;

/// An office document, a book, or an archive; `None` for a file that is no zip file.
pub fn kind_of(bytes: &[u8]) -> Option<Kind> {
    let is_zip = bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06");
    is_zip.then(|| kind_of_zip(bytes))
}

fn kind_of_zip(bytes: &[u8]) -> Kind {
    let Ok(mut package) = Package::open(bytes) else { return Kind::Zip };
    let names = package.names();
    let has = |wanted: &str| names.iter().any(|name| super::is_same_name(name, wanted));
    let has_folder = |folder: &str| names.iter().any(|name| is_within(name, folder));
    if let Some(kind) = by_media_type(read_start(&mut package, "mimetype").trim()) {
        return kind;
    }
    if has("word/document.xml") {
        return Kind::Docx;
    }
    if has("[Content_Types].xml") {
        if has("ppt/presentation.xml") {
            return Kind::Pptx;
        }
        if has("xl/workbook.xml") || has("xl/workbook.bin") {
            return Kind::Xlsx;
        }
        // A main part may have any name: the list of types says which one it is.
        let types = read_start(&mut package, "[Content_Types].xml");
        for (folder, in_type, kind) in [
            ("word/", "wordprocessingml.", Kind::Docx),
            ("ppt/", "presentationml.", Kind::Pptx),
            ("xl/", "spreadsheetml.", Kind::Xlsx),
        ] {
            if types.contains(in_type) && (has_folder(folder) || types.contains("main+xml")) {
                return kind;
            }
        }
        // A truncated file may have lost the list or the main part.
        return Kind::Zip;
    }
    if has("META-INF/container.xml") {
        return Kind::Epub;
    }
    if has("content.xml") {
        let manifest = read_start(&mut package, "META-INF/manifest.xml");
        let content = read_start(&mut package, "content.xml");
        for (in_manifest, in_content, kind) in [
            ("opendocument.text", "<office:text", Kind::Odt),
            ("opendocument.spreadsheet", "<office:spreadsheet", Kind::Ods),
            ("opendocument.presentation", "<office:presentation", Kind::Odp),
            ("opendocument.graphics", "<office:drawing", Kind::Odp),
        ] {
            if manifest.contains(in_manifest) || content.contains(in_content) {
                return kind;
            }
        }
    }
    Kind::Zip
}

fn by_media_type(media_type: &str) -> Option<Kind> {
    if media_type.starts_with("application/epub+zip") {
        return Some(Kind::Epub);
    }
    let family = media_type
        .strip_prefix("application/vnd.oasis.opendocument.")
        .or_else(|| media_type.strip_prefix("application/vnd.sun.xml."))?;
    [
        ("text", Kind::Odt),
        ("writer", Kind::Odt),
        ("spreadsheet", Kind::Ods),
        ("calc", Kind::Ods),
        ("presentation", Kind::Odp),
        ("impress", Kind::Odp),
        ("graphics", Kind::Odp),
        ("draw", Kind::Odp),
    ]
    .into_iter()
    .find_map(|(start, kind)| family.starts_with(start).then_some(kind))
}

/// The beginning of a member as text; empty if it cannot be read.
fn read_start(package: &mut Package<'_>, name: &str) -> String {
    let mut budget = Budget::new(&Limits::default(), MOST_BYTES);
    let bytes = package.read_up_to(name, MOST_BYTES, &mut budget);
    String::from_utf8_lossy(&bytes.ok().flatten().unwrap_or_default()).into_owned()
}

#[cfg(test)]
mod tests {
    use super::super::build::zip_of;
    use super::*;

    #[test]
    fn kinds_by_members() {
        let odt = "application/vnd.oasis.opendocument.text-template";
        let manifest = "<m:file-entry m:media-type='application/vnd.oasis.opendocument.presentation'/>";
        let main = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml";
        for (members, kind) in [
            (&[("a.txt", "a"), ("word/notes.txt", "b")][..], Kind::Zip),
            (&[("WORD/document.xml", "a")], Kind::Docx),
            (&[("[Content_Types].xml", main), ("word/doc2.xml", "")], Kind::Docx),
            (&[("[Content_Types].xml", ""), ("ppt/presentation.xml", "")], Kind::Pptx),
            (&[("[Content_Types].xml", ""), ("xl\\workbook.xml", "")], Kind::Xlsx),
            (&[("[Content_Types].xml", ""), ("FixedDocSeq.fdseq", "")], Kind::Zip),
            (&[("mimetype", odt), ("content.xml", "")], Kind::Odt),
            (&[("mimetype", "application/vnd.sun.xml.calc")], Kind::Ods),
            (&[("mimetype", "application/epub+zip\n"), ("content.xml", "")], Kind::Epub),
            (&[("content.xml", ""), ("META-INF/manifest.xml", manifest)], Kind::Odp),
            (&[("content.xml", "<o><office:spreadsheet>")], Kind::Ods),
            (&[("META-INF/container.xml", "")], Kind::Epub),
        ] {
            assert_eq!(kind_of_zip(&zip_of(members)), kind, "{members:?}");
        }
        assert_eq!(kind_of_zip(b"PK\x03\x04 no zip"), Kind::Zip);
    }

    #[test]
    fn a_file_without_its_end_is_still_told() {
        let bytes = zip_of(&[("[Content_Types].xml", ""), ("word/document.xml", "<w:p/>"), ("z", "z")]);
        assert_eq!(kind_of_zip(&bytes[..bytes.len() - 40]), Kind::Docx);
    }
}
