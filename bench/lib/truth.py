"""Counts a method's pairs against listed truth.

`pairs.jsonl` names each exact copy with its representative only, and other pairs by representatives.  What a copy is
depends on the method: documents with the same features.  Their similarity is 1, so documents that such pairs connect
are one group, and a pair of two groups counts for all pairs of their documents.  For containment alone 1 does not
mean equal (a part lies wholly within the whole); there, a copy must also have the same words.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path

from lib.judge import Forest, pairs_among, read

Pair = tuple[str, str]


@dataclass
class Truth:
    """Pairs that are to be found, each with a label (or an empty one)."""

    pairs: dict[Pair, str]
    # The pairs that are known to be wrong; None: all that are not right.
    wrong: set[Pair] | None = None
    # How many pairs of each label there are.
    labels: Counter = field(init=False)

    def __post_init__(self) -> None:
        self.labels = Counter(self.pairs.values())


class Reported:
    """The pairs of a run, exact copies expanded."""

    def __init__(self, file: Path, words: dict[str, int] | None = None) -> None:
        """`words` has a digest of each document's words: only documents that agree on it are copies."""
        copies = Forest()
        similar = []
        for record in read(file):
            a, b = record["a"], record["b"]
            if record["similarity"] == 1 and (words is None or words[a] == words[b]):
                copies.join(a, b)
            else:
                similar.append((a, b))
        self.group_of = {item: copies.root(item) for item in list(copies.parent)}
        self.members: dict[str, list[str]] = defaultdict(list)
        for item, group in self.group_of.items():
            self.members[group].append(item)
        across = {ordered(self.group(a), self.group(b)) for a, b in similar}
        # Two copies may also be named as a pair that is merely similar.
        self.across = {pair for pair in across if pair[0] != pair[1]}

    def group(self, item: str) -> str:
        return self.group_of.get(item, item)

    def __contains__(self, pair: Pair) -> bool:
        a, b = self.group(pair[0]), self.group(pair[1])
        return a == b or ordered(a, b) in self.across

    def __len__(self) -> int:
        inside = sum(pairs_among(len(members)) for members in self.members.values())
        return inside + sum(self.size(a) * self.size(b) for a, b in self.across)

    def size(self, group: str) -> int:
        return len(self.members.get(group, [group]))

    def __iter__(self):
        for members in self.members.values():
            for place, a in enumerate(members):
                yield from (ordered(a, b) for b in members[place + 1 :])
        for first, second in self.across:
            for a in self.members.get(first, [first]):
                yield from (ordered(a, b) for b in self.members.get(second, [second]))


def judge(truth: Truth, reported: Reported) -> dict:
    """Returns precision, recall, F1, recall by label, and the mean recall of K04 eq. 2 (see README.md)."""
    right = [pair for pair in truth.pairs if pair in reported]
    if truth.wrong is None:
        found = len(reported)
    else:
        found = len(right) + sum(pair in reported for pair in truth.wrong)
    precision = len(right) / found if found else None
    recall = len(right) / len(truth.pairs) if truth.pairs else None
    verdict = {"true_pairs": len(truth.pairs), "right": len(right), "found": found}
    verdict |= {"precision": precision, "recall": recall, "f1": None, "mean_recall": mean_recall(truth, right)}
    if precision is not None and recall is not None:
        verdict["f1"] = 2 * precision * recall / (precision + recall) if right else 0.0
    by_label = Counter(truth.pairs[pair] for pair in right)
    verdict["by_label"] = {label: [by_label[label], total] for label, total in sorted(truth.labels.items()) if label}
    return verdict


def mean_recall(truth: Truth, right: list[Pair]) -> float | None:
    """The mean over documents of the share of its true partners that were found."""
    partners = Counter(document for pair in truth.pairs for document in pair)
    found = Counter(document for pair in right for document in pair)
    return sum(found[document] / partners[document] for document in partners) / len(partners) if partners else None


def ordered(a: str, b: str) -> Pair:
    return (a, b) if a < b else (b, a)
