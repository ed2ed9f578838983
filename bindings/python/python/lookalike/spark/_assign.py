"""Masters of clusters, however many pairs there are."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from lookalike.spark import _steps

if TYPE_CHECKING:
    from lookalike import _lookalike
    from lookalike.spark._work import Work


def assign(work: Work, plan: _lookalike.Plan, edges: Any, count: int, most: int) -> Any:
    """``member`` and ``master`` of the documents that go, from verified pairs with the keep order of both ends.

    Up to ``most`` pairs are clustered by one executor. Of more, what the best documents decide is settled round by round
    until so few are left: the result is the same, since each document's part depends on better ones alone.
    """
    if count <= most:
        return work.stage("assigned", _steps.ASSIGNED, lambda: _by_one(plan, edges.coalesce(1)))
    if plan.clustering == "star":
        return work.stage("assigned", _steps.ASSIGNED, lambda: _stars(work, plan, edges, most))
    return work.stage("assigned", _steps.ASSIGNED, lambda: _components(work, edges))


def _by_one(plan: _lookalike.Plan, edges: Any) -> Any:
    """Of pairs that are in one partition."""
    columns = edges.select("a", "b", "similarity", "order_a", "order_b")
    return columns.mapInArrow(_steps.step(plan, "assign"), _steps.ASSIGNED)


def _stars(work: Work, plan: _lookalike.Plan, edges: Any, most: int) -> Any:
    from pyspark.sql import functions as F

    is_better = F.col("order_a") < F.col("order_b")
    is_same = F.col("order_a") == F.col("order_b")
    first = is_better | (is_same & (F.col("a") < F.col("b")))
    directed = work.stage(
        "directed",
        "better bigint, worse bigint, similarity double, order binary",
        lambda: edges.select(
            F.when(first, F.col("a")).otherwise(F.col("b")).alias("better"),
            F.when(first, F.col("b")).otherwise(F.col("a")).alias("worse"),
            "similarity",
            F.when(first, F.col("order_a")).otherwise(F.col("order_b")).alias("order"),
        ),
    )
    # Pairs of which neither end is settled.
    open_pairs = directed.select("better", "worse")
    left, turn, gone = None, 0, []
    while left is None or left > most:
        turn += 1
        members = work.stage(f"members-{turn}", "worse bigint", partial(_next_to_masters, open_pairs))
        gone.append(members)
        open_pairs = work.stage(
            f"open-{turn}",
            "better bigint, worse bigint",
            partial(_without, open_pairs, members),
            rows=F.count(F.lit(1)),
        )
        left = work.counts[f"open-{turn}"]["rows"]
    if left:
        rest = directed.join(open_pairs, ["better", "worse"], "left_semi")
        orders = (
            edges.select(F.col("a").alias("n"), F.col("order_a").alias("o"))
            .unionByName(edges.select(F.col("b").alias("n"), F.col("order_b").alias("o")))
            .distinct()
        )
        rest = rest.select(
            F.col("better").alias("a"), F.col("worse").alias("b"), "similarity", F.col("order").alias("order_a")
        ).join(orders.select(F.col("n").alias("b"), F.col("o").alias("order_b")), "b")
        gone.append(_by_one(plan, rest.repartition(1)).select(F.col("member").alias("worse")))
    members = gone[0]
    for more in gone[1:]:
        members = members.unionByName(more)
    members = work.stage("members", "worse bigint", members.distinct)
    # Each joins the master that it resembles most; of equals, the best.
    place = F.struct((-F.col("similarity")).alias("far"), "order", "better")
    return (
        directed.join(members, "worse", "left_semi")
        .join(members.select(F.col("worse").alias("better")), "better", "left_anti")
        .groupBy("worse")
        .agg(F.min(place).alias("best"))
        .select(F.col("worse").alias("member"), F.col("best.better").alias("master"))
    )


def _next_to_masters(pairs: Any) -> Any:
    """Those that nobody better resembles are masters; who resembles one of them is none."""
    from pyspark.sql import functions as F

    others = pairs.select(F.col("worse").alias("better")).distinct()
    masters = pairs.select("better").distinct().join(others, "better", "left_anti")
    return pairs.join(masters, "better", "left_semi").select("worse").distinct()


def _without(pairs: Any, members: Any) -> Any:
    """The pairs that nothing is known of yet."""
    from pyspark.sql import functions as F

    pairs = pairs.join(members, "worse", "left_anti")
    return pairs.join(members.select(F.col("worse").alias("better")), "better", "left_anti").select("better", "worse")


def _components(work: Work, edges: Any) -> Any:
    """Everything that hangs together, by letting each point to the best that it or its neighbours know."""
    from pyspark.sql import functions as F

    ends = edges.select("a", "b", "order_a", "order_b")
    both = ends.unionByName(ends.select(F.col("b").alias("a"), F.col("a").alias("b"), F.col("order_b").alias("order_a"),
                                        F.col("order_a").alias("order_b")))  # fmt: skip
    links = both.select(F.col("a").alias("from"), F.col("b").alias("to"))
    best = F.struct(F.col("order_a").alias("order"), F.col("a").alias("number"))
    schema = "member bigint, best struct<order: binary, number: bigint>"
    labels = work.stage(
        "labels-0", schema, lambda: both.select(F.col("a").alias("member"), best.alias("best")).distinct()
    )
    turn, before = 0, None
    while True:
        turn += 1
        labels = work.stage(f"labels-{turn}", schema, partial(_spread, labels, links))
        # The labels only ever get better, so an unchanged sum of numbers over unchanged members means the end.
        now = labels.agg(F.sum(F.xxhash64("member", "best.number").cast("decimal(38,0)"))).collect()[0][0]
        if now == before:
            break
        before = now
    return labels.where((F.col("member") != F.col("best.number")) & _steps.is_own("member")).select(
        "member", F.col("best.number").alias("master")
    )


def _spread(labels: Any, links: Any) -> Any:
    """Each takes the best label of its neighbours, and then the label that its label has."""
    from pyspark.sql import functions as F

    told = links.join(labels.select(F.col("member").alias("from"), "best"), "from")
    told = told.select(F.col("to").alias("member"), "best").unionByName(labels)
    better = told.groupBy("member").agg(F.min("best").alias("best"))
    of_label = better.select(F.col("member").alias("number"), F.col("best").alias("further"))
    jumped = better.withColumn("number", F.col("best.number")).join(of_label, "number", "left")
    return jumped.select("member", F.least("best", F.coalesce("further", "best")).alias("best"))
