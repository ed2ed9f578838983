//! In how many documents of a collection each word or feature occurs: [`Session::build_lexicon`](crate::Session::build_lexicon)
//! counts a corpus, [`import`] takes counts made elsewhere.

pub use lookalike_core::lexicon::{About, Lexicon, Window};
pub use lookalike_engine::lexicon::{Built, CountJob, NATIVE, import, open};
