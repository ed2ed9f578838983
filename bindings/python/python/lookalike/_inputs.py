"""What users hand over: tables, frames, datasets, streams, lists, paths."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from lookalike import _lookalike
from lookalike._spool import refuse_names
from lookalike.table import Table, json_line

if TYPE_CHECKING:
    import tempfile


def is_path(data: Any) -> bool:
    """Whether something names a file."""
    return isinstance(data, (str, os.PathLike))


def paths_of(data: Any, texts_are_paths: bool) -> list[str] | None:
    """The paths that something is, or ``None``. A list of texts is paths only where documents make no sense."""
    if is_path(data):
        return [os.fspath(data)]
    if isinstance(data, (list, tuple)) and data and all(is_path(item) for item in data):
        if texts_are_paths or not any(isinstance(item, str) for item in data):
            return [os.fspath(item) for item in data]
    return None


def table_of(data: Any) -> Table | None:
    """Documents that are in memory as a table, without a copy of their texts; ``None`` if they come one by one."""
    if isinstance(data, Table):
        return data
    data = _unwrapped(data)
    if _is_stream(data):
        return None
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        return Table.from_arrow(data)
    if isinstance(data, (list, tuple)):
        if data and all(hasattr(item, "__arrow_c_array__") for item in data):
            import pyarrow  # type: ignore[import-untyped, unused-ignore]

            return Table.from_arrow(pyarrow.Table.from_batches(data))
        refuse_names(list(data))
        try:
            return Table.from_rows(data)
        except UnicodeEncodeError:
            # A lone surrogate: a reader of files rejects that document and goes on with the others.
            return None
    return None


def spool(data: Any, folder: str) -> str:
    """Writes documents to a file, one batch or record after another, and returns its path."""
    data = _unwrapped(data)
    if hasattr(data, "__arrow_c_stream__") or hasattr(data, "__arrow_c_array__"):
        path = os.path.join(folder, "documents.arrow")
        _lookalike.write_ipc(data, path)
        return path
    if isinstance(data, Mapping) or not isinstance(data, Iterable):
        raise TypeError(
            f"{type(data).__name__} is no collection of documents: give a table, a frame, a dataset, a stream of record "
            "batches, an iterable of texts or dicts, or paths"
        )
    first, rest = _first(data)
    if hasattr(first, "__arrow_c_array__") or hasattr(first, "__arrow_c_stream__"):
        import pyarrow

        path = os.path.join(folder, "documents.arrow")
        batches = (batch for some in (first_and(first, rest)) for batch in _batches(some, pyarrow))
        schema = first.schema
        _lookalike.write_ipc(pyarrow.RecordBatchReader.from_batches(schema, batches), path)
        return path
    path = os.path.join(folder, "documents.jsonl")
    with open(path, "wb") as file:
        if first is not None:
            for number, row in enumerate(first_and(first, rest)):
                file.write(json_line(row, number))
    return path


def temporary_folder() -> tempfile.TemporaryDirectory[str]:
    """A folder that exists as long as the value."""
    import tempfile

    return tempfile.TemporaryDirectory(prefix="lookalike-")


def _first(data: Iterable[Any]) -> tuple[Any, Any]:
    rest = iter(data)
    return next(rest, None), rest


def first_and(first: Any, rest: Any) -> Iterable[Any]:
    """An item and those after it."""
    yield first
    yield from rest


def _batches(some: Any, pyarrow: Any) -> list[Any]:
    return list(some.to_batches()) if isinstance(some, pyarrow.Table) else [some]


def _is_stream(data: Any) -> bool:
    """Whether batches come one after another, perhaps more than fit into memory."""
    module = type(data).__module__.split(".")[0]
    name = type(data).__name__
    return (module, name) in {
        ("pyarrow", "RecordBatchReader"),
        ("_duckdb", "DuckDBPyRelation"),
        ("duckdb", "DuckDBPyRelation"),
        ("datasets", "IterableDataset"),
    }


def _unwrapped(data: Any) -> Any:
    """Datasets as the tables or batches that they are made of, lazy frames as frames."""
    datasets = sys.modules.get("datasets")
    if datasets is not None and isinstance(data, datasets.Dataset):
        return data.with_format("arrow")[:]
    if datasets is not None and isinstance(data, datasets.IterableDataset):
        return data.with_format("arrow").iter(batch_size=1000)
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(data, polars.LazyFrame):
        return data.collect()
    if polars is not None and isinstance(data, polars.Series):
        return data.to_frame("text")
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(data, pandas.Series):
        return data.to_frame(data.name if isinstance(data.name, str) else "text")
    if pandas is not None and isinstance(data, pandas.DataFrame):
        return _of_pandas(data)
    return data


def _of_pandas(frame: Any) -> Any:
    import pyarrow

    return pyarrow.Table.from_pandas(frame, preserve_index=False)
