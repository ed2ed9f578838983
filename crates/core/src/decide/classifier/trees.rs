//! Decision trees.
//!
//! A tree is a list of nodes in which children come after their parent, so that every path ends.
//! Inner nodes keep the value they would have as leaves: the change of value at a split is the
//! contribution of the split's component.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// The first node is the root.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tree {
    /// All nodes; splits name them by their places.
    pub nodes: Vec<Node>,
}

/// A node, which is a leaf or has a split.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Node {
    /// From -1, only distinct documents here, to 1, only near-duplicates.
    pub value: f64,
    /// A leaf has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub split: Option<Split>,
}

/// Which of two nodes follows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Split {
    /// The component of the vector that decides.
    pub component: usize,
    /// The value that it must reach.
    pub threshold: f64,
    /// The node for values below the threshold.
    pub below: usize,
    /// The node for values that reach it.
    pub above: usize,
}

impl Tree {
    /// The value of the leaf that a vector falls into.
    pub fn value(&self, component: impl Fn(usize) -> f64) -> f64 {
        self.walk(component, |_, _| ())
    }

    /// Goes from the root to a leaf and reports for each split its component and the change of
    /// value.
    pub fn walk(&self, component: impl Fn(usize) -> f64, mut step: impl FnMut(usize, f64)) -> f64 {
        let Some(mut node) = self.nodes.first() else { return 0.0 };
        let mut place = 0;
        while let Some(split) = node.split {
            let reaches = component(split.component) >= split.threshold;
            let next = if reaches { split.above } else { split.below };
            // A checked tree has the child, and has it after its parent.
            let Some(child) = self.nodes.get(next).filter(|_| next > place) else { break };
            step(split.component, child.value - node.value);
            (place, node) = (next, child);
        }
        node.value
    }

    pub(super) fn root_value(&self) -> f64 {
        self.nodes.first().map_or(0.0, |node| node.value)
    }

    /// Refuses a tree that goes round in circles or reads components that are not there.
    pub fn check(&self, width: usize) -> Result<()> {
        let wrong = |message: String| Err(Error::Incompatible(format!("the model has a tree {message}")));
        if self.nodes.is_empty() {
            return wrong("without nodes".to_owned());
        }
        for (place, node) in self.nodes.iter().enumerate() {
            if !(-1.0..=1.0).contains(&node.value) {
                return wrong(format!(
                    "whose node {place} has value {}; it must be from -1 to 1",
                    node.value
                ));
            }
            let Some(split) = node.split else { continue };
            if split.component >= width {
                return wrong(format!("that asks for component {} of {width}", split.component));
            }
            if !split.threshold.is_finite() {
                return wrong(format!("whose node {place} has threshold {}", split.threshold));
            }
            let onward = place + 1..self.nodes.len();
            if !onward.contains(&split.below) || !onward.contains(&split.above) {
                return wrong(format!(
                    "whose node {place} leads to nodes {} and {}; children must come after it, among {} nodes",
                    split.below,
                    split.above,
                    self.nodes.len()
                ));
            }
        }
        Ok(())
    }
}
