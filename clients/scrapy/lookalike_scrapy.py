"""Drops or marks near-duplicate pages of a crawl, or items, by asking a service of Lookalike.

A crawl never suffers from the service: what cannot be asked in time passes unchecked, and is counted.
"""

from __future__ import annotations

import asyncio
import base64
import http.client
import json
import logging
import re
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import SplitResult, quote, urlsplit

from itemadapter import ItemAdapter
from scrapy import Request, signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem, IgnoreRequest, NotConfigured
from scrapy.http import Response, TextResponse
from scrapy.http.request import NO_CALLBACK
from scrapy.utils.asyncio import is_asyncio_available

__all__ = ["LookalikeMiddleware", "LookalikePipeline"]

CONNECTIONS = 8
"""Questions to the service at once."""
ENOUGH = 3
"""Failures in a row after which nobody is asked for a while: one page that takes long must not let others through."""
PAUSE = 10.0
"""Seconds for which nobody is asked then."""
LONGEST_PAUSE = 60.0
MOST_ANSWER = 16_000_000
ACTIONS = ("drop", "mark")
COPIES = ("duplicate", "near-duplicate")
VERDICTS = ("new", "unreadable", *COPIES)
KEY = "lookalike"
"""Under which a page's `meta` and an item have the answer of the service."""

Answer = dict[str, Any]
logger = logging.getLogger(__name__)


class Failure(Exception):
    """Why there is no answer: a word to count by, a sentence, and for how many seconds the service wants to be left alone."""

    def __init__(self, code: str, message: str, pause: float = 0.0, is_of_document: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.pause = pause
        self.is_of_document = is_of_document


def _place(url: str) -> SplitResult:
    try:
        place = urlsplit(url)
        is_usable = place.scheme in ("http", "https") and place.hostname and place.port != 0
    except ValueError:
        is_usable = False
    if not is_usable or place.query or place.fragment:
        raise NotConfigured(f"LOOKALIKE_URL is {url!r}, it must be an address such as https://host/lookalike")
    return place


class Service:
    """Asks a service, in threads of its own, and never longer than the time that is set."""

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        url, token = settings.get("LOOKALIKE_URL"), settings.get("LOOKALIKE_TOKEN")
        if not url:
            raise NotConfigured("set LOOKALIKE_URL to the address of a service of Lookalike")
        if not is_asyncio_available():
            raise NotConfigured("lookalike_scrapy needs the asyncio reactor, which is Scrapy's default")
        place = _place(url)
        self.action = settings.get("LOOKALIKE_ACTION", "drop")
        if self.action not in ACTIONS:
            raise NotConfigured(f"LOOKALIKE_ACTION is {self.action!r}, it must be one of: {', '.join(ACTIONS)}")
        self._timeout = settings.getfloat("LOOKALIKE_TIMEOUT", 5.0)
        self._place = place
        self._tls = ssl.create_default_context() if place.scheme == "https" else None
        policy = quote(settings.get("LOOKALIKE_POLICY", "reject"), safe="")
        self._path = f"{place.path.rstrip('/')}/api/documents?policy={policy}&limit=1"
        self._headers = {"Content-Type": "application/json", "User-Agent": "lookalike-scrapy"}
        if token:
            self._headers["Authorization"] = f"Bearer {token}"
        self._stats = crawler.stats
        self._failures = 0
        self._paused_until = 0.0
        self._told: set[str] = set()
        self._pool = ThreadPoolExecutor(CONNECTIONS, thread_name_prefix="lookalike")
        self._own = threading.local()
        self._open: set[http.client.HTTPConnection] = set()
        crawler.signals.connect(self._close, signals.spider_closed)

    async def ask(self, document: Mapping[str, Any]) -> Answer | None:
        """The answer of the service; None without one, whatever the reason."""
        if time.monotonic() < self._paused_until:
            self.count("skipped")
            return None
        try:
            asked = asyncio.wrap_future(self._pool.submit(self._send, document))
            answer = await asyncio.wait_for(asked, self._timeout)
        except Failure as failure:
            self._failed(failure)
        except (TimeoutError, asyncio.TimeoutError):
            self._failed(Failure("timeout", f"no answer within {self._timeout:g} seconds"))
        except Exception as problem:  # Whatever it is, it must not end the crawl.
            self._failed(Failure("unexpected", f"{type(problem).__name__}: {problem}"))
        else:
            self._failures = 0
            self.count("asked")
            self.count(answer["verdict"])
            return answer
        return None

    def count(self, what: str) -> None:
        if self._stats is not None:
            self._stats.inc_value(f"lookalike/{what}")

    def _failed(self, failure: Failure) -> None:
        self.count("failed")
        self.count(f"failed/{failure.code}")
        self._failures += not failure.is_of_document
        pause = failure.pause
        if self._failures >= ENOUGH:
            self._failures, pause = 0, max(PAUSE, pause)
        self._paused_until = max(self._paused_until, time.monotonic() + pause)
        if failure.code not in self._told:
            self._told.add(failure.code)
            logger.warning("what the service of Lookalike cannot be asked of passes unchecked: %s", failure)

    def _send(self, document: Mapping[str, Any]) -> Answer:
        body = json.dumps(document, default=str).encode()
        while True:
            connection: http.client.HTTPConnection | None = getattr(self._own, "connection", None)
            is_kept = connection is not None
            if connection is None:
                connection = self._own.connection = self._connect()
                self._open.add(connection)
            can_stay = False
            try:
                connection.request("POST", self._path, body, self._headers)
                reply = connection.getresponse()
                content = reply.read(MOST_ANSWER + 1)
                can_stay = reply.status < 400 and not reply.will_close and len(content) <= MOST_ANSWER
                return _answer_of(reply, content)
            except (OSError, http.client.HTTPException) as problem:
                # The service closes connections that say nothing for some time.  A document may come twice.
                if is_kept and not isinstance(problem, TimeoutError):
                    continue
                raise Failure("unreachable", f"{self._place.netloc}: {problem or type(problem).__name__}") from None
            finally:
                if not can_stay:
                    connection.close()
                    self._open.discard(connection)
                    self._own.connection = None

    def _connect(self) -> http.client.HTTPConnection:
        host, port = self._place.hostname or "", self._place.port
        if self._tls is None:
            return http.client.HTTPConnection(host, port or 80, timeout=self._timeout)
        return http.client.HTTPSConnection(host, port or 443, timeout=self._timeout, context=self._tls)

    def _close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
        # A thread that still reads would keep the process from ending.
        for connection in list(self._open):
            if connection.sock is not None:
                try:
                    connection.sock.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass


def _answer_of(reply: http.client.HTTPResponse, content: bytes) -> Answer:
    try:
        told = json.loads(content)
        if reply.status == 200:
            if told["verdict"] in VERDICTS and all(
                isinstance(match["id"], str | int | float) for match in told["matches"]
            ):
                return told
            raise ValueError
        code, message = told["error"]["code"], told["error"]["message"]
        if not re.fullmatch(r"[a-z-]{1,40}", code):
            raise ValueError
    except (ValueError, TypeError, KeyError, RecursionError):
        raise Failure("not-lookalike", f"the answer {reply.status} is not of a service of Lookalike") from None
    wait = reply.headers.get("Retry-After", "")
    pause = min(float(wait), LONGEST_PAUSE) if re.fullmatch(r"\d{1,6}", wait) else 0.0
    raise Failure(code, f"{message} ({reply.status})", pause, is_of_document=reply.status in (400, 409, 413, 415, 422))


def _original(answer: Answer, id: str) -> Any:
    """Of which other document this is a copy; None if it is none, or if it is the one that stands for its cluster."""
    if answer["verdict"] not in COPIES or answer.get("master") == id or not answer["matches"]:
        return None
    return answer["matches"][0]["id"]


class LookalikeMiddleware:
    """For pages: with `drop` a near-duplicate of an earlier one does not reach the spider; with `mark` its `meta` tells.

    A page with `lookalike_skip` in its `meta` is not checked.
    """

    def __init__(self, service: Service) -> None:
        self._service = service

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> LookalikeMiddleware:
        return cls(Service(crawler))

    async def process_response(self, request: Request, response: Response) -> Response:
        is_page = isinstance(response, TextResponse) and response.status == 200 and request.callback is not NO_CALLBACK
        if not is_page or request.meta.get("lookalike_skip"):
            return response
        # The mark of order at the beginning is stronger than what the page itself says of its encoding.
        content = base64.b64encode(response.text.encode("utf-8-sig", "replace")).decode()
        answer = await self._service.ask({"id": response.url, "url": response.url, "content": content})
        if answer is None:
            return response
        request.meta[KEY] = answer
        if self._service.action == "drop" and (original := _original(answer, response.url)) is not None:
            self._service.count("dropped")
            raise IgnoreRequest(f"{response.url} is a near-duplicate of {original}")
        return response


class LookalikePipeline:
    """For items: with `drop` a near-duplicate of an earlier one is dropped; with `mark` its field `lookalike` tells."""

    def __init__(self, service: Service, text: str, id: str) -> None:
        self._service = service
        self._text = text
        self._id = id

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> LookalikePipeline:
        settings = crawler.settings
        return cls(
            Service(crawler), settings.get("LOOKALIKE_TEXT_FIELD", "text"), settings.get("LOOKALIKE_ID_FIELD", "url")
        )

    async def process_item(self, item: Any) -> Any:
        fields = ItemAdapter(item)
        text, id = fields.get(self._text), fields.get(self._id)
        if not isinstance(text, str) or not isinstance(id, str):
            self._service.count("without_text")
            return item
        answer = await self._service.ask({"id": id, "text": text})
        if answer is None:
            return item
        if self._service.action == "mark":
            try:
                fields[KEY] = answer
            except (KeyError, AttributeError):
                # A class of items that has no such field.
                self._service.count("without_field")
        elif (original := _original(answer, id)) is not None:
            self._service.count("dropped")
            raise DropItem(f"{id} is a near-duplicate of {original}")
        return item
