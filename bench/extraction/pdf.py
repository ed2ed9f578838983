#!/usr/bin/env python3
"""How well the PDF reader agrees with pdftotext.

    bench/extraction/pdf.py FOLDER EXTRACT [--worst N] [--keep FILE]

FOLDER is searched for PDF files; EXTRACT is the `extract` example, built with
`cargo build --release -p lookalike-extract --example extract`. Each file is read in a process of
its own, with the limits that the child process has (30 s, 600 MB of address space).

The agreement on a file is the F1 of the multisets of lower-cased words (`\\w+`), the order that of
the word pairs; the means are over the files in which pdftotext finds a word. An own reading may be
better than the yardstick, so the worst files are to be looked at, not only counted.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

SECONDS = 30
ADDRESS_SPACE = 600 << 20
WORD = re.compile(r"\w+")


def words(text):
    return WORD.findall(text.lower())


def f1(ours, theirs):
    if not ours and not theirs:
        return 1.0
    ours, theirs = collections.Counter(ours), collections.Counter(theirs)
    common = sum((ours & theirs).values())
    return 2 * common / max(1, sum(ours.values()) + sum(theirs.values()))


def run(command):
    """Output, what went wrong if anything, seconds of processor time, peak megabytes."""
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_SPACE, ADDRESS_SPACE))
        child = subprocess.Popen(command, stdout=output, stderr=errors, preexec_fn=limit)
        deadline = time.monotonic() + SECONDS
        while True:
            pid, status, usage = os.wait4(child.pid, os.WNOHANG)
            if pid:
                child.returncode = os.waitstatus_to_exitcode(status)
                break
            if time.monotonic() > deadline:
                child.kill()
                _, _, usage = os.wait4(child.pid, 0)
                child.returncode = -9
                return "", "hang", usage.ru_utime + usage.ru_stime, usage.ru_maxrss >> 10
            time.sleep(0.002)
        output.seek(0)
        errors.seek(0)
        text = output.read().decode("utf-8", "replace")
        problem = errors.read().decode("utf-8", "replace").strip() if child.returncode else None
        if child.returncode and not problem:
            problem = f"ended with {child.returncode}"
        return text, problem, usage.ru_utime + usage.ru_stime, usage.ru_maxrss >> 10


def ours(extract, path):
    output, problem, seconds, megabytes = run([extract, str(path)])
    text, said = "", problem
    for line in output.splitlines():
        outcome = json.loads(line)[1]
        if "document" in outcome:
            text += outcome["document"]["text"] + "\n"
        else:
            said = said or json.dumps(outcome["unreadable"]["reason"])
    return text, said, bool(problem), seconds, megabytes


def theirs(path):
    command = ["pdftotext", "-enc", "UTF-8", str(path), "-"]
    try:
        output = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return ""
    return output.stdout.decode("utf-8", "replace")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("extract")
    parser.add_argument("--worst", type=int, default=15, help="how many of the worst files are printed")
    parser.add_argument("--keep", type=pathlib.Path, help="writes the figures of each file, as JSON lines")
    arguments = parser.parse_args()

    paths = sorted(path for path in arguments.folder.rglob("*") if path.suffix.lower() == ".pdf")
    if not paths:
        sys.exit(f"no PDF file below {arguments.folder}")
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        references = [pool.submit(theirs, path) for path in paths]
        rows = []
        for path, reference in zip(paths, references):
            text, said, crashed, seconds, megabytes = ours(arguments.extract, path)
            mine, other = words(text), words(reference.result())
            rows.append({
                "file": str(path.relative_to(arguments.folder)),
                "f1": f1(mine, other),
                "pairs": f1(zip(mine, mine[1:]), zip(other, other[1:])) if len(other) > 1 else None,
                "words": len(mine),
                "reference": len(other),
                "seconds": round(seconds, 3),
                "megabytes": megabytes,
                "said": said,
                "crashed": crashed,
            })
    if arguments.keep:
        arguments.keep.write_text("".join(json.dumps(row) + "\n" for row in rows))

    read = [row for row in rows if row["reference"]]
    pairs = [row["pairs"] for row in read if row["pairs"] is not None]
    print(f"files                {len(rows)}, with text by pdftotext {len(read)}")
    print(f"mean F1 of words     {sum(row['f1'] for row in read) / max(1, len(read)):.4f}")
    print(f"mean F1 of pairs     {sum(pairs) / max(1, len(pairs)):.4f}")
    print(f"below 0.9 / 0.5      {sum(row['f1'] < 0.9 for row in read)} / {sum(row['f1'] < 0.5 for row in read)}")
    print(f"text only in ours    {sum(not row['reference'] and row['words'] > 0 for row in rows)}")
    print(f"crashes, hangs       {sum(row['crashed'] for row in rows)}")
    print(f"processor seconds    {sum(row['seconds'] for row in rows):.1f}, longest {max(row['seconds'] for row in rows):.2f}")
    print(f"peak megabytes       {max(row['megabytes'] for row in rows)}")
    for row in sorted(read, key=lambda row: row["f1"])[: arguments.worst]:
        said = f"  {row['said'][:90]}" if row["said"] else ""
        print(f"  {row['f1']:.3f} {row['words']:>6} of {row['reference']:>6}  {row['file']}{said}")
    for row in rows:
        if row["crashed"]:
            print(f"  crashed: {row['file']}: {row['said'][:200]}")


if __name__ == "__main__":
    main()
