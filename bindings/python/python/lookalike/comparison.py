"""Comparing two documents."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Any

from lookalike import _lookalike


class Comparison(Mapping[str, Any]):
    """Every measure, what each method says, what two documents share and where they differ.

    In a notebook it shows the two side by side, with what they share marked.
    """

    def __init__(self, answer: str, texts: tuple[str, str] | None) -> None:
        self._answer = answer
        self._texts = texts
        self._read: dict[str, Any] | None = None

    @property
    def _fields(self) -> dict[str, Any]:
        read = self._read
        if read is None:
            read = self._read = dict[str, Any](json.loads(self._answer))
        return read

    def __getitem__(self, name: str) -> Any:
        return self._fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)

    @property
    def methods(self) -> dict[str, dict[str, Any]]:
        """What each method says, by its name."""
        return {verdict["method"]: verdict for verdict in self._fields["methods"]}

    @property
    def passages(self) -> list[dict[str, Any]]:
        """Runs of words that both have."""
        passages: list[dict[str, Any]] = self._fields["passages"]
        return passages

    def __repr__(self) -> str:
        said = ", ".join(f"{name} {one['similarity']:.3f}" for name, one in self.methods.items())
        return f"Comparison({said})"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{html.escape(name)}</td><td>{one['similarity']:.3f}</td><td>{html.escape(str(one['verdict']))}</td></tr>"
            for name, one in self.methods.items()
        )
        head = "<tr><th>method</th><th>similarity</th><th>verdict</th></tr>"
        table = f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"
        return table + self._side_by_side()

    def _side_by_side(self) -> str:
        if self._texts is None:
            shared = "".join(f"<li>{html.escape(one['text'])}</li>" for one in self.passages)
            return f"<p>Both have:</p><ul>{shared}</ul>" if shared else ""
        sides = "".join(
            f'<td style="vertical-align:top;text-align:left;white-space:pre-wrap;width:50%">{_marked(text, places)}</td>'
            for text, places in zip(self._texts, self._places(), strict=True)
        )
        return f'<table style="width:100%;table-layout:fixed"><tr>{sides}</tr></table>'

    def _places(self) -> tuple[list[list[int]], list[list[int]]]:
        return [one["a"] for one in self.passages], [one["b"] for one in self.passages]


def _marked(text: str, places: list[list[int]]) -> str:
    """A text whose shared passages, given in bytes, are marked."""
    data = text.encode("utf-8", "replace")
    out: list[str] = []
    at = 0
    for start, end in sorted(places):
        if start < at:
            continue
        out.append(html.escape(data[at:start].decode("utf-8", "replace")))
        out.append(f"<mark>{html.escape(data[start:end].decode('utf-8', 'replace'))}</mark>")
        at = end
    out.append(html.escape(data[at:].decode("utf-8", "replace")))
    return "".join(out)


def compare(
    a: str | os.PathLike[str],
    b: str | os.PathLike[str],
    *,
    recipe: _lookalike.Recipe | None = None,
    session: _lookalike.Session | None = None,
    id: str = "id",
    text: str = "text",
) -> Comparison:
    """Compares two documents by all methods, or by one recipe.

    A ``str`` is a text. A ``Path`` is a file of any format, a document in one (``Path("a.zip#part")``) or a record of a
    corpus (``Path("corpus.jsonl#id")``).

    >>> compare("one two three four five six", "one two three four five seven").methods["minhash"]["verdict"]
    'different'
    """
    are_files = isinstance(a, PurePath) or not isinstance(a, str)
    if are_files != (isinstance(b, PurePath) or not isinstance(b, str)):
        raise TypeError("compare two texts, or two files given as Path")
    first, second = os.fspath(a), os.fspath(b)
    if are_files:
        return Comparison(_lookalike.compare_files((first, second), (id, text), recipe, session), None)
    return Comparison(_lookalike.compare_texts(first, second, recipe, session), (first, second))
