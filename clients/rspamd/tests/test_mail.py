"""Mail through a real rspamd that asks a real service, and ones that fail: mail is never delayed for long and never refused."""

from __future__ import annotations

import base64
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

PLUGIN = Path(__file__).resolve().parents[1] / "lookalike.lua"
sys.path.insert(0, str(PLUGIN.parents[2] / "bindings/python/tests"))
from service import Service  # noqa: E402

pytestmark = pytest.mark.skipif(
    shutil.which("rspamd") is None, reason="rspamd is not installed: the tests of mail are left out"
)

TIMEOUT = 0.5
SPAM = (
    "Dear friend, you have won the great lottery of the northern provinces and only a small fee of forty crowns stands "
    "between you and the whole sum. Answer within two days with the number of your account, the name of your bank and the "
    "maiden name of your mother, and our notary will send you the papers."
)
HAM = (
    "The minutes of our meeting are attached. Please look at the third point once more before Thursday, because the "
    "figures of the second quarter were not there yet when we talked about them."
)

PLAN = "We meet at seven in front of the station, walk along the river to the old mill and come back before it is dark again."
NEWS = 'sets { newsletter { symbol = "LOOKALIKE_NEWS"; score = -2.0; } }'


def message(text: str, recipient: str = "a@example.org") -> bytes:
    head = f"From: b@example.net\r\nTo: {recipient}\r\nSubject: Hello\r\nMessage-ID: <{hash(text)}@example.net>\r\n"
    return f"{head}Content-Type: text/plain; charset=utf-8\r\n\r\n{text}\r\n".encode()


class Rspamd:
    """A rspamd with nothing but the plugin."""

    def __init__(self, folder: Path, settings: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        plugins = folder / "plugins"
        plugins.mkdir()
        shutil.copy(PLUGIN, plugins)
        # All that there are take seconds to be read.
        (folder / "tld").write_text("org\nnet\n")
        (folder / "rspamd.conf").write_text(
            f"""
            options {{ pidfile = "{folder}/pid"; url_tld = "{folder}/tld"; task_timeout = 8s; }}
            options {{ dns {{ nameserver = ["127.0.0.1:9"]; }} }}
            logging {{ type = "console"; level = "info"; }}
            worker "normal" {{ bind_socket = "127.0.0.1:{self.port}"; count = 1; }}
            modules {{ path = "{plugins}"; }}
            actions {{ reject = 15; "add header" = 5; }}
            lookalike {{ timeout = {TIMEOUT}; {settings} }}
            """
        )
        self.log_path = folder / "rspamd.log"
        command = ["rspamd", "-f", "-c", str(folder / "rspamd.conf"), f"--var=DBDIR={folder}", f"--var=RUNDIR={folder}"]
        if os.getuid() == 0:
            command.append("-i")
        with self.log_path.open("wb") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder)
        end = time.monotonic() + 30
        while True:
            try:
                return socket.create_connection(("127.0.0.1", self.port)).close()
            except OSError:
                assert time.monotonic() < end and self.process.poll() is None, self.log
                time.sleep(0.05)

    @property
    def log(self) -> str:
        return self.log_path.read_text(errors="replace")

    def scan(self, mail: bytes) -> tuple[str, dict[str, Any], float]:
        """The action, our symbols and the seconds that it took."""
        began = time.monotonic()
        with urllib.request.urlopen(
            urllib.request.Request(f"http://127.0.0.1:{self.port}/checkv2", mail), timeout=30
        ) as reply:
            told = json.load(reply)
        seconds = time.monotonic() - began
        return (
            told["action"],
            {name: symbol for name, symbol in told["symbols"].items() if name.startswith("LOOKALIKE")},
            seconds,
        )

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


@pytest.fixture
def rspamd(tmp_path: Path) -> Iterator[Callable[[str], Rspamd]]:
    made: list[Rspamd] = []

    def start(settings: str) -> Rspamd:
        folder = tmp_path / f"rspamd-{len(made)}"
        folder.mkdir()
        made.append(Rspamd(folder, settings))
        return made[-1]

    yield start
    for one in made:
        one.stop()


def learn(service: Service, token: str, id: str, mail: bytes, set: str) -> None:
    body = json.dumps({"id": id, "set": set, "content": base64.b64encode(mail).decode()}).encode()
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    with urllib.request.urlopen(urllib.request.Request(f"{service.url}/api/documents", body, headers)) as reply:
        assert json.load(reply)["action"] == "inserted"


def test_known_spam_gets_its_symbol_and_other_mail_none(tmp_path: Path, rspamd: Callable[[str], Rspamd]) -> None:
    service = Service(tmp_path, prefix="/lookalike")
    writer, reader = service.token("trap", "write"), service.token("rspamd", "read")
    service.start()
    try:
        learn(service, writer, "trap-1", message(SPAM), "spam")
        learn(service, writer, "news-1", message(HAM), "newsletter")
        learn(service, writer, "plan-1", message(PLAN), "plans")
        filter = rspamd(f'url = "{service.url}/lookalike/"; token = "{reader}"; {NEWS}')
        action, symbols, _ = filter.scan(message(SPAM.replace("forty", "fifty"), "c@example.org"))
        assert action == "add header", filter.log
        found = symbols["LOOKALIKE_SPAM"]
        assert 5 < found["score"] < 7 and found["options"][1] == "trap-1"
        assert filter.scan(message(SPAM))[1]["LOOKALIKE_SPAM"]["score"] == 7
        # Of other sets, and of none.
        assert filter.scan(message(HAM))[1]["LOOKALIKE_NEWS"]["score"] == -2
        for text in (PLAN, "Nobody has ever written this before, so nobody can have seen it anywhere either, I think."):
            action, symbols, _ = filter.scan(message(text))
            assert (action, symbols) == ("no action", {}), filter.log
        # Mail that is none, and one that is too large to be asked about.
        for odd in (b"", b"\x00\xff" * 1000, message(SPAM * 8000)):
            assert filter.scan(odd)[1] == {}
        assert "no answer" not in filter.log
        # The service ends, mail goes on.
        service.stop()
        for _ in range(5):
            action, symbols, seconds = filter.scan(message(SPAM))
            assert (action, symbols) == ("no action", {}) and seconds < TIMEOUT + 1
        assert filter.log.count("no answer of") == 3, "after some failures nobody is asked for a while"
    finally:
        service.stop()


def test_a_service_that_comes_back_is_asked_again(tmp_path: Path, rspamd: Callable[[str], Rspamd]) -> None:
    service = Service(tmp_path)
    writer = service.token("trap", "write")
    filter = rspamd(f'url = "{service.url}"; token = "{writer}"; pause = 1;')
    for _ in range(4):
        assert filter.scan(message(SPAM))[:2] == ("no action", {})
    assert "nobody is asked" in filter.log
    service.start()
    try:
        learn(service, writer, "trap-1", message(SPAM), "spam")
        end = time.monotonic() + 20
        while not filter.scan(message(SPAM))[1]:
            assert time.monotonic() < end, filter.log
            time.sleep(0.2)
    finally:
        service.stop()


class Stub(BaseHTTPRequestHandler):
    reply = b""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.wfile.write(self.reply)

    def log_message(self, format: str, *args: Any) -> None:
        pass


class Dripping(Stub):
    def do_POST(self) -> None:
        try:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
            while True:
                self.wfile.write(b" ")
                time.sleep(0.05)
        except OSError:
            pass


@contextmanager
def serving(kind: type[Stub]) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), kind)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


def reply(status: str, body: str) -> type[Stub]:
    return type("Reply", (Stub,), {"reply": f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n{body}".encode()})


@pytest.mark.parametrize(
    "kind",
    [
        Dripping,
        reply("200 OK", "<html>"),
        reply("200 OK", '{"verdict":5,"set":{"name":"spam","similarity":1}}'),
        reply("200 OK", "[" * 100_000),
        reply("401 Unauthorized", "{}"),
        reply("503 x", '{"error":{"code":"busy","message":"later"}}'),
        Stub,
    ],
    ids=["dripping", "page", "other", "deep", "refused", "busy", "nothing"],
)
def test_whatever_answers_mail_goes_on_in_time(rspamd: Callable[[str], Rspamd], kind: type[Stub]) -> None:
    with serving(kind) as url:
        filter = rspamd(f'url = "{url}";')
        for number in range(5):
            action, symbols, seconds = filter.scan(message(SPAM))
            assert (action, symbols) == ("no action", {}), filter.log
            assert seconds < (TIMEOUT + 1 if number < 3 else 0.5), f"message {number} took {seconds:.2f} s"
        assert filter.log.count("no answer of") == 3, filter.log


def test_a_service_that_says_nothing_delays_few_messages(rspamd: Callable[[str], Rspamd]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        filter = rspamd(f'url = "http://127.0.0.1:{silent.getsockname()[1]}";')
        times = [filter.scan(message(SPAM))[2] for _ in range(5)]
    assert TIMEOUT / 2 < min(times[:3]) and max(times[:3]) < TIMEOUT + 1 and max(times[3:]) < 0.5, times


class Picky(Stub):
    """Takes long for one message, and knows the others."""

    def do_POST(self) -> None:
        if b"slow" in self.rfile.read(int(self.headers["Content-Length"])):
            time.sleep(4 * TIMEOUT)
        body = b'{"verdict":"duplicate","set":{"name":"spam","similarity":1.0,"hits":0},"matches":[{"id":"x"}]}'
        self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))


def test_messages_that_take_long_do_not_get_others_through(rspamd: Callable[[str], Rspamd]) -> None:
    with serving(Picky) as url:
        filter = rspamd(f'url = "{url}";')
        for _ in range(3):
            for _ in range(2):
                assert filter.scan(message("slow " + HAM))[1] == {}
            assert "LOOKALIKE_SPAM" in filter.scan(message(SPAM))[1], filter.log


def test_without_an_address_nobody_is_asked(rspamd: Callable[[str], Rspamd]) -> None:
    assert rspamd("").scan(message(SPAM))[:2] == ("no action", {})
