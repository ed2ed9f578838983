"""Tables of results."""

from __future__ import annotations

import html
import json
from typing import TYPE_CHECKING, Any

from lookalike import _lookalike

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

#: How many rows a table shows of itself.
SHOWN_ROWS = 10


class Table:
    """Rows and columns in Arrow's layout, which PyArrow, Polars, pandas, DuckDB and others take as they are.

    It is in memory, or is read from files whenever it is asked for.

    >>> table = Table.from_rows([{"id": 1, "text": "one"}, {"id": 2, "text": "two"}])
    >>> len(table), table.column_names
    (2, ['id', 'text'])
    >>> table.to_list()[1]
    {'id': 2, 'text': 'two'}
    """

    __slots__ = ("_native",)

    def __init__(self, native: _lookalike.Table) -> None:
        self._native = native

    @classmethod
    def from_arrow(cls, data: Any) -> Table:
        """A table of anything that has ``__arrow_c_stream__`` or ``__arrow_c_array__``, without a copy."""
        return cls(_lookalike.Table.from_arrow(data))

    @classmethod
    def from_rows(cls, rows: Any) -> Table:
        """A table of dicts, or of texts, which become the column ``text``; all must be valid Unicode."""
        rows = rows if isinstance(rows, (list, tuple)) else list(rows)
        if all(isinstance(row, str) for row in rows):
            return cls(_lookalike.Table.from_texts(rows))
        return cls(_lookalike.Table.from_json_lines(json_lines(rows)))

    @property
    def column_names(self) -> list[str]:
        """The names of the columns."""
        return self._native.column_names

    @property
    def num_rows(self) -> int:
        """How many rows there are."""
        return self._native.num_rows

    def __len__(self) -> int:
        return self._native.num_rows

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.to_list())

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._native.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._native.__arrow_c_schema__()

    def to_arrow(self) -> Any:
        """As a table of PyArrow."""
        import pyarrow  # type: ignore[import-untyped, unused-ignore]

        return pyarrow.table(self)

    def to_polars(self) -> pl.DataFrame:
        """As a frame of Polars."""
        import polars

        return polars.DataFrame(self)

    def to_pandas(self) -> Any:
        """As a frame of pandas, by way of PyArrow."""
        return self.to_arrow().to_pandas()

    def to_list(self, limit: int | None = None) -> list[dict[str, Any]]:
        """As dicts: what JSON has, so that times are seconds since 1970."""
        return [json.loads(line) for line in self._native.to_json_lines(limit).splitlines()]

    def __repr__(self) -> str:
        columns = zip(self._native.column_names, self._native.column_types, strict=True)
        return f"Table of {self.num_rows} rows: {', '.join(f'{name} ({kind})' for name, kind in columns)}"

    def _repr_html_(self) -> str:
        rows = self.to_list(SHOWN_ROWS)
        names = self.column_names
        head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(_cell(row.get(name)))}</td>" for name in names) + "</tr>"
            for row in rows
        )
        more = self.num_rows - len(rows)
        note = f"<p>and {more:,} more rows</p>" if more > 0 else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{note}"


def _cell(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 120 else text[:119] + "…"


def json_lines(rows: Any) -> bytes:
    """Documents as lines of JSON: each is a dict, or a text. A text that is not valid Unicode is an error."""
    return b"".join([_dumped(row, number).encode() for number, row in enumerate(rows)])


def json_line(row: Any, number: int) -> bytes:
    """One document as a line of JSON."""
    line = _dumped(row, number)
    try:
        return line.encode()
    except UnicodeEncodeError:
        # A lone surrogate is no text; escaped it reaches the engine, which rejects the document and counts it.
        return json.dumps(json.loads(line)).encode() + b"\n"


def _dumped(row: Any, number: int) -> str:
    record = {"text": row} if isinstance(row, str) else row
    if not isinstance(record, dict):
        raise TypeError(f"document {number} is {type(row).__name__}; a text or a dict is needed")
    try:
        return json.dumps(record, ensure_ascii=False, allow_nan=False) + "\n"
    except (TypeError, ValueError) as error:
        raise TypeError(f"document {number} cannot be written as JSON: {error}") from error
