"""The persistent index."""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any

from lookalike import _inputs, _lookalike
from lookalike._dedup import recipe_of
from lookalike._verb import value
from lookalike.errors import ConfigError, InputError
from lookalike.table import json_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import TypeAlias

    PathLike: TypeAlias = str | os.PathLike[str]
    #: A text and a number are two ids: 17 and "17".
    Id: TypeAlias = str | int | float
    #: A text, or a dict with ``text`` and what else is known, such as ``id``.
    Document: TypeAlias = str | Mapping[str, Any]
    Answer: TypeAlias = dict[str, Any]

#: How many documents are added at a time.
_AT_ONCE = 1000


class Index:
    """Documents that are remembered in a folder, and the question whether another is one of them.

    Answers are those of a batch run over the documents that are there. One process has an index open; its threads may
    use it at once.

    >>> import tempfile
    >>> with Index.create(tempfile.mkdtemp() + "/seen") as index:
    ...     answer = index.add({"id": "a", "text": "a text of more than five words that is remembered"})
    ...     index.check("A text of more than five words, that is remembered!")["verdict"]
    'duplicate'
    """

    def __init__(self, native: _lookalike.Index) -> None:
        self._native = native

    @classmethod
    def create(
        cls,
        folder: PathLike,
        recipe: _lookalike.Recipe | PathLike | None = None,
        *,
        method: str | None = None,
        threshold: float | None = None,
        keep: str | Sequence[str] | None = None,
        lexicon: PathLike | None = None,
        refresh_after: int | None = None,
        refresh_unknown: float | None = None,
        session: _lookalike.Session | None = None,
        **sections: dict[str, Any],
    ) -> Index:
        """Makes an index in a folder that has none."""
        chosen = recipe_of(recipe, method, session, threshold=threshold, keep=keep, lexicon=lexicon, **sections)
        after = None if refresh_after is None else str(refresh_after)
        unknown = None if refresh_unknown is None else str(refresh_unknown)
        return cls(_lookalike.Index.create(os.fspath(folder), chosen, after, unknown))

    @classmethod
    def open(cls, folder: PathLike, *, session: _lookalike.Session | None = None) -> Index:
        """Opens an index that is there."""
        return cls(_lookalike.Index.open(os.fspath(folder), session))

    def close(self) -> None:
        """Writes what is left to write; another process may open the index then."""
        self._native.close()

    def __enter__(self) -> Index:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def closed(self) -> bool:
        """Whether it was closed."""
        return self._native.closed

    @property
    def folder(self) -> str:
        """Where it is."""
        return os.fspath(self._native.folder)

    @property
    def recipe(self) -> _lookalike.Recipe:
        """How it compares documents."""
        return self._native.recipe

    @property
    def scheme(self) -> str:
        """The id of features, signature and keys."""
        return self._native.scheme

    def check(
        self, document: Document, *, limit: int = 100, passages: bool = False, labels: Sequence[str] | None = None
    ) -> Answer:
        """What is known about a document, without adding it.

        ``verdict`` is ``new``, ``near-duplicate``, ``duplicate`` or ``unreadable``; ``matches`` are the documents that it
        resembles, at most ``limit`` of them. With ``labels`` only documents with one of these, or with none, are seen.
        """
        seen = None if labels is None else list(labels)
        if isinstance(document, str):
            return self._native.check_text(document, limit, passages, seen)
        return self._native.check(json_line(dict(document), 0), limit, passages, seen)

    def check_many(self, documents: Any, *, limit: int = 100, text: str = "text", id: str = "id") -> Iterator[Answer]:
        """What is known about each of many documents, one after another: a table, a frame or an iterable."""
        for lines in _lines(documents, id, text):
            for line in lines.splitlines():
                try:
                    yield self._native.check(line, limit, False, None)
                except InputError as error:
                    yield {"error": {"code": "bad-document", "message": str(error)}}

    def add(
        self,
        documents: Any,
        *,
        policy: str = "report",
        ttl: float | str | None = None,
        text: str = "text",
        id: str = "id",
    ) -> Any:
        """Adds a document, or many: a table, a frame, an iterable of texts and dicts.

        ``policy`` says what happens to one that is known: ``report`` (added anyway), ``reject``, ``replace``,
        ``keep-best``, ``version``. ``ttl`` is how long they are kept, in seconds or as ``"30d"``. Returns the answer, or
        a list of answers in their order, in which what is no document has an ``error``.
        """
        seconds = _seconds(ttl)
        if isinstance(documents, str) or _is_mapping(documents):
            record = {"text": documents} if isinstance(documents, str) else dict(documents)
            answer = self._native.add(json_line(record, 0), policy, seconds)[0]
            if "error" in answer:
                raise InputError(answer["error"]["message"])
            self._native.refresh()
            return answer
        answers: list[Answer] = []
        for lines in _lines(documents, id, text):
            answers.extend(self._native.add(lines, policy, seconds))
        self._native.refresh()
        return answers

    def remove(self, ids: Id | Iterable[Id], *, labels: Sequence[str] | None = None) -> int:
        """Removes documents by their ids, and returns how many there were."""
        several = [ids] if isinstance(ids, (str, int, float)) else list(ids)
        return self._native.remove([_id(one) for one in several], None if labels is None else list(labels))

    def get(self, id: Id, *, labels: Sequence[str] | None = None) -> Answer | None:
        """A document with what is known of it, or ``None``."""
        return self._native.get(_id(id), None if labels is None else list(labels))

    def __contains__(self, id: Id) -> bool:
        return self.get(id) is not None

    def __len__(self) -> int:
        return int(self.stats()["documents"])

    def cluster(self, id: Id, *, labels: Sequence[str] | None = None) -> Answer | None:
        """The near-duplicates of a document with their master, or ``None`` if it is not there."""
        return self._native.cluster(_id(id), None if labels is None else list(labels))

    def clusters(self, *, at_once: int = 1000) -> Iterator[Answer]:
        """All clusters of two or more documents."""
        after: str | None = None
        while True:
            some: list[Answer] = self._native.clusters(after, at_once)
            yield from some
            if len(some) < at_once:
                return
            after = _id(some[-1]["cluster"])

    def history(self, id: Id, *, labels: Sequence[str] | None = None) -> Answer | None:
        """The versions of a document, the oldest first, or ``None`` if it is not there."""
        return self._native.history(_id(id), None if labels is None else list(labels))

    def stats(self) -> Answer:
        """Figures about the index."""
        return self._native.stats()

    def due(self, *, limit: int = 100, at: int | None = None) -> Answer:
        """What should be crawled again, the most urgent first."""
        return self._native.due(at, limit)

    def mirrors(self, *, clusters: int | None = None, share: float | None = None, limit: int = 100) -> Answer:
        """Hosts that mirror each other."""
        return self._native.mirrors(clusters, share, limit)

    def decide(self, a: Id, b: Id, duplicate: bool | None, *, by: str = "local") -> bool:
        """Records that two documents are duplicates, or are not; ``None`` leaves it to the recipe again.

        Returns whether both are there.
        """
        return self._native.decide(_id(a), _id(b), duplicate, by)

    def decisions(self) -> list[Answer]:
        """All decisions of people."""
        return [json.loads(line) for line in self._native.decisions().splitlines()]

    def compact(self) -> None:
        """Frees what removed documents take."""
        self._native.compact()

    def resign(self, recipe: _lookalike.Recipe | PathLike | None = None, **settings: Any) -> None:
        """Signs all documents anew, by another recipe or by the present one with some settings changed."""
        self._native.resign(recipe_of(self.recipe if recipe is None else recipe, **settings))

    def export(self, path: PathLike) -> None:
        """Writes all documents to a file of JSON lines."""
        self._native.export(os.fspath(path))

    def snapshot(self, to: PathLike, *, keep: int | None = None, keep_for: float | str | None = None) -> Answer:
        """Takes a snapshot to a folder or an address (``s3://``, ``gs://``, ``az://``), while others use the index.

        Files that are there already are not copied again. ``keep`` and ``keep_for`` (``"30d"``) say which ones stay.

        >>> import tempfile
        >>> folder = tempfile.mkdtemp()
        >>> with Index.create(folder + "/seen") as index:
        ...     answer = index.add({"id": "a", "text": "a text of more than five words that is remembered"})
        ...     taken = index.snapshot(folder + "/backups")
        >>> [one["documents"] for one in Index.snapshots(folder + "/backups")]
        [1]
        >>> Index.restore(folder + "/backups", folder + "/again")["damage"]
        []
        >>> "a" in Index.open(folder + "/again")
        True
        """
        if keep is not None and keep < 1:
            raise ConfigError("keep at least one snapshot")
        return self._native.snapshot(os.fspath(to), keep, _seconds(keep_for))

    @staticmethod
    def snapshots(place: PathLike) -> list[Answer]:
        """The snapshots in a folder or at an address, the oldest first."""
        found: list[Answer] = value(["index", "snapshots"], {}, [os.fspath(place)])
        return found

    @staticmethod
    def restore(
        place: PathLike, folder: PathLike, *, snapshot: str | None = None, session: _lookalike.Session | None = None
    ) -> Answer:
        """Makes an index in a new folder of the newest snapshot, or of one by its name, and reads all of it.

        ``damage`` of the answer lists what could not be read.
        """
        given = {"snapshot": snapshot, "session": session}
        restored: Answer = value(["index", "restore"], given, [os.fspath(place), os.fspath(folder)])
        return restored

    @staticmethod
    def verify(folder: PathLike, *, session: _lookalike.Session | None = None) -> Answer:
        """Reads all files and all documents of an index that is not open; ``damage`` lists what is damaged."""
        found: Answer = value(["index", "verify"], {"session": session}, [os.fspath(folder)])
        return found

    @staticmethod
    def upgrade(folder: PathLike, *, dry_run: bool = False, session: _lookalike.Session | None = None) -> Answer:
        """Writes an index in the newest format, or tells with ``dry_run`` what would be done."""
        given = {"dry_run": dry_run, "session": session}
        told: Answer = value(["index", "upgrade"], given, [os.fspath(folder)])
        return told

    def __repr__(self) -> str:
        return "Index (closed)" if self.closed else f"Index({self.folder!r}, {len(self)} documents)"


def _id(id: Id) -> str:
    if isinstance(id, bool) or not isinstance(id, (str, int, float)):
        raise TypeError(f"an id is a text or a number, not {type(id).__name__}")
    return json.dumps(id, ensure_ascii=False, allow_nan=False)


def _is_mapping(documents: Any) -> bool:
    return (
        hasattr(documents, "keys")
        and hasattr(documents, "__getitem__")
        and not hasattr(documents, "__arrow_c_stream__")
        and not hasattr(documents, "columns")
    )


def _seconds(ttl: float | str | None) -> int | None:
    if ttl is None or isinstance(ttl, (int, float)):
        return None if ttl is None else int(ttl)
    units = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
    found = re.fullmatch(r"\s*(\d+)\s*([smhdw]?)\s*", ttl)
    if found is None:
        raise ValueError(f"{ttl!r} is no time; write it as 90s, 15m, 12h, 30d or 2w")
    return int(found[1]) * units[found[2]]


def _lines(documents: Any, id: str, text: str) -> Iterator[bytes]:
    """Documents as lines of JSON, some at a time."""
    table = None if isinstance(documents, (list, tuple)) else _inputs.table_of(documents)
    if table is not None:
        yield from _lookalike.Documents(table._native, id, text)
        return
    some: list[bytes] = []
    for number, document in enumerate(documents):
        record = document if isinstance(document, str) else _renamed(dict(document), id, text)
        some.append(json_line(record, number))
        if len(some) == _AT_ONCE:
            yield b"".join(some)
            some = []
    if some:
        yield b"".join(some)


def _renamed(record: dict[str, Any], id: str, text: str) -> dict[str, Any]:
    for name, known in ((id, "id"), (text, "text")):
        if name != known and name in record:
            record[known] = record.pop(name)
    return record
