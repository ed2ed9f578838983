"""A real `lookalike serve` for tests."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import time
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PATIENCE = 60


def program() -> str | None:
    """The program to test: of the environment, or built here."""
    for place in (os.environ.get("LOOKALIKE"), ROOT / "target/debug/lookalike", shutil.which("lookalike")):
        if place and os.access(place, os.X_OK):
            return str(place)
    return None


class Service:
    """A service on a free port of this machine, which can be stopped and started again."""

    def __init__(self, folder: Path, **settings: object) -> None:
        self.folder = folder
        self.settings = settings
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.address = f"127.0.0.1:{probe.getsockname()[1]}"
        self.url = f"http://{self.address}"
        self.process: subprocess.Popen[bytes] | None = None

    def run(self, *arguments: object) -> str:
        command = [str(program()), "serve", *map(str, arguments), "--data", str(self.folder / "data")]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()

    def token(self, name: str, role: str, *labels: str) -> str:
        return self.run(
            "token", "add", name, "--role", role, *(word for label in labels for word in ("--label", label))
        )

    def start(self) -> Service:
        command = [str(program()), "serve", "--data", str(self.folder / "data"), "--listen", self.address]
        command += [word for key, value in self.settings.items() for word in ("--with", f"{key}={value}")]
        with open(self.folder / "serve.log", "ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
        end = time.monotonic() + PATIENCE
        while True:
            try:
                with urllib.request.urlopen(f"{self.url}/readyz", timeout=5):
                    return self
            except OSError:
                if time.monotonic() > end or self.process.poll() is not None:
                    raise
                time.sleep(0.05)

    def stop(self, how: signal.Signals = signal.SIGTERM) -> None:
        if self.process is not None:
            self.process.send_signal(how)
            try:
                self.process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
            self.process = None

    @property
    def log(self) -> str:
        return (self.folder / "serve.log").read_text()
