"""What is in memory as files, because that is what the command line reads: corpora, labels, recipes."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, cast, runtime_checkable

from lookalike import _lookalike
from lookalike._arguments import text_of
from lookalike.errors import ConfigError, FileError, InputError

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory


@runtime_checkable
class HasToml(Protocol):
    """A recipe in memory."""

    def to_toml(self) -> str:
        """The recipe as a file has it."""
        ...


Place: TypeAlias = "str | os.PathLike[str]"
Documents: TypeAlias = "Place | Iterable[Place] | Iterable[Mapping[str, Any]] | Any"
"""A path or pattern, several `pathlib.Path`s, an Arrow stream or frame, texts, or records."""
AnyRecipe: TypeAlias = "Place | HasToml"
Pairs: TypeAlias = "Place | Iterable[tuple[Any, ...]] | Iterable[Mapping[str, Any]]"
Clusters: TypeAlias = "Place | Mapping[Any, Any] | Iterable[Mapping[str, Any]]"


class Spool:
    """A temporary folder that is made when it is needed, and is gone at the end."""

    def __init__(self) -> None:
        self._folder: TemporaryDirectory[str] | None = None

    def close(self) -> None:
        """Removes everything."""
        if self._folder is not None:
            self._folder.cleanup()

    def place(self, name: str) -> str:
        """A path in the folder."""
        if self._folder is None:
            import tempfile

            self._folder = tempfile.TemporaryDirectory(prefix="lookalike-")
        return os.path.join(self._folder.name, name)

    def documents(self, documents: Documents, id_field: str | None, text_field: str | None) -> list[str]:
        """A corpus as inputs of the command. Texts and records without an id are named by their position, from 0."""
        given = cast(object, documents)
        if isinstance(given, (str, os.PathLike)):
            return [text_of(cast(object, given), "inputs")]
        if any(hasattr(given, name) for name in ("__arrow_c_stream__", "__arrow_c_array__", "__dataframe__")):
            path = self.place("corpus.arrow")
            _lookalike.write_ipc(given, path)
            return [path]
        if isinstance(given, (bytes, bytearray, Mapping)) or not isinstance(given, Iterable):
            kind = type(documents).__name__
            raise TypeError(f"a corpus cannot be of type {kind}: give paths, a table, texts or records")
        several = iter(cast("Iterable[object]", given))
        first = next(several, None)
        if first is None:
            raise InputError("the corpus has no documents")
        everything = chain([first], several)
        if isinstance(first, os.PathLike):
            return [text_of(path, "inputs") for path in everything]
        if isinstance(given, (list, tuple)) and isinstance(first, str):
            refuse_names(cast("list[object]", given))
        path = self.place("corpus.jsonl")
        id_field, text_field = id_field or "id", text_field or "text"
        write_lines(
            path, (_record(one, place, id_field, text_field) for place, one in enumerate(everything)), "document"
        )
        return [path]

    def pairs(self, pairs: Pairs, label_field: str | None) -> str:
        """Labelled pairs as a file: tuples of two ids and perhaps a label, or records with `a`, `b` and a label."""
        if isinstance(pairs, (str, os.PathLike)):
            return text_of(pairs, "pairs")
        path = self.place("pairs.jsonl")
        write_lines(path, (_pair(one, place, label_field or "label") for place, one in enumerate(pairs)), "pair")
        return path

    def clusters(self, clusters: Clusters) -> str:
        """Labelled clusters as a file: a mapping from ids to clusters, or records with `id` and `cluster`."""
        if isinstance(clusters, (str, os.PathLike)):
            return text_of(clusters, "clusters")
        path = self.place("clusters.jsonl")
        if isinstance(clusters, Mapping):
            named = cast("Mapping[object, object]", clusters)
            records: Iterable[Mapping[str, Any]] = ({"id": name, "cluster": value} for name, value in named.items())
        else:
            records = clusters
        write_lines(path, records, "cluster")
        return path

    def recipes(self, recipe: AnyRecipe | Iterable[AnyRecipe] | None) -> list[str]:
        """Recipes as files. Those in memory are called `recipe`, `recipe-2` and so on."""
        if recipe is None:
            return []
        several = [recipe] if isinstance(recipe, (str, os.PathLike, HasToml)) else list(recipe)
        places: list[str] = []
        for number, one in enumerate(several, 1):
            if isinstance(one, (str, os.PathLike)):
                places.append(text_of(one, "recipe"))
                continue
            if not isinstance(cast(object, one), HasToml):
                raise TypeError(f"`recipe` cannot be of type {type(one).__name__}: give a Recipe or the path of a file")
            places.append(self.place("recipe.toml" if number == 1 else f"recipe-{number}.toml"))
            with open(places[-1], "w", encoding="utf-8") as file:
                file.write(one.to_toml())
        return places


def refuse_names(texts: list[object]) -> None:
    """A list of strings is a list of texts; if all of them name files, something else was meant."""
    names = [text for text in texts if isinstance(text, str) and 0 < len(text) < 4096 and "\0" not in text]
    if names and len(names) == len(texts) and all(os.path.exists(name) for name in names):
        raise ConfigError(
            "a list of strings is a list of texts, but these name files: give `pathlib.Path`s, or one pattern such as data/*.jsonl"
        )


def write_lines(path: str, records: Iterable[Mapping[str, Any]], what: str, mode: str = "w") -> None:
    """Writes records as lines of JSON; the mode `a` adds them to a file."""
    try:
        with open(path, mode, encoding="ascii") as file:
            for number, record in enumerate(records):
                if not isinstance(cast(object, record), Mapping):
                    raise InputError(f"{what} {number} is of type {type(record).__name__}, it must be a record")
                try:
                    line = json.dumps(dict(record), allow_nan=False)
                except (TypeError, ValueError, RecursionError) as error:
                    raise InputError(f"{what} {number} cannot be written as JSON: {error}") from error
                file.write(line + "\n")
    except OSError as error:
        if isinstance(error, FileError):
            raise
        raise FileError(*error.args) from error


def _record(document: object, place: int, id_field: str, text_field: str) -> Mapping[str, Any]:
    if isinstance(document, str):
        return {id_field: place, text_field: document}
    if isinstance(document, Mapping):
        record = cast("Mapping[str, Any]", document)
        # A path such as meta.id is looked up by the command.
        return record if id_field in record or "." in id_field else {id_field: place, **record}
    raise InputError(
        f"document {place} is of type {type(document).__name__}: documents are texts or records, all alike"
    )


def _pair(pair: object, place: int, label_field: str) -> Mapping[str, Any]:
    if isinstance(pair, Mapping):
        return cast("Mapping[str, Any]", pair)
    if isinstance(pair, (tuple, list)):
        values = list(cast("Iterable[object]", pair))
        if len(values) in (2, 3):
            return dict(zip(("a", "b", label_field), values, strict=False))
    raise InputError(f"pair {place} must be (a, b), (a, b, label) or a record with `a`, `b` and `{label_field}`")
