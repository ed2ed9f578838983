//! Which documents are truly near-duplicates: groups with the same 5-grams, and pairs at or above the threshold.

use std::collections::HashMap;
use std::io::{self, Write};

use crate::compose::OWN_GRAMS;
use crate::join::{self, Pair};
use crate::plan::{Plan, Shape};
use crate::words::{Words, jaccard, overlap};

/// A group of more documents than this is written as one line, not as its millions of pairs.
const MAX_EXPANDED_GROUP: usize = 1000;

pub struct Truth {
    /// All pairs with J >= min_j, a < b, sorted; without the pairs inside a big group.
    pub pairs: Vec<Pair>,
    /// Big groups, with a lower bound of the similarity of any two of their documents.
    pub groups: Vec<(Vec<u32>, f64)>,
    /// How many planted pairs have a similarity of 0.00..0.05, 0.05..0.10, … 0.95..1.00, and exactly 1.
    pub planted_histogram: [usize; 21],
}

pub fn compute(words: &Words, plan: &Plan, shape: Shape, min_j: f64) -> Truth {
    let mut groups = Vec::new();
    let mut joined: Vec<u32> = (0..words.documents() as u32).collect();
    if shape == Shape::Template {
        // All pairs of these are similar: nothing that lists pairs may see them.
        let members = plan.big_group();
        groups.push((members.clone(), bound_template_similarity(words, &members, plan, min_j)));
        joined.retain(|&document| plan.slots[document as usize].group == Shape::Ordinary);
    }
    let copies = group_identical(words, &joined);
    let distinct: Vec<u32> = copies.iter().map(|group| group[0]).collect();
    let group_of: HashMap<u32, &Vec<u32>> = copies.iter().map(|group| (group[0], group)).collect();
    let mut pairs = Vec::new();
    for group in &copies {
        if group.len() > MAX_EXPANDED_GROUP {
            groups.push((group.clone(), 1.0));
            continue;
        }
        for (i, &a) in group.iter().enumerate() {
            pairs.extend(group[i + 1..].iter().map(|&b| Pair { a, b, j: 1.0 }));
        }
    }
    for found in join::similar_pairs(words, &distinct, min_j) {
        for &x in group_of[&found.a] {
            pairs.extend(group_of[&found.b].iter().map(|&y| Pair { a: x.min(y), b: x.max(y), j: found.j }));
        }
    }
    pairs.sort_unstable_by_key(|pair| (pair.a, pair.b));
    let planted_histogram = check_planted(words, plan, &pairs, min_j);
    Truth { pairs, groups, planted_histogram }
}

/// Compares every planted pair by brute force: for the histogram, and as a proof that the join misses none.
fn check_planted(words: &Words, plan: &Plan, pairs: &[Pair], min_j: f64) -> [usize; 21] {
    let similarities = join::in_parallel(&plan.planted_clusters(), |clusters| {
        let mut similarities = Vec::new();
        for cluster in clusters {
            let sets: Vec<_> = cluster.iter().map(|&document| words.gram_set(document)).collect();
            for i in 0..cluster.len() {
                for k in i + 1..cluster.len() {
                    let j = jaccard(&sets[i], &sets[k]);
                    let (a, b) = (cluster[i], cluster[k]);
                    let found = pairs.binary_search_by_key(&(a, b), |pair| (pair.a, pair.b));
                    assert_eq!(
                        found.is_ok(),
                        j >= min_j,
                        "the join and brute force disagree on {a}, {b}: {j}"
                    );
                    similarities.push(j);
                }
            }
        }
        similarities
    });
    let mut histogram = [0; 21];
    for j in similarities {
        histogram[(j * 20.0) as usize] += 1;
    }
    histogram
}

fn group_identical(words: &Words, documents: &[u32]) -> Vec<Vec<u32>> {
    let digests = join::in_parallel(documents, |part| {
        part.iter()
            .map(|&d| words.gram_set(d).into_iter().fold(0, |sum: u64, g| sum.wrapping_add(join::hash(g))))
            .collect()
    });
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut with_digest: HashMap<u64, Vec<usize>> = HashMap::new();
    for (&document, &digest) in documents.iter().zip(&digests) {
        let known = with_digest.entry(digest).or_default();
        let same = known.iter().find(|&&g| words.gram_set(groups[g][0]) == words.gram_set(document));
        match same {
            Some(&group) => groups[group].push(document),
            None => {
                known.push(groups.len());
                groups.push(vec![document]);
            }
        }
    }
    groups
}

/// A lower bound for any two template documents: what all share, over that and twice what a document has alone.
fn bound_template_similarity(words: &Words, members: &[u32], plan: &Plan, min_j: f64) -> f64 {
    let mut shared = words.gram_set(members[0]);
    for &member in members {
        let set = words.gram_set(member);
        shared.retain(|gram| set.binary_search(gram).is_ok());
    }
    let longest_own = members.iter().map(|&m| words.gram_set(m).len() - shared.len()).max().unwrap_or(0);
    assert!(longest_own <= OWN_GRAMS, "a template document has too much of its own");
    // No ordinary document may come near the template, or pairs across would be missing from the truth.
    for document in 0..plan.slots.len() as u32 {
        if plan.slots[document as usize].group == Shape::Ordinary {
            let set = words.gram_set(document);
            let common = overlap(&set, &shared) + longest_own;
            assert!(
                (common as f64) < min_j * shared.len() as f64,
                "an ordinary document is like the template"
            );
        }
    }
    shared.len() as f64 / (shared.len() + 2 * longest_own) as f64
}

/// `first`: the number of the first document.
pub fn write(truth: &Truth, first: u32, out: &mut impl Write) -> io::Result<()> {
    let id = |position: u32| id(first + position);
    for (members, min_j) in &truth.groups {
        let ids: Vec<String> = members.iter().map(|&m| id(m)).collect();
        writeln!(out, "{}", serde_json::json!({ "group": ids, "min_j": min_j }))?;
    }
    for pair in &truth.pairs {
        writeln!(out, "{{\"a\":\"{}\",\"b\":\"{}\",\"j\":{:.6}}}", id(pair.a), id(pair.b), pair.j)?;
    }
    Ok(())
}

/// The id of the document at a position; ids sort as the positions do.
pub fn id(position: u32) -> String {
    format!("doc-{position:08}")
}
