"""The service under load: started on a free port, asked by the example `load`, ended in order."""

import json
import signal
import socket
import subprocess
import threading
import time
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


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def running(binary: Path, data: Path, work: Path):
    """`lookalike serve` over a folder with a filled index; its log goes to the work folder."""
    address = f"127.0.0.1:{free_port()}"
    with open(work / "serve.log", "w") as log:
        command = [str(binary), "serve", "--data", str(data), "--listen", address]
        process = subprocess.Popen(command, stderr=log, stdout=log)
        try:
            wait_until_ready(process, address)
            yield Server(process, address)
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE)


def wait_until_ready(process: subprocess.Popen, address: str) -> None:
    began = time.monotonic()
    while time.monotonic() - began < PATIENCE:
        if process.poll() is not None:
            raise RuntimeError(f"the service ended with {process.returncode}: see serve.log")
        try:
            with urllib.request.urlopen(f"http://{address}/readyz", timeout=1):
                return
        except OSError:
            time.sleep(0.05)
    raise RuntimeError("the service was not ready in time")


def wait_for_search(server: Server) -> float:
    """Returns after how many seconds the search index had all documents."""
    began = time.monotonic()
    while time.monotonic() - began < SEARCH_PATIENCE:
        try:
            with urllib.request.urlopen(f"http://{server.address}/api/search?q=word", timeout=30):
                return time.monotonic() - began
        except OSError:
            time.sleep(1)
    raise RuntimeError("search was not ready in time")


def resign(server: Server, recipe: str) -> float:
    """Has all documents signed by a recipe, and returns the seconds that took.  Search must answer all the while."""
    body, kind = json.dumps({"recipe": recipe}).encode(), {"Content-Type": "application/json"}
    urllib.request.urlopen(urllib.request.Request(f"http://{server.address}/api/admin/resign", body, kind)).close()
    while True:
        urllib.request.urlopen(f"http://{server.address}/api/search?q=word", timeout=30).close()
        with urllib.request.urlopen(f"http://{server.address}/api/admin/task") as answer:
            task = json.load(answer)
        if task["state"] == "failed":
            raise RuntimeError(f"resign failed: {task}")
        if task["state"] == "done":
            return task["seconds"]
        time.sleep(0.2)


def load(examples: Path, server: Server, queries: Path, rate: int, seconds: float, idle: int = 0, mixed: bool = False) -> dict:
    command = [examples / "load", server.address, queries, rate, int(seconds), idle, "mixed" if mixed else "check"]
    done = subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)
