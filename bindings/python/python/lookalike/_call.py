"""Does a verb of the command line: its arguments in, what it prints out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lookalike import _lookalike
from lookalike._progress import Show

if TYPE_CHECKING:
    from lookalike._progress import ProgressOption


def call(arguments: list[str], session: _lookalike.Session | None = None, progress: ProgressOption = None) -> str:
    """Does a verb, given as the command line has it without the program's name, and returns its output."""
    with Show(progress) as show:
        return _lookalike.call(arguments, session, show)
