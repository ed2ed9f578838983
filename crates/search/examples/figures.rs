//! How fast a corpus is indexed and asked: `figures CORPUS.jsonl FOLDER [QUERY…]`.
//!
//! Every document is its own master and visible to all, so the figures are those of search alone.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::time::{Duration, Instant};

use lookalike_core::{Error, Result};
use lookalike_search::{DocumentAccess, Query, Search, SearchSettings};

struct All;

impl DocumentAccess for All {
    fn masters(&self, numbers: &[u32]) -> Vec<Option<u32>> {
        numbers.iter().map(|&number| Some(number)).collect()
    }

    fn document(&self, _: u32) -> Option<Vec<u8>> {
        None
    }
}

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [corpus, folder, queries @ ..] = &arguments[..] else {
        return Err(Error::config("usage: figures CORPUS.jsonl FOLDER [QUERY…]"));
    };
    let start = Instant::now();
    let search = Search::open(Path::new(folder), SearchSettings::default())?;
    println!("opened in {:.3} s, {} documents", start.elapsed().as_secs_f64(), search.len());
    index(&search, Path::new(corpus))?;
    for text in queries {
        ask(&search, Query::new(text.as_str()))?;
        ask(&search, Query { facets: vec!["source".to_owned()], ..Query::new(text.as_str()) })?;
    }
    Ok(())
}

fn index(search: &Search, corpus: &Path) -> Result<()> {
    let (start, from) = (Instant::now(), search.next()?);
    let file = std::fs::File::open(corpus).map_err(Error::io(corpus))?;
    let (mut commits, mut last) = (vec![Duration::ZERO], Instant::now());
    for (number, line) in BufReader::new(file).split(b'\n').enumerate().skip(from as usize) {
        search.add(number as u32, &line.map_err(Error::io(corpus))?)?;
        // As a service does.
        if last.elapsed() > Duration::from_millis(500) {
            let before = Instant::now();
            search.commit()?;
            commits.push(before.elapsed());
            last = Instant::now();
        }
    }
    search.commit()?;
    let (seconds, added) = (start.elapsed().as_secs_f64(), search.next()? - from);
    commits.sort_unstable();
    let (middle, most) = (commits[commits.len() / 2], commits[commits.len() - 1]);
    println!(
        "added {added} in {seconds:.1} s: {:.0} a second; commits {middle:?}, at most {most:?}",
        f64::from(added) / seconds
    );
    Ok(())
}

fn ask(search: &Search, query: Query) -> Result<()> {
    let mut times = Vec::new();
    let mut total = 0;
    for _ in 0..15 {
        let start = Instant::now();
        total = search.query(&query, &All)?.total;
        times.push(start.elapsed());
    }
    times.sort_unstable();
    println!(
        "{:<28} facets {} total {total:>8} median {:?}, worst {:?}",
        query.text,
        query.facets.len(),
        times[7],
        times[14]
    );
    Ok(())
}
