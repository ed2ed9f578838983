//! Figures 6-1 and 6-2 of the thesis, tagged text where there is markup, and times.

use lookalike_core::maths::ln;
use lookalike_learn::metrics::Judgement;

use super::DISTANCES;
use super::articles::Articles;
use super::markup::{Boost, Pages};
use super::measure::{Cell, PAPER_DOCUMENTS, Row};
use super::tables::{at, heading, short};
use crate::{Figure, Section};
use lookalike_report::plots::{Bin, Columns, LinePoint, Lines, Series};
use lookalike_report::text::count;

pub fn distribution(plain: &Row) -> Section {
    let bins = &plain.cells[0].first_bytes;
    let columns = Columns {
        title: "Simhashes by their first byte",
        x_label: "first byte",
        y_label: "documents",
        series: vec!["documents".to_owned()],
        bins: bins
            .iter()
            .enumerate()
            .map(|(byte, &documents)| Bin { label: byte.to_string(), values: vec![documents as f64] })
            .collect(),
    };
    let mut svg = String::new();
    let _ = columns.draw(&mut svg);
    let (least, most) = (bins.iter().min().copied().unwrap_or(0), bins.iter().max().copied().unwrap_or(0));
    let total: u64 = bins.iter().sum();
    Section {
        heading: "Distribution of simhashes in 256 bins (Figure 6-1)".to_owned(),
        text: format!(
            "{} simhashes by their first byte: {:.1} on average, {least} in the emptiest bin and {most} in the fullest. Deviations are {:.2} times those of a fair draw.",
            count(total),
            total as f64 / 256.0,
            unevenness(bins)
        ),
        table: Vec::new(),
        figures: vec![Figure {
            caption: "The thesis has bins of about 2,850 with a periodic pattern.".to_owned(),
            svg,
        }],
    }
}

/// How far the bins of a distribution are from even, as multiples of what chance alone gives.
fn unevenness(bins: &[u64]) -> f64 {
    let total: u64 = bins.iter().sum();
    let mean = total as f64 / bins.len().max(1) as f64;
    let squares: f64 = bins.iter().map(|&bin| (bin as f64 - mean) * (bin as f64 - mean)).sum();
    // For a fair draw, the squares sum to about the total.
    (squares / (total.max(1) as f64)).sqrt()
}

/// Upper ends of the classes of cluster sizes in the table.
const CLASSES: [(u64, u64); 8] =
    [(1, 1), (2, 2), (3, 3), (4, 5), (6, 10), (11, 20), (21, 50), (51, u64::MAX)];

pub fn clusters(plain: &Row) -> Section {
    let series = |(cell, &distance): (&Cell, &u32)| Series {
        name: format!("distance {}", at(distance)),
        points: cell
            .size
            .counts
            .iter()
            .map(|&(size, clusters)| LinePoint {
                x: size as f64,
                y: ln(clusters as f64) / ln(10.0),
                interval: None,
            })
            .collect(),
    };
    let lines = Lines {
        title: "Clusters of each size",
        x_label: "documents in the cluster",
        y_label: "clusters (power of ten)",
        series: plain.cells.iter().zip(&DISTANCES).map(series).collect(),
        ..Lines::default()
    };
    let mut svg = String::new();
    let _ = lines.draw(&mut svg);
    let mut table = vec![
        std::iter::once("Size".to_owned())
            .chain(DISTANCES.map(|distance| format!("distance {}", at(distance))))
            .collect::<Vec<_>>(),
    ];
    for (from, to) in CLASSES {
        let name = match to {
            u64::MAX => format!("from {from}"),
            _ if from == to => from.to_string(),
            _ => format!("{from}–{to}"),
        };
        let within = |cell: &Cell| {
            cell.size
                .counts
                .iter()
                .filter(|(size, _)| (from..=to).contains(size))
                .map(|(_, clusters)| clusters)
                .sum::<u64>()
        };
        if plain.cells.iter().all(|cell| within(cell) == 0) {
            continue;
        }
        table.push(std::iter::once(name).chain(plain.cells.iter().map(|cell| count(within(cell)))).collect());
    }
    Section {
        heading: "Clusters of each size (Figure 6-2)".to_owned(),
        text: "Every document leads the cluster of those within the distance, as in the thesis; a document without any is a cluster of one.".to_owned(),
        table,
        figures: vec![Figure { caption: "Number of clusters of each size, by distance, as powers of ten.".to_owned(), svg }],
    }
}

pub fn markup(pages: &Pages) -> Section {
    let head = heading("Factor for tagged words", |distance| {
        ["precision", "recall", "neighbours"].map(|what| format!("{what} {}", at(distance))).to_vec()
    });
    let cells = |(judgement, mean): &(Judgement, f64)| {
        vec![short(judgement.precision), short(judgement.recall), format!("{mean:.2}")]
    };
    let line = |boost: &Boost| {
        std::iter::once(format!("{:.1}", boost.factor)).chain(boost.cells.iter().flat_map(cells)).collect()
    };
    Section {
        heading: "Tagged text where there is markup".to_owned(),
        text: "The thesis suspected its corpus, which had hardly any markup. Help pages have headings, bold and italics throughout.".to_owned(),
        table: std::iter::once(head).chain(pages.boosts.iter().map(line)).collect(),
        figures: Vec::new(),
    }
}

/// The precision for a larger number of articles, if true pairs grow with the articles and false ones
/// with their square.
fn extrapolated(right: u64, wrong: u64, times: f64) -> f64 {
    right as f64 / (right as f64 + wrong as f64 * times)
}

pub fn size(articles: &Articles, rows: &[Row]) -> Section {
    let times = f64::from(PAPER_DOCUMENTS) / f64::from(articles.len().max(1));
    let head = heading("Method", |distance| {
        vec![
            format!("thesis {}", at(distance)),
            format!("wrong pairs {}", at(distance)),
            format!("precision {}", at(distance)),
        ]
    });
    let line = |row: &Row| {
        let cells = row.cells.iter().enumerate().flat_map(|(place, cell)| {
            let counts = cell.person.counts;
            let precision = extrapolated(counts.true_positives, counts.false_positives, times);
            let paper = row.variant.paper.map_or("–".to_owned(), |paper| format!("{:.2}", paper.0[place]));
            [paper, count(counts.false_positives), format!("{precision:.2}")]
        });
        std::iter::once(row.variant.name.clone()).chain(cells).collect()
    };
    Section {
        heading: "Precision carried to the size of the thesis's corpus".to_owned(),
        text: format!(
            "An estimate, not a measurement: our right pairs, and our wrong pairs {times:.0} times, since a corpus {times:.0} times as large has so many more of these for each right pair, if it is of the same kind."
        ),
        table: std::iter::once(head)
            .chain(rows.iter().filter(|row| row.variant.paper.is_some()).map(line))
            .collect(),
        figures: Vec::new(),
    }
}

pub fn time(articles: &Articles, plain: &Row, (seconds, pairs): (f64, u64), threads: usize) -> Section {
    let (documents, threads) = (f64::from(articles.len()), threads as f64);
    let stages = plain.cells[3].stages;
    let paper = f64::from(PAPER_DOCUMENTS);
    let row = |what: &str, thesis: String, ours: String| vec![what.to_owned(), thesis, ours];
    Section {
        heading: "Time (§6.2)".to_owned(),
        text: format!(
            "The thesis: {} articles signed in 10 minutes and compared in 2 hours, both on 8 cores. Ours on {threads} threads.",
            count(u64::from(PAPER_DOCUMENTS))
        ),
        table: vec![
            row("", "thesis".to_owned(), "ours".to_owned()),
            row(
                "signing, core time for a document",
                format!("{:.2} ms", 600.0 * 8.0 / paper * 1e3),
                format!("{:.3} ms", stages.sign * threads / documents * 1e3),
            ),
            row(
                "all pairs of the corpus within 3 bits, core time for a document",
                format!("{:.1} ms", 7200.0 * 8.0 / paper * 1e3),
                format!("{:.4} ms", stages.pair * threads / documents * 1e3),
            ),
            row(
                &format!("all pairs among {} fingerprints", count(u64::from(PAPER_DOCUMENTS))),
                "7200 s on 8 cores".to_owned(),
                format!("{seconds:.2} s ({} pairs found)", count(pairs)),
            ),
        ],
        figures: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_pairs_weigh_as_often_as_the_corpus_is_larger() {
        assert_eq!(extrapolated(90, 10, 1.0), 0.9);
        assert_eq!(extrapolated(90, 10, 9.0), 0.5);
    }

    #[test]
    fn an_even_distribution_is_no_more_uneven_than_chance() {
        assert_eq!(unevenness(&[5, 5, 5, 5]), 0.0);
        assert_eq!(unevenness(&[2, 0]), 1.0);
        assert!(unevenness(&[100, 0]) > 5.0);
        assert_eq!(unevenness(&[]), 0.0);
    }
}
