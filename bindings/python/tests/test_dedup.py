"""`dedup` over everything that holds documents, and what it gives back."""

from __future__ import annotations

import json
import pathlib
import warnings
from typing import Any

import corpora
import datasets
import duckdb
import lookalike as la
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

ROWS = corpora.documents(90)
TABLE = pa.Table.from_pylist(ROWS)
WANTED = la.dedup(TABLE).removed.to_list()


def removals(result: la.Result) -> list[tuple[Any, Any, float]]:
    return [(row["id"], row["keeper"], row["similarity"]) for row in result.removed.to_list()]


def streamed() -> pa.RecordBatchReader:
    return pa.RecordBatchReader.from_batches(TABLE.schema, TABLE.to_batches(max_chunksize=7))


KINDS = {
    "a table": lambda: TABLE,
    "a table of many chunks": lambda: pa.concat_tables([TABLE.slice(start, 7) for start in range(0, 90, 7)]),
    "a slice": lambda: pa.concat_tables([TABLE, TABLE]).slice(90, 90),
    "a record batch": lambda: TABLE.combine_chunks().to_batches()[0],
    "record batches": lambda: TABLE.to_batches(max_chunksize=20),
    "a stream": streamed,
    "large texts": lambda: TABLE.cast(pa.schema([(name, pa.large_string()) for name in TABLE.column_names])),
    "views of texts": lambda: TABLE.cast(pa.schema([(name, pa.string_view()) for name in TABLE.column_names])),
    "a dictionary": lambda: TABLE.set_column(1, "text", TABLE["text"].dictionary_encode()),
    "bytes": lambda: TABLE.set_column(1, "text", TABLE["text"].cast(pa.binary())),
    "pandas": lambda: pd.DataFrame(ROWS),
    "pandas with an index of its own": lambda: pd.DataFrame(ROWS, index=range(900, 990)),
    "polars": lambda: pl.DataFrame(ROWS),
    "a lazy frame": lambda: pl.DataFrame(ROWS).lazy(),
    "duckdb": lambda: duckdb.from_arrow(TABLE),
    "a dataset": lambda: datasets.Dataset.from_list(ROWS),
    "a selection of a dataset": lambda: datasets.Dataset.from_list(ROWS[:1] + ROWS).select(range(1, 91)),
    "an iterable dataset": lambda: datasets.Dataset.from_list(ROWS).to_iterable_dataset(),
    "dicts": lambda: ROWS,
    "a generator": lambda: (row for row in ROWS),
    "our own table": lambda: la.Table.from_rows(ROWS),
}


@pytest.mark.parametrize("kind", KINDS)
def test_all_that_holds_documents_gives_the_same(kind: str) -> None:
    result = la.dedup(KINDS[kind]())
    assert removals(result) == [(row["id"], row["keeper"], row["similarity"]) for row in WANTED]
    gone = {row["id"] for row in WANTED}
    stay = result.kept.to_list()
    assert [row["id"] for row in stay] == [row["id"] for row in ROWS if row["id"] not in gone]
    assert set(stay[0]) == {"id", "text", "title"}


def test_texts_are_documents() -> None:
    texts = ["the same seven words are in both", "The same seven words are in both!", "others"]
    result = la.dedup(texts)
    assert isinstance(result, la.TableResult)
    assert result.mask == [False, True, True]
    (removal,) = result.removed.to_list()
    # Ids are numbers of lines, as the program gives them; rows are counted from 0.
    assert (removal["id"], removal["keeper"], removal["row"], removal["keeper_row"]) == (1, 2, 0, 1)
    assert removal["difference"] == ["case"]
    assert la.dedup(pd.Series(texts)).report["removed"] == 1
    assert la.dedup(pl.Series(texts)).report["removed"] == 1
    assert la.dedup([]).report["documents"] == 0


def test_names_of_files_are_no_texts(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text(json.dumps(ROWS[0]) + "\n")
    with pytest.raises(la.ConfigError, match="name files"):
        la.dedup([str(path)])
    for paths in (str(path), path, [path], (path,)):
        assert la.dedup(paths).report["documents"] == 1
    assert la.dedup([str(path)], output=tmp_path / "out").report["documents"] == 1


@pytest.mark.parametrize("kind", ["jsonl", "jsonl.gz", "parquet", "arrow", "csv"])
def test_files_give_the_same(kind: str, tmp_path: pathlib.Path) -> None:
    path = tmp_path / f"corpus.{kind}"
    if kind == "jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    elif kind == "jsonl.gz":
        import gzip

        path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in ROWS).encode()))
    elif kind == "parquet":
        pyarrow.parquet.write_table(TABLE, path)
    elif kind == "arrow":
        with pa.ipc.new_file(path, TABLE.schema) as file:
            file.write_table(TABLE)
    else:
        pl.DataFrame(ROWS).write_csv(path)
    output = tmp_path / "out"
    result = la.dedup(path, output=output)
    assert isinstance(result, la.FolderResult) and result.folder == output
    assert removals(result) == [(row["id"], row["keeper"], row["similarity"]) for row in WANTED]
    kept = result.kept.to_arrow()
    assert sorted(kept.column_names) == ["id", "text", "title"]
    assert kept.num_rows == 90 - len(WANTED) == len(result.kept)
    if kind in ("parquet", "arrow"):
        assert kept.schema == TABLE.schema, "the types stay"


def test_a_table_with_an_output_folder(tmp_path: pathlib.Path) -> None:
    result = la.dedup(TABLE, output=tmp_path / "out")
    assert removals(result) == [(row["id"], row["keeper"], row["similarity"]) for row in WANTED]
    assert (tmp_path / "out" / "report.html").exists()
    with pytest.raises(la.LookalikeError):
        la.dedup(TABLE, output=tmp_path / "out")
    assert la.dedup(TABLE, output=tmp_path / "out", force=True).report["documents"] == 90


def test_results_without_files_go_with_their_folder() -> None:
    result = la.dedup(iter(ROWS))
    assert isinstance(result, la.FolderResult)
    folder = result.folder
    assert (folder / "report.json").exists() and len(result.kept) == 90 - len(WANTED)
    del result
    assert not folder.exists()


def test_ids_keep_their_type() -> None:
    texts = pa.array([str(number) for number in range(90)])
    kinds = [pa.int8(), pa.int32(), pa.uint64(), pa.float64(), pa.string(), pa.large_string(), pa.string_view()]
    for kind in kinds:
        removed = la.dedup(TABLE.set_column(0, "id", texts.cast(kind))).removed.to_arrow()
        assert removed.schema.field("id").type == kind and removed.schema.field("keeper").type == kind
        assert len(removed) == len(WANTED)
        assert [int(one) for one in removed["id"].to_pylist()] == removed["row"].to_pylist()
        assert [int(one) for one in removed["keeper"].to_pylist()] == removed["keeper_row"].to_pylist()
    large = TABLE.set_column(0, "id", pa.array([2**63 + number for number in range(90)], pa.uint64()))
    removed = la.dedup(large).removed.to_arrow()
    assert removed["id"][0].as_py() == 2**63 + removed["row"][0].as_py()


def test_options_are_those_of_the_program() -> None:
    result = la.dedup(TABLE, passages=True, measure_recall=True, recall_sample=20, threads=1, memory="200MB")
    assert result.removed.to_list()[0]["passages"][0]["words"] > 5
    assert result.report["measured_recall"] is not None
    assert la.dedup(TABLE, recipe=la.Recipe("simhash")).report["method"] == "simhash"
    assert la.dedup(TABLE, threshold=1.0).report["threshold"] == 1.0
    assert la.dedup(TABLE, unless="replaced").report["removed"] < len(WANTED)
    assert la.dedup(TABLE, sign={"hashes": 64}).report["scheme"] != la.dedup(TABLE).report["scheme"]


def test_a_plan_tells_what_a_run_costs(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    planned = la.plan(path, tmp_path / "out")
    assert planned["inputs"] == 1 and planned["documents"] > 0 and not (tmp_path / "out" / "report.json").exists()


def test_other_columns_count() -> None:
    table = pa.table({"body": ["one two three four five six"] * 3, "date": pa.array([3, 9, 5], pa.timestamp("s"))})
    result = la.dedup(table, text="body", keep="newest,longest")
    assert result.mask == [False, True, False]  # type: ignore[attr-defined]
    nested = pa.Table.from_pylist(
        [{"meta": {"key": number, "text": "one two three four five six"}} for number in (7, 8)]
    )
    (removal,) = la.dedup(nested, text="meta.text", id="meta.key").removed.to_list()
    assert {removal["id"], removal["keeper"]} == {7, 8}


def test_progress_is_told_and_warnings_are_warnings() -> None:
    heard: list[tuple[str, int, int]] = []
    la.dedup(TABLE, progress=lambda *told: heard.append(told))
    assert heard and all(done <= total for _, done, total in heard)
    with pytest.warns(la.LookalikeWarning, match="rejected"):
        result = la.dedup(pa.table({"text": ["one two three four five", None]}))
    assert result.rejected.to_list()[0]["line"] == 2 and result.report["rejected"] == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        la.dedup(TABLE, progress=False)


def test_results_show_themselves() -> None:
    result = la.dedup(TABLE)
    assert repr(result) == f"Result({90 - len(WANTED)} of 90 documents kept, {len(WANTED)} removed)"
    page = result._repr_html_()
    assert page.startswith("<iframe") and "&lt;html" in page and "<script" not in page
    assert f"<td>{WANTED[0]['id']}</td>" in result.removed._repr_html_()
    assert dict(result.report)["kept"] == result.report["kept"]
    assert "documents=90" in repr(result.report)
    hostile = la.Table.from_rows([{"text": "<script>alert(1)</script>"}])
    assert "<script" not in hostile._repr_html_()
