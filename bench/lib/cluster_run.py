"""One job on a cluster of Spark that is started for it: run by bench/cluster with an interpreter that has package and PySpark.

Writes to $TOLD what it measured: seconds of the job alone, bytes shuffled and read by stage, memory of executors."""

import argparse
import json
import os
import subprocess
import sys
import threading
import time
from collections import defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bindings" / "python" / "tests"))
import psutil  # noqa: E402
from spark_cluster import Cluster  # noqa: E402

# What comes before texts are compared.
BEFORE = {"signed", "shared", "copies", "differing", "crowds", "found", "candidates", "pivots", "signature-pivots", "verified-places"}


class Memory(threading.Thread):
    """The most that an executor with its Python processes held at once."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(daemon=True)
        self.cluster, self.peak, self.ends = cluster, 0, False

    def run(self) -> None:
        while not self.ends:
            for worker in self.cluster.workers:
                try:
                    family = psutil.Process(worker.pid).children(recursive=True)
                    held = sum(one.memory_full_info().pss for one in family if one.is_running())
                except (psutil.Error, OSError):
                    continue
                self.peak = max(self.peak, held)
            time.sleep(0.5)


def stages(folder: Path) -> dict[str, dict[str, int]]:
    """What Spark's event log tells of each of our stages."""
    names: dict[int, str] = {}
    told: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for path in folder.rglob("*"):
        if not path.is_file() or path.name.startswith("."):
            continue
        for line in path.open(encoding="utf-8"):
            event = json.loads(line)
            if event["Event"] == "SparkListenerJobStart":
                said = (event.get("Properties") or {}).get("spark.job.description") or "other"
                for stage in event["Stage IDs"]:
                    names[stage] = said.removeprefix("lookalike: ")
            elif event["Event"] == "SparkListenerTaskEnd" and event.get("Task Metrics"):
                metrics, of = event["Task Metrics"], told[names.get(event["Stage ID"], "other")]
                of["shuffled"] += metrics["Shuffle Write Metrics"]["Shuffle Bytes Written"]
                of["milliseconds"] += metrics["Executor Run Time"]
                of["jvm_milliseconds"] += metrics["Executor CPU Time"] // 1_000_000
                of["spilled"] += metrics["Disk Bytes Spilled"]
                of["written"] += metrics["Output Metrics"]["Bytes Written"]
    return {name: dict(of) for name, of in told.items()}


def mllib(cluster: Cluster, corpus: str, out: str, seconds: float) -> dict:
    """MinHashLSH of Spark's own library, ended after so many seconds."""
    script = f"""
from pyspark.sql import SparkSession, functions as F
from pyspark.ml.feature import MinHashLSH, NGram, RegexTokenizer, HashingTF
spark = SparkSession.builder.getOrCreate()
rows = spark.read.schema("id string, text string").json({corpus!r})
words = RegexTokenizer(inputCol="text", outputCol="words", pattern="\\\\w+", gaps=False).transform(rows)
grams = NGram(n=5, inputCol="words", outputCol="grams").transform(words).where(F.size("grams") > 0)
sets = HashingTF(inputCol="grams", outputCol="set", numFeatures=1 << 24, binary=True).transform(grams).select("id", "set")
model = MinHashLSH(inputCol="set", outputCol="hashes", numHashTables=16, seed=1).fit(sets)
pairs = model.approxSimilarityJoin(sets, sets, 0.2).where("datasetA.id < datasetB.id")
pairs.select(F.col("datasetA.id").alias("a"), F.col("datasetB.id").alias("b")).write.json({out!r})
"""
    path = Path(out).with_suffix(".py")
    path.write_text(script)
    began = time.monotonic()
    job = cluster.submit_program(path)
    try:
        job.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        from spark_cluster import kill

        kill(job)
        job.communicate()
        return {"seconds": time.monotonic() - began, "ended": True}
    if job.returncode:
        raise SystemExit(cluster.errors()[-3000:])
    return {"seconds": time.monotonic() - began, "ended": False}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("job", choices=["ours", "mllib", "nothing"])
    parser.add_argument("corpus")
    parser.add_argument("out")
    parser.add_argument("--seconds", type=float, default=3600)
    parser.add_argument("--memory", default="1g")
    args = parser.parse_args()
    out = Path(args.out)
    events = out / "events"
    events.mkdir(parents=True)
    cluster = Cluster(out / "cluster", memory=args.memory)
    cluster.more = {
        "spark.eventLog.enabled": "true", "spark.eventLog.dir": events.as_uri(), "spark.sql.shuffle.partitions": "16",
        "spark.eventLog.compress": "false", "spark.eventLog.rolling.enabled": "false",
        # As docs/cluster.md has it for executors with one core and jobs of a minute.
        "spark.executor.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
    }  # fmt: skip
    memory = Memory(cluster)
    memory.start()
    told: dict = {}
    try:
        if args.job == "ours":
            job = cluster.submit(args.corpus, "-o", out / "result")
            job.communicate(timeout=args.seconds)
            if job.returncode:
                raise SystemExit(cluster.errors()[-3000:])
            report = json.loads((out / "result" / "report.json").read_text())
            told = {"seconds": report["seconds"], "report": report}
            with (out / "pairs.jsonl").open("w") as pairs:
                for part in sorted((out / "result" / "pairs.jsonl").glob("part-*")):
                    pairs.write(part.read_text())
        elif args.job == "mllib":
            told = mllib(cluster, args.corpus, str(out / "mllib"), args.seconds)
        else:
            path = out / "nothing.py"
            path.write_text("from pyspark.sql import SparkSession\nSparkSession.builder.getOrCreate().range(100).repartition(2).count()\n")
            cluster.submit_program(path).communicate()
    finally:
        memory.ends = True
        cluster.stop()
    told |= {"stages": stages(events), "executor_mb": memory.peak / 1e6}
    before = sum(of["shuffled"] for name, of in told["stages"].items() if name in BEFORE)
    told |= {"shuffled_before_verification": before, "shuffled": sum(of["shuffled"] for of in told["stages"].values())}
    Path(os.environ["TOLD"]).write_text(json.dumps(told))


if __name__ == "__main__":
    main()
