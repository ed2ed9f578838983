//! The results of a run as tables.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use lookalike_core::{Error, Result};
use lookalike_engine::run::Evidence;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::lines;
use crate::values::Table;

/// What a result holds besides the documents themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultKind {
    /// Every removed document with its keeper.
    Removed,
    /// Every cluster with its members.
    Clusters,
    /// Every verified pair.
    Pairs,
    /// Every record that is no document, with the reason.
    Rejected,
}

impl ResultKind {
    /// All of them.
    pub const ALL: [ResultKind; 4] =
        [ResultKind::Removed, ResultKind::Clusters, ResultKind::Pairs, ResultKind::Rejected];

    /// The file of a run that has it.
    pub fn file(self) -> &'static str {
        match self {
            ResultKind::Removed => "removed.jsonl",
            ResultKind::Clusters => "clusters.jsonl",
            ResultKind::Pairs => "pairs.jsonl",
            ResultKind::Rejected => "rejected.jsonl",
        }
    }

    /// Its lines among the evidence of a run without files.
    pub fn lines(self, evidence: &Evidence) -> Result<Cow<'_, str>> {
        match self {
            ResultKind::Removed => &evidence.removed,
            ResultKind::Clusters => &evidence.clusters,
            ResultKind::Pairs => &evidence.pairs,
            ResultKind::Rejected => &evidence.rejected,
        }
        .read()
    }

    /// The table of such lines. `id`: the type of the ids, if it is known.
    pub fn table(self, lines: &str, id: Option<&DataType>) -> Result<Table> {
        let id = id.and_then(plain_id).map_or_else(|| id_type(lines), Ok)?;
        lines::decode(lines.as_bytes(), self.schema(&id, lines))
    }

    /// The table of a file of a finished run.
    pub fn read(self, folder: &Path) -> Result<Table> {
        let path = folder.join(self.file());
        let lines = std::fs::read_to_string(&path).map_err(Error::io(&path))?;
        self.table(&lines, None)
    }

    fn schema(self, id: &DataType, lines: &str) -> SchemaRef {
        let texts = || DataType::List(Arc::new(Field::new_list_field(DataType::Utf8, true)));
        let (number, share) = (DataType::UInt64, DataType::Float64);
        let streams = DataType::Struct(
            [("images", share.clone()), ("links", share.clone()), ("metadata", share.clone())]
                .into_iter()
                .chain([("structure", share.clone()), ("contradict", texts())])
                .map(|(name, kind)| Field::new(name, kind, true))
                .collect(),
        );
        let places = DataType::List(Arc::new(Field::new_list_field(number.clone(), true)));
        let passage = [("removed", places.clone()), ("keeper", places), ("words", number.clone())];
        let passage =
            DataType::Struct(passage.map(|(name, kind)| Field::new(name, kind, true)).into_iter().collect());
        let member = [("id", id.clone()), ("similarity", share.clone())];
        let member =
            DataType::Struct(member.map(|(name, kind)| Field::new(name, kind, true)).into_iter().collect());
        let list = |kind| DataType::List(Arc::new(Field::new_list_field(kind, true)));
        let mut columns = match self {
            ResultKind::Removed => vec![
                ("id", id.clone()),
                ("keeper", id.clone()),
                ("cluster", number.clone()),
                ("similarity", share.clone()),
                ("contained_in_keeper", share.clone()),
                ("contains_keeper", share),
                ("method", DataType::Utf8),
                ("reason", DataType::Utf8),
                ("difference", texts()),
                ("streams", streams),
                ("because", texts()),
                ("passages", list(passage)),
                ("row", number.clone()),
                ("keeper_row", number),
            ],
            ResultKind::Clusters => vec![
                ("cluster", number.clone()),
                ("master", id.clone()),
                ("size", number),
                ("weakest", share),
                ("members", list(member)),
            ],
            ResultKind::Pairs => vec![
                ("a", id.clone()),
                ("b", id.clone()),
                ("similarity", share),
                ("difference", texts()),
                ("streams", streams),
                ("method", DataType::Utf8),
                ("because", texts()),
                ("a_row", number.clone()),
                ("b_row", number),
            ],
            ResultKind::Rejected => {
                vec![("file", DataType::Utf8), ("line", number), ("reason", DataType::Utf8)]
            }
        };
        // What only some runs tell is a column only if this one does; one line is like all others there.
        let told = |name: &str| lines.contains(&format!("\"{name}\":"));
        let is_rare = |name: &str| {
            matches!(name, "streams" | "because" | "passages" | "row" | "keeper_row" | "a_row" | "b_row")
                || self == ResultKind::Pairs && name == "method"
        };
        columns.retain(|(name, _)| !is_rare(name) || told(name));
        Arc::new(Schema::new(
            columns.into_iter().map(|(name, kind)| Field::new(name, kind, true)).collect::<Vec<_>>(),
        ))
    }
}

/// The files with the documents that a finished run kept, in the order of their names.
pub fn kept_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(Error::io(folder))? {
        let path = entry.map_err(Error::io(folder))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let number = match name.strip_prefix("kept").and_then(|rest| rest.split_once('.')) {
            Some(("", _)) => 1,
            Some((number, _)) => match number.strip_prefix('-').and_then(|digits| digits.parse::<u32>().ok())
            {
                Some(number) => number,
                None => continue,
            },
            None => continue,
        };
        found.push((name.split_once('.').map_or("", |(_, end)| end).to_owned(), number, path));
    }
    found.sort();
    Ok(found.into_iter().map(|(_, _, path)| path).collect())
}

/// The type in which ids are told, if lines of JSON can be read as it.
fn plain_id(kind: &DataType) -> Option<DataType> {
    match kind {
        DataType::Dictionary(_, values) => plain_id(values),
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => Some(DataType::Utf8),
        kind if kind.is_integer() => Some(kind.clone()),
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View | DataType::Boolean => Some(kind.clone()),
        DataType::Float64 => Some(kind.clone()),
        _ => None,
    }
}

/// The type of the ids in lines: numbers if all are, otherwise text.
fn id_type(lines: &str) -> Result<DataType> {
    #[derive(Deserialize)]
    struct Ids<'a> {
        #[serde(borrow, default, alias = "a", alias = "master")]
        id: Option<&'a RawValue>,
        #[serde(borrow, default, alias = "b")]
        keeper: Option<&'a RawValue>,
        #[serde(borrow, default)]
        members: Vec<Member<'a>>,
    }
    #[derive(Deserialize)]
    struct Member<'a> {
        #[serde(borrow)]
        id: &'a RawValue,
    }
    let mut kind = None;
    for line in lines.lines() {
        let ids: Ids<'_> =
            serde_json::from_str(line).map_err(|error| Error::Input(format!("a damaged result: {error}")))?;
        for id in ids.id.into_iter().chain(ids.keeper).chain(ids.members.iter().map(|member| member.id)) {
            let json = id.get();
            kind = Some(match kind {
                Some(DataType::Utf8) => return Ok(DataType::Utf8),
                None | Some(DataType::Int64) if json.parse::<i64>().is_ok() => DataType::Int64,
                None | Some(DataType::UInt64) if json.parse::<u64>().is_ok() => DataType::UInt64,
                None | Some(DataType::Float64) if json.parse::<f64>().is_ok() => DataType::Float64,
                None | Some(DataType::Boolean) if json.parse::<bool>().is_ok() => DataType::Boolean,
                _ => DataType::Utf8,
            });
        }
    }
    Ok(kind.unwrap_or(DataType::Utf8))
}
