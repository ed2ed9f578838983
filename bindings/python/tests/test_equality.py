"""The same pairs, masters and removals as the program, for every method."""

from __future__ import annotations

import json
import pathlib
import subprocess
from typing import Any

import corpora
import lookalike as la
import pyarrow as pa
import pytest
from program import PROGRAM

METHODS = sorted(method["name"] for method in la.methods()["methods"])
# What needs a model or a file of its own is tested with one elsewhere.
ALONE = [name for name in METHODS if name != "classifier"]


def lines(path: pathlib.Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def without_rows(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    dropped = {"row", "keeper_row", "a_row", "b_row"}
    kept = ({key: value for key, value in row.items() if key not in dropped} for row in rows)
    # A column that most rows lack is null in those; a line just leaves it out.
    return [{key: value for key, value in row.items() if value is not None or key == "difference"} for row in kept]


def test_all_methods_are_there() -> None:
    assert len(METHODS) == 14, METHODS


@pytest.mark.parametrize("corpus", ["english", "han"])
@pytest.mark.parametrize("method", ALONE)
def test_the_same_as_the_program(method: str, corpus: str, tmp_path: pathlib.Path) -> None:
    rows = corpora.documents() if corpus == "english" else corpora.han()
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    output = tmp_path / "by-program"
    command = [PROGRAM, "dedup", path, "-o", output, "--method", method, "--keep", "longest,first", "-q"]
    subprocess.run(command, check=True, capture_output=True)

    result = la.dedup(pa.Table.from_pylist(rows), method=method, keep=["longest", "first"])
    for name in ("removed", "pairs", "clusters"):
        told = without_rows(getattr(result, name).to_list())
        assert told == without_rows(lines(output / f"{name}.jsonl")), name
    assert result.kept.to_list() == lines(output / "kept.jsonl")
    report = json.loads((output / "report.json").read_text())
    for figure in ("documents", "kept", "removed", "clusters", "pairs", "candidates", "scheme", "exact_copies"):
        assert result.report[figure] == report[figure], figure
    assert result.report["removed"] > (10 if corpus == "english" else 0), "there is something to find"


def test_a_native_lexicon_is_counted_from_a_table_too(tmp_path: pathlib.Path) -> None:
    rows = corpora.documents()
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    output = tmp_path / "by-program"
    command = [PROGRAM, "dedup", path, "-o", output, "--method", "imatch", "--lexicon", "native", "-q"]
    subprocess.run(command, check=True, capture_output=True)
    result = la.dedup(pa.Table.from_pylist(rows), method="imatch", lexicon="native")
    assert without_rows(result.pairs.to_list()) == without_rows(lines(output / "pairs.jsonl"))


def test_what_is_known_is_removed_as_by_the_program(tmp_path: pathlib.Path) -> None:
    rows = corpora.documents()
    new, old = tmp_path / "new.jsonl", tmp_path / "old.jsonl"
    new.write_text("".join(json.dumps(row) + "\n" for row in rows[120:]))
    old.write_text("".join(json.dumps(row) + "\n" for row in rows[:120]))
    output = tmp_path / "by-program"
    subprocess.run([PROGRAM, "dedup", new, "-o", output, "--against", old, "-q"], check=True, capture_output=True)
    wanted = lines(output / "removed.jsonl")
    assert any("compared against" in row["reason"] for row in wanted)
    table, known = pa.Table.from_pylist(rows[120:]), pa.Table.from_pylist(rows[:120])
    for against in (known, old, [old]):
        result = la.dedup(table, against=against)
        assert without_rows(result.removed.to_list()) == wanted
        assert result.kept.to_list() == lines(output / "kept.jsonl")
