"""A real cluster of Spark on this machine: a master and workers, each a process of its own, on loopback."""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
from typing import Any

import psutil


def missing() -> str | None:
    """What a cluster needs and is not here."""
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        return "there is no Java"
    try:
        import pyspark
    except ImportError:
        return "there is no PySpark"
    home = pathlib.Path(pyspark.__file__).parent
    return None if (home / "bin" / "spark-class").exists() else "there is only a client of Spark"


def environment() -> dict[str, str]:
    """This process's, without what sessions that it had with other engines left there."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("SPARK_", "PYSPARK_"))}


class Cluster:
    """Started and ended with a test. ``folder`` gets logs and what workers write."""

    def __init__(self, folder: pathlib.Path, workers: int = 2, memory: str = "1g") -> None:
        import pyspark

        self.folder = folder
        self.memory = memory
        self.home = pathlib.Path(pyspark.__file__).parent
        self.processes: list[subprocess.Popen[bytes]] = []
        self.workers: list[subprocess.Popen[bytes]] = []
        self.more: dict[str, str] = {}
        self.submitted: list[pathlib.Path] = []
        folder.mkdir(parents=True, exist_ok=True)
        _, log = self._start("master", "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", "0",
                             "--webui-port", "0")  # fmt: skip
        self.url = self._wait(log, r"(spark://127\.0\.0\.1:\d+)")
        for _ in range(workers):
            self.add_worker()

    def _start(self, name: str, *arguments: str) -> tuple[subprocess.Popen[bytes], pathlib.Path]:
        log = self.folder / f"{name}-{len(self.processes)}.log"
        own = {
            **environment(), "SPARK_HOME": str(self.home), "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable,
            "SPARK_WORKER_DIR": str(self.folder / "work"), "SPARK_LOCAL_DIRS": str(self.folder / "local"),
            "SPARK_DAEMON_MEMORY": "256m",
        }  # fmt: skip
        with log.open("wb") as out:
            process = subprocess.Popen(
                [str(self.home / "bin" / "spark-class"), *arguments], stdout=out, stderr=out, env=own,
                start_new_session=True,
            )  # fmt: skip
        self.processes.append(process)
        return process, log

    def _wait(self, log: pathlib.Path, pattern: str, seconds: float = 90) -> str:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            found = re.search(pattern, log.read_text(errors="replace"))
            if found:
                return found.group(1)
            time.sleep(0.2)
        raise TimeoutError(f"{log.name}: {log.read_text(errors='replace')[-2000:]}")

    def add_worker(self) -> None:
        """Another worker with one core."""
        process, log = self._start("worker", "org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--cores", "1",
                                   "--memory", self.memory, "--webui-port", "0", self.url)  # fmt: skip
        self._wait(log, r"(Successfully registered)")
        self.workers.append(process)

    def kill_worker(self) -> None:
        """The oldest worker and all that it started end at once, as when a machine is switched off."""
        worker = self.workers.pop(0)
        _kill(worker.pid)

    def settings(self) -> dict[str, str]:
        """What a session on this cluster needs."""
        return {
            "spark.master": self.url, "spark.driver.host": "127.0.0.1", "spark.driver.bindAddress": "127.0.0.1",
            "spark.executor.memory": self.memory, "spark.executor.cores": "1", "spark.ui.enabled": "false",
            "spark.sql.shuffle.partitions": "4", "spark.network.timeout": "60s", "spark.executor.heartbeatInterval": "5s",
            "spark.pyspark.python": sys.executable, "spark.ui.showConsoleProgress": "false",
            "spark.task.maxFailures": "20", "spark.deploy.maxExecutorRetries": "-1", "spark.stage.maxConsecutiveAttempts": "20",
            # A core each: more threads to collect garbage or to compile would only take turns.
            "spark.executor.extraJavaOptions": "-XX:+UseSerialGC",
            "spark.driver.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
            **self.more,
        }  # fmt: skip

    def submit(self, *arguments: Any) -> subprocess.Popen[str]:
        """Starts ``lookalike-spark`` by spark-submit, in a process of its own."""
        from lookalike.spark import __main__ as command

        return self.submit_program(command.__file__, *arguments)

    def submit_program(self, path: Any, *arguments: Any) -> subprocess.Popen[str]:
        """Starts a program by spark-submit, in a process of its own."""
        given = [part for name, value in self.settings().items() for part in ("--conf", f"{name}={value}")]
        own = {**environment(), "SPARK_HOME": str(self.home), "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable,
                       "PYSPARK_DRIVER_PYTHON": sys.executable}  # fmt: skip
        # A pipe that nobody reads would stop it.
        log = self.folder / f"submitted-{len(self.submitted)}.log"
        self.submitted.append(log)
        with log.open("w") as errors:
            job = subprocess.Popen(
                [str(self.home / "bin" / "spark-submit"), *given, str(path), *map(str, arguments)],
                stdout=subprocess.PIPE, stderr=errors, text=True, env=own, start_new_session=True,
            )  # fmt: skip
        return job

    def errors(self) -> str:
        """What the program that was submitted last told of errors."""
        return self.submitted[-1].read_text(errors="replace")

    def stop(self) -> None:
        for process in self.processes:
            _kill(process.pid)
            process.wait()


def kill(process: subprocess.Popen[Any]) -> None:
    """A process and its children end at once."""
    _kill(process.pid)


def _kill(number: int) -> None:
    try:
        process = psutil.Process(number)
        family = [process, *process.children(recursive=True)]
    except psutil.NoSuchProcess:
        return
    for one in family:
        try:
            one.send_signal(signal.SIGKILL)
        except psutil.NoSuchProcess:
            pass
