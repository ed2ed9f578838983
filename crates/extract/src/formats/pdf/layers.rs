//! Layers that the document hides: optional content.

use std::collections::BTreeSet;

use hayro_syntax::object::{Array, Dict, Name, ObjectIdentifier};

#[derive(Default)]
pub struct Layers {
    hidden: BTreeSet<ObjectIdentifier>,
}

impl Layers {
    pub fn new(catalog: &Dict<'_>) -> Self {
        let mut hidden = BTreeSet::new();
        if let Some(properties) = catalog.get::<Dict<'_>>("OCProperties") {
            let shown_first = properties.get::<Dict<'_>>("D").unwrap_or_default();
            if shown_first.get::<Name<'_>>("BaseState").is_some_and(|state| state.as_str() == "OFF") {
                hidden.extend(identifiers(&properties, "OCGs"));
            }
            for id in identifiers(&shown_first, "ON") {
                hidden.remove(&id);
            }
            hidden.extend(identifiers(&shown_first, "OFF"));
        }
        Layers { hidden }
    }

    /// Whether what belongs to the layer that `holder` names under `key` is shown.
    pub fn shows(&self, holder: &Dict<'_>, key: &[u8]) -> bool {
        if self.hidden.is_empty() {
            return true;
        }
        let Some(layer) = holder.get::<Dict<'_>>(key) else { return true };
        if layer.get::<Name<'_>>("Type").is_none_or(|kind| kind.as_str() != "OCMD") {
            return holder.get_ref(key).is_none_or(|id| !self.hidden.contains(&id.into()));
        }
        let mut members = identifiers(&layer, "OCGs");
        if let Some(single) = layer.get_ref("OCGs").filter(|_| members.is_empty()) {
            members.push(single.into());
        }
        let is_hidden = |id: &ObjectIdentifier| self.hidden.contains(id);
        let policy = layer.get::<Name<'_>>("P");
        members.is_empty()
            || match policy.as_ref().map(|policy| policy.as_str()) {
                Some("AllOn") => !members.iter().any(is_hidden),
                Some("AnyOff") => members.iter().any(is_hidden),
                Some("AllOff") => members.iter().all(is_hidden),
                _ => !members.iter().all(is_hidden),
            }
    }
}

fn identifiers(dictionary: &Dict<'_>, key: &str) -> Vec<ObjectIdentifier> {
    let Some(array) = dictionary.get::<Array<'_>>(key) else { return Vec::new() };
    array.raw_iter().filter_map(|item| Some(item.as_obj_ref()?.into())).collect()
}
