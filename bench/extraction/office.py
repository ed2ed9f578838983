#!/usr/bin/env python3
"""How much of a word processor's file we read, held against LibreOffice's own text export.

    cargo build --release -p lookalike-extract --example extract
    bench/extraction/office.py FOLDER target/release/examples/extract [--keep EXPORTS] [--only docx,odt] [--worst 15]

For every doc, docx, odt, rtf (and their template forms) under FOLDER that LibreOffice converts, the words
of both texts (lower-cased runs of letters and digits, each counted as often as it occurs) give precision,
recall and F1. The export leaves out notes, text boxes, headers, footers and formulas, and has deleted text
that is still tracked; ours is the other way round, so a file with any of these cannot reach 1. Files that
only one side reads are listed, so that a wrong refusal is seen. LibreOffice's exports are kept in EXPORTS
between runs, by the files' content.
"""

import argparse
import collections
import hashlib
import json
import pathlib
import re
import shutil
import statistics
import subprocess
import tempfile

FAMILY = {"doc": "doc", "dot": "doc", "docx": "docx", "dotx": "docx", "docm": "docx", "odt": "odt", "ott": "odt",
          "rtf": "rtf"}
BATCH = 20


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("extract", type=pathlib.Path, help="the extract example's binary")
    parser.add_argument("--keep", type=pathlib.Path, help="where LibreOffice's exports stay between runs")
    parser.add_argument("--only", default="docx,odt,doc,rtf", help="families, parted by commas")
    parser.add_argument("--worst", type=int, default=15, help="how many of the worst files to list")
    options = parser.parse_args()
    wanted = options.only.split(",")
    files = [path for path in sorted(options.folder.rglob("*")) if path.is_file() and family(path) in wanted]
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        exports = options.keep or scratch / "exports"
        exports.mkdir(parents=True, exist_ok=True)
        export(files, exports, scratch)
        report(files, exports, options)


def family(path):
    return FAMILY.get(path.suffix.lower().lstrip("."))


def key(path):
    return hashlib.sha1(path.read_bytes()).hexdigest()


def export(files, exports, scratch):
    """Leaves KEY.txt for each file that LibreOffice converts, KEY.none for the others."""
    staged = scratch / "staged"
    staged.mkdir()
    due = []
    for path in files:
        name = key(path)
        if (exports / f"{name}.txt").exists() or (exports / f"{name}.none").exists():
            continue
        copy = staged / f"{name}{path.suffix.lower()}"
        if not copy.exists():
            shutil.copyfile(path, copy)
            due.append(copy)
    for start in range(0, len(due), BATCH):
        batch = due[start:start + BATCH]
        convert(batch, exports, scratch, 180)
        # One bad file can take the rest of its batch with it: those that are missing go alone.
        for copy in batch:
            if not (exports / f"{copy.stem}.txt").exists():
                convert([copy], exports, scratch, 60)
            if not (exports / f"{copy.stem}.txt").exists():
                (exports / f"{copy.stem}.none").touch()
        print(f"exported {min(start + BATCH, len(due))} of {len(due)}", flush=True)


def convert(copies, exports, scratch, seconds):
    subprocess.run(
        ["timeout", "-k", "5", str(seconds), "soffice", f"-env:UserInstallation=file://{scratch}/profile", "--headless",
         "--convert-to", "txt:Text:UTF8", "--outdir", str(exports), *map(str, copies)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def read(extract, path):
    """Our text of the file, or why there is none."""
    try:
        run = subprocess.run([extract, path], capture_output=True, timeout=120, check=False)
    except subprocess.TimeoutExpired:
        return None, "HANGS"
    if run.returncode != 0:
        return None, f"CRASHES ({run.returncode}): {run.stderr.decode(errors='replace')[-200:]}"
    texts, reasons = [], []
    for line in run.stdout.decode().splitlines():
        outcome = json.loads(line)[1]
        if "document" in outcome:
            texts.append(outcome["document"]["text"])
        else:
            reasons.append(json.dumps(outcome["unreadable"]["reason"]))
    return ("\n".join(texts), "") if texts else (None, "; ".join(reasons))


def words(text):
    # A soft hyphen only says where a word may be broken.
    return collections.Counter(re.findall(r"\w+", text.lower().replace("\u00ad", "")))


def score(expected, found):
    if not expected and not found:
        return 1.0, 1.0, 1.0
    both = sum((expected & found).values())
    precision = both / max(1, sum(found.values()))
    recall = both / max(1, sum(expected.values()))
    return 2 * precision * recall / max(1e-9, precision + recall), precision, recall


def report(files, exports, options):
    rows, wordless, ours_only, theirs_only, neither, seen = [], [], [], [], [], set()
    for path in files:
        name = key(path)
        if name in seen:
            continue
        seen.add(name)
        theirs = exports / f"{name}.txt"
        found, reason = read(options.extract, path)
        if theirs.exists():
            expected = words(theirs.read_text(encoding="utf-8", errors="replace"))
            if not expected and words(found or ""):
                wordless.append((path, len(found or "")))
            elif found is None and expected:
                theirs_only.append((path, reason, sum(expected.values())))
            else:
                rows.append((family(path), path, *score(expected, words(found or "")), sum(expected.values())))
        elif found is None:
            neither.append((path, reason))
        else:
            ours_only.append((path, len(found)))
    rows.sort(key=lambda row: row[2])
    print(f"\nworst {options.worst} (F1, precision, recall, words in the export)")
    for _, path, f1, precision, recall, count in rows[:options.worst]:
        print(f"  {f1:.3f} {precision:.3f} {recall:.3f} {count:7} {path.relative_to(options.folder)}")
    print("\nLibreOffice reads, we do not (words)")
    for path, reason, count in theirs_only:
        print(f"  {count:7} {path.relative_to(options.folder)}: {reason}")
    print("\nwe read, LibreOffice does not (bytes of text)")
    for path, length in ours_only:
        print(f"  {length:7} {path.relative_to(options.folder)}")
    print("\nno word in LibreOffice's export but some in ours: not scored (bytes of our text)")
    for path, length in wordless:
        print(f"  {length:7} {path.relative_to(options.folder)}")
    print("\nneither reads")
    for path, reason in neither:
        print(f"  {path.relative_to(options.folder)}: {reason}")
    print("\nkind  files  mean F1  median  >=0.97  refused by us only (count as 0 in the second mean)")
    for kind in sorted({row[0] for row in rows}):
        scores = [row[2] for row in rows if row[0] == kind]
        refused = sum(1 for path, _, _ in theirs_only if family(path) == kind)
        print(f"{kind:5} {len(scores):5}  {statistics.mean(scores):7.4f}  {statistics.median(scores):6.4f}  "
              f"{sum(s >= 0.97 for s in scores):6}  {refused} ({sum(scores) / (len(scores) + refused):.4f})")


if __name__ == "__main__":
    main()
