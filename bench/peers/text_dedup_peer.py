"""text-dedup: its MinHash command with two processes.

Its answer is clusters, without a check of the candidates: pairs are all pairs of a cluster, so chains of similar
documents cost precision.
"""

import pickle
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

import common


def main() -> None:
    args = common.arguments()
    with tempfile.TemporaryDirectory(dir=Path(args.out).parent) as work:
        options = {
            "path": "json",
            "data_files": args.corpus,
            "split": "train",
            "cache_dir": f"{work}/cache",
            "output": f"{work}/output",
            "num_proc": common.WORKERS,
            "column": "text",
            "ngram": common.NGRAM,
            "num_perm": common.HASHES,
            "threshold": common.THRESHOLD,
            "b": common.BANDS,
            "r": common.ROWS,
            "hash_func": "xxh3",
        }
        command = [sys.executable, "-m", "text_dedup.minhash", "--debug"]
        for option, value in options.items():
            command += [f"--{option}", str(value)]
        subprocess.run(command, check=True)
        with open(f"{work}/output/uf.pkl", "rb") as file:
            groups = pickle.load(file)
    clusters = defaultdict(list)
    for document in list(groups.parent):
        clusters[groups.find(document)].append(document)
    ids = [document_id for document_id, _ in common.documents(args.corpus)]
    common.write_pairs(args.out, ids, common.pairs_of_clusters(clusters.values()))


if __name__ == "__main__":
    main()
