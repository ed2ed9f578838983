"""Keywords of Python as arguments of the command line: `id_field="url"` is `--id-field=url`."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import FunctionType
from typing import ParamSpec, TypeVar, cast

from lookalike.errors import ConfigError

P = ParamSpec("P")
R = TypeVar("R")

JOINED = frozenset({"changes", "fields", "keep", "lexicons", "positive", "skip", "streams", "unless"})
"""Options whose values stand in one argument, separated by commas; other lists repeat the option."""

SETTINGS = frozenset({"exact_set", "learner_set", "set", "sweep"})
"""Options that are given as KEY=VALUE, in Python also as a mapping."""


def with_hints(function: Callable[P, R]) -> Callable[P, R]:
    """Lets the error about an unknown keyword name those that are spelt alike."""
    code = cast(FunctionType, function).__code__
    known = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        for name in kwargs:
            if name not in known:
                raise TypeError(_unknown(code.co_name, name, known))
        return function(*args, **kwargs)

    return checked


def _unknown(function: str, name: str, known: Sequence[str]) -> str:
    import difflib

    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    hint = "did you mean " + " or ".join(f"`{one}`" for one in near) if near else "known: " + ", ".join(known)
    return f"{function}() has no keyword `{name}`; {hint}?" if near else f"{function}() has no keyword `{name}`; {hint}"


def arguments(verb: Sequence[str], options: Mapping[str, object], positional: Iterable[str] = ()) -> list[str]:
    """The arguments of a verb. What is None or False is left out, so that the command's default holds.

    >>> arguments(["scan"], {"by_type": True, "threshold": 0.9, "keep": ["longest", "newest"], "memory": None}, ["docs"])
    ['scan', '--by-type', '--threshold=0.9', '--keep=longest,newest', '--', 'docs']
    >>> arguments(["dedup"], {"set": {"features.shingle": 3, "extract.main": False}})
    ['dedup', '--set=features.shingle=3', '--set=extract.main=false']
    """
    made = list(verb)
    for name, value in options.items():
        option = "--" + name.replace("_", "-")
        if value is None or value is False:
            continue
        if value is True:
            made.append(option)
            continue
        made.extend(f"{option}={text}" for text in _values(name, value))
    # Whatever comes is no option, even if it begins like one.
    places = list(positional)
    return [_checked(argument) for argument in (made + ["--", *places] if places else made)]


def _values(name: str, value: object) -> list[str]:
    if name in SETTINGS and isinstance(value, Mapping):
        settings = cast("Mapping[object, object]", value)
        return [f"{key}={_setting(name, setting)}" for key, setting in settings.items()]
    if isinstance(value, (list, tuple, set, frozenset, range)):
        several = cast("Iterable[object]", value)
        texts = [
            text_of(one, name) for one in (sorted(several, key=str) if isinstance(value, (set, frozenset)) else several)
        ]
        return [",".join(texts)] if name in JOINED and texts else texts
    return [text_of(value, name)]


def _setting(name: str, value: object) -> str:
    """A value of a recipe, as TOML has it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple, range)):
        several = list(cast("Iterable[object]", value))
        if name == "sweep":
            return ",".join(_setting(name, one) for one in several)
        # Arrays of strings and numbers are the same in JSON and TOML.
        return json.dumps([one if isinstance(one, str) else json.loads(_setting(name, one)) for one in several])
    return text_of(value, name)


def text_of(value: object, name: str) -> str:
    """A string, path or number as an argument."""
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, bytes, bytearray, Mapping)):
        raise TypeError(f"`{name}` cannot be {value!r}")
    if isinstance(value, os.PathLike):
        path = os.fspath(cast("os.PathLike[str]", value))
        return os.fsdecode(path)
    # Numbers of NumPy are no int or float, but behave like them.
    if hasattr(value, "__index__"):
        return str(int(cast(int, value)))
    if hasattr(value, "__float__"):
        return repr(float(cast(float, value)))
    raise TypeError(f"`{name}` cannot be of type {type(value).__name__}")


def _checked(argument: str) -> str:
    try:
        argument.encode()
    except UnicodeEncodeError:
        raise ConfigError(f"{argument!r} is no Unicode text: rename the file, or name its folder instead") from None
    return argument
