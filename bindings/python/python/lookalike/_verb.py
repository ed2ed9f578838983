"""One way to do a verb: keywords to arguments, the call, JSON to values."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import closing
from typing import Any

from lookalike._arguments import arguments
from lookalike._call import call
from lookalike._spool import Spool

NO_OPTIONS = frozenset({"inputs", "session", "progress"})
"""Keywords that are no options of the command."""


def answer(verb: list[str], given: Mapping[str, Any], positional: Iterable[str] = ()) -> str:
    """What a verb prints. `given` has its options, and beside them `session` and `progress`."""
    options = {name: value for name, value in given.items() if name not in NO_OPTIONS}
    return call(arguments(verb, options, positional), given.get("session"), given.get("progress"))


def value(verb: list[str], given: Mapping[str, Any], positional: Iterable[str] = ()) -> Any:
    """The answer of a verb with `--json`."""
    return json.loads(answer(verb, {**given, "json": True}, positional))


def judged(verb: str, given: Mapping[str, Any]) -> Any:
    """The answer of a verb over a corpus with a truth, which may be in memory."""
    with closing(Spool()) as spool:
        options = dict(given)
        inputs = spool.documents(given["inputs"], given["id_field"], given["text_field"])
        if given["pairs"] is not None:
            options["pairs"] = spool.pairs(given["pairs"], given["label_field"])
        if given["clusters"] is not None:
            options["clusters"] = spool.clusters(given["clusters"])
        if given.get("recipe") is not None:
            options["recipe"] = spool.recipes(given["recipe"])
        return value([verb], options, inputs)
