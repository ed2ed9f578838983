//! The identity of a way to compare: it names what made a signature, so that others are not mixed
//! with it.

use toml::{Table, Value};

use crate::hash;
use crate::part::Spec;

/// Method and parameters of features, signature and keys, with a digest that is the same on every
/// machine and in every version that computes the same bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct Scheme {
    /// The specs by stage.
    pub parts: Table,
    /// For example `minhash-1f0c3a…`.
    pub id: String,
}

impl Scheme {
    /// The scheme of these three stages.
    pub fn new(features: Spec, sign: Spec, candidates: Spec) -> Self {
        let label = sign.kind.clone();
        let mut parts = Table::new();
        for (stage, spec) in [("features", features), ("sign", sign), ("candidates", candidates)] {
            parts.insert(stage.to_owned(), Value::Table(spec.to_table()));
        }
        Scheme::of(label, parts)
    }

    /// The scheme with one more stage before the others: documents read from files in some way.
    pub fn with_extraction(&self, extraction: Table) -> Self {
        let mut parts = self.parts.clone();
        parts.insert("extract".to_owned(), Value::Table(extraction));
        let label = self.id.rsplit_once('-').map_or(self.id.as_str(), |(label, _)| label);
        Scheme::of(label.to_owned(), parts)
    }

    fn of(label: String, parts: Table) -> Self {
        let mut canonical = String::new();
        write_canonical(&Value::Table(parts.clone()), &mut canonical);
        let id = format!("{label}-{:016x}", hash::bytes(canonical.as_bytes()));
        Scheme { parts, id }
    }
}

/// A text form that depends on nothing but the values: keys sorted, no optional white space.
fn write_canonical(value: &Value, out: &mut String) {
    match value {
        Value::Table(table) => {
            let mut keys: Vec<&String> = table.keys().collect();
            keys.sort();
            out.push('{');
            for key in keys {
                out.push_str(&format!("{key:?}:"));
                write_canonical(&table[key], out);
                out.push(';');
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for item in items {
                write_canonical(item, out);
                out.push(';');
            }
            out.push(']');
        }
        Value::String(text) => out.push_str(&format!("{text:?}")),
        Value::Float(number) => out.push_str(&format!("f{:016x}", number.to_bits())),
        other => out.push_str(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scheme(hashes: i64) -> Scheme {
        let sign = Spec::new("minhash").with("seed", 1).with("hashes", hashes);
        Scheme::new(Spec::new("shingles"), sign, Spec::new("bands"))
    }

    #[test]
    fn the_digest_depends_on_every_parameter_and_on_nothing_else() {
        let reordered = Spec::new("minhash").with("hashes", 128).with("seed", 1);
        let same = Scheme::new(Spec::new("shingles"), reordered, Spec::new("bands"));
        assert_eq!(scheme(128), same);
        assert_ne!(scheme(128).id, scheme(64).id);
        assert_eq!(scheme(128).id, GOLDEN);
    }

    const GOLDEN: &str = "minhash-0ce2f7d2fe795734";
}
