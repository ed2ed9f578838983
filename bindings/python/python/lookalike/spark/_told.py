"""What was found, as rows for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lookalike.spark import _frames, _steps
from lookalike.spark._frames import small
from lookalike.spark._steps import is_own

if TYPE_CHECKING:
    from lookalike.spark._job import Job


def removed(job: Job) -> Any:
    """The documents that go, each with its evidence."""
    return job.map(job.alone(job.removals, job.counts["removed"]), "removed", _steps.REMOVED)


def pairs(job: Job) -> Any:
    """Verified pairs, and each exact copy with the one that stands for it."""
    from pyspark.sql import functions as F

    most = job.counts["verified"] + job.counts["copies rows"]
    columns = ["a", "b", "id_a", "id_b", "similarity", "evidence"]
    own = is_own("copy", "representative")
    is_a = F.col("copy") < F.col("representative")
    copies = job.alone(job.copies, most).where(own).select(
        F.least("copy", "representative").alias("a"), F.greatest("copy", "representative").alias("b"),
        F.when(is_a, F.col("id")).otherwise(F.col("of_id")).alias("id_a"),
        F.when(is_a, F.col("of_id")).otherwise(F.col("id")).alias("id_b"), F.lit(1.0).alias("similarity"),
    )  # fmt: skip
    copies = copies.join(job.alone(job.differences.select("a", "b", "evidence"), most), ["a", "b"], "left")
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
    return job.map_sorted(job.together(members, job.counts["removed"], "master"), by, "clusters", _steps.CLUSTERS)


def kinds(job: Job) -> dict[str, int]:
    """How many of the documents that go differ in what from those that stay, and which streams contradict."""
    from pyspark.sql import functions as F

    every = F.concat(F.coalesce("difference", F.array().cast("array<string>")), "contradict")
    counted = removed(job).select(F.explode(every).alias("kind")).groupBy("kind").count()
    return {kind: count for kind, count in counted.collect()}


def cluster_count(job: Job) -> int:
    """How many clusters there are."""
    from pyspark.sql import functions as F

    removals = job.alone(job.removals, job.counts["removed"])
    count: int = removals.agg(F.count_distinct("master")).collect()[0][0]
    return count


def kept(job: Job, whole: Any) -> Any:
    """The rows that stay, with all columns. ``whole``: a DataFrame with all of them in the column ``row``."""
    from pyspark.sql import functions as F

    texts = _steps.texts(_steps.row_type(whole))
    keyed = job.map(whole, "texts", texts)
    gone, removed = job.removals.select("key"), job.counts["removed"]
    if removed <= job.limits.few:
        kept = job.map(whole, "without", texts, keys=_steps.told(gone))
    else:
        kept = keyed.join(small(gone, removed), "key", "left_anti")
    rows = "row.*" if whole.schema["row"].dataType.typeName() == "struct" else F.col("row").alias("value")
    kept = kept.select(rows)
    if not job.counts["copies twins"]:
        return kept
    # Rows that cannot be told apart, of which one stays.
    twins = job.copies.where(_frames.is_twin()).select("key", "representative").distinct()
    stays = twins.join(job.assigned.select(F.col("member").alias("representative")), "representative", "left_anti")
    stays = stays.select("key").distinct()
    return kept.unionByName(keyed.join(stays, "key", "left_semi").dropDuplicates(["key"]).select(rows))
