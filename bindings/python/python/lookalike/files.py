"""Files of any format: near-duplicates among them, and what is read of them."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from typing import Any

from lookalike._arguments import text_of, with_hints
from lookalike._spool import AnyRecipe, Place, Spool
from lookalike._verb import answer, value
from lookalike.errors import ConfigError

Settings = Mapping[str, Any] | Sequence[str] | str


def _places(paths: Place | Iterable[Place]) -> list[str]:
    if isinstance(paths, (str, os.PathLike)):
        return [text_of(paths, "paths")]
    places = [text_of(path, "paths") for path in paths]
    if not places:
        raise ConfigError("no path is given")
    return places


def _one(spool: Spool, recipe: AnyRecipe | None) -> str | None:
    return None if recipe is None else spool.recipes(recipe)[0]


@with_hints
def scan(
    paths: Place | Iterable[Place],
    *,
    recipe: AnyRecipe | None = None,
    method: str | None = None,
    threshold: float | str | None = None,
    lexicon: Place | None = None,
    unless: Sequence[str] | str | None = None,
    streams: Sequence[str] | str | None = None,
    set: Settings | None = None,
    by_type: bool = False,
    keep: Sequence[str] | str | None = None,
    html: Place | None = None,
    apply: str | None = None,
    to: Place | None = None,
    dry_run: bool = False,
    undo_log: Place | None = None,
    hidden: bool = False,
    no_ignore: bool = False,
    follow: bool = False,
    cache: Place | None = None,
    no_cache: bool = False,
    threads: int | None = None,
    memory: str | int | None = None,
    quiet: bool = False,
    session: Any = None,
    progress: Any = None,
) -> dict[str, Any]:
    """Finds near-duplicates among files of any format, as `lookalike scan` does. Nothing is changed without `apply`.

    The report has `clusters` with their `members`. With `apply` ("list", "move" with `to`, "link", "trash") the answer is what
    was done: `plan` and `summary`, whose `log` is for `undo`; with `dry_run=True` or "list" it is the plan alone.

    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for name in ("a.txt", "b.txt"):
    ...     _ = (folder / name).write_text("the quick brown fox jumps over the lazy dog again and again")
    >>> report = scan(folder, no_cache=True, quiet=True)
    >>> sorted(pathlib.Path(member["path"]).name for member in report["clusters"][0]["members"])
    ['a.txt', 'b.txt']
    """
    given = {name: one for name, one in locals().items() if name not in ("paths", "recipe")}
    with closing(Spool()) as spool:
        found: dict[str, Any] = value(["scan"], {**given, "recipe": _one(spool, recipe)}, _places(paths))
    return found


def undo(log: Place, *, session: Any = None, progress: Any = None) -> dict[str, Any]:
    """Takes back what `scan(…, apply=…)` did, by its log: how much is `taken_back`, and what `failed`."""
    undone: dict[str, Any] = value(["scan"], {"undo": log, "session": session, "progress": progress})
    return undone


@with_hints
def extract(
    paths: Place | Iterable[Place],
    *,
    recipe: AnyRecipe | None = None,
    set: Settings | None = None,
    session: Any = None,
    progress: Any = None,
) -> list[dict[str, Any]]:
    """The documents in files or folders, as `lookalike extract --json` prints them: text, title, metadata, links, confidence.

    A file that cannot be read is a warning, and an error if there is no other.

    >>> import pathlib, tempfile
    >>> page = pathlib.Path(tempfile.mkdtemp()) / "page.html"
    >>> _ = page.write_text("<title>Foxes</title><p>The quick brown fox jumps over the lazy dog.")
    >>> [document["title"] for document in extract(page)]
    ['Foxes']
    """
    given = {"set": set, "session": session, "progress": progress, "json": True}
    with closing(Spool()) as spool:
        lines = answer(["extract"], {**given, "recipe": _one(spool, recipe)}, _places(paths))
    documents: list[dict[str, Any]] = []
    # Texts may have separators of lines that only Python knows.
    for line in filter(None, lines.split("\n")):
        document: dict[str, Any] = json.loads(line)
        if "text" in document:
            documents.append(document)
        else:
            place = document["path"] if document["part"] is None else f"{document['path']}#{document['part']}"
            warnings.warn(f"{place}: {document['reason']}", stacklevel=3)
    return documents


__all__ = ["extract", "scan", "undo"]
