//! From a candidate pair to a verdict, on the documents' full feature sets.

mod bits;
pub mod classifier;
mod counter;
pub(crate) mod decider;
mod length_ratio;
pub(crate) mod measure;
mod measures;
mod overlap;
mod rule;
mod streams;
mod threshold;
mod weighted;

pub use bits::Bits;
pub use counter::OverlapCounter;
pub use decider::{Because, Decider, NO_REASON, Verdict};
pub use length_ratio::LengthRatio;
pub use measure::Measure;
pub use measures::{Containment, Cosine, Dice, Jaccard, Longer};
pub use overlap::Overlap;
pub use rule::OverlapAndLength;
pub use streams::WeightedStreams;
pub use threshold::Threshold;
pub use weighted::{Euclidean, ExtendedJaccard, WeightedCosine, WeightedDice, WeightedJaccard};
