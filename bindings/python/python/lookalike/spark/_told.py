"""What was found, as rows for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lookalike.spark import _steps
from lookalike.spark._job import small
from lookalike.spark._steps import is_own

if TYPE_CHECKING:
    from lookalike.spark._job import Job


def removed(job: Job) -> Any:
    """The documents that go, each with its evidence."""
    return job.map(job.removals, "removed", _steps.REMOVED)


def pairs(job: Job) -> Any:
    """Verified pairs, and each exact copy with the one that stands for it."""
    from pyspark.sql import functions as F

    columns = ["a", "b", "id_a", "id_b", "similarity", "evidence"]
    own = is_own("copy", "representative")
    is_a = F.col("copy") < F.col("representative")
    copies = job.copies.where(own).select(
        F.least("copy", "representative").alias("a"), F.greatest("copy", "representative").alias("b"),
        F.when(is_a, F.col("id")).otherwise(F.col("of_id")).alias("id_a"),
        F.when(is_a, F.col("of_id")).otherwise(F.col("id")).alias("id_b"), F.lit(1.0).alias("similarity"),
    )  # fmt: skip
    copies = copies.join(job.differences.select("a", "b", "evidence"), ["a", "b"], "left")
    every = job.edges.select(*columns).unionByName(copies.select(*columns))
    return job.map(every, "pairs", _steps.PAIRS)


def clusters(job: Job) -> Any:
    """Clusters with all their members."""
    from pyspark.sql import functions as F

    exact = F.col("representative") == F.col("master")
    members = job.removals.select(
        "master",
        "keeper",
        "id",
        "member",
        F.when(exact, F.lit(1.0)).otherwise(F.col("similarity")).alias("similarity"),
    )
    by = ["master", "-similarity", "member"]
    return job.map_sorted(members.repartition("master"), by, "clusters", _steps.CLUSTERS)


def kept(job: Job, whole: Any) -> Any:
    """The rows that stay, with all columns. ``whole``: a DataFrame with all of them in the column ``row``."""
    from pyspark.sql import functions as F

    gone = job.removals.select("key").distinct()
    # Rows that cannot be told apart, of which one stays.
    own = is_own("representative")
    twins = job.copies.where((F.col("key") == F.col("of_key")) & own).select("key", "representative").distinct()
    keyed = job.map(whole, "texts", job.row_schema(whole), filter=None, turned=False)
    rows = "row.*" if whole.schema["row"].dataType.typeName() == "struct" else F.col("row").alias("value")
    kept = keyed.join(small(gone, job.counts["removed"]), "key", "left_anti").select(rows)
    if twins.isEmpty():
        return kept
    stays = twins.join(job.assigned.select(F.col("member").alias("representative")), "representative", "left_anti")
    stays = stays.select("key").distinct()
    return kept.unionByName(keyed.join(stays, "key", "left_semi").dropDuplicates(["key"]).select(rows))
