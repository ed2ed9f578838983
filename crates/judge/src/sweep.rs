//! Series of recipes: one key, many values.

use lookalike_core::{Error, Result};

/// A recipe key and the values it takes in turn.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// The key of a recipe.
    pub key: String,
    /// The values in turn.
    pub values: Vec<String>,
}

/// The most values of a sweep: each is a whole run.
const MOST_VALUES: usize = 1000;

impl Sweep {
    /// `sign.lexicons=0..10`, `decide.threshold=0.5..0.9:0.1`, `cluster.type=star,components`.
    pub fn parse(text: &str) -> Result<Sweep> {
        let (key, values) = text.split_once('=').ok_or_else(|| {
            Error::config(format!("sweep `{text}`: write it as stage.key=0..10 or stage.key=a,b,c"))
        })?;
        let mut all = Vec::new();
        for part in values.split(',').map(str::trim) {
            match part.split_once("..") {
                Some((first, rest)) => all.extend(range(text, first, rest)?),
                None if part.is_empty() => {
                    return Err(Error::config(format!("sweep `{text}`: a value is empty")));
                }
                None => all.push(part.to_owned()),
            }
            if all.len() > MOST_VALUES {
                return Err(Error::config(format!("sweep `{text}`: more than {MOST_VALUES} values")));
            }
        }
        Ok(Sweep { key: key.trim().to_owned(), values: all })
    }
}

/// The numbers from `first` to the end of `rest`, which may name a step: `10`, `0.9:0.1`.
fn range(text: &str, first: &str, rest: &str) -> Result<Vec<String>> {
    let (last, step) = rest.split_once(':').map_or((rest, None), |(last, step)| (last, Some(step)));
    let wrong = || Error::config(format!("sweep `{text}`: `{first}..{rest}` is no range of numbers"));
    let number = |text: &str| text.trim().parse::<f64>().ok().filter(|number| number.is_finite());
    let (Some(low), Some(high)) = (number(first), number(last)) else { return Err(wrong()) };
    let whole = low.fract() == 0.0 && high.fract() == 0.0;
    let step = match step {
        Some(step) => number(step).filter(|&step| step > 0.0).ok_or_else(wrong)?,
        None if whole => 1.0,
        None => {
            return Err(Error::config(format!("sweep `{text}`: say the step, as in 0.5..0.9:0.1")));
        }
    };
    let steps = (high - low) / step;
    if steps < 0.0 || steps > MOST_VALUES as f64 {
        return Err(wrong());
    }
    // With as many digits as were written: sums of 0.1 would have more.
    let digits = [first, last, &step.to_string()]
        .iter()
        .map(|text| text.trim().split_once('.').map_or(0, |(_, digits)| digits.len()))
        .max()
        .unwrap_or(0);
    Ok((0..=(steps + 1e-9) as usize).map(|place| format!("{:.digits$}", low + step * place as f64)).collect())
}

/// Every combination of the sweeps' values, as (key, value) settings; a single empty one without
/// sweeps.
pub fn combinations(sweeps: &[Sweep]) -> Result<Vec<Vec<(String, String)>>> {
    let mut all = vec![Vec::new()];
    for sweep in sweeps {
        if all.len() * sweep.values.len() > MOST_VALUES {
            return Err(Error::config(format!("the sweeps have more than {MOST_VALUES} combinations")));
        }
        let longer = |settings: &Vec<(String, String)>| {
            let settings = settings.clone();
            sweep.values.iter().map(move |value| {
                let mut settings = settings.clone();
                settings.push((sweep.key.clone(), value.clone()));
                settings
            })
        };
        all = all.iter().flat_map(longer).collect();
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_listed_or_counted() {
        let values = |text: &str| Sweep::parse(text).unwrap().values.join(" ");
        assert_eq!(values("sign.lexicons=0..4"), "0 1 2 3 4");
        assert_eq!(values("sign.lexicons=0,2,5..6"), "0 2 5 6");
        assert_eq!(values("decide.threshold=0.5..0.9:0.1"), "0.5 0.6 0.7 0.8 0.9");
        assert_eq!(values("decide.threshold=0.5..0.6:0.05"), "0.50 0.55 0.60");
        assert_eq!(values("sign.lexicons=0..10:5"), "0 5 10");
        assert_eq!(values("cluster.type=star,components"), "star components");
    }

    #[test]
    fn wrong_sweeps_are_refused() {
        for wrong in [
            "lexicons",
            "k=",
            "k=1..",
            "k=5..1",
            "k=0.5..0.9",
            "k=0..1:0",
            "k=0..1:nan",
            "k=0..100000",
            "k=a..b",
        ] {
            assert!(Sweep::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sweeps_combine() {
        let sweeps = [Sweep::parse("a.b=1,2").unwrap(), Sweep::parse("c.d=x,y,z").unwrap()];
        let all = combinations(&sweeps).unwrap();
        assert_eq!(all.len(), 6);
        assert_eq!(all[3], [("a.b".to_owned(), "2".to_owned()), ("c.d".to_owned(), "x".to_owned())]);
        assert_eq!(combinations(&[]).unwrap(), [vec![]]);
    }
}
