"""Where a job keeps what it has finished, so that it can go on after its driver died."""

from __future__ import annotations

import contextlib
import os
import shutil
import time
from typing import TYPE_CHECKING, Any

from lookalike.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

DONE = "fingerprint string"


class Work:
    """A folder that all executors reach. What is in it counts only if its mark was written after it."""

    def __init__(self, spark: Any, folder: str, fingerprint: str, resume: bool) -> None:
        self.spark = spark
        self.folder = folder.rstrip("/")
        self.fingerprint = fingerprint
        self.resumes = resume
        self.resumed = False
        self.seconds: dict[str, float] = {}
        self.local: str | None = None
        begun = self._mark("begun")
        if begun is not None and not resume:
            raise InputError(f"{folder} holds an unfinished job: go on with resume=True, or remove it")
        if begun is not None and begun != fingerprint:
            raise InputError(f"{folder} holds an unfinished job with another recipe or other columns; remove it first")
        if begun is None:
            self._set_mark("begun")
        # What the engine wrote and this process finds is on a file system that both share.
        path = local_path(self.folder)
        if path is not None and os.path.isdir(f"{path}/begun.done"):
            names = [name for name in os.listdir(f"{path}/begun.done") if name[0] not in "._"]
            told = "".join(_text(f"{path}/begun.done/{name}") for name in names)
            self.local = path if fingerprint in told else None

    def stage(self, name: str, schema: str, make: Callable[[], Any]) -> Any:
        """The rows of a stage: written now, or by an earlier run of this job."""
        path = f"{self.folder}/{name}"
        if self.resumes and self._mark(name) == self.fingerprint:
            self.resumed = True
        else:
            began = time.monotonic()
            with described(self.spark, name):
                make().write.mode("overwrite").parquet(path)
                self._set_mark(name)
            self.seconds[name] = time.monotonic() - began
        return self.spark.read.schema(schema).parquet(path)

    def remove(self) -> None:
        """Removes it where that can be done from here; elsewhere whoever owns the folder does."""
        if self.local is not None:
            shutil.rmtree(self.local, ignore_errors=True)

    def _mark(self, name: str) -> str | None:
        if self.local is not None:
            path = f"{self.local}/{name}.done"
            return _text(path) if os.path.isfile(path) else None
        try:
            rows = self.spark.read.schema(DONE).json(f"{self.folder}/{name}.done").collect()
        except Exception as error:
            # The engines have no common name for what is not there.
            if "NOT_FOUND" in str(error) or "not exist" in str(error) or "not found" in str(error).lower():
                return None
            raise
        return rows[0][0] if rows else None

    def _set_mark(self, name: str) -> None:
        if self.local is not None:
            write_file(f"{self.local}/{name}.done", self.fingerprint)
            return
        mark = self.spark.createDataFrame([(self.fingerprint,)], DONE)
        mark.coalesce(1).write.mode("overwrite").json(f"{self.folder}/{name}.done")


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
