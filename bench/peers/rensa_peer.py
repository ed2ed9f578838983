"""rensa: full-set R-MinHash sketches, and one RMinHashLSH index that is asked for all documents.

Its faster rho sketch only flags documents and depends on the order of words, so it cannot give pairs.  Cutting the
text into 5-grams is left to Python and takes most of the time; two processes do it and make the sketches.
Candidates are kept when the sketches' estimate reaches the threshold.
"""

from multiprocessing import Pool

import common
from rensa import RMinHash, RMinHashLSH

SEED = 42


def sketches_of(batch: list[tuple[str, str]]) -> tuple[list[str], list[RMinHash]]:
    token_sets = [common.shingles(text) for _, text in batch]
    sketches = RMinHash.from_token_sets(token_sets, num_perm=common.HASHES, seed=SEED)
    return [document_id for document_id, _ in batch], sketches


def similar_pairs(index: RMinHashLSH, sketches: list[RMinHash]):
    for position, candidates in enumerate(index.query_all(sketches)):
        for other in candidates:
            if other < position and sketches[position].jaccard(sketches[other]) >= common.THRESHOLD:
                yield other, position


def main() -> None:
    args = common.arguments()
    ids, sketches = [], []
    with Pool(common.WORKERS) as pool:
        for batch_ids, batch in pool.imap(sketches_of, common.batches(common.documents(args.corpus), 500)):
            ids.extend(batch_ids)
            sketches.extend(batch)
    index = RMinHashLSH(threshold=common.THRESHOLD, num_perm=common.HASHES, num_bands=common.BANDS)
    index.insert_many(sketches)
    common.write_pairs(args.out, ids, similar_pairs(index, sketches))


if __name__ == "__main__":
    main()
