"""Folders as libraries write them: the program reads their data and nothing else."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pyarrow.dataset
from program import PROGRAM

WORDS = " ".join(f"word{number}" for number in range(60))
ROWS = [
    {"id": "a", "text": f"sea {WORDS} sea", "lang": "en", "date": "2024-01-01"},
    {"id": "b", "text": f"sea {WORDS} sea", "lang": "de", "date": "2024/01/02"},
    {"id": "c", "text": "something else that nothing else is like", "lang": None, "date": "2024-01-03"},
]


def dedup(folder: Path, tmp_path: Path, *arguments: str) -> tuple[dict[str, Any], list[str], str]:
    """The report of a run, what it removed, and what it warned of."""
    out = tmp_path / "out"
    command = [PROGRAM, "dedup", str(folder), "-o", str(out), "--force", *arguments]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    removed = [json.loads(line)["id"] for line in (out / "removed.jsonl").read_text().splitlines()]
    return json.loads((out / "report.json").read_text()), removed, run.stderr


def test_a_saved_dataset(tmp_path: Path) -> None:
    datasets.Dataset.from_list(ROWS).save_to_disk(tmp_path / "saved", num_shards=2)
    report, removed, told = dedup(tmp_path / "saved", tmp_path, "--keep", "first")
    assert (report["documents"], report["rejected"], removed) == (3, 0, ["b"])
    assert "passed over" not in told


def test_a_saved_dataset_with_what_was_computed_from_it(tmp_path: Path) -> None:
    datasets.Dataset.from_list(ROWS).save_to_disk(tmp_path / "saved")
    loaded = datasets.load_from_disk(tmp_path / "saved")
    loaded.map(lambda row: {"text": row["text"].upper()})
    assert list((tmp_path / "saved").glob("cache-*.arrow")), "the library keeps what it computes beside the data"
    report, removed, _ = dedup(tmp_path / "saved", tmp_path, "--keep", "first")
    assert (report["documents"], removed) == (3, ["b"])


def test_a_saved_dataset_of_splits(tmp_path: Path) -> None:
    splits = {"train": datasets.Dataset.from_list(ROWS[:1]), "test": datasets.Dataset.from_list(ROWS[1:])}
    datasets.DatasetDict(splits).save_to_disk(tmp_path / "saved")
    report, removed, told = dedup(tmp_path / "saved", tmp_path)
    assert (report["documents"], report["rejected"], len(removed)) == (3, 0, 1)
    assert "passed over" not in told


def test_a_table_parted_by_folders(tmp_path: Path) -> None:
    schema = pa.schema([("lang", pa.string()), ("date", pa.string())])
    for kind in ("parquet", "arrow"):
        folder = tmp_path / kind
        pyarrow.dataset.write_dataset(
            pa.Table.from_pylist(ROWS),
            folder,
            format=kind,
            partitioning=pyarrow.dataset.partitioning(schema, flavor="hive"),
        )
        assert (folder / "lang=__HIVE_DEFAULT_PARTITION__").exists()
        for best, worst in (("en>de", "b"), ("de>en", "a")):
            _, removed, told = dedup(folder, tmp_path, "--source-field", "lang", "--keep", f"source:{best}")
            assert removed == [worst], (kind, told)
        _, removed, _ = dedup(folder, tmp_path, "--source-field", "date", "--keep", "source:2024/01/02")
        assert removed == ["a"], "names of folders are escaped"
