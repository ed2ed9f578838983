"""The engine's steps as functions over the partitions of a DataFrame."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lookalike import _lookalike

SIGNED = (
    "number bigint, key binary, id string, digest binary, order binary, text bigint, signed boolean, lookup binary,"
    " reason string, said string"
)
ROUTED = "place int, keys binary"
FOUND = "a bigint, b bigint, found_by int, bucket bigint"
PIVOTS = "branch int, bucket bigint, number bigint, digest binary, order binary"
PLACES = "number bigint, hub bigint, part int, partners binary"
FILTER = "slot int, bits binary"
VERIFIED = (
    "ask int, a bigint, b bigint, similarity double, found_by int, evidence binary, id_a string, id_b string, key_a binary,"
    " key_b binary, order_a binary, order_b binary"
)
ASSIGNED = "member bigint, master bigint"
REMOVED = (
    "id string, keeper string, cluster bigint, similarity double, contained_in_keeper double, contains_keeper double,"
    " method string, reason string, difference array<string>, streams string, contradict array<string>,"
    " because array<string>, line string"
)
PAIRS = "a string, b string, similarity double, difference array<string>, streams string, because array<string>, line string"
CLUSTERS = (
    "cluster bigint, master string, size bigint, weakest double,"
    " members array<struct<id: string, similarity: double>>, line string"
)

OWN = 1 << 62
"""Set in the numbers of documents that are not those of the corpus compared against."""
SLOT = 1 << 13
"""Bytes of a part of a filter."""


def step(
    plan: _lookalike.Plan, name: str, sort: list[str] | None = None, **options: Any
) -> Callable[[Iterator[Any]], Iterator[Any]]:
    """A function for ``mapInArrow``. It is sent to the executors with the plan, which they build again.

    ``sort``: the columns by which the rows of a partition are sorted here, where the engine does not.
    """

    def over(batches: Iterator[Any]) -> Iterator[Any]:
        pyarrow: Any = importlib.import_module("pyarrow")

        working = plan.step(name, **options)

        def ready() -> Iterator[Any]:
            while (table := working.pull()) is not None:
                yield from pyarrow.RecordBatchReader.from_stream(table)

        if sort is not None:
            every = list(batches)
            table = pyarrow.Table.from_batches(every) if every else None
            batches = iter(table.sort_by([_direction(column) for column in sort]).to_batches(1000) if table else [])
        for batch in batches:
            if batch.num_rows:
                working.push(batch)
                yield from ready()
        working.end()
        yield from ready()

    return over


def _direction(column: str) -> tuple[str, str]:
    return (column[1:], "descending") if column.startswith("-") else (column, "ascending")


def is_own(*columns: str) -> Any:
    """Whether one of the documents in these columns is not of the corpus compared against."""
    from pyspark.sql import functions as F

    numbers = F.col(columns[0])
    for column in columns[1:]:
        numbers = numbers.bitwiseOR(F.col(column))
    return numbers.bitwiseAND(F.lit(OWN)) != 0


def row_type(rows: Any) -> str:
    """The type of the column ``row``."""
    kind: str = rows.schema["row"].dataType.simpleString()
    return kind


def texts(row: str) -> str:
    """What steps that let documents pass give, of rows of a type."""
    return f"key binary, row {row}"


def told(rows: Any) -> Any:
    """Few rows as a table, which goes to every executor with a step."""
    return rows.toArrow().combine_chunks()


def sorts(spark: Any) -> bool:
    """Whether the engine hands sorted rows to a function. One that is free to reorder them may leave the sorting out."""
    rows = spark.range(64).selectExpr("id % 8 as place", "63 - id as number").repartition(2, "place")

    def check(batches: Iterator[Any]) -> Iterator[Any]:
        pyarrow: Any = importlib.import_module("pyarrow")

        seen = [row for batch in batches for row in batch.to_pylist()]
        places = [(row["place"], row["number"]) for row in seen]
        yield pyarrow.RecordBatch.from_pydict({"sorted": [places == sorted(places)]})

    told = rows.sortWithinPartitions("place", "number").mapInArrow(check, "sorted boolean").collect()
    return all(row[0] for row in told)
