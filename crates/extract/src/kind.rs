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
    Json,
    /// Jupyter's, which are JSON inside.
    Notebook,
    /// iCalendar and vCard.
    Calendar,
    Subtitles,
    Pdf,
    PostScript,
    Docx,
    Doc,
    Odt,
    Rtf,
    WordPerfect,
    Pptx,
    /// PowerPoint before 2007.
    Ppt,
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
    #[serde(rename = "7z")]
    SevenZip,
    Tar,
    Gzip,
    Zstd,
    Xz,
    Bzip2,
    Lz4,
    /// A file in letters: base64, uuencode, or signed as a whole.
    Encoded,
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
    pub const ALL: [Kind; 41] = [
        Kind::Text,
        Kind::Markdown,
        Kind::Html,
        Kind::Xml,
        Kind::Json,
        Kind::Notebook,
        Kind::Calendar,
        Kind::Subtitles,
        Kind::Pdf,
        Kind::PostScript,
        Kind::Docx,
        Kind::Doc,
        Kind::Odt,
        Kind::Rtf,
        Kind::WordPerfect,
        Kind::Pptx,
        Kind::Ppt,
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
        Kind::SevenZip,
        Kind::Tar,
        Kind::Gzip,
        Kind::Zstd,
        Kind::Xz,
        Kind::Bzip2,
        Kind::Lz4,
        Kind::Encoded,
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
            Kind::Json => "json",
            Kind::Notebook => "notebook",
            Kind::Calendar => "calendar",
            Kind::Subtitles => "subtitles",
            Kind::Pdf => "pdf",
            Kind::PostScript => "postscript",
            Kind::Docx => "docx",
            Kind::Doc => "doc",
            Kind::Odt => "odt",
            Kind::Rtf => "rtf",
            Kind::WordPerfect => "wordperfect",
            Kind::Pptx => "pptx",
            Kind::Ppt => "ppt",
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
            Kind::SevenZip => "7z",
            Kind::Tar => "tar",
            Kind::Gzip => "gzip",
            Kind::Zstd => "zstd",
            Kind::Xz => "xz",
            Kind::Bzip2 => "bzip2",
            Kind::Lz4 => "lz4",
            Kind::Encoded => "encoded",
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
            Kind::Json => "JSON and JSON lines: the text of all strings",
            Kind::Notebook => "Jupyter notebooks: prose, code and what it printed",
            Kind::Calendar => "Calendars and cards: what their fields say",
            Kind::Subtitles => "Subtitles: what is said, without times",
            Kind::Pdf => "PDF: text in reading order, links, images",
            Kind::PostScript => "PostScript, by Ghostscript if the recipe asks for it",
            Kind::Docx => "Word: text with notes and tables, headings, links, images",
            Kind::Doc => "Word before 2007, back to Word 6",
            Kind::Odt => "OpenDocument text",
            Kind::Rtf => "Rich Text Format",
            Kind::WordPerfect => "WordPerfect 5 and later: the main text",
            Kind::Pptx => "PowerPoint: slides with their notes",
            Kind::Ppt => "PowerPoint before 2007, back to PowerPoint 97",
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
            Kind::SevenZip => "7z archives: every document inside",
            Kind::Tar => "Tar archives: every document inside",
            Kind::Gzip => "What is compressed with gzip",
            Kind::Zstd => "What is compressed with zstd",
            Kind::Xz => "What is compressed with xz",
            Kind::Bzip2 => "What is compressed with bzip2",
            Kind::Lz4 => "What is compressed with lz4",
            Kind::Encoded => "What is written in letters (base64, uuencode) or signed as a whole",
            Kind::Image => {
                "JPEG, PNG, GIF, WebP, TIFF, BMP, PNM: what they look like; AVIF and HEIC by their bytes"
            }
            Kind::Unknown => "Anything else, which is not read",
        }
    }

    pub fn category(self) -> Category {
        match self {
            Kind::Text | Kind::Markdown | Kind::Json | Kind::Notebook => Category::Text,
            Kind::Calendar | Kind::Subtitles => Category::Text,
            Kind::Html | Kind::Xml => Category::Web,
            Kind::Pdf | Kind::PostScript => Category::Pdf,
            Kind::Docx | Kind::Doc | Kind::Odt | Kind::Rtf | Kind::WordPerfect => Category::Word,
            Kind::Pptx | Kind::Ppt | Kind::Odp => Category::Slides,
            Kind::Xlsx | Kind::Xls | Kind::Ods => Category::Sheet,
            Kind::Epub => Category::Book,
            Kind::Mail | Kind::Mbox | Kind::Msg | Kind::Tnef => Category::Mail,
            Kind::Nitf | Kind::Trec | Kind::Reuters => Category::News,
            Kind::Image => Category::Image,
            Kind::Warc | Kind::Zip | Kind::SevenZip | Kind::Tar => Category::Other,
            Kind::Gzip | Kind::Zstd | Kind::Xz | Kind::Bzip2 | Kind::Lz4 => Category::Other,
            Kind::Encoded | Kind::Unknown => Category::Other,
        }
    }

    /// Tells the kinds that can be read as they come, by a file's first 512 bytes.
    pub fn of_stream(head: &[u8]) -> Option<Kind> {
        if head.starts_with(b"WARC/") {
            return Some(Kind::Warc);
        }
        Kind::of_packed(head).or_else(|| formats::archive::is_tar(head).then_some(Kind::Tar))
    }

    /// Tells what packs one file.
    fn of_packed(head: &[u8]) -> Option<Kind> {
        match head {
            [0x1f, 0x8b, ..] => Some(Kind::Gzip),
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Kind::Zstd),
            [0xfd, b'7', b'z', b'X', b'Z', 0, ..] => Some(Kind::Xz),
            [0x04, 0x22, 0x4d, 0x18, ..] => Some(Kind::Lz4),
            // A block follows, or the end.
            [b'B', b'Z', b'h', b'1'..=b'9', b'1', b'A', b'Y', b'&', b'S', b'Y', ..]
            | [b'B', b'Z', b'h', b'1'..=b'9', 0x17, 0x72, 0x45, 0x38, 0x50, 0x90, ..] => Some(Kind::Bzip2),
            _ => None,
        }
    }

    /// Tells the kind. `name` is the file's name, for text that could be Markdown or a piece of HTML.
    pub fn detect(bytes: &[u8], name: &str) -> Kind {
        if let Some(kind) = Kind::of_stream(bytes).or_else(|| Kind::of_magic(bytes)) {
            return kind;
        }
        let lower_name = name.to_ascii_lowercase();
        let is_named = |endings: &[&str]| endings.iter().any(|ending| lower_name.ends_with(ending));
        let named_markdown = is_named(&[".md", ".markdown"]);
        if let Some(kind) = formats::markup::kind_of_markup(bytes) {
            // Markdown may begin with some HTML.
            let part = kind == Kind::Html && named_markdown && !formats::markup::is_whole_page(bytes);
            return if part { Kind::Markdown } else { kind };
        }
        if let Some(kind) = formats::mail::kind_of_mail(bytes) {
            return kind;
        }
        if formats::pdf::is_behind_rubbish(bytes) {
            return Kind::Pdf;
        }
        if !formats::text::seems_text(bytes) {
            return Kind::Unknown;
        }
        if formats::rtf::is_behind_rubbish(bytes) {
            return Kind::Rtf;
        }
        if formats::calendar::is_calendar(bytes) {
            return Kind::Calendar;
        }
        if formats::subtitles::are_subtitles(bytes) {
            return Kind::Subtitles;
        }
        if let Some(kind) =
            formats::json::kind_of_json(bytes).or_else(|| formats::encoded::kind_of_encoded(bytes))
        {
            return kind;
        }
        if formats::unread::name_of(bytes).is_some() {
            return Kind::Unknown;
        }
        if is_named(&[".html", ".htm", ".xhtml"]) && formats::markup::has_tags(bytes) {
            return Kind::Html;
        }
        if named_markdown { Kind::Markdown } else { Kind::Text }
    }

    /// Tells what the first bytes alone tell.
    fn of_magic(bytes: &[u8]) -> Option<Kind> {
        let magic: [(&[u8], Kind); 6] = [
            (b"{\\rtf", Kind::Rtf),
            (b"\x78\x9f\x3e\x22", Kind::Tnef),
            // Word 2, which came before compound files.
            (b"\xdb\xa5\x2d\x00", Kind::Doc),
            (b"7z\xbc\xaf\x27\x1c", Kind::SevenZip),
            (formats::wordperfect::MAGIC, Kind::WordPerfect),
            (b"%PDF-", Kind::Pdf),
        ];
        if let Some(&(_, kind)) = magic.iter().find(|(start, _)| bytes.starts_with(start)) {
            return Some(kind);
        }
        if formats::image::format_of(bytes).is_some() {
            return Some(Kind::Image);
        }
        if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
            return Some(formats::package::kind_of_zip(bytes));
        }
        if bytes.starts_with(formats::compound::MAGIC) {
            return Some(formats::compound::kind_of_compound(bytes));
        }
        if bytes.get(257..262) == Some(b"ustar") {
            return Some(Kind::Tar);
        }
        // Other bytes may stand before a PDF's header.
        if formats::pdf::is_near_start(bytes) {
            return Some(Kind::Pdf);
        }
        if formats::postscript::is_postscript(bytes) {
            return Some(Kind::PostScript);
        }
        if formats::encoded::is_signed(bytes) {
            return Some(Kind::Encoded);
        }
        formats::unread::is_binary(bytes).then_some(Kind::Unknown)
    }
}
