"""What the service has beside the calls of an index: search, surveys, removals, jobs, and itself."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from ._service import LINES, Answer, Calls, Id, batches, given, labels_of, scalar, segment
from .errors import FileError, LookalikeError

KINDS = {".parquet": "application/vnd.apache.parquet", ".csv": "text/csv"}


class ServiceCalls(Calls):
    """The calls that only a service answers."""

    def compare(
        self, a: Id, b: Id, *, a_labels: Sequence[str] | None = None, b_labels: Sequence[str] | None = None
    ) -> Answer:
        """Everything that can be said of two documents of the index."""
        path = f"/api/pairs/{segment(self._name(a, a_labels))}/{segment(self._name(b, b_labels))}"
        return self._get(path, {"a_labels": labels_of(a_labels), "b_labels": labels_of(b_labels)})

    def cluster_map(self, id: Id, *, limit: int | None = None, labels: Sequence[str] | None = None) -> Answer:
        """The cluster of a document from near, and what lies just outside."""
        path = f"/api/clusters/{segment(self._name(id, labels))}/map"
        return self._get(path, {"limit": limit, "labels": labels_of(labels)})

    def search(
        self,
        q: str = "",
        *,
        cluster: Id | None = None,
        cluster_labels: Sequence[str] | None = None,
        facets: Sequence[str] = (),
        filter: str | None = None,
        collapse: bool | None = None,
        offset: int = 0,
        limit: int | None = None,
    ) -> Answer:
        """Full-text search in which near-duplicates are one hit: words, "phrases", -without, title:word, one OR other."""
        name = None if cluster is None else self._name(cluster, cluster_labels)
        query = {"q": q, "cluster": name, "cluster_labels": labels_of(cluster_labels), "facets": ",".join(facets)}
        more = {"filter": filter, "collapse": collapse, "offset": offset, "limit": limit}
        return self._get("/api/search", {**query, **more})

    def survey(self) -> Answer:
        """The index at a glance, and what other thresholds would find."""
        return self._get("/api/survey")

    def survey_clusters(
        self,
        filter: str = "",
        *,
        sort: str | None = None,
        descending: bool | None = None,
        offset: int = 0,
        limit: int | None = None,
    ) -> Answer:
        """Clusters as a table, such as those of ``size:>3 type:pdf``."""
        query = {"filter": filter, "sort": sort, "descending": descending, "offset": offset, "limit": limit}
        return self._get("/api/survey/clusters", query)

    def preview_removals(self, *, keep: str | None = None, filter: str = "") -> Answer:
        """What would go if every cluster kept one document; its ``plan`` can be given to `apply_removals`."""
        return self._post("/api/removals/preview", {"keep": keep, "filter": filter}, repeatable=True)

    def export_removals(self, *, format: str | None = None, keep: str | None = None, filter: str = "") -> bytes:
        """What would go, with the evidence, as a file: ``jsonl`` or ``csv``."""
        query = {"format": format, "keep": keep, "filter": filter}
        return self._ask("GET", "/api/removals/export", query, repeatable=True).body

    def apply_removals(self, *, plan: str | None = None, keep: str | None = None, filter: str | None = None) -> Answer:
        """Removes all but one document of every cluster, until `undo_removal`."""
        return self._post("/api/removals", given(plan=plan, keep=keep, filter=filter))

    def removals(self) -> list[Answer]:
        """Removals that were carried out."""
        return self._list("/api/removals", "removals")

    def undo_removal(self, id: int) -> Answer:
        """Puts back what a removal took."""
        return self._post(f"/api/removals/{int(id)}/undo", {})

    def methods(self) -> Answer:
        """Every method, part and learner."""
        return self._get("/api/methods")

    def lexicons(self) -> list[Answer]:
        """Lexicons that a recipe can name."""
        return self._list("/api/lexicons", "lexicons")

    def lexicon(self, name: str) -> Answer:
        """A lexicon: its words by how rare they are."""
        return self._get(f"/api/lexicons/{segment(name)}")

    def word(self, lexicon: str, word: str) -> Answer:
        """What a lexicon knows of a word."""
        return self._get(f"/api/lexicons/{segment(lexicon)}/word", {"word": word})

    def stability(self, dropped: float | None = None) -> Answer:
        """How likely one of several I-Match signatures survives changed words."""
        return self._get("/api/stability", {"dropped": dropped})

    def profile(
        self,
        text: str | None = None,
        *,
        id: Id | None = None,
        labels: Sequence[str] | None = None,
        method: str | None = None,
        set: Mapping[str, str] | None = None,
    ) -> Answer:
        """The features of a text, or of a stored document, and their weights."""
        name = None if id is None else scalar(id)
        asked = given(text=text, id=name, labels=labels_of(labels), method=method, set=set and dict(set))
        return self._post("/api/profile", asked, repeatable=True)

    # Jobs.

    def start(self, kind: str, /, **spec: Any) -> Answer:
        """Starts a job: ``dedup``, ``train``, ``evaluate``, ``ask``, ``apply`` or ``undo``, described as the service has it.

        >>> client.wait(client.start("dedup", testing={"index": True}))  # doctest: +SKIP
        """
        return self._post("/api/jobs", {"kind": kind, **spec})

    def jobs(self) -> list[Answer]:
        """All jobs, the newest first."""
        return self._list("/api/jobs", "jobs")

    def job(self, id: int) -> Answer:
        """State, progress and result of a job."""
        return self._get(f"/api/jobs/{int(id)}", None, "state")

    def wait(self, job: int | Answer, timeout: float | None = None) -> Answer:
        """Waits until a job is done, so many seconds at most; one that failed or was cancelled is an exception."""
        number = int(job["id"] if isinstance(job, Mapping) else job)
        ended = self._until(lambda: self.job(number), f"job {number}", ("queued", "running"), timeout)
        if ended["state"] != "done":
            why = f": {ended['error']}" if ended.get("error") else ""
            raise LookalikeError(f"job {number} {'failed' if ended['state'] == 'failed' else 'was cancelled'}{why}")
        return ended

    def cancel(self, id: int) -> None:
        """Stops a job; removes one that has ended, with its results."""
        self._ask("DELETE", f"/api/jobs/{int(id)}")

    def job_files(self, id: int) -> list[str]:
        """The names of a job's files."""
        return [str(name) for name in self._get(f"/api/jobs/{int(id)}/files", None, "files")["files"]]

    def job_file(self, id: int, name: str, to: str | os.PathLike[str] | None = None) -> bytes | Path:
        """One file of a job's result: its bytes, or written to a path, which has it whole or not at all."""
        path, query = f"/api/jobs/{int(id)}/file", {"name": name}
        if to is None:
            return self._ask("GET", path, query, repeatable=True).body
        unfinished = Path(f"{os.fspath(to)}.part")
        try:
            with open(unfinished, "wb") as file:
                self._ask("GET", path, query, sink=file)
            return unfinished.replace(to)
        except OSError as problem:
            raise FileError(f"{unfinished}: {problem.strerror}") from None
        finally:
            unfinished.unlink(missing_ok=True)

    def adopt(self, id: int, *, wait: bool = True) -> Answer:
        """Builds the index anew by the recipe of a job, with the classifier and clusters it made."""
        return self._maintain("POST", f"/api/jobs/{int(id)}/adopt", {}, wait)

    def unadopt(self, id: int, *, wait: bool = True) -> Answer:
        """Gives the index the recipe back that it had before a job's."""
        return self._maintain("DELETE", f"/api/jobs/{int(id)}/adopt", None, wait)

    def upload(self, name: str, source: Any) -> Answer:
        """Stores documents or a file of labels for jobs: a path (JSON lines, .parquet, .csv), or what `add` takes."""
        if not isinstance(source, str | os.PathLike):
            lines = (batch for batch, _ in batches(source))
            return self._ask("POST", "/api/uploads", {"name": name}, body=lines, kind=LINES).json()
        path = Path(cast("str | os.PathLike[str]", source))
        kind = KINDS.get(path.suffix.lower(), LINES)
        try:
            with open(path, "rb") as file:
                return self._ask("POST", "/api/uploads", {"name": name}, body=file, kind=kind).json()
        except OSError as problem:
            raise FileError(f"{path}: {problem.strerror}") from None

    def uploads(self) -> list[Answer]:
        """What was uploaded, the newest first."""
        return self._list("/api/uploads", "uploads")

    # The service itself.

    def task(self) -> Answer:
        """What compact, resign or refresh last did, or how they fare."""
        return self._get("/api/admin/task")

    def me(self) -> Answer:
        """Who the caller is and what it may do."""
        return self._get("/api/me")

    def health(self) -> Answer:
        """Whether the service runs."""
        return self._get("/healthz")

    def ready(self) -> Answer:
        """Whether the service takes requests; an exception says why not."""
        return self._get("/readyz")

    def metrics(self) -> str:
        """Figures for Prometheus."""
        return self._ask("GET", "/metrics", repeatable=True).body.decode()

    def openapi(self) -> Answer:
        """The description of all routes."""
        return self._get("/api/openapi.json")
