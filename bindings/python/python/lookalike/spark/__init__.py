"""Near-duplicates in DataFrames of Spark, with the answer that one machine gives.

The job uses the DataFrame API alone, so it runs on Spark, through Spark Connect, and on engines that speak its protocol.
"""

from __future__ import annotations

from lookalike.spark._dedup import Result, dedup
from lookalike.spark._job import Limits

__all__ = ["Limits", "Result", "dedup"]
