//! What `[candidates] type = …` names: a keyer or a join.

use super::join::Join;
use super::keyer::Keyer;
use crate::part::Spec;

/// How candidates are found: what `[candidates] type = …` names.
pub enum Finder {
    /// Documents that share a key are candidates.
    Keys(Box<dyn Keyer>),
    /// A join looks at all documents together.
    Join(Box<dyn Join>),
}

impl Finder {
    /// A keyer, as the registry takes it.
    pub fn keys(keyer: impl Keyer + 'static) -> Box<Finder> {
        Box::new(Finder::Keys(Box::new(keyer)))
    }

    /// A join, as the registry takes it.
    pub fn join(join: impl Join + 'static) -> Box<Finder> {
        Box::new(Finder::Join(Box::new(join)))
    }

    /// The type and parameters that rebuild the keyer or join.
    pub fn spec(&self) -> Spec {
        match self {
            Finder::Keys(keyer) => keyer.spec(),
            Finder::Join(join) => join.spec(),
        }
    }
}
