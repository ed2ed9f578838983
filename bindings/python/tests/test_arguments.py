"""Keywords as arguments, and what is in memory as files."""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest
from lookalike import _arguments, _spool, catalog, files, judge, lexicon
from lookalike._arguments import arguments
from lookalike._spool import Spool
from lookalike.errors import ConfigError, FileError, InputError
from program import PROGRAM

# Options that only change how a person sees the answer, which is always JSON here, or that have a function of their own.
LEFT_OUT = {
    "evaluate": {"json", "help"},
    "train": {"json", "help"},
    "tune": {"json", "help", "ask"},
    "scan": {"json", "help", "csv", "check", "all", "undo"},
    "extract": {"json", "help"},
    "reproduce": {"json", "help", "markdown"},
    "demo": {"json", "help"},
    "lexicon build": {"json", "help"},
    "lexicon show": {"json", "help"},
    "lexicon stability": {"json", "help"},
}
FUNCTIONS: dict[str, Any] = {
    "evaluate": judge.evaluate,
    "train": judge.train,
    "tune": judge.tune,
    "scan": files.scan,
    "extract": files.extract,
    "reproduce": judge.reproduce,
    "demo": catalog.demo,
    "lexicon build": lexicon.build,
    "lexicon show": lexicon.show,
    "lexicon stability": lexicon.stability,
}
POSITIONAL = {"inputs", "paths", "name", "lexicon"}


@pytest.fixture
def spool() -> Iterator[Spool]:
    with closing(Spool()) as made:
        yield made


def lines(path: str) -> list[Any]:
    return [json.loads(line) for line in pathlib.Path(path).read_text().splitlines()]


@pytest.mark.parametrize("verb", FUNCTIONS)
def test_every_option_of_the_command_is_a_keyword(verb: str) -> None:
    import inspect

    printed = subprocess.run([PROGRAM, *verb.split(), "--help"], capture_output=True, text=True, check=True).stdout
    options = set(re.findall(r"^ +(?:-\w, )?--([\w-]+)", printed, re.MULTILINE))
    assert options >= {"help"}, printed
    keywords = {name.replace("_", "-") for name in inspect.signature(FUNCTIONS[verb]).parameters}
    missing = options - LEFT_OUT[verb] - keywords
    assert not missing
    assert keywords - options - POSITIONAL == {"session", "progress"} - ({"progress"} if verb == "demo" else set())


def test_values_become_arguments() -> None:
    path = pathlib.Path("a b") / "c"
    made = arguments(
        ["evaluate"],
        {
            "quiet": True,
            "check": False,
            "memory": None,
            "method": ["minhash", "simhash"],
            "positive": ["cut", "light"],
            "threshold": 0.8,
            "seed": 3,
            "html": path,
            "least": -1.5,
            "sweep": {"sign.lexicons": range(3), "decide.threshold": "0.5..0.9:0.1"},
            "set": {"a.b": [1, "two"], "c.d": True, "e.f": "x=y"},
        },
        ["-x", "corpus.jsonl"],
    )
    assert made == [
        "evaluate",
        "--quiet",
        "--method=minhash",
        "--method=simhash",
        "--positive=cut,light",
        "--threshold=0.8",
        "--seed=3",
        f"--html={path}",
        "--least=-1.5",
        "--sweep=sign.lexicons=0,1,2",
        "--sweep=decide.threshold=0.5..0.9:0.1",
        '--set=a.b=[1, "two"]',
        "--set=c.d=true",
        "--set=e.f=x=y",
        "--",
        "-x",
        "corpus.jsonl",
    ]


def test_numbers_of_numpy_are_numbers() -> None:
    numpy = pytest.importorskip("numpy")
    given = {"seed": numpy.int64(7), "threshold": numpy.float64(0.5), "cost": numpy.float32(2)}
    assert arguments(["v"], given) == ["v", "--seed=7", "--threshold=0.5", "--cost=2.0"]


@pytest.mark.parametrize("value", [b"bytes", {"a": 1}, object(), [None], [True]])
def test_what_is_no_value_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="seed"):
        arguments(["v"], {"seed": value})


def test_a_name_that_is_no_unicode_is_refused() -> None:
    with pytest.raises(ConfigError, match="no Unicode"):
        arguments(["scan"], {}, ["a\udcff.txt"])


def test_unknown_keywords_name_the_nearest() -> None:
    wrong: dict[str, Any] = {"treshold": 0.5}
    with pytest.raises(TypeError, match=r"evaluate\(\) has no keyword `treshold`; did you mean `threshold`"):
        judge.evaluate(["a"], **wrong)
    stranger: dict[str, Any] = {"xyzzy": 1}
    with pytest.raises(TypeError, match=r"stability\(\) has no keyword `xyzzy`; known: .*dropped"):
        lexicon.stability(**stranger)
    assert judge.evaluate.__doc__ and judge.evaluate.__name__ == "evaluate"


def test_texts_and_records_are_named_by_position(spool: Spool) -> None:
    (path,) = spool.documents(["one", "zwei é\n"], None, None)
    assert lines(path) == [{"id": 0, "text": "one"}, {"id": 1, "text": "zwei é\n"}]


def test_fields_have_the_names_that_are_given(spool: Spool) -> None:
    records = ({"url": name, "body": "b"} if name else {"body": "c"} for name in ("x", ""))
    (path,) = spool.documents(records, "url", "body")
    assert lines(path) == [{"url": "x", "body": "b"}, {"url": 1, "body": "c"}]
    with closing(Spool()) as other:
        (path,) = other.documents(["t"], "url", "body")
        assert lines(path) == [{"url": 0, "body": "t"}]


def test_paths_stay_paths(spool: Spool) -> None:
    assert spool.documents("data/*.jsonl", None, None) == ["data/*.jsonl"]
    assert spool.documents(pathlib.Path("a"), None, None) == ["a"]
    assert spool.documents([pathlib.Path("a"), pathlib.Path("b")], None, None) == ["a", "b"]


def test_a_list_of_names_of_files_is_an_error(spool: Spool, tmp_path: pathlib.Path) -> None:
    names = [str(tmp_path / name) for name in ("a.jsonl", "b.jsonl")]
    for name in names:
        pathlib.Path(name).write_text("{}")
    with pytest.raises(ConfigError, match=r"pathlib\.Path"):
        spool.documents(names, None, None)
    # One text is enough to tell that they are texts.
    assert len(lines(spool.documents([*names, "no file"], None, None)[0])) == 3


@pytest.mark.parametrize(
    ("documents", "kind", "message"),
    [
        ([], InputError, "no documents"),
        (iter(()), InputError, "no documents"),
        (["a", 1], InputError, "document 1 is of type int"),
        ([{"text": "a"}, {"text": float("nan")}], InputError, "document 1 cannot be written as JSON"),
        ([{"text": object()}], InputError, "document 0 cannot be written as JSON"),
        ([3], InputError, "document 0"),
        (b"bytes", TypeError, "bytes"),
        ({"text": "a"}, TypeError, "dict"),
        (None, TypeError, "NoneType"),
        (7, TypeError, "int"),
    ],
)
def test_what_is_no_corpus_is_refused(spool: Spool, documents: Any, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message):
        spool.documents(documents, None, None)


def test_tables_are_files_of_arrow(spool: Spool) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({"text": ["a"]})
    (path,) = spool.documents(table, None, None)
    assert path.endswith("corpus.arrow")
    with pyarrow.ipc.open_file(path) as file:
        assert file.read_all() == table


def test_labels_in_memory_are_files(spool: Spool) -> None:
    given: list[Any] = [("a", "b", True), ("a", "c")]
    assert lines(spool.pairs(given, None)) == [{"a": "a", "b": "b", "label": True}, {"a": "a", "b": "c"}]
    assert lines(spool.pairs([(1, 2, "cut")], "kind")) == [{"a": 1, "b": 2, "kind": "cut"}]
    assert lines(spool.clusters({"a": 1, "b": 1})) == [{"id": "a", "cluster": 1}, {"id": "b", "cluster": 1}]
    assert spool.pairs("labels.csv", None) == "labels.csv"
    wrong: Any = [("a",)]
    with pytest.raises(InputError, match="pair 0"):
        spool.pairs(wrong, None)
    wrong = ["ab"]
    with pytest.raises(InputError, match="cluster 0"):
        spool.clusters(wrong)


class Toml:
    """A recipe in memory."""

    def to_toml(self) -> str:
        return "method = 'simhash'\n"


def test_recipes_in_memory_are_files(spool: Spool) -> None:
    first, second, third = spool.recipes([Toml(), "mine.toml", Toml()])
    assert [os.path.basename(path) for path in (first, second, third)] == ["recipe.toml", "mine.toml", "recipe-3.toml"]
    assert pathlib.Path(first).read_text() == "method = 'simhash'\n"
    assert spool.recipes(None) == []
    wrong: Any = [3]
    with pytest.raises(TypeError, match="recipe"):
        spool.recipes(wrong)


def test_nothing_stays_behind() -> None:
    with closing(Spool()) as made:
        (path,) = made.documents(["a"], None, None)
        assert os.path.exists(path)
    assert not os.path.exists(os.path.dirname(path))


def test_a_file_that_cannot_be_written_is_an_error_of_files(tmp_path: pathlib.Path) -> None:
    with pytest.raises(FileError):
        _spool.write_lines(str(tmp_path / "none" / "x"), [{}], "pair")


def test_importing_is_quick() -> None:
    code = "import sys, lookalike.judge, lookalike.files, lookalike.lexicon, lookalike.catalog; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"asyncio", "difflib", "subprocess", "tempfile", "pyarrow", "numpy", "pandas", "inspect", "ssl"}
    assert not heavy & set(loaded)


def test_the_examples_of_the_module_hold() -> None:
    import doctest

    assert doctest.testmod(_arguments).failed == 0
