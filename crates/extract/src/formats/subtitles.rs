//! Subtitles (SubRip, WebVTT): what is said, without numbers and times, which any two films have in common.

use crate::body::Body;
use crate::document::Extracted;
use crate::file::File;
use crate::format::{Format, Sign, Stage};
use crate::kind::{Category, Kind};
use crate::out::Out;
use crate::reason::Reason;

use super::text::decode;

pub const FORMAT: Format = Format {
    kind: Kind::Subtitles,
    category: Category::Text,
    summary: "Subtitles: what is said, without times",
    signs: &[Sign {
        stage: Stage::Syntax,
        recognise: |bytes, _| are_subtitles(bytes).then_some(Kind::Subtitles),
    }],
    read,
    read_stream: None,
};

pub fn are_subtitles(bytes: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]);
    let mut lines =
        head.trim_start_matches('\u{feff}').lines().map(str::trim).filter(|line| !line.is_empty());
    let Some(first) = lines.next() else { return false };
    if first == "WEBVTT" || first.starts_with("WEBVTT ") {
        return true;
    }
    // A number, then a time.
    first.parse::<u32>().is_ok() && lines.next().is_some_and(is_time)
}

pub fn read(file: &File<'_>, out: &mut Out<'_>) -> Result<(), Reason> {
    let text = decode(file.bytes, None);
    let text = text.replace("\r\n", "\n");
    let mut body = Body::default();
    for cue in text.trim_start_matches('\u{feff}').split("\n\n") {
        let mut lines = cue.trim().lines();
        // A block without a time is a note or a style; a line before the time is a name.
        if lines.by_ref().any(is_time) {
            for line in lines {
                body.push(&without_tags(line));
                body.line();
            }
        }
    }
    let (text, marks) = body.finish();
    out.document(Extracted { kind: file.kind, text, marks, ..Extracted::default() })
}

/// `00:01:14,440 --> 00:01:15,760`
fn is_time(line: &str) -> bool {
    let Some((from, to)) = line.split_once("-->") else { return false };
    let is_clock = |text: &str| {
        let clock = text.split_whitespace().next().unwrap_or_default();
        clock.contains(':')
            && clock.chars().all(|sign| sign.is_ascii_digit() || matches!(sign, ':' | '.' | ','))
    };
    is_clock(from) && is_clock(to)
}

fn without_tags(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line;
    while let Some(start) = rest.find('<') {
        text.push_str(&rest[..start]);
        let Some(end) = rest[start..].find('>') else {
            rest = &rest[start..];
            break;
        };
        rest = &rest[start + end + 1..];
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use crate::{ExtractOutcome, Kind, Options, extract};

    #[test]
    fn only_what_is_said() {
        for subtitles in [
            "1\r\n00:01:14,440 --> 00:01:15,760\r\n<i>Good</i> day.\r\n\r\n2\r\n00:02:00,000 --> 00:02:01,000\r\nAnd 5 < 6.\r\n",
            "WEBVTT - a film\n\nNOTE nobody reads this\n\nfirst\n00:01.000 --> 00:04.000 align:start\n<v Ada>Good day.\n\n\
             00:05.000 --> 00:06.000\nAnd 5 < 6.",
        ] {
            let mut outcomes = Vec::new();
            extract(subtitles.as_bytes(), "", &Options::default(), &mut |outcome| outcomes.push(outcome));
            let ExtractOutcome::Document(document) = &outcomes[0] else { panic!() };
            assert_eq!((document.kind, document.text.as_str()), (Kind::Subtitles, "Good day.\nAnd 5 < 6."));
        }
        assert_eq!(Kind::detect(b"7\nis a number --> and more\n", ""), Kind::Text);
    }
}
