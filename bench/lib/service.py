"""The service under load: started on a free port, asked by the example `load`, ended in order."""

import json
import signal
import socket
import ssl
import subprocess
import threading
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lib import measure

PATIENCE = 60
SEARCH_PATIENCE = 1800
SAMPLED = 5


@dataclass
class Server:
    process: subprocess.Popen
    address: str
    certificate: Path | None = None

    def memory(self) -> tuple[int, int]:
        """Resident bytes, in all and own ones."""
        return measure.resident(self.process.pid)

    @contextmanager
    def watched(self):
        """Gathers the memory of every few seconds."""
        samples, done = [self.memory()], threading.Event()

        def watch() -> None:
            while not done.wait(SAMPLED):
                samples.append(self.memory())

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            yield samples
        finally:
            done.set()
            watcher.join()


    def open(self, path: str, body: dict | None = None, timeout: float = 30):
        """An answer of the service."""
        scheme = "http" if self.certificate is None else "https"
        content, kind = (None, {}) if body is None else (json.dumps(body).encode(), {"Content-Type": "application/json"})
        request = urllib.request.Request(f"{scheme}://{self.address}{path}", content, kind)
        trusting = None if self.certificate is None else ssl.create_default_context(cafile=str(self.certificate))
        return urllib.request.urlopen(request, timeout=timeout, context=trusting)


def make_certificate(folder: Path) -> tuple[Path, Path]:
    """A certificate for this machine that is its own issuer, and its key."""
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    command += ["-subj", "/CN=bench", "-addext", "subjectAltName=IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:FALSE"]
    subprocess.run([*command, "-out", str(certificate), "-keyout", str(key)], check=True, stderr=subprocess.DEVNULL)
    return certificate, key


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def running(binary: Path, data: Path, work: Path, tls: bool = False, settings: tuple[str, ...] = ()):
    """`lookalike serve` over a folder with a filled index, with these settings; its log goes to the work folder."""
    certificate, key = make_certificate(work) if tls else (None, None)
    address = f"127.0.0.1:{free_port()}"
    with open(work / "serve.log", "w") as log:
        command = [str(binary), "serve", "--data", str(data), "--listen", address]
        for setting in settings:
            command += ["--with", setting]
        if tls:
            command += ["--tls-certificate", str(certificate), "--tls-key", str(key)]
        process = subprocess.Popen(command, stderr=log, stdout=log)
        try:
            server = Server(process, address, certificate)
            wait_until_ready(server)
            yield server
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE)


def wait_until_ready(server: Server) -> None:
    began = time.monotonic()
    while time.monotonic() - began < PATIENCE:
        if server.process.poll() is not None:
            raise RuntimeError(f"the service ended with {server.process.returncode}: see serve.log")
        try:
            with server.open("/readyz", timeout=1):
                return
        except urllib.error.HTTPError as refused:
            # It answers; search may take minutes, and has a wait of its own.
            if json.load(refused)["error"]["code"] == "search-not-ready":
                return
            time.sleep(0.05)
        except OSError:
            time.sleep(0.05)
    raise RuntimeError("the service was not ready in time")


def wait_for_search(server: Server) -> float:
    """Returns after how many seconds the search index had all documents."""
    began = time.monotonic()
    while time.monotonic() - began < SEARCH_PATIENCE:
        try:
            with server.open("/api/search?q=word"):
                return time.monotonic() - began
        except OSError:
            time.sleep(1)
    raise RuntimeError("search was not ready in time")


def resign(server: Server, recipe: str) -> float:
    """Has all documents signed by a recipe, and returns the seconds that took."""
    return task(server, "/api/admin/resign", {"recipe": recipe})


def snapshot(server: Server) -> float:
    """Has a snapshot taken, and returns the seconds that took."""
    return task(server, "/api/admin/snapshot", {})


def task(server: Server, path: str, body: dict) -> float:
    """Has something done in the background, and returns the seconds that took.  Search must answer all the while."""
    server.open(path, body).close()
    while True:
        server.open("/api/search?q=word").close()
        with server.open("/api/admin/task") as answer:
            task = json.load(answer)
        if task["state"] == "failed":
            raise RuntimeError(f"{path} failed: {task}")
        if task["state"] == "done":
            return task["seconds"]
        time.sleep(0.2)


def answers(server: Server, queries: list[bytes]) -> list[bytes]:
    """What it says of each document, byte for byte."""
    found = []
    for query in queries:
        with server.open("/api/check", json.loads(query)) as answer:
            found.append(answer.read())
    return found


def load(examples: Path, server: Server, queries: Path, rate: int, seconds: float, idle: int = 0, mixed: bool = False) -> dict:
    command = [examples / "load", server.address, queries, rate, int(seconds), idle, "mixed" if mixed else "check"]
    if server.certificate is not None:
        command.append(server.certificate)
    before = measure.processor_ticks()
    done = subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout) | {"host_percent": measure.taken_by_host(before)}
