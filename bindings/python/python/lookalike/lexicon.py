"""Lexicons: in how many documents of a collection each word occurs, and what follows from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import Any

from lookalike._arguments import text_of, with_hints
from lookalike._spool import Documents, Place, Spool
from lookalike._verb import value
from lookalike.errors import ConfigError

Settings = Mapping[str, Any] | Sequence[str] | str


@with_hints
def build(
    inputs: Documents | None = None,
    *,
    output: Place,
    counts: Place | None = None,
    source: str | None = None,
    text_field: str | None = None,
    min_df: int | None = None,
    set: Settings | None = None,
    threads: int | None = None,
    memory: str | int | None = None,
    max_line: str | int | None = None,
    strict: bool = False,
    quiet: bool = False,
    session: Any = None,
    progress: Any = None,
) -> dict[str, Any]:
    """Counts the words of a corpus and writes a lexicon to `output`, as `lookalike lexicon build` does.

    The answer's `lexicon` is the path of the file. `counts` is a file of counts made elsewhere, instead of a corpus.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "some.lexicon")
    >>> built = build(["sea and sky", "sea and sun"], output=path, quiet=True)
    >>> (built["documents"], built["terms"])
    (2, 4)
    """
    given = {name: one for name, one in locals().items() if name != "inputs"}
    if (inputs is None) == (counts is None):
        raise ConfigError("give either a corpus or `counts`")
    with closing(Spool()) as spool:
        places = [] if inputs is None else spool.documents(inputs, None, text_field)
        built: dict[str, Any] = value(["lexicon", "build"], given, places)
    return built


@with_hints
def show(
    lexicon: Place = "english",
    *,
    window: str | tuple[float, float] | None = None,
    word: Sequence[str] | str | None = None,
    session: Any = None,
    progress: Any = None,
) -> dict[str, Any]:
    """Tells about a lexicon, what a window of nidf selects, and what it knows of words, as `lookalike lexicon show` does.

    >>> show(word="Harvest")["words"][0]["word"]
    'harvest'
    """
    given = {"word": word, "window": window, "session": session, "progress": progress}
    if isinstance(window, tuple):
        given["window"] = ":".join(text_of(end, "window") for end in window)
    shown: dict[str, Any] = value(["lexicon", "show"], given, [text_of(lexicon, "lexicon")])
    return shown


@with_hints
def stability(
    *,
    dropped: float | None = None,
    lexicons: str | Sequence[int] | None = None,
    changes: str | Sequence[int] | None = None,
    trials: int | None = None,
    seed: int | None = None,
    svg: Place | None = None,
    session: Any = None,
    progress: Any = None,
) -> dict[str, Any]:
    """How likely I-Match signatures survive changes to a document, as `lookalike lexicon stability` tells it.

    >>> round(stability(dropped=0.5, lexicons=[1], changes=[1], trials=100)["curve"][0]["survival"], 2)
    0.5
    """
    told: dict[str, Any] = value(["lexicon", "stability"], locals())
    return told


__all__ = ["build", "show", "stability"]
