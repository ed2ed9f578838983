//! The names of the formats. How each is recognised and read is in its own file.

use serde::{Deserialize, Serialize};

/// The kinds with their names, which are used in recipes, reports and JSON.
macro_rules! kinds {
    ($($(#[$note:meta])* $kind:ident = $name:literal,)+) => {
        /// The format of a file.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Kind {
            $($(#[$note])* #[serde(rename = $name)] $kind,)+
        }

        impl Kind {
            /// In the order in which they are shown.
            pub const ALL: [Kind; [$($name),+].len()] = [$(Kind::$kind),+];

            /// The name in recipes, reports and JSON.
            pub fn name(self) -> &'static str {
                match self {
                    $(Kind::$kind => $name,)+
                }
            }
        }
    };
}

kinds! {
    #[default]
    /// Plain text in any encoding.
    Text = "text",
    /// Markdown.
    Markdown = "markdown",
    /// A web page.
    Html = "html",
    /// XML of no more specific kind.
    Xml = "xml",
    /// JSON as one document.
    Json = "json",
    /// Jupyter's, which are JSON inside.
    Notebook = "notebook",
    /// iCalendar and vCard.
    Calendar = "calendar",
    /// Subtitles of films.
    Subtitles = "subtitles",
    /// PDF.
    Pdf = "pdf",
    /// PostScript.
    PostScript = "postscript",
    /// Word since 2007.
    Docx = "docx",
    /// Word before 2007.
    Doc = "doc",
    /// OpenDocument text.
    Odt = "odt",
    /// Rich Text Format.
    Rtf = "rtf",
    /// WordPerfect.
    WordPerfect = "wordperfect",
    /// PowerPoint since 2007.
    Pptx = "pptx",
    /// PowerPoint before 2007.
    Ppt = "ppt",
    /// OpenDocument presentation.
    Odp = "odp",
    /// Excel since 2007.
    Xlsx = "xlsx",
    /// Excel before 2007.
    Xls = "xls",
    /// OpenDocument spreadsheet.
    Ods = "ods",
    /// An electronic book.
    Epub = "epub",
    /// A message as RFC 822 has it (`.eml`).
    Mail = "mail",
    /// A mailbox of many messages.
    Mbox = "mbox",
    /// An Outlook message.
    Msg = "msg",
    /// What Outlook sends as `winmail.dat`.
    Tnef = "tnef",
    /// News as NITF.
    Nitf = "nitf",
    /// TREC and TIPSTER collections.
    Trec = "trec",
    /// Reuters-21578.
    Reuters = "reuters",
    /// A web archive.
    Warc = "warc",
    /// A zip archive.
    Zip = "zip",
    /// A 7z archive.
    SevenZip = "7z",
    /// A tar archive.
    Tar = "tar",
    /// Packed by gzip.
    Gzip = "gzip",
    /// Packed by Zstandard.
    Zstd = "zstd",
    /// Packed by xz.
    Xz = "xz",
    /// Packed by bzip2.
    Bzip2 = "bzip2",
    /// Packed by LZ4.
    Lz4 = "lz4",
    /// A file encoded as text (base64, uuencode), or signed as a whole.
    Encoded = "encoded",
    /// A picture.
    Image = "image",
    /// Anything else, which is not read.
    Unknown = "unknown",
}

/// Groups of kinds that people consider one type of document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Category {
    /// Plain text and similar formats.
    Text,
    /// Web pages and XML.
    Web,
    /// PDF and PostScript.
    Pdf,
    /// Documents of word processors.
    Word,
    /// Presentations.
    Slides,
    /// Spreadsheets.
    Sheet,
    /// Electronic books.
    Book,
    /// Messages.
    Mail,
    /// News files.
    News,
    /// Pictures.
    Image,
    /// All others, including containers.
    Other,
}
