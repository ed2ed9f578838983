"""Compares reported pairs with the truth.

Documents with the same set of 5-grams are one group.  A reported pair of documents of two groups counts for all
pairs of the two groups, and pairs inside a group count as far as reported pairs connect its documents.  So a tool
that names one document for all its exact copies and a tool that lists every pair are judged alike.

Groups too big to list pair by pair (lines with "group" in the truth) are left out of precision and recall; for them
it is told how many of their documents the reported pairs join.
"""

import json
from collections import Counter
from pathlib import Path


class Forest:
    """Union-find."""

    def __init__(self) -> None:
        self.parent: dict[str, str] = {}

    def root(self, item: str) -> str:
        parent = self.parent
        parent.setdefault(item, item)
        while parent[item] != item:
            parent[item] = parent[parent[item]]
            item = parent[item]
        return item

    def join(self, a: str, b: str) -> None:
        a, b = self.root(a), self.root(b)
        if a != b:
            self.parent[max(a, b)] = min(a, b)

    def sizes(self) -> Counter:
        return Counter(self.root(item) for item in list(self.parent))


class Truth:
    def __init__(self, path: Path) -> None:
        copies = Forest()
        similar = []
        self.big_group_of: dict[str, int] = {}
        self.big_groups = 0
        for record in read(path):
            if "group" in record:
                self.big_group_of |= dict.fromkeys(record["group"], self.big_groups)
                self.big_groups += 1
            elif record["j"] == 1:
                copies.join(record["a"], record["b"])
            else:
                similar.append((record["a"], record["b"]))
        self.group_of = {item: copies.root(item) for item in list(copies.parent)}
        self.size = copies.sizes()
        self.pairs = {self.key(a, b) for a, b in similar}
        self.total = sum(map(self.weight, self.pairs)) + sum(map(pairs_among, self.size.values()))

    def key(self, a: str, b: str) -> tuple[str, str]:
        a, b = self.group_of.get(a, a), self.group_of.get(b, b)
        return (a, b) if a < b else (b, a)

    def weight(self, pair: tuple[str, str]) -> int:
        return self.size.get(pair[0], 1) * self.size.get(pair[1], 1)


def judge(truth: Truth, reported: Path) -> dict:
    """Returns precision, recall, the number of reported lines, and how far big groups are joined."""
    lines = 0
    across = set()
    inside = Forest()
    big = [Forest() for _ in range(truth.big_groups)]
    for record in read(reported):
        lines += 1
        a, b = record["a"], record["b"]
        group = truth.big_group_of.get(a)
        if group is not None and group == truth.big_group_of.get(b):
            big[group].join(a, b)
            continue
        pair = truth.key(a, b)
        if pair[0] == pair[1]:
            inside.join(a, b)
        else:
            across.add(pair)
    right = sum(map(pairs_among, inside.sizes().values()))
    right += sum(truth.weight(pair) for pair in across & truth.pairs)
    wrong = sum(truth.weight(pair) for pair in across - truth.pairs)
    verdict = {
        "lines": lines,
        "true_pairs": truth.total,
        "found_true": right,
        "found_false": wrong,
        "precision": round(right / (right + wrong), 5) if right + wrong else None,
        "recall": round(right / truth.total, 5) if truth.total else None,
    }
    if big:
        members = Counter(truth.big_group_of.values())
        joined = [max(forest.sizes().values(), default=0) for forest in big]
        verdict["big_groups"] = [{"documents": members[n], "joined": joined[n]} for n in range(len(big))]
    return verdict


def pairs_among(members: int) -> int:
    return members * (members - 1) // 2


def read(path: Path):
    with open(path, "rb") as lines:
        for line in lines:
            yield json.loads(line)
