//! The content of a cell in plain form: numbers without formatting, dates as ISO 8601.

use calamine::{Data, ExcelDateTime, ExcelDateTimeType};

/// The number of days from the one before Excel's first day to the year 10000.
const DAYS: f64 = 2_958_466.0;

pub fn shown(value: &Data) -> String {
    match value {
        Data::Int(number) => number.to_string(),
        Data::Float(number) => of_number(*number),
        Data::DateTime(moment) => of_moment(moment),
        Data::Empty => String::new(),
        Data::Bool(value) => of_bool(*value).to_owned(),
        other => other.to_string(),
    }
}

pub fn of_bool(value: bool) -> &'static str {
    if value { "TRUE" } else { "FALSE" }
}

/// As Excel shows it: 15 significant digits, so that 0.1 + 0.2 is 0.3.
pub fn of_number(number: f64) -> String {
    if !number.is_finite() {
        return number.to_string();
    }
    let rounded: f64 = format!("{number:.14e}").parse().unwrap_or(number);
    let size = rounded.abs();
    if size != 0.0 && !(1e-9..1e16).contains(&size) { format!("{rounded:E}") } else { rounded.to_string() }
}

/// A number of days in a cell whose format is a date or a time.
pub fn of_days(days: f64, is_1904: bool) -> String {
    of_moment(&ExcelDateTime::new(days, ExcelDateTimeType::DateTime, is_1904))
}

fn of_moment(moment: &ExcelDateTime) -> String {
    let days = moment.as_f64();
    if !(0.0..DAYS).contains(&days) || moment.is_duration() {
        return of_number(days);
    }
    let (year, month, day, hour, minute, second, _) = moment.to_ymd_hms_milli();
    let time = format!("{hour:02}:{minute:02}:{second:02}");
    match (days < 1.0, time.as_str()) {
        (true, time) => time.to_owned(),
        (false, "00:00:00") => format!("{year:04}-{month:02}-{day:02}"),
        (false, time) => format!("{year:04}-{month:02}-{day:02} {time}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_days() {
        let numbers = [0.1 + 0.2, 1.0, -2.5, 1e20, 1e-12, 123_456_789.125, 0.0];
        let expected = ["0.3", "1", "-2.5", "1E20", "1E-12", "123456789.125", "0"];
        assert_eq!(numbers.map(of_number), expected);
        assert_eq!(of_days(45_322.0, false), "2024-01-31");
        assert_eq!(of_days(45_322.5, false), "2024-01-31 12:00:00");
        assert_eq!(of_days(0.75, false), "18:00:00");
        assert_eq!(of_days(-1.0, false), "-1");
        assert_eq!(of_days(1e300, true), "1E300");
    }
}
