"""datasketch: MinHash objects, and one MinHashLSH index that is asked for each document before it is added.

The library works in one thread; the signatures are made by two processes, as its users do.  The index would choose
9 bands of 13 rows for this threshold, which misses most pairs near it; hence the explicit bands.  Candidates are
kept when the signatures' estimate reaches the threshold.
"""

from multiprocessing import Pool

import common
import numpy as np
import xxhash
from datasketch import LeanMinHash, MinHash, MinHashLSH

EMPTY = MinHash(num_perm=common.HASHES, hashfunc=xxhash.xxh32_intdigest)


def signatures(batch: list[tuple[str, str]]) -> tuple[list[str], np.ndarray]:
    rows = np.empty((len(batch), common.HASHES), dtype=np.uint32)
    for row, (_, text) in zip(rows, batch):
        sketch = EMPTY.copy()
        sketch.update_batch([shingle.encode() for shingle in common.shingles(text)])
        row[:] = sketch.hashvalues
    return [document_id for document_id, _ in batch], rows


def similar_pairs(index: MinHashLSH, sketches: list[LeanMinHash]):
    for position, sketch in enumerate(sketches):
        for other in index.query(sketch):
            if sketch.jaccard(sketches[other]) >= common.THRESHOLD:
                yield other, position
        index.insert(position, sketch, check_duplication=False)


def main() -> None:
    args = common.arguments()
    ids, sketches = [], []
    with Pool(common.WORKERS) as pool:
        for batch_ids, rows in pool.imap(signatures, common.batches(common.documents(args.corpus), 500)):
            ids.extend(batch_ids)
            sketches.extend(LeanMinHash(seed=1, hashvalues=row, scheme=EMPTY.scheme) for row in rows)
    index = MinHashLSH(params=(common.BANDS, common.ROWS), num_perm=common.HASHES)
    common.write_pairs(args.out, ids, similar_pairs(index, sketches))


if __name__ == "__main__":
    main()
