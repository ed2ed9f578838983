"""Decisions of people, by the numbers that documents have in a job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lookalike.spark._steps import OWN

if TYPE_CHECKING:
    from lookalike import _lookalike


class Decided:
    """Which contents people called duplicates or not, and how many of the decisions apply. They are few; documents that they
    name are collected, no others."""

    def __init__(self, plan: _lookalike.Plan, signed: Any, copies: Any) -> None:
        from pyspark.sql import functions as F

        pairs, keepers = plan.decisions or ([], 0)
        here: dict[int, tuple[int, bool]] = {}
        changed = set()
        for number, digest, said in signed.where("said is not null").select("number", "digest", "said").collect():
            for name in map(int, said.split(",")):
                if name < 0:
                    changed.add(-name - 1)
                elif name not in here or here[name][0] < number:
                    here[name] = (number, digest is None)
        numbers = sorted({number for number, _ in here.values()})
        stands_for: dict[int, int] = {}
        if numbers:
            some = copies.where(F.col("copy").isin(numbers)).select("copy", "representative")
            stands_for = {copy: representative for copy, representative in some.collect()}
        self.counts = {"used": 0, "stale": 0, "unknown": 0, "undecidable": 0}
        self.last_word: dict[tuple[int, int], bool] = {}
        for place, duplicate in enumerate(pairs):
            names = (2 * place, 2 * place + 1)
            if any(name not in here and name not in changed for name in names):
                self.counts["unknown"] += 1
            elif any(name not in here for name in names):
                self.counts["stale"] += 1
            else:
                self._decide([here[name] for name in names], stands_for, duplicate)
        for name in range(2 * len(pairs), 2 * len(pairs) + keepers):
            self.counts["used" if name in here else "stale" if name in changed else "unknown"] += 1

    def _decide(self, ends: list[tuple[int, bool]], stands_for: dict[int, int], duplicate: bool) -> None:
        a, b = sorted(stands_for.get(number, number) for number, _ in ends)
        is_empty = any(empty for _, empty in ends)
        if a == b or is_empty or not (a | b) & OWN:
            self.counts["undecidable"] += 1
            return
        self.counts["used"] += 1
        self.last_word[a, b] = duplicate
