"""Does a verb of the command line: its arguments in, what it prints out."""

from __future__ import annotations

import importlib
import os
from typing import Any

from lookalike.errors import InternalError, LookalikeError


def call(arguments: list[str], session: Any = None, progress: Any = None) -> str:
    """Does a verb, given as the command line has it without the program's name, and returns its output."""
    try:
        native = importlib.import_module("lookalike._lookalike")
    except ImportError:
        return _by_program(arguments)
    answer: str = native.call(arguments, session, progress)
    return answer


def _by_program(arguments: list[str]) -> str:
    """For a checkout without the native module: asks the program that the variable LOOKALIKE names."""
    import subprocess

    program = os.environ.get("LOOKALIKE")
    if not program:
        raise InternalError("the native module of lookalike is missing: install the package again")
    done = subprocess.run([program, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    # A verb that did some of its work prints what failed, and ends with 2 without an error.
    _, is_error, told = ("\n" + done.stderr).rpartition("\nerror: ")
    if done.returncode in (0, 1) or (done.returncode == 2 and not is_error):
        return done.stdout
    raise LookalikeError(told.split("\n\nUsage:")[0].strip() or f"the program ended with {done.returncode}")
