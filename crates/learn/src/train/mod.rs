//! Training: from labelled similarity vectors to a discriminative function.
