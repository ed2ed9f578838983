"""Makes the corpora, each once: a corpus stays in the work folder until what it was made from changes."""

import hashlib
import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

from lib import text

GENERATOR = Path(__file__).resolve().parent.parent / "corpus"


@dataclass
class Corpus:
    name: str
    documents: Path
    truth: Path
    facts: dict

    @property
    def megabytes(self) -> float:
        return self.facts["bytes"] / 1e6


def make(
    work: Path,
    documents: int,
    shape: str,
    seed: int,
    own_text: list[str],
    words: int = 0,
    first: int = 0,
    packed: bool = False,
) -> Corpus:
    """`words`: on average, if not as many as usual; `first`: the number of the first document; `packed`: by zstd."""
    name = f"{shape}{words or ''}-{documents}{f'-from-{first}' if first else ''}{'-packed' if packed else ''}"
    folder = work / "corpora" / name
    facts_file = folder / "facts.json"
    made_from = {
        "documents": documents,
        "shape": shape,
        "seed": seed,
        "text": own_text or sorted(text.PACKAGES),
        "generator": source_digest(),
        "words": words,
        "first": first,
    }
    plain = folder / "corpus.jsonl"
    corpus = Corpus(name, folder / "corpus.jsonl.zst" if packed else plain, folder / "truth.jsonl", {})
    if facts_file.exists():
        corpus.facts = json.loads(facts_file.read_text())
        if corpus.facts["made_from"] == made_from:
            return corpus
    folder.mkdir(parents=True, exist_ok=True)
    facts_file.unlink(missing_ok=True)
    sources = own_text or [str(text.fetch(work))]
    print(f"making the corpus {folder.name} …", flush=True)
    command = [build(work), "--text", *sources, "--documents", documents, "--seed", seed, "--shape", shape]
    command += ["--out", plain, "--truth", corpus.truth, "--first", first]
    command += ["--words", words] if words else []
    made = subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, text=True)
    corpus.facts = {
        "made_from": made_from,
        "bytes": plain.stat().st_size,
        "sha256": file_digest(plain),
        "report": made.stdout.splitlines(),
    }
    if packed:
        subprocess.run(["zstd", "-q", "-1", "-T0", "--rm", "-f", plain, "-o", corpus.documents], check=True)
    # Written last: a corpus without it is unfinished.
    facts_file.write_text(json.dumps(corpus.facts, indent=1))
    return corpus


def build(work: Path) -> Path:
    target = work / "corpus-target"
    command = ["cargo", "build", "--release", "--locked", "--manifest-path", GENERATOR / "Cargo.toml"]
    subprocess.run([*map(str, command), "--target-dir", str(target)], check=True)
    return target / "release" / "lookalike-bench-corpus"


def source_digest() -> str:
    digest = hashlib.sha256()
    for file in sorted([GENERATOR / "Cargo.lock", *GENERATOR.glob("src/*.rs")]):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def file_digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
