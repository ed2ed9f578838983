"""Runs a command and measures it: wall time, CPU time and peak memory of its whole process tree.

The measuring happens in a small process of its own (this file run as a script), because Linux counts the memory of
the process that starts a command into the command's peak.
"""

import ctypes
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36
SAMPLE_SECONDS = 0.2
SAMPLE_SHARE = 0.01
STRAGGLER_SECONDS = 30
# Others' CPU time, as a share of a run's wall time, from which on the table says that the machine was not idle.
BUSY_SHARE = 0.1


def run(command: list[str], log: Path, environment: dict[str, str] | None = None, timeout: float = 7200) -> dict:
    """Returns {"exit", "wall_s", "cpu_s", "peak_mb", "others_cpu_s"}; what the command prints goes to `log`."""
    with tempfile.NamedTemporaryFile("r", suffix=".json") as result, open(log, "w", encoding="utf-8") as out:
        measured = [sys.executable, __file__, result.name, str(timeout), *map(str, command)]
        env = os.environ | (environment or {})
        subprocess.run(measured, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, env=env, check=True)
        return json.load(result)


def warm(file: Path) -> None:
    """Takes a file into the page cache: the first to read it must not pay for the disk."""
    with open(file, "rb") as bytes_of_it:
        while bytes_of_it.read(1 << 24):
            pass


def disturbance(measured: dict) -> list[str]:
    """A note when other processes were at work during a run."""
    if measured["others_cpu_s"] <= BUSY_SHARE * measured["wall_s"]:
        return []
    return [f"others used {measured['others_cpu_s']} CPU s meanwhile"]


def machine() -> dict:
    return {"cores": os.cpu_count(), "system": platform.platform(), "processor": processor()}


def processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor()


def measure(command: list[str], timeout: float) -> dict:
    # Workers whose parent ended come to this process, so that their CPU time is not lost.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    peak = TreeMemory()
    busy_before = machine_cpu_seconds()
    start = time.monotonic()
    try:
        exit_code = subprocess.run(command, timeout=timeout).returncode
    except subprocess.TimeoutExpired:
        exit_code = "timeout"
    except OSError as problem:
        print(problem)
        exit_code = 127
    wall = time.monotonic() - start
    reap_stragglers()
    busy = machine_cpu_seconds() - busy_before
    peak.stop()
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = usage.ru_utime + usage.ru_stime
    return {
        "exit": exit_code,
        "wall_s": round(wall, 3),
        "cpu_s": round(cpu, 3),
        "peak_mb": round(max(usage.ru_maxrss / 1024, peak.megabytes), 1),
        # Much of it means that the machine was not idle and that the wall time is too long.
        "others_cpu_s": round(max(0.0, busy - cpu), 1),
    }


def machine_cpu_seconds() -> float:
    """CPU time of all that runs on the machine, and what the host took away from it."""
    user, nice, system, _, _, irq, softirq, steal = processor_ticks()
    return (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")


def processor_ticks() -> list[int]:
    """user, nice, system, idle, iowait, irq, softirq, steal of all processors since the machine began."""
    return list(map(int, Path("/proc/stat").read_text().split()[1:9]))


def taken_by_host(before: list[int]) -> float:
    """What the host took of the processors since then, in percent: time in which nothing here could run."""
    passed = [now - was for now, was in zip(processor_ticks(), before)]
    return round(100 * passed[-1] / max(1, sum(passed)), 1)


def reap_stragglers() -> None:
    deadline = time.monotonic() + STRAGGLER_SECONDS
    while True:
        try:
            done, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if done == 0:
            if time.monotonic() > deadline:
                for process in descendants(os.getpid()):
                    os.kill(process, 9)
            time.sleep(0.05)


class TreeMemory:
    """Samples the memory of all descendants together.

    One process alone is measured exactly by the kernel.  Of several, the proportional sizes (PSS) are summed, so that
    pages shared after a fork count once.
    """

    def __init__(self) -> None:
        self.megabytes = 0.0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        self._stop.set()
        self._thread.join()

    def _sample(self) -> None:
        pause = SAMPLE_SECONDS
        while not self._stop.wait(pause):
            start = time.thread_time()
            processes = descendants(os.getpid())
            if len(processes) > 1:
                total = sum(proportional_kilobytes(process) for process in processes)
                self.megabytes = max(self.megabytes, total / 1024)
            # Asking for the sizes of big processes takes the kernel long: it must not slow down what is measured.
            pause = max(SAMPLE_SECONDS, (time.thread_time() - start) / SAMPLE_SHARE)


def resident(process: int) -> tuple[int, int]:
    """Resident bytes: in all, and without pages of files, which the kernel takes back when it needs them."""
    with open(f"/proc/{process}/status") as status:
        kilobytes = dict(line.split(":") for line in status if line.startswith(("VmRSS", "RssAnon")))
    total, own = (int(kilobytes[name].split()[0]) * 1024 for name in ("VmRSS", "RssAnon"))
    return total, own


def descendants(root: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                stat = Path(entry.path, "stat").read_text()
            except OSError:
                continue  # it ended meanwhile
            parent = int(stat.rpartition(")")[2].split()[1])
            children.setdefault(parent, []).append(int(entry.name))
    found, todo = [], [root]
    while todo:
        below = children.get(todo.pop(), [])
        found += below
        todo += below
    return found


def proportional_kilobytes(process: int) -> int:
    try:
        for line in Path(f"/proc/{process}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    except OSError:
        pass  # it ended meanwhile
    return 0


if __name__ == "__main__":
    outcome = measure(sys.argv[3:], float(sys.argv[2]))
    Path(sys.argv[1]).write_text(json.dumps(outcome))
