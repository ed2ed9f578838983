//! A property set (`SummaryInformation`): title, author and dates of office files before 2007.

use jiff::Timestamp;

use crate::budget::Budget;
use crate::formats::codepage;

use super::{Compound, long, short};

/// The metadata of an office file.
#[derive(Debug, Default, PartialEq)]
pub struct Summary {
    pub title: Option<String>,
    pub subject: Option<String>,
    pub author: Option<String>,
    pub keywords: Option<String>,
    /// When it was made, or else last saved; as ISO 8601.
    pub date: Option<String>,
}

/// Seconds from 1601, where Windows begins to count, to 1970.
const WINDOWS_EPOCH: i64 = 11_644_473_600;

/// Reads the summary of a compound file, leaving out broken parts.
pub fn summary(compound: &Compound<'_>, budget: &mut Budget) -> Summary {
    match compound.root_stream("\u{5}SummaryInformation", budget) {
        Ok(Some(bytes)) => parse(&bytes),
        _ => Summary::default(),
    }
}

/// The moment that a Windows file time means: steps of 100 ns since 1601.
pub fn moment(steps: u64) -> Option<String> {
    let seconds = i64::try_from(steps / 10_000_000).ok()? - WINDOWS_EPOCH;
    // A time before 1980 is a duration or nonsense; no such file is that old.
    if seconds < 315_532_800 {
        return None;
    }
    let moment = Timestamp::from_second(seconds).ok()?;
    crate::date::normalise(&moment.to_string())
}

fn parse(bytes: &[u8]) -> Summary {
    let mut summary = Summary::default();
    let Some(section) = long(bytes, 44).and_then(|at| bytes.get(at as usize..)) else { return summary };
    let count = long(section, 4).unwrap_or(0).min(256) as usize;
    let pairs = || (0..count).map_while(|i| Some((long(section, 8 + 8 * i)?, long(section, 12 + 8 * i)?)));
    let value = |wanted| pairs().find(|&(id, _)| id == wanted).and_then(|(_, at)| section.get(at as usize..));
    let page = value(1).and_then(|value| short(value, 4)).unwrap_or(1252);
    let text = |id| value(id).and_then(|value| text(value, page));
    let time = |id| value(id).and_then(time);
    summary.title = text(2);
    summary.subject = text(3);
    summary.author = text(4);
    summary.keywords = text(5);
    summary.date = time(12).or_else(|| time(13));
    summary
}

fn text(value: &[u8], page: u16) -> Option<String> {
    let length = long(value, 4)? as usize;
    let rest = value.get(8..)?;
    let text = match short(value, 0)? {
        // A string in the file's code page, its length in bytes.
        30 => codepage::decode(&rest[..length.min(rest.len())], page),
        // A wide string, its length in characters.
        31 => codepage::decode(&rest[..length.saturating_mul(2).min(rest.len())], 1200),
        _ => return None,
    };
    let text = text.split('\0').next().unwrap_or_default().trim();
    Some(text.to_owned()).filter(|text| !text.is_empty())
}

fn time(value: &[u8]) -> Option<String> {
    if short(value, 0)? != 64 {
        return None;
    }
    moment(u64::from(long(value, 8)?) << 32 | u64::from(long(value, 4)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_property_set_gives_title_and_date() {
        let mut bytes = vec![0; 48];
        bytes[44] = 48;
        // 2007-10-22 in steps of 100 ns, and a German title in the Windows code page.
        let created = 128_374_848_000_000_000_u64;
        let values: [(u32, Vec<u8>); 3] = [
            (1, [2u32.to_le_bytes(), 1252u32.to_le_bytes()].concat()),
            (2, [&30u32.to_le_bytes()[..], &5u32.to_le_bytes(), b"Gr\xfc\xdf\0"].concat()),
            (12, [&64u32.to_le_bytes()[..], &created.to_le_bytes()].concat()),
        ];
        let mut place = 8 + 8 * values.len() as u32;
        let (mut table, mut data) = (Vec::new(), Vec::new());
        for (id, value) in &values {
            table.extend([id.to_le_bytes(), place.to_le_bytes()].concat());
            data.extend_from_slice(value);
            place += value.len() as u32;
        }
        bytes.extend([place.to_le_bytes(), 3u32.to_le_bytes()].concat());
        bytes.extend(table);
        bytes.extend(data);
        let summary = parse(&bytes);
        assert_eq!(summary.title.as_deref(), Some("Grüß"));
        assert_eq!(summary.date.as_deref(), Some("2007-10-22T00:00:00Z"));
        for end in 0..bytes.len() {
            parse(&bytes[..end]);
        }
    }
}
