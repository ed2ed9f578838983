"""Real crawls of a site on this machine, with a real service, and with ones that fail."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from lookalike_scrapy import LookalikePipeline

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[2] / "bindings/python/tests"))
from service import Service  # noqa: E402

STORY = (
    "The ferry left the harbour at noon and ran aground on a sandbank in front of the island, where it stayed until the "
    "evening tide lifted it. All of the passengers could go home again in the small boats of the fishermen, who had come "
    "from both sides of the bay. Die Fähre wird geprüft, erklärte die Reederei."
)
OTHER = (
    "Nothing in this report about gardening, roses and tulips was ever said by anybody who owns a greenhouse or a spade. "
    "The author has asked forty people in three towns, and each of them answered that they prefer to sit in the park and "
    "look at the flowers that somebody else has planted there in the spring."
)
MIDDLEWARE = {"DOWNLOADER_MIDDLEWARES": {"lookalike_scrapy.LookalikeMiddleware": 50}}
PIPELINE = {"ITEM_PIPELINES": {"lookalike_scrapy.LookalikePipeline": 300}}


def page(title: str, text: str, links: str = "") -> str:
    sentences = "".join(f"<p>{sentence}.</p>" for sentence in text.split(". "))
    body = f"<nav>{links}</nav><article><h1>{title}</h1>{sentences}</article>"
    return f"<html><head><title>{title}</title></head><body>{body}</body></html>"


HOME = (
    "This is where everything begins on a site that has three stories, of which two are the same but for a word. " * 3
)
PAGES = {
    "/robots.txt": "User-agent: *\nDisallow: /secret",
    "/": page(
        "Home",
        HOME,
        '<a href="/ferry">1</a><a href="/roses">2</a><a href="/image">3</a><a href="/none">4</a><a href="/secret">5</a>',
    ),
    "/ferry": page("The ferry", STORY, '<a href="/print/ferry">print</a>'),
    "/print/ferry": page("The ferry, to print", STORY + " Printed for you.", '<a href="/deep">more</a>'),
    "/roses": page("Roses", OTHER),
    "/deep": page("Deep", "Only the copy leads here, and what is told here is told nowhere else in the world. " * 4),
}
ALL = {"/", "/ferry", "/print/ferry", "/roses", "/deep"}


class Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/image":
            kind, body = "image/png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
        elif self.path in PAGES:
            # Only the header tells the encoding.
            kind, body = "text/html; charset=iso-8859-1", PAGES[self.path].encode("iso-8859-1")
        else:
            return self.send_error(404)
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@contextmanager
def serving(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    with serving(Site) as url:
        yield url


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    made = Service(tmp_path, prefix="/lookalike").start()
    yield made
    made.stop()


class Crawl:
    def __init__(self, site: str, url: str | None, **settings: Any) -> None:
        given = {"LOOKALIKE_URL": url, **settings}
        began = time.monotonic()
        command = [sys.executable, str(HERE / "crawl.py"), site, json.dumps(given)]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        self.seconds = time.monotonic() - began
        self.log = done.stderr
        assert done.returncode == 0, done.stderr
        told = json.loads(done.stdout)
        self.items = {item["url"].removeprefix(site): item for item in told["items"]}
        self.stats = {name.removeprefix("lookalike/"): value for name, value in told["stats"].items()}
        assert self.stats["finish_reason"] == "finished"
        assert "log_count/ERROR" not in self.stats, self.log


def test_a_copy_does_not_reach_the_spider(site: str, service: Service) -> None:
    url = f"{service.url}/lookalike/"
    first = Crawl(site, url, **MIDDLEWARE)
    assert set(first.items) == ALL - {"/print/ferry", "/deep"}, first.log
    counted = {name: first.stats.get(name) for name in ("asked", "new", "near-duplicate", "dropped", "failed")}
    assert counted == {"asked": 4, "new": 3, "near-duplicate": 1, "dropped": 1, "failed": None}
    # A crawl that comes again finds the same, and never takes the page that it kept for a copy.
    again = Crawl(site, url, **MIDDLEWARE)
    assert set(again.items) == set(first.items)
    assert again.stats["dropped"] == 1


def test_a_copy_is_marked(site: str, service: Service) -> None:
    crawl = Crawl(site, f"{service.url}/lookalike", LOOKALIKE_ACTION="mark", **MIDDLEWARE)
    assert set(crawl.items) == ALL
    told = {path: item["told"] for path, item in crawl.items.items()}
    assert told == {**{path: ["new", []] for path in ALL}, "/print/ferry": ["near-duplicate", [f"{site}/ferry"]]}


def test_items_are_dropped_or_marked(site: str, service: Service) -> None:
    url = f"{service.url}/lookalike"
    assert set(Crawl(site, url, **PIPELINE).items) == ALL - {"/print/ferry"}
    marked = Crawl(site, url, LOOKALIKE_ACTION="mark", **PIPELINE).items
    assert marked["/print/ferry"]["lookalike"]["matches"][0]["id"] == f"{site}/ferry"
    assert marked["/roses"]["lookalike"]["matches"] == []


def test_a_token_is_sent_and_a_wrong_one_stops_nothing(site: str, tmp_path: Path) -> None:
    service = Service(tmp_path)
    token = service.token("crawler", "write")
    service.start()
    try:
        assert "/print/ferry" not in Crawl(site, service.url, LOOKALIKE_TOKEN=token, **MIDDLEWARE).items
        wrong = Crawl(site, service.url, LOOKALIKE_TOKEN="wrong", **MIDDLEWARE)
        assert set(wrong.items) == ALL
        assert wrong.stats["failed/unauthorized"] >= 1 and "asked" not in wrong.stats
        assert wrong.log.count("passes unchecked") == 1
    finally:
        service.stop()


class Broken(BaseHTTPRequestHandler):
    """Answers in a way that no service does."""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.wfile.write(self.reply)

    def log_message(self, format: str, *args: Any) -> None:
        pass


class Dripping(Broken):
    """Sends a byte now and then, without end."""

    def do_POST(self) -> None:
        try:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
            while True:
                self.wfile.write(b" ")
                time.sleep(0.1)
        except OSError:
            pass


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 6\r\n\r\n<html>", "not-lookalike"),
        (b'HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"verdict":"new","mat', "not-lookalike"),
        (b'HTTP/1.1 200 OK\r\nContent-Length: 37\r\n\r\n{"verdict":"duplicate","matches":[5]}\n', "not-lookalike"),
        (
            b'HTTP/1.1 503 x\r\nRetry-After: 99999\r\nContent-Length: 43\r\n\r\n{"error":{"code":"busy","message":"later"}}',
            "busy",
        ),
        (b"nonsense\r\n\r\n", "unreachable"),
    ],
)
def test_whatever_answers_the_crawl_goes_on(site: str, reply: bytes, reason: str) -> None:
    with serving(type("Stub", (Broken,), {"reply": reply})) as url:
        crawl = Crawl(site, url, LOOKALIKE_TIMEOUT=1, **MIDDLEWARE)
    assert set(crawl.items) == ALL
    # Three failures are enough, or a word of the service; for a while nobody is asked again.
    failed = 1 if reason == "busy" else 3
    assert (crawl.stats[f"failed/{reason}"], crawl.stats["skipped"]) == (failed, len(ALL) - failed)


def test_a_service_that_is_not_there_delays_nothing(site: str) -> None:
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        crawl = Crawl(site, url, **MIDDLEWARE, **PIPELINE)
    assert set(crawl.items) == ALL
    assert crawl.stats["failed/unreachable"] >= 1


@pytest.mark.parametrize("kind", ["silent", "dripping"])
def test_a_service_that_hangs_does_not_hold_up_a_crawl(site: str, kind: str) -> None:
    if kind == "silent":
        with socket.create_server(("127.0.0.1", 0)) as silent:
            crawl = Crawl(site, f"http://127.0.0.1:{silent.getsockname()[1]}", LOOKALIKE_TIMEOUT=1, **MIDDLEWARE)
    else:
        with serving(Dripping) as url:
            crawl = Crawl(site, url, LOOKALIKE_TIMEOUT=1, **MIDDLEWARE)
    assert set(crawl.items) == ALL
    assert 1 <= crawl.seconds < 15
    assert (crawl.stats["failed/timeout" if kind == "dripping" else "failed"], crawl.stats["skipped"]) == (3, 2)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"LOOKALIKE_URL": None}, "set LOOKALIKE_URL"),
        ({"LOOKALIKE_URL": "host:8080"}, "must be an address"),
        ({"LOOKALIKE_URL": "http://host:x"}, "must be an address"),
        ({"LOOKALIKE_ACTION": "burn"}, "must be one of: drop, mark"),
    ],
)
def test_settings_that_cannot_be_used_are_told(site: str, settings: dict[str, Any], reason: str) -> None:
    crawl = Crawl(site, settings.pop("LOOKALIKE_URL", "http://127.0.0.1:1"), **settings, **MIDDLEWARE)
    assert set(crawl.items) == ALL
    assert reason in crawl.log


def test_an_item_without_room_for_the_mark_is_kept() -> None:
    class Known:
        action = "mark"

        def __init__(self) -> None:
            self.counted: list[str] = []

        async def ask(self, document: dict[str, Any]) -> dict[str, Any]:
            return {"verdict": "new", "matches": [], "master": None}

        def count(self, what: str) -> None:
            self.counted.append(what)

    @dataclass
    class Page:
        url: str
        text: str

    known, page = Known(), Page("http://a/", STORY)
    assert asyncio.run(LookalikePipeline(known, "text", "url").process_item(page)) is page
    assert known.counted == ["without_field"]
