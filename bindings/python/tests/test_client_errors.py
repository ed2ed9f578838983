"""What can go wrong between a client and a service: access, bad servers, death, and what is tried again."""

# pyright: basic
from __future__ import annotations

import http.server
import io
import json
import logging
import pickle
import signal
import socket
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from lookalike.client import Client, ServiceError
from lookalike.errors import ConfigError, FileError, IncompatibleError, InternalError, LookalikeError
from service import Service

TEXT = "words that stand for a document, which is long enough to have some shingles of five words in it"
SECRET = "lk_a-very-secret-token"


def test_roles(new_service: Callable[..., Service]) -> None:
    service = new_service()
    reader, writer = service.token("reader", "read"), service.token("writer", "write", "red")
    admin = service.token("admin", "admin")
    service.start()
    with Client(service.url, reader) as client:
        assert client.me()["role"] == "read"
        assert client.check(TEXT)["verdict"] == "new"
        for call in (
            lambda: client.add({"id": 1, "text": TEXT}),
            lambda: client.add([{"id": 1, "text": TEXT}]),
            lambda: client.remove("x"),
            lambda: client.check(TEXT, refresh=True),
            lambda: client.start("dedup"),
        ):
            with pytest.raises(ServiceError, match="role") as told:
                call()
            assert (told.value.status, told.value.code) == (403, "forbidden")
    with Client(service.url, writer) as client:
        client.add({"id": "x", "text": TEXT, "labels": ["red"]})
        with Client(service.url, admin) as other:
            other.add({"id": "x", "text": f"{TEXT} without labels"})
        with pytest.raises(ServiceError) as told:
            client.get("x")
        assert (told.value.status, told.value.code) == (409, "ambiguous")
        assert sorted(choice["labels"] for choice in told.value.choices) == [[], ["red"]]
        copy = pickle.loads(pickle.dumps(told.value))
        assert (str(copy), copy.status, copy.code, copy.choices) == (
            str(told.value),
            409,
            "ambiguous",
            told.value.choices,
        )
        assert client.get("x", labels=["red"])["labels"] == ["red"]
        assert client.get("x", labels=[])["labels"] == []
        assert client.compare("x", "x", a_labels=["red"], b_labels=[])["identical"] is False
        client.decide("x", "x", True, a_labels=["red"], b_labels=[])
        assert client.remove("x", labels=["red"]) == 1
        with pytest.raises(ServiceError, match="labels") as told:
            client.remove("x")
        assert told.value.status == 403
        with pytest.raises(ServiceError) as told:
            client.add([{"id": "y", "text": TEXT, "labels": ["blue"]}])
        assert told.value.status == 403
    with Client(service.url, admin) as client:
        assert client.me()["role"] == "admin"
        assert client.compact()["state"] == "done"
    for token in (None, "wrong"):
        with Client(service.url, token) as client:
            assert client.health() == {"status": "ok"}
            with pytest.raises(ServiceError, match="a valid token is needed") as told:
                client.stats()
            assert told.value.status == 401


def test_a_token_is_never_shown(caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]) -> None:
    caplog.set_level(logging.DEBUG)
    client = Client("http://127.0.0.1:9", SECRET)
    shown = [repr(client), str(client)]
    try:
        client.check(TEXT)
    except ServiceError:
        shown.append(traceback.format_exc())
    for wrong in (f"{SECRET}\r\nx: y", f"{SECRET} ", f"{SECRET}ä", ""):
        try:
            Client("http://127.0.0.1:9", wrong)
        except ConfigError as error:
            shown.append("".join(traceback.format_exception_only(type(error), error)))
    assert len(shown) == 7
    shown += [caplog.text, *capfd.readouterr()]
    assert not any(SECRET in text for text in shown)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost:8080",
        "ftp://x",
        "http://",
        "http://a:b@c/",
        "http://x:99999",
        "http://x?y",
        "http://[::1",
        "http:/x",
    ],
)
def test_wrong_addresses_are_refused(url: str) -> None:
    with pytest.raises(ConfigError):
        Client(url)


def test_a_password_in_an_address_is_not_repeated() -> None:
    with pytest.raises(ConfigError) as told:
        Client(f"http://me:{SECRET}@127.0.0.1")
    assert SECRET not in str(told.value)


def test_no_service_is_one_sentence() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(ServiceError) as told:
        Client(url).stats()
    sentence = f"cannot reach a service at {url} (connection refused); is `lookalike serve` running there?"
    assert (str(told.value), told.value.status) == (sentence, None)
    with pytest.raises(ServiceError, match="cannot reach a service at http://no.such.host.invalid"):
        Client("http://no.such.host.invalid").stats()


def test_a_refusal_breaks_no_later_call(new_service: Callable[..., Service]) -> None:
    """The service does not read what it refuses, and closes the connection some moments after its answer."""
    service = new_service()
    token = service.token("reader", "read")
    service.start()
    with Client(service.url, token) as client:
        for number in range(300):
            with pytest.raises(ServiceError, match="role write"):
                client.add([{"id": number, "text": TEXT * number}])
            with pytest.raises(ServiceError, match="role write"):
                client.remove("x")


def test_a_rate_is_waited_for(new_service: Callable[..., Service]) -> None:
    service = new_service(rate=4)
    token = service.token("crawler", "write")
    service.start()
    with Client(service.url, token) as client:
        answers = [client.add({"id": number, "text": f"{TEXT} {number}"}) for number in range(14)]
        assert [answer["action"] for answer in answers] == ["inserted"] * 14
    assert "status=429" in service.log


def test_a_service_that_dies_and_comes_back(new_service: Callable[..., Service]) -> None:
    service = new_service().start()
    with Client(service.url) as client:
        client.add([{"id": number, "text": f"{TEXT} {number}"} for number in range(10)])
        service.stop(signal.SIGKILL)
        calls: list[Callable[[], object]] = [lambda: client.check(TEXT), lambda: client.add({"id": 99, "text": TEXT})]
        for call in calls:
            with pytest.raises(ServiceError) as told:
                call()
            assert told.value.status is None
        service.start()
        assert client.stats()["documents"] == 10
        # Stopped between two calls: a kept connection is closed, which the next call must not notice.
        service.stop()
        service.start()
        assert client.add({"id": 99, "text": TEXT})["action"] == "inserted"
        service.stop(signal.SIGKILL)
        service.start()
        assert client.check(TEXT)["matching"] > 0


def test_a_service_that_dies_in_the_middle_of_an_insertion(new_service: Callable[..., Service]) -> None:
    service = new_service().start()

    def documents() -> Iterator[dict[str, Any]]:
        for number in range(5000):
            if number == 2000:
                service.stop(signal.SIGKILL)
            yield {"id": number, "text": f"{number} {TEXT} {number}"}

    with Client(service.url) as client:
        with pytest.raises(ServiceError):
            client.add(documents())
        service.start()
        # What was acknowledged is there: three batches, of which the last may have been on its way.
        kept = client.stats()["documents"]
        assert kept % 512 == 0 and 1536 <= kept <= 2048
        again = client.add({"id": number, "text": f"{number} {TEXT} {number}"} for number in range(kept + 10))
        assert [answer["action"] for answer in again] == ["unchanged"] * kept + ["inserted"] * 10


class Stub:
    """Answers each request as the test wants, and remembers it."""

    def __init__(self) -> None:
        self.answers: list[tuple[int, dict[str, str], bytes]] = []
        self.requests: list[tuple[str, str, dict[str, str]]] = []
        stub = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                stub.requests.append((self.command, self.path, dict(self.headers)))
                status, headers, body = stub.answers.pop(0) if len(stub.answers) > 1 else stub.answers[0]
                if status == 0:
                    self.close_connection = True
                    return
                self.send_response(status)
                for name, value in {"Content-Length": str(len(body)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(body)

            do_GET = do_POST = do_DELETE = answer

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def will(self, status: int, body: object = None, **headers: str) -> Stub:
        text = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.answers.append((status, {name.replace("_", "-"): value for name, value in headers.items()}, text))
        return self


@pytest.fixture
def stub() -> Iterator[Stub]:
    made = Stub()
    yield made
    made.server.shutdown()
    made.server.server_close()


def error(code: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": "so it is"}}


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_redirects_are_not_followed(stub: Stub, status: int) -> None:
    other = Stub().will(200, {})
    stub.will(status, b"", Location=f"{other.url}/api/stats?token=x")
    with pytest.raises(ServiceError, match="redirects to http://127.0.0.1, which is not followed") as told:
        Client(stub.url, SECRET).stats()
    assert told.value.status == status
    assert (len(stub.requests), other.requests) == (1, [])
    other.server.shutdown()
    other.server.server_close()


@pytest.mark.parametrize(("status", "code"), [(429, "rate-limited"), (503, "busy"), (503, "search-not-ready")])
def test_what_was_refused_is_sent_again(stub: Stub, status: int, code: str) -> None:
    stub.will(status, error(code), Retry_After="1").will(200, {"action": "inserted"})
    start = time.monotonic()
    assert Client(stub.url).add({"id": 1, "text": TEXT}) == {"action": "inserted"}
    assert len(stub.requests) == 2 and 1 <= time.monotonic() - start < 5


def test_tries_are_bounded(stub: Stub) -> None:
    stub.will(503, error("busy"), Retry_After="0")
    with pytest.raises(ServiceError, match="so it is") as told:
        Client(stub.url).stats()
    assert (told.value.status, told.value.code, len(stub.requests)) == (503, "busy", 4)


def test_nobody_waits_longer_than_the_timeout(stub: Stub) -> None:
    stub.will(503, error("busy"), Retry_After="3600")
    start = time.monotonic()
    with pytest.raises(ServiceError):
        Client(stub.url, timeout=2).stats()
    assert len(stub.requests) == 1 and time.monotonic() - start < 2


@pytest.mark.parametrize("code", ["timeout", "storage", "shutting-down"])
def test_what_may_have_been_done_is_not_sent_again(stub: Stub, code: str) -> None:
    stub.will(503, error(code), Retry_After="0")
    with pytest.raises(ServiceError):
        Client(stub.url).add({"id": 1, "text": TEXT})
    assert len(stub.requests) == 1


def test_a_broken_connection_is_replaced_where_that_is_safe(stub: Stub) -> None:
    client = Client(stub.url)
    stub.will(200, {"documents": 1}).will(0).will(200, {"documents": 2})
    assert [client.stats()["documents"], client.stats()["documents"]] == [1, 2]
    assert len(stub.requests) == 3
    stub.answers.clear()
    stub.will(200, {"documents": 3}).will(0).will(200, {})
    client.stats()
    with pytest.raises(ServiceError, match="broke off before it answered; whether it did what was asked is not known"):
        client.add({"id": 1, "text": TEXT})
    assert len(stub.requests) == 5


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (409, "incompatible", IncompatibleError),
        (409, "busy-maintenance", IncompatibleError),
        (409, "unknown-plan", IncompatibleError),
        (500, "internal", InternalError),
        (500, "damaged", FileError),
        (418, "of-a-later-version", ServiceError),
    ],
)
def test_errors_of_the_service_keep_its_words(stub: Stub, status: int, code: str, kind: type[Exception]) -> None:
    stub.will(status, error(code), X_Request_Id="4711")
    with pytest.raises(kind, match="^so it is") as told:
        Client(stub.url).stats()
    assert isinstance(told.value, LookalikeError)
    assert ("4711" in str(told.value)) == (status == 500)


@pytest.mark.parametrize("body", [b"<html>", b"[1, 2", b"\xff\xfe", b'{"error": 5}', b"null", b'"x"'])
@pytest.mark.parametrize("status", [200, 404, 502])
def test_servers_of_another_kind(stub: Stub, status: int, body: bytes) -> None:
    stub.will(status, body)
    if status == 200 and body == b'{"error": 5}':
        return
    for call in (lambda: Client(stub.url).stats(), lambda: Client(stub.url).add([{"id": 1, "text": TEXT}])):
        with pytest.raises(ServiceError) as told:
            call()
        assert told.value.status == status


def test_what_is_no_http_and_what_is_silent() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"
        with pytest.raises(ServiceError, match="did not answer within 0.3 seconds"):
            Client(url, timeout=0.3).stats()

        def speak() -> None:
            for _ in range(2):
                other, _address = listener.accept()
                with other:
                    other.recv(1000)
                    other.sendall(b"220 mail.example ESMTP\r\n")

        speaker = threading.Thread(target=speak)
        speaker.start()
        with pytest.raises(ServiceError):
            Client(url, timeout=5).stats()
        speaker.join(5)


def test_a_host_that_lets_nobody_in() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        address = listener.getsockname()
        with socket.create_connection(address), socket.socket() as second:
            second.setblocking(False)
            second.connect_ex(address)
            start = time.monotonic()
            with pytest.raises(ServiceError, match=r"cannot reach a service at .* \(timed out\)"):
                Client(f"http://127.0.0.1:{address[1]}", timeout=0.5).add({"id": 1, "text": TEXT})
            assert time.monotonic() - start < 5


def test_an_answer_that_ends_early(stub: Stub) -> None:
    stub.will(200, b'{"documents"', Content_Length="500", Connection="close")
    with pytest.raises(ServiceError, match="broke off"):
        Client(stub.url, timeout=2).stats()


def test_a_file_is_whole_or_not_there(stub: Stub, tmp_path: Any) -> None:
    stub.will(200, b"half", Content_Length="500", Connection="close")
    with pytest.raises(ServiceError, match="broke off"):
        Client(stub.url, timeout=2).job_file(1, "x", tmp_path / "x")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(FileError):
        Client(stub.url).job_file(1, "x", tmp_path / "no" / "folder")


def test_a_body_that_was_read_is_not_sent_again(stub: Stub) -> None:
    stub.will(503, error("busy"), Retry_After="0")
    with pytest.raises(ServiceError):
        Client(stub.url)._http.ask("POST", "/api/uploads", body=io.BytesIO(b"x"), repeatable=True)
    assert len(stub.requests) == 1
