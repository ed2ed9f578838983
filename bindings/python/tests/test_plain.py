"""What works without any other package, on every Python."""

from __future__ import annotations

import ast
import asyncio
import concurrent.futures
import doctest
import importlib
import json
import multiprocessing
import os
import pathlib
import pickle
import pkgutil
import signal
import subprocess
import sys
import textwrap
import threading
import time
from typing import Any

import corpora
import lookalike as la
import pytest

ROWS = corpora.documents(90)
REMOVED = [row["id"] for row in la.dedup(ROWS).removed.to_list()]


def removed_of(rows: list[dict[str, Any]]) -> list[str]:
    return [row["id"] for row in la.dedup(rows).removed.to_list()]


def test_the_import_is_quick_and_needs_nothing() -> None:
    code = "import time; t = time.perf_counter(); import lookalike; print(time.perf_counter() - t); import sys; print(*sys.modules)"
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True) for _ in range(3)]
    loaded = set(runs[0].stdout.split("\n")[1].split())
    assert not loaded & {
        "pyarrow",
        "numpy",
        "pandas",
        "polars",
        "asyncio",
        "subprocess",
        "tempfile",
        "ssl",
        "http.client",
    }
    # Not a measurement, a safeguard: it takes a tenth of this.
    assert min(float(run.stdout.split("\n")[0]) for run in runs) < 1.0


@pytest.mark.parametrize(
    "name", ["lookalike", *(f"lookalike.{module.name}" for module in pkgutil.iter_modules(la.__path__))]
)
def test_the_examples_in_docstrings_run(name: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    if name == "lookalike._lookalike" or name == "lookalike.__main__":
        return
    failed, _ = doctest.testmod(importlib.import_module(name))
    assert failed == 0


def test_the_examples_of_the_stub_run() -> None:
    """The native module has its documentation in the stub."""
    stub = pathlib.Path(la.__path__[0]) / "_lookalike.pyi"
    runner, parser = doctest.DocTestRunner(), doctest.DocTestParser()
    for part in ast.parse(stub.read_text()).body:
        if isinstance(part, ast.ClassDef) and (words := ast.get_docstring(part)):
            runner.run(parser.get_doctest(words, {}, part.name, str(stub), part.lineno))
    assert runner.tries > 5 and runner.failures == 0


def test_the_command_is_there(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    for command in (["lookalike"], [sys.executable, "-m", "lookalike"]):
        output = tmp_path / f"by-{len(command)}"
        arguments = [*command, "dedup", path, "-o", output, "--json", "-q"]
        done = subprocess.run(arguments, capture_output=True, text=True, check=True)
        assert json.loads(done.stdout)["removed"] == len(REMOVED)
    version = subprocess.run(["lookalike", "--version"], capture_output=True, text=True, check=True).stdout
    assert version.split() == ["lookalike", la.__version__]
    wrong = subprocess.run(["lookalike", "dedup", "nowhere", "-o", tmp_path / "x"], capture_output=True, text=True)
    assert wrong.returncode == 2 and wrong.stderr.startswith("error: ")
    help_ = subprocess.run(["lookalike", "--help"], capture_output=True, text=True, check=True).stdout
    assert "dedup" in help_ and "serve" in help_
    closed = subprocess.run("lookalike methods | head -1", shell=True, capture_output=True, text=True)
    assert closed.stderr == ""


def test_files_of_other_formats_are_read_by_children(tmp_path: pathlib.Path) -> None:
    words = "one two three four five six seven eight nine ten"
    (tmp_path / "a.html").write_text(f"<html><body><h1>A</h1><p>{words}</p></body></html>")
    (tmp_path / "b.txt").write_text(f"A\n\n{words}")
    assert words in la.extract(tmp_path / "a.html")[0]["text"]
    assert len(la.scan(tmp_path, no_cache=True)["clusters"]) == 1
    assert la.dedup(tmp_path).report["documents"] == 2
    assert la.compare(tmp_path / "a.html", tmp_path / "b.txt").methods["minhash"]["verdict"] != "different"


def test_recipes_and_signers_are_pickled() -> None:
    recipe = la.Recipe("simhash", threshold=0.9)
    assert pickle.loads(pickle.dumps(recipe)) == recipe and hash(recipe) == hash(la.Recipe("simhash", threshold=0.9))
    signer = la.Signer(recipe)
    again = pickle.loads(pickle.dumps(signer))
    texts = [row["text"] for row in ROWS]
    assert again.scheme == signer.scheme and again.sign(texts).to_list() == signer.sign(texts).to_list()
    own = la.Recipe(session=la.Session(measures={"mine": lambda pairs: [1.0] * len(pairs)}))
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(own)


def test_threads_work_at_once(tmp_path: pathlib.Path) -> None:
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert list(pool.map(removed_of, [ROWS] * 16)) == [REMOVED] * 16
        with la.Index.create(tmp_path / "index") as index:
            index.add(ROWS[:60])
            checks = list(pool.map(lambda row: index.check(row)["verdict"], ROWS * 4))
            assert checks == checks[:90] * 4
            list(pool.map(lambda row: index.add(row), ROWS))
            assert len(index) == 90


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_processes_work_at_once(method: str) -> None:
    # What is forked must not depend on threads that it does not have.
    removed_of(ROWS)
    with multiprocessing.get_context(method).Pool(2) as pool:
        assert pool.map(removed_of, [ROWS] * 4) == [REMOVED] * 4


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_an_index_stays_in_its_process(tmp_path: pathlib.Path) -> None:
    index = la.Index.create(tmp_path / "index")
    index.add(ROWS[0])
    child = os.fork()
    if child == 0:
        try:
            index.add(ROWS[1])
        except la.InputError as error:
            index.close()
            os._exit(17 if "forked" in str(error) else 1)
        os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 17
    assert len(index) == 1
    index.close()
    with pytest.raises(la.ConfigError, match="closed"):
        index.check("text")
    with la.Index.open(tmp_path / "index") as again:
        assert len(again) == 1
        with pytest.raises(la.LookalikeError):
            la.Index.open(tmp_path / "index")


def test_asyncio_goes_on_meanwhile() -> None:
    rows = corpora.documents(3000, words=200)

    async def main() -> tuple[int, int]:
        beats = 0
        work = asyncio.ensure_future(asyncio.to_thread(la.dedup, rows))
        while not work.done():
            await asyncio.sleep(0.005)
            beats += 1
        return beats, (await work).report["removed"]

    beats, removed = asyncio.run(main())
    assert removed > 100 and beats > 3


def test_an_interrupt_ends_the_work(tmp_path: pathlib.Path) -> None:
    code = textwrap.dedent("""
        import random, signal, sys, time
        import lookalike as la
        # Whoever started the tests in the background made this process ignore interrupts.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        chance = random.Random(1)
        words = [f"w{number}" for number in range(5000)]
        table = la.Table.from_rows([" ".join(chance.choices(words, k=300)) for _ in range(20000)])
        print("ready", flush=True)
        try:
            while True:
                la.dedup(table, method="simhash", threads=1)
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        print(la.dedup(["one two three four five"]).report["documents"], flush=True)
    """)
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stdout.readline() == "ready\n"
    time.sleep(0.3)
    asked = time.monotonic()
    child.send_signal(signal.SIGINT)
    assert child.stdout.readline() == "interrupted\n"
    # A second is promised; a busy machine may take longer to notice.
    assert time.monotonic() - asked < 5
    assert child.stdout.readline() == "1\n" and child.wait() == 0


def test_own_parts() -> None:
    def lines(documents: la.Table) -> list[list[str]]:
        return [row["text"].splitlines() for row in documents]

    def larger_share(pairs: la.Table) -> list[float]:
        return [pair["shared"] / max(pair["a_size"], pair["b_size"]) for pair in pairs]

    session = la.Session(features={"lines": lines}, measures={"larger-share": larger_share})
    settings: dict[str, Any] = {"features": {"type": "lines"}, "decide": {"measure": "larger-share", "threshold": 0.8}}
    many = [str(number) for number in range(19)]
    texts = ["\n".join([*many, "a"]), "\n".join([*many, "b"]), "\n".join([*many[1:], "b", "c"]), "q"]
    result = la.dedup(texts, session=session, **settings)
    pairs = {(row["a_row"], row["b_row"], row["similarity"]) for row in result.pairs.to_list()}
    assert pairs == {(0, 1, 0.95), (1, 2, 0.95), (0, 2, 0.9)}
    with pytest.raises(la.ConfigError, match="lines"):
        la.dedup(texts, features={"type": "lines"})

    def raising(documents: la.Table) -> list[list[str]]:
        raise RuntimeError("out of ideas")

    broken = la.Session(features={"raising": raising, "wrong": lambda documents: [[1.5]], "few": lambda documents: []})
    for name, error in (("raising", RuntimeError), ("wrong", TypeError), ("few", TypeError)):
        with pytest.raises(error):
            la.dedup(texts, session=broken, features={"type": name})
    assert la.dedup(texts, session=broken).report["documents"] == 4, "what went wrong is over"


def test_an_index_of_own_parts_adds_nothing_that_went_wrong(tmp_path: pathlib.Path) -> None:
    is_broken = threading.Event()

    def words(documents: la.Table) -> list[list[str]]:
        if is_broken.is_set():
            raise RuntimeError("out of order")
        return [row["text"].split() for row in documents]

    session = la.Session(features={"my-words": words})
    with la.Index.create(tmp_path / "index", session=session, features={"type": "my-words"}) as index:
        index.add({"id": 1, "text": "one two three"})
        is_broken.set()
        with pytest.raises(RuntimeError, match="out of order"):
            index.add([{"id": 2, "text": "one two three"}])
        is_broken.clear()
        assert len(index) == 1
        assert (
            index.check("one two three")["verdict"] == "near-duplicate" or index.check("one two three")["matching"] == 1
        )
