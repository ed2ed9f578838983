//! Verified pairs → masters.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use lookalike_core::cluster::Edge;
use lookalike_core::{Error, Result};

use super::pack::broken;
use super::{Plan, Step, is_known};
use crate::kernels::columns::column;
use crate::texts::bytes_at;
use crate::values::arrow_error;

/// In: all pairs of documents that hang together: `a`, `b`, `similarity`, `order_a`, `order_b`. Out: `member`, `master`.
pub struct Assign {
    plan: Arc<Plan>,
    /// The documents by number, and where their orders lie.
    places: HashMap<i64, u32>,
    nodes: Vec<(i64, usize, usize)>,
    orders: Vec<u8>,
    edges: Vec<Edge>,
    is_end: bool,
}

impl Assign {
    /// Clusters as the recipe of a plan says.
    pub fn new(plan: Arc<Plan>) -> Assign {
        let (places, nodes, orders, edges) = Default::default();
        Assign { plan, places, nodes, orders, edges, is_end: false }
    }

    fn place(&mut self, number: i64, order: &[u8]) -> Result<u32> {
        if let Some(&place) = self.places.get(&number) {
            return Ok(place);
        }
        let place =
            u32::try_from(self.nodes.len()).map_err(|_| Error::Input("a cluster is too large".to_owned()))?;
        let start = self.orders.len();
        self.orders.extend_from_slice(order);
        self.nodes.push((number, start, self.orders.len()));
        self.places.insert(number, place);
        Ok(place)
    }
}

impl Step for Assign {
    fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        let a = column(batch, "a")?.as_primitive_opt::<Int64Type>().ok_or_else(broken)?;
        let b = column(batch, "b")?.as_primitive_opt::<Int64Type>().ok_or_else(broken)?;
        let similarity = column(batch, "similarity")?.as_primitive_opt::<Float64Type>().ok_or_else(broken)?;
        let (order_a, order_b) = (column(batch, "order_a")?, column(batch, "order_b")?);
        for row in 0..batch.num_rows() {
            let order = |orders: &ArrayRef| bytes_at(orders, row).map(<[u8]>::to_vec).ok_or_else(broken);
            let (first, second) = (order(order_a)?, order(order_b)?);
            let (a, b) = (self.place(a.value(row), &first)?, self.place(b.value(row), &second)?);
            self.edges.push(Edge { a, b, similarity: similarity.value(row) });
        }
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        self.is_end = true;
        Ok(())
    }

    fn pull(&mut self) -> Result<Option<RecordBatch>> {
        if !self.is_end || self.edges.is_empty() {
            return Ok(None);
        }
        let (nodes, orders) = (&self.nodes, &self.orders);
        let mut ranked: Vec<u32> = (0..nodes.len() as u32).collect();
        let order = |place: &u32| {
            let (number, start, end) = nodes[*place as usize];
            (&orders[start..end], number)
        };
        ranked.sort_unstable_by(|x, y| order(x).cmp(&order(y)));
        let mut rank = vec![0; nodes.len()];
        ranked.iter().zip(0..).for_each(|(&place, at)| rank[place as usize] = at);
        let mut edges = std::mem::take(&mut self.edges);
        for edge in &mut edges {
            (edge.a, edge.b) = (rank[edge.a as usize], rank[edge.b as usize]);
        }
        let number = |rank: u32| nodes[ranked[rank as usize] as usize].0;
        let fixed = ranked.iter().take_while(|&&place| is_known(nodes[place as usize].0)).count() as u32;
        let (mut members, mut masters) = (Vec::new(), Vec::new());
        for cluster in self.plan.pipeline.clusterer.cluster(nodes.len() as u32, fixed, &edges) {
            for member in cluster.members {
                members.push(number(member));
                masters.push(number(cluster.master));
            }
        }
        let columns: [(&str, ArrayRef); 2] = [
            ("member", Arc::new(Int64Array::from(members))),
            ("master", Arc::new(Int64Array::from(masters))),
        ];
        RecordBatch::try_from_iter(columns).map(Some).map_err(arrow_error)
    }
}
