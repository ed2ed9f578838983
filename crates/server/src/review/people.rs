//! Who decided how much, and whether they agree.

use std::collections::{BTreeMap, HashMap};

use lookalike::index::Judgement;
use lookalike::judge::Confusion;
use schemars::JsonSchema;
use serde::Serialize;

/// How far people got.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "ReviewProgress")]
pub struct Progress {
    /// Pairs of documents with the one that stands for their cluster; of copies one.
    pub total: usize,
    /// Those that nobody decided of.
    pub left: usize,
    /// By name; `job N` stands for decisions that were taken over from a run.
    pub people: Vec<Person>,
    /// Each two who decided of the same pairs.
    pub agreement: Vec<Agreement>,
    /// Pairs whose last decision contradicts what others had said before.
    pub disputed: usize,
    /// Tags, and how many pairs have them.
    pub tags: BTreeMap<String, u64>,
}

#[derive(Default, Serialize, JsonSchema)]
#[schemars(rename = "Reviewer")]
pub struct Person {
    pub name: String,
    pub duplicates: u64,
    /// Pairs that are no duplicates.
    pub different: u64,
    /// Seconds since 1970 of the last decision.
    pub last: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct Agreement {
    pub one: String,
    pub other: String,
    /// Pairs of which both decided.
    pub both: u64,
    /// Of these, those of which they decided the same.
    pub same: u64,
    #[schemars(range(min = 0, max = 1))]
    pub share: f64,
    /// Cohen's kappa; null where chance alone would agree always.
    #[schemars(range(min = -1, max = 1))]
    pub kappa: Option<f64>,
}

pub fn people(judgements: &[Judgement]) -> Vec<Person> {
    let mut people: BTreeMap<&str, Person> = BTreeMap::new();
    for judgement in judgements {
        let person = people.entry(&judgement.by).or_default();
        person.name.clone_from(&judgement.by);
        *if judgement.duplicate { &mut person.duplicates } else { &mut person.different } += 1;
        person.last = person.last.max(judgement.time);
    }
    people.into_values().collect()
}

/// Each two people by name. Of two decisions that one made of the same texts for different readers the later counts.
pub fn agreement(judgements: &[Judgement]) -> Vec<Agreement> {
    let mut by_pair: HashMap<(u128, u128), BTreeMap<&str, bool>> = HashMap::new();
    let mut in_time: Vec<&Judgement> = judgements.iter().collect();
    in_time.sort_by_key(|judgement| judgement.time);
    for judgement in in_time {
        by_pair.entry(judgement.pair).or_default().insert(&judgement.by, judgement.duplicate);
    }
    let mut tables: BTreeMap<(&str, &str), Confusion> = BTreeMap::new();
    for said in by_pair.values() {
        for (place, (&one, &verdict)) in said.iter().enumerate() {
            for (&other, &also) in said.iter().skip(place + 1) {
                tables.entry((one, other)).or_default().add(verdict, also, 1.0);
            }
        }
    }
    let told = tables.into_iter().map(|((one, other), table)| {
        let same = table.true_positives + table.true_negatives;
        Agreement {
            one: one.to_owned(),
            other: other.to_owned(),
            both: (same + table.false_positives + table.false_negatives) as u64,
            same: same as u64,
            share: table.accuracy(),
            kappa: table.kappa(),
        }
    });
    told.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agreement_is_counted_on_pairs_that_both_judged() {
        let said = |by: &str, pair: u128, duplicate: bool, time: u64| Judgement {
            pair: (pair, 100),
            duplicate,
            by: by.to_owned(),
            time,
        };
        let mut all = Vec::new();
        // 20 both yes, 5 only Ada, 10 only Ben, 15 both no: a share of 0.7, of which chance explains 0.5.
        for pair in 0..50 {
            all.push(said("ada", pair, pair < 25, 1));
            all.push(said("ben", pair, pair < 20 || (25..35).contains(&pair), 2));
        }
        all.push(said("ada", 60, true, 9));
        // Who changed their mind is counted once.
        all.push(said("ada", 0, false, 0));
        all.push(said("cy", 70, true, 3));
        let told = agreement(&all);
        assert_eq!(told.len(), 1, "Cy shares no pair with anybody: {told:?}");
        let [Agreement { one, other, both: 50, same: 35, share, kappa: Some(kappa) }] = &told[..] else {
            panic!("{told:?}")
        };
        assert_eq!((one.as_str(), other.as_str()), ("ada", "ben"));
        assert!((share - 0.7).abs() < 1e-12 && (kappa - 0.4).abs() < 1e-12, "{told:?}");
        let people = people(&all);
        assert_eq!((people[0].name.as_str(), people[0].last, people[1].duplicates), ("ada", 9, 30));
    }
}
