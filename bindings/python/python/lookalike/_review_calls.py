"""What reviewers and operators ask of a service."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ._service import Answer, Calls, Id, given, labels_of, scalar, segment


class ReviewCalls(Calls):
    """Calls of a client for reviewers and operators."""

    def review_next(self, /, **query: Any) -> Answer:
        """Pairs that wait for a decision: ``order``, ``filter``, ``batch``, ``tag``, ``disputed``, ``after``,
        ``limit``."""
        return self._get("/api/review/next", query)

    def review_progress(self) -> Answer:
        """Who decided how much, and whether they agree."""
        return self._get("/api/review/progress")

    def remark(self, a: Id, b: Id, *, note: str | None = None, tags: Sequence[str] | None = None) -> Answer:
        """Replaces the caller's note on a pair, or its tags."""
        body = {"a": scalar(a), "b": scalar(b), **given(note=note, tags=None if tags is None else list(tags))}
        return self._post("/api/review/remarks", body, repeatable=True)

    def decide_many(self, pairs: Iterable[tuple[Id, Id]], duplicate: bool | None) -> Answer:
        """Decides of many pairs at once; ``None`` takes the decisions back."""
        named = [{"a": scalar(a), "b": scalar(b)} for a, b in pairs]
        return self._post("/api/decisions/bulk", {"pairs": named, "duplicate": duplicate}, repeatable=True)

    def saved_filters(self) -> list[Answer]:
        """The filters that the caller saved."""
        return self._list("/api/review/filters", "filters")

    def save_filter(self, name: str, filter: str) -> None:
        """Saves a filter in place of one with the same name."""
        self._post("/api/review/filters", {"name": name, "filter": filter}, repeatable=True)

    def drop_filter(self, name: str) -> None:
        """Forgets a filter."""
        self._ask("DELETE", f"/api/review/filters/{segment(name)}")

    def batches(self) -> list[Answer]:
        """Pairs that some people are to decide of."""
        return self._list("/api/review/batches", "batches")

    def add_batch(self, /, name: str, assignees: Sequence[str], **more: Any) -> Answer:
        """Gives people pairs of the queue: ``filter``, ``order``, ``limit``."""
        return self._post("/api/review/batches", {"name": name, "assignees": list(assignees), **more})

    def drop_batch(self, batch: int) -> None:
        """Forgets a batch; its decisions stay."""
        self._ask("DELETE", f"/api/review/batches/{segment(str(batch))}")

    def cluster_members(self, /, id: Id, *, labels: Sequence[str] | None = None, **query: Any) -> Answer:
        """A page of the members of a cluster: ``offset``, ``limit``."""
        path = f"/api/clusters/{segment(self._name(id, labels))}/members"
        return self._get(path, {"labels": labels_of(labels), **query})

    def cluster_shape(self, /, id: Id, *, labels: Sequence[str] | None = None, **query: Any) -> Answer:
        """A cluster of any size in groups of alike members."""
        path = f"/api/clusters/{segment(self._name(id, labels))}/shape"
        return self._get(path, {"labels": labels_of(labels), **query})

    def snapshot(self, *, wait: bool = True) -> Answer:
        """Copies the index to the place for snapshots."""
        return self._maintain("POST", "/api/admin/snapshot", {}, wait)

    def snapshots(self) -> list[Answer]:
        """The snapshots there are, the oldest first."""
        return self._list("/api/admin/snapshots", "snapshots")

    def erase(self, documents: Iterable[Mapping[str, Any]], *, wait: bool = True) -> Answer:
        """Leaves nothing of documents, given as ``id`` and perhaps ``labels``, in any file of the service."""
        return self._maintain("POST", "/api/admin/erase", {"documents": [dict(one) for one in documents]}, wait)

    def audit(self, limit: int | None = None) -> list[Answer]:
        """Who removed, decided and changed what, the newest first."""
        return list(self._get("/api/admin/audit", {"limit": limit}, "entries")["entries"])

    def delete_upload(self, name: str) -> None:
        """Deletes an upload."""
        self._ask("DELETE", "/api/uploads", {"name": name})
