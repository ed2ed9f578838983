"""What there is: methods, parts, learners; samples to try them on."""

from __future__ import annotations

from typing import Any

from lookalike._spool import Place
from lookalike._verb import answer, value


def methods(name: str | None = None, *, session: Any = None) -> dict[str, Any]:
    """All methods, parts and learners, or one method or part with its parameters, as `lookalike methods` lists them.

    >>> "minhash" in [method["name"] for method in methods()["methods"]]
    True
    >>> methods("minhash")["method"]["recipe"]["sign"]["type"]
    'minhash'
    """
    if name is None:
        listed: dict[str, Any] = value(["methods"], {"session": session})
        return listed
    shown: dict[str, Any] = value(["methods", "show"], {"session": session}, [name])
    return shown


def demo(output: Place | None = None, *, data: Place | None = None, session: Any = None) -> dict[str, Any] | None:
    """Runs the main job on the sample documents and returns its report, as `lookalike demo` does.

    With `data`, only writes the samples into that folder: corpus.jsonl, more.jsonl, documents/, recipes/.
    """
    given = {"output": output, "data": data, "session": session}
    if data is not None:
        answer(["demo"], given)
        return None
    report: dict[str, Any] = value(["demo"], given)
    return report


__all__ = ["demo", "methods"]
