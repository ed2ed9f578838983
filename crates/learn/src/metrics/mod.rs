//! What a method found, judged against what is true.
