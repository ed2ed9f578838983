"""The engine's steps as functions from Arrow tables to Arrow tables, for engines that group by keys themselves.

They hold no state beyond the recipe, release the interpreter's lock, and compute what a batch run computes.
"""

from __future__ import annotations

from typing import Any

from lookalike import _lookalike
from lookalike.signing import Signer, _table
from lookalike.table import Table


def sign(
    documents: Any, recipe: _lookalike.Recipe, *, text: str = "text", id: str = "id", threads: int | None = None
) -> Table:
    """What each document is found by: digest, signature, keys, keep scores, size, or why it is none."""
    return Signer(recipe, text=text, id=id, threads=threads).sign(documents)


def candidates(members: Any) -> Table:
    """Pairs the members of buckets: all with each other or, in a crowd, each with a few pivots.

    In: ``bucket`` (uint64), ``document`` and ``digest`` (16 bytes), ``rank`` (uint64); out: ``a``, ``b``, ``bucket``.
    """
    return Table(_lookalike.Kernels.candidates(_table(members)._native))


def compare(
    left: Any, right: Any, recipe: _lookalike.Recipe, *, text: str = "text", threads: int | None = None
) -> Table:
    """Compares the rows of two tables one by one: ``duplicate``, ``similarity``, containments, ``difference``."""
    kernels = _lookalike.Kernels(recipe, {"text": text, "threads": threads})
    return Table(kernels.compare(_table(left)._native, _table(right)._native))


def cluster(edges: Any, documents: Any, recipe: _lookalike.Recipe) -> Table:
    """Clusters documents by verified pairs.

    In: edges with ``a``, ``b`` (16 bytes) and ``similarity``; documents with ``document`` and ``rank``. Out: ``document``,
    ``master``, ``similarity``.
    """
    kernels = _lookalike.Kernels(recipe, {})
    return Table(kernels.cluster(_table(edges)._native, _table(documents)._native))
