"""Requests to the service: connections that are kept, what is tried again, errors."""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import select
import socket
import ssl
import threading
import time
from collections import deque
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from typing import IO, Any, cast
from urllib.parse import quote, urlencode, urlsplit

from .errors import ConfigError, FileError, IncompatibleError, InputError, InternalError, LookalikeError

Body = bytes | IO[bytes] | Iterable[bytes]

RETRIES = 3
"""How often a request is sent again that the service had no room for."""
MOST_WAIT = 30.0
"""Seconds between two tries at most, whatever the service asks for."""
CONNECT_SECONDS = 10.0
"""How long a connection may take to come about."""
MOST_IDLE = 32
"""Connections that are kept for later calls."""
IDLE_SECONDS = 10.0
"""How long a connection is kept: the service closes those that say nothing for 15 seconds."""

# With these answers the service has done nothing, so that even an insertion can be sent again.
_REFUSED = {"rate-limited", "busy", "search-not-ready"}
_KINDS: dict[str, type[LookalikeError]] = {
    "bad-request": ConfigError,
    "unusable": ConfigError,
    "bad-json": InputError,
    "bad-document": InputError,
    "too-large": InputError,
    "incompatible": IncompatibleError,
    "busy-maintenance": IncompatibleError,
    "unknown-plan": IncompatibleError,
    "damaged": FileError,
    "internal": InternalError,
}
# What a stale or broken connection raises.
_BROKEN = (ConnectionError, http.client.BadStatusLine, http.client.IncompleteRead, http.client.CannotSendRequest)


class ServiceError(LookalikeError):
    """The service refuses a call, fails, or cannot be reached.

    ``status`` is the HTTP status, ``None`` without an answer; ``code`` the service's name for the error, which does
    not change; ``choices`` lists the documents that an ambiguous id may mean, with the labels that tell them apart.
    """

    def __init__(
        self, message: str, status: int | None = None, code: str = "", choices: list[dict[str, Any]] | None = None
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.choices: list[dict[str, Any]] = choices or []

    def __reduce__(self) -> tuple[Any, ...]:
        return ServiceError, (self.args[0], self.status, self.code, self.choices)


class Call:
    """A call that another thread may cancel: its connections are shut, and it is not tried again."""

    def __init__(self) -> None:
        self.cancelled = threading.Event()
        self.connections: set[http.client.HTTPConnection] = set()

    def cancel(self) -> None:
        self.cancelled.set()
        for connection in list(self.connections):
            if (sock := connection.sock) is not None:
                try:
                    sock.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def check(self) -> None:
        if self.cancelled.is_set():
            raise ServiceError("the call was cancelled")


current_call: ContextVar[Call | None] = ContextVar("current_call", default=None)


def pause(seconds: float) -> None:
    """Waits, but no longer than until the call is cancelled."""
    call = current_call.get()
    if call is None:
        time.sleep(seconds)
    else:
        call.cancelled.wait(seconds)
        call.check()


class Reply:
    """A complete answer."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.status = status
        self.headers = {name.lower(): value for name, value in headers.items()}
        self.body = body

    def json(self, *needed: str) -> dict[str, Any]:
        """The object that an answer is; an exception if it is none, or lacks what is needed."""
        try:
            told = json.loads(self.body or b"{}")
        except ValueError:
            told = None
        if not isinstance(told, dict) or not all(name in told for name in needed):
            raise ServiceError("the answer is not that of a Lookalike service", self.status)
        return cast("dict[str, Any]", told)

    @property
    def error(self) -> dict[str, Any]:
        """What the service says of an error; empty if the answer is not one of the service's own."""
        try:
            error = json.loads(self.body)["error"]
            return error if isinstance(error["code"], str) and isinstance(error["message"], str) else {}
        except (ValueError, TypeError, KeyError):
            return {}


def error_of(error: Mapping[str, Any], status: int | None, request: str = "") -> LookalikeError:
    """The exception for an error of the service, in its words."""
    code, message = str(error["code"]), str(error["message"])
    kind = _KINDS.get(code)
    if kind in (InternalError, FileError) and request:
        message = f"{message}: {request}"
    return kind(message) if kind else ServiceError(message, status, code, error.get("choices"))


class _Idle:
    """Connections that wait for the next call, of one process.  A deque needs no lock, which a fork could leave held."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self.connections: deque[tuple[float, http.client.HTTPConnection]] = deque()


class Transport:
    """Sends requests to one service; may be used by many threads at once, and after a fork."""

    def __init__(self, url: str, token: str | None, timeout: float) -> None:
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as problem:
            raise ConfigError(f"{url!r} is not an address: {problem}") from None
        if parts.username is not None or parts.password is not None:
            raise ConfigError("the address of a service has no user and password; give `token`")
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or parts.fragment:
            raise ConfigError(f"{url!r} is not the address of a service, such as http://127.0.0.1:8080")
        if token is not None and not re.fullmatch(r"[!-~]+", token):
            raise ConfigError("the token is empty or has characters that no token has")
        if not timeout > 0:
            raise ConfigError(f"`timeout` must be more than 0 seconds, not {timeout}")
        self.url = url.rstrip("/")
        self.timeout = timeout
        self._secure = parts.scheme == "https"
        self._host = parts.hostname
        self._port = port or (443 if self._secure else 80)
        self._prefix = quote(parts.path.rstrip("/"), safe="/%")
        self._headers = {"Accept": "application/json, */*", "User-Agent": "lookalike-python"}
        if token is not None:
            self._headers["Authorization"] = f"Bearer {token}"
        self._tls: ssl.SSLContext | None = None
        self._idle = _Idle()

    def close(self) -> None:
        idle, self._idle = self._idle, _Idle()
        while idle.connections:
            idle.connections.popleft()[1].close()

    def __del__(self) -> None:
        # One that was refused has none.
        for _, connection in getattr(self, "_idle", _Idle()).connections:
            connection.close()

    def send(
        self,
        method: str,
        path: str,
        query: Mapping[str, Any] | None = None,
        body: Body | None = None,
        kind: str | None = None,
        repeatable: bool = False,
        sink: IO[bytes] | None = None,
    ) -> Reply:
        """The answer, of whatever status.  ``repeatable``: doing it twice does no harm.  A good answer goes to ``sink``."""
        headers = dict(self._headers)
        if kind is not None:
            headers["Content-Type"] = kind
        target = self._prefix + path + _query(query)
        waited, retries = 0.0, RETRIES
        while True:
            reply = self._exchange(method, target, body, headers, repeatable, sink)
            wait = _wait(reply, repeatable)
            # A body that is read as it is sent is spent.
            if wait is None or not retries or waited + wait > self.timeout or not isinstance(body, bytes | None):
                return reply
            # Callers that were told the same should not all come back at once.
            wait *= 1 + random.random() / 4
            pause(wait)
            waited, retries = waited + wait, retries - 1

    def ask(self, method: str, path: str, query: Mapping[str, Any] | None = None, **more: Any) -> Reply:
        """The answer, if it is a good one; an exception otherwise."""
        return self.good(self.send(method, path, query, **more))

    @staticmethod
    def good(reply: Reply) -> Reply:
        if 200 <= reply.status < 300:
            return reply
        if error := reply.error:
            raise error_of(error, reply.status, reply.headers.get("x-request-id", ""))
        if 300 <= reply.status < 400:
            # Followed, it would take the token wherever the answer says.
            place = urlsplit(reply.headers.get("location", ""))
            message = f"the service redirects to {place.scheme}://{place.hostname}, which is not followed; give its own address"
        else:
            what = http.client.responses.get(reply.status, "an unknown status")
            message = f"the answer is {reply.status} ({what}), which is not of a Lookalike service"
        raise ServiceError(message, reply.status)

    def _exchange(
        self,
        method: str,
        target: str,
        body: Body | None,
        headers: dict[str, str],
        repeatable: bool,
        sink: IO[bytes] | None,
    ) -> Reply:
        call = current_call.get() or Call()
        while True:
            connection, is_fresh = self._connection()
            call.connections.add(connection)
            try:
                if connection.sock is None:
                    self._connect(connection)
                # From here on a cancellation finds a socket that it can shut.
                call.check()
                reply, can_stay = self._on(connection, method, target, body, headers, sink)
            except _BROKEN as problem:
                connection.close()
                call.check()
                if isinstance(problem, ConnectionRefusedError):
                    raise self._unreachable(problem) from None
                # The service closed a kept connection between two calls.
                if not is_fresh and repeatable and isinstance(body, bytes | None):
                    continue
                doubt = "" if repeatable else "; whether it did what was asked is not known"
                raise ServiceError(f"{self.url} broke off before it answered{doubt}") from None
            except TimeoutError:
                connection.close()
                raise ServiceError(f"{self.url} did not answer within {self.timeout:g} seconds") from None
            except ssl.SSLError as problem:
                connection.close()
                raise ServiceError(f"no secure connection to {self.url}: {problem.reason or problem}") from None
            except http.client.HTTPException:
                connection.close()
                raise ServiceError(f"{self.url} does not answer in HTTP, so it is no Lookalike service") from None
            except OSError as problem:
                connection.close()
                raise self._unreachable(problem) from None
            except BaseException:
                connection.close()
                raise
            finally:
                call.connections.discard(connection)
            self._keep(connection, can_stay)
            return reply

    def _on(
        self,
        connection: http.client.HTTPConnection,
        method: str,
        target: str,
        body: Body | None,
        headers: dict[str, str],
        sink: IO[bytes] | None,
    ) -> tuple[Reply, bool]:
        """Sends on a connection; also returns whether it can be used again."""
        was_sent = True
        try:
            # Where the length of a body is not known it is sent in chunks.
            connection.request(method, target, body=body, headers=headers)
        except (BrokenPipeError, ConnectionResetError):
            # The service may have answered, and closed, before it read everything.
            was_sent = False
        try:
            response = connection.getresponse()
        except http.client.ResponseNotReady:
            raise ConnectionResetError from None
        if sink is not None and response.status == 200:
            while block := response.read(1 << 20):
                sink.write(block)
            if response.length:
                raise http.client.IncompleteRead(b"", response.length)
            reply = Reply(response.status, dict(response.headers), b"")
        else:
            reply = Reply(response.status, dict(response.headers), response.read())
        # A service that refuses a request before it has read all of it closes the connection, without saying so.
        may_be_unread = body is not None and reply.status >= 400
        return reply, was_sent and not response.will_close and not may_be_unread

    def _connection(self) -> tuple[http.client.HTTPConnection, bool]:
        """A connection, and whether it is a new one."""
        if self._idle.process != os.getpid():
            # After a fork these are the parent's.
            self._idle = _Idle()
        idle = self._idle.connections
        while True:
            try:
                since, connection = idle.pop()
            except IndexError:
                return self._new(), True
            if time.monotonic() - since < IDLE_SECONDS and _is_quiet(connection):
                return connection, False
            connection.close()

    def _new(self) -> http.client.HTTPConnection:
        timeout = min(self.timeout, CONNECT_SECONDS)
        if not self._secure:
            return http.client.HTTPConnection(self._host, self._port, timeout=timeout)
        self._tls = self._tls or ssl.create_default_context()
        return http.client.HTTPSConnection(self._host, self._port, timeout=timeout, context=self._tls)

    def _connect(self, connection: http.client.HTTPConnection) -> None:
        try:
            connection.connect()
        except TimeoutError as problem:
            raise self._unreachable(problem) from None
        connection.sock.settimeout(self.timeout)

    def _keep(self, connection: http.client.HTTPConnection, can_stay: bool) -> None:
        idle = self._idle
        if can_stay and len(idle.connections) < MOST_IDLE and idle.process == os.getpid():
            idle.connections.append((time.monotonic(), connection))
        else:
            connection.close()

    def _unreachable(self, problem: OSError) -> ServiceError:
        reason = (problem.strerror or str(problem) or type(problem).__name__).lower()
        return ServiceError(f"cannot reach a service at {self.url} ({reason}); is `lookalike serve` running there?")


def _query(query: Mapping[str, Any] | None) -> str:
    given: dict[str, str] = {}
    for name, value in (query or {}).items():
        if isinstance(value, bool):
            given[name] = str(value).lower()
        elif isinstance(value, list | tuple):
            given[name] = json.dumps(value)
        elif value is not None:
            given[name] = str(value)
    try:
        return f"?{urlencode(given)}" if given else ""
    except UnicodeEncodeError:
        raise InputError("a lone surrogate is no character, so it cannot be asked for") from None


def _wait(reply: Reply, repeatable: bool) -> float | None:
    """Seconds after which a request may be sent again; nothing if it may not."""
    if reply.status not in (429, 503):
        return None
    code = reply.error.get("code")
    if code not in _REFUSED and (code or not repeatable):
        return None
    # A date, which the service does not give, is not waited for.
    after = reply.headers.get("retry-after", "")
    return min(float(after), MOST_WAIT) if after.isascii() and after.isdigit() else None


def _is_quiet(connection: http.client.HTTPConnection) -> bool:
    """A kept connection has nothing to say, unless the service has closed it."""
    sock = connection.sock
    if sock is None:
        return False
    if hasattr(select, "poll"):
        poll = select.poll()
        poll.register(sock, select.POLLIN)
        return not poll.poll(0)
    return not select.select([sock], [], [], 0)[0]
