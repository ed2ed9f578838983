"""Shows the progress of long work: tqdm in notebooks where it is installed, a line on a terminal, otherwise nothing."""

from __future__ import annotations

import sys
import time
import warnings
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    #: ``None``: a bar where somebody looks; ``True``, ``False``: always, never; or a function that is called with stage,
    #: units done, and all units, several times a second.
    ProgressOption: TypeAlias = bool | None | Callable[[str, int, int], object]


class LookalikeWarning(UserWarning):
    """Something in the documents or the result that a person should know."""


class _Bar(Protocol):
    def show(self, stage: str, done: int, total: int) -> None: ...

    def close(self) -> None: ...


class Show:
    """What the engine calls while it works, from the thread that waits for it."""

    def __init__(self, progress: ProgressOption) -> None:
        self._function = progress if callable(progress) else None
        self._bar: _Bar | None = None
        if self._function is None and progress is not False:
            self._bar = _bar(wanted=progress is True)

    def __call__(self, stage: str, done: int, total: int, messages: list[str]) -> None:
        for message in messages:
            warnings.warn(message.replace("see rejected.jsonl", "see rejected"), LookalikeWarning, stacklevel=_depth())
        if self._function is not None:
            self._function(stage, min(done, total), total)
        elif self._bar is not None:
            self._bar.show(stage, min(done, total), total)

    def __enter__(self) -> Show:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()


def _depth() -> int:
    """How far away the caller of this package is."""
    depth, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("lookalike."):
        depth, frame = depth + 1, frame.f_back
    return depth


def _bar(wanted: bool) -> _Bar | None:
    if _is_notebook():
        try:
            from tqdm.notebook import tqdm  # type: ignore[import-untyped, unused-ignore]

            return _Tqdm(tqdm)
        except ImportError:
            return None
    return _Line() if wanted or sys.stderr.isatty() else None


def _is_notebook() -> bool:
    shell = sys.modules.get("IPython")
    found: Any = shell.get_ipython() if shell is not None else None
    return found is not None and type(found).__name__ == "ZMQInteractiveShell"


class _Tqdm:
    """A bar for each stage."""

    def __init__(self, tqdm: Any) -> None:
        self._tqdm = tqdm
        self._bar: Any = None
        self._stage = ""

    def show(self, stage: str, done: int, total: int) -> None:
        if stage != self._stage:
            self.close()
            self._stage = stage
            try:
                self._bar = self._tqdm(desc=stage, total=total, unit_scale=True, leave=False)
            except ImportError:
                # The notebook lacks what bars are made of.
                self._bar = None
        if self._bar is not None:
            self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


class _Line:
    """One line on a terminal, once the work has taken a moment."""

    AFTER = 0.5

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._width = 0

    def show(self, stage: str, done: int, total: int) -> None:
        if not stage or time.monotonic() - self._began < self.AFTER:
            return
        share = f" {100 * done // total:3d} %" if total else ""
        line = f"{stage}{share}"
        print(f"\r{line:<{self._width}}", end="", file=sys.stderr, flush=True)
        self._width = len(line)

    def close(self) -> None:
        if self._width:
            print(f"\r{'':<{self._width}}\r", end="", file=sys.stderr, flush=True)
            self._width = 0
