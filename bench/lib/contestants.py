"""The product and its peers: how each is set up and called, and where it leaves its pairs."""

import shutil
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

BENCH = Path(__file__).resolve().parent.parent
ROOT = BENCH.parent
PEERS = ["daft", "rensa", "gaoya", "datasketch", "datatrove"]
# Big to install and slow: only when asked for by name.
EXTRA_PEERS = ["text_dedup"]
OURS = "ours"


@dataclass
class Job:
    command: list[str]
    pairs: Path
    environment: dict[str, str]


def build_product() -> Path:
    subprocess.run(["cargo", "build", "--release", "-p", "lookalike-cli"], cwd=ROOT, check=True)
    return ROOT / "target" / "release" / "lookalike"


def build_examples() -> Path:
    """Builds the product and all examples, and returns their folder."""
    crates = ["-p", "lookalike-core", "-p", "lookalike", "-p", "lookalike-server", "-p", "lookalike-cli"]
    subprocess.run(["cargo", "build", "--release", *crates, "--bins", "--examples"], cwd=ROOT, check=True)
    return ROOT / "target" / "release" / "examples"


def our_job(binary: Path, corpus: Path, out: Path, extra: list[str]) -> Job:
    folder = out / "ours"
    shutil.rmtree(folder, ignore_errors=True)
    options = ["--force", "--threads", "2", "--threshold", "0.8", *extra]
    command = [str(binary), "dedup", str(corpus), "-o", str(folder), *options]
    return Job(command, folder / "pairs.jsonl", {})


def peer_job(name: str, work: Path, corpus: Path, out: Path) -> Job:
    python = set_up(name, work)
    pairs = out / f"{name}.jsonl"
    pairs.unlink(missing_ok=True)
    command = [str(python), str(BENCH / "peers" / f"{name}_peer.py"), "--corpus", str(corpus), "--out", str(pairs)]
    # One math thread a worker process; no traces in the source tree.
    environment = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    return Job(command, pairs, environment)


def set_up(name: str, work: Path) -> Path:
    """Returns the Python of the peer's own virtual environment."""
    folder = work / "venvs" / name
    python = folder / "bin" / "python"
    requirements = BENCH / "peers" / f"requirements-{name}.txt"
    installed = folder / "installed.txt"
    if not installed.exists() or installed.read_text() != requirements.read_text():
        print(f"setting up {name} …", flush=True)
        venv.create(folder, with_pip=True, clear=True)
        install = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r", str(requirements)]
        subprocess.run([str(python), *install], check=True, stdout=sys.stderr)
        shutil.copy(requirements, installed)
    return python
