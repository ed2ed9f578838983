//! Splits a mailbox into its messages, without copying them.

use std::borrow::Cow;
use std::collections::HashMap;

use lookalike_core::hash;

use super::header;

/// The messages, each from the line after its `From ` line on.
pub fn messages(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut next = separator(bytes, 0);
    std::iter::from_fn(move || {
        let (_, start) = next?;
        next = separator(bytes, start);
        let end = next.map_or(bytes.len(), |(at, _)| at);
        bytes.get(start..end)
    })
}

/// Which Message-IDs belong to only one message.
pub struct Ids(HashMap<u64, u32>);

pub fn unique_ids(bytes: &[u8]) -> Ids {
    let mut count = HashMap::new();
    for message in messages(bytes) {
        if let Some(id) = super::message_id(&header::split(message).0) {
            *count.entry(hash::bytes(id.as_bytes())).or_default() += 1;
        }
    }
    Ids(count)
}

impl Ids {
    pub fn is_unique(&self, id: &str) -> bool {
        self.0.get(&hash::bytes(id.as_bytes())) == Some(&1)
    }
}

/// The message with its original lines: mailboxes write `>From ` for a line that began with `From
/// `.
pub fn unescaped(message: &[u8]) -> Cow<'_, [u8]> {
    let mut plain: Option<Vec<u8>> = None;
    let mut copied = 0;
    for at in memchr::memmem::find_iter(message, b">From ") {
        let quotes = message[..at].iter().rev().take_while(|byte| **byte == b'>').count();
        let line = at - quotes;
        if line == 0 || message[line - 1] == b'\n' {
            let plain = plain.get_or_insert_with(|| Vec::with_capacity(message.len()));
            plain.extend_from_slice(&message[copied..line]);
            copied = line + 1;
        }
    }
    match plain {
        Some(mut plain) => {
            plain.extend_from_slice(&message[copied..]);
            Cow::Owned(plain)
        }
        None => Cow::Borrowed(message),
    }
}

/// The next line from `from` on that begins a message: its start, and the start of the line after
/// it.
fn separator(bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    memchr::memmem::find_iter(bytes.get(from..)?, b"From ").find_map(|found| {
        let at = from + found;
        let before = &bytes[..at];
        let after_blank = before.is_empty() || before.ends_with(b"\n\n") || before.ends_with(b"\n\r\n");
        // Some programs forget the empty line; then the header after it must be convincing.
        if !after_blank && !before.ends_with(b"\n") {
            return None;
        }
        let (line, rest) = header::next_line(&bytes[at..])?;
        let (next, _) = header::next_line(rest).unwrap_or_default();
        let is_known = header::field(next).is_some_and(|(name, _)| begins_header(name));
        let begins = if !is_dated(line) {
            // Without a date, only the address of a sender before a header counts.
            after_blank && is_known && line.split(u8::is_ascii_whitespace).count() == 2
        } else if after_blank {
            // A message may have no header at all.
            header::is_envelope(next) || header::field(next).is_some() || next.is_empty() && has_weekday(line)
        } else {
            is_known
        };
        begins.then(|| (at, bytes.len() - rest.len()))
    })
}

/// `From someone Thu Jun  7 08:10:42 2001`: the line contains a time and a year.
pub fn is_dated(line: &[u8]) -> bool {
    let words = || line.split(u8::is_ascii_whitespace).skip(1).filter(|word| !word.is_empty());
    let is_time = |word: &[u8]| {
        word.len() >= 4 && word.len() <= 12 && {
            let colons = word.iter().filter(|byte| **byte == b':').count();
            (1..=2).contains(&colons)
                && word.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b':' | b'.'))
        }
    };
    let is_year = |word: &[u8]| word.len() == 4 && word.iter().all(u8::is_ascii_digit);
    line.len() < 300 && words().take(16).any(is_time) && words().take(16).any(is_year)
}

fn has_weekday(line: &[u8]) -> bool {
    let days: [&[u8]; 7] = [b"Mon", b"Tue", b"Wed", b"Thu", b"Fri", b"Sat", b"Sun"];
    line.split(u8::is_ascii_whitespace).any(|word| days.contains(&word))
}

fn begins_header(name: &[u8]) -> bool {
    let names: [&[u8]; 9] = [
        b"return-path",
        b"received",
        b"from",
        b"message-id",
        b"date",
        b"x-mozilla-status",
        b"delivered-to",
        b"to",
        b"subject",
    ];
    names.iter().any(|other| name.eq_ignore_ascii_case(other))
        || name.get(..2).is_some_and(|start| start.eq_ignore_ascii_case(b"x-"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_begin_at_dated_lines_after_an_empty_one() {
        let bytes = b"From a@x Thu Jun  7 08:10:42 2001\nSubject: 1\n\nFrom here to there.\n\nFrom now on: 2001 at 8:00 2001\nno header\n\n\
            From - Fri Jun  8 08:10 2001\r\nSubject: 2\r\n\r\n>From me\r\n>>From you\n";
        let found: Vec<&[u8]> = messages(bytes).collect();
        assert_eq!(found.len(), 2);
        assert!(found[0].starts_with(b"Subject: 1\n") && found[0].ends_with(b"no header\n\n"));
        assert_eq!(&*unescaped(found[1]), b"Subject: 2\r\n\r\nFrom me\r\n>From you\n");
        assert!(matches!(unescaped(found[0]), Cow::Borrowed(_)));
    }

    #[test]
    fn dates_and_headers_may_be_missing() {
        let bytes = b"From -\nFrom: a@x\n\none\n\nFrom x\nof the text\n\nFrom b@x\nSubject: 2\n\ntwo\n";
        assert_eq!(messages(bytes).count(), 2);
        let bytes = b"From x Mon Jun 01 10:00:00 2009\n\none\n\nFrom y Mon Jun 01 11:00:00 2010\n\ntwo\n";
        assert_eq!(messages(bytes).map(<[u8]>::trim_ascii).collect::<Vec<_>>(), [b"one", b"two"]);
    }

    #[test]
    fn the_empty_line_may_be_missing() {
        let bytes = b"From a@x Thu Jun  7 08:10:42 2001\nSubject: 1\n\none\nFrom b@x Thu Jun  7 08:10:42 2001\nReceived: x\n\ntwo\n";
        assert_eq!(messages(bytes).count(), 2);
    }
}
