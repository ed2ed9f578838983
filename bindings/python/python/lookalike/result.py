"""What ``dedup`` found."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lookalike import _lookalike
from lookalike.table import Table

if TYPE_CHECKING:
    import tempfile


class Report(Mapping[str, Any]):
    """The figures of a run, as ``report.json`` has them; in a notebook the page for people."""

    def __init__(self, figures: dict[str, Any], page: str) -> None:
        self._figures = figures
        self._page = page

    def __getitem__(self, name: str) -> Any:
        return self._figures[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._figures)

    def __len__(self) -> int:
        return len(self._figures)

    @property
    def html(self) -> str:
        """The page for people, whole."""
        return self._page

    def __repr__(self) -> str:
        told = ("documents", "kept", "removed", "clusters", "pairs", "rejected", "empty", "method", "threshold")
        return f"Report({', '.join(f'{name}={self._figures.get(name)!r}' for name in told)})"

    def _repr_html_(self) -> str:
        return _framed(self._page)


def _framed(page: str) -> str:
    """A page within another one, whose style neither takes nor gives anything."""
    import html

    return (
        f'<iframe srcdoc="{html.escape(page, quote=True)}" sandbox="allow-scripts" '
        'style="width:100%;height:40em;border:1px solid #ccc"></iframe>'
    )


class Result:
    """What stays, what goes, and why.

    ``kept`` are the documents that stay, with all their columns. ``removed`` has a row for each document that goes, with
    its keeper and the evidence; ``pairs`` all verified pairs, ``clusters`` all clusters, ``rejected`` what is no
    document. Each is made when it is asked for.
    """

    def __init__(self) -> None:
        self._tables: dict[str, Table] = {}

    @property
    def report(self) -> Report:
        """The figures of the run."""
        raise NotImplementedError

    @property
    def kept(self) -> Table:
        """The documents that stay."""
        raise NotImplementedError

    @property
    def removed(self) -> Table:
        """The documents that go, each with its keeper and the reason."""
        return self._table("removed.jsonl")

    @property
    def pairs(self) -> Table:
        """All pairs that were found and verified."""
        return self._table("pairs.jsonl")

    @property
    def clusters(self) -> Table:
        """All clusters, each with its members."""
        return self._table("clusters.jsonl")

    @property
    def rejected(self) -> Table:
        """What is no document, with the reasons."""
        return self._table("rejected.jsonl")

    def _table(self, file: str) -> Table:
        if file not in self._tables:
            self._tables[file] = Table(self._load(file))
        return self._tables[file]

    def _load(self, file: str) -> _lookalike.Table:
        raise NotImplementedError

    def __repr__(self) -> str:
        report = self.report
        return f"Result({report['kept']} of {report['documents']} documents kept, {report['removed']} removed)"

    def _repr_html_(self) -> str:
        return self.report._repr_html_()


class TableResult(Result):
    """The result of a run over a table in memory."""

    def __init__(self, native: _lookalike.TableDedup) -> None:
        super().__init__()
        self._native = native
        self._report: Report | None = None

    @property
    def report(self) -> Report:
        if self._report is None:
            self._report = Report(json.loads(self._native.report), self._native.page)
        return self._report

    @property
    def kept(self) -> Table:
        return Table(self._native.kept)

    @property
    def mask(self) -> list[bool]:
        """For each row whether it stays."""
        return [bool(kept) for kept in self._native.mask]

    def _load(self, file: str) -> _lookalike.Table:
        return self._native.result(file)


class FolderResult(Result):
    """The result of a run that is in a folder."""

    def __init__(self, folder: str | os.PathLike[str], held: tempfile.TemporaryDirectory[str] | None = None) -> None:
        super().__init__()
        #: Where the files are.
        self.folder = Path(folder)
        self._held = held
        self._report: Report | None = None

    @property
    def report(self) -> Report:
        if self._report is None:
            figures = json.loads((self.folder / "report.json").read_text(encoding="utf-8"))
            self._report = Report(figures, (self.folder / "report.html").read_text(encoding="utf-8"))
        return self._report

    @property
    def kept(self) -> Table:
        return Table(_lookalike.Table.kept(os.fspath(self.folder)))

    def _load(self, file: str) -> _lookalike.Table:
        return _lookalike.Table.result(os.fspath(self.folder), file)
