"""Signatures, and the engine's steps as functions from tables to tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lookalike import _inputs, _lookalike
from lookalike._dedup import recipe_of
from lookalike.table import Table

if TYPE_CHECKING:
    import os
    from typing import TypeAlias

    import numpy as np
    import numpy.typing as npt

    PathLike: TypeAlias = str | os.PathLike[str]


class Signer:
    """Makes of documents what they are found by: digests, signatures, keys.

    >>> signed = Signer("minhash").sign(["one two three four five", "One two three, four five!"])
    >>> first, second = signed.to_list()
    >>> first["digest"] == second["digest"], first["keys"] == second["keys"]
    (True, True)
    """

    def __init__(
        self,
        recipe: _lookalike.Recipe | str | None = None,
        *,
        text: str = "text",
        id: str = "id",
        threads: int | None = None,
        **settings: Any,
    ) -> None:
        if isinstance(recipe, str):
            chosen = recipe_of(None, recipe, **settings)
        else:
            chosen = recipe_of(recipe, **settings)
        self._kernels = _lookalike.Kernels(chosen, {"text": text, "id": id, "threads": threads})

    @property
    def recipe(self) -> _lookalike.Recipe:
        """By which it signs."""
        return self._kernels.recipe

    @property
    def scheme(self) -> str:
        """The id of features, signature and keys: only what the same scheme made can be compared."""
        return self._kernels.scheme

    def sign(self, documents: Any) -> Table:
        """A row for each document: ``digest``, ``signature``, ``keys``, ``keep``, ``size``, and a ``reason`` for what is
        no document."""
        return Table(self._kernels.sign(_table(documents)._native))

    def signatures(self, documents: Any) -> npt.NDArray[np.uint8]:
        """Only the signatures, as an array of NumPy with a row for each document; zeros where there is none."""
        import numpy

        column = self.sign(documents).to_arrow().column("signature").combine_chunks()
        width = column.type.byte_width
        rows = column.fill_null(bytes(width))
        chunks = rows.chunks if hasattr(rows, "chunks") else [rows]
        parts = [
            numpy.frombuffer(chunk.buffers()[1], dtype=numpy.uint8)[
                chunk.offset * width : (chunk.offset + len(chunk)) * width
            ]
            for chunk in chunks
        ]
        flat = numpy.concatenate(parts) if parts else numpy.zeros(0, dtype=numpy.uint8)
        return flat.reshape(-1, width)

    def __repr__(self) -> str:
        return f"Signer({self.scheme})"


def _table(documents: Any) -> Table:
    table = _inputs.table_of(documents)
    if table is None:
        table = _inputs.table_of(list(documents))
    if table is None:
        raise TypeError(f"{type(documents).__name__} is no collection of documents")
    return table
