"""DataFrames of pairs: who is compared with whom, and who stands for whom."""

from __future__ import annotations

from typing import Any

from lookalike.spark._steps import is_own

DECIDE, MEASURE, DIFFER, DECIDED = 0, 1, 2, 3
"""What is asked of a pair."""
FEW = 32
"""With so many others copies are compared before their master is known."""


def pair(rows: Any, one: str, other: str) -> Any:
    """Rows with the numbers of two documents, the smaller as ``a``."""
    from pyspark.sql import functions as F

    return rows.withColumn("a", F.least(one, other)).withColumn("b", F.greatest(one, other))


def asked(pairs: Any, hub: str, partner: str, ask: int) -> Any:
    """Asks something of pairs."""
    from pyspark.sql import functions as F

    return pairs.select(
        F.col(hub).alias("hub"), F.col(partner).alias("partner"), F.lit(0).alias("found_by"), F.lit(ask).alias("ask")
    )


def with_pivots(members: Any, pivots: Any) -> Any:
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


def distinct(pairs: Any) -> Any:
    """Each candidate once, with all that found it, and with the one of the two that is the hub."""
    from pyspark.sql import functions as F

    once = pairs.groupBy("a", "b").agg(F.bit_or("found_by").alias("found_by"), F.max("hub").alias("hub"))
    hub = F.coalesce("hub", "a")
    partner = F.when(hub == F.col("a"), F.col("b")).otherwise(F.col("a"))
    return once.select(hub.alias("hub"), partner.alias("partner"), "found_by", F.lit(DECIDE).alias("ask"))


def copies(rows: Any) -> Any:
    """Documents with the features of another, and the best of those, which stands for them. All with one digest must be in
    one partition."""
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    before = Window.partitionBy("digest").orderBy("order", "number").rowsBetween(Window.unboundedPreceding, 0)
    best = F.first(F.struct("number", "id", "key", "text")).over(before)
    ranked = rows.withColumn("best", best).where(F.col("number") != F.col("best.number"))
    return ranked.select(
        F.col("number").alias("copy"), "id", "key", "text", F.col("best.number").alias("representative"),
        F.col("best.id").alias("of_id"), F.col("best.key").alias("of_key"), F.col("best.text").alias("of_text"),
    )  # fmt: skip


def differs() -> Any:
    """Whether exact copies have texts that are not the same, or streams."""
    from pyspark.sql import functions as F

    texts = (F.col("text") != F.col("of_text")) | (F.col("text").bitwiseAND(F.lit(1)) != 0)
    return texts & is_own("copy", "representative")


def is_twin() -> Any:
    """Whether a copy cannot be told apart from what stands for it."""
    from pyspark.sql import functions as F

    return (F.col("key") == F.col("of_key")) & is_own("representative")


def with_partners(differing: Any, candidates: Any) -> Any:
    """Asks how these copies differ from what stands for them, and from what that is compared with: among it is the
    master, if there is another. Where that is very many, it is asked when the master is known."""
    from pyspark.sql import functions as F

    ends = [
        candidates.select(F.col(one).alias("representative"), F.col(other).alias("partner"))
        for one, other in (("hub", "partner"), ("partner", "hub"))
    ]
    partners = ends[0].unionByName(ends[1]).join(differing.select("representative").distinct(), "representative")
    few = partners.groupBy("representative").count().where(f"count <= {FEW}").select("representative")
    near = differing.join(partners.join(few, "representative"), "representative")
    return asked(differing, "representative", "copy", DIFFER).unionByName(asked(near, "partner", "copy", DIFFER))


def with_evidence(assigned: Any, known: Any) -> Any:
    """Documents that go, with what was found of them and their masters."""
    from pyspark.sql import functions as F

    is_a = F.col("member") == F.col("a")
    return assigned.join(known, ["a", "b"]).select(
        "member", "master", "similarity", "evidence",
        F.when(is_a, F.col("id_a")).otherwise(F.col("id_b")).alias("id"),
        F.when(is_a, F.col("id_b")).otherwise(F.col("id_a")).alias("keeper"),
        F.when(is_a, F.col("key_a")).otherwise(F.col("key_b")).alias("key"),
    )  # fmt: skip


def removals(near: Any, copies: Any, differences: Any) -> Any:
    """All that go: documents that resemble their masters, and copies of them or of masters."""
    from pyspark.sql import functions as F

    alone = near.select(
        "member", F.col("member").alias("representative"), "master", "id", "keeper", "key", "similarity", "evidence",
        F.lit(None).cast("binary").alias("differs"),
    )  # fmt: skip
    of = near.select(
        F.col("member").alias("representative"), "master", "similarity", "evidence", F.col("keeper").alias("of_keeper")
    )
    joined = copies.where(is_own("copy")).join(of, "representative", "left").select(
        F.col("copy").alias("member"), "representative", F.coalesce("master", "representative").alias("master"), "id",
        F.coalesce("of_keeper", "of_id").alias("keeper"), "key",
        F.coalesce("similarity", F.lit(1.0)).alias("similarity"), "evidence",
    )  # fmt: skip
    told = differences.select("a", "b", F.col("evidence").alias("differs"))
    is_pair = (F.least("member", "master") == F.col("a")) & (F.greatest("member", "master") == F.col("b"))
    return alone.unionByName(joined.join(told, is_pair, "left").drop("a", "b"))


def small(rows: Any, count: int) -> Any:
    """Rows that are sent to every executor if they are few, so that the many others stay where they are."""
    from pyspark.sql import functions as F

    return F.broadcast(rows) if count <= 1_500_000 else rows
