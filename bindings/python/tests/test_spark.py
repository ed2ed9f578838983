"""The job on Spark gives what the program gives. Here by Sail, which speaks Spark's protocol and needs no Java; the same code
on a cluster of Spark itself is in test_spark_cluster.py."""

from __future__ import annotations

import json
import pathlib
import re
import subprocess
from collections.abc import Iterator
from typing import Any

import lookalike as la
import lookalike.spark
import pytest
from lookalike.spark import __main__ as command
from lookalike.spark._job import Limits
from program import PROGRAM
from spark_corpora import CORPORA, crowds

METHODS = sorted(method["name"] for method in la.methods()["methods"] if method["name"] != "classifier")


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    from pysail.spark import SparkConnectServer
    from pyspark.sql import SparkSession

    server = SparkConnectServer("127.0.0.1", 0)
    server.start(background=True)
    host, port = server.listening_address
    session = SparkSession.builder.remote(f"sc://{host}:{port}").getOrCreate()
    yield session
    session.stop()
    server.stop()


def lines(path: pathlib.Path) -> list[dict[str, Any]]:
    files = [part for part in sorted(path.iterdir()) if part.name[0] not in "._"] if path.is_dir() else [path]
    return [json.loads(line) for file in files for line in file.read_text().splitlines()]


def told(rows: list[dict[str, Any]]) -> list[str]:
    """Rows as sets are compared. The number of a cluster is one of a place in the input, which a DataFrame has not."""
    for row in rows:
        row.pop("cluster", None)
        if "members" in row:
            row["members"] = sorted(row["members"], key=lambda member: (-member["similarity"], str(member["id"])))
    return sorted(json.dumps(row, sort_keys=True) for row in rows)


def by_program(folder: pathlib.Path, rows: list[dict[str, Any]], *options: str) -> pathlib.Path:
    corpus = folder / "corpus.jsonl"
    corpus.write_text("".join(json.dumps(row) + "\n" for row in rows))
    output = folder / "by-program"
    subprocess.run([PROGRAM, "dedup", corpus, "-o", output, "-q", *options], check=True, capture_output=True)
    return output


def same_results(ours: pathlib.Path, program: pathlib.Path) -> dict[str, Any]:
    for name in ("removed", "pairs", "clusters", "kept"):
        assert told(lines(ours / f"{name}.jsonl")) == told(lines(program / f"{name}.jsonl")), name
    report, expected = (json.loads((folder / "report.json").read_text()) for folder in (ours, program))
    assert set(expected) - set(report) <= {"narrowing"}
    measured = {"seconds", "stages", "peak_memory_bytes", "run", "threads", "input_bytes", "inputs", "warnings",
                "narrowing", "resumed", "weak", "passed_over"}  # fmt: skip
    for figure in set(expected) - measured:
        assert report[figure] == expected[figure], figure
    return dict(report)


@pytest.mark.parametrize(("corpus", "few"), [*((name, 500_000) for name in CORPORA), ("crowds", 0)])
@pytest.mark.parametrize("method", METHODS)
def test_every_method_gives_what_the_program_gives(
    spark: Any, method: str, corpus: str, few: int, tmp_path: pathlib.Path
) -> None:
    """With few rows taken by one executor, and with all of them moved between many."""
    rows = CORPORA[corpus]()
    program = by_program(tmp_path, rows, "--method", method)
    ours = tmp_path / "ours"
    df = spark.read.text(str(tmp_path / "corpus.jsonl")).repartition(5)
    lookalike.spark.dedup(df, method=method, output=str(ours), lines=True, limits=Limits(few=few))
    report = same_results(ours, program)
    assert report["removed"] > (0 if corpus == "han" else 10)
    assert not (ours / "_work").exists(), "what is finished is tidied up"


@pytest.mark.parametrize("options", [{"cluster": {"type": "components"}}, {"verify": "estimate"}, {"verify": "signature"},
                                     {"unless": ["numbers"]}, {"keep": ["newest", "shortest-url"]}], ids=str)  # fmt: skip
def test_recipes_of_all_kinds(spark: Any, options: dict[str, Any], tmp_path: pathlib.Path) -> None:
    rows = crowds()
    recipe = la.Recipe("minhash", **options)
    recipe.save(tmp_path / "recipe.toml")
    program = by_program(tmp_path, rows, "--recipe", str(tmp_path / "recipe.toml"))
    ours = tmp_path / "ours"
    df = spark.read.text(str(tmp_path / "corpus.jsonl")).repartition(3)
    lookalike.spark.dedup(df, recipe, output=str(ours), lines=True)
    same_results(ours, program)


@pytest.mark.parametrize("clustering", ["star", "components"])
def test_clusters_that_no_executor_could_hold_are_the_same(spark: Any, clustering: str, tmp_path: pathlib.Path) -> None:
    """Settled by rounds on DataFrames, with no pair left to a single executor, or with a few."""
    rows = crowds()
    recipe = la.Recipe("minhash", threshold=0.6, cluster={"type": clustering})
    recipe.save(tmp_path / "recipe.toml")
    program = by_program(tmp_path, rows, "--recipe", str(tmp_path / "recipe.toml"))
    for most in (0, 20):
        ours = tmp_path / f"ours-{most}"
        df = spark.read.text(str(tmp_path / "corpus.jsonl"))
        lookalike.spark.dedup(df, recipe, output=str(ours), lines=True, limits=Limits(pairs_at_once=most, few=most))
        same_results(ours, program)


def test_columns_of_a_frame_and_results_as_frames(spark: Any, tmp_path: pathlib.Path) -> None:
    import pyarrow as pa

    rows = [{"key": number, "body": row["text"], "extra": [number]} for number, row in enumerate(crowds())]
    expected = la.dedup(pa.Table.from_pylist(rows), id="key", text="body")
    df = spark.createDataFrame([tuple(row.values()) for row in rows], "key bigint, body string, extra array<int>")
    result = lookalike.spark.dedup(df, id="key", text="body", work=str(tmp_path / "work"))
    assert result.kept.columns == ["key", "body", "extra"]
    kept = sorted(row["key"] for row in result.kept.collect())
    assert kept == sorted(row["key"] for row in expected.kept.to_list())
    removed = {int(row["id"]): (int(row["keeper"]), row["similarity"]) for row in result.removed.collect()}
    assert removed == {row["id"]: (row["keeper"], row["similarity"]) for row in expected.removed.to_list()}
    assert result.clusters.count() == result.report["clusters"] == expected.report["clusters"]
    assert result.pairs.count() == result.report["pairs"] == expected.report["pairs"]
    assert "removed=" in repr(result)


@pytest.mark.parametrize("few", [500_000, 0])
def test_known_documents_are_not_removed_and_an_earlier_run_is_known(
    spark: Any, few: int, tmp_path: pathlib.Path
) -> None:
    rows = crowds()
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    old.write_text("".join(json.dumps(row) + "\n" for row in rows[:200]))
    new.write_text("".join(json.dumps(row) + "\n" for row in rows[200:]))
    for name, against in (("corpus", str(old)), ("run", str(tmp_path / "first"))):
        program = tmp_path / f"program-{name}"
        ours = tmp_path / f"ours-{name}"
        if name == "run":
            subprocess.run([PROGRAM, "dedup", old, "-o", tmp_path / "first-program", "-q"], check=True)
            lookalike.spark.dedup(spark.read.text(str(old)), output=against, lines=True)
        known = against if name == "corpus" else tmp_path / "first-program"
        subprocess.run([PROGRAM, "dedup", new, "-o", program, "--against", known, "-q"], check=True)
        frame: Any = spark.read.text(against) if name == "corpus" else against
        limits = Limits(few=few)
        lookalike.spark.dedup(spark.read.text(str(new)), against=frame, output=str(ours), lines=True, limits=limits)
        assert same_results(ours, program)["against"] > 0


@pytest.mark.parametrize("verify", ["exact", "estimate"])
def test_decisions_of_people_apply(spark: Any, verify: str, tmp_path: pathlib.Path) -> None:
    rows = crowds()
    plain = lines(by_program(tmp_path, rows) / "removed.jsonl")
    unique = [row for row in plain if row["id"][0] == "d" and row["keeper"][0] == "d"]
    alone = sorted(
        {row["id"] for row in rows if row["id"][0] == "d"} - {row[end] for row in plain for end in ("id", "keeper")}
    )
    said: list[dict[str, Any]] = [
        {"a": unique[0]["id"], "b": unique[0]["keeper"], "duplicate": False},
        {"a": alone[0], "b": alone[1], "duplicate": True},
        {"a": alone[2], "b": "nobody", "duplicate": True},
        {"a": "s1", "b": "s2", "duplicate": False},
        {"a": "empty", "b": alone[0], "duplicate": True},
        {"a": alone[3], "a_text": "0" * 32, "b": alone[4], "duplicate": True},
        {"keep": unique[1]["id"]},
        {"keep": "nobody"},
    ]
    path = tmp_path / "decisions.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in said))
    program = tmp_path / "decided"
    command = [
        PROGRAM,
        "dedup",
        tmp_path / "corpus.jsonl",
        "-o",
        program,
        "--decisions",
        path,
        "--verify",
        verify,
        "-q",
    ]
    subprocess.run(command, check=True, capture_output=True)
    df = spark.read.text(str(tmp_path / "corpus.jsonl")).repartition(3)
    lookalike.spark.dedup(df, decisions=path, verify=verify, output=str(tmp_path / "ours"), lines=True)
    report = same_results(tmp_path / "ours", program)
    assert report["decisions"] == {"used": 3, "stale": 1, "unknown": 2, "undecidable": 2}


def test_a_classifier_decides_as_in_the_program(spark: Any, tmp_path: pathlib.Path) -> None:
    rows = crowds()
    family = {row["id"]: row["keeper"] for row in lines(by_program(tmp_path, rows) / "removed.jsonl")}
    labelled = [
        {**row, "cluster": family.get(row["id"], row["id"])} for row in rows if row["id"] not in ("empty", "short")
    ]
    model = tmp_path / "own.model"
    la.train(
        labelled, model, cluster_field="cluster", learner="logistic", folds=3, resamples=20, anyway=True, quiet=True
    )
    recipe = la.Recipe("classifier", decide={"model": str(model)})
    recipe.save(tmp_path / "recipe.toml")
    program = tmp_path / "classified"
    subprocess.run(
        [PROGRAM, "dedup", tmp_path / "corpus.jsonl", "-o", program, "--recipe", tmp_path / "recipe.toml", "-q"],
        check=True, capture_output=True,
    )  # fmt: skip
    lookalike.spark.dedup(
        spark.read.text(str(tmp_path / "corpus.jsonl")), recipe, output=str(tmp_path / "ours"), lines=True
    )
    assert same_results(tmp_path / "ours", program)["removed"] > 10


def test_what_is_no_document_is_counted_and_told(spark: Any, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "broken.jsonl"
    good = [json.dumps(row) for row in CORPORA["english"](30)]  # type: ignore[call-arg]
    path.write_text("\n".join([*good, "", "{not json", '{"id": 1}', '{"id": 2, "text": null}', "[1, 2]"]) + "\n")
    program = tmp_path / "program"
    subprocess.run([PROGRAM, "dedup", path, "-o", program, "-q"], check=True, capture_output=True)
    result = lookalike.spark.dedup(spark.read.text(str(path)), output=str(tmp_path / "ours"), lines=True)
    same_results(tmp_path / "ours", program)
    assert sorted(row["reason"] for row in result.rejected.collect()) == sorted(
        row["reason"] for row in lines(program / "rejected.jsonl")
    )


def test_a_job_goes_on_where_its_driver_died(
    spark: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = crowds()
    program = by_program(tmp_path, rows)
    df = spark.read.text(str(tmp_path / "corpus.jsonl"))
    ours = str(tmp_path / "ours")
    from lookalike.spark import _job

    for dies_in in ("_group", "_verify", "_cluster"):
        with monkeypatch.context() as patch:
            patch.setattr(_job.Job, dies_in, lambda job: (_ for _ in ()).throw(KeyboardInterrupt))
            with pytest.raises(KeyboardInterrupt):
                lookalike.spark.dedup(df, output=ours, lines=True, resume=dies_in != "_group")
        assert not (tmp_path / "ours" / "report.json").exists()
    with pytest.raises(la.InputError, match="resume=True"):
        lookalike.spark.dedup(df, output=ours, lines=True)
    with pytest.raises(la.InputError, match="another recipe"):
        lookalike.spark.dedup(df, output=ours, lines=True, threshold=0.5, resume=True)
    result = lookalike.spark.dedup(df, output=ours, lines=True, resume=True)
    assert result.report["resumed"]
    same_results(tmp_path / "ours", program)
    again = lookalike.spark.dedup(df, output=ours, lines=True, resume=True)
    assert again.report["removed"] == result.report["removed"], "a finished job is not done twice"
    with pytest.raises(la.InputError, match="force=True"):
        lookalike.spark.dedup(df, output=ours, lines=True)


def test_results_that_are_replaced_count_no_longer(
    spark: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A job that dies while it replaces an earlier one's results leaves none that seem complete."""
    df = spark.createDataFrame([("a", "one text of more than five words"), ("b", "another")], "id string, text string")
    ours = tmp_path / "ours"
    lookalike.spark.dedup(df, output=str(ours))
    assert (ours / "report.json").exists()

    def dies(*arguments: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("lookalike.spark._dedup._write_report", dies)
    with pytest.raises(KeyboardInterrupt):
        lookalike.spark.dedup(df, output=str(ours), force=True)
    assert not (ours / "report.json").exists()


def test_an_input_that_changes_is_an_error_and_no_result(
    spark: Any, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "corpus.jsonl"
    rows = crowds()
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    from lookalike.spark import _job

    group = _job.Job._group

    def changes(job: Any) -> None:
        group(job)
        path.write_text("".join(json.dumps({**row, "text": row["text"] + " changed"}) + "\n" for row in rows))

    monkeypatch.setattr(_job.Job, "_group", changes)
    with pytest.raises(Exception, match="the input must stay the same"):
        lookalike.spark.dedup(spark.read.text(str(path)), output=str(tmp_path / "ours"), lines=True)
    assert not (tmp_path / "ours" / "report.json").exists()
    assert not (tmp_path / "ours" / "kept.jsonl").exists()


def test_what_cannot_be_done_is_said_at_once(spark: Any, tmp_path: pathlib.Path) -> None:
    df = spark.createDataFrame([("a", "some text")], "id string, text string")
    with pytest.raises(la.ConfigError, match="min:FIELD"):
        lookalike.spark.dedup(df, keep=["first"], work=str(tmp_path))
    with pytest.raises(la.ConfigError, match="native"):
        lookalike.spark.dedup(df, method="imatch", lexicon="native", work=str(tmp_path))
    with pytest.raises(la.ConfigError, match="output= or work="):
        lookalike.spark.dedup(df)
    with pytest.raises(la.InputError, match="no column"):
        lookalike.spark.dedup(df.select("id"), text="body", id="none", work=str(tmp_path / "w"))


def test_the_command_has_the_options_of_the_program(capsys: pytest.CaptureFixture[str]) -> None:
    shown = subprocess.run([PROGRAM, "dedup", "--help"], check=True, capture_output=True, text=True).stdout
    own = {"--help", "--work", "--master", "--remote", "--path"}
    parser = command._options()
    for option in {name for action in parser._actions for name in action.option_strings if name.startswith("--")} - own:
        assert f"{option} " in shown or f"{option}\n" in shown, option
    assert command.main(["--path"]) == 0
    assert pathlib.Path(capsys.readouterr().out.strip()).name == "__main__.py"
    with pytest.raises(SystemExit):
        command.main([])


def test_the_page_about_clusters_runs(spark: Any, tmp_path: pathlib.Path) -> None:
    page = (pathlib.Path(__file__).resolve().parents[3] / "docs" / "cluster.md").read_text(encoding="utf-8")
    [code] = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    names: dict[str, Any] = {"spark": spark, "folder": str(tmp_path / "out")}
    exec(compile(code, "cluster.md", "exec"), names)
    assert [row["id"] for row in names["result"].removed.collect()] == ["a"]


def test_one_machine_reads_what_a_cluster_wrote(spark: Any, tmp_path: pathlib.Path) -> None:
    rows = crowds()
    by_program(tmp_path, rows)
    corpus, ours = tmp_path / "corpus.jsonl", tmp_path / "ours"
    lookalike.spark.dedup(spark.read.text(str(corpus)), output=str(ours), lines=True, inputs=[str(corpus)])
    again = tmp_path / "again"
    subprocess.run([PROGRAM, "dedup", corpus, "-o", again, "--against", ours, "-q"], check=True)
    report = json.loads((again / "report.json").read_text())
    kept = json.loads((ours / "report.json").read_text())["kept"]
    assert (report["against"], report["kept"]) == (kept, sum(row["id"] == "empty" for row in rows)), (
        "all but what has no text is known"
    )
