"""The job: sign, group, compare, cluster, tell."""

from __future__ import annotations

import math
from functools import reduce
from typing import TYPE_CHECKING, Any

from lookalike.errors import InputError
from lookalike.spark import _frames, _steps
from lookalike.spark._assign import assign
from lookalike.spark._decided import Decided
from lookalike.spark._frames import DECIDE, DECIDED, DIFFER, MEASURE, small
from lookalike.spark._steps import is_own

if TYPE_CHECKING:
    from collections.abc import Callable

    from lookalike import _lookalike
    from lookalike.spark._work import Work

FULL = 256
"""Of larger buckets each document is compared with a few only, as everywhere."""
KEYS_AT_ONCE = 500_000
"""Keys that are grouped together, about."""

COPIES = "copy bigint, id string, key binary, text bigint, representative bigint, of_id string, of_key binary, of_text bigint"
CANDIDATES = "hub bigint, partner bigint, found_by int, ask int"
PLACED = "key binary, number bigint, hub bigint, part int, partners binary"
REMOVALS = (
    "member bigint, representative bigint, master bigint, id string, keeper string, key binary, similarity double,"
    " evidence binary, differs binary"
)


class Job:
    """What is found among the documents of DataFrames, stage by stage. Everything is told by numbers until the end."""

    def __init__(self, work: Work, plan: _lookalike.Plan, rows: Any, known: Any, limits: Limits) -> None:
        self.work = work
        self.plan = plan
        self.rows = rows
        self.known = known
        self.limits = limits
        self.counts: dict[str, int] = {}
        self.engine_sorts = work.is_classic or _steps.sorts(work.spark)
        self._sign()
        self._group()
        self._verify()
        self._cluster()

    def map(self, rows: Any, name: str, schema: str, **options: Any) -> Any:
        """A step over the partitions of a DataFrame."""
        return rows.mapInArrow(_steps.step(self.plan, name, **options), schema)

    def map_sorted(self, rows: Any, order: list[str], name: str, schema: str, **options: Any) -> Any:
        """Over partitions whose rows are sorted; descending by a column whose name begins with a minus."""
        from pyspark.sql import functions as F

        if not self.engine_sorts:
            return self.map(rows, name, schema, sort=order, **options)
        columns = [F.desc(column[1:]) if column.startswith("-") else F.asc(column) for column in order]
        return self.map(rows.sortWithinPartitions(*columns), name, schema, **options)

    def together(self, rows: Any, count: int, *by: str) -> Any:
        """Brings together rows that are alike in some columns. Few rows, which were read from a stage, are taken by one
        executor: that needs no shuffle."""
        return rows.coalesce(1) if count <= self.limits.few else rows.repartition(*by)

    def alone(self, rows: Any, count: int) -> Any:
        """Few rows of a stage are read by one executor, so that it can group and join them without a shuffle, and without
        sending any of them to all others first."""
        return rows.coalesce(1).hint("shuffle_hash") if count <= self.limits.few else rows

    def _sign(self) -> None:
        from pyspark.sql import functions as F

        own = is_own("number")
        one = F.lit(1)
        counted = {
            "documents": F.count(F.when(own, one)),
            "against": F.count(F.when(~own, one)),
            "rejected": F.count("reason"),
            "empty": F.count(F.when(own & F.col("digest").isNull(), one)),
            "unsigned": F.count(F.when(own & ~F.col("signed"), one)),
        }

        def sign(rows: Any, known: bool) -> Any:
            numbered = rows.select("row", F.spark_partition_id().alias("partition"))
            return self.map(numbered, "sign", _steps.SIGNED, known=known)

        self.signed = self.work.stage("signed", _steps.SIGNED, lambda: sign(self.rows, False), **counted)
        self.counts.update(self.work.counts["signed"])
        known = self.known
        if known is not None:
            more = self.work.stage("signed-known", _steps.SIGNED, lambda: sign(known, True), **counted)
            self.signed = self.signed.unionByName(more)
            self.counts.update(
                (name, self.counts[name] + more) for name, more in self.work.counts["signed-known"].items()
            )
        self.total = self.counts["documents"] + self.counts["against"]

    def _groups(self, rows: Any, by: str, keys: float) -> Any:
        """Pairs of documents that share a key, and members of crowds."""
        places = max(self.limits.places, math.ceil(keys / KEYS_AT_ONCE))
        routed = self.map(rows, "route", _steps.ROUTED, by=by, places=places)
        return self.map_sorted(routed.repartition("place"), ["place"], "pair", _steps.FOUND, by=by, full=FULL)

    def _group(self) -> None:
        from pyspark.sql import functions as F

        one = F.lit(1)
        own = is_own("copy", "representative")
        self.copies = self.work.stage(
            "copies", COPIES, self._copies, rows=F.count(one), own=F.count(F.when(own, one)),
            differing=F.count(F.when(_frames.differs(), one)), twins=F.count(F.when(_frames.is_twin(), one)),
        )  # fmt: skip
        self.counts.update((f"copies {name}", count) for name, count in self.work.counts["copies"].items())
        is_copy = small(self.copies.select(F.col("copy").alias("number")), self.counts["copies rows"])
        searched = self.signed.where("digest is not null").select("number", "lookup")
        if self.counts["copies rows"]:
            searched = searched.join(is_copy, "number", "left_anti")
        crowds = []
        if self.plan.crowds_by_signature:
            crowd = self.work.stage(
                "crowds", _steps.FOUND, lambda: self._groups(searched, "signature", self.total), rows=F.count(one)
            )
            if self.work.counts["crowds"]["rows"]:
                members, pivots = self._pivots(crowd, "signature-pivots")
                crowds.append(_frames.with_pivots(members, pivots))
                others = members.join(
                    pivots.select("branch", "bucket", "number"), ["branch", "bucket", "number"], "left_anti"
                )
                skip = others.groupBy("number").agg(F.bit_or(F.expr("shiftleft(1, branch)")).alias("skip"))
                searched = searched.join(skip, "number", "left")
        found = self.work.stage(
            "found", _steps.FOUND, lambda: self._groups(searched, "keys", 16 * self.total),
            pairs=F.count("b"), members=F.count(F.when(F.col("b").isNull(), one)),
        )  # fmt: skip
        counted = self.work.counts["found"]
        if counted["members"]:
            members, pivots = self._pivots(found.where("b is null"), "pivots")
            crowds.append(_frames.with_pivots(members, pivots))
        pairs = found.where("b is not null").select("a", "b", "found_by", F.lit(None).cast("bigint").alias("hub"))
        if not crowds and counted["pairs"] <= min(self.limits.pairs_at_once, 4 * self.limits.few):
            # A pair is found under several keys.
            pairs = pairs.coalesce(1)
        pairs = reduce(lambda some, more: some.unionByName(more), crowds, pairs)
        self.candidates = self.work.stage("candidates", CANDIDATES, lambda: _frames.distinct(pairs), rows=F.count(one))

    def _copies(self) -> Any:
        """Documents with the features of another, and the best of those, which stands for them."""
        from pyspark.sql import functions as F

        signed = self.signed.where("digest is not null")
        every = signed.select("number", "id", "key", "digest", "order", "text")
        if self.total <= self.limits.few:
            return _frames.copies(every.coalesce(1))
        digests = signed.select("number", "digest")
        shared = self.work.stage(
            "shared", "number bigint",
            lambda: self._groups(digests, "digest", self.total).select(F.col("a").alias("number")), rows=F.count(F.lit(1)),
        )  # fmt: skip
        shared = small(shared, self.work.counts["shared"]["rows"])
        return _frames.copies(every.join(shared, "number").repartition("digest"))

    def _pivots(self, crowd: Any, name: str) -> tuple[Any, Any]:
        """The members of crowds, and those that all others are compared with."""
        from pyspark.sql import functions as F

        members = crowd.select(F.col("found_by").alias("branch"), "bucket", F.col("a").alias("number"))

        def make() -> Any:
            known = members.join(self.signed.select("number", "digest", "order"), "number")
            some = self.map(
                known.select("branch", "bucket", "number", "digest", "order"), "pivots", _steps.PIVOTS, last=False
            )
            return self.map(some.repartition("bucket"), "pivots", _steps.PIVOTS, last=True)

        return members, self.work.stage(name, _steps.PIVOTS, make)

    def _compared(self, pairs: Any, count: int, name: str) -> Any:
        """Brings documents together where they are compared, each once for a hub and many others."""
        from pyspark.sql import functions as F

        def place() -> Any:
            most = max(count, self.total)
            signed = self.alone(self.signed.select("number", "key"), most)
            places = self.map_sorted(self.together(pairs, most, "hub"), ["hub"], "hubs", _steps.PLACES)
            return places.join(signed, "number").select("key", "number", "hub", "part", "partners")

        one = F.lit(1)
        places = self.work.stage(f"{name}-places", PLACED, place, rows=F.count(one))

        def verify() -> Any:
            count = self.work.counts[f"{name}-places"]["rows"]
            sources = [rows for rows in (self.rows, self.known) if rows is not None]
            if count <= self.limits.few:
                told = _steps.told(places)
                here = self._each(sources, "bring", lambda row: f"{_steps.PLACES}, row {row}", places=told)
            else:
                needed = self._filter(places.select("key"), count)
                texts = self._each(sources, "needed", _steps.texts, filter=needed)
                here = texts.join(small(places, count), "key")
            here = here.repartition("hub", "part")
            here = here.select("number", "hub", "part", "partners", "row", F.isnull("partners").alias("is_partner"))
            return self.map_sorted(here, ["hub", "part", "is_partner"], "verify", _steps.VERIFIED)

        ask = F.col("ask")
        # Rows of counts have these where others have numbers of documents.
        counted = {f"of {branch}": F.sum(F.when((ask == -2) & (F.col("a") == branch), F.col("b")))
                   for branch in range(len(self.plan.branches))}  # fmt: skip
        verified = self.work.stage(
            name, _steps.VERIFIED, verify, compared=F.sum(F.when(ask == -1, F.col("a"))),
            candidates=F.sum(F.when(ask == -1, F.col("b"))), verified=F.count(F.when(ask == DECIDE, one)), **counted,
        )  # fmt: skip
        if self.work.counts[name]["compared"] != count:
            raise InputError(
                "documents are not what they were when the job began: the input must stay the same until it ends"
            )
        return verified

    def _filter(self, keys: Any, count: int) -> bytes:
        """Lets documents pass that are needed, and few others, so that no other text is moved."""
        size = min(self.limits.filter_bytes, 1 << max(13, math.ceil(math.log2(2 * count + 1))))
        merged = self.map(self.alone(keys, count), "filter", _steps.FILTER, bytes=size)
        if count > self.limits.few:
            merged = self.map(merged.repartition("slot"), "filter", _steps.FILTER, bytes=size)
        bits = bytearray(size)
        for slot, part in merged.collect():
            start = slot * _steps.SLOT
            bits[start : start + _steps.SLOT] = bytes(part)
        return bytes(bits)

    def _each(self, sources: list[Any], name: str, schema: Callable[[str], str], **options: Any) -> Any:
        """A step over the rows of all sources."""
        mapped = [self.map(rows, name, schema(_steps.row_type(rows)), **options) for rows in sources]
        return reduce(lambda some, more: some.unionByName(more), mapped)

    def _verify(self) -> None:
        from pyspark.sql import functions as F

        asked, count = self.candidates, self.work.counts["candidates"]["rows"]
        if self.counts["copies differing"]:
            asked = asked.unionByName(
                self.work.stage("differing", CANDIDATES, self._with_partners, rows=F.count(F.lit(1)))
            )
            count += self.work.counts["differing"]["rows"]
        verified = self._compared(asked, count, "verified")
        counted = self.work.counts["verified"]
        self.counts.update({name: counted[name] for name in ("candidates", "verified")})
        self.proposed = [counted[f"of {branch}"] for branch in range(len(self.plan.branches))]
        self.edges = verified.where("ask = 0")
        self.differences = verified.where(f"ask = {DIFFER}")
        self.found_by = self._found_by() if len(self.plan.branches) > 1 else []
        self.decisions: dict[str, int] | None = None
        if self.plan.decisions is not None:
            self._decide()

    def _with_partners(self) -> Any:
        count = max(self.work.counts["candidates"]["rows"], self.counts["copies rows"])
        return _frames.with_partners(self.alone(self._differing(), count), self.alone(self.candidates, count))

    def _found_by(self) -> list[dict[str, Any]]:
        """Which method of an ensemble found what."""
        told = {row[0]: row[1] for row in self.edges.groupBy("found_by").count().collect()}
        every = sum(told.values())
        methods = []
        for branch, method in enumerate(self.plan.branches):
            pairs = sum(count for bits, count in told.items() if bits >> branch & 1)
            methods.append(
                {"method": method, "candidates": self.proposed[branch], "pairs": pairs, "only": told.get(1 << branch, 0),
                 "missed": every - pairs}
            )  # fmt: skip
        return methods

    def _decide(self) -> None:
        """What people said replaces what was found. They decide about contents, which exact copies share."""
        from pyspark.sql import functions as F

        decided = Decided(self.plan, self.signed, self.copies)
        self.decisions = decided.counts
        if not decided.last_word:
            return
        said = [(a, b, duplicate) for (a, b), duplicate in decided.last_word.items()]
        frame = self.work.spark.createDataFrame(said, "a bigint, b bigint, duplicate boolean")
        pairs = _frames.asked(frame.where("duplicate"), "a", "b", DECIDED)
        count = sum(decided.last_word.values())
        edges = self.edges.join(frame.select("a", "b"), ["a", "b"], "left_anti").select(*self.edges.columns)
        if count:
            edges = edges.unionByName(self._compared(pairs, count, "decided").where(f"ask = {DECIDED}"))
        self.edges = self.work.stage("edges", _steps.VERIFIED, lambda: edges, rows=F.count(F.lit(1)))
        self.counts["verified"] = self.work.counts["edges"]["rows"]

    def _cluster(self) -> None:
        from pyspark.sql import functions as F

        verified, copies = self.counts["verified"], self.counts["copies rows"]
        self.assigned = assign(self.work, self.plan, self.edges, verified, self.limits.pairs_at_once)
        most = max(verified, copies)
        assigned = _frames.pair(self.alone(self.assigned, most), "member", "master")
        known = self.edges.select("a", "b", "similarity", "evidence", "id_a", "id_b", "key_a", "key_b")
        more = self._second(assigned)
        if more is not None:
            known = known.unionByName(more.where(f"ask = {MEASURE}").select(*known.columns))
            self.differences = self.differences.unionByName(more.where(f"ask = {DIFFER}"))
        self.removals = self.work.stage(
            "removals", REMOVALS,
            lambda: _frames.removals(
                _frames.with_evidence(assigned, self.alone(known, most)), self.alone(self.copies, most),
                self.alone(self.differences, most),
            ),
            rows=F.count(F.lit(1)), copies=F.count(F.when(F.col("representative") == F.col("master"), F.lit(1))),
        )  # fmt: skip
        self.counts["removed"] = self.work.counts["removals"]["rows"]

    def _second(self, assigned: Any) -> Any:
        """What else must be compared: members that only a chain links with their master, and copies whose texts are not
        the same."""
        from pyspark.sql import functions as F

        most = max(self.counts["verified"], self.counts["copies rows"])
        asked = []
        if self.plan.clustering != "star":
            missing = assigned.join(self.alone(self.edges.select("a", "b"), most), ["a", "b"], "left_anti")
            asked.append(_frames.asked(missing, "master", "member", MEASURE))
        if self.counts["copies differing"]:
            masters = self.alone(self.assigned, most).select(F.col("member").alias("representative"), "master")
            differing = self.alone(self._differing(), most)
            missing = _frames.pair(differing.join(masters, "representative"), "master", "copy")
            differences = self.alone(self.differences.select("a", "b"), most)
            missing = missing.join(differences, ["a", "b"], "left_anti")
            asked.append(_frames.asked(missing, "master", "copy", DIFFER))
        if not asked:
            return None
        every = reduce(lambda some, more: some.unionByName(more), asked)
        pairs = self.work.stage("asked", CANDIDATES, lambda: every, rows=F.count(F.lit(1)))
        count = self.work.counts["asked"]["rows"]
        return self._compared(pairs, count, "further") if count else None

    def _differing(self) -> Any:
        """Exact copies whose texts are not the same, or which have streams, and those that stand for them."""
        return self.copies.where(_frames.differs()).select("copy", "representative")


class Limits:
    """How much is done at once."""

    def __init__(
        self, places: int = 8, filter_bytes: int = 32 << 20, pairs_at_once: int = 2_000_000, few: int = 500_000
    ) -> None:
        self.places = places
        self.filter_bytes = filter_bytes
        self.pairs_at_once = pairs_at_once
        self.few = few
        """So many rows of a stage are taken by one executor, or told to all, instead of being moved between many."""
