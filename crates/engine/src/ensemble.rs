//! What identifies an ensemble: all that its members compute.

use lookalike_core::candidates::Ensemble;
use lookalike_core::registry::Spec;
use lookalike_core::scheme::Scheme;
use toml::{Table, Value};

use crate::pipeline::Branch;

pub fn scheme(features: Spec, branches: &[Branch], votes: usize) -> Scheme {
    let mut candidates = Spec::new(Ensemble::INFO.name).with("votes", votes as i64);
    let mut names = Vec::new();
    for branch in branches {
        let mut member = Table::new();
        let own = branch.features.as_ref().map_or_else(|| features.clone(), |own| own.spec());
        for (stage, spec) in
            [("features", own), ("sign", branch.signer.spec()), ("candidates", branch.finder.spec())]
        {
            member.insert(stage.to_owned(), Value::Table(spec.to_table()));
        }
        candidates = candidates.with(&branch.name, Value::Table(member));
        names.push(Value::from(branch.name.clone()));
    }
    Scheme::new(features, Spec::new(Ensemble::INFO.name), candidates.with("methods", Value::Array(names)))
}
