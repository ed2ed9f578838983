#!/usr/bin/env python3
"""How well the main content of web pages is found, beside texts that people marked.

    main_content.py DATA EXTRACT [--worst N] [--show ID]

DATA is a checkout of scrapinghub/article-extraction-benchmark (html/ID.html.gz and
ground-truth.json), EXTRACT the program `cargo build --release -p lookalike-extract --example
extract` makes.  The measure is that benchmark's: runs of four words, counted as often as they occur;
precision and recall of each page, averaged, and F1 of the averages.  The mean of the pages' own F1
is shown too, and both for two halves of the pages (by a hash of their names), of which only the
first should be looked at when heuristics are changed.
"""

import argparse
import collections
import gzip
import hashlib
import json
import pathlib
import re
import statistics
import subprocess
import tempfile


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("data", type=pathlib.Path)
    arguments.add_argument("extract", type=pathlib.Path)
    arguments.add_argument("--worst", type=int, default=0, help="list the pages with the lowest F1 of the first half")
    arguments.add_argument("--show", help="print what is missing and what is too much in a page")
    options = arguments.parse_args()
    truth = json.loads((options.data / "ground-truth.json").read_text(encoding="utf-8"))
    found = extract(options.data, options.extract, truth)
    scores = {name: score(truth[name].get("articleBody", ""), found.get(name, "")) for name in truth}
    if options.show:
        show(truth, found, scores, options.show)
        return
    halves = {name: int(hashlib.sha256(name.encode()).hexdigest(), 16) % 2 for name in truth}
    print_scores("all", scores.values())
    print_scores("first half", [scores[name] for name in scores if halves[name] == 0])
    print_scores("held out", [scores[name] for name in scores if halves[name] == 1])
    for name in sorted((n for n in scores if halves[n] == 0), key=lambda n: scores[n][2])[: options.worst]:
        precision, recall, f1 = scores[name]
        print(f"{f1:.3f} p={precision:.3f} r={recall:.3f} {name[:12]} {truth[name].get('url', '')[:90]}")


def extract(data, program, names):
    """The text of each page."""
    texts = {}
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for name in sorted(names):
            path = pathlib.Path(folder) / f"{name}.html"
            path.write_bytes(gzip.decompress((data / "html" / f"{name}.html.gz").read_bytes()))
            files.append(str(path))
        output = subprocess.run([program, *files], stdout=subprocess.PIPE, check=True).stdout
    for line in output.decode().splitlines():
        file, outcome = json.loads(line)
        if "document" in outcome:
            texts[pathlib.Path(file).stem] = outcome["document"]["text"]
    return texts


def shingles(text, length=4):
    words = re.findall(r"\w+", text or "")
    runs = (tuple(words[i : i + length]) for i in range(max(1, len(words) - length + 1)))
    return collections.Counter(run for run in runs if run)


def score(true, found):
    """Precision, recall and F1 of one page."""
    true, found = shingles(true), shingles(found)
    both = (true & found).total()
    if true == found:
        return 1.0, 1.0, 1.0
    precision = both / found.total() if found else None
    recall = both / true.total() if true else None
    return precision, recall, 2 * both / (true.total() + found.total())


def print_scores(label, scores):
    scores = list(scores)
    precision = statistics.mean(s[0] for s in scores if s[0] is not None)
    recall = statistics.mean(s[1] for s in scores if s[1] is not None)
    each = statistics.mean(s[2] for s in scores)
    f1 = 2 * precision * recall / (precision + recall)
    print(f"{label:10} {len(scores):4} pages  precision {precision:.4f}  recall {recall:.4f}  F1 {f1:.4f}  mean of F1 {each:.4f}")


def show(truth, found, scores, start):
    import difflib

    name = next(name for name in truth if name.startswith(start))
    print(name, truth[name].get("url"), scores[name])
    sides = [re.sub(r"\s*\n\s*", "\n", text).strip().split("\n") for text in (truth[name]["articleBody"], found.get(name, ""))]
    for line in difflib.unified_diff(*sides, "true", "found", lineterm="", n=1):
        print(line[:400])


if __name__ == "__main__":
    main()
