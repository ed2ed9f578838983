"""gaoya: one MinHashStringIndex, filled and then asked in bulk, which uses all cores.

Its own analyzer splits at white space only, so Python joins the `\\w+` words with spaces first.  The index keeps
no way back to a stored signature, so asking for all documents makes all signatures a second time.  It drops
candidates whose estimate is below the threshold itself.
"""

import os

import common

os.environ.setdefault("RAYON_NUM_THREADS", str(common.WORKERS))
import gaoya  # noqa: E402  (reads the number of threads when loaded)


def main() -> None:
    args = common.arguments()
    index = gaoya.minhash.MinHashStringIndex(
        hash_size=32,
        jaccard_threshold=common.THRESHOLD,
        num_bands=common.BANDS,
        band_size=common.ROWS,
        analyzer="word",
        ngram_range=(common.NGRAM, common.NGRAM),
        id_container="smallvec",
    )
    ids, texts = [], []
    for document_id, text in common.documents(args.corpus):
        ids.append(document_id)
        texts.append(" ".join(common.words(text)))
    index.par_bulk_insert_docs(list(range(len(ids))), texts)
    common.write_pairs(args.out, ids, similar_pairs(index, texts))


def similar_pairs(index, texts: list[str]):
    position = 0
    for batch in common.batches(texts, 10_000):
        for found in index.par_bulk_query(batch):
            yield from ((other, position) for other in found if other < position)
            position += 1


if __name__ == "__main__":
    main()
