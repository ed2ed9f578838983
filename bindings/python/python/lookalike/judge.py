"""Judging methods, training classifiers, choosing recipes.

What is true is given once: by labelled `pairs` or `clusters`, by a field that names the cluster (`cluster_field`), or by an
exact measure (`exact="jaccard:0.8"`). Documents, pairs, clusters and recipes may be files or lie in memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from lookalike._arguments import text_of, with_hints
from lookalike._spool import AnyRecipe, Clusters, Documents, Pairs, Place, write_lines
from lookalike._verb import judged, value

Settings = Mapping[str, Any] | Sequence[str] | str


@with_hints
def evaluate(
    inputs: Documents,
    *,
    pairs: Pairs | None = None,
    clusters: Clusters | None = None,
    cluster_field: str | None = None,
    exact: str | None = None,
    exact_set: Settings | None = None,
    label_field: str | None = None,
    positive: Sequence[str] | str | None = None,
    skip: Sequence[str] | str | None = None,
    least: float | None = None,
    rest: str | None = None,
    leave_out: str | None = None,
    method: Sequence[str] | str | None = None,
    recipe: AnyRecipe | Iterable[AnyRecipe] | None = None,
    threshold: float | str | None = None,
    lexicon: Place | None = None,
    set: Settings | None = None,
    sweep: Settings | None = None,
    legitimate: str | None = None,
    cost: float | None = None,
    queries: float | None = None,
    resamples: int | None = None,
    seed: int | None = None,
    html: Place | None = None,
    profile: str | None = None,
    csv: Place | None = None,
    id_field: str | None = None,
    text_field: str | None = None,
    threads: int | None = None,
    memory: str | int | None = None,
    max_line: str | int | None = None,
    quiet: bool = False,
    session: Any = None,
    progress: Any = None,
) -> dict[str, Any]:
    """Judges methods or recipes against what is true, as `lookalike evaluate` does.

    Keywords are the options of the command; what is not given has its default there. `sweep` tries several values of a key.

    >>> texts = ["the quick brown fox jumps over the lazy dog"] * 2 + ["nothing of all this is like the others here"]
    >>> figures = evaluate(texts, clusters={0: "fox", 1: "fox", 2: "other"}, method=["minhash", "exact"], quiet=True)
    >>> [result["judgement"]["recall"]["value"] for result in figures["results"]]
    [1.0, 1.0]
    """
    answer: dict[str, Any] = judged("evaluate", locals())
    return answer


@with_hints
def train(
    inputs: Documents,
    output: Place,
    *,
    pairs: Pairs | None = None,
    clusters: Clusters | None = None,
    cluster_field: str | None = None,
    exact: str | None = None,
    exact_set: Settings | None = None,
    label_field: str | None = None,
    positive: Sequence[str] | str | None = None,
    skip: Sequence[str] | str | None = None,
    least: float | None = None,
    rest: str | None = None,
    leave_out: str | None = None,
    learner: str | None = None,
    learner_set: Settings | None = None,
    precision: float | None = None,
    fields: Sequence[str] | str | None = None,
    folds: int | None = None,
    method: str | None = None,
    recipe: AnyRecipe | None = None,
    most: int | None = None,
    anyway: bool = False,
    resamples: int | None = None,
    seed: int | None = None,
    id_field: str | None = None,
    text_field: str | None = None,
    threads: int | None = None,
    memory: str | int | None = None,
    max_line: str | int | None = None,
    quiet: bool = False,
    session: Any = None,
    progress: Any = None,
) -> dict[str, Any]:
    """Trains a classifier on labelled pairs or clusters and writes it to `output`, as `lookalike train` does.

    Returns the report of the model. Its `model` is the path of the file, or None if none was written because a single
    threshold does as well (`recommended` is false then); `anyway=True` writes it in any case.
    """
    report: dict[str, Any] = judged("train", locals())
    report["model"] = text_of(output, "output") if report["recommended"] or anyway else None
    return report


@with_hints
def tune(
    inputs: Documents,
    *,
    precision: float | None = None,
    recall: float | None = None,
    pairs: Pairs | None = None,
    clusters: Clusters | None = None,
    cluster_field: str | None = None,
    exact: str | None = None,
    exact_set: Settings | None = None,
    label_field: str | None = None,
    positive: Sequence[str] | str | None = None,
    skip: Sequence[str] | str | None = None,
    least: float | None = None,
    rest: str | None = None,
    leave_out: str | None = None,
    method: Sequence[str] | str | None = None,
    sample: int | None = None,
    check: bool = False,
    time: str | float | None = None,
    nearest: bool = False,
    output: Place | None = None,
    resamples: int | None = None,
    seed: int | None = None,
    id_field: str | None = None,
    text_field: str | None = None,
    threads: int | None = None,
    memory: str | int | None = None,
    max_line: str | int | None = None,
    quiet: bool = False,
    session: Any = None,
    progress: Any = None,
) -> dict[str, Any]:
    """Finds the recipe that meets a target, such as `precision=0.99`, on a sample, as `lookalike tune` does.

    The answer's `recipe` is the recipe as TOML, `meets` whether it meets the target; `precision` and `recall` are what to
    expect of it. `output` names a file for the recipe, which is written if it meets the target or with `nearest=True`.
    `time` is in seconds, or a string such as `"10min"`.
    """
    answer: dict[str, Any] = judged("tune", locals())
    return answer


@with_hints
def ask(
    inputs: Documents,
    count: int = 10,
    *,
    pairs: Pairs = (),
    seed: int | None = None,
    id_field: str | None = None,
    text_field: str | None = None,
    threads: int | None = None,
    memory: str | int | None = None,
    max_line: str | int | None = None,
    quiet: bool = False,
    session: Any = None,
    progress: Any = None,
) -> dict[str, Any]:
    """The pairs that are most worth a label, as `lookalike tune --ask` chooses them.

    `pairs` are the labels so far: a file, which need not exist yet, or a list. The answer's `questions` have the ids `a` and
    `b`, both texts, and why each pair was chosen; `estimate` tells precision and recall as soon as there are enough labels.
    `label` writes an answer down.

    >>> questions = ask(["one text of some words", "one text of some more words"], 1, quiet=True)["questions"]
    >>> (questions[0]["a"], questions[0]["b"])
    ('0', '1')
    """
    given = {**locals(), "clusters": None, "label_field": None, "ask": count}
    del given["count"]
    answer: dict[str, Any] = judged("tune", given)
    return answer


def label(pairs: Place, a: Any, b: Any, is_duplicate: bool | None) -> None:
    """Adds an answer to a file of labelled pairs, for `ask`, `evaluate`, `train` and `tune`; None says unsure.

    >>> import tempfile, os
    >>> labels = os.path.join(tempfile.mkdtemp(), "labels.jsonl")
    >>> label(labels, "a-1", "a-2", True)
    >>> open(labels).read()
    '{"a": "a-1", "b": "a-2", "label": true}\\n'
    """
    record = {"a": a, "b": b, "label": "unsure" if is_duplicate is None else bool(is_duplicate)}
    write_lines(text_of(pairs, "pairs"), [record], "pair", mode="a")


@with_hints
def reproduce(
    name: str | None = None,
    *,
    data: Place | None = None,
    threads: int | None = None,
    html: Place | None = None,
    quiet: bool = False,
    session: Any = None,
    progress: Any = None,
) -> Any:
    """Runs an experiment of the papers again, or lists all of them, as `lookalike reproduce` does.

    >>> [one["name"] for one in reproduce() if one["name"] == "k08-table-4"]
    ['k08-table-4']
    """
    given = {key: one for key, one in locals().items() if key != "name"}
    return value(["reproduce"], given, [] if name is None else [name])


__all__ = ["ask", "evaluate", "label", "reproduce", "train", "tune"]
