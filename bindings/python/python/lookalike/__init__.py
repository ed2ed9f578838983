"""Finds, explains and removes near-duplicate documents.

>>> import lookalike as la
>>> result = la.dedup(["one text of more than five words", "One text, of more than five words.", "another"])
>>> [row["text"] for row in result.kept]
['One text, of more than five words.', 'another']
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from lookalike._dedup import dedup, plan
from lookalike._lookalike import Recipe, Session, __version__
from lookalike._progress import LookalikeWarning
from lookalike.comparison import Comparison, compare
from lookalike.errors import (
    ConfigError,
    FileError,
    IncompatibleError,
    InputError,
    InternalError,
    LookalikeError,
)
from lookalike.index import Index
from lookalike.result import FolderResult, Report, Result, TableResult
from lookalike.signing import Signer
from lookalike.table import Table

if TYPE_CHECKING:
    from lookalike import kernels, lexicon, spark
    from lookalike.async_client import AsyncClient
    from lookalike.catalog import demo, methods
    from lookalike.client import Client, ServiceError
    from lookalike.files import extract, scan, undo
    from lookalike.judge import ask, evaluate, label, reproduce, train, tune

#: What is loaded when it is first used, so that ``import lookalike`` takes no time.
_LAZY: dict[str, str] = {
    "AsyncClient": "lookalike.async_client",
    "Client": "lookalike.client",
    "ServiceError": "lookalike.client",
    "ask": "lookalike.judge",
    "demo": "lookalike.catalog",
    "evaluate": "lookalike.judge",
    "extract": "lookalike.files",
    "kernels": "lookalike.kernels",
    "label": "lookalike.judge",
    "lexicon": "lookalike.lexicon",
    "methods": "lookalike.catalog",
    "reproduce": "lookalike.judge",
    "scan": "lookalike.files",
    "spark": "lookalike.spark",
    "train": "lookalike.judge",
    "tune": "lookalike.judge",
    "undo": "lookalike.files",
}

__all__ = [
    "AsyncClient",
    "Client",
    "ServiceError",
    "ask",
    "demo",
    "evaluate",
    "extract",
    "label",
    "lexicon",
    "methods",
    "reproduce",
    "scan",
    "spark",
    "train",
    "tune",
    "undo",
    "kernels",
    "compare",
    "Signer",
    "Index",
    "Comparison",
    "ConfigError",
    "FileError",
    "FolderResult",
    "IncompatibleError",
    "InputError",
    "InternalError",
    "LookalikeError",
    "LookalikeWarning",
    "Recipe",
    "Report",
    "Result",
    "Session",
    "Table",
    "TableResult",
    "__version__",
    "dedup",
    "plan",
]


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        module = importlib.import_module(_LAZY[name])
        return module if _LAZY[name] == f"lookalike.{name}" else getattr(module, name)
    raise AttributeError(f"module 'lookalike' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})
