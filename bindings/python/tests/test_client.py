"""Every call of the client, against a real service."""

# pyright: basic
from __future__ import annotations

import inspect
import json
import random
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from lookalike import _service
from lookalike.async_client import AsyncClient
from lookalike.client import Client
from lookalike.errors import ConfigError, FileError, InputError, LookalikeError
from service import Service

STORY = (
    "The ferry left the harbour at noon and ran aground on a sandbank in front of the island, where it stayed "
    "until the evening tide lifted it and all of the passengers could go home again in the small boats"
)
OTHER = (
    "Nothing in this text about gardening, roses and tulips was ever said by anybody who owns a greenhouse or a spade"
)


def text_of(number: int) -> str:
    """A text that resembles no other."""
    return " ".join(f"word{random.Random(number * 100 + place).randrange(10**6)}" for place in range(12))


def eventually(holds: Callable[[], bool]) -> None:
    """Search follows the index within moments."""
    end = time.monotonic() + 30
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.fixture
def client(service: Service) -> Iterator[Client]:
    with Client(service.url) as made:
        yield made


def call_everything(client: Client, folder: Path) -> None:
    """Each call once or more, on an empty service."""
    assert client.health() == client.ready() == {"status": "ok"}
    assert client.me() == {"name": "local", "role": "admin", "labels": None}
    assert client.add({"id": "a", "text": STORY, "url": "http://one.example/x"})["action"] == "inserted"
    more = [{"id": "b", "text": f"{STORY} again", "url": "http://two.example/x"}, {"id": 3, "text": OTHER}]
    assert [answer["verdict"] for answer in client.add(more)] == ["near-duplicate", "new"]
    assert [match["id"] for match in client.check(STORY)["matches"]] == ["a", "b"]
    assert client.get("a")["document"]["text"] == STORY
    assert len(client.history("a")["versions"]) == 1
    assert client.cluster("a")["size"] == 2
    assert client.cluster_map("a")["size"] == 2
    page = client.clusters(limit=1)
    assert (len(page["clusters"]), page["next"]) == (1, None)
    assert client.stats()["documents"] == 3
    assert client.due(5)["documents"] == []
    assert client.due(5, at=4_000_000_000)["due"] == 3
    assert client.mirrors(clusters=1, share=0.1)["found"] in (0, 1)
    assert client.compare("a", "b")["decision"] is None
    client.decide("a", "b", False)
    assert [(told["a"], told["b"], told["duplicate"]) for told in client.decisions()] == [("a", "b", False)]
    assert client.cluster("a")["size"] == 1
    client.undecide("a", "b")
    assert (client.decisions(), client.cluster("a")["size"]) == ([], 2)
    call_reviews(client)
    client.keep("a")
    assert [told["id"] for told in client.keepers()] == ["a"]
    client.keep("a", False)
    assert client.keepers() == []
    eventually(lambda: client.search("ferry", collapse=False)["total"] == 2)
    found = client.search("ferry", facets=["source"], limit=5)
    assert (found["total"], found["hits"][0]["matching"]) == (1, 2)
    assert client.search("ferry", cluster="a", collapse=False)["total"] == 2
    assert client.survey()["documents"] == 3
    assert client.survey_clusters("size:>1", sort="weakest", descending=False)["total"] == 1
    preview = client.preview_removals(keep="longest")
    assert preview["removed"] == 1
    assert json.loads(client.export_removals(keep="longest"))["id"] == "a"
    removed = client.apply_removals(plan=preview["plan"])
    assert (removed["documents"], client.removals()[0]["removal"]) == (1, removed["removal"])
    assert (client.get("a"), client.history("a"), client.cluster("a")) == (None, None, None)
    assert client.undo_removal(removed["removal"])["undone"] is True
    assert client.get("a")["id"] == "a"
    assert "minhash" in {method["name"] for method in client.methods()["methods"]}
    assert [lexicon["name"] for lexicon in client.lexicons()] == ["english"]
    assert client.lexicon("english")["counted"] == "words"
    assert client.word("english", "ferry")["word"] == "ferry"
    assert client.stability(0.5)["dropped"] == 0.5
    assert client.profile(STORY)["features"][0] == client.profile(id="a")["features"][0]
    assert client.profile(STORY, method="imatch", set={"features.min_length": "6"})["features"]
    call_jobs(client, folder)
    assert client.compact()["state"] == "done"
    assert client.resign("[decide]\nthreshold = 0.7")["state"] == "done"
    assert (client.stats()["threshold"], client.task()["task"]) == (0.7, "resign")
    assert client.remove(["a", "b", "no such"]) == 2
    for upload in client.uploads():
        client.delete_upload(upload["name"])
    assert client.erase([{"id": "a"}])["state"] == "done"
    assert client.snapshot()["state"] == "done"
    assert [snapshot["documents"] for snapshot in client.snapshots()] == [1, 1]
    assert client.audit(1)[0]["action"] == "snapshot"
    assert "lookalike_requests_total" in client.metrics()
    assert client.openapi()["openapi"].startswith("3.")


def call_reviews(client: Client) -> None:
    waiting = client.review_next(limit=5)
    assert len(waiting["pairs"]) == 1
    assert client.add_batch("first", ["ada"], limit=5)["batch"] == 1
    assert [batch["name"] for batch in client.batches()] == ["first"]
    client.drop_batch(1)
    assert client.remark("a", "b", note="look again", tags=["odd"])["tags"] == ["odd"]
    client.save_filter("large", "size:>2")
    assert [saved["name"] for saved in client.saved_filters()] == ["large"]
    client.drop_filter("large")
    assert client.decide_many([("a", "b")], True)["decided"] == 1
    assert client.decide_many([("a", "b")], None)["decided"] == 1
    assert client.review_progress()["agreement"] == []
    assert client.cluster_members("a", limit=1)["size"] == 2
    assert client.cluster_shape("a")["size"] == 2


def call_jobs(client: Client, folder: Path) -> None:
    documents = [{"id": number, "text": f"{STORY} {number}"} for number in range(600)]
    stored = client.upload("own.jsonl", documents)
    file = folder / "labels.csv"
    file.write_text("a,b,label\n1,2,1\n")
    client.upload("labels.csv", file)
    assert {upload["name"] for upload in client.uploads()} == {"own.jsonl", "labels.csv"}
    job = client.start("dedup", testing={"uploads": ["own.jsonl"]}, set={"decide.threshold": "0.6"})
    done = client.wait(job)
    assert done["summary"]["report"]["documents"] == 600
    assert client.job(job["id"])["state"] == client.jobs()[0]["state"] == "done"
    assert "deduped/removed.jsonl" in client.job_files(job["id"])
    removed = client.job_file(job["id"], "deduped/removed.jsonl")
    assert isinstance(removed, bytes) and removed.count(b"\n") == 599 and stored["bytes"] > 60_000
    assert client.job_file(job["id"], "deduped/removed.jsonl", folder / "removed.jsonl") == folder / "removed.jsonl"
    assert (folder / "removed.jsonl").read_bytes() == removed
    with pytest.raises(LookalikeError, match="no such file"):
        client.job_file(job["id"], "nothing", folder / "nothing")
    assert not list(folder.glob("nothing*"))
    assert client.adopt(job["id"])["state"] == "done"
    assert client.unadopt(job["id"], wait=True)["state"] == "done"
    client.cancel(job["id"])
    assert client.jobs() == []


def test_every_route_has_a_call(new_service: Callable[..., Service], tmp_path: Path) -> None:
    with Client(new_service(snapshots=tmp_path / "snapshots").start().url) as client:
        call_everything(client, tmp_path)
        counted = client.metrics()
        of_the_page = {("GET", "/"), ("GET", "/assets/{name}"), ("GET", "/metrics")}
        routes = {
            (method.upper(), path) for path, methods in client.openapi()["paths"].items() for method in methods
        } - of_the_page
    good = r'lookalike_requests_total\{method="(\w+)",route="([^"]+)",status="2\d\d"\}'
    assert routes - set(re.findall(good, counted)) == set()


def test_the_async_client_has_the_same_calls() -> None:
    def calls(kind: type) -> set[str]:
        return {name for name, value in inspect.getmembers(kind, inspect.isfunction) if not name.startswith("_")}

    assert calls(AsyncClient) == calls(Client)
    assert all(inspect.iscoroutinefunction(getattr(AsyncClient, name)) for name in calls(Client))
    assert inspect.getdoc(AsyncClient.check) == inspect.getdoc(Client.check)


def test_numbers_and_texts_are_two_ids(client: Client) -> None:
    client.add([{"id": 17, "text": f"{STORY} number"}, {"id": "17", "text": f"{OTHER} text"}])
    client.add([{"id": 18, "text": f"{STORY} eighteen"}, {"id": "19", "text": f"{OTHER} nineteen"}])
    assert (client.get(17)["id"], client.get("17")["id"]) == (17, "17")
    assert (client.history(17)["id"], client.history("17")["id"]) == (17, "17")
    for id in ("18", 19, 19.0):
        assert (client.get(id), client.history(id), client.cluster(id)) == (None, None, None)
        with pytest.raises(LookalikeError, match="no such document"):
            client.cluster_map(id)
    assert client.compare(17, 18)["a"]["bytes"] == len(STORY) + 7
    assert client.compare("17", 18)["a"]["bytes"] == len(OTHER) + 5
    assert client.remove(["18", 19]) == 0
    assert client.remove("17") == 1
    assert client.remove("17") == 0
    assert client.get(17)["id"] == 17
    assert client.remove([17, 18, "19"]) == 3


@pytest.mark.parametrize(
    "id",
    ["a/b", "..", ".", "a b+c", "%2F", "?x=1#y", "ä€😀", "\n", "a\\b\"c'", "-5x", "0", "1e5", "x" * 900, 2**70, -2.5],
    ids=repr,
)
def test_ids_may_have_any_characters(client: Client, id: str | float) -> None:
    client.add([{"id": id, "text": f"{STORY} of {id}"}])
    assert client.get(id)["id"] == id
    assert client.history(id)["id"] == id
    assert client.cluster(id)["size"] >= 1
    eventually(lambda: client.search("ferry", cluster=id)["total"] >= 1)
    assert client.compare(id, id)["identical"] is True
    assert client.profile(id=id)["features"]
    client.keep(id)
    assert id in [told["id"] for told in client.keepers()]
    assert client.remove(id) == 1


@pytest.mark.parametrize("id", ["", None, True, float("nan"), float("inf"), b"a", ["a"], "\ud800"], ids=repr)
def test_what_is_no_id_is_refused(client: Client, id: Any) -> None:
    with pytest.raises(InputError):
        client.get(id)


def test_only_ids_are_removed(client: Client) -> None:
    client.add([{"id": id, "text": f"{STORY} of {id!r}"} for id in (97, "id", "text", "col-1", "col-2")])
    wrong: list[Any] = [b"a", {"id": "x", "text": STORY}, [b"a"], [["id"]], None, [None], True]
    for ids in wrong:
        with pytest.raises(InputError, match="an id must be text or a number"):
            client.remove(ids)
    assert [client.get(id)["id"] for id in (97, "id", "text")] == [97, "id", "text"]
    arrow = pytest.importorskip("pyarrow")
    assert client.remove(arrow.chunked_array([["col-1"], ["col-2", "col-3"]])) == 2
    assert client.remove(pytest.importorskip("numpy").int64(97)) == 1
    assert client.remove({"id", "text"}) == 2


def test_answers_come_in_order_with_errors_of_their_own(client: Client) -> None:
    documents: list[Any] = [{"id": f"order-{number}", "text": text_of(number)} for number in range(1100)]
    documents[700] = {"text": "it has no id"}
    documents[701] = {"id": "no text"}
    answers = client.add(iter(documents))
    assert [answer.get("id") for answer in answers] == [
        None if number in (700, 701) else f"order-{number}" for number in range(1100)
    ]
    assert answers[700] == {"error": {"code": "bad-document", "message": "`id` is missing"}}
    with pytest.raises(InputError, match="^document 3: .*text"):
        client.add([*documents[:2], documents[701]], strict=True)
    with pytest.raises(InputError, match="none of 2 documents can be used; the first: `id` is missing"):
        client.add(["a", "b"])
    checked = client.check_many([*documents[:40], {"no": "text"}, *documents[40:80]])
    assert [answer.get("id") for answer in checked[:40]] == [f"order-{number}" for number in range(40)]
    assert (checked[40]["error"]["code"], checked[41]["id"], len(checked)) == ("bad-document", "order-40", 81)
    with pytest.raises(InputError, match="^document 1: "):
        client.check_many([{"no": "text"}], strict=True)
    assert client.add([]) == client.check_many([]) == []
    assert client.remove(f"order-{number}" for number in range(695, 705)) == 8


def test_batches_are_bounded() -> None:
    small = [{"id": number, "text": "x"} for number in range(1300)]
    assert [count for _, count in _service.batches(small)] == [512, 512, 276]
    large = [{"id": number, "text": "x" * 900_000} for number in range(5)]
    assert [count for _, count in _service.batches(large)] == [2, 2, 1]
    lines = b"".join(batch for batch, _ in _service.batches([*small, *large]))
    assert [json.loads(line) for line in lines.splitlines()] == [*small, *large]


def test_options_reach_the_service(client: Client) -> None:
    client.add({"id": "options", "text": OTHER})
    changed = {"id": "options-2", "text": f"{OTHER} indeed"}
    assert client.check(changed, passages=True)["matches"][0]["passages"]
    assert client.add(changed, policy="reject")["action"] == "rejected"
    assert [told["action"] for told in client.add([changed], "reject")] == ["rejected"]
    client.check(OTHER, refresh=True)
    assert client.get("options")["hits"] == 1
    assert client.add(changed, ttl="2h")["action"] == "inserted"
    assert len(client.check(OTHER, limit=1)["matches"]) == 1
    assert client.check(OTHER, limit=1)["matching"] == 2
    assert client.check(f"Subject: tulips\r\n\r\n{OTHER}\r\n".encode())["matching"] == 2
    assert client.check({"content": OTHER.encode()})["matching"] == 2
    client.remove(["options", "options-2"])


TABLES: dict[str, tuple[str, Callable[[Any, list[dict[str, Any]]], Any]]] = {
    "a table": ("pyarrow", lambda library, rows: library.Table.from_pylist(rows)),
    "a reader": ("pyarrow", lambda library, rows: library.Table.from_pylist(rows).to_reader()),
    "polars": ("polars", lambda library, rows: library.DataFrame(rows)),
    "pandas": ("pandas", lambda library, rows: library.DataFrame(rows)),
    "datasets": ("datasets", lambda library, rows: library.Dataset.from_list(rows)),
}


@pytest.mark.parametrize("kind", TABLES)
def test_tables_are_documents(client: Client, kind: str) -> None:
    library, make = TABLES[kind]
    rows = [{"id": f"row-{number}", "text": text_of(number), "size": number} for number in range(600)]
    if kind != "datasets":
        # A frame has every column in every row; what is missing is no field.
        rows[599].pop("size")
        rows[0]["size"] = 7
    client.remove("row-599")
    answers = client.add(make(pytest.importorskip(library), rows))
    assert [answer["id"] for answer in answers] == [row["id"] for row in rows]
    assert answers[-1]["action"] == "inserted"
    assert client.get("row-599")["document"] == rows[599]


def test_a_column_is_documents(client: Client) -> None:
    arrow = pytest.importorskip("pyarrow")
    assert len(client.check_many(arrow.chunked_array([[text_of(1), text_of(2)], [text_of(3)]]))) == 3


@pytest.mark.parametrize(
    ("wrong", "call"),
    [
        (ConfigError, lambda client: client.check(STORY, limit=0)),
        (ConfigError, lambda client: client.add({"id": 1, "text": STORY}, policy="nonsense")),
        (ConfigError, lambda client: client.add({"id": 1, "text": STORY}, ttl="soon")),
        (ConfigError, lambda client: client.get("a", labels="red")),
        (ConfigError, lambda client: client.resign("nonsense")),
        (InputError, lambda client: client.start("dedup", nonsense=1)),
        (ConfigError, lambda client: client.search('"never closed', filter="nonsense")),
        (InputError, lambda client: client.check({"text": 5})),
        (InputError, lambda client: client.check({"text": object()})),
        (InputError, lambda client: client.check("a lone surrogate \ud800")),
        (InputError, lambda client: client.check({"text": STORY, "size": float("nan")})),
        (InputError, lambda client: client.check(5)),
        (InputError, lambda client: client.add(5)),
        (InputError, lambda client: client.add("a text without an id")),
        (InputError, lambda client: client.check("x " * 17_000_000)),
        (FileError, lambda client: client.upload("x", "/no/such/file")),
        (FileError, lambda client: client.upload("x", Path("/"))),
    ],
)
def test_wrong_calls_are_told_in_a_sentence(
    client: Client, wrong: type[Exception], call: Callable[[Client], object]
) -> None:
    with pytest.raises(wrong) as told:
        call(client)
    assert 10 < len(str(told.value)) < 200 and "\n" not in str(told.value)
    assert client.health() == {"status": "ok"}
