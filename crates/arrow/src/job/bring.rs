//! Documents → the places where they are compared, if these are few enough to be told to everyone.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, UInt32Array};
use arrow_select::concat::concat_batches;
use arrow_select::take::take;
use lookalike_core::{Error, Result};

use super::documents::{ROW, for_each_key};
use super::{Plan, Step};
use crate::kernels::columns::{column, wide};
use crate::values::arrow_error;

/// What is told of a place.
const TOLD: [&str; 4] = ["number", "hub", "part", "partners"];

/// In: `row`. Out, for each place of a document: `number`, `hub`, `part`, `partners` and `row`.
pub struct Bring {
    plan: Arc<Plan>,
    /// Keys of documents with rows of `told`, in order.
    places: Vec<(u128, u32)>,
    told: Vec<ArrayRef>,
    ready: VecDeque<RecordBatch>,
}

impl Bring {
    /// `places`: `key`, `number`, `hub`, `part`, `partners`.
    pub fn new(plan: Arc<Plan>, places: &[RecordBatch]) -> Result<Bring> {
        let Some(first) = places.first() else {
            return Ok(Bring { plan, places: Vec::new(), told: Vec::new(), ready: VecDeque::new() });
        };
        let every = concat_batches(&first.schema(), places).map_err(arrow_error)?;
        let rows = u32::try_from(every.num_rows())
            .map_err(|_| Error::Input("there are too many places to be told to everyone".to_owned()))?;
        let keys = wide(&every, "key")?.into_iter().zip(0..rows);
        let mut places: Vec<(u128, u32)> = keys.filter_map(|(key, row)| Some((key?, row))).collect();
        places.sort_unstable();
        let told = TOLD.into_iter().map(|name| column(&every, name).cloned()).collect::<Result<_>>()?;
        Ok(Bring { plan, places, told, ready: VecDeque::new() })
    }
}

impl Step for Bring {
    fn push(&mut self, batch: &RecordBatch) -> Result<()> {
        let (mut rows, mut places) = (Vec::new(), Vec::new());
        for_each_key(&self.plan, batch, &mut |row, key| {
            let first = self.places.partition_point(|place| place.0 < key);
            for place in self.places[first..].iter().take_while(|place| place.0 == key) {
                rows.push(row as u32);
                places.push(place.1);
            }
            Ok(())
        })?;
        if rows.is_empty() {
            return Ok(());
        }
        let (rows, places) = (UInt32Array::from(rows), UInt32Array::from(places));
        let mut columns = Vec::with_capacity(TOLD.len() + 1);
        for (name, told) in TOLD.into_iter().zip(&self.told) {
            columns.push((name, take(told, &places, None).map_err(arrow_error)?, true));
        }
        columns.push((ROW, take(column(batch, ROW)?, &rows, None).map_err(arrow_error)?, true));
        self.ready.push_back(RecordBatch::try_from_iter_with_nullable(columns).map_err(arrow_error)?);
        Ok(())
    }

    fn pull(&mut self) -> Result<Option<RecordBatch>> {
        Ok(self.ready.pop_front())
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::builder::{BinaryBuilder, Int32Builder, Int64Builder};
    use arrow_array::cast::AsArray;
    use arrow_array::types::{Int32Type, Int64Type};
    use arrow_array::{Array, StringArray, StructArray};
    use lookalike_core::registry::Registry;
    use lookalike_engine::Recipe;
    use lookalike_engine::run::Job;
    use proptest::prelude::*;

    use super::*;
    use crate::job::{Passing, Texts};

    fn plan(lines: bool) -> Arc<Plan> {
        let registry = Registry::with_built_ins();
        let recipe = Recipe::for_method("minhash", &registry).unwrap();
        let pipeline = Arc::new(recipe.build(&registry).unwrap());
        Arc::new(Plan::new(pipeline, &Job::new(Vec::<String>::new(), ""), lines).unwrap())
    }

    /// Documents as lines or as columns; some occur twice, and the last is none.
    fn documents(texts: &[u8], lines: bool) -> RecordBatch {
        let texts = || texts.iter().map(|text| format!("text {text}"));
        let line = |text: String| format!("{{\"id\": \"{text}\", \"text\": \"{text}\"}}");
        let rows: ArrayRef = if lines {
            let rows: StringArray = texts().map(|text| Some(line(text))).chain([None]).collect();
            Arc::new(rows)
        } else {
            let texts: ArrayRef = Arc::new(texts().map(Some).chain([None]).collect::<StringArray>());
            Arc::new(StructArray::try_from(vec![("id", texts.clone()), ("text", texts)]).unwrap())
        };
        RecordBatch::try_from_iter_with_nullable([(ROW, rows, true)]).unwrap()
    }

    /// Places of documents, by their keys; some are of a document that is not there, or of none.
    fn places(keys: &[u128], of: &[(usize, i64)]) -> RecordBatch {
        let (mut key, mut partners) = (BinaryBuilder::new(), BinaryBuilder::new());
        let (mut number, mut hub, mut part) = (Int64Builder::new(), Int64Builder::new(), Int32Builder::new());
        for &(document, told) in of {
            match keys.get(document) {
                Some(found) => key.append_value(found.to_le_bytes()),
                None if document % 2 == 0 => key.append_value([7; 16]),
                None => key.append_null(),
            }
            number.append_value(told);
            hub.append_value(told / 2);
            part.append_value(told as i32 % 3);
            partners.append_option((told % 2 == 0).then(|| told.to_le_bytes()));
        }
        RecordBatch::try_from_iter_with_nullable([
            ("key", Arc::new(key.finish()) as ArrayRef, true),
            ("number", Arc::new(number.finish()), true),
            ("hub", Arc::new(hub.finish()), true),
            ("part", Arc::new(part.finish()), true),
            ("partners", Arc::new(partners.finish()), true),
        ])
        .unwrap()
    }

    fn rows_of(batch: &RecordBatch) -> Vec<String> {
        let rows = batch.column_by_name(ROW).unwrap();
        (0..batch.num_rows()).map(|row| format!("{:?}", rows.slice(row, 1))).collect()
    }

    /// A place and the document there.
    type Brought = (i64, i64, i32, Option<Vec<u8>>, String);

    fn brought(batch: &RecordBatch) -> Vec<Brought> {
        let long = |name: &str| batch.column_by_name(name).unwrap().as_primitive::<Int64Type>().clone();
        let (number, hub) = (long("number"), long("hub"));
        let part = batch.column_by_name("part").unwrap().as_primitive::<Int32Type>().clone();
        let partners = batch.column_by_name("partners").unwrap().as_binary::<i32>().clone();
        let told = rows_of(batch).into_iter().enumerate().map(|(row, text)| {
            let partners = partners.is_valid(row).then(|| partners.value(row).to_vec());
            (number.value(row), hub.value(row), part.value(row), partners, text)
        });
        told.collect()
    }

    proptest! {
        /// Exactly what an engine gets that joins the documents with the places by their keys.
        #[test]
        fn each_place_gets_its_document_and_no_other(
            texts in prop::collection::vec(0u8..6, 0..8),
            of in prop::collection::vec((0usize..9, 0i64..100), 0..12),
            cut in 0usize..12,
            lines in any::<bool>(),
        ) {
            let (plan, documents) = (plan(lines), documents(&texts, lines));
            let mut all = Texts::new(plan.clone(), Passing::All);
            all.push(&documents).unwrap();
            let all = all.pull().unwrap().unwrap();
            let keys: Vec<u128> = wide(&all, "key").unwrap().into_iter().flatten().collect();
            let places = places(&keys, &of);
            let cut = cut.min(of.len());
            let parts = [places.slice(0, cut), places.slice(cut, of.len() - cut)];

            let mut bring = Bring::new(plan, &parts).unwrap();
            bring.push(&documents).unwrap();
            let mut found: Vec<Brought> = Vec::new();
            while let Some(batch) = bring.pull().unwrap() {
                found.extend(brought(&batch));
            }
            let mut expected: Vec<Brought> = Vec::new();
            for (key, text) in keys.iter().zip(rows_of(&all)) {
                for &(_, told) in of.iter().filter(|(document, _)| keys.get(*document) == Some(key)) {
                    let partners = (told % 2 == 0).then(|| told.to_le_bytes().to_vec());
                    expected.push((told, told / 2, told as i32 % 3, partners, text.clone()));
                }
            }
            found.sort_unstable();
            expected.sort_unstable();
            prop_assert_eq!(found, expected);
        }
    }
}
