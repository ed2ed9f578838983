"""The Python package at work, run by the interpreter that has it: used by bench/python.

    package.py arrow CORPUS.jsonl OUT.arrow          the corpus as an Arrow stream
    package.py read TABLE                            reads a table (.arrow or .jsonl)
    package.py dedup TABLE [PAIRS.jsonl]             reads a table, removes near-duplicates, writes the pairs
    package.py check TABLE FOLDER QUERIES.jsonl      fills an index, then asks it in one thread
    package.py sign TEXTS.jsonl ROUNDS               signs texts

What was measured goes to the file that the environment names in TOLD, as JSON.
"""

import itertools
import json
import os
import sys
import time
from pathlib import Path

THREADS = 2
THRESHOLD = 0.8
BATCH = 2000


def schema():
    import pyarrow as pa

    return pa.schema([("id", pa.string()), ("text", pa.string())])


def arrow(corpus: str, out: str) -> dict:
    import pyarrow as pa
    from pyarrow import ipc

    with open(corpus, "rb") as lines, ipc.new_stream(out, schema()) as stream:
        while rows := [json.loads(line) for line in itertools.islice(lines, 10_000)]:
            stream.write_table(pa.Table.from_pylist(rows, schema()))
    return {}


def table_of(path: str):
    if path.endswith(".jsonl"):
        from pyarrow import json as arrow_json

        wanted = arrow_json.ParseOptions(explicit_schema=schema(), unexpected_field_behavior="ignore")
        return arrow_json.read_json(path, parse_options=wanted)
    from pyarrow import ipc

    # Not mapped: the table is to be in the memory of this process.
    with open(path, "rb") as file:
        return ipc.open_stream(file).read_all()


def read(path: str) -> dict:
    table = table_of(path)
    return {"documents": len(table), "table_mb": table.nbytes / 1e6}


def dedup(path: str, pairs: str | None = None) -> dict:
    import lookalike as la

    began = time.perf_counter()
    table = table_of(path)
    has_read = time.perf_counter()
    result = la.dedup(table, text="text", id="id", threshold=THRESHOLD, threads=THREADS)
    # Lazy results count when they are there.
    removed = len(result.removed.to_arrow())
    done = time.perf_counter()
    if pairs:
        import pyarrow as pa

        found = pa.table(result.pairs)
        with open(pairs, "w", encoding="utf-8") as out:
            for a, b in zip(found["a"].to_pylist(), found["b"].to_pylist()):
                out.write(json.dumps({"a": a, "b": b}) + "\n")
    return {"documents": len(table), "removed": removed, "read_s": has_read - began, "dedup_s": done - has_read}


def check(path: str, folder: str, queries: str) -> dict:
    import lookalike as la

    index = la.Index.create(folder, la.Recipe("minhash"))
    table = table_of(path)
    for start in range(0, len(table), BATCH):
        index.add(table.slice(start, BATCH))
    del table
    # As the example in Rust does: what an index does in the background after it was filled is another matter.
    index.close()
    index = la.Index.open(folder)
    with open(queries, "rb") as lines:
        texts = [json.loads(line)["text"] for line in lines]
    matched = 0
    began = time.perf_counter()
    for text in texts:
        matched += index.check(text)["matching"] > 0
    seconds = time.perf_counter() - began
    return {"queries": len(texts), "matched": matched, "queries_per_second": len(texts) / seconds}


def sign(path: str, rounds: str) -> dict:
    import lookalike as la

    with open(path, "rb") as lines:
        texts = [json.loads(line) for line in lines]
    signer = la.Signer(la.Recipe("minhash"))
    best = float("inf")
    for _ in range(int(rounds)):
        began = time.perf_counter()
        signatures = signer.sign(texts)
        best = min(best, time.perf_counter() - began)
    if len(signatures) != len(texts):
        raise SystemExit(f"{len(signatures)} signatures of {len(texts)} texts")
    return {"texts": len(texts), "texts_per_second": len(texts) / best}


if __name__ == "__main__":
    job = {"arrow": arrow, "read": read, "dedup": dedup, "check": check, "sign": sign}[sys.argv[1]]
    told = job(*sys.argv[2:])
    Path(os.environ["TOLD"]).write_text(json.dumps(told))
