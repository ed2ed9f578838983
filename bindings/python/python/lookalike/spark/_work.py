"""Where a job keeps what it has finished, so that it can go on after its driver died."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from lookalike.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    Counts: TypeAlias = dict[str, int]

DONE = "fingerprint string, counts string"


class Work:
    """A folder that all executors reach. What is in it counts only if its mark was written after it."""

    def __init__(self, spark: Any, folder: str, fingerprint: str, resume: bool) -> None:
        self.spark = spark
        self.is_classic = "connect" not in type(spark).__module__
        """Whether this is Spark itself and no client of a server, which may be another engine."""
        self.folder = folder.rstrip("/")
        self.fingerprint = fingerprint
        self.resumes = resume
        self.resumed = False
        self.seconds: dict[str, float] = {}
        self.counts: dict[str, Counts] = {}
        self.local: str | None = None
        begun = self._mark("begun")
        if begun is not None and not resume:
            raise InputError(f"{folder} holds an unfinished job: go on with resume=True, or remove it")
        if begun is not None and begun[0] != fingerprint:
            raise InputError(f"{folder} holds an unfinished job with another recipe or other columns; remove it first")
        # Nobody waits for this mark until another is made.
        pool = ThreadPoolExecutor(1)
        self._begins = pool.submit(self._begin, begun is None)
        pool.shutdown(wait=False)
        if begun is not None:
            self._begins.result()

    def _begin(self, is_new: bool) -> None:
        if is_new:
            with described(self.spark, "begun"):
                self._set_mark("begun", {})
        # What the engine wrote and this process finds is on a file system that both share.
        path = local_path(self.folder)
        if path is not None and os.path.isdir(f"{path}/begun.done"):
            names = [name for name in os.listdir(f"{path}/begun.done") if name[0] not in "._"]
            told = "".join(_text(f"{path}/begun.done/{name}") for name in names)
            self.local = path if self.fingerprint in told else None

    def stage(self, name: str, schema: str, make: Callable[[], Any], **counted: Any) -> Any:
        """The rows of a stage: written now, or by an earlier run of this job. What is counted of them is in `counts`."""
        path = f"{self.folder}/{name}"
        done = self._mark(name) if self.resumes else None
        if done is not None and done[0] == self.fingerprint:
            self.resumed = True
            self.counts[name] = done[1]
        else:
            began = time.monotonic()
            with described(self.spark, name):
                self.counts[name] = self._write(make(), path, schema, counted)
                self._begins.result()
                self._set_mark(name, self.counts[name])
            self.seconds[name] = time.monotonic() - began
        return self.spark.read.schema(schema).parquet(path)

    def _write(self, rows: Any, path: str, schema: str, counted: dict[str, Any]) -> Counts:
        if not counted:
            rows.write.mode("overwrite").parquet(path)
            return {}
        columns = [column.alias(name) for name, column in counted.items()]
        if not self.is_classic:
            rows.write.mode("overwrite").parquet(path)
            return _counts(self.spark.read.schema(schema).parquet(path).agg(*columns).collect()[0].asDict())
        # Counted while they are written, which saves a query.
        from pyspark.sql import Observation

        seen = Observation()
        rows.observe(seen, *columns).write.mode("overwrite").parquet(path)
        return _counts(seen.get)

    def remove(self) -> None:
        """Removes it where that can be done from here; elsewhere whoever owns the folder does."""
        if self.local is not None:
            shutil.rmtree(self.local, ignore_errors=True)

    def _mark(self, name: str) -> tuple[str, Counts] | None:
        """The fingerprint of the job that finished a stage, and what it counted."""
        if self.local is not None:
            path = f"{self.local}/{name}.done"
            return _of_mark(_text(path)) if os.path.isfile(path) else None
        try:
            rows = self.spark.read.schema(DONE).json(f"{self.folder}/{name}.done").collect()
        except Exception as error:
            # The engines have no common name for what is not there.
            if "NOT_FOUND" in str(error) or "not exist" in str(error) or "not found" in str(error).lower():
                return None
            raise
        return (rows[0][0], json.loads(rows[0][1] or "{}")) if rows else None

    def _set_mark(self, name: str, counts: Counts) -> None:
        mark = {"fingerprint": self.fingerprint, "counts": json.dumps(counts)}
        if self.local is not None:
            write_file(f"{self.local}/{name}.done", json.dumps(mark))
            return
        from pyspark.sql import functions as F

        columns = [F.lit(value).alias(name) for name, value in mark.items()]
        rows = self.spark.range(0, 1, 1, 1).select(*columns)
        rows.write.mode("overwrite").json(f"{self.folder}/{name}.done")


def _of_mark(text: str) -> tuple[str, Counts]:
    mark = json.loads(text)
    return mark["fingerprint"], json.loads(mark["counts"])


def _counts(told: dict[str, Any]) -> Counts:
    """Sums over no rows are none."""
    return {name: int(count or 0) for name, count in told.items()}


@contextlib.contextmanager
def described(spark: Any, name: str) -> Any:
    """Names what runs in Spark's UI, where the session can."""
    context = None
    with contextlib.suppress(Exception):
        context = spark.sparkContext
    before = None
    if context is not None:
        before = context.getLocalProperty("spark.job.description")
        context.setJobDescription(f"lookalike: {name}")
    try:
        yield
    finally:
        if context is not None:
            context.setJobDescription(before)


def at_once(spark: Any, tasks: dict[str, Callable[[], None]]) -> None:
    """Runs what does not wait for each other: while executors work on one task, the driver plans the next."""

    def run(name: str, task: Callable[[], None]) -> None:
        with described(spark, name):
            task()

    with ThreadPoolExecutor(len(tasks)) as pool:
        for future in [pool.submit(run, name, task) for name, task in tasks.items()]:
            future.result()


def local_path(folder: str) -> str | None:
    """The path of a folder, if that could be on this machine."""
    if folder.startswith("file:"):
        return "/" + folder.removeprefix("file:").lstrip("/")
    return None if "://" in folder else os.path.abspath(folder)


def write_file(path: str, text: str) -> None:
    """A file that is there whole or not at all."""
    folder, name = os.path.split(path)
    with open(f"{folder}/.{name}", "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(f"{folder}/.{name}", path)


def _text(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()
