//! From features to a signature of fixed size.

mod digest;
mod fingerprint;
mod imatch;
mod minhash;
mod randomise;
pub(crate) mod signer;
mod simhash;
mod text_profile;

pub use digest::Digest;
pub use fingerprint::Fingerprint;
pub use imatch::IMatch;
pub use minhash::MinHash;
pub(crate) use randomise::{COORDINATE, NO_COORDINATE};
pub use signer::Signer;
pub use simhash::Simhash;
pub use text_profile::TextProfile;
