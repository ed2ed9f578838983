"""The job on a real cluster of Spark: the program's answer, also when workers and drivers die."""

from __future__ import annotations

import json
import pathlib
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest
import spark_cluster
from spark_corpora import crowds
from test_spark import by_program, same_results

pytestmark = pytest.mark.skipif(spark_cluster.missing() is not None, reason=f"no cluster: {spark_cluster.missing()}")
SECONDS = 600
STAGES = ["signed", "shared", "copies", "found", "candidates", "verified-places", "verified", "assigned", "removals"]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[spark_cluster.Cluster]:
    made = spark_cluster.Cluster(tmp_path_factory.mktemp("cluster"))
    # For a few documents it takes longer to compile queries than to run them.
    made.more = {
        "spark.executor.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
        "spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    }  # fmt: skip
    yield made
    made.stop()


MANY = """
import sys
from lookalike.spark import Limits, dedup
from pyspark.sql import SparkSession

corpus, out, method = sys.argv[1:]
spark = SparkSession.builder.getOrCreate()
dedup(spark.read.text(corpus), output=out, method=method, lines=True, limits=Limits(few=0))
spark.stop()
"""


def submit_as_many(
    cluster: spark_cluster.Cluster, folder: pathlib.Path, method: str = "minhash"
) -> subprocess.Popen[str]:
    """A job that moves rows between executors as if there were too many of them for one."""
    program = folder / "many.py"
    program.write_text(MANY)
    return cluster.submit_program(program, folder / "corpus.jsonl", folder / "ours", method)


def finished(cluster: spark_cluster.Cluster, job: subprocess.Popen[str]) -> str:
    out, _ = job.communicate(timeout=SECONDS)
    assert job.returncode == 0, cluster.errors()[-3000:]
    return out


def test_a_cluster_gives_what_the_program_gives(cluster: spark_cluster.Cluster, tmp_path: pathlib.Path) -> None:
    """By simhash, whose crowds are those of a signature; the tests below run minhash."""
    program = by_program(tmp_path, crowds(), "--method", "simhash")
    out = finished(cluster, cluster.submit(tmp_path / "corpus.jsonl", "-o", tmp_path / "ours", "--method", "simhash"))
    assert "removed" in out
    same_results(tmp_path / "ours", program)
    shutil.rmtree(tmp_path / "ours")
    finished(cluster, submit_as_many(cluster, tmp_path, "simhash"))
    same_results(tmp_path / "ours", program)


def test_a_worker_dies_in_every_stage(cluster: spark_cluster.Cluster, tmp_path: pathlib.Path) -> None:
    program = by_program(tmp_path, crowds())
    ours = tmp_path / "ours"
    job = submit_as_many(cluster, tmp_path)
    died: list[str] = []

    def watch() -> None:
        # Whenever a stage is done, the next one has begun: a worker goes, and another comes.
        while job.poll() is None and len(died) < len(STAGES):
            stage = STAGES[len(died)]
            before = STAGES[len(died) - 1] if died else "begun"
            if (ours / "_work" / f"{before}.done").exists() and not (ours / "_work" / f"{stage}.done").exists():
                cluster.kill_worker()
                died.append(stage)
                cluster.add_worker()
            elif (ours / "_work" / f"{stage}.done").exists():
                died.append(f"{stage} was too fast")
            time.sleep(0.05)

    watching = threading.Thread(target=watch)
    watching.start()
    finished(cluster, job)
    watching.join()
    assert sum("too fast" not in stage for stage in died) >= 4, died
    same_results(ours, program)


def test_a_driver_that_dies_leaves_no_result_and_goes_on(
    cluster: spark_cluster.Cluster, tmp_path: pathlib.Path
) -> None:
    program = by_program(tmp_path, crowds())
    ours = tmp_path / "ours"
    job = cluster.submit(tmp_path / "corpus.jsonl", "-o", ours)
    end = time.monotonic() + SECONDS
    while not (ours / "_work" / "found.done").exists():
        assert job.poll() is None and time.monotonic() < end
        time.sleep(0.05)
    spark_cluster.kill(job)
    job.communicate()
    assert not (ours / "report.json").exists()
    finished(cluster, cluster.submit(tmp_path / "corpus.jsonl", "-o", ours, "--resume"))
    assert same_results(ours, program)["resumed"]


def test_a_damaged_file_is_one_clear_error(cluster: spark_cluster.Cluster, tmp_path: pathlib.Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as parquet

    path = tmp_path / "rows.parquet"
    parquet.write_table(pa.Table.from_pylist(crowds()), path, row_group_size=100)
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 3 : len(damaged) // 2] = bytes(len(damaged) // 2 - len(damaged) // 3)
    path.write_bytes(bytes(damaged))
    job = cluster.submit(path, "-o", tmp_path / "ours")
    # spark-submit hands on all that the driver prints as its own output.
    told, _ = job.communicate(timeout=SECONDS)
    assert job.returncode == 1
    assert [line for line in told.splitlines() if line.startswith("lookalike-spark: the job ended: ")], told[-2000:]
    assert not (tmp_path / "ours" / "report.json").exists() and not (tmp_path / "ours" / "kept.parquet").exists()


def test_spark_connect_gives_what_the_program_gives(tmp_path: pathlib.Path) -> None:
    program = by_program(tmp_path, crowds())
    script = (
        "import sys, lookalike.spark as spark\n"
        "from pyspark.sql import SparkSession\n"
        "session = SparkSession.builder.remote('local[2]')\n"
        "for name, value in (('sql.shuffle.partitions', '4'), ('sql.codegen.wholeStage', 'false'),"
        " ('driver.bindAddress', '127.0.0.1'), ('driver.host', '127.0.0.1')):\n"
        "    session = session.config(f'spark.{name}', value)\n"
        "session = session.getOrCreate()\n"
        "assert 'connect' in type(session).__module__\n"
        "spark.dedup(session.read.text(sys.argv[1]).repartition(3), output=sys.argv[2], lines=True)\n"
        "session.stop()\n"
    )
    environment = {**spark_cluster.environment(), "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
    subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "corpus.jsonl"), str(tmp_path / "ours")],
        check=True, timeout=SECONDS, env=environment, capture_output=True,
    )  # fmt: skip
    same_results(tmp_path / "ours", program)
    assert json.loads((tmp_path / "ours" / "report.json").read_text())["removed"] > 10


def test_a_template_that_half_of_the_documents_share(cluster: spark_cluster.Cluster, tmp_path: pathlib.Path) -> None:
    """Half of 4,000 documents share a template, a quarter is the same, and one is larger than all others together."""
    rows: list[dict[str, Any]] = crowds()
    template = next(row["text"] for row in rows if row["id"] == "t1")
    made = [{"id": f"x{number}", "text": f"{template} own{number}"} for number in range(2000)]
    made += [
        {"id": f"y{number}", "text": "the very same words in every one of these many documents"}
        for number in range(1000)
    ]
    made += [
        {"id": f"z{number}", "text": " ".join(f"{word}{number}" for word in ("one", "two", "three", "four", "five"))}
        for number in range(1000)
    ]
    made.append({"id": "giant", "text": " ".join(f"giant{number}" for number in range(1_000_000))})
    program = by_program(tmp_path, made)
    finished(cluster, cluster.submit(tmp_path / "corpus.jsonl", "-o", tmp_path / "ours"))
    same_results(tmp_path / "ours", program)
