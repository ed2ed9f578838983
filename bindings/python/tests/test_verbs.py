"""The verbs give what the program prints with `--json`."""

from __future__ import annotations

import doctest
import json
import pathlib
import subprocess
import types
import warnings
from typing import Any, cast

import pytest
from lookalike import catalog, files, judge, lexicon
from lookalike.errors import ConfigError, FileError, InputError, LookalikeError
from program import PROGRAM

VARIES = ("seconds", "stages", "peak_memory_bytes")
"""What differs from run to run."""


def printed(*arguments: object) -> Any:
    """What the program prints."""
    texts = [str(argument) for argument in arguments]
    done = subprocess.run([PROGRAM, *texts, "--json"], capture_output=True, text=True, check=False)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


def timeless(value: object) -> object:
    if isinstance(value, dict):
        record = cast("dict[str, object]", value)
        return {key: timeless(one) for key, one in record.items() if not key.endswith(VARIES)}
    if isinstance(value, list):
        return [timeless(one) for one in cast("list[object]", value)]
    return value


def words(topic: str, count: int) -> str:
    return " ".join(f"{topic}{number}" for number in range(count))


@pytest.fixture(scope="module")
def records() -> list[dict[str, Any]]:
    """Forty topics of two documents each, ever more different; every eighth pair is of two clusters."""
    made: list[dict[str, Any]] = []
    for topic in range(40):
        text = words(f"topic{topic}x", 60)
        other = f"{text} {words(f'other{topic}x', topic)}"
        apart = topic % 8 == 7
        made.append({"id": f"{topic}a", "text": text, "cluster": f"{topic}", "year": 1})
        made.append(
            {
                "id": f"{topic}b",
                "text": other,
                "cluster": f"{topic}b" if apart else f"{topic}",
                "year": 2 if apart else 1,
            }
        )
    return made


@pytest.fixture
def corpus(tmp_path: pathlib.Path, records: list[dict[str, Any]]) -> pathlib.Path:
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def test_evaluate_is_that_of_the_program(corpus: pathlib.Path, records: list[dict[str, Any]]) -> None:
    settings: dict[str, Any] = {
        "cluster_field": "cluster",
        "method": ["minhash", "exact"],
        "resamples": 50,
        "quiet": True,
    }
    by_program = printed(
        "evaluate", corpus, "--cluster-field", "cluster", "--method", "minhash", "--method", "exact", "--resamples", 50
    )
    by_path = judge.evaluate(corpus, **settings)
    assert [result["name"] for result in by_path["results"]] == ["minhash", "exact"]
    assert timeless(by_path) == timeless(by_program)
    assert timeless(judge.evaluate(str(corpus), **settings)) == timeless(by_program)
    assert timeless(judge.evaluate([corpus], **settings)) == timeless(by_program)
    assert timeless(judge.evaluate(records, **settings)) == timeless(by_program)
    assert timeless(judge.evaluate(iter(records), **settings)) == timeless(by_program)


def test_evaluate_takes_labels_and_recipes_from_memory(records: list[dict[str, Any]], tmp_path: pathlib.Path) -> None:
    class Half:
        def to_toml(self) -> str:
            return "method = 'minhash'\n[decide]\nthreshold = 0.5\n"

    pairs = [("0a", "0b", True), ("1a", "1b", True), ("7a", "7b", False)]
    page, cells = tmp_path / "page.html", tmp_path / "figures.csv"
    judged = judge.evaluate(
        records, pairs=pairs, recipe=Half(), sweep={"decide.threshold": [0.5, 0.9]}, html=page, csv=cells, quiet=True
    )
    assert len(judged["results"]) == 2
    assert "<html" in page.read_text() and cells.read_text().count("\n") > 2
    named = {record["id"]: record["cluster"] for record in records}
    assert judge.evaluate(records, clusters=named, quiet=True)["documents"] == 80


def test_what_is_true_must_be_said_once(corpus: pathlib.Path) -> None:
    with pytest.raises(LookalikeError, match="nothing says what is true"):
        judge.evaluate(corpus)
    with pytest.raises(LookalikeError, match="exclude each other"):
        judge.evaluate(corpus, exact="jaccard:0.8", cluster_field="cluster")
    with pytest.raises(LookalikeError, match="minhush"):
        judge.evaluate(corpus, exact="jaccard:0.8", method="minhush")


def test_train_writes_a_model_that_decides(corpus: pathlib.Path, records: list[dict[str, Any]]) -> None:
    model = corpus.parent / "my.model"
    settings: dict[str, Any] = {"fields": ["year"], "learner": "logistic", "folds": 3, "resamples": 50, "quiet": True}
    report = judge.train(records, model, cluster_field="cluster", anyway=True, **settings)
    assert report["model"] == str(model)
    told = printed(
        *("train", corpus, "--cluster-field", "cluster", "--fields", "year", "--learner", "logistic", "--folds", 3),
        *("--resamples", 50, "--anyway", "-o", corpus.parent / "other.model"),
    )
    path = report.pop("model")
    assert timeless(report) == timeless(told)
    assert json.loads(pathlib.Path(path).read_text())["report"] == report
    judged = judge.evaluate(
        corpus, cluster_field="cluster", method="classifier", set={"decide.model": path}, resamples=50, quiet=True
    )
    assert judged["results"]


def test_train_tells_if_no_model_was_written(tmp_path: pathlib.Path) -> None:
    texts = [
        text for topic in range(30) for text in (words(f"t{topic}x", 50), f"{words(f't{topic}x', 50)} more{topic}")
    ]
    clusters = {place: place // 2 for place in range(60)}
    model = tmp_path / "none.model"
    report = judge.train(texts, model, clusters=clusters, folds=3, resamples=50, quiet=True)
    assert (report["model"] is not None) == report["recommended"] == model.exists()


def test_tune_finds_a_recipe(corpus: pathlib.Path, records: list[dict[str, Any]]) -> None:
    recipe = corpus.parent / "my.toml"
    settings: dict[str, Any] = {
        "cluster_field": "cluster",
        "sample": 60,
        "method": "minhash",
        "resamples": 50,
        "quiet": True,
    }
    tuned = judge.tune(records, precision=0.5, output=recipe, time=600, **settings)
    assert tuned["meets"] and recipe.read_text() == tuned["recipe"]
    told = printed(
        *("tune", corpus, "--precision", 0.5, "--cluster-field", "cluster", "--sample", 60, "--method", "minhash"),
        *("--resamples", 50),
    )
    assert (told["recipe"], told["precision"], told["recall"]) == (tuned["recipe"], tuned["precision"], tuned["recall"])
    with pytest.raises(LookalikeError, match="--precision is 2"):
        judge.tune(corpus, precision=2, **settings)


def test_labels_are_asked_for_and_added(corpus: pathlib.Path, records: list[dict[str, Any]]) -> None:
    labels = corpus.parent / "labels.jsonl"
    asked = judge.ask(corpus, 4, pairs=labels, quiet=True)
    assert asked == printed("tune", corpus, "--pairs", labels, "--ask", 4)
    assert (len(asked["questions"]), asked["labelled"], asked["trained"]) == (4, 0, False)
    texts = {record["id"]: record["text"] for record in records}
    for question in asked["questions"]:
        assert question["text_a"] == texts[question["a"]]
        judge.label(labels, question["a"], question["b"], None if question is asked["questions"][0] else True)
    again = judge.ask(records, 4, pairs=labels, quiet=True)
    assert again["labelled"] == 3, "one is unsure"
    answered = {(question["a"], question["b"]) for question in asked["questions"][1:]}
    assert not answered & {(question["a"], question["b"]) for question in again["questions"]}


def test_methods_are_listed_and_explained() -> None:
    assert catalog.methods() == printed("methods")
    assert catalog.methods("minhash") == printed("methods", "show", "minhash")
    with pytest.raises(LookalikeError, match="minhash"):
        catalog.methods("minhush")


def test_experiments_are_listed_and_run() -> None:
    assert judge.reproduce() == printed("reproduce")
    assert timeless(judge.reproduce("k08-table-4", quiet=True)) == timeless(printed("reproduce", "k08-table-4"))
    with pytest.raises(LookalikeError, match="unheard-of"):
        judge.reproduce("unheard-of")


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    made = tmp_path / "folder"
    made.mkdir()
    text = words("tree", 80)
    (made / "one.txt").write_text(text)
    (made / "two.txt").write_text(text)
    (made / "page.html").write_text(f"<title>Trees</title><p>{text} leaf")
    (made / "other.md").write_text(words("stone", 80))
    (made / "broken.docx").write_bytes(b"PK\x03\x04 this is no document")
    return made


def test_scan_is_that_of_the_program(folder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    report = files.scan(folder, no_cache=True, quiet=True)
    assert timeless(report) == timeless(printed("scan", folder, "--no-cache"))
    assert len(report["clusters"]) == 1 and len(report["clusters"][0]["members"]) == 3
    careful = files.scan([folder / "one.txt", str(folder / "page.html")], threshold=0.99, no_cache=True, quiet=True)
    assert careful["clusters"] == []
    page = tmp_path / "page.html"
    files.scan(
        folder, cache=tmp_path / "cache", html=page, keep=["first", "longest"], set={"extract.main": False}, quiet=True
    )
    assert "one.<wbr>txt" in page.read_text() and any((tmp_path / "cache").iterdir())


def test_a_scan_is_applied_and_undone(folder: pathlib.Path, tmp_path: pathlib.Path) -> None:
    before = sorted(path.name for path in folder.iterdir())
    settings: dict[str, Any] = {"no_cache": True, "quiet": True, "to": tmp_path / "moved"}
    plan = files.scan(folder, apply="move", dry_run=True, **settings)
    assert len(plan["steps"]) == 2 and sorted(path.name for path in folder.iterdir()) == before
    log = tmp_path / "log.jsonl"
    applied = files.scan(folder, apply="move", undo_log=log, **settings)
    assert applied["plan"]["steps"] == plan["steps"]
    assert (applied["summary"]["done"], applied["summary"]["log"]) == (2, str(log))
    assert len(list(folder.iterdir())) == len(before) - 2
    undone = files.undo(log)
    assert (undone["taken_back"], undone["failed"]) == (2, [])
    assert sorted(path.name for path in folder.iterdir()) == before
    with pytest.raises(LookalikeError, match="eat"):
        files.scan(folder, apply="eat", **settings)
    with pytest.raises(LookalikeError, match="none.jsonl"):
        files.undo(tmp_path / "none.jsonl")


def test_extract_gives_documents_and_warns_of_the_rest(folder: pathlib.Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (page,) = files.extract(folder / "page.html")
        both = files.extract([folder / "one.txt", str(folder / "two.txt")])
    done = subprocess.run(
        [PROGRAM, "extract", str(folder / "page.html"), "--json"], capture_output=True, text=True, check=True
    )
    assert page == json.loads(done.stdout) and page["title"] == "Trees"
    assert [document["text"] for document in both] == [words("tree", 80)] * 2
    with pytest.warns(UserWarning, match="broken.docx") as seen:
        everything = files.extract(folder)
    assert len(everything) == 4
    assert seen[0].filename == __file__, "the warning names the caller"
    with pytest.raises(LookalikeError, match="broken.docx"):
        files.extract(folder / "broken.docx")
    with pytest.raises(LookalikeError, match="none.pdf"):
        files.extract(folder / "none.pdf")
    with pytest.raises(ConfigError):
        files.extract([])


def test_text_with_strange_separators_stays_one_document(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "lines.txt"
    path.write_text("one\u2028two\u0085three and some more words\n", encoding="utf-8")
    (document,) = files.extract(path)
    assert "three" in document["text"]


def test_lexicons_are_built_and_shown(corpus: pathlib.Path, records: list[dict[str, Any]]) -> None:
    places = [corpus.parent / name for name in ("a.lexicon", "b.lexicon", "c.lexicon")]
    built = lexicon.build(records, output=places[0], min_df=2, source="topics", quiet=True)
    told = printed("lexicon", "build", corpus, "-o", places[1], "--min-df", 2, "--source", "topics")
    assert built.pop("lexicon") == str(places[0]) and told.pop("lexicon") == str(places[1])
    assert timeless(built) == timeless(told)
    assert places[0].read_bytes() == places[1].read_bytes()
    shown = lexicon.show(places[0], window=(0.0, 1.0), word=["topic1x1", "unheard"])
    assert shown == printed(
        "lexicon", "show", places[1], "--window", "0.0:1.0", "--word", "topic1x1", "--word", "unheard"
    )
    assert [word["df"] for word in shown["words"]] == [2, 0]
    counts = corpus.parent / "counts.tsv"
    counts.write_text("#docs\t10\nsea\t3\nsky\t7\n")
    assert lexicon.build(counts=counts, output=places[2])["terms"] == 2
    with pytest.raises(ConfigError, match="either"):
        lexicon.build(output=places[2])
    with pytest.raises(ConfigError, match="either"):
        lexicon.build(corpus, counts=counts, output=places[2])
    with pytest.raises(LookalikeError, match=r"none\.lexicon"):
        lexicon.show(corpus.parent / "none.lexicon")


def test_stability_is_that_of_the_program(tmp_path: pathlib.Path) -> None:
    drawing = tmp_path / "curves.svg"
    told = lexicon.stability(dropped=0.4, lexicons=[0, 5], changes="1..3", trials=200, svg=drawing)
    assert told == printed(
        *("lexicon", "stability", "--dropped", 0.4, "--lexicons", "0,5", "--changes", "1..3", "--trials", 200)
    )
    assert "<svg" in drawing.read_text()
    with pytest.raises(LookalikeError, match="--dropped is 2"):
        lexicon.stability(dropped=2)


def test_the_demo_runs_and_writes_samples(tmp_path: pathlib.Path) -> None:
    report = catalog.demo(tmp_path / "demo")
    assert report is not None and report["removed"] > 0
    assert catalog.demo(data=tmp_path / "samples") is None
    assert (tmp_path / "samples" / "corpus.jsonl").exists()


def test_standard_input_is_no_corpus() -> None:
    pytest.importorskip("lookalike._lookalike")
    with pytest.raises(ConfigError, match="standard input"):
        judge.evaluate("-", exact="jaccard:0.8", quiet=True)


def test_errors_have_their_kind(tmp_path: pathlib.Path, corpus: pathlib.Path) -> None:
    pytest.importorskip("lookalike._lookalike")
    with pytest.raises(FileError, match=r"none\.lexicon"):
        lexicon.show(tmp_path / "none.lexicon")
    with pytest.raises(ConfigError, match="minhush"):
        catalog.methods("minhush")
    with pytest.raises(ConfigError, match="--folds") as told:
        judge.train(corpus, tmp_path / "x.model", cluster_field="cluster", folds=1)
    assert "\n" not in str(told.value) and "Usage" not in str(told.value)
    with pytest.raises(InputError, match=r"none\.pdf"):
        files.extract(tmp_path / "none.pdf")


@pytest.mark.parametrize("module", [catalog, files, judge, lexicon])
def test_examples_hold(module: types.ModuleType) -> None:
    functions = [one for one in vars(module).values() if getattr(one, "__module__", "") == module.__name__]
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner()
    examples = 0
    for function in functions:
        for test in finder.find(function, globs=vars(module)):
            examples += len(test.examples)
            assert runner.run(test).failed == 0, test.name
    assert examples > 0
