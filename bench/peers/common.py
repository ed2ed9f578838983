"""What the peers' scripts share: arguments, reading the corpus, words and 5-grams, writing pairs.

All peers get the same settings: word 5-grams of lower-cased `\\w+` words, 128 hashes, threshold 0.8, and 16 bands
of 8 rows (a pair with J = 0.8 shares a band with a probability of 95 %) where the band sizes are the user's choice.
"""

import argparse
import json
import re
import time

import orjson

HASHES = 128
BANDS = 16
ROWS = HASHES // BANDS
THRESHOLD = 0.8
NGRAM = 5
WORKERS = 2

WORD = re.compile(r"\w+")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--out", required=True)
    return parser.parse_args()


def documents(corpus: str):
    """Yields (id, text)."""
    with open(corpus, "rb") as lines:
        for line in lines:
            record = orjson.loads(line)
            yield record["id"], record["text"]


def batches(items, size: int):
    batch = []
    for item in items:
        batch.append(item)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch


def words(text: str) -> list[str]:
    return WORD.findall(text.lower())


def shingles(text: str) -> list[str]:
    """The text's word 5-grams; a shorter text is one shingle."""
    w = words(text)
    if len(w) < NGRAM:
        return [" ".join(w)]
    return [" ".join(gram) for gram in zip(w, w[1:], w[2:], w[3:], w[4:])]


def write_pairs(out: str, ids: list[str], pairs) -> None:
    """Writes each pair of positions once, as ids with a < b."""
    with open(out, "w", encoding="utf-8") as file:
        for x, y in pairs:
            a, b = sorted((ids[x], ids[y]))
            file.write(json.dumps({"a": a, "b": b}) + "\n")


def pairs_of_clusters(clusters):
    """Every pair of every cluster: for libraries whose answer is clusters, not pairs."""
    for members in clusters:
        for i, x in enumerate(members):
            for y in members[i + 1 :]:
                yield x, y


def time_signing(sign) -> dict:
    """Signs the texts of a file, in the best of some rounds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--texts", required=True, help="JSON lines, a text each")
    parser.add_argument("--rounds", type=int, required=True)
    args = parser.parse_args()
    with open(args.texts, "rb") as lines:
        texts = [orjson.loads(line) for line in lines]
    best = float("inf")
    for _ in range(args.rounds):
        began = time.perf_counter()
        sign(texts)
        best = min(best, time.perf_counter() - began)
    return {"texts": len(texts), "texts_per_second": len(texts) / best}
