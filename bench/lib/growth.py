"""An index that grows: filled anew at each size and asked, by the example `online`."""

import json
import math
import shutil
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lib import measure, queries

SAMPLE_SECONDS = 0.05


@dataclass
class Grown:
    documents: int
    filled: dict
    asked: dict

    @property
    def own_while_filled(self) -> float:
        """Bytes a document."""
        return self.filled["own_bytes"] / self.documents

    @property
    def own_while_asked(self) -> float:
        return self.asked["own_bytes"] / self.documents


def grow(online: Path, work: Path, sizes: list[int], part_of: Callable[[int, int], Path]):
    """Yields an index of each size.  `part_of` gives the corpus of a part by its documents and number."""
    part = math.gcd(*sizes)
    folder, asked = work / "growing", work / "growing-queries.jsonl"
    for size in sizes:
        shutil.rmtree(folder, ignore_errors=True)
        parts = [part_of(part, number) for number in range(size // part)]
        queries.sample(parts[0], asked)
        with subprocess.Popen(["cat", *map(str, parts)], stdout=subprocess.PIPE) as lines:
            filled = watched([online, "fill", folder, "/dev/stdin"], lines.stdout)
        # What is asked for first is read from disk; only then the figures tell how an index answers.
        watched([online, "check", folder, asked])
        yield Grown(size, filled, watched([online, "check", folder, asked]))
    shutil.rmtree(folder, ignore_errors=True)


def watched(command: list, stdin=None) -> dict:
    """What the command prints, and the most own memory that it had."""
    command = list(map(str, command))
    own = 0
    with subprocess.Popen(command, stdin=stdin, stdout=subprocess.PIPE, text=True) as process:
        while process.poll() is None:
            try:
                own = max(own, measure.resident(process.pid)[1])
            except (OSError, KeyError):
                pass  # it ends
            time.sleep(SAMPLE_SECONDS)
        printed = process.stdout.read()
    if process.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed")
    return json.loads(printed) | {"own_bytes": own}
