//! Tagged text where there is markup: help pages in several versions (S09 §5.4).

use lookalike_core::registry::Registry;
use lookalike_core::{Error, Result};
use lookalike_learn::metrics::{Judgement, Truth};
use serde_json::json;

use super::measure::{Sizes, judged, outcomes};
use super::variants::Variant;
use crate::Data;
use lookalike_engine::run::Progress;

/// How much words in headings, bold and italics weigh, and the results at each distance.
pub struct Boost {
    pub factor: f64,
    pub cells: Vec<(Judgement, f64)>,
}

pub struct Pages {
    pub documents: u32,
    pub boosts: Vec<Boost>,
}

pub fn measure(data: &Data, registry: &Registry, progress: &dyn Progress) -> Result<Pages> {
    let job = data.marked_job(&["docs-versions.tar.zst"], progress)?;
    let (mut lines, mut pages) = (Vec::new(), Vec::new());
    job.corpus()?.for_each(&[], |_, id, document| {
        // English only, since stop words and word weights are English.
        if let Some(page) = page_of(&id.display()).filter(|page| page.starts_with("lohelp/en-us/")) {
            let line = json!({ "id": id.display(), "text": document.text });
            lines.extend_from_slice(line.to_string().as_bytes());
            lines.push(b'\n');
            pages.push(page);
        }
        Ok(())
    })?;
    let file = data.scratch().join("pages.jsonl");
    std::fs::write(&file, lines).map_err(Error::io(&file))?;
    let job = lookalike_engine::run::Job { inputs: vec![file.to_string_lossy().into_owned()], ..job };
    let documents = pages.len() as u32;
    let truth = Truth::Clusters(numbers(&pages));
    let boosts = [1.0, 1.5, 3.0].map(|factor| {
        let outcomes = outcomes(&Variant::boosted(factor), &job, registry, progress)?;
        let cells = outcomes.into_iter().map(|outcome| {
            let pairs: Vec<(u32, u32)> = outcome.all_pairs()?.into_iter().map(|(a, b, _)| (a, b)).collect();
            Ok((judged(documents, &pairs, &outcome.masters, &truth)?, Sizes::of(documents, &pairs).mean))
        });
        Ok(Boost { factor, cells: cells.collect::<Result<Vec<_>>>()? })
    });
    Ok(Pages { documents, boosts: boosts.into_iter().collect::<Result<Vec<_>>>()? })
}

/// `lohelp/en-us/a.html` for `docs.tar.zst#lohelp/en-us/7.4/a.html`: the page, whatever its version.
fn page_of(id: &str) -> Option<String> {
    let path = &id[id.find("lohelp/")?..];
    let mut parts = path.splitn(4, '/');
    let (kind, language, _version, page) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
    Some(format!("{kind}/{language}/{page}"))
}

fn numbers(pages: &[String]) -> Vec<Option<u32>> {
    let mut known: Vec<&String> = pages.iter().collect();
    known.sort_unstable();
    known.dedup();
    pages.iter().map(|page| known.binary_search(&page).ok().map(|place| place as u32)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_a_page_are_the_same_page() {
        let page = |version: &str| page_of(&format!("docs.tar.zst#lohelp/en-us/{version}/text/a/b.html"));
        assert_eq!(page("7.0"), page("25.2"));
        assert_eq!(page("7.0").as_deref(), Some("lohelp/en-us/text/a/b.html"));
        assert_eq!(page_of("other/en-us/7.0/a"), None);
        let pages = ["b", "a", "b"].map(str::to_owned);
        assert_eq!(numbers(&pages), [Some(1), Some(0), Some(1)]);
    }
}
