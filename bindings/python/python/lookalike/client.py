"""The service from Python: the same calls as an index, over HTTP."""

from __future__ import annotations

import contextlib
import contextvars
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import TYPE_CHECKING, Any, overload

from ._http import Reply, ServiceError, Transport
from ._review_calls import ReviewCalls
from ._service import (
    JSON,
    LINES,
    Answer,
    Document,
    Id,
    answer_of,
    as_document,
    batches,
    bulk_answers,
    each,
    each_id,
    given,
    json_of,
    labels_of,
    name_of,
    scalar,
    seconds,
    segment,
    some_good,
    take,
)
from ._service_calls import ServiceCalls

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["Client", "ServiceError"]

TIMEOUT = 70.0
"""Seconds; the service gives up an answer after 60."""
PARALLEL = 8
"""Checks that `check_many` has under way."""


class Client(ServiceCalls, ReviewCalls):
    """A service that `lookalike serve` runs; ``with`` closes its connections.

    Threads may share one, a fork may go on with it, and a pickle (which has the token in it) makes a new one.  What
    the service refuses is an exception of :mod:`lookalike.errors`, or a :class:`ServiceError`.

    >>> client = Client("http://127.0.0.1:8080", token="s3cret")
    >>> client.check("Back in ten minutes.")["verdict"]  # doctest: +SKIP
    'new'
    """

    def __init__(self, url: str, token: str | None = None, timeout: float = TIMEOUT) -> None:
        self._given = (url, token, timeout)
        self._http = Transport(url, token, timeout)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._http.url!r}{', token=…' if self._given[1] is not None else ''})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._given

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections; a later call opens new ones."""
        self._http.close()

    def check(
        self, document: Document | bytes, *, passages: bool = False, limit: int | None = None, refresh: bool = False
    ) -> Answer:
        """What resembles a document; it is not inserted.  Bytes are a mail message.

        ``passages`` adds the shared passages, ``limit`` is the most matches to list (100), ``refresh`` counts a hit for
        each match and restarts its time to live.
        """
        return Transport.good(self._check(document, passages, limit, refresh)).json()

    def check_many(
        self,
        documents: Any,
        *,
        passages: bool = False,
        limit: int | None = None,
        refresh: bool = False,
        strict: bool = False,
    ) -> list[Answer]:
        """Checks many documents, some at a time; answers in their order.  What `add` takes, and as it treats bad ones."""
        answers: list[Answer] = []
        pending: deque[Future[Reply]] = deque()
        with ThreadPoolExecutor(PARALLEL, "lookalike-check") as pool:
            try:
                for document in each(documents):
                    context = contextvars.copy_context()
                    pending.append(pool.submit(context.run, self._check, document, passages, limit, refresh))
                    if len(pending) >= 2 * PARALLEL:
                        take(answer_of(pending.popleft().result()), answers, strict)
                while pending:
                    take(answer_of(pending.popleft().result()), answers, strict)
            finally:
                for waiting in pending:
                    waiting.cancel()
        return some_good(answers)

    @overload
    def add(  # pyright: ignore[reportOverlappingOverload]: a text is no iterable of texts here
        self,
        documents: Document,
        policy: str = "report",
        *,
        ttl: int | str | None = None,
        passages: bool = False,
        limit: int | None = None,
        refresh: bool = False,
        strict: bool = False,
    ) -> Answer: ...
    @overload
    def add(
        self,
        documents: Any,
        policy: str = "report",
        *,
        ttl: int | str | None = None,
        passages: bool = False,
        limit: int | None = None,
        refresh: bool = False,
        strict: bool = False,
    ) -> list[Answer]: ...
    def add(
        self,
        documents: Any,
        policy: str = "report",
        *,
        ttl: int | str | None = None,
        passages: bool = False,
        limit: int | None = None,
        refresh: bool = False,
        strict: bool = False,
    ) -> Answer | list[Answer]:
        """Checks and inserts one document, or many: an iterable, an Arrow table, a Polars or pandas frame.

        Each needs an ``id``.  One gets one answer, many a list in their order, in which a document that cannot be used
        has an ``error``; it is an exception with ``strict``, or if no document can be used.  ``ttl``, in seconds or
        such as "30d", is how long they are remembered.
        """
        query = {"policy": policy, "ttl": seconds(ttl), "passages": passages, "limit": limit, "refresh": refresh}
        if isinstance(documents, str | Mapping):
            body = json_of(as_document(documents))
            return self._ask("POST", "/api/documents", query, body=body, kind=JSON).json()
        answers: list[Answer] = []
        for batch, count in batches(documents):
            before = len(answers)
            for answer in bulk_answers(self._ask("POST", "/api/documents/bulk", query, body=batch, kind=LINES)):
                take(answer, answers, strict)
            if len(answers) != before + count:
                raise ServiceError(f"{self._http.url} answered for {len(answers) - before} of {count} documents")
        return some_good(answers)

    def remove(self, ids: Id | Iterable[Id], *, labels: Sequence[str] | None = None) -> int:
        """Removes documents; how many of them there were."""
        removed = 0
        for one in each_id(ids):
            try:
                path = f"/api/documents/{segment(self._name(one, labels))}"
                self._ask("DELETE", path, {"labels": labels_of(labels)})
                removed += 1
            except ServiceError as error:
                if error.code != "not-found":
                    raise
        return removed

    def get(self, id: Id, *, labels: Sequence[str] | None = None) -> Answer | None:
        """A stored document, its master, and when it was added; ``None`` if it is not there."""
        with _known():
            return self._of(f"/api/documents/{segment(name_of(id))}", id, labels)
        return None

    def history(self, id: Id, *, labels: Sequence[str] | None = None) -> Answer | None:
        """The versions of a document, and when to fetch it again; ``None`` if it is not there."""
        with _known():
            return self._of(f"/api/documents/{segment(name_of(id))}/history", id, labels)
        return None

    def cluster(self, id: Id, *, labels: Sequence[str] | None = None) -> Answer | None:
        """The cluster of a document; ``None`` if it is not there."""
        with _known():
            return self._get(f"/api/clusters/{segment(self._name(id, labels))}", {"labels": labels_of(labels)})
        return None

    def clusters(self, *, after: str | None = None, limit: int | None = None) -> Answer:
        """A page of clusters; its ``next`` is the ``after`` of the following."""
        return self._get("/api/clusters", {"after": after, "limit": limit})

    def stats(self) -> Answer:
        """Figures about the documents."""
        return self._get("/api/stats")

    def due(self, limit: int | None = None, *, at: int | None = None) -> Answer:
        """What should be fetched again, now or by a time in seconds since 1970, the most urgent first."""
        return self._get("/api/due", {"limit": limit, "at": at})

    def mirrors(self, *, clusters: int | None = None, share: float | None = None, limit: int | None = None) -> Answer:
        """Hosts that mirror each other: with so many clusters in common, and such a share of their documents in them."""
        return self._get("/api/mirrors", {"clusters": clusters, "share": share, "limit": limit})

    def decide(
        self,
        a: Id,
        b: Id,
        duplicate: bool,
        *,
        a_labels: Sequence[str] | None = None,
        b_labels: Sequence[str] | None = None,
    ) -> None:
        """Decides that two documents are duplicates, or that they are not."""
        self._decide(a, b, bool(duplicate), a_labels, b_labels)

    def undecide(
        self, a: Id, b: Id, *, a_labels: Sequence[str] | None = None, b_labels: Sequence[str] | None = None
    ) -> None:
        """Takes a decision back."""
        self._decide(a, b, None, a_labels, b_labels)

    def decisions(self) -> list[Answer]:
        """What people decided of pairs."""
        return self._list("/api/decisions", "decisions")

    def keep(self, id: Id, keep: bool = True, *, labels: Sequence[str] | None = None) -> None:
        """Lets a document stand for its cluster whatever the keep rules say, or no longer."""
        self._post(
            "/api/keepers", {"id": scalar(id), "keep": bool(keep), **given(labels=labels_of(labels))}, repeatable=True
        )

    def keepers(self) -> list[Answer]:
        """Documents that people want to stand for their clusters."""
        return self._list("/api/keepers", "keepers")

    def compact(self, *, wait: bool = True) -> Answer:
        """Frees the space of removed documents; without ``wait`` it goes on in the background (`task`)."""
        return self._maintain("POST", "/api/admin/compact", {}, wait)

    def resign(self, recipe: Any, *, wait: bool = True) -> Answer:
        """Builds the index anew by another recipe: a `Recipe`, or TOML, of which parts without a ``method`` are changes."""
        text = recipe if isinstance(recipe, str) else recipe.to_toml()
        return self._maintain("POST", "/api/admin/resign", {"recipe": text}, wait)


@contextlib.contextmanager
def _known() -> Iterator[None]:
    """Passes over the error that there is no such document."""
    try:
        yield
    except ServiceError as error:
        if error.code != "not-found":
            raise
