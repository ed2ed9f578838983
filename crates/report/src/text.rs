//! Escapes foreign text, and formats numbers for people.

use std::fmt::{self, Display, Formatter, Write};

use super::CUT;

/// Text for element content or a quoted attribute. Besides markup it neutralises characters that
/// change how the text around them looks: control characters, and bidi controls, which could close
/// the isolation of `<bdi>` and reverse the rest of the line. Those are shown by name, as they may
/// be the difference between two documents.
pub fn escaped(text: &str) -> impl Display {
    fmt::from_fn(move |out| text.chars().try_for_each(|character| write_escaped(out, character)))
}

/// A name or a path for a terminal: what would move the cursor or turn the direction of writing is spelled out.
pub fn printable(path: &str) -> String {
    let mut shown = String::with_capacity(path.len());
    for character in path.chars() {
        let turns =
            matches!(character, '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if turns || character.is_control() {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}

/// Words of more letters may be broken to fit a column.
const LONG_WORD: usize = 24;

/// Whether a text has a word that may be too long for its column.
pub fn has_long_word(text: &str) -> bool {
    text.split_whitespace().any(|word| word.chars().count() > LONG_WORD)
}

/// Where an id, a path or an address is best broken, if necessary.
pub fn breaks_after(character: char) -> bool {
    matches!(character, '/' | '\\' | ':' | '@' | '_' | '?' | '&' | '=' | '#' | '.' | ',' | ';')
}

/// [`escaped`], with a place to break after each separator of a long word, so that it is broken between its
/// parts and not within them.
pub fn breakable(text: &str) -> impl Display {
    fmt::from_fn(move |out| {
        let is_long = has_long_word(text);
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            write_escaped(out, character)?;
            let is_end = characters.peek().is_some_and(|&next| !breaks_after(next));
            if is_long && breaks_after(character) && is_end {
                out.write_str("<wbr>")?;
            }
        }
        Ok(())
    })
}

/// An id or a name: isolated from the direction of the surrounding text, and shortened.
pub fn name(text: &str) -> impl Display {
    fmt::from_fn(move |out| write!(out, r#"<bdi lang="">{}</bdi>"#, breakable(&shortened(text, 160))))
}

/// The text's first characters, followed by [`CUT`] if that is not all of it.
pub fn shortened(text: &str, characters: usize) -> String {
    match text.char_indices().nth(characters) {
        Some((end, _)) => format!("{}{CUT}", &text[..end]),
        None => text.to_owned(),
    }
}

/// `1,234,567`
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 pair`, `1,234 pairs`
pub fn counted(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", count(number), if number == 1 { "" } else { "s" })
}

/// A count in a short form: `9,999`, `12.3k`, `4.56M`.
pub fn short_count(number: u64) -> String {
    if number < 10_000 {
        return count(number);
    }
    let mut value = number as f64;
    let mut unit = "";
    for next in ["k", "M", "G", "T", "P", "E"] {
        if value < 999.5 {
            break;
        }
        value /= 1000.0;
        unit = next;
    }
    format!("{}{unit}", three_digits(value))
}

/// `97.4 %`. Only exactly 1 is 100 % and only exactly 0 is 0 %. Safe as HTML.
pub fn percent(share: f64) -> String {
    if !share.is_finite() {
        "–".to_owned()
    } else if share == 0.0 || share == 1.0 {
        format!("{}\u{a0}%", share * 100.0)
    } else if share > 0.0 && share < 0.0005 {
        "≤\u{a0}0.1\u{a0}%".to_owned()
    } else if (0.9995..1.0).contains(&share) {
        "≥\u{a0}99.9\u{a0}%".to_owned()
    } else {
        format!("{:.1}\u{a0}%", share * 100.0)
    }
}

/// A share or similarity from 0 to 1 with this many digits: `0.93`. Only exactly 1 and 0 are written as
/// such; otherwise `>0.99`, `<0.01`.
pub fn share(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return "–".to_owned();
    }
    let written = format!("{value:.digits$}");
    let unit = 0.1f64.powi(digits as i32);
    match written.parse::<f64>() {
        Ok(1.0) if value < 1.0 => format!(">{:.digits$}", 1.0 - unit),
        Ok(0.0) if value > 0.0 => format!("<{unit:.digits$}"),
        _ => written,
    }
}

/// A figure for a spreadsheet: four decimals are more than any measure is worth, and a value below
/// 1 stays below 1.
pub fn cell(value: f64) -> String {
    if !value.is_finite() {
        return String::new();
    }
    let mut rounded = (value * 1e4).round() / 1e4;
    if rounded.fract() == 0.0 && value.fract() != 0.0 {
        // Close to a whole number, but not equal.
        rounded += if value < rounded { -1e-4 } else { 1e-4 };
    }
    let written = format!("{rounded:.4}");
    written.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A chosen value, such as a threshold, as a percentage without needless digits: `80`, `87.5`.
pub fn round_percent(share: f64) -> String {
    let hundredths = (share * 10_000.0).round() / 100.0;
    if hundredths.is_finite() { hundredths.to_string() } else { "–".to_owned() }
}

/// `512 B`, `3.4 MB`, `12.3 GB`
pub fn bytes(number: u64) -> String {
    let mut value = number as f64;
    let mut unit = "B";
    for next in ["kB", "MB", "GB", "TB", "PB", "EB"] {
        if value < 999.5 {
            break;
        }
        value /= 1000.0;
        unit = next;
    }
    if unit == "B" { format!("{number}\u{a0}B") } else { format!("{}\u{a0}{unit}", three_digits(value)) }
}

/// `35 ms`, `4.20 s`, `12 min 05 s`, `3 h 20 min`
pub fn duration(seconds: f64) -> String {
    if !seconds.is_finite() || seconds < 0.0 {
        return "–".to_owned();
    }
    if seconds < 0.9995 {
        return format!("{:.0}\u{a0}ms", seconds * 1000.0);
    }
    if seconds < 59.95 {
        return format!("{}\u{a0}s", three_digits(seconds));
    }
    let whole = seconds.round() as u64;
    if whole < 3600 {
        format!("{}\u{a0}min {:02}\u{a0}s", whole / 60, whole % 60)
    } else {
        format!("{}\u{a0}h {:02}\u{a0}min", count(whole / 3600), whole % 3600 / 60)
    }
}

/// Three significant digits of a value from 1 to 1000.
fn three_digits(value: f64) -> String {
    let decimals = if value < 9.995 {
        2
    } else if value < 99.95 {
        1
    } else {
        0
    };
    format!("{value:.decimals$}")
}

fn write_escaped(out: &mut Formatter, character: char) -> fmt::Result {
    match character {
        '&' => out.write_str("&amp;"),
        '<' => out.write_str("&lt;"),
        '>' => out.write_str("&gt;"),
        '"' => out.write_str("&quot;"),
        '\'' => out.write_str("&#39;"),
        '\t' | '\n' | '\r' => out.write_char(character),
        '\0'..='\u{1f}' => out.write_char(control_picture(character)),
        '\u{7f}' => out.write_char('\u{2421}'),
        '\u{80}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            write!(out, "⟦U+{:04X}⟧", character as u32)
        }
        _ => out.write_char(character),
    }
}

/// The visible Unicode symbol for an ASCII control character.
fn control_picture(character: char) -> char {
    char::from_u32(0x2400 + character as u32).unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_and_controls_are_disarmed() {
        let hostile = "<a href=\"x\" b='y'>&\0\u{1b}\u{7f}\u{85}\u{202e}\u{2069}é\n\u{200f}";
        assert_eq!(
            escaped(hostile).to_string(),
            "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;␀␛␡⟦U+0085⟧⟦U+202E⟧⟦U+2069⟧é\n\u{200f}"
        );
    }

    #[test]
    fn long_names_are_broken_between_their_parts() {
        assert_eq!(breakable("a/b.txt").to_string(), "a/b.txt", "fits anywhere");
        assert_eq!(
            breakable("https://example.org/a_long/path?x=1&y").to_string(),
            "https://<wbr>example.<wbr>org/<wbr>a_<wbr>long/<wbr>path?<wbr>x=<wbr>1&amp;<wbr>y"
        );
        assert_eq!(breakable("<script>aaaaaaaaaaaaaaaaaaaaaaaa").to_string().matches('<').count(), 0);
    }

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!(shortened("naïve", 3), "naï…");
        assert_eq!(shortened("naïve", 5), "naïve");
    }

    #[test]
    fn numbers_read_well() {
        let plain = |text: String| text.replace('\u{a0}', " ");
        assert_eq!([0, 999, 1000, 1_234_567].map(count), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!(plain(counted(1, "pair")), "1 pair");
        assert_eq!(plain(counted(0, "pair")), "0 pairs");
        assert_eq!(
            [9_999, 12_345, 999_499, 999_500, u64::MAX].map(short_count),
            ["9,999", "12.3k", "999k", "1.00M", "18.4E"]
        );
        assert_eq!(
            [0.0, 0.000_01, 0.974, 0.999_9, 1.0, f64::NAN].map(percent).map(plain),
            ["0 %", "≤ 0.1 %", "97.4 %", "≥ 99.9 %", "100 %", "–"]
        );
        assert_eq!(
            [0.0, 0.001, 0.934, 0.9951, 1.0, f64::NAN].map(|value| share(value, 2)),
            ["0.00", "<0.01", "0.93", ">0.99", "1.00", "–"]
        );
        assert_eq!(share(0.999_96, 3), ">0.999");
        assert_eq!(
            [0.0, 1e-9, 0.873_456_789_012_345_6, 0.999_999, 1.0, -12.5, 12.000_01, f64::NAN].map(cell),
            ["0", "0.0001", "0.8735", "0.9999", "1", "-12.5", "12.0001", ""]
        );
        assert_eq!([0.8, 0.875, 0.7].map(round_percent), ["80", "87.5", "70"]);
        assert_eq!(
            [0, 999, 1000, 3_400_000, 12_345_678_901].map(bytes).map(plain),
            ["0 B", "999 B", "1.00 kB", "3.40 MB", "12.3 GB"]
        );
        assert_eq!(
            [0.035, 4.2, 59.96, 725.0, 12_000.0, f64::NAN].map(duration).map(plain),
            ["35 ms", "4.20 s", "1 min 00 s", "12 min 05 s", "3 h 20 min", "–"]
        );
    }
}
