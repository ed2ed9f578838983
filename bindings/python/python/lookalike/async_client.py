"""The service from asyncio: the calls of a client, awaited."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import os
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from types import TracebackType
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, overload

from ._http import Call, current_call
from ._service import Answer, Document
from .client import TIMEOUT, Client

if TYPE_CHECKING:
    from typing_extensions import Self

__all__ = ["AsyncClient"]

CONCURRENT = 64
"""Calls that are under way at once; further ones wait."""

P = ParamSpec("P")
R = TypeVar("R")


def _awaited(
    method: Callable[Concatenate[Client, P], R],
) -> Callable[Concatenate[AsyncClient, P], Coroutine[Any, Any, R]]:
    @functools.wraps(method)
    async def call(self: AsyncClient, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await self._run(functools.partial(method, self._client, *args, **kwargs))  # pyright: ignore[reportPrivateUsage]

    return call


class AsyncClient:
    """The calls of :class:`Client`, awaited; ``async with`` closes its connections.

    Each call runs in a thread of the client's own.  One that is cancelled ends at once, with its connection; whether the
    service still did what it was asked for is then as unknown as with any connection that breaks.

    >>> async with AsyncClient("http://127.0.0.1:8080") as client:  # doctest: +SKIP
    ...     answers = await asyncio.gather(*(client.check(text) for text in texts))
    """

    def __init__(self, url: str, token: str | None = None, timeout: float = TIMEOUT) -> None:
        self._client = Client(url, token, timeout)
        self._threads: ThreadPoolExecutor | None = None
        self._process = os.getpid()

    def __repr__(self) -> str:
        return f"Async{self._client!r}"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), self._client.__reduce__()[1]

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections; a later call opens new ones."""
        threads, self._threads = self._threads, None
        if threads is not None:
            threads.shutdown(wait=False)
        self._client.close()

    async def _run(self, work: Callable[[], R]) -> R:
        if self._threads is None or self._process != os.getpid():
            # After a fork there are no threads.
            self._threads, self._process = ThreadPoolExecutor(CONCURRENT, "lookalike"), os.getpid()
        call, context = Call(), contextvars.copy_context()
        context.run(current_call.set, call)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, context.run, work)
        except asyncio.CancelledError:
            call.cancel()
            raise

    @overload
    async def add(self, documents: Document, policy: str = ..., **options: Any) -> Answer: ...
    @overload
    async def add(self, documents: Any, policy: str = ..., **options: Any) -> list[Answer]: ...
    async def add(self, documents: Any, policy: str = "report", **options: Any) -> Answer | list[Answer]:
        """As :meth:`Client.add`; the documents are read in another thread."""
        return await self._run(functools.partial(self._client.add, documents, policy, **options))

    check = _awaited(Client.check)
    check_many = _awaited(Client.check_many)
    remove = _awaited(Client.remove)
    get = _awaited(Client.get)
    history = _awaited(Client.history)
    cluster = _awaited(Client.cluster)
    clusters = _awaited(Client.clusters)
    stats = _awaited(Client.stats)
    due = _awaited(Client.due)
    mirrors = _awaited(Client.mirrors)
    decide = _awaited(Client.decide)
    undecide = _awaited(Client.undecide)
    decisions = _awaited(Client.decisions)
    keep = _awaited(Client.keep)
    keepers = _awaited(Client.keepers)
    compact = _awaited(Client.compact)
    resign = _awaited(Client.resign)
    compare = _awaited(Client.compare)
    cluster_map = _awaited(Client.cluster_map)
    search = _awaited(Client.search)
    survey = _awaited(Client.survey)
    survey_clusters = _awaited(Client.survey_clusters)
    preview_removals = _awaited(Client.preview_removals)
    export_removals = _awaited(Client.export_removals)
    apply_removals = _awaited(Client.apply_removals)
    removals = _awaited(Client.removals)
    undo_removal = _awaited(Client.undo_removal)
    methods = _awaited(Client.methods)
    lexicons = _awaited(Client.lexicons)
    lexicon = _awaited(Client.lexicon)
    word = _awaited(Client.word)
    stability = _awaited(Client.stability)
    profile = _awaited(Client.profile)
    start = _awaited(Client.start)
    jobs = _awaited(Client.jobs)
    job = _awaited(Client.job)
    wait = _awaited(Client.wait)
    cancel = _awaited(Client.cancel)
    job_files = _awaited(Client.job_files)
    job_file = _awaited(Client.job_file)
    adopt = _awaited(Client.adopt)
    unadopt = _awaited(Client.unadopt)
    upload = _awaited(Client.upload)
    uploads = _awaited(Client.uploads)
    task = _awaited(Client.task)
    me = _awaited(Client.me)
    health = _awaited(Client.health)
    ready = _awaited(Client.ready)
    metrics = _awaited(Client.metrics)
    openapi = _awaited(Client.openapi)
    review_next = _awaited(Client.review_next)
    review_progress = _awaited(Client.review_progress)
    remark = _awaited(Client.remark)
    decide_many = _awaited(Client.decide_many)
    saved_filters = _awaited(Client.saved_filters)
    save_filter = _awaited(Client.save_filter)
    drop_filter = _awaited(Client.drop_filter)
    batches = _awaited(Client.batches)
    add_batch = _awaited(Client.add_batch)
    drop_batch = _awaited(Client.drop_batch)
    cluster_members = _awaited(Client.cluster_members)
    cluster_shape = _awaited(Client.cluster_shape)
    snapshot = _awaited(Client.snapshot)
    snapshots = _awaited(Client.snapshots)
    erase = _awaited(Client.erase)
    audit = _awaited(Client.audit)
    delete_upload = _awaited(Client.delete_upload)
