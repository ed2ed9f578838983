"""``dedup``."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
import time
from typing import TYPE_CHECKING, Any

from lookalike import _lookalike
from lookalike._dedup import recipe_of
from lookalike.errors import ConfigError, FileError, InputError
from lookalike.spark import _steps, _told
from lookalike.spark._job import Job, Limits
from lookalike.spark._work import Work, at_once, described, local_path, write_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeAlias

    PathLike: TypeAlias = str | os.PathLike[str]

REJECTED = "reason string"
WORK_FORMAT = 2
"""What an earlier version left unfinished is begun anew."""
STREAMS = ("images", "links", "metadata", "structure")


class Result:
    """What was found: DataFrames that are computed when they are used, and a report."""

    def __init__(
        self, kept: Any, removed: Any, pairs: Any, clusters: Any, rejected: Any, report: dict[str, Any]
    ) -> None:
        self.kept = kept
        """The rows that stay, with all columns."""
        self.removed = removed
        """The documents that go: keeper, similarity, containments, method, reason, difference."""
        self.pairs = pairs
        """Verified pairs."""
        self.clusters = clusters
        """Clusters with their members."""
        self.rejected = rejected
        """Why rows are no documents."""
        self.report = report
        """What `report.json` of a run on one machine has."""

    def __repr__(self) -> str:
        counts = ", ".join(
            f"{name}={self.report[name]:,}" for name in ("documents", "kept", "removed", "clusters", "pairs")
        )
        return f"Result({counts})"


def dedup(
    df: Any,
    recipe: _lookalike.Recipe | PathLike | None = None,
    *,
    id: str = "id",
    text: str = "text",
    keep: str | Sequence[str] | None = None,
    against: Any = None,
    output: str | None = None,
    resume: bool = False,
    method: str | None = None,
    threshold: float | None = None,
    lexicon: PathLike | None = None,
    unless: str | Sequence[str] | None = None,
    streams: str | Sequence[str] | None = None,
    verify: str | None = None,
    decisions: PathLike | None = None,
    source: str | None = None,
    max_line: int | str | None = None,
    work: str | None = None,
    force: bool = False,
    lines: bool = False,
    limits: Limits | None = None,
    inputs: Sequence[str] = (),
    **sections: dict[str, Any],
) -> Result:
    """Finds near-duplicates among the rows of a DataFrame, and which rows stay: the answer of ``lookalike dedup``.

    ``id`` and ``text`` name columns; the other options are those of the command. ``against`` is a DataFrame of documents
    that are known, or the folder of an earlier run. With ``output`` the results are written there, by executors, as the
    command would write them, each file a folder of parts; ``resume`` goes on where a job that died had been.
    ``work`` is a folder that all executors reach; without ``output`` it is needed unless Spark runs on this machine alone.
    With ``lines`` the DataFrame has one column ``value`` of JSON lines, which are kept as they are.
    """
    began = time.time()
    spark = df.sparkSession
    chosen = recipe_of(
        recipe, method, None, threshold=threshold, keep=keep, lexicon=lexicon, unless=unless, streams=streams,
        verify=verify, **sections,
    )  # fmt: skip
    if chosen.counts_first:
        raise ConfigError(
            "lexicon `native` is counted by one machine: build one with `lookalike lexicon build` and name its file"
        )
    options = {"id": id, "text": text, "source": source, "max_line": max_line, "threads": 1}
    if decisions is not None:
        options["said"] = _read(decisions)
    plan = _lookalike.Plan(chosen, {name: value for name, value in options.items() if value is not None}, lines)
    if "first" in (rule.strip() for rule in plan.keep.split(",")):
        raise ConfigError("keep rule `first` needs an order of the rows, and a DataFrame has none: use min:FIELD")
    output = output.rstrip("/") if output else None
    if output and not force and not resume and _is_finished(spark, output):
        raise InputError(
            f"{output} holds the results of a run: choose another folder, or give force=True to replace them"
        )
    if output and resume and _is_finished(spark, output):
        return _of_folder(spark, output, lines)
    folder, is_temporary = _folder(spark, work, output)
    known = _known(spark, against, lines)
    fingerprint = hashlib.sha256(
        json.dumps(
            [WORK_FORMAT, chosen.to_toml(), options, lines, df.schema.simpleString(), list(inputs), against is not None]
        ).encode()
    ).hexdigest()[:32]
    at = Work(spark, folder, fingerprint, resume)
    rows = _rows(df, plan, lines)
    with described(spark, "dedup"), _batches(spark):
        job = Job(at, plan, rows, None if known is None else _rows(known, plan, lines), limits or Limits())
        told: dict[str, Any] = {}
        tasks: dict[str, Callable[[], None]] = {
            "kinds": lambda: told.update(kinds=_told.kinds(job)),
            "clusters of removals": lambda: told.update(clusters=_told.cluster_count(job)),
        }
        if output is not None:
            # What an earlier run left is complete no longer.
            _withdraw_report(spark, output)
            tasks = {**_writes(job, _whole(df, lines), output, lines), **tasks}
        at_once(spark, tasks)
        report = _report(job, plan, at, inputs, told["kinds"], told["clusters"])
        report["seconds"] = time.time() - began
        if output is None:
            if is_temporary:
                import atexit

                atexit.register(at.remove)
            return _of_job(job, _whole(df, lines), report)
        _write_report(spark, report, output)
    at.remove()
    return _of_folder(spark, output, lines, report)


@contextlib.contextmanager
def _batches(spark: Any) -> Iterator[None]:
    """Batches that fit into a processor's cache: ten times larger ones, as is usual, take a third more time."""
    name = "spark.sql.execution.arrow.maxRecordsPerBatch"
    before = None
    with contextlib.suppress(Exception):
        before = spark.conf.get(name)
        spark.conf.set(name, "1000")
    try:
        yield
    finally:
        if before is not None:
            spark.conf.set(name, before)


def _read(path: PathLike) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        raise FileError(f"{os.fspath(path)}: {error.strerror or error}") from error


def _folder(spark: Any, work: str | None, output: str | None) -> tuple[str, bool]:
    if work:
        return work, False
    if output:
        return f"{output}/_work", False
    master = ""
    with contextlib.suppress(Exception):
        master = spark.conf.get("spark.master")
    if not master.startswith("local"):
        raise ConfigError("give output= or work=: a folder that all executors can write, for what the job has finished")
    return tempfile.mkdtemp(prefix="lookalike-spark-"), True


def _known(spark: Any, against: Any, lines: bool) -> Any:
    if against is None or not isinstance(against, str | os.PathLike):
        return against
    folder = os.fspath(against).rstrip("/")
    if lines:
        return spark.read.text(f"{folder}/kept.jsonl")
    return spark.read.parquet(f"{folder}/kept.parquet")


def _rows(df: Any, plan: _lookalike.Plan, lines: bool) -> Any:
    """The columns that are read, as one."""
    from pyspark.sql import functions as F

    if lines:
        return _whole(df, lines)
    wanted = plan.columns
    names = [name for name in df.columns if any(field == name or field.startswith(f"{name}.") for field in wanted)]
    if not names:
        raise InputError(f"the DataFrame has no column `{wanted[1]}`; it has {', '.join(df.columns)}")
    return df.select(F.struct(*(F.col(f"`{name}`") for name in names)).alias("row"))


def _whole(df: Any, lines: bool) -> Any:
    """All columns as one; of lines there is only one."""
    from pyspark.sql import functions as F

    return df.select((F.col("value") if lines else F.struct(*(F.col(f"`{name}`") for name in df.columns))).alias("row"))


def _report(
    job: Job, plan: _lookalike.Plan, at: Work, inputs: Sequence[str], kinds: dict[str, int], clusters: int
) -> dict[str, Any]:
    counts = job.counts
    told: dict[str, dict[str, int]] = {"difference": {}, "contradict": {}}
    for kind, count in kinds.items():
        told["contradict" if kind in STREAMS else "difference"][kind] = count
    report: dict[str, Any] = json.loads(plan.report)
    report.update(
        inputs=[local_path(path) or path for path in inputs], kept=counts["documents"] - counts["removed"],
        removed=counts["removed"], exact_copies=at.counts["removals"]["copies"],
        differences=dict(sorted(told["difference"].items())), clusters=clusters,
        pairs=counts["verified"] + counts["copies own"], stages=at.seconds, resumed=at.resumed,
    )  # fmt: skip
    report.update(
        (name, counts[name]) for name in ("documents", "against", "rejected", "empty", "unsigned", "candidates")
    )
    if job.found_by:
        report["found_by"] = job.found_by
    if job.decisions is not None:
        report["decisions"] = job.decisions
    if told["contradict"]:
        report["contradictions"] = dict(sorted(told["contradict"].items()))
    return report


def _rejected(job: Job) -> Any:
    return job.signed.where("reason is not null").select("reason")


def _of_job(job: Job, whole: Any, report: dict[str, Any]) -> Result:
    """The results of a job that writes none."""
    removed = _told.removed(job).drop("line", "contradict")
    pairs, clusters = _told.pairs(job).drop("line"), _told.clusters(job).drop("line")
    return Result(_told.kept(job, whole), removed, pairs, clusters, _rejected(job), report)


def _writes(job: Job, whole: Any, output: str, lines: bool) -> dict[str, Callable[[], None]]:
    """What writes each of the results, the longest first."""

    def text(name: str, rows: Any) -> None:
        rows.write.mode("overwrite").text(f"{output}/{name}")

    def kept() -> None:
        rows = _told.kept(job, whole)
        text("kept.jsonl", rows) if lines else rows.write.mode("overwrite").parquet(f"{output}/kept.parquet")

    return {
        "kept.jsonl" if lines else "kept": kept,
        "pairs.jsonl": lambda: text("pairs.jsonl", _told.pairs(job).select("line")),
        "removed.jsonl": lambda: text("removed.jsonl", _told.removed(job).select("line")),
        "clusters.jsonl": lambda: text("clusters.jsonl", _told.clusters(job).select("line")),
        "rejected": lambda: _rejected(job).write.mode("overwrite").json(f"{output}/rejected.jsonl"),
    }


def _withdraw_report(spark: Any, output: str) -> None:
    if not _is_finished(spark, output):
        return
    path = local_path(output)
    if path is not None and os.path.isfile(f"{path}/report.json"):
        os.remove(f"{path}/report.json")
    elif path is not None and os.path.isdir(f"{path}/report.json"):
        shutil.rmtree(f"{path}/report.json")
    else:
        spark.createDataFrame([], "value string").write.mode("overwrite").text(f"{output}/report.json")


def _write_report(spark: Any, report: dict[str, Any], output: str) -> None:
    told = json.dumps(report, indent=2)
    path = local_path(output)
    # The results were just written: if this process finds them, the folder is one that it can write, too.
    if path is not None and any(os.path.isdir(f"{path}/{name}") for name in ("kept.jsonl", "kept.parquet")):
        write_file(f"{path}/report.json", told + "\n")
        return
    spark.createDataFrame([(told,)], "value string").coalesce(1).write.mode("overwrite").text(f"{output}/report.json")


def _read_report(spark: Any, output: str) -> dict[str, Any] | None:
    try:
        lines = [row[0] for row in spark.read.text(f"{output}/report.json").collect()]
    except Exception as error:
        if "NOT_FOUND" in str(error) or "not exist" in str(error) or "not found" in str(error).lower():
            return None
        raise
    told: dict[str, Any] | None = json.loads("\n".join(lines)) if lines else None
    return told


def _is_finished(spark: Any, output: str) -> bool:
    return _read_report(spark, output) is not None


def _of_folder(spark: Any, output: str, lines: bool, report: dict[str, Any] | None = None) -> Result:
    """The results that were written."""
    report = report or _read_report(spark, output)
    if report is None:
        raise InputError(f"{output} holds no finished run")

    def read(name: str, schema: str) -> Any:
        fields = schema.replace(", line string", "").replace(" contradict array<string>,", "")
        return spark.read.schema(fields).json(f"{output}/{name}.jsonl")

    kept = spark.read.text(f"{output}/kept.jsonl") if lines else spark.read.parquet(f"{output}/kept.parquet")
    removed, pairs, clusters = (
        read(name, schema)
        for name, schema in (("removed", _steps.REMOVED), ("pairs", _steps.PAIRS), ("clusters", _steps.CLUSTERS))
    )
    return Result(kept, removed, pairs, clusters, read("rejected", REJECTED), report)
