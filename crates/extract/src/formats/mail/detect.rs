//! Recognises mail and mailboxes by the header fields at their beginning.

use super::{header, mbox};
use crate::kind::Kind;

/// Fields that hardly anything but mail has.
const OF_MAIL: [&str; 25] = [
    "apparently-to",
    "bcc",
    "cc",
    "content-transfer-encoding",
    "delivered-to",
    "dkim-signature",
    "envelope-to",
    "from",
    "in-reply-to",
    "list-id",
    "message-id",
    "mime-version",
    "newsgroups",
    "received",
    "references",
    "reply-to",
    "return-path",
    "sender",
    "status",
    "subject",
    "thread-topic",
    "to",
    "x-mailer",
    "x-originating-ip",
    "xref",
];

/// Fields that mail and the web have.
const OF_OTHERS: [&str; 9] = [
    "content-type",
    "content-disposition",
    "content-language",
    "date",
    "organization",
    "lines",
    "precedence",
    "user-agent",
    "path",
];

/// Fields that are sufficient evidence of mail when all names are in lower case, as in YAML.
const TELLING: [&str; 8] = [
    "message-id",
    "mime-version",
    "received",
    "return-path",
    "delivered-to",
    "dkim-signature",
    "content-transfer-encoding",
    "x-mailer",
];

/// How many header lines are examined; some gateways write many fields before the first known one.
const LINES: usize = 200;

/// Mail and mailboxes begin with header lines.
pub fn kind_of_mail(bytes: &[u8]) -> Option<Kind> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let start = bytes.iter().take(1000).position(|byte| !byte.is_ascii_whitespace())?;
    let bytes = &bytes[start..];
    if bytes.starts_with(b"From ") {
        let mut messages = mbox::messages(bytes);
        let first = messages.next();
        if messages.next().is_some() {
            return Some(Kind::Mbox);
        }
        // A message may have no header at all.
        if first.is_some_and(|message| message.first().is_some_and(|byte| matches!(byte, b'\n' | b'\r'))) {
            return Some(Kind::Mail);
        }
    }
    is_header(bytes).then_some(Kind::Mail)
}

/// Whether the first lines are a header with fields of mail.
fn is_header(bytes: &[u8]) -> bool {
    let (mut of_mail, mut of_others) = (Vec::new(), 0);
    let (mut capitals, mut telling, mut address, mut envelope) = (false, false, false, false);
    let mut composite = false;
    let mut odd = 0;
    let mut rest = bytes;
    for number in 0..LINES {
        let Some((line, after)) = header::next_line(rest) else { break };
        rest = after;
        let trimmed = line.trim_ascii_end();
        if trimmed.is_empty() {
            break;
        }
        if number == 0 && header::is_envelope(line) {
            envelope = mbox::is_dated(line);
            continue;
        }
        if line.starts_with(b" ") || line.starts_with(b"\t") {
            // Such a value must have been folded.
            odd += usize::from(number == 0);
            continue;
        }
        let field = header::field(trimmed).filter(|(name, _)| name.iter().all(|byte| is_name(*byte)));
        let Some((name, value)) = field else {
            odd += 1;
            // One line of junk at the very beginning happens; with more it is no header.
            if odd > 1 || number > 2 {
                break;
            }
            continue;
        };
        let lower = name.to_ascii_lowercase();
        let is_one_of = |names: &[&str]| names.iter().any(|other| other.as_bytes() == lower);
        capitals |= name.iter().any(u8::is_ascii_uppercase);
        telling |= is_one_of(&TELLING);
        if is_one_of(&OF_MAIL) {
            address |= memchr::memchr(b'@', value).is_some();
            if !of_mail.contains(&lower) {
                of_mail.push(lower);
            }
        } else if lower == b"content-type" && is_composite(value) {
            composite = true;
        } else if is_one_of(&OF_OTHERS) || lower.starts_with(b"x-") {
            of_others += 1;
        }
    }
    let known = of_mail.len() + usize::from(of_others > 0) + usize::from(envelope);
    let certain = telling || envelope || address || capitals && of_mail.len() >= 2;
    composite || !of_mail.is_empty() && known >= 2 && certain
}

/// Entities within entities: only mail has them.
fn is_composite(content_type: &[u8]) -> bool {
    let is =
        |start: &[u8]| content_type.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start));
    is(b"message/rfc822") || is(b"multipart/") && !is(b"multipart/form-data") && !is(b"multipart/byteranges")
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mail_is_told_by_its_header() {
        for mail in [
            "From: a@example.org\nSubject: hi\n\ntext",
            "\u{feff}Return-Path: <a@example.org>\r\nX-Odd: 1\r\nTo: b@example.org\r\n\r\ntext",
            "\n\nMessage-ID: <1@x>\nDate: Thu, 7 Jun 2001 08:10:42 -0700\n\ntext",
            "X-Gateway: one\n two\nReceived: from x\n\tby y\nSubject: t\n\n",
            ">From x@example.org Thu Jun  7 08:10:42 2001\nReceived: from a\nFrom: b\n\n",
            "From x@example.org Thu Jun  7 08:10:42 2001\nSubject: only one\n\ntext",
            "MIME-Version: 1.0\nContent-Type: text/plain\n\ntext",
            "subject: all small\nfrom: a@example.org\n\ntext",
            "Content-Type: multipart/mixed; boundary=x\n\n--x\n\ntext",
            "Content-Type: text/plain\nContent-Transfer-Encoding: base64\n\nMQ==",
            "From x@example.org Mon Jun 01 10:00:00 2009\n\nno header",
            "To: All staff\nFrom: The kitchen\nSubject: soup\n\nIs ready.",
        ] {
            assert_eq!(kind_of_mail(mail.as_bytes()), Some(Kind::Mail), "{mail}");
        }
    }

    #[test]
    fn other_text_with_colons_is_not_mail() {
        for text in [
            "Note: buy milk\nand bread\n",
            "title: A page\ndate: 2024-01-01\nauthor: Me\n\ntext",
            "from: old\nto: new\nsubject: moved\n",
            "---\nfrom: a\nto: b\n",
            "HTTP/1.1 200 OK\nContent-Type: text/html\nDate: Thu, 7 Jun 2001 08:10:42 GMT\n\n",
            "Content-Type: text/html\nDate: Thu, 7 Jun 2001 08:10:42 GMT\nServer: x\n\n",
            "From the beginning it was clear.\nSubject: none\n",
            "To be: or not to be\nThat is: the question\n",
            "Dear all,\n\nFrom: me\nTo: you\n",
            "",
            "\n\n\n",
        ] {
            assert_eq!(kind_of_mail(text.as_bytes()), None, "{text}");
        }
    }
}
