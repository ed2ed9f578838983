"""Broken and hostile input: a clear error or a counted reject, never a crash."""

from __future__ import annotations

import ctypes
import math
from typing import Any

import lookalike as la
import pyarrow as pa
import pytest

GOOD = "one two three four five six seven"


def test_texts_that_are_none() -> None:
    with pytest.warns(la.LookalikeWarning):
        result = la.dedup(pa.table({"text": [GOOD, None, "", GOOD]}))
    assert (result.report["documents"], result.report["rejected"], result.report["empty"]) == (3, 1, 1)
    assert sorted(row["text"] for row in result.kept) == ["", GOOD]


def test_a_lone_surrogate_is_a_counted_reject() -> None:
    for documents in (["a\ud800b", GOOD], [{"text": "a\udfff"}, {"text": GOOD}], (text for text in ["\udc00", GOOD])):
        with pytest.warns(la.LookalikeWarning, match="lone surrogate"):
            result = la.dedup(documents)
        assert (result.report["documents"], result.report["rejected"]) == (1, 1)


def test_bytes_that_are_no_text() -> None:
    with pytest.warns(la.LookalikeWarning, match="UTF-8"):
        result = la.dedup(pa.table({"text": pa.array([GOOD.encode(), b"\xff\xfe"], pa.binary())}))
    assert result.report["rejected"] == 1


@pytest.mark.parametrize(
    ("column", "reason"),
    [
        (pa.array([1, 2]), "number"),
        (pa.array([[GOOD], [GOOD]]), "array"),
        (pa.array([{"a": GOOD}, {"a": GOOD}]), "object"),
        (pa.array([True, False]), "true or false"),
        (pa.nulls(2), "null"),
    ],
)
def test_columns_that_are_no_texts(column: pa.Array, reason: str) -> None:
    with pytest.raises(la.InputError, match=f"2 rejected.*{reason}"):
        la.dedup(pa.table({"text": column}))


def test_wrong_arguments_are_named() -> None:
    table = pa.table({"text": [GOOD], "Text": [GOOD]})
    for arguments, error, words in [
        ({"text": "body"}, la.InputError, "no column `body`; it has text, Text"),
        ({"threshold": math.nan}, la.ConfigError, "threshold is nan"),
        ({"threshold": 2}, la.ConfigError, "at most 1"),
        ({"method": "minhsh"}, la.ConfigError, "minhash"),
        ({"keep": "longst"}, la.ConfigError, "longest"),
        ({"memory": "much"}, la.ConfigError, "not a size"),
        ({"threads": 0}, la.ConfigError, "thread"),
        ({"colour": 3}, TypeError, "colour"),
        ({"features": {"shngle": 3}}, la.ConfigError, "shngle"),
        ({"method": "simhash", "recipe": la.Recipe()}, TypeError, "not both"),
    ]:
        with pytest.raises(error, match=words.replace("`", ".")):
            la.dedup(table, **arguments)
    twice = pa.Table.from_arrays([pa.array([GOOD]), pa.array([GOOD])], names=["text", "text"])
    with pytest.raises(la.InputError, match="twice"):
        la.dedup(twice)
    for nothing in (5, None, {"text": GOOD}, b"bytes", [1, 2], [None]):
        with pytest.raises((TypeError, la.LookalikeError)):
            la.dedup(nothing)
    with pytest.raises(la.FileError) as raised:
        la.dedup("/nowhere/corpus.jsonl")
    assert isinstance(raised.value, OSError) and raised.value.filename == "/nowhere/corpus.jsonl"


def test_capsules_of_broken_producers() -> None:
    class Wrong:
        def __init__(self, answer: Any) -> None:
            self.answer = answer

        def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
            return self.answer

    class Raising:
        def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
            raise RuntimeError("out of order")

    table = pa.table({"text": [GOOD]})
    for answer in (None, 5, "capsule", table.__arrow_c_stream__, table.schema.__arrow_c_schema__()):
        with pytest.raises((TypeError, ValueError)):
            la.dedup(Wrong(answer))
    with pytest.raises(RuntimeError, match="out of order"):
        la.dedup(Raising())
    used = table.__arrow_c_stream__()
    assert la.dedup(Wrong(used)).report["documents"] == 1
    with pytest.raises(la.InputError):
        la.dedup(Wrong(used))
    empty = pa.RecordBatchReader.from_batches(table.schema, [])
    assert la.dedup(empty).report["documents"] == 0

    def failing() -> Any:
        yield table.to_batches()[0]
        raise RuntimeError("the producer broke down")

    with pytest.raises((RuntimeError, la.LookalikeError), match="broke down"):
        la.dedup(pa.RecordBatchReader.from_batches(table.schema, failing()))


def test_offsets_that_cannot_be() -> None:
    for offsets in ([0, 500, 7], [0, -4, 7], [7, 3, 7], [0, 2**31 - 1, 7]):
        buffer = pa.py_buffer(b"".join(ctypes.c_int32(offset) for offset in offsets))
        array = pa.StringArray.from_buffers(2, buffer, pa.py_buffer(b"one two"))
        with pytest.raises(la.InputError):
            la.dedup(pa.table({"text": array}))
    keys = pa.array([0, 9], pa.int8())
    dictionary = pa.DictionaryArray.from_arrays(keys, pa.array([GOOD]), safe=False)
    with pytest.warns(la.LookalikeWarning, match="1 rejected"):
        assert la.dedup(pa.table({"text": dictionary})).report["documents"] == 1


def test_a_long_text_is_rejected_by_its_limit() -> None:
    with pytest.warns(la.LookalikeWarning, match="more than the limit"):
        result = la.dedup([GOOD, "x" * 3000], max_line=2000)
    assert result.report["rejected"] == 1


def test_null_ids_and_equal_ids() -> None:
    table = pa.table({"id": ["a", None, "a"], "text": [GOOD, GOOD, GOOD]})
    result = la.dedup(table)
    assert result.report["removed"] == 2
    assert {row["row"] for row in result.removed} < {0, 1, 2}


def test_chunks_that_differ_are_no_table() -> None:
    batches = [pa.record_batch({"text": [GOOD]}), pa.record_batch({"text": [5]})]
    with pytest.raises((pa.ArrowInvalid, la.LookalikeError)):
        la.dedup(batches)
    with pytest.raises((pa.ArrowInvalid, la.LookalikeError, TypeError)):
        la.dedup(iter(batches))
