//! How likely a signature survives changes to a document, by the formulas of the papers.
//!
//! A copy of a lexicon of L terms lacks M = p·L of them. A document's signature by that copy is
//! unaffected by changes to n of the lexicon's terms when the copy lacks **all** of these n. That is
//! eq. 1 of K04 and of K08. Eq. 6 and 7 of K08, and its Table 4, instead compute the chance that the
//! copy lacks **none** of them, which is the opposite: every change is then noticed. Both are
//! implemented here, the table as it was printed and what follows from eq. 1. The simulation in
//! [`simulate`](super::simulate) agrees with eq. 1.
//!
//! ```
//! use lookalike_core::lexicon::stability::{expected_as_printed, expected_by_equation_1, survival};
//! assert!((survival(0.33, 1, 10) - 0.98).abs() < 0.01);
//! assert_eq!(format!("{:.2}", expected_as_printed(1000, 330, 5)), "7.44");
//! assert_eq!(format!("{:.2}", expected_by_equation_1(0.33, 5)), "255.52");
//! ```

/// Eq. 1: the chance that at least one of `lexicons` copies, each lacking a fraction `dropped` of the
/// terms, gives the same signature after `changes` terms were added or removed.
pub fn survival(dropped: f64, changes: u32, lexicons: u32) -> f64 {
    if changes == 0 {
        return 1.0;
    }
    if lexicons == 0 {
        return 0.0;
    }
    let unaffected = dropped.clamp(0.0, 1.0).powi(changes as i32);
    // The same as 1 − (1 − q)^K, but exact when q is tiny.
    -(f64::from(lexicons) * (-unaffected).ln_1p()).exp_m1()
}

/// The expected number of copies until one is unaffected, by eq. 1: 1/pⁿ.
pub fn expected_by_equation_1(dropped: f64, changes: u32) -> f64 {
    dropped.clamp(0.0, 1.0).powi(changes as i32).recip()
}

/// The same without eq. 1's approximation: exactly `missing` of `terms` are dropped, so the chance
/// is C(L−n, M−n) / C(L, M).
pub fn expected_exactly(terms: u64, missing: u64, changes: u64) -> f64 {
    ratio(terms, missing, changes)
}

/// Eq. 6 and 7 as printed: 1/q with q = C(L−n, M) / C(L, M), the chance that none of the changed
/// terms is among the dropped.
pub fn expected_as_printed(terms: u64, missing: u64, changes: u64) -> f64 {
    ratio(terms, terms.saturating_sub(missing), changes)
}

/// 1 / ((m/L) · ((m−1)/(L−1)) · …), n factors: how rarely n terms drawn from L all lie among m of them.
fn ratio(terms: u64, among: u64, drawn: u64) -> f64 {
    if drawn > among.min(terms) {
        return f64::INFINITY;
    }
    (0..drawn).map(|already| (terms - already) as f64 / (among - already) as f64).product()
}

/// K08's Table 4: sizes of the lexicon, numbers of changed terms, and the fraction dropped.
pub const TABLE_4_TERMS: [u64; 3] = [1_000, 10_000, 100_000];
/// Numbers of changed terms in K08's Table 4.
pub const TABLE_4_CHANGES: [u32; 5] = [2, 5, 10, 20, 50];
/// The fraction of terms dropped in K08's Table 4.
pub const TABLE_4_DROPPED: f64 = 0.33;

/// Table 4 by its own formula: a row for each size, a column for each number of changes.
pub fn table_4() -> [[f64; 5]; 3] {
    TABLE_4_TERMS.map(|terms| {
        let missing = dropped_terms(terms, TABLE_4_DROPPED);
        TABLE_4_CHANGES.map(|changes| expected_as_printed(terms, missing, changes.into()))
    })
}

/// M, the whole number of terms that a fraction of them is.
pub fn dropped_terms(terms: u64, dropped: f64) -> u64 {
    ((terms as f64 * dropped).round() as u64).min(terms)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Thirteen of fifteen to the last printed digit. Two are printed one too high in that digit:
    /// exact fractions give 527,924,300.9147 (printed .92) and 3,012.3847 (printed .39).
    #[test]
    fn table_4_is_the_printed_one() {
        let exact = [
            ["2.23", "7.44", "56.10", "3309.92", "932403182.29"],
            ["2.23", "7.41", "54.98", "3037.91", "527924300.91"],
            ["2.23", "7.41", "54.87", "3012.38", "499897879.50"],
        ];
        assert_eq!(table_4().map(|row| row.map(|number| format!("{number:.2}"))), exact);
        let mut printed = exact;
        (printed[1][4], printed[2][3]) = ("527924300.92", "3012.39");
        for (ours, theirs) in table_4().iter().flatten().zip(printed.iter().flatten()) {
            assert!((ours - theirs.parse::<f64>().unwrap()).abs() < 0.006, "{ours} {theirs}");
        }
    }

    /// The curve of K04's Figure 1 (p = 0.33) at points computed by hand.
    #[test]
    fn equation_1_at_sample_points() {
        for (changes, lexicons, expected) in [
            (1, 1, 0.33),
            (1, 2, 0.5511),
            (1, 5, 1.0 - 0.67f64.powi(5)),
            (1, 10, 1.0 - 0.67f64.powi(10)),
            (2, 1, 0.1089),
            (2, 10, 1.0 - 0.8911f64.powi(10)),
            (3, 10, 1.0 - (1.0 - 0.035937f64).powi(10)),
            (20, 10, 10.0 * 0.33f64.powi(20)),
        ] {
            let got = survival(0.33, changes, lexicons);
            assert!((got - expected).abs() < 1e-9 * expected.max(1e-3), "{changes} {lexicons}: {got}");
        }
    }

    #[test]
    fn the_ends_of_the_scale() {
        assert_eq!(survival(0.33, 0, 0), 1.0, "nothing changed");
        assert_eq!(survival(0.33, 1, 0), 0.0, "the original lexicon sees every change");
        assert_eq!((survival(0.0, 1, 10), survival(1.0, 7, 1)), (0.0, 1.0));
        assert_eq!(expected_by_equation_1(0.0, 2), f64::INFINITY);
        assert_eq!(expected_exactly(10, 3, 4), f64::INFINITY, "more changes than dropped terms");
        assert_eq!(expected_as_printed(10, 3, 8), f64::INFINITY);
        assert_eq!(expected_as_printed(10, 30, 1), f64::INFINITY);
        assert_eq!((expected_exactly(10, 3, 0), expected_as_printed(10, 3, 0)), (1.0, 1.0));
    }

    #[test]
    fn more_lexicons_help_and_more_changes_hurt() {
        for changes in 1..20 {
            for lexicons in 1..20 {
                let here = survival(0.33, changes, lexicons);
                assert!(survival(0.33, changes, lexicons + 1) > here);
                assert!(survival(0.33, changes + 1, lexicons) < here);
            }
        }
    }

    #[test]
    fn the_exact_chance_nears_equation_1_as_the_lexicon_grows() {
        let off = |terms| {
            let missing = dropped_terms(terms, 0.33);
            (expected_exactly(terms, missing, 5) / expected_by_equation_1(0.33, 5) - 1.0).abs()
        };
        assert!(off(1_000) > off(10_000) && off(10_000) > off(100_000));
        assert!(off(100_000) < 1e-3, "{}", off(100_000));
    }
}
