"""datatrove: the first three stages of its MinHash pipeline, in the local executor with two workers.

Its answer is clusters, without a check of the candidates: pairs are all pairs of a cluster, so chains of similar
documents cost precision.  Its readers share out whole files, so the corpus is first cut into two.  Its English
tokenizer is replaced by `\\w+`, which is faster and gives the words that all others compare.
"""

import struct
import tempfile
from collections import defaultdict
from pathlib import Path

import common
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.dedup import MinhashDedupCluster, MinhashDedupSignature
from datatrove.pipeline.dedup.minhash import MinhashConfig, MinhashDedupBuckets
from datatrove.pipeline.readers import JsonlReader
from datatrove.utils.text import TextNormConfig
from datatrove.utils.word_tokenizers import WordTokenizer

ONLY_LOWER_CASE = TextNormConfig(
    norm_whitespace=False, remove_punctuation=False, norm_unicode_diacritics=False, norm_numbers=False
)


class RegexTokenizer(WordTokenizer):
    def word_tokenize(self, text: str) -> list[str]:
        return common.WORD.findall(text)

    def sent_tokenize(self, text: str) -> list[str]:
        return [text]

    def span_tokenize(self, text: str) -> list[tuple[int, int]]:
        return [(0, len(text))]


def split(corpus: str, folder: Path) -> list[list[str]]:
    """Cuts the corpus into one file a worker and returns the ids of each."""
    folder.mkdir()
    ids = [[] for _ in range(common.WORKERS)]
    parts = [open(folder / f"{part}.jsonl", "wb") for part in range(common.WORKERS)]
    with open(corpus, "rb") as lines:
        for number, line in enumerate(lines):
            parts[number % common.WORKERS].write(line)
            ids[number % common.WORKERS].append(common.orjson.loads(line)["id"])
    for part in parts:
        part.close()
    return ids


def run(pipeline: list, tasks: int, logs: Path) -> None:
    LocalPipelineExecutor(pipeline, tasks=tasks, workers=min(tasks, common.WORKERS), logging_dir=str(logs)).run()


def clusters(folder: Path):
    members = defaultdict(list)
    for file in folder.glob("*.clusters"):
        for document, cluster in struct.iter_unpack("<2I", file.read_bytes()):
            members[cluster].append((int(file.stem), document))
    return members.values()


def main() -> None:
    args = common.arguments()
    config = MinhashConfig(
        n_grams=common.NGRAM,
        num_buckets=common.BANDS,
        hashes_per_bucket=common.ROWS,
        norm_config=ONLY_LOWER_CASE,
    )
    with tempfile.TemporaryDirectory(dir=Path(args.out).parent) as name:
        work = Path(name)
        ids = split(args.corpus, work / "input")
        signatures = MinhashDedupSignature(str(work / "signatures"), config=config, language=RegexTokenizer())
        run([JsonlReader(str(work / "input")), signatures], common.WORKERS, work / "logs1")
        buckets = MinhashDedupBuckets(str(work / "signatures"), str(work / "buckets"), config=config)
        run([buckets], common.BANDS, work / "logs2")
        cluster = MinhashDedupCluster(str(work / "buckets"), str(work / "clusters"), config=config, save_cluster_id=True)
        run([cluster], 1, work / "logs3")
        by_place = {(part, n): document for part, of_part in enumerate(ids) for n, document in enumerate(of_part)}
        common.write_pairs(args.out, by_place, common.pairs_of_clusters(clusters(work / "clusters")))


if __name__ == "__main__":
    main()
