//! The papers that the names of parts and experiments cite by a key, so that every key is
//! explained.

const PAPERS: [(&str, &str); 5] = [
    (
        "K04",
        "Kołcz, Chowdhury, Alspector: Improved robustness of signature-based near-replica detection via lexicon randomization, 2004",
    ),
    ("K08", "Kołcz, Chowdhury: Lexicon randomization for near-duplicate detection with I-Match, 2008"),
    ("S09", "Seshasai: Efficient near duplicate document detection for specialized corpora, 2009"),
    (
        "X15",
        "Pamulaparty, Guru Rao, Sreenivasa Rao: XNDDF, a framework for flexible near-duplicate document detection, 2015",
    ),
    (
        "L17",
        "Pamulaparty, Guru Rao, Sreenivasa Rao: LSBSM, identification of near duplicates in web documents, 2017",
    ),
];

/// A line for each key in the text, to be printed below it; empty if there is none.
pub fn explained(text: &str) -> String {
    let used = PAPERS.iter().filter(|(key, _)| text.contains(key));
    let lines: String = used.map(|(key, paper)| format!("{key}: {paper}\n")).collect();
    if lines.is_empty() { lines } else { format!("\n{lines}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_keys_in_a_text_are_explained() {
        let lines = explained("paper: Broder 1997; S09 §2.4; K08");
        assert_eq!(lines.lines().filter(|line| line.starts_with("K08: Kołcz")).count(), 1);
        assert!(lines.contains("S09: Seshasai") && !lines.contains("X15"));
        assert_eq!(explained("paper: Broder 1997"), "");
    }
}
