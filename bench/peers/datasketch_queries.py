"""datasketch as an online index: an in-memory MinHashLSH, asked for one document after the other.

Filling it is not timed.  A query is timed from the text to the matches: shingles, signature, look-up, and the estimate
for each candidate.  Prints one JSON object.
"""

import argparse
import itertools
import json
import time

import common
import xxhash
from datasketch import MinHash, MinHashLSH

EMPTY = MinHash(num_perm=common.HASHES, hashfunc=xxhash.xxh32_intdigest)


def sketch_of(text: str) -> MinHash:
    sketch = EMPTY.copy()
    sketch.update_batch([shingle.encode() for shingle in common.shingles(text)])
    return sketch


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--documents", type=int, required=True, help="how many of the corpus are in the index")
    parser.add_argument("--queries", required=True)
    args = parser.parse_args()
    index = MinHashLSH(params=(common.BANDS, common.ROWS), num_perm=common.HASHES)
    sketches = []
    for _, text in itertools.islice(common.documents(args.corpus), args.documents):
        sketches.append(sketch_of(text))
        index.insert(len(sketches) - 1, sketches[-1], check_duplication=False)
    queries = [text for _, text in common.documents(args.queries)]
    matched = 0
    began = time.perf_counter()
    for text in queries:
        sketch = sketch_of(text)
        matched += any(sketch.jaccard(sketches[other]) >= common.THRESHOLD for other in index.query(sketch))
    seconds = time.perf_counter() - began
    print(json.dumps({"queries": len(queries), "matched": matched, "queries_per_second": len(queries) / seconds}))


if __name__ == "__main__":
    main()
