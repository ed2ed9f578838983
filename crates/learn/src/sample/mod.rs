//! Clean splits, samples, and the pairs most worth a label.
