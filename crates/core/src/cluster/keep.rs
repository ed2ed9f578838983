//! Which member of a cluster is kept.
//!
//! Each rule turns a document into a number, larger being better. Rules are applied in turn, and
//! the id breaks ties, so the choice is the same whatever the order of the input.

use super::keep_rule::KeepRule;
use crate::document::{Document, Value};
use crate::error::{Error, Result};
use crate::registry::Registry;

/// Several rules, applied in turn.
pub struct KeepRules {
    /// The rules as they were written.
    pub text: String,
    /// The rules in the order in which they are applied.
    pub rules: Vec<Box<dyn KeepRule>>,
}

impl KeepRules {
    /// Parses `longest,newest,max:score,source:wiki>web`.
    pub fn parse(text: &str, registry: &Registry) -> Result<Self> {
        let rules = text
            .split(',')
            .map(|part| {
                let part = part.trim();
                let (name, argument) = part.split_once(':').unwrap_or((part, ""));
                registry.keep_rule(name, argument)
            })
            .collect::<Result<Vec<_>>>()?;
        Ok(KeepRules { text: text.to_owned(), rules })
    }
}

/// A rule that is a name alone.
pub(crate) fn no_argument(
    name: &str,
    argument: &str,
    rule: impl KeepRule + 'static,
) -> Result<Box<dyn KeepRule>> {
    if argument.is_empty() {
        Ok(Box::new(rule))
    } else {
        Err(Error::config(format!("keep rule `{name}` takes no argument, got `{argument}`")))
    }
}

pub(crate) struct Longest;

impl KeepRule for Longest {
    fn score(&self, document: &Document<'_>, _: &[Option<Value<'_>>]) -> u64 {
        document.text.len() as u64
    }
}

pub(crate) struct First;

impl KeepRule for First {
    fn score(&self, document: &Document<'_>, _: &[Option<Value<'_>>]) -> u64 {
        u64::MAX - document.position
    }
}

pub(crate) struct Newest;

impl KeepRule for Newest {
    fn fields(&self) -> Vec<String> {
        ["time", "date", "timestamp"].map(str::to_owned).to_vec()
    }

    fn score(&self, _: &Document<'_>, values: &[Option<Value<'_>>]) -> u64 {
        match values.iter().flatten().next() {
            Some(Value::Number(number)) => order_of(*number),
            Some(Value::Text(text)) => seconds_of(text).map_or(0, order_of),
            _ => 0,
        }
    }
}

pub(crate) struct ShortestUrl;

impl KeepRule for ShortestUrl {
    fn fields(&self) -> Vec<String> {
        vec!["url".to_owned()]
    }

    fn score(&self, _: &Document<'_>, values: &[Option<Value<'_>>]) -> u64 {
        match values.iter().flatten().next() {
            Some(Value::Text(url)) => u64::MAX - url.chars().count() as u64,
            _ => 0,
        }
    }
}

pub(crate) struct ByField {
    field: String,
    smallest: bool,
}

impl ByField {
    pub(crate) fn build(argument: &str, smallest: bool) -> Result<Box<dyn KeepRule>> {
        if argument.is_empty() {
            return Err(Error::config("keep rules `max` and `min` need a field, as in max:score"));
        }
        Ok(Box::new(ByField { field: argument.to_owned(), smallest }))
    }
}

impl KeepRule for ByField {
    fn fields(&self) -> Vec<String> {
        vec![self.field.clone()]
    }

    fn score(&self, _: &Document<'_>, values: &[Option<Value<'_>>]) -> u64 {
        let number = match values.iter().flatten().next() {
            Some(Value::Number(number)) => *number,
            Some(Value::Bool(yes)) => f64::from(u8::from(*yes)),
            Some(Value::Text(text)) => match text.trim().parse() {
                Ok(number) => number,
                Err(_) => return 0,
            },
            Some(Value::Many(_)) | None => return 0,
        };
        if number.is_nan() { 0 } else { order_of(if self.smallest { -number } else { number }) }
    }
}

pub(crate) struct Sources {
    ranked: Vec<String>,
}

impl Sources {
    pub(crate) fn build(argument: &str) -> Result<Box<dyn KeepRule>> {
        let ranked: Vec<String> = argument.split('>').map(|name| name.trim().to_owned()).collect();
        if ranked.iter().any(String::is_empty) {
            return Err(Error::config("keep rule `source` needs names, best first, as in source:wiki>web"));
        }
        Ok(Box::new(Sources { ranked }))
    }
}

impl KeepRule for Sources {
    fn fields(&self) -> Vec<String> {
        vec!["source".to_owned()]
    }

    fn score(&self, _: &Document<'_>, values: &[Option<Value<'_>>]) -> u64 {
        let Some(Some(Value::Text(source))) = values.first() else { return 0 };
        let place = self.ranked.iter().position(|name| name == source);
        place.map_or(0, |place| (self.ranked.len() - place) as u64)
    }
}

/// Seconds since 1970 of an ISO 8601 or e-mail date; without an offset it counts as UTC.
pub fn seconds_of(text: &str) -> Option<f64> {
    let text = text.trim();
    let zoned = text.parse::<jiff::Timestamp>().ok();
    let mailed = || jiff::fmt::rfc2822::parse(text).ok().map(|zoned| zoned.timestamp());
    let civil = || {
        let moment = text.parse::<jiff::civil::DateTime>().ok()?;
        Some(moment.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp())
    };
    let timestamp = zoned.or_else(civil).or_else(mailed);
    timestamp.map(|timestamp| timestamp.as_millisecond() as f64 / 1000.0).or_else(|| text.parse().ok())
}

/// Maps numbers to integers of the same order, all above 0, which means "no value".
fn order_of(number: f64) -> u64 {
    let bits = number.to_bits();
    let ordered = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
    ordered.max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn score(rule: &str, values: &[Option<Value<'_>>]) -> u64 {
        let registry = Registry::with_built_ins();
        let rules = KeepRules::parse(rule, &registry).unwrap();
        rules.rules[0].score(&Document::from_text("some text"), values)
    }

    #[test]
    fn numbers_keep_their_order() {
        let numbers = [f64::NEG_INFINITY, -2.5, -0.0, 1e-9, 3.0, 1e300, f64::INFINITY];
        assert!(numbers.windows(2).all(|pair| order_of(pair[0]) < order_of(pair[1])));
        let at = |rule, number| score(rule, &[Some(Value::Number(number))]);
        assert!(at("max:score", 2.0) > at("max:score", 1.0));
        assert!(at("min:score", 1.0) > at("min:score", 2.0));
    }

    #[test]
    fn a_missing_or_useless_value_is_worst() {
        assert_eq!(score("max:score", &[None]), 0);
        assert_eq!(score("min:score", &[Some(Value::Number(f64::NAN))]), 0);
        assert_eq!(score("max:score", &[Some(Value::Text("tall".into()))]), 0);
        assert_eq!(score("newest", &[None, None, None]), 0);
    }

    #[test]
    fn times_in_any_usual_notation() {
        let rising = [
            "2020-01-31",
            "2021-05-01 12:00:00",
            "2021-05-01T13:00:00Z",
            "2021-05-01T13:00:00-02:00",
            "Sun, 02 May 2021 08:00:00 +0000",
            "1700000000",
        ];
        let scores = rising.map(|time| score("newest", &[None, Some(Value::Text(time.into())), None]));
        assert!(scores.windows(2).all(|pair| pair[0] < pair[1]), "{scores:?}");
        assert_eq!(score("newest", &[Some(Value::Text("yesterday".into()))]), 0);
    }

    #[test]
    fn sources_rank_as_listed() {
        let at = |source: &'static str| score("source:wiki>web", &[Some(Value::Text(source.into()))]);
        assert!(at("wiki") > at("web") && at("web") > at("other"));
    }

    #[test]
    fn unknown_rules_list_the_known() {
        let registry = Registry::with_built_ins();
        let error = KeepRules::parse("tallest", &registry).err().unwrap().to_string();
        assert!(error.contains("tallest") && error.contains("shortest-url"), "{error}");
    }
}
