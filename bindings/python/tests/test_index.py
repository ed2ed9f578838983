"""The index: the answers of a batch run, whatever happened before."""

from __future__ import annotations

import pathlib
import random
from typing import Any

import corpora
import lookalike as la
import polars as pl
import pyarrow as pa
import pytest

ROWS = corpora.documents(120)


@pytest.mark.parametrize("method", ["minhash", "simhash", "cosine", "textprofile"])
def test_the_same_clusters_as_a_run(method: str, tmp_path: pathlib.Path) -> None:
    wanted = {
        tuple(sorted(member["id"] for member in cluster["members"])): cluster["master"]
        for cluster in la.dedup(ROWS, method=method).clusters.to_list()
    }
    rows = ROWS[:]
    random.Random(3).shuffle(rows)
    with la.Index.create(tmp_path / "index", method=method) as index:
        index.add(pa.Table.from_pylist(rows[:50]))
        index.add(pl.DataFrame([{**row, "text": "something else before it was changed"} for row in rows[50:70]]))
        index.add(iter(rows[50:]))
        assert index.remove(["nobody", rows[0]["id"]]) == 1
        index.add(rows[0])
        found = {
            tuple(
                sorted(
                    [
                        cluster["master"],
                        *(member["id"] for member in cluster["members"] if member["id"] != cluster["master"]),
                    ]
                )
            ): cluster["master"]
            for cluster in index.clusters(at_once=7)
        }
        assert found == wanted and len(wanted) > 5
        assert len(index) == 120 and rows[0]["id"] in index and "nobody" not in index


@pytest.mark.parametrize("id", ["plain", 'a "quoted" one', "back\\slash", "日本 😀", "17", 17, -3, 1.5, 2**63, 10**30])
def test_answers_have_ids_and_documents_as_they_were_given(id: Any, tmp_path: pathlib.Path) -> None:
    words = "one two three four five six seven eight nine ten"
    given = {"id": id, "text": words, "more": [None, True, 0.5, {"é": "\n\u0001"}, [], {}], "large": 2**64}
    with la.Index.create(tmp_path / "index") as index:
        answer = index.add(given)
        assert answer["id"] == id and type(answer["id"]) is type(id)
        (match,) = index.check(words)["matches"]
        assert match["id"] == id and match["similarity"] == 1.0 and match["difference"] == ["none"]
        assert type(match["similarity"]) is float and match["contained_in"] == 1.0
        stored = index.get(id)
        assert stored is not None and stored["document"] == given and stored["id"] == id


def test_every_call(tmp_path: pathlib.Path) -> None:
    words = "one two three four five six seven eight nine ten"
    with la.Index.create(tmp_path / "index", threshold=0.7, keep="first") as index:
        assert index.add({"id": 17, "text": words})["action"] == "inserted"
        assert index.add({"id": 17, "text": words})["action"] == "unchanged"
        answer = index.check(words + " eleven", passages=True)
        assert answer["verdict"] == "near-duplicate" and answer["matches"][0]["id"] == 17
        assert index.check({"text": words})["verdict"] == "duplicate"
        assert index.add({"id": "b", "text": words + " eleven"}, policy="reject")["action"] == "rejected"
        assert [one["verdict"] for one in index.check_many([words, "nothing of the kind", ""])][:2] == [
            "duplicate",
            "new",
        ]
        answers = index.add([{"id": 1, "text": None}, {"id": 2, "text": "well"}])
        assert "null" in answers[0]["error"]["message"] and answers[1]["id"] == 2
        with pytest.raises(la.InputError, match="null"):
            index.add({"id": 3, "text": None})
        with pytest.raises(la.ConfigError, match="keep-best"):
            index.add("text", policy="keep-worst")
        index.add({"id": "old", "text": "of no use after a while"}, ttl="30d")
        assert index.get("old")["expires"] is not None  # type: ignore[index]
        assert index.get("17") is None and index.get(17)["document"]["text"] == words  # type: ignore[index]
        assert index.cluster(17)["size"] == 1 and index.history(17)["versions"][0]["changed"]  # type: ignore[index]
        assert index.history("nobody") is None and index.cluster("nobody") is None
        index.add({"id": "c", "text": "nothing that is like any other text in here"})
        assert index.decide(17, "c", True) and index.cluster("c")["size"] == 2  # type: ignore[index]
        assert index.decisions()[0]["duplicate"] is True
        assert index.decide(17, "c", None) and index.decisions() == []
        assert index.due()["documents"] == [] and index.mirrors()["pairs"] == []
        before = index.scheme
        index.resign(la.Recipe("simhash"))
        assert index.scheme != before and index.recipe.method == "simhash"
        index.compact()
        index.export(tmp_path / "all.jsonl")
        assert len((tmp_path / "all.jsonl").read_text().splitlines()) == len(index)
        for wrong in (None, True, 1j, float("nan"), ["a"]):
            with pytest.raises((TypeError, ValueError)):
                index.get(wrong)  # type: ignore[arg-type]
    assert index.closed and repr(index) == "Index (closed)"
    with pytest.raises(la.LookalikeError):
        la.Index.create(tmp_path / "index")
    with pytest.raises(la.LookalikeError):
        la.Index.open(tmp_path / "nowhere")


def test_columns_are_named(tmp_path: pathlib.Path) -> None:
    table = pa.table({"url": ["u"], "body": ["one two three four five"], "text": ["another column"], "n": [3]})
    with la.Index.create(tmp_path / "index") as index:
        index.add(table, id="url", text="body")
        stored = index.get("u")
        assert stored is not None and stored["document"] == {
            "id": "u",
            "text": "one two three four five",
            "text_": "another column",
            "n": 3,
        }
        with pytest.raises(la.InputError, match="no column `words`"):
            index.add(table, text="words")


def test_a_snapshot_is_restored_and_damage_is_told(tmp_path: pathlib.Path) -> None:
    backups, again = tmp_path / "backups", tmp_path / "again"
    with la.Index.create(tmp_path / "seen") as index:
        index.add([{"id": number, "text": f"number {number} of some texts that are kept " * 3} for number in range(20)])
        first = index.snapshot(backups)
        index.remove([3])
        second = index.snapshot(backups, keep=1)
        with pytest.raises(la.ConfigError):
            index.snapshot(backups, keep=0)
        with pytest.raises(la.LookalikeError):
            la.Index.verify(tmp_path / "seen")
        before = index.check("number 5 of some texts that are kept " * 3)
    assert (first["documents"], second["documents"], second["removed"]) == (20, 19, [first["snapshot"]])
    assert [one["snapshot"] for one in la.Index.snapshots(backups)] == [second["snapshot"]]
    assert la.Index.restore(backups, again, snapshot=second["snapshot"])["damage"] == []
    with la.Index.open(again) as index:
        assert index.check("number 5 of some texts that are kept " * 3) == before
    assert la.Index.verify(again)["documents"] == 19
    formats = la.Index.upgrade(again, dry_run=True)
    assert formats["has"] == formats["newest"] and not formats["upgraded"]
    for file in again.rglob("*"):
        if file.is_file() and file.stat().st_size > 1000:
            content = bytearray(file.read_bytes())
            content[len(content) // 2] ^= 1
            file.write_bytes(content)
    assert la.Index.verify(again)["damage"]
    with pytest.raises(la.LookalikeError):
        la.Index.restore(tmp_path / "nothing", tmp_path / "other")
