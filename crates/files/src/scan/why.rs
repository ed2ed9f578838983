//! Why a document is the one to keep, in words; and which date counts for it.

use super::info::Info;

/// The rule that decided, as a run names it, in words and with the document's values. `others` are
/// those that are not kept.
pub fn because(kept_by: &str, master: &Info, others: &[&Info]) -> String {
    match kept_by.split_once(':').unwrap_or((kept_by, "")) {
        ("longest", "") => format!("the longest text, {} words", master.words),
        ("newest", "") => {
            let (time, whose) = dated(master);
            let day = |time: &str| time.split('T').next().unwrap_or_default().to_owned();
            // If the days are equal, the times are shown.
            let same_day = others.iter().any(|other| day(&dated(other).0) == day(&time));
            let time = if same_day { time } else { day(&time) };
            format!("the newest, {time} by the date of the {whose}")
        }
        ("first", "") => "the first".to_owned(),
        ("shortest-url", "") => "the shortest address".to_owned(),
        ("max", "pixels") => "the most pixels".to_owned(),
        ("max", "picture_bytes") => "the larger file of as many pixels".to_owned(),
        ("max", field) => format!("the largest `{field}`"),
        ("min", field) => format!("the smallest `{field}`"),
        ("id", "") => "first by name, as no rule tells it from the next best".to_owned(),
        _ => format!("best by `{kept_by}`"),
    }
}

/// The time that the rule `newest` uses: the document's own, or otherwise the file's; and whose it
/// is.
pub fn dated(info: &Info) -> (String, &'static str) {
    match &info.date {
        Some(date) => (date.clone(), "document"),
        None => (moment(info.modified), "file"),
    }
}

pub fn moment(nanos: u64) -> String {
    let moment = jiff::Timestamp::from_second((nanos / 1_000_000_000) as i64).unwrap_or_default();
    moment.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_that_decided_is_told_with_what_it_saw() {
        let info = |date: Option<&str>| Info {
            words: 20,
            date: date.map(str::to_owned),
            modified: 1_700_000_000_000_000_000,
            ..Info::default()
        };
        let (dated, undated) = (info(Some("2024-05-05T10:00:00")), info(None));
        let case = |rule: &str, master: &Info, other: &Info| because(rule, master, &[other]);
        assert_eq!(case("longest", &dated, &undated), "the longest text, 20 words");
        assert_eq!(case("newest", &dated, &undated), "the newest, 2024-05-05 by the date of the document");
        assert_eq!(case("newest", &undated, &dated), "the newest, 2023-11-14 by the date of the file");
        assert_eq!(
            case("newest", &undated, &undated),
            "the newest, 2023-11-14T22:13:20Z by the date of the file",
            "the same day"
        );
        assert_eq!(case("max:pixels", &undated, &undated), "the most pixels");
        assert_eq!(case("max:score", &undated, &undated), "the largest `score`");
        assert_eq!(case("source:a>b", &undated, &undated), "best by `source:a>b`");
        assert_eq!(case("id", &undated, &undated), "first by name, as no rule tells it from the next best");
    }
}
