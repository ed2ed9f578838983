//! Labelled pairs and clusters, as people write them: JSON lines or CSV.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use lookalike_core::{Error, Result};
use serde_json::Value;

/// The meaning of labels.
#[derive(Clone, Debug)]
pub struct Labels {
    /// The key that holds the label.
    pub field: String,
    /// Labels that mean a near-duplicate, besides the usual ones.
    pub positive: Vec<String>,
    /// For labels that are numbers: the least that means a near-duplicate.
    pub least: Option<f64>,
    /// Labels of pairs to leave out, such as `unsure`.
    pub skipped: Vec<String>,
}

impl Default for Labels {
    fn default() -> Self {
        Labels { field: "label".to_owned(), positive: Vec::new(), least: None, skipped: Vec::new() }
    }
}

/// A pair of ids and whether a person (or a measure) calls it a near-duplicate.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelledPair {
    /// The id of one document.
    pub a: String,
    /// The id of the other.
    pub b: String,
    /// Whether they are near-duplicates.
    pub duplicate: bool,
}

/// The pairs of a file, and how many of them were left out because of their label.
pub fn read_pairs(path: &Path, labels: &Labels) -> Result<(Vec<LabelledPair>, u64)> {
    let (mut pairs, mut skipped) = (Vec::new(), 0);
    for_each_row(path, |row, place| {
        let id = |key: &str| {
            let value = row.get(key).map(text_of).filter(|text| !text.is_empty());
            value.ok_or_else(|| Error::Input(format!("{place}: no id `{key}`")))
        };
        let (a, b) = (id("a")?, id("b")?);
        match labels.parse_label(row, place)? {
            Some(duplicate) => pairs.push(LabelledPair { a, b, duplicate }),
            None => skipped += 1,
        }
        Ok(())
    })?;
    Ok((pairs, skipped))
}

impl Labels {
    /// Whether the row's pair is a near-duplicate; `None` if it is left out.
    fn parse_label(&self, row: &BTreeMap<String, Value>, place: &str) -> Result<Option<bool>> {
        // A file without labels lists near-duplicates.
        let Some(value) = row.get(&self.field) else {
            return match self.least {
                None => Ok(Some(true)),
                Some(_) => Err(Error::Input(format!("{place}: no number `{}`", self.field))),
            };
        };
        let text = text_of(value);
        if let Some(least) = self.least {
            let number: f64 = text.parse().map_err(|_| {
                Error::Input(format!("{place}: `{}` is {text}, a number is needed", self.field))
            })?;
            return Ok(Some(number >= least));
        }
        if self.skipped.contains(&text) {
            return Ok(None);
        }
        if !self.positive.is_empty() {
            return Ok(Some(self.positive.contains(&text)));
        }
        match text.to_lowercase().as_str() {
            "true" | "1" | "yes" | "y" | "duplicate" | "near-duplicate" | "positive" => Ok(Some(true)),
            "false" | "0" | "no" | "n" | "different" | "not-duplicate" | "negative" => Ok(Some(false)),
            "" | "unsure" | "skip" | "null" => Ok(None),
            _ => Err(Error::config(format!(
                "{place}: nobody said what label `{text}` means; name the labels of near-duplicates with --positive"
            ))),
        }
    }
}

/// The cluster of each document: lines with `id` and `cluster`, or with `members`, as clusters.jsonl has.
pub fn read_clusters(path: &Path) -> Result<BTreeMap<String, String>> {
    let mut clusters = BTreeMap::new();
    for_each_row(path, |row, place| {
        let missing = |key: &str| Error::Input(format!("{place}: no `{key}`"));
        let cluster = row.get("cluster").map(text_of);
        if let Some(Value::Array(members)) = row.get("members") {
            let cluster = cluster.unwrap_or_else(|| place.to_owned());
            for member in members {
                let id = member.get("id").unwrap_or(member);
                clusters.insert(text_of(id), cluster.clone());
            }
            return Ok(());
        }
        let id = row.get("id").map(text_of).ok_or_else(|| missing("id"))?;
        clusters.insert(id, cluster.ok_or_else(|| missing("cluster"))?);
        Ok(())
    })?;
    Ok(clusters)
}

/// Calls `visit` with every row as keys and values, and with its place in the file.
fn for_each_row(
    path: &Path,
    mut visit: impl FnMut(&BTreeMap<String, Value>, &str) -> Result<()>,
) -> Result<()> {
    let bytes = std::fs::read(path).map_err(Error::io(path))?;
    let name = path.display();
    let bytes = if bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) { unpacked(&bytes, path)? } else { bytes };
    let text =
        String::from_utf8(bytes).map_err(|_| Error::Input(format!("{name}: labels must be UTF-8 text")))?;
    let text = text.trim_start_matches('\u{feff}');
    let is_json = text.trim_start().starts_with('{');
    let mut lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let mut header = Vec::new();
    if !is_json {
        let (_, first) = lines.next().ok_or_else(|| Error::Input(format!("{name}: no labels")))?;
        header = csv_row(first);
        let distinct: BTreeSet<&String> = header.iter().collect();
        if distinct.len() < header.len() || header.len() < 2 {
            return Err(Error::Input(format!(
                "{name}: neither JSON lines nor CSV with a row of distinct names: {}",
                first.chars().take(60).collect::<String>()
            )));
        }
    }
    for (number, line) in lines {
        let place = format!("{name}: line {}", number + 1);
        let row: BTreeMap<String, Value> = if is_json {
            serde_json::from_str(line).map_err(|error| Error::Input(format!("{place}: {error}")))?
        } else {
            let cells = csv_row(line);
            if cells.len() != header.len() {
                return Err(Error::Input(format!(
                    "{place}: {} cells, the first line names {}",
                    cells.len(),
                    header.len()
                )));
            }
            header.iter().cloned().zip(cells.into_iter().map(Value::String)).collect()
        };
        visit(&row, &place)?;
    }
    Ok(())
}

fn unpacked(bytes: &[u8], path: &Path) -> Result<Vec<u8>> {
    let mut decoder = zstd::Decoder::new(bytes).map_err(Error::io(path))?;
    decoder.window_log_max(31).map_err(Error::io(path))?;
    let mut unpacked = Vec::new();
    std::io::copy(&mut decoder, &mut unpacked).map_err(Error::io(path))?;
    Ok(unpacked)
}

/// The text of a scalar, as ids and labels are compared.
pub fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The cells of a line; a quoted cell may hold commas, and doubled quotes.
fn csv_row(line: &str) -> Vec<String> {
    let mut cells = vec![String::new()];
    let (mut quoted, mut characters) = (false, line.trim_end_matches('\r').chars().peekable());
    while let Some(character) = characters.next() {
        let last = cells.len() - 1;
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cells[last].push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => cells.push(String::new()),
            other => cells[last].push(other),
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(text: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        file
    }

    #[test]
    fn pairs_are_read_from_json_lines_and_from_csv() {
        let expected = vec![
            LabelledPair { a: "x".into(), b: "7".into(), duplicate: true },
            LabelledPair { a: "x,\"y".into(), b: "z".into(), duplicate: false },
        ];
        let json = file(
            "{\"a\":\"x\",\"b\":7,\"label\":true}\n\n{\"a\":\"x,\\\"y\",\"b\":\"z\",\"label\":\"no\"}\n",
        );
        let csv = file("\u{feff}a,b,label\r\nx,7,1\r\n\"x,\"\"y\",z,different\r\n");
        for file in [json, csv] {
            assert_eq!(read_pairs(file.path(), &Labels::default()).unwrap(), (expected.clone(), 0));
        }
    }

    #[test]
    fn labels_mean_what_the_user_says() {
        let pairs = file("{\"a\":1,\"b\":2,\"label\":\"cut\"}\n{\"a\":1,\"b\":3,\"label\":\"non\"}\n");
        let labels = Labels { positive: vec!["cut".into()], ..Labels::default() };
        let found: Vec<bool> =
            read_pairs(pairs.path(), &labels).unwrap().0.iter().map(|pair| pair.duplicate).collect();
        assert_eq!(found, [true, false]);
        let error = read_pairs(pairs.path(), &Labels::default()).unwrap_err().to_string();
        assert!(error.contains("`cut`") && error.contains("--positive"), "{error}");

        let numbers = file("{\"a\":1,\"b\":2,\"j\":0.8}\n{\"a\":1,\"b\":3,\"j\":0.79}\n");
        let labels = Labels { field: "j".into(), least: Some(0.8), ..Labels::default() };
        let found: Vec<bool> =
            read_pairs(numbers.path(), &labels).unwrap().0.iter().map(|pair| pair.duplicate).collect();
        assert_eq!(found, [true, false]);

        let unsure = file("{\"a\":1,\"b\":2,\"label\":\"unsure\"}\n{\"a\":1,\"b\":3}\n");
        assert_eq!(read_pairs(unsure.path(), &Labels::default()).unwrap().1, 1);
    }

    #[test]
    fn bad_files_are_told_by_line() {
        for (text, expected) in [
            ("{\"a\":1,\"label\":1}", "line 1: no id `b`"),
            ("{\"a\":1,\"b\":2}\n{broken", "line 2"),
            ("a,b,label\n1,2\n", "line 2: 2 cells"),
            ("one\n", "neither JSON lines nor CSV"),
            ("", "no labels"),
        ] {
            let file = file(text);
            let error = read_pairs(file.path(), &Labels::default()).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn clusters_by_line_and_by_members() {
        let lines = file("{\"id\":\"x\",\"cluster\":1}\n{\"id\":\"y\",\"cluster\":1}\n");
        let members =
            file("{\"cluster\":1,\"members\":[{\"id\":\"x\",\"similarity\":1.0},{\"id\":\"y\"}]}\n");
        for file in [lines, members] {
            let clusters = read_clusters(file.path()).unwrap();
            assert_eq!(clusters.get("x"), clusters.get("y"));
            assert_eq!(clusters.len(), 2);
        }
    }
}
