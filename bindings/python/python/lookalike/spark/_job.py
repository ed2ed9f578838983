"""The job: sign, group, compare, cluster, tell."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from lookalike.errors import InputError
from lookalike.spark import _steps
from lookalike.spark._assign import assign
from lookalike.spark._decided import Decided
from lookalike.spark._steps import is_own

if TYPE_CHECKING:
    from lookalike import _lookalike
    from lookalike.spark._work import Work

FULL = 256
"""Of larger buckets each document is compared with a few only, as everywhere."""
KEYS_AT_ONCE = 500_000
"""Keys that are grouped together, about."""
DECIDE, MEASURE, DIFFER, DECIDED = 0, 1, 2, 3
FEW = 32
"""With so many others copies are compared before their master is known."""

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
        self.engine_sorts = _steps.sorts(work.spark)
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

    def _sign(self) -> None:
        from pyspark.sql import functions as F

        def sign(rows: Any, known: bool) -> Any:
            numbered = rows.select("row", F.spark_partition_id().alias("partition"))
            return self.map(numbered, "sign", _steps.SIGNED, known=known)

        self.signed = self.work.stage("signed", _steps.SIGNED, lambda: sign(self.rows, False))
        known = self.known
        if known is not None:
            more = self.work.stage("signed-known", _steps.SIGNED, lambda: sign(known, True))
            self.signed = self.signed.unionByName(more)
        own = is_own("number")
        one = F.lit(1)
        counted = self.signed.agg(
            F.count(F.when(own, one)),
            F.count(F.when(~own, one)),
            F.count("reason"),
            F.count(F.when(own & F.col("digest").isNull(), one)),
            F.count(F.when(own & ~F.col("signed"), one)),
        ).collect()[0]
        self.counts.update(zip(("documents", "against", "rejected", "empty", "unsigned"), counted, strict=True))

    def _groups(self, rows: Any, by: str, keys: float) -> Any:
        """Pairs of documents that share a key, and members of crowds."""
        places = max(self.limits.places, math.ceil(keys / KEYS_AT_ONCE))
        routed = self.map(rows, "route", _steps.ROUTED, by=by, places=places)
        return self.map_sorted(routed.repartition("place"), ["place"], "pair", _steps.FOUND, by=by, full=FULL)

    def _group(self) -> None:
        from pyspark.sql import functions as F

        total = self.counts["documents"] + self.counts["against"]
        self.copies = self.work.stage("copies", COPIES, self._copies)
        is_copy = self.copies.select(F.col("copy").alias("number"))
        searched = self.signed.where("digest is not null").select("number", "lookup")
        searched = searched.join(is_copy, "number", "left_anti")
        pairs = []
        if self.plan.crowds_by_signature:
            crowd = self.work.stage("crowds", _steps.FOUND, lambda: self._groups(searched, "signature", total))
            if not crowd.isEmpty():
                members, pivots = self._pivots(crowd, "signature-pivots")
                pairs.append(_with_pivots(members, pivots))
                others = members.join(
                    pivots.select("branch", "bucket", "number"), ["branch", "bucket", "number"], "left_anti"
                )
                skip = others.groupBy("number").agg(F.bit_or(F.expr("shiftleft(1, branch)")).alias("skip"))
                searched = searched.join(skip, "number", "left")
        found = self.work.stage("found", _steps.FOUND, lambda: self._groups(searched, "keys", 16 * total))
        pairs.append(found.where("b is not null").select("a", "b", "found_by", F.lit(None).cast("bigint").alias("hub")))
        crowd = found.where("b is null")
        if not crowd.isEmpty():
            members, pivots = self._pivots(crowd, "pivots")
            pairs.append(_with_pivots(members, pivots))
        self.candidates = self.work.stage("candidates", CANDIDATES, lambda: self._distinct(pairs))

    def _copies(self) -> Any:
        """Documents with the features of another, and the best of those, which stands for them."""
        from pyspark.sql import functions as F

        digests = self.signed.where("digest is not null").select("number", "digest")
        total = self.counts["documents"] + self.counts["against"]
        shared = self.work.stage(
            "shared", "number bigint", lambda: self._groups(digests, "digest", total).select(F.col("a").alias("number"))
        )
        shared = self.signed.join(small(shared, shared.count()), "number")
        shared = shared.select("number", "id", "key", "digest", "order", "text")
        first = F.min(F.struct("order", "number", "id", "key", "text")).alias("best")
        best = shared.groupBy("digest").agg(first)
        copies = shared.join(best, "digest").where(F.col("number") != F.col("best.number"))
        return copies.select(
            F.col("number").alias("copy"), "id", "key", "text", F.col("best.number").alias("representative"),
            F.col("best.id").alias("of_id"), F.col("best.key").alias("of_key"), F.col("best.text").alias("of_text"),
        )  # fmt: skip

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

    def _distinct(self, pairs: list[Any]) -> Any:
        from pyspark.sql import functions as F

        every = pairs[0]
        for more in pairs[1:]:
            every = every.unionByName(more)
        once = every.groupBy("a", "b").agg(F.bit_or("found_by").alias("found_by"), F.max("hub").alias("hub"))
        hub = F.coalesce("hub", "a")
        partner = F.when(hub == F.col("a"), F.col("b")).otherwise(F.col("a"))
        return once.select(hub.alias("hub"), partner.alias("partner"), "found_by", F.lit(DECIDE).alias("ask"))

    def _compared(self, pairs: Any, name: str) -> Any:
        """Brings documents together where they are compared, each once for a hub and many others."""
        from pyspark.sql import functions as F

        def place() -> Any:
            places = self.map_sorted(pairs.repartition("hub"), ["hub"], "hubs", _steps.PLACES)
            return places.join(self.signed.select("number", "key"), "number").select(
                "key", "number", "hub", "part", "partners"
            )

        places = self.work.stage(f"{name}-places", PLACED, place)

        def verify() -> Any:
            count = places.count()
            needed = self._filter(places.select("key"), count)
            texts = self.map(self.rows, "texts", self.row_schema(self.rows), filter=needed, turned=False)
            if self.known is not None:
                known = self.map(self.known, "texts", self.row_schema(self.known), filter=needed, turned=False)
                texts = texts.unionByName(known)
            here = texts.join(small(places, count), "key").repartition("hub", "part")
            here = here.select("number", "hub", "part", "partners", "row", F.isnull("partners").alias("is_partner"))
            return self.map_sorted(here, ["hub", "part", "is_partner"], "verify", _steps.VERIFIED)

        return self.work.stage(name, _steps.VERIFIED, verify)

    def _filter(self, keys: Any, count: int) -> bytes:
        """Lets documents pass that are needed, and few others, so that no other text is moved."""
        size = min(self.limits.filter_bytes, 1 << max(13, math.ceil(math.log2(2 * count + 1))))
        some = self.map(keys, "filter", _steps.FILTER, bytes=size)
        merged = self.map(some.repartition("slot"), "filter", _steps.FILTER, bytes=size)
        bits = bytearray(size)
        for slot, part in merged.collect():
            start = slot * _steps.SLOT
            bits[start : start + _steps.SLOT] = bytes(part)
        return bytes(bits)

    @staticmethod
    def row_schema(rows: Any) -> str:
        """What the step ``texts`` makes of rows."""
        return f"key binary, row {rows.schema['row'].dataType.simpleString()}"

    def _verify(self) -> None:
        from pyspark.sql import functions as F

        asked = self.candidates
        differing = self._differing()
        if not differing.isEmpty():
            asked = asked.unionByName(self.work.stage("differing", CANDIDATES, lambda: self._with_partners(differing)))
        verified = self._compared(asked, "verified")
        told = verified.groupBy("ask", F.when(F.col("ask") == -2, F.col("a")).alias("branch")).agg(
            F.count("*").alias("rows"),
            # Other rows have numbers of documents there, whose sum is none.
            F.sum(F.when(F.col("ask") < 0, F.col("a"))).alias("first"),
            F.sum(F.when(F.col("ask") < 0, F.col("b"))).alias("second"),
        )
        found = {(row["ask"], row["branch"]): row for row in told.collect()}
        counted = found.get((-1, None))
        self._check(counted["first"] if counted else 0, asked)
        self.counts["candidates"] = counted["second"] if counted else 0
        self.proposed = {branch: row["second"] for (ask, branch), row in found.items() if ask == -2}
        self.edges = verified.where("ask = 0")
        self.differences = verified.where(f"ask = {DIFFER}")
        self.found_by = self._found_by() if len(self.plan.branches) > 1 else []
        self.counts["verified"] = found[DECIDE, None]["rows"] if (DECIDE, None) in found else 0
        self.decisions: dict[str, int] | None = None
        if self.plan.decisions is not None:
            self._decide()

    def _found_by(self) -> list[dict[str, Any]]:
        """Which method of an ensemble found what."""
        told = {row[0]: row[1] for row in self.edges.groupBy("found_by").count().collect()}
        every = sum(told.values())
        methods = []
        for branch, method in enumerate(self.plan.branches):
            pairs = sum(count for bits, count in told.items() if bits >> branch & 1)
            methods.append(
                {"method": method, "candidates": self.proposed.get(branch, 0), "pairs": pairs, "only": told.get(1 << branch, 0),
                 "missed": every - pairs}
            )  # fmt: skip
        return methods

    def _decide(self) -> None:
        """What people said replaces what was found. They decide about contents, which exact copies share."""
        decided = Decided(self.plan, self.signed, self.copies)
        self.decisions = decided.counts
        if not decided.last_word:
            return
        said = [(a, b, duplicate) for (a, b), duplicate in decided.last_word.items()]
        frame = self.work.spark.createDataFrame(said, "a bigint, b bigint, duplicate boolean")
        pairs = _asked(frame.where("duplicate"), "a", "b", DECIDED)
        edges = self.edges.join(frame.select("a", "b"), ["a", "b"], "left_anti").select(*self.edges.columns)
        if any(decided.last_word.values()):
            edges = edges.unionByName(self._compared(pairs, "decided").where(f"ask = {DECIDED}"))
        self.edges = self.work.stage("edges", _steps.VERIFIED, lambda: edges)
        self.counts["verified"] = self.edges.count()

    def _check(self, compared: int, pairs: Any) -> None:
        if compared != pairs.count():
            raise InputError(
                "documents are not what they were when the job began: the input must stay the same until it ends"
            )

    def _cluster(self) -> None:
        from pyspark.sql import functions as F

        self.assigned = assign(self.work, self.plan, self.edges, self.counts["verified"], self.limits.pairs_at_once)
        assigned = _pair(self.assigned, "member", "master")
        known = self.edges.select("a", "b", "similarity", "evidence", "id_a", "id_b", "key_a", "key_b")
        more = self._second(assigned)
        if more is not None:
            known = known.unionByName(more.where(f"ask = {MEASURE}").select(*known.columns))
            self.differences = self.differences.unionByName(more.where(f"ask = {DIFFER}"))
        is_a = F.col("member") == F.col("a")
        near = assigned.join(known, ["a", "b"]).select(
            "member", "master", "similarity", "evidence",
            F.when(is_a, F.col("id_a")).otherwise(F.col("id_b")).alias("id"),
            F.when(is_a, F.col("id_b")).otherwise(F.col("id_a")).alias("keeper"),
            F.when(is_a, F.col("key_a")).otherwise(F.col("key_b")).alias("key"),
        )  # fmt: skip
        nothing = F.lit(None).cast("binary").alias("differs")

        def removals() -> Any:
            alone = near.select(
                "member", F.col("member").alias("representative"), "master", "id", "keeper", "key", "similarity",
                "evidence", nothing,
            )  # fmt: skip
            copies = self.copies.where(is_own("copy"))
            of = near.select(
                F.col("member").alias("representative"), "master", "similarity", "evidence",
                F.col("keeper").alias("of_keeper"),
            )  # fmt: skip
            joined = copies.join(of, "representative", "left").select(
                F.col("copy").alias("member"), "representative",
                F.coalesce("master", "representative").alias("master"), "id",
                F.coalesce("of_keeper", "of_id").alias("keeper"), "key", F.coalesce("similarity", F.lit(1.0)).alias("similarity"),
                "evidence",
            )  # fmt: skip
            told = self.differences.select("a", "b", F.col("evidence").alias("differs"))
            pair = (F.least("member", "master") == F.col("a")) & (F.greatest("member", "master") == F.col("b"))
            return alone.unionByName(joined.join(told, pair, "left").drop("a", "b"))

        self.removals = self.work.stage("removals", REMOVALS, removals)

    def _second(self, assigned: Any) -> Any:
        """What else must be compared: members that only a chain links with their master, and copies whose texts are not
        the same."""
        from pyspark.sql import functions as F

        asked = []
        if self.plan.clustering != "star":
            missing = assigned.join(self.edges.select("a", "b"), ["a", "b"], "left_anti")
            asked.append(_asked(missing, "master", "member", MEASURE))
        differing = self._differing()
        if not differing.isEmpty():
            masters = self.assigned.select(F.col("member").alias("representative"), "master")
            missing = _pair(differing.join(masters, "representative"), "master", "copy")
            missing = missing.join(self.differences.select("a", "b"), ["a", "b"], "left_anti")
            asked.append(_asked(missing, "master", "copy", DIFFER))
        if not asked:
            return None
        every = asked[0]
        for more in asked[1:]:
            every = every.unionByName(more)
        pairs = self.work.stage("asked", CANDIDATES, lambda: every)
        if pairs.isEmpty():
            return None
        compared = self._compared(pairs, "further")
        self._check(compared.where("ask = -1").agg(F.sum("a")).collect()[0][0] or 0, pairs)
        return compared

    def _differing(self) -> Any:
        """Exact copies whose texts are not the same, or which have streams, and those that stand for them."""
        from pyspark.sql import functions as F

        copies = self.copies.where((F.col("text") != F.col("of_text")) | (F.col("text").bitwiseAND(F.lit(1)) != 0))
        own = is_own("copy", "representative")
        return copies.where(own).select("copy", "representative")

    def _with_partners(self, differing: Any) -> Any:
        """Asks how these copies differ from what stands for them, and from what that is compared with: among it is the
        master, if there is another. Where that is very many, it is asked when the master is known."""
        from pyspark.sql import functions as F

        ends = [
            self.candidates.select(F.col(one).alias("representative"), F.col(other).alias("partner"))
            for one, other in (("hub", "partner"), ("partner", "hub"))
        ]
        partners = ends[0].unionByName(ends[1]).join(differing.select("representative").distinct(), "representative")
        few = partners.groupBy("representative").count().where(f"count <= {FEW}").select("representative")
        near = differing.join(partners.join(few, "representative"), "representative")
        return _asked(differing, "representative", "copy", DIFFER).unionByName(_asked(near, "partner", "copy", DIFFER))


class Limits:
    """How much is done at once."""

    def __init__(self, places: int = 8, filter_bytes: int = 32 << 20, pairs_at_once: int = 2_000_000) -> None:
        self.places = places
        self.filter_bytes = filter_bytes
        self.pairs_at_once = pairs_at_once


def _pair(rows: Any, one: str, other: str) -> Any:
    """Rows with the numbers of two documents, the smaller as ``a``."""
    from pyspark.sql import functions as F

    return rows.withColumn("a", F.least(one, other)).withColumn("b", F.greatest(one, other))


def _asked(pairs: Any, hub: str, partner: str, ask: int) -> Any:
    from pyspark.sql import functions as F

    return pairs.select(
        F.col(hub).alias("hub"), F.col(partner).alias("partner"), F.lit(0).alias("found_by"), F.lit(ask).alias("ask")
    )


def _with_pivots(members: Any, pivots: Any) -> Any:
    """Each member of a crowd with its pivots."""
    from pyspark.sql import functions as F

    pivot = F.col("pivot")
    named = pivots.select("branch", "bucket", F.col("number").alias("pivot"))
    both = members.join(named, ["branch", "bucket"]).where(F.col("number") != pivot)
    both = both.where(is_own("number", "pivot"))
    return both.select(
        F.least("number", "pivot").alias("a"), F.greatest("number", "pivot").alias("b"),
        F.expr("shiftleft(1, branch)").alias("found_by"), pivot.alias("hub"),
    )  # fmt: skip


def small(rows: Any, count: int) -> Any:
    """Rows that are sent to every executor if they are few, so that the many others stay where they are."""
    from pyspark.sql import functions as F

    return F.broadcast(rows) if count <= 1_500_000 else rows
