"""daft: its `minhash` expression over a DataFrame, on all cores; the bands are grouped here with numpy.

Candidates are kept when the signatures' estimate reaches the threshold.
"""

import common
import daft
import numpy as np
from daft import col
from daft.functions import lower, minhash, regexp_replace, strip


def signatures(corpus: str) -> tuple[list[str], np.ndarray]:
    spaced_words = strip(regexp_replace(lower(col("text")), r"\W+", " "))
    sketch = minhash(spaced_words, num_hashes=common.HASHES, ngram_size=common.NGRAM, hash_function="xxhash")
    table = daft.read_json(corpus).select(col("id"), sketch.alias("sketch")).to_arrow()
    flat = table["sketch"].combine_chunks().flatten().to_numpy()
    return table["id"].to_pylist(), flat.reshape(-1, common.HASHES)


def candidates(sketches: np.ndarray) -> np.ndarray:
    """The pairs that agree in a whole band, each once."""
    found = set()
    for start in range(0, common.HASHES, common.ROWS):
        band = np.ascontiguousarray(sketches[:, start : start + common.ROWS])
        keys = band.view(np.dtype((np.void, band.itemsize * common.ROWS))).ravel()
        order = np.argsort(keys, kind="stable")
        is_first = np.append(True, keys[order][1:] != keys[order][:-1])
        starts = np.append(np.flatnonzero(is_first), len(order))
        for first in np.flatnonzero(np.diff(starts) > 1):
            found.update(common.pairs_of_clusters([order[starts[first] : starts[first + 1]].tolist()]))
    return np.array(sorted(found), dtype=np.int64).reshape(-1, 2)


def main() -> None:
    args = common.arguments()
    ids, sketches = signatures(args.corpus)
    pairs = candidates(sketches)
    kept = []
    for part in np.array_split(pairs, max(1, len(pairs) // 100_000)):
        estimate = (sketches[part[:, 0]] == sketches[part[:, 1]]).mean(axis=1)
        kept.extend(part[estimate >= common.THRESHOLD].tolist())
    common.write_pairs(args.out, ids, kept)


if __name__ == "__main__":
    main()
