"""The service under load: started on a free port, asked by the example `load`, ended in order."""

import json
import signal
import socket
import subprocess
import time
import urllib.request
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

PATIENCE = 60


@dataclass
class Server:
    process: subprocess.Popen
    address: str
    # Resident bytes after the first load, which filled caches and buffers.
    settled: int = field(default=0)

    def memory(self) -> int:
        with open(f"/proc/{self.process.pid}/status") as status:
            line = next(line for line in status if line.startswith("VmRSS"))
        return int(line.split()[1]) * 1024


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


def load(examples: Path, server: Server, queries: Path, rate: int, seconds: float, idle: int = 0, mixed: bool = False) -> dict:
    if mixed:
        # The first minute fills what the service keeps at hand.
        load(examples, server, queries, rate, 60)
        server.settled = server.memory()
    command = [examples / "load", server.address, queries, rate, int(seconds), idle, "mixed" if mixed else "check"]
    done = subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)
