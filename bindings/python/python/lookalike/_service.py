"""What every call to the service is made of: documents and ids as it takes them, and its answers."""

from __future__ import annotations

import base64
import json
import math
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, cast
from urllib.parse import quote

from ._http import Reply, ServiceError, Transport, error_of, pause
from .errors import ConfigError, InputError

Id = str | int | float
"""17 and "17" are two ids."""
Document = str | Mapping[str, Any]
"""A text, or a document: ``text`` or ``content`` (a file), ``id``, ``title``, ``url``, ``time``, ``labels``, others."""
Answer = dict[str, Any]
"""As the service gives it; its OpenAPI document describes each."""

JSON = "application/json"
LINES = "application/x-ndjson"
MESSAGE = "message/rfc822"
BATCH = 512
BATCH_BYTES = 2_000_000
"""Documents and bytes of a request, as the service itself writes them."""
# Of these the document is the reason, not the service.
_OF_A_DOCUMENT = {"bad-document", "bad-json", "unusable", "too-large", "forbidden", "incompatible", "ambiguous"}
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?[ \t\r\n]*")
_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


class Calls:
    """Sends what the methods of a client ask for."""

    _http: Transport

    def _ask(self, method: str, path: str, query: Mapping[str, Any] | None = None, **more: Any) -> Reply:
        return self._http.ask(method, path, query, **more)

    def _get(self, path: str, query: Mapping[str, Any] | None = None, *needed: str) -> Answer:
        return self._ask("GET", path, query, repeatable=True).json(*needed)

    def _list(self, path: str, name: str) -> list[Answer]:
        return list(self._get(path, None, name)[name])

    def _post(self, path: str, body: Mapping[str, Any], repeatable: bool = False) -> Answer:
        return self._ask("POST", path, body=json_of(body), kind=JSON, repeatable=repeatable).json()

    def _check(self, document: Document | bytes, passages: bool, limit: int | None, refresh: bool) -> Reply:
        query = {"passages": passages, "limit": limit, "refresh": refresh}
        kind, body = (MESSAGE, document) if isinstance(document, bytes) else (JSON, json_of(as_document(document)))
        # A refresh counts hits.
        return self._http.send("POST", "/api/check", query, body, kind, repeatable=not refresh)

    def _of(self, path: str, id: Id, labels: Sequence[str] | None) -> Answer:
        """What there is of a document, whose id is in the answer."""
        answer = self._get(path, {"labels": labels_of(labels)}, "id")
        if not _is_same(id, answer["id"]):
            raise unknown()
        return answer

    def _name(self, id: Id, labels: Sequence[str] | None) -> str:
        """An id for a path that certainly names the document that is meant, or an exception.

        In a path the service takes an id for text, or else for the number that it spells, so where that makes a
        difference it is asked first.
        """
        name = name_of(id)
        if _NUMBER.fullmatch(name):
            self._of(f"/api/documents/{segment(name)}", id, labels)
        return name

    def _decide(
        self, a: Id, b: Id, duplicate: bool | None, a_labels: Sequence[str] | None, b_labels: Sequence[str] | None
    ) -> None:
        labels = given(a_labels=labels_of(a_labels), b_labels=labels_of(b_labels))
        body = {"a": scalar(a), "b": scalar(b), "duplicate": duplicate, **labels}
        self._post("/api/decisions", body, repeatable=True)

    def _maintain(self, method: str, path: str, body: Mapping[str, Any] | None, wait: bool) -> Answer:
        """Starts work on the whole index, and waits for its end."""
        more: dict[str, Any] = {} if body is None else {"body": json_of(body), "kind": JSON}
        task = self._ask(method, path, **more).json("task", "state")
        if wait:
            task = self._until(lambda: self._get("/api/admin/task", None, "state"), task["task"], ("running",), None)
        if task["state"] == "failed":
            raise error_of(task["error"], None)
        return task

    def _until(self, poll: Callable[[], Answer], what: str, states: Sequence[str], timeout: float | None) -> Answer:
        """Asks again and again, until the state is another one."""
        end = None if timeout is None else time.monotonic() + timeout
        step = 0.05
        while (told := poll())["state"] in states:
            if end is not None and time.monotonic() + step > end:
                raise ServiceError(f"{what} has not ended after {timeout:g} seconds")
            pause(step)
            step = min(1.5 * step, 2.0)
        return told


def unknown() -> ServiceError:
    return ServiceError("there is no such document", 404, "not-found")


def given(**values: Any) -> dict[str, Any]:
    """The values that are not left out."""
    return {name: value for name, value in values.items() if value is not None}


def labels_of(labels: Sequence[str] | None) -> list[str] | None:
    if isinstance(labels, str):
        raise ConfigError("`labels` must be a list of texts")
    return None if labels is None else list(labels)


def seconds(time_to_live: int | str | None) -> int | None:
    """Seconds, from a number or a text such as "30d"."""
    if not isinstance(time_to_live, str):
        return time_to_live
    found = re.fullmatch(r"\s*([0-9]{1,12})\s*([smhdw]?)\s*", time_to_live)
    if not found:
        raise ConfigError(f"`{time_to_live}` is no time; write it as 90s, 15m, 12h, 30d or 2w")
    return int(found[1]) * _UNITS.get(found[2], 1)


def scalar(id: Any) -> Id:
    """An id as JSON has it."""
    if isinstance(id, str):
        return str(id)
    if not isinstance(id, bool):
        # Numbers of NumPy are such numbers, too.
        if isinstance(id, Integral):
            return int(id)
        if isinstance(id, Real) and math.isfinite(id):
            return float(id)
    raise InputError(f"an id must be text or a number, not {id!r}")


def each_id(ids: Any) -> Iterator[Id]:
    """One id, or those of an iterable or a column."""
    if hasattr(ids, "to_pylist"):
        ids = ids.to_pylist()
    # Bytes and documents are iterables, too, but not of ids.
    if isinstance(ids, str | bytes | Real | Mapping) or not hasattr(ids, "__iter__"):
        yield scalar(ids)
    else:
        yield from map(scalar, ids)


def name_of(id: Id) -> str:
    """An id for a path.  No text is likely to have the line break behind a number, which a number may have."""
    id = scalar(id)
    return id if isinstance(id, str) else f"{json.dumps(id)}\n"


def segment(name: str) -> str:
    """A part of a path, with no character that means anything in one."""
    if not name:
        raise InputError("an id must not be empty")
    try:
        return quote(name, safe="")
    except UnicodeEncodeError:
        raise InputError(f"{name!r} has a lone surrogate, which is no character") from None


def _is_same(id: Id, answered: Any) -> bool:
    return json.dumps(scalar(id)) == json.dumps(answered)


def json_of(value: Any) -> bytes:
    try:
        return json.dumps(value, ensure_ascii=False, default=_plain).encode()
    except UnicodeEncodeError:
        # The service says what is wrong with it.
        return json.dumps(value, default=_plain).encode()
    except (TypeError, ValueError, RecursionError) as problem:
        raise InputError(f"a document cannot be written as JSON: {problem}") from None


def _plain(value: Any) -> Any:
    """What tables hold beside texts and numbers."""
    if isinstance(value, Mapping):
        return dict(cast("Mapping[str, Any]", value))
    for convert in ("isoformat", "tolist"):
        if hasattr(value, convert):
            return getattr(value, convert)()
    raise TypeError(f"{type(value).__name__} has no form in JSON")


def as_document(document: Any) -> Mapping[str, Any]:
    if isinstance(document, str):
        return {"text": document}
    if not isinstance(document, Mapping):
        raise InputError(f"a document must be a text or a mapping, not {type(document).__name__}")
    fields = cast("Mapping[str, Any]", document)
    content: Any = fields.get("content")
    if isinstance(content, bytes | bytearray):
        return {**fields, "content": base64.b64encode(content).decode()}
    return fields


def each(documents: Any) -> Iterator[Any]:
    """The documents of an iterable or a table, which is read in parts."""
    if isinstance(documents, str | bytes | Mapping):
        yield documents
    elif hasattr(documents, "to_batches"):  # PyArrow
        for batch in documents.to_batches():
            for start in range(0, len(batch), BATCH):
                yield from _rows(batch.slice(start, BATCH).to_pylist())
    elif hasattr(documents, "to_pylist"):
        yield from _rows(documents.to_pylist())
    elif hasattr(documents, "to_dicts"):  # Polars
        for start in range(0, len(documents), BATCH):
            yield from _rows(documents.slice(start, BATCH).to_dicts())
    elif hasattr(documents, "iloc") and hasattr(documents, "columns"):  # pandas
        for start in range(0, len(documents), BATCH):
            part = documents.iloc[start : start + BATCH]
            yield from _rows(part.astype(object).where(part.notna(), None).to_dict("records"))
    elif hasattr(documents, "__iter__"):
        for document in documents:
            # Readers give tables one after the other.
            yield from each(document) if hasattr(document, "to_pylist") else [document]
    else:
        raise InputError(f"documents must be an iterable or a table, not {type(documents).__name__}")


def _rows(rows: list[Any]) -> Iterator[Any]:
    """In a table every row has every field; one without a value is left out."""
    for row in rows:
        yield given(**cast("dict[str, Any]", row)) if isinstance(row, dict) else row


def batches(documents: Any) -> Iterator[tuple[bytes, int]]:
    """JSON lines of a bounded size, and how many they are."""
    lines: list[bytes] = []
    size = 0
    for document in each(documents):
        line = json_of(as_document(document))
        if lines and (len(lines) == BATCH or size + len(line) > BATCH_BYTES):
            yield b"\n".join(lines) + b"\n", len(lines)
            lines, size = [], 0
        lines.append(line)
        size += len(line) + 1
    if lines:
        yield b"\n".join(lines) + b"\n", len(lines)


def answer_of(reply: Reply) -> Answer:
    """An answer, or the error that a document itself is the reason for."""
    error = reply.error if reply.status >= 400 else {}
    return {"error": error} if error.get("code") in _OF_A_DOCUMENT else Transport.good(reply).json()


def bulk_answers(reply: Reply) -> Iterator[Answer]:
    for line in reply.body.splitlines():
        answer = Reply(reply.status, reply.headers, line).json("line")
        error = answer.get("error")
        if error and (answer["line"] is None or error["code"] not in _OF_A_DOCUMENT):
            raise error_of(error, 503)
        answer.pop("line")
        yield answer


def take(answer: Answer, answers: list[Answer], strict: bool) -> None:
    answers.append(answer)
    if strict and "error" in answer:
        raise InputError(f"document {len(answers)}: {answer['error']['message']}")


def some_good(answers: list[Answer]) -> list[Answer]:
    """The answers, unless nothing came of any document."""
    if answers and all("error" in answer for answer in answers):
        first = answers[0]["error"]
        message = f"none of {len(answers)} documents can be used; the first: {first['message']}"
        raise error_of({**first, "message": message}, 403 if first["code"] == "forbidden" else None)
    return answers
