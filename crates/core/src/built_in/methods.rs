//! The built-in methods.

use crate::error::Result;
use crate::method::Method;

/// Name, summary, paper, recipe.
const BUILT_IN: [[&str; 4]; 14] = [
    [
        "minhash",
        "MinHash with LSH bands, every candidate verified: near-duplicates in large corpora",
        "Broder 1997; S09 §2.4",
        "features = { type = 'shingles' }
         sign = { type = 'minhash' }
         candidates = { type = 'bands' }",
    ],
    [
        "exact",
        "Documents with the same text (or, with features.normalise, the same words)",
        "",
        "features = { type = 'whole' }
         sign = { type = 'digest' }
         candidates = { type = 'whole' }
         decide = { threshold = 1.0 }",
    ],
    [
        "imatch",
        "I-Match with randomised lexicons: the same words of middling rarity, in any order",
        "K04; K08; S09 §2.4.3",
        "features = { type = 'words', min_length = 4, max_digits = 1 }
         sign = { type = 'imatch', lexicon = 'english' }
         candidates = { type = 'any' }
         decide = { measure = 'cosine', threshold = 0.9 }",
    ],
    [
        "textprofile",
        "The same frequent words with about the same frequencies, with randomised copies",
        "Apache Solr, TextProfileSignature; K08 §1",
        "features = { type = 'terms', min_length = 2 }
         sign = { type = 'textprofile' }
         candidates = { type = 'any' }
         decide = { measure = 'cosine', threshold = 0.9 }",
    ],
    [
        "simhash",
        "Simhashes of weighted words that differ in few bits",
        "Charikar 2002; Manku, Jain, Das Sarma 2007; S09",
        "features = { type = 'terms', stop_words = 'english', weight = 'idf', lexicon = 'english' }
         sign = { type = 'simhash' }
         candidates = { type = 'hamming' }
         decide = { measure = 'weighted-cosine', threshold = 0.9 }",
    ],
    [
        "supershingle",
        "Two of six supershingles agree: very similar documents, at little cost",
        "Broder 1997; S09 §2.4.1",
        "features = { type = 'shingles' }
         sign = { type = 'minhash', hashes = 84 }
         candidates = { type = 'bands', bands = 6, rows = 14, agree = 2 }",
    ],
    [
        "megashingle",
        "One of fifteen megashingles agrees: every two of six supershingles as one key",
        "Fetterly, Manasse, Najork 2003; K08 §2",
        "features = { type = 'shingles' }
         sign = { type = 'minhash', hashes = 84 }
         candidates = { type = 'bands', bands = 6, rows = 14, agree = 2 }",
    ],
    [
        "word-tuples",
        "LSH of word tuples, checked by true word overlap: the same words in any order",
        "Haveliwala, Gionis, Indyk 2000; K08 §4",
        "features = { type = 'words' }
         sign = { type = 'minhash', hashes = 1000 }
         candidates = { type = 'bands', bands = 125, rows = 8 }
         decide = { measure = 'jaccard', threshold = 0.7 }",
    ],
    [
        "spotsigs",
        "SpotSigs: what follows stop words, joined exactly: articles among changing page furniture",
        "Theobald, Siddharth, Paepcke 2008; L17; X15",
        "features = { type = 'spots' }
         sign = { type = 'digest' }
         candidates = { type = 'join' }
         decide = { measure = 'jaccard', threshold = 0.5 }",
    ],
    [
        "lsbs",
        "Location-sensitive bitwise similarity: the same bytes at the same places",
        "L17",
        "features = { type = 'chunks' }
         sign = { type = 'digest' }
         candidates = { type = 'size-window' }
         decide = { measure = 'longer', threshold = 0.8 }",
    ],
    [
        "sentences",
        "Sentences taken over: one document, or much of it, lies within another",
        "Brin, Davis, Garcia-Molina 1995; S09 §2.5.5; X15 §2",
        "features = { type = 'sentences' }
         sign = { type = 'digest' }
         candidates = { type = 'join' }
         decide = { measure = 'containment', threshold = 0.5 }",
    ],
    [
        "cosine",
        "All pairs whose distinct words have a cosine of at least 0.9, none missed: the truth for others",
        "K04 §6.4; K08 §6.4",
        "features = { type = 'words' }
         sign = { type = 'digest' }
         candidates = { type = 'join', lexicon = 'english' }
         decide = { measure = 'cosine', threshold = 0.9 }",
    ],
    [
        "ensemble",
        "Several methods propose, one verification decides; the report says who found what",
        "X15 §2",
        "features = { type = 'shingles' }
         candidates = { type = 'ensemble', methods = ['minhash', 'simhash', 'imatch'] }",
    ],
    [
        "classifier",
        "A function trained on your labelled pairs decides over many similarities at once",
        "X15",
        "features = { type = 'shingles', shingle = 3 }
         decide = { type = 'classifier' }
         [candidates]
         type = 'ensemble'
         methods = ['minhash', 'word-tuples']
         minhash = { features = { shingle = 3 }, decide = { measure = 'jaccard', threshold = 0.3 } }",
    ],
];

pub(crate) fn built_in() -> Result<Vec<Method>> {
    BUILT_IN.iter().map(|[name, summary, paper, recipe]| Method::new(name, summary, paper, recipe)).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn built_in_recipes_parse() {
        assert_eq!(super::built_in().unwrap().len(), super::BUILT_IN.len());
    }
}
