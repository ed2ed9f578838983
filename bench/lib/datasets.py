"""Labelled collections: from a folder of `NAME.jsonl.zst` files to documents and truth.

The files stay where they are; what is made of them goes to the work folder and is made again every time.
"""

import itertools
import json
import re
import shutil
import subprocess
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from lib.truth import Truth, ordered

# The resemblance (Jaccard, word 3-grams) from which on a pair of a `NAME.pairs.jsonl.zst` is to be found.
RESEMBLANCE = 0.8
WORD = re.compile(r"\w+")
# Fewer words make no 3-gram, so no pair of such documents can be in the truth.
LEAST_WORDS = 3


@dataclass
class DataSet:
    name: str
    documents: Path
    count: int
    bytes: int
    # A digest of each document's words, by id.
    words: dict[str, int]
    truths: dict[str, Truth]
    # Whether the pairs of the method `cosine` are a second truth.
    by_cosine: bool = False


@dataclass
class Source:
    """How a set is read."""

    truth: object  # function of (folder, name, documents by id) to Truth
    kind: str
    least_words: int = LEAST_WORDS
    by_cosine: bool = False
    tables: tuple[str, ...] = field(default=("methods",))


def resembling(folder: Path, name: str, _: dict) -> Truth:
    pairs = read(folder / f"{name}.pairs.jsonl.zst")
    return Truth({ordered(pair["a"], pair["b"]): "" for pair in pairs if pair["j"] >= RESEMBLANCE})


def variants(_folder: Path, _name: str, documents: dict[str, dict]) -> Truth:
    """Messages in several variants: the label of a pair is the two variants."""
    messages = defaultdict(list)
    for document in documents.values():
        messages[document["cluster"]].append(document)
    pairs = {}
    for members in messages.values():
        for a, b in itertools.combinations(members, 2):
            pairs[ordered(a["id"], b["id"])] = "/".join(sorted((a["variant"], b["variant"])))
    return Truth(pairs)


def planted(folder: Path, name: str, _: dict) -> Truth:
    return Truth({ordered(pair["a"], pair["b"]): "" for pair in read(folder / f"{name}.truth.jsonl.zst")})


def reused(folder: Path, name: str, _: dict) -> Truth:
    """Answers and the source they may have used: nothing is known about pairs of answers."""
    labels = {ordered(pair["a"], pair["b"]): pair["label"] for pair in read(folder / f"{name}.labels.jsonl.zst")}
    right = {pair: label for pair, label in labels.items() if label != "non"}
    return Truth(right, {pair for pair, label in labels.items() if label == "non"})


EVERY_TABLE = ("methods", "imatch", "simhash", "lsbs")
SHINGLES = f"pairs with J ≥ {RESEMBLANCE} of word 3-grams"
SOURCES = {
    "reuters-news": Source(resembling, SHINGLES, by_cosine=True, tables=EVERY_TABLE),
    "20news": Source(resembling, SHINGLES, by_cosine=True, tables=EVERY_TABLE),
    "licences": Source(resembling, SHINGLES, by_cosine=True, tables=EVERY_TABLE),
    "debian-copyright": Source(resembling, SHINGLES, by_cosine=True, tables=EVERY_TABLE),
    # Its truth is about items of at least 25 words; shorter ones are mostly the same filler.
    "reuters21578": Source(resembling, SHINGLES, least_words=25, by_cosine=True, tables=EVERY_TABLE),
    "ota-versions": Source(resembling, SHINGLES, by_cosine=True, tables=EVERY_TABLE),
    "lingspam4": Source(variants, "variants of one message", tables=("methods", "looser", "imatch", "simhash")),
    "minhash-articles": Source(planted, "planted pairs"),
    "clough-stevenson": Source(reused, "answers and the source they used", tables=("methods", "containment")),
}


def load(folder: Path, name: str, work: Path) -> DataSet:
    source = SOURCES[name]
    documents, words = {}, {}
    for document in read(folder / f"{name}.jsonl.zst"):
        found = WORD.findall(document["text"].lower())
        if len(found) >= source.least_words:
            words[document["id"]] = hash(tuple(found))
            documents[document["id"]] = document
    made = work / "documents" / f"{name}.jsonl"
    made.parent.mkdir(parents=True, exist_ok=True)
    with open(made, "w", encoding="utf-8") as file:
        for document in documents.values():
            file.write(json.dumps({"id": document["id"], "text": document["text"]}) + "\n")
    truth = source.truth(folder, name, documents)
    return DataSet(name, made, len(documents), made.stat().st_size, words, {"truth": truth}, source.by_cosine)


def read(path: Path):
    if shutil.which("zstd") is None:
        raise SystemExit("zstd is not here: it is needed to read the collections")
    if not path.is_file():
        raise SystemExit(f"{path} is not there")
    with subprocess.Popen(["zstd", "-dcq", "--long=27", path], stdout=subprocess.PIPE) as unpacked:
        for line in unpacked.stdout:
            yield json.loads(line)
    if unpacked.returncode:
        raise SystemExit(f"{path}: zstd could not read it")
