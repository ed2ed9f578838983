"""Signatures and kernels: the engine's steps, put together again, are a run."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import corpora
import lookalike as la
import numpy
import pyarrow as pa
import pytest

ROWS = corpora.documents(150)
TABLE = pa.Table.from_pylist(ROWS)


def test_signatures_are_numpy_too() -> None:
    signer = la.Signer("simhash")
    array = signer.signatures(["one two three four five six", "", "seven eight nine ten"])
    assert array.shape == (3, 8) and array.dtype == numpy.uint8
    assert array[1].sum() == 0 and array[0].sum() > 0
    signed = signer.sign(["one two three four five six", ""]).to_arrow()
    assert signed["digest"][1].as_py() is None and signed["size"].to_pylist() == [27, 0]


def test_what_is_no_document_has_a_reason() -> None:
    signed = la.Signer("minhash").sign(pa.table({"text": ["one two three four five", None]})).to_list()
    assert signed[0]["reason"] is None and "null" in signed[1]["reason"] and signed[1]["keys"] == []


@pytest.mark.parametrize(
    "method", ["minhash", "simhash", "imatch", "textprofile", "supershingle", "word-tuples", "ensemble", "exact"]
)
def test_kernels_make_a_run(method: str) -> None:
    """Signed, grouped by key, paired, compared and clustered here, by an engine of a few lines."""
    recipe = la.Recipe(method)
    signed = la.kernels.sign(TABLE, recipe).to_arrow()
    documents, digests = signed["document"].to_pylist(), signed["digest"].to_pylist()
    # Keep order: the highest score, then the id.
    order = sorted(
        range(len(ROWS)), key=lambda row: ([-score for score in signed["keep"][row].as_py()], ROWS[row]["id"])
    )
    rank = {row: place for place, row in enumerate(order)}
    # Copies take part by their best.
    best: dict[bytes, int] = {}
    for row in order:
        if digests[row] is not None:
            best.setdefault(digests[row], row)
    alone = sorted(best.values())
    buckets: dict[int, list[int]] = defaultdict(list)
    for row in alone:
        for key in signed["keys"][row].as_py():
            buckets[key["key"]].append(row)
    members = [(bucket, row) for bucket, rows in buckets.items() if len(rows) > 1 for row in rows]
    pairs = la.kernels.candidates(
        pa.table(
            {
                "bucket": pa.array([bucket for bucket, _ in members], pa.uint64()),
                "document": pa.array([documents[row] for _, row in members], pa.binary(16)),
                "digest": pa.array([digests[row] for _, row in members], pa.binary(16)),
                "rank": pa.array([rank[row] for _, row in members], pa.uint64()),
            }
        )
    ).to_arrow()
    row_of = {document: row for row, document in enumerate(documents)}
    found = sorted(
        {(row_of[a], row_of[b]) for a, b in zip(pairs["a"].to_pylist(), pairs["b"].to_pylist(), strict=True)}
    )
    left, right = (TABLE.take(pa.array([pair[side] for pair in found], pa.int64())) for side in (0, 1))
    verdicts = la.kernels.compare(left, right, recipe).to_list()
    verified = {
        pair: verdict["similarity"] for pair, verdict in zip(found, verdicts, strict=True) if verdict["duplicate"]
    }

    result = la.dedup(TABLE, recipe=recipe)
    wanted: dict[tuple[int, int], float] = {}
    for pair in result.pairs.to_list():
        if digests[pair["a_row"]] != digests[pair["b_row"]]:
            wanted[pair["a_row"], pair["b_row"]] = pair["similarity"]
    assert {tuple(sorted(pair)): value for pair, value in verified.items()} == {
        tuple(sorted(pair)): value for pair, value in wanted.items()
    }

    edges = pa.table(
        {
            "a": pa.array([documents[a] for a, _ in verified], pa.binary(16)),
            "b": pa.array([documents[b] for _, b in verified], pa.binary(16)),
            "similarity": pa.array(list(verified.values()), pa.float64()),
        }
    )
    ranks = pa.table(
        {
            "document": pa.array([documents[row] for row in alone], pa.binary(16)),
            "rank": pa.array([rank[row] for row in alone], pa.uint64()),
        }
    )
    clusters = la.kernels.cluster(edges, ranks, recipe).to_arrow()
    masters: dict[int, int] = {}
    for document, master in zip(clusters["document"].to_pylist(), clusters["master"].to_pylist(), strict=True):
        masters[row_of[document]] = row_of[master]
    # A copy goes where its representative goes, or to it.
    removals = {row["row"]: row["keeper_row"] for row in result.removed.to_list()}
    for row, keeper in removals.items():
        representative = best[digests[row]] if digests[row] is not None else row
        assert masters.get(representative, representative) == keeper
    assert len(removals) > 5


def test_kernels_name_what_is_wrong() -> None:
    with pytest.raises(la.InputError, match="no column `bucket`"):
        la.kernels.candidates(pa.table({"document": [b"x"]}))
    columns: dict[str, Any] = {"bucket": pa.array([1], pa.uint64()), "rank": pa.array([1], pa.uint64())}
    with pytest.raises(la.InputError, match="16 bytes"):
        la.kernels.candidates(pa.table({**columns, "document": [b"short"], "digest": [b"short"]}))
    with pytest.raises(la.InputError, match="rows"):
        la.kernels.compare(TABLE, TABLE.slice(1), la.Recipe())
    edges = pa.table(
        {"a": pa.array([bytes(16)], pa.binary(16)), "b": pa.array([b"1" * 16], pa.binary(16)), "similarity": [0.9]}
    )
    nobody = pa.table({"document": pa.array([], pa.binary(16)), "rank": pa.array([], pa.uint64())})
    with pytest.raises(la.InputError, match="no rank"):
        la.kernels.cluster(edges, nobody, la.Recipe())
