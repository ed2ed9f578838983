//! What was found → the rows and lines that a run on one machine gives.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::builder::{Float64Builder, Int64Builder, ListBuilder, StringBuilder, StructBuilder};
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{ArrayRef, Float64Array, Int64Array, RecordBatch};
use arrow_schema::{DataType, Field, Fields};
use lookalike_core::Result;
use lookalike_core::difference::{Difference, DifferenceKind};
use lookalike_core::document::Id;
use lookalike_core::streams::StreamAgreement;
use lookalike_engine::run::{ClusterLine, Found, PairLine, RemovalLine, named};

use super::pack::broken;
use super::verify::{Evidence, comes_after};
use super::{Plan, Step, is_known};
use crate::kernels::columns::column;
use crate::texts::bytes_at;
use crate::values::arrow_error;

/// What is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Told {
    /// In: `member`, `representative` (itself, or the one of its exact copies that was compared), `master`, `id`, `keeper`,
    /// `similarity` and `evidence` of representative and master, `differs` of member and master if that is known apart.
    Removed,
    /// In: `a`, `b`, `id_a`, `id_b`, `similarity`, `evidence`.
    Pairs,
    /// In: `master`, `keeper`, `id`, `similarity`, sorted by `master`, the most alike first.
    Clusters,
}

/// Makes rows for people, each with its line.
pub struct Tell {
    plan: Arc<Plan>,
    told: Told,
    cluster: Option<Cluster>,
    clusters: ClusterColumns,
    ready: VecDeque<RecordBatch>,
}

struct Cluster {
    master: i64,
    id: String,
    members: Vec<(String, f64)>,
}

impl Tell {
    /// By the recipe of a plan.
    pub fn new(plan: Arc<Plan>, told: Told) -> Tell {
        Tell { plan, told, cluster: None, clusters: ClusterColumns::default(), ready: VecDeque::new() }
    }

    fn removed(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let [members, of, masters] =
            [long(batch, "member")?, long(batch, "representative")?, long(batch, "master")?];
        let (ids, keepers) = (column(batch, "id")?, column(batch, "keeper")?);
        let similarities = share(batch, "similarity")?;
        let (evidence, differs) = (column(batch, "evidence")?, column(batch, "differs")?);
        let mut out = RowColumns::default();
        for row in 0..batch.num_rows() {
            let (member, representative, master) = (members.value(row), of.value(row), masters.value(row));
            let exact = representative == master;
            let mut told = match bytes_at(evidence, row) {
                Some(bytes) => Evidence::from_bytes(bytes)?,
                None if exact => {
                    Evidence { difference: Some(Difference::of(DifferenceKind::None)), ..Evidence::default() }
                }
                None => return Err(broken()),
            };
            // Told from the member: how much of it is in its keeper, and how it differs from that.
            if representative > master {
                told.overlap = told.overlap.map(|overlap| overlap.swapped());
            } else {
                told.difference = told.difference.map(Difference::reversed);
            }
            if let Some(bytes) = bytes_at(differs, row) {
                let differs = Evidence::from_bytes(bytes)?;
                let differs = if member < master { differs.swapped() } else { differs };
                (told.difference, told.streams) = (differs.difference, differs.streams);
            }
            let containments = match told.overlap {
                _ if exact => (Some(1.0), Some(1.0)),
                Some(overlap) => (Some(overlap.a_in_b()), Some(overlap.b_in_a())),
                None => (None, None),
            };
            let (id, keeper) = (text(ids, row)?, text(keepers, row)?);
            let similarity = if exact { 1.0 } else { similarities.value(row) };
            let found = Found {
                exact,
                decided: told.decided,
                keeper_is_known: is_known(master),
                found_by: told.found_by,
            };
            let cluster = master as u64;
            let (difference, streams, because) = (told.difference, told.streams, told.because);
            let line = RemovalLine {
                id,
                keeper,
                cluster,
                similarity,
                containments,
                found,
                difference,
                streams,
                because,
            };
            let json = line.json(&self.plan.pipeline, "", "");
            out.push(&self.plan, [id, keeper], similarity, &told, &json);
            out.cluster.append_value(master);
            out.contained.append_option(containments.0);
            out.contains.append_option(containments.1);
            out.method.append_value(found.method(&self.plan.pipeline));
            out.reason.append_value(found.reason());
        }
        out.removed()
    }

    fn pairs(&self, batch: &RecordBatch) -> Result<RecordBatch> {
        let (ids_a, ids_b) = (column(batch, "id_a")?, column(batch, "id_b")?);
        let similarities = share(batch, "similarity")?;
        let evidence = column(batch, "evidence")?;
        let mut out = RowColumns::default();
        for row in 0..batch.num_rows() {
            let mut told = match bytes_at(evidence, row) {
                Some(bytes) => Evidence::from_bytes(bytes)?,
                None => {
                    Evidence { difference: Some(Difference::of(DifferenceKind::None)), ..Evidence::default() }
                }
            };
            let (mut a, mut b) = (text(ids_a, row)?, text(ids_b, row)?);
            if comes_after(a, b) {
                (a, b, told) = (b, a, told.swapped());
            }
            let similarity = similarities.value(row);
            let (difference, streams, because) = (told.difference, told.streams, told.because);
            let line = PairLine { a, b, similarity, difference, streams, because, decided: told.decided };
            let json = line.json(&self.plan.pipeline, "");
            out.push(&self.plan, [a, b], similarity, &told, &json);
        }
        out.pairs()
    }

    fn members(&mut self, batch: &RecordBatch) -> Result<()> {
        let masters = long(batch, "master")?;
        let (ids, keepers) = (column(batch, "id")?, column(batch, "keeper")?);
        let similarities = share(batch, "similarity")?;
        for row in 0..batch.num_rows() {
            let master = masters.value(row);
            if self.cluster.as_ref().is_none_or(|cluster| cluster.master != master) {
                self.close();
                self.cluster =
                    Some(Cluster { master, id: text(keepers, row)?.to_owned(), members: Vec::new() });
            }
            if let Some(cluster) = &mut self.cluster {
                cluster.members.push((text(ids, row)?.to_owned(), similarities.value(row)));
            }
        }
        Ok(())
    }

    fn close(&mut self) {
        let Some(Cluster { master, id, members }) = self.cluster.take() else { return };
        let (size, weakest) = (members.len() as u64 + 1, members.last().map_or(1.0, |(_, weakest)| *weakest));
        let mut line = ClusterLine::new(master as u64, &id, size, weakest);
        members.iter().for_each(|(id, similarity)| line.push(id, *similarity));
        self.clusters.push(master, &id, size, weakest, &members, &line.json());
    }
}

impl Step for Tell {
    fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        let told = match self.told {
            Told::Removed => self.removed(batch)?,
            Told::Pairs => self.pairs(batch)?,
            Told::Clusters => {
                self.members(batch)?;
                self.clusters.take()?
            }
        };
        self.ready.push_back(told);
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        if self.told == Told::Clusters {
            self.close();
            self.ready.push_back(self.clusters.take()?);
        }
        Ok(())
    }

    fn pull(&mut self) -> Result<Option<RecordBatch>> {
        Ok(self.ready.pop_front())
    }
}

/// Columns of removals or pairs.
#[derive(Default)]
struct RowColumns {
    ids: [StringBuilder; 2],
    cluster: Int64Builder,
    similarity: Float64Builder,
    contained: Float64Builder,
    contains: Float64Builder,
    method: StringBuilder,
    reason: StringBuilder,
    difference: ListBuilder<StringBuilder>,
    streams: StringBuilder,
    contradict: ListBuilder<StringBuilder>,
    because: ListBuilder<StringBuilder>,
    line: StringBuilder,
}

impl RowColumns {
    fn push(&mut self, plan: &Plan, ids: [&str; 2], similarity: f64, told: &Evidence, line: &str) {
        for (column, id) in self.ids.iter_mut().zip(ids) {
            column.append_value(Id::from_json(id).display());
        }
        self.similarity.append_value(similarity);
        let kinds =
            told.difference.map(|told| told.kinds().map(|kind| Some(kind.name())).collect::<Vec<_>>());
        match kinds {
            Some(kinds) => self.difference.append_value(kinds),
            None => self.difference.append_null(),
        }
        let streams: Option<StreamAgreement> = told.streams.told();
        self.streams.append_option(streams.and_then(|told| serde_json::to_string(&told).ok()));
        self.contradict.append_value(told.streams.contradicting().map(|kind| Some(kind.name())));
        let because = named(told.because, &plan.pipeline.decider.reasons());
        self.because.append_value(because.into_iter().map(Some));
        self.line.append_value(line.trim_end());
    }

    fn removed(mut self) -> Result<RecordBatch> {
        let [id, keeper] = &mut self.ids;
        RecordBatch::try_from_iter_with_nullable([
            ("id", Arc::new(id.finish()) as ArrayRef, true),
            ("keeper", Arc::new(keeper.finish()), true),
            ("cluster", Arc::new(self.cluster.finish()), true),
            ("similarity", Arc::new(self.similarity.finish()), true),
            ("contained_in_keeper", Arc::new(self.contained.finish()), true),
            ("contains_keeper", Arc::new(self.contains.finish()), true),
            ("method", Arc::new(self.method.finish()), true),
            ("reason", Arc::new(self.reason.finish()), true),
            ("difference", Arc::new(self.difference.finish()), true),
            ("streams", Arc::new(self.streams.finish()), true),
            ("contradict", Arc::new(self.contradict.finish()), true),
            ("because", Arc::new(self.because.finish()), true),
            ("line", Arc::new(self.line.finish()), true),
        ])
        .map_err(arrow_error)
    }

    fn pairs(mut self) -> Result<RecordBatch> {
        let [a, b] = &mut self.ids;
        RecordBatch::try_from_iter_with_nullable([
            ("a", Arc::new(a.finish()) as ArrayRef, true),
            ("b", Arc::new(b.finish()), true),
            ("similarity", Arc::new(self.similarity.finish()), true),
            ("difference", Arc::new(self.difference.finish()), true),
            ("streams", Arc::new(self.streams.finish()), true),
            ("because", Arc::new(self.because.finish()), true),
            ("line", Arc::new(self.line.finish()), true),
        ])
        .map_err(arrow_error)
    }
}

struct ClusterColumns {
    cluster: Int64Builder,
    master: StringBuilder,
    size: Int64Builder,
    weakest: Float64Builder,
    members: ListBuilder<StructBuilder>,
    line: StringBuilder,
}

impl Default for ClusterColumns {
    fn default() -> Self {
        let member: Fields =
            vec![Field::new("id", DataType::Utf8, true), Field::new("similarity", DataType::Float64, true)]
                .into();
        ClusterColumns {
            cluster: Int64Builder::new(),
            master: StringBuilder::new(),
            size: Int64Builder::new(),
            weakest: Float64Builder::new(),
            members: ListBuilder::new(StructBuilder::from_fields(member, 0)),
            line: StringBuilder::new(),
        }
    }
}

impl ClusterColumns {
    fn push(
        &mut self,
        master: i64,
        id: &str,
        size: u64,
        weakest: f64,
        members: &[(String, f64)],
        line: &str,
    ) {
        self.cluster.append_value(master);
        self.master.append_value(Id::from_json(id).display());
        self.size.append_value(size as i64);
        self.weakest.append_value(weakest);
        for (id, similarity) in
            std::iter::once((id, 1.0)).chain(members.iter().map(|(id, share)| (&**id, *share)))
        {
            let row = self.members.values();
            if let Some(column) = row.field_builder::<StringBuilder>(0) {
                column.append_value(Id::from_json(id).display());
            }
            if let Some(column) = row.field_builder::<Float64Builder>(1) {
                column.append_value(similarity);
            }
            row.append(true);
        }
        self.members.append(true);
        self.line.append_value(line.trim_end());
    }

    fn take(&mut self) -> Result<RecordBatch> {
        RecordBatch::try_from_iter_with_nullable([
            ("cluster", Arc::new(self.cluster.finish()) as ArrayRef, true),
            ("master", Arc::new(self.master.finish()), true),
            ("size", Arc::new(self.size.finish()), true),
            ("weakest", Arc::new(self.weakest.finish()), true),
            ("members", Arc::new(self.members.finish()), true),
            ("line", Arc::new(self.line.finish()), true),
        ])
        .map_err(arrow_error)
    }
}

fn long<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a Int64Array> {
    column(batch, name)?.as_primitive_opt::<Int64Type>().ok_or_else(broken)
}

fn share<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a Float64Array> {
    column(batch, name)?.as_primitive_opt::<Float64Type>().ok_or_else(broken)
}

fn text(column: &ArrayRef, row: usize) -> Result<&str> {
    bytes_at(column, row).and_then(|bytes| std::str::from_utf8(bytes).ok()).ok_or_else(broken)
}
