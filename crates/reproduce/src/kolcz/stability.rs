//! K08 Table 4 and Figure 2: how many randomised lexicons until one is unaffected by changes.
//!
//! The table follows from equations 6 and 7, the figure from equation 1, and the two contradict each
//! other. A simulation with real signatures decides between them.

use lookalike_core::lexicon::simulate;
use lookalike_core::lexicon::stability::{
    TABLE_4_CHANGES, TABLE_4_DROPPED, TABLE_4_TERMS, dropped_terms, expected_as_printed,
    expected_by_equation_1, expected_exactly, survival,
};

use crate::{Data, Experiment, Reproduced, Section};
use lookalike_core::{Error, Result};
use lookalike_engine::run::Progress;
use lookalike_report::plots::{LinePoint, Lines, Series};
use lookalike_report::text::{count, counted};

pub const EXPERIMENT: Experiment = Experiment {
    name: "k08-table-4",
    paper: "K08 Table 4 and Figure 2; K04 Figure 1",
    summary: "Randomised lexicons until a signature survives changes: by formula, and simulated",
    data: &[],
    quick: true,
    run,
};

/// Table 4 as the paper prints it.
const PRINTED: [[f64; 5]; 3] = [
    [2.23, 7.44, 56.10, 3_309.92, 932_403_182.29],
    [2.23, 7.41, 54.98, 3_037.91, 527_924_300.92],
    [2.23, 7.41, 54.87, 3_012.39, 499_897_879.50],
];

const LEXICONS: [u32; 5] = [1, 2, 5, 10, 31];
const MOST_CHANGES: u32 = 10;
const SIMULATED_TERMS: usize = 1000;
const SIMULATED_CHANGES: [u32; 4] = [1, 2, 3, 5];
const TRIALS: u32 = 20_000;
const SEED: u64 = 1;

fn run(_: &Data, _: &dyn Progress) -> Result<Reproduced> {
    let judged = SIMULATED_CHANGES.iter().map(|&changes| judge(changes)).collect::<Result<Vec<_>>>()?;
    let largest = |off: fn(&Judged) -> f64| judged.iter().map(off).fold(0.0, f64::max);
    let least = judged.iter().map(Judged::off_equation_6).fold(f64::INFINITY, f64::min);
    Ok(Reproduced {
        name: EXPERIMENT.name.to_owned(),
        title: "Stability of I-Match signatures under changes".to_owned(),
        paper: EXPERIMENT.paper.to_owned(),
        data: vec!["none: formulas and a simulation".to_owned()],
        differs: vec![
            "Equation 6 gives the chance that a copy of the lexicon lacks none of the changed words, and calls it the chance that the signature stays. It stays if the copy lacks all of them, as the text before equation 1 says; Table 4 therefore promises far too much, and its column for 2 changes should read 9.2.".to_owned(),
            "A bootstrap sample lacks 1/e = 0.368 of a large lexicon, not 0.33 as both papers say; the tables here use the papers' 0.33.".to_owned(),
        ],
        sections: vec![table_4(), figure_2()?, simulation(&judged)],
        findings: vec![
            format!(
                "Table 4 follows from equation 6: 13 of 15 cells to the last digit, two are printed 0.01 higher; the largest difference is {:.3}.",
                largest_difference()
            ),
            format!(
                "The simulation of {} lexicons for each number of changes is at most {:.1} standard errors from equation 1 and at least {least:.0} from equation 6: the table is wrong, the figure is right.",
                count(TRIALS.into()),
                largest(Judged::off_equation_1),
            ),
            "Ten copies save a signature from one change (0.98) and often from two (0.68), hardly from five (0.04): replacing one word counts as two changes.".to_owned(),
        ],
        seconds: 0.0,
    })
}

/// The largest difference between the formula and the printed table, in any cell.
fn largest_difference() -> f64 {
    let ours =
        TABLE_4_TERMS.iter().flat_map(|&terms| TABLE_4_CHANGES.map(|changes| as_printed(terms, changes)));
    ours.zip(PRINTED.iter().flatten()).map(|(ours, theirs)| (ours - theirs).abs()).fold(0.0, f64::max)
}

fn as_printed(terms: u64, changes: u32) -> f64 {
    expected_as_printed(terms, dropped_terms(terms, TABLE_4_DROPPED), changes.into())
}

fn table_4() -> Section {
    let mut table = vec![vec!["terms of the lexicon".to_owned(), "figure".to_owned()]];
    table[0].extend(TABLE_4_CHANGES.map(|changes| format!("{changes} changes")));
    for (terms, printed) in TABLE_4_TERMS.into_iter().zip(PRINTED) {
        let missing = dropped_terms(terms, TABLE_4_DROPPED);
        let exactly = |changes: u32| expected_exactly(terms, missing, changes.into());
        for (name, figures) in [
            ("paper", printed),
            ("equation 6, ours", TABLE_4_CHANGES.map(|changes| as_printed(terms, changes))),
            ("all changed words lacking, exactly", TABLE_4_CHANGES.map(exactly)),
        ] {
            let cells = [count(terms), name.to_owned()].into_iter().chain(figures.map(number));
            table.push(cells.collect());
        }
    }
    let by_one = TABLE_4_CHANGES.map(|changes| number(expected_by_equation_1(TABLE_4_DROPPED, changes)));
    table.push(["any".to_owned(), "equation 1".to_owned()].into_iter().chain(by_one).collect());
    Section {
        heading: "Table 4: expected lexicons until one is unaffected".to_owned(),
        text: "Each copy lacks 0.33 of the terms.".to_owned(),
        table,
        figures: Vec::new(),
    }
}

fn figure_2() -> Result<Section> {
    let changes: Vec<u32> = (1..=MOST_CHANGES).collect();
    let mut table = vec![vec!["changes".to_owned()]];
    table[0].extend(LEXICONS.map(|lexicons| counted(lexicons.into(), "lexicon")));
    for &changes in &changes {
        let chances = LEXICONS.map(|lexicons| format!("{:.4}", survival(TABLE_4_DROPPED, changes, lexicons)));
        table.push(std::iter::once(changes.to_string()).chain(chances).collect());
    }
    let series = LEXICONS.map(|lexicons| Series {
        name: counted(lexicons.into(), "lexicon"),
        points: (0..=MOST_CHANGES)
            .map(|changes| LinePoint {
                x: changes.into(),
                y: survival(TABLE_4_DROPPED, changes, lexicons),
                interval: None,
            })
            .collect(),
    });
    let plot = Lines {
        title: "Stability by equation 1, 0.33 of the terms lacking",
        x_label: "changed words of the lexicon",
        y_label: "chance that a signature survives",
        series: series.into(),
        y_range: Some((0.0, 1.0)),
        ..Lines::default()
    };
    Ok(Section {
        heading: "Figure 2: chance that at least one signature survives".to_owned(),
        text: "By equation 1. The paper draws its curves by the same equation and prints no numbers."
            .to_owned(),
        table,
        figures: vec![super::bags::figure("K08 Figure 2 (K04 Figure 1), drawn by equation 1.", &plot)?],
    })
}

struct Judged {
    changes: u32,
    outcome: simulate::Simulated,
    equation_1: f64,
    equation_6: f64,
}

impl Judged {
    fn off_equation_1(&self) -> f64 {
        self.outcome.standard_errors_from(self.equation_1)
    }

    fn off_equation_6(&self) -> f64 {
        self.outcome.standard_errors_from(self.equation_6)
    }
}

fn judge(changes: u32) -> Result<Judged, Error> {
    let experiment = simulate::Simulation {
        terms: SIMULATED_TERMS,
        dropped: TABLE_4_DROPPED,
        changes: changes as usize,
        lexicons: 1,
        trials: TRIALS,
        seed: SEED,
    };
    Ok(Judged {
        changes,
        outcome: experiment.run()?,
        equation_1: survival(TABLE_4_DROPPED, changes, 1),
        equation_6: as_printed(SIMULATED_TERMS as u64, changes).recip(),
    })
}

fn simulation(judged: &[Judged]) -> Section {
    let headings = [
        "changes",
        "simulated",
        "equation 1",
        "off by (standard errors)",
        "equation 6",
        "off by (standard errors)",
    ];
    let mut table = vec![headings.map(str::to_owned).to_vec()];
    table.extend(judged.iter().map(|row| {
        vec![
            row.changes.to_string(),
            format!("{:.4}", row.outcome.share()),
            format!("{:.4}", row.equation_1),
            format!("{:.1}", row.off_equation_1()),
            format!("{:.4}", row.equation_6),
            format!("{:.1}", row.off_equation_6()),
        ]
    }));
    Section {
        heading: "The judge: signatures made and compared".to_owned(),
        text: format!(
            "{} copies of a lexicon of {} terms for each number of changes; the share whose signature is the same before and after.",
            count(TRIALS.into()),
            count(SIMULATED_TERMS as u64)
        ),
        table,
        figures: Vec::new(),
    }
}

/// With two decimals as in the paper, or as a power of ten.
fn number(value: f64) -> String {
    if value < 1e12 {
        let cents = (value * 100.0).round() as u64;
        return format!("{}.{:02}", count(cents / 100), cents % 100);
    }
    format!("{value:.2e}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formula_gives_the_print_and_the_simulation_contradicts_it() {
        assert!(largest_difference() < 0.011, "{}", largest_difference());
        let wrong = PRINTED.iter().flatten().zip(TABLE_4_TERMS.iter().flat_map(|&terms| {
            TABLE_4_CHANGES.map(|changes| (as_printed(terms, changes) * 100.0).round() / 100.0)
        }));
        assert_eq!(wrong.filter(|(theirs, ours)| **theirs != *ours).count(), 2, "13 of 15 to the last digit");
        for changes in SIMULATED_CHANGES {
            let judged = judge(changes).unwrap();
            assert!(judged.off_equation_1() < 4.0 && judged.off_equation_6() > 8.0, "{changes}");
        }
    }

    #[test]
    fn the_findings_quote_what_the_formula_says() {
        let quoted =
            [(1, 10), (2, 10), (5, 10)].map(|(n, k)| format!("{:.2}", survival(TABLE_4_DROPPED, n, k)));
        assert_eq!(quoted, ["0.98", "0.68", "0.04"]);
        assert_eq!(number(expected_by_equation_1(TABLE_4_DROPPED, 2)), "9.18");
    }
}
