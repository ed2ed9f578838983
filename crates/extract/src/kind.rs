//! What a file is, told by its content.
//!
//! The name is asked only where the content cannot tell: Markdown and plain text look alike.

use serde::{Deserialize, Serialize};

use crate::formats;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    #[default]
    Text,
    Markdown,
    Html,
    Xml,
    Pdf,
    Docx,
    Doc,
    Odt,
    Rtf,
    Pptx,
    /// OpenDocument presentation.
    Odp,
    Xlsx,
    /// Excel before 2007.
    Xls,
    /// OpenDocument spreadsheet.
    Ods,
    Epub,
    /// A message as RFC 822 has it (`.eml`).
    Mail,
    Mbox,
    /// An Outlook message.
    Msg,
    /// What Outlook sends as `winmail.dat`.
    Tnef,
    Nitf,
    /// TREC and TIPSTER collections.
    Trec,
    /// Reuters-21578.
    Reuters,
    Warc,
    Zip,
    Tar,
    Gzip,
    Zstd,
    Image,
    /// Anything else, which is not read.
    Unknown,
}

/// Kinds that people think of as one type of document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    Text,
    Web,
    Pdf,
    Word,
    Slides,
    Sheet,
    Book,
    Mail,
    News,
    Image,
    Other,
}

impl Kind {
    pub const ALL: [Kind; 29] = [
        Kind::Text,
        Kind::Markdown,
        Kind::Html,
        Kind::Xml,
        Kind::Pdf,
        Kind::Docx,
        Kind::Doc,
        Kind::Odt,
        Kind::Rtf,
        Kind::Pptx,
        Kind::Odp,
        Kind::Xlsx,
        Kind::Xls,
        Kind::Ods,
        Kind::Epub,
        Kind::Mail,
        Kind::Mbox,
        Kind::Msg,
        Kind::Tnef,
        Kind::Nitf,
        Kind::Trec,
        Kind::Reuters,
        Kind::Warc,
        Kind::Zip,
        Kind::Tar,
        Kind::Gzip,
        Kind::Zstd,
        Kind::Image,
        Kind::Unknown,
    ];

    /// The name in recipes, reports and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Text => "text",
            Kind::Markdown => "markdown",
            Kind::Html => "html",
            Kind::Xml => "xml",
            Kind::Pdf => "pdf",
            Kind::Docx => "docx",
            Kind::Doc => "doc",
            Kind::Odt => "odt",
            Kind::Rtf => "rtf",
            Kind::Pptx => "pptx",
            Kind::Odp => "odp",
            Kind::Xlsx => "xlsx",
            Kind::Xls => "xls",
            Kind::Ods => "ods",
            Kind::Epub => "epub",
            Kind::Mail => "mail",
            Kind::Mbox => "mbox",
            Kind::Msg => "msg",
            Kind::Tnef => "tnef",
            Kind::Nitf => "nitf",
            Kind::Trec => "trec",
            Kind::Reuters => "reuters",
            Kind::Warc => "warc",
            Kind::Zip => "zip",
            Kind::Tar => "tar",
            Kind::Gzip => "gzip",
            Kind::Zstd => "zstd",
            Kind::Image => "image",
            Kind::Unknown => "unknown",
        }
    }

    /// What is read of it, in a few words.
    pub fn summary(self) -> &'static str {
        match self {
            Kind::Text => "Plain text in any encoding",
            Kind::Markdown => "Markdown, with its front matter",
            Kind::Html => "Web pages: main content or all, metadata, links, images",
            Kind::Xml => "XML of any other kind: the text of all elements",
            Kind::Pdf => "PDF: text in reading order, links, images",
            Kind::Docx => "Word: text with notes and tables, headings, links, images",
            Kind::Doc => "Word before 2007, back to Word 6",
            Kind::Odt => "OpenDocument text",
            Kind::Rtf => "Rich Text Format",
            Kind::Pptx => "PowerPoint: slides with their notes",
            Kind::Odp => "OpenDocument presentation",
            Kind::Xlsx => "Excel: a line for each row",
            Kind::Xls => "Excel before 2007",
            Kind::Ods => "OpenDocument spreadsheet",
            Kind::Epub => "Books: the chapters in order",
            Kind::Mail => "Messages with their attachments",
            Kind::Mbox => "Mailboxes: each message",
            Kind::Msg => "Outlook messages with their attachments",
            Kind::Tnef => "winmail.dat as Outlook sends it",
            Kind::Nitf => "News articles in NITF",
            Kind::Trec => "TREC and TIPSTER collections: each record",
            Kind::Reuters => "Reuters-21578: each article",
            Kind::Warc => "Web archives: each page fetched with success",
            Kind::Zip => "Zip archives: every document inside",
            Kind::Tar => "Tar archives: every document inside",
            Kind::Gzip => "What is compressed with gzip",
            Kind::Zstd => "What is compressed with zstd",
            Kind::Image => "JPEG, PNG, GIF, WebP: what they look like",
            Kind::Unknown => "Anything else, which is not read",
        }
    }

    pub fn category(self) -> Category {
        match self {
            Kind::Text | Kind::Markdown => Category::Text,
            Kind::Html | Kind::Xml => Category::Web,
            Kind::Pdf => Category::Pdf,
            Kind::Docx | Kind::Doc | Kind::Odt | Kind::Rtf => Category::Word,
            Kind::Pptx | Kind::Odp => Category::Slides,
            Kind::Xlsx | Kind::Xls | Kind::Ods => Category::Sheet,
            Kind::Epub => Category::Book,
            Kind::Mail | Kind::Mbox | Kind::Msg | Kind::Tnef => Category::Mail,
            Kind::Nitf | Kind::Trec | Kind::Reuters => Category::News,
            Kind::Image => Category::Image,
            Kind::Warc | Kind::Zip | Kind::Tar | Kind::Gzip | Kind::Zstd | Kind::Unknown => Category::Other,
        }
    }

    /// Tells the kinds that can be read as they come, by a file's first 512 bytes.
    pub fn of_stream(head: &[u8]) -> Option<Kind> {
        match head {
            [b'W', b'A', b'R', b'C', b'/', ..] => Some(Kind::Warc),
            [0x1f, 0x8b, ..] => Some(Kind::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Kind::Zstd),
            _ => formats::archive::is_tar(head).then_some(Kind::Tar),
        }
    }

    /// Tells the kind. `name` is the file's name, for text that could be Markdown.
    pub fn detect(bytes: &[u8], name: &str) -> Kind {
        let magic: [(&[u8], Kind); 19] = [
            (b"{\\rtf", Kind::Rtf),
            (b"WARC/", Kind::Warc),
            (b"\x1f\x8b", Kind::Gzip),
            (b"\x28\xb5\x2f\xfd", Kind::Zstd),
            (b"\x78\x9f\x3e\x22", Kind::Tnef),
            // Word 2, which came before compound files.
            (b"\xdb\xa5\x2d\x00", Kind::Doc),
            (b"\xff\xd8\xff", Kind::Image),
            (b"\x89PNG\r\n\x1a\n", Kind::Image),
            (b"GIF87a", Kind::Image),
            (b"GIF89a", Kind::Image),
            (b"PAR1", Kind::Unknown),
            (b"BZh", Kind::Unknown),
            (b"\xfd7zXZ", Kind::Unknown),
            (b"7z\xbc\xaf\x27\x1c", Kind::Unknown),
            (b"Rar!\x1a", Kind::Unknown),
            (b"\x7fELF", Kind::Unknown),
            (b"ID3", Kind::Unknown),
            (b"OggS", Kind::Unknown),
            (b"MZ\x90", Kind::Unknown),
        ];
        if let Some(&(_, kind)) = magic.iter().find(|(start, _)| bytes.starts_with(start)) {
            return kind;
        }
        if bytes.starts_with(b"RIFF") && bytes.get(8..12) == Some(b"WEBP") {
            return Kind::Image;
        }
        if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
            return formats::package::kind_of_zip(bytes);
        }
        if bytes.starts_with(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") {
            return formats::compound::kind_of_compound(bytes);
        }
        if bytes.get(257..262) == Some(b"ustar") || formats::archive::is_tar(bytes) {
            return Kind::Tar;
        }
        // Other bytes may stand before a PDF's header.
        let head = &bytes[..bytes.len().min(1024)];
        if memchr::memmem::find(head, b"%PDF-").is_some() {
            return Kind::Pdf;
        }
        let lower_name = name.to_ascii_lowercase();
        let named_markdown = lower_name.ends_with(".md") || lower_name.ends_with(".markdown");
        if let Some(kind) = formats::markup::kind_of_markup(bytes) {
            // Markdown may begin with some HTML.
            let part = kind == Kind::Html && named_markdown && !formats::markup::is_whole_page(bytes);
            return if part { Kind::Markdown } else { kind };
        }
        if let Some(kind) = formats::mail::kind_of_mail(bytes) {
            return kind;
        }
        if !formats::text::seems_text(bytes) {
            return Kind::Unknown;
        }
        if named_markdown { Kind::Markdown } else { Kind::Text }
    }
}
