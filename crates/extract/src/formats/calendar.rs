//! Calendars and contacts (iCalendar, vCard): the values of their fields, without the fields' names,
//! which are the same for any two people.

use crate::body::Body;
use crate::date;
use crate::document::Extracted;
use crate::file::File;
use crate::format::{Format, Sign, Stage};
use crate::kind::{Category, Kind};
use crate::out::Out;
use crate::reason::Reason;

use super::text::decode;

/// Fields that a person reads; all others are only for programs.
const SHOWN: [&str; 17] = [
    "SUMMARY",
    "DESCRIPTION",
    "LOCATION",
    "COMMENT",
    "CONTACT",
    "CATEGORIES",
    "RESOURCES",
    "X-WR-CALNAME",
    "X-WR-CALDESC",
    "FN",
    "ORG",
    "TITLE",
    "ROLE",
    "NOTE",
    "ADR",
    "TEL",
    "EMAIL",
];

pub const FORMAT: Format = Format {
    kind: Kind::Calendar,
    category: Category::Text,
    summary: "Calendars and cards: what their fields say",
    signs: &[Sign {
        stage: Stage::Syntax,
        recognise: |bytes, _| is_calendar(bytes).then_some(Kind::Calendar),
    }],
    read,
    read_stream: None,
};

pub fn is_calendar(bytes: &[u8]) -> bool {
    let start = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    let line = start.split(|&byte| byte == b'\n').next().unwrap_or_default().trim_ascii_end();
    line.eq_ignore_ascii_case(b"BEGIN:VCALENDAR") || line.eq_ignore_ascii_case(b"BEGIN:VCARD")
}

pub fn read(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    let text = decode(file.bytes, None);
    let mut document = Extracted { kind: file.kind, ..Extracted::default() };
    let mut body = Body::default();
    // A line that begins with a space continues the one before.
    let whole = text.replace("\r\n", "\n").replace("\n ", "").replace("\n\t", "");
    for line in whole.lines() {
        let Some((name, value)) = parted(line) else { continue };
        let upper = name.split(';').next().unwrap_or_default().to_ascii_uppercase();
        // A group may stand before the name.
        match upper.rsplit('.').next().unwrap_or_default() {
            "BEGIN" | "END" => body.block(),
            "URL" if value.starts_with("http") => {
                document.links.insert(value.split('#').next().unwrap_or_default().to_owned());
            }
            "DTSTART" if document.date.is_none() => document.date = date::normalise(value),
            field if SHOWN.contains(&field) => {
                let value = plain(value);
                if matches!(field, "SUMMARY" | "FN" | "X-WR-CALNAME") && document.title.is_none() {
                    document.title = Some(value.split_whitespace().collect::<Vec<_>>().join(" "));
                }
                body.lines(&value);
                body.line();
            }
            _ => {}
        }
    }
    (document.text, document.marks) = body.finish();
    out.document(document)
}

/// Name with its parameters, and value; a colon within quotes belongs to a parameter.
fn parted(line: &str) -> Option<(&str, &str)> {
    let mut quoted = false;
    let at = line.bytes().position(|byte| {
        quoted ^= byte == b'"';
        byte == b':' && !quoted
    })?;
    Some((&line[..at], &line[at + 1..]))
}

/// The value without escapes; the parts of a name or an address become words.
fn plain(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    let mut characters = value.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('n' | 'N') => text.push('\n'),
                other => text.extend(other),
            },
            ';' => text.push(' '),
            other => text.push(other),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use crate::{ExtractOutcome, Kind, Options, extract};

    #[test]
    fn what_a_person_reads_of_a_calendar() {
        let calendar = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//Example//EN\r\nBEGIN:VEVENT\r\nUID:19970610@example\r\n\
            DTSTART:20230110T090000Z\r\nSUMMARY;LANGUAGE=\"en:x\":Board meet\r\n ing\r\nDESCRIPTION:First\\, the plan.\\nThen tea.\r\n\
            URL:https://a.example/x\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nSUMMARY:Another\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
        let mut outcomes = Vec::new();
        extract(calendar.as_bytes(), "", &Options::default(), &mut |outcome| outcomes.push(outcome));
        let ExtractOutcome::Document(document) = &outcomes[0] else { panic!() };
        assert_eq!(document.kind, Kind::Calendar);
        assert_eq!(document.text, "Board meeting\nFirst, the plan.\nThen tea.\n\nAnother");
        assert_eq!(document.title.as_deref(), Some("Board meeting"));
        assert!(document.links.contains("https://a.example/x"));
        let card = "begin:vcard\nVERSION:3.0\nN:Writer;Ada\nitem1.TEL;TYPE=home:+1 555\nFN:Ada Writer\nPHOTO:AAAA\nend:vcard\n";
        outcomes.clear();
        extract(card.as_bytes(), "", &Options::default(), &mut |outcome| outcomes.push(outcome));
        assert!(
            matches!(&outcomes[0], ExtractOutcome::Document(found) if found.text == "+1 555\nAda Writer")
        );
    }
}
