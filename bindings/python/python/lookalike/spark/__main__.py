"""The command ``lookalike-spark``: a corpus in, results out, on a cluster.

``spark-submit "$(lookalike-spark --path)" INPUT… -o OUT`` runs it with the settings of a cluster.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="lookalike-spark",
        description="Removes near-duplicate documents from corpora, on Spark. Options are those of `lookalike dedup`.",
    )
    parser.add_argument(
        "input", nargs="*", help="JSONL, or Parquet (*.parquet): whatever Spark reads, folders and patterns too"
    )
    parser.add_argument("-o", "--output", help="folder of the results; all executors must reach it")
    parser.add_argument("--method", help="the method; default: minhash")
    parser.add_argument("--recipe", help="a recipe file")
    parser.add_argument("--threshold", type=float, help="least similarity of near-duplicates")
    parser.add_argument("--set", action="append", default=[], metavar="STAGE.KEY=VALUE", help="a setting of the recipe")
    parser.add_argument("--keep", help="which document of a cluster stays, such as longest,newest")
    parser.add_argument("--lexicon", help="file of a lexicon, at the same place on every executor")
    parser.add_argument("--unless", help="kinds of difference that keep documents apart, such as numbers,dates")
    parser.add_argument("--streams", help="streams whose contradiction keeps documents apart")
    parser.add_argument("--verify", choices=["exact", "estimate", "signature"], help="how candidates are verified")
    parser.add_argument("--id-field", default="id", help="field with the id (default: id)")
    parser.add_argument("--text-field", default="text", help="field with the text (default: text)")
    parser.add_argument("--source-field", help="field that says where a document is from")
    parser.add_argument("--max-line", help="longer lines are rejected, such as 64MB")
    parser.add_argument("--against", help="corpus of documents that are known, or the folder of an earlier run")
    parser.add_argument("--decisions", help="file of decisions of people, read by the driver")
    parser.add_argument("--work", help="folder for what the job has finished; default: OUT/_work")
    parser.add_argument("--resume", action="store_true", help="go on with a job that was interrupted")
    parser.add_argument("--force", action="store_true", help="replace the results of an earlier run")
    parser.add_argument("--master", help="Spark's master, unless spark-submit names it")
    parser.add_argument("--remote", help="a Spark Connect server, such as sc://host:15002")
    parser.add_argument("--path", action="store_true", help="print the path of this program, for spark-submit")
    return parser


def main(arguments: list[str] | None = None) -> int:
    """Does what the arguments say and returns the exit code."""
    parser = _options()
    args = parser.parse_args(arguments)
    if args.path:
        print(__file__)
        return 0
    if not args.input or not args.output:
        parser.error("name one input or more, and a folder for the results: lookalike-spark INPUT… -o OUT")
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        print("lookalike-spark: PySpark is missing: pip install 'pyspark[connect]'", file=sys.stderr)
        return 2
    from lookalike.errors import LookalikeError
    from lookalike.spark import dedup

    builder: Any = SparkSession.builder.appName("lookalike")
    if args.remote:
        builder = builder.remote(args.remote)
    elif args.master:
        builder = builder.master(args.master)
    spark = builder.getOrCreate()
    try:
        df, lines = _read(spark, args.input)
        against: Any = args.against
        if against and _is_corpus(against):
            against, _ = _read(spark, [against])
        result = dedup(
            df, args.recipe, id=args.id_field, text=args.text_field, keep=args.keep, against=against,
            output=args.output, resume=args.resume, method=args.method, threshold=args.threshold,
            lexicon=args.lexicon, unless=args.unless, streams=args.streams, verify=args.verify, decisions=args.decisions,
            source=args.source_field, max_line=args.max_line, work=args.work, force=args.force, lines=lines,
            inputs=args.input, **_sections(args.set),
        )  # fmt: skip
    except (LookalikeError, ValueError) as error:
        print(f"lookalike-spark: {error}", file=sys.stderr)
        return 2
    except Exception as error:
        print(f"lookalike-spark: the job ended: {_cause(error)}", file=sys.stderr)
        return 1
    finally:
        spark.stop()
    report = result.report
    print(
        f"{report['documents']:,} documents, {report['removed']:,} removed, {report['kept']:,} kept in"
        f" {report['seconds']:.1f} s; {args.output}"
    )
    return 0


def _cause(error: Exception) -> str:
    """What went wrong, without the stacks of three programs."""
    told = [line.strip() for line in str(error).splitlines()]
    ours = [line for line in told if line.startswith("lookalike.errors.")]
    if ours:
        return ours[-1].split(": ", 1)[-1]
    return next((line for line in told if line), type(error).__name__)


def _is_corpus(path: str) -> bool:
    return any(mark in path.rsplit("/", 1)[-1] for mark in (".jsonl", ".ndjson", ".json", ".parquet", "*"))


def _read(spark: Any, inputs: list[str]) -> tuple[Any, bool]:
    tables = [".parquet" in path.rsplit("/", 1)[-1] for path in inputs]
    if all(tables):
        return spark.read.parquet(*inputs), False
    if any(tables):
        raise ValueError("the inputs are Parquet and JSONL: run one job for each, the second with --against the first")
    return spark.read.text(inputs), True


def _sections(settings: list[str]) -> dict[str, Any]:
    sections: dict[str, Any] = {}
    for setting in settings:
        place, equals, value = setting.partition("=")
        stage, dot, key = place.strip().partition(".")
        if not equals or not dot:
            raise ValueError(f"--set {setting}: write STAGE.KEY=VALUE, such as features.shingle=3")
        try:
            told = json.loads(value)
        except json.JSONDecodeError:
            told = value
        sections.setdefault(stage, {})[key] = told
    return sections


if __name__ == "__main__":
    sys.exit(main())
