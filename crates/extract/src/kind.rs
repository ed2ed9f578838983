//! What a file is: the names of the formats. How each is known and read, its own file says.

use serde::{Deserialize, Serialize};

/// The kinds with their names, which stand in recipes, reports and JSON.
macro_rules! kinds {
    ($($(#[$note:meta])* $kind:ident = $name:literal,)+) => {
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Kind {
            $($(#[$note])* #[serde(rename = $name)] $kind,)+
        }

        impl Kind {
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
    Text = "text",
    Markdown = "markdown",
    Html = "html",
    Xml = "xml",
    Json = "json",
    /// Jupyter's, which are JSON inside.
    Notebook = "notebook",
    /// iCalendar and vCard.
    Calendar = "calendar",
    Subtitles = "subtitles",
    Pdf = "pdf",
    PostScript = "postscript",
    Docx = "docx",
    Doc = "doc",
    Odt = "odt",
    Rtf = "rtf",
    WordPerfect = "wordperfect",
    Pptx = "pptx",
    /// PowerPoint before 2007.
    Ppt = "ppt",
    /// OpenDocument presentation.
    Odp = "odp",
    Xlsx = "xlsx",
    /// Excel before 2007.
    Xls = "xls",
    /// OpenDocument spreadsheet.
    Ods = "ods",
    Epub = "epub",
    /// A message as RFC 822 has it (`.eml`).
    Mail = "mail",
    Mbox = "mbox",
    /// An Outlook message.
    Msg = "msg",
    /// What Outlook sends as `winmail.dat`.
    Tnef = "tnef",
    Nitf = "nitf",
    /// TREC and TIPSTER collections.
    Trec = "trec",
    /// Reuters-21578.
    Reuters = "reuters",
    Warc = "warc",
    Zip = "zip",
    SevenZip = "7z",
    Tar = "tar",
    Gzip = "gzip",
    Zstd = "zstd",
    Xz = "xz",
    Bzip2 = "bzip2",
    Lz4 = "lz4",
    /// A file in letters: base64, uuencode, or signed as a whole.
    Encoded = "encoded",
    Image = "image",
    /// Anything else, which is not read.
    Unknown = "unknown",
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
