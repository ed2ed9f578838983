"""``dedup``."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from lookalike import _inputs, _lookalike
from lookalike._progress import Show
from lookalike.result import FolderResult, Result, TableResult

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeAlias

    from lookalike._progress import ProgressOption

    PathLike: TypeAlias = str | os.PathLike[str]


def recipe_of(
    recipe: _lookalike.Recipe | PathLike | None,
    method: str | None = None,
    session: _lookalike.Session | None = None,
    **settings: Any,
) -> _lookalike.Recipe:
    """A recipe, a file of one or a method, with some settings changed."""
    given = {name: value for name, value in settings.items() if value is not None}
    if recipe is None:
        return _lookalike.Recipe(method or "minhash", session=session, **given)
    if method is not None:
        raise TypeError("give a recipe or a method, not both")
    if isinstance(recipe, _lookalike.Recipe):
        return recipe.with_(**given) if given else recipe
    return _lookalike.Recipe.load(os.fspath(recipe), session=session, **given)


def dedup(
    data: Any,
    *,
    text: str = "text",
    id: str = "id",
    output: PathLike | None = None,
    recipe: _lookalike.Recipe | PathLike | None = None,
    method: str | None = None,
    threshold: float | None = None,
    keep: str | Sequence[str] | None = None,
    lexicon: PathLike | None = None,
    unless: str | Sequence[str] | None = None,
    streams: str | Sequence[str] | None = None,
    verify: str | None = None,
    against: Any = None,
    decisions: PathLike | None = None,
    source: str | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
    max_line: int | str | None = None,
    passages: bool = False,
    measure_recall: bool = False,
    recall_sample: int | None = None,
    strict: bool = False,
    resume: bool = False,
    force: bool = False,
    progress: ProgressOption = None,
    session: _lookalike.Session | None = None,
    **sections: dict[str, Any],
) -> Result:
    """Finds near-duplicates, and which documents stay.

    ``data`` is a table, frame or dataset (PyArrow, Polars, pandas, DuckDB, Hugging Face, anything that speaks Arrow), a
    list of texts or dicts, a stream or iterable of these, which may be larger than memory, or paths: a text or ``Path``,
    a list of ``Path``, or with ``output`` a list of texts. Texts of tables are not copied.

    With ``output`` the results are files in that folder, as the command ``lookalike dedup`` writes them. All other
    options are those of the command: ``text`` and ``id`` name columns, ``recipe`` is a `Recipe` or a file, sections of
    a recipe are dicts, such as ``features={"shingle": 3}``. ``against`` are documents that are known: a table or paths.

    >>> result = dedup(["the same seven words are in both", "The same seven words are in both!", "others"])
    >>> result.report["documents"], len(result.kept), result.removed.to_list()[0]["keeper_row"]
    (3, 2, 1)
    """
    chosen = recipe_of(
        recipe, method, session, threshold=threshold, keep=keep, lexicon=lexicon, unless=unless, streams=streams,
        verify=verify, **sections,
    )  # fmt: skip
    options: dict[str, Any] = {
        "id": id, "text": text, "source": source, "threads": threads, "memory": memory, "max_line": max_line,
        "passages": passages, "strict": strict, "decisions": decisions, "measure_recall": measure_recall,
        "recall_sample": recall_sample, "resume": resume, "force": force,
    }  # fmt: skip
    paths = _inputs.paths_of(data, texts_are_paths=output is not None)
    with Show(progress) as show:
        if paths is None and output is None and not chosen.counts_first:
            is_path = against is not None and _inputs.paths_of(against, texts_are_paths=True) is not None
            known = None if against is None or is_path else _inputs.table_of(against)
            if against is None or known is not None:
                table = _inputs.table_of(data)
                if table is not None:
                    native = None if known is None else known._native
                    return TableResult(_lookalike.dedup_table(chosen, table._native, native, options, show))
        return _of_files(data, paths, against, output, chosen, options, show)


def _of_files(
    data: Any,
    paths: list[str] | None,
    against: Any,
    output: PathLike | None,
    recipe: _lookalike.Recipe,
    options: dict[str, Any],
    show: Show,
) -> Result:
    """Runs over files: those that were named, and copies of what is in memory or comes as a stream."""
    with _inputs.temporary_folder() as copies:
        inputs = paths if paths is not None else [_inputs.spool(data, copies)]
        if against is not None:
            options["against"] = _known(against, copies)
        held = None if output is not None else _inputs.temporary_folder()
        folder = os.fspath(output) if output is not None else os.path.join(held.name if held else "", "result")
        _lookalike.dedup_files(recipe, inputs, folder, options, show)
        return FolderResult(folder, held)


def _known(against: Any, copies: str) -> list[str]:
    paths = _inputs.paths_of(against, texts_are_paths=True)
    if paths is not None:
        return paths
    folder = os.path.join(copies, "against")
    os.mkdir(folder)
    return [_inputs.spool(against, folder)]


def plan(
    inputs: PathLike | Sequence[PathLike],
    output: PathLike,
    *,
    recipe: _lookalike.Recipe | PathLike | None = None,
    method: str | None = None,
    text: str = "text",
    id: str = "id",
    against: PathLike | Sequence[PathLike] | None = None,
    threads: int | None = None,
    memory: int | str | None = None,
) -> dict[str, Any]:
    """What a run over files would cost: time, memory, disk, and expected recall."""
    options: dict[str, Any] = {"id": id, "text": text, "threads": threads, "memory": memory, "plan": True}
    if against is not None:
        options["against"] = _inputs.paths_of(against, texts_are_paths=True)
    paths = _inputs.paths_of(inputs, texts_are_paths=True) or []
    told = _lookalike.dedup_files(recipe_of(recipe, method), paths, os.fspath(output), options, None)
    planned: dict[str, Any] = json.loads(told)
    return planned
