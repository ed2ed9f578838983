#!/usr/bin/env python3
"""Precision and recall of the pairs that `lookalike scan` makes of a folder of pages.

    scan_pairs.py LOOKALIKE FOLDER [--groups FILE] [--wrong N] [--missed N]

LOOKALIKE is the program.  Truth is FILE, lines of {"url": …, "ids": [paths below FOLDER]}: the files
of a line are saves of one page, and no two lines are the same page.  Without FILE the names tell:
`name-1.html` and `name-2.html` are the same page.  A pair is found if a cluster holds both; every
pair of a cluster's members counts.  Figures are told for all sites, for each site, and for two halves
of the sites (by a hash of their names, pairs across them left out), of which only the first should be
looked at when heuristics are changed.  `--wrong` and `--missed` list pairs of the first half, with
what found them.
"""

import argparse
import collections
import hashlib
import itertools
import json
import pathlib
import re
import subprocess


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("lookalike", type=pathlib.Path)
    arguments.add_argument("folder", type=pathlib.Path)
    arguments.add_argument("--groups", type=pathlib.Path)
    arguments.add_argument("--wrong", type=int, default=0)
    arguments.add_argument("--missed", type=int, default=0)
    arguments.add_argument("--all", action="store_true", help="list pairs of both halves")
    arguments.add_argument("--report", type=pathlib.Path, help="the scan's own answer, kept or used again")
    options = arguments.parse_args()
    report = scan(options)
    page_of = pages(options, report)
    truth, found = true_pairs(page_of), found_pairs(report, page_of)
    words = {member["id"]: member["words"] for cluster in report["clusters"] for member in cluster["members"]}
    weak = {entry["path"]: entry["reason"] for entry in report.get("weak", [])}
    print(f"{report['files']} files, {len(report['unreadable'])} unreadable, {len(weak)} weak, "
          f"{len(report['clusters'])} clusters, {len(truth)} true pairs")
    tell("all", truth, set(found))
    for half, name in enumerate(["first half", "held out"]):
        tell(name, *(of_sites(pairs, page_of, lambda site: half_of(site) == half) for pairs in (truth, set(found))))
    by_site = collections.Counter(site_of(page) for page in page_of.values())
    for site, count in by_site.most_common(12 if options.groups else 0):
        tell(f"{site} ({count})", *(of_sites(pairs, page_of, lambda other: other == site) for pairs in (truth, set(found))))
    shown = lambda pairs: sorted(pair for pair in pairs if options.all or any(half_of(site_of(page_of[end])) == 0 for end in pair))
    for a, b in shown(set(found) - truth)[: options.wrong]:
        print(f"wrong  {found[a, b]} words {words[a]} {words[b]}\n   {a} {page_of[a]}\n   {b} {page_of[b]}")
    for a, b in shown(truth - set(found))[: options.missed]:
        print(f"missed {page_of[a]}\n   {a} {weak.get(a, '')}\n   {b} {weak.get(b, '')}")


def scan(options):
    """What the program says of the folder, whose paths are made relative to it."""
    if options.report and options.report.exists():
        return json.loads(options.report.read_text(encoding="utf-8"))
    command = [options.lookalike.resolve(), "scan", "--json", "--no-cache", "."]
    output = subprocess.run(command, cwd=options.folder, stdout=subprocess.PIPE, check=True).stdout
    report = json.loads(output)
    if options.report:
        options.report.write_bytes(output)
    return report


def pages(options, report):
    """The page that each file is a save of."""
    if options.groups:
        lines = options.groups.read_text(encoding="utf-8").splitlines()
        groups = [json.loads(line) for line in lines]
        return {f"./{name}": group["url"] for group in groups for name in group["ids"]}
    files = sorted(options.folder.rglob("*.html"))
    return {f"./{file.relative_to(options.folder)}": re.sub(r"[-_][12]\.html$", "", file.name) for file in files}


def true_pairs(page_of):
    saves = collections.defaultdict(list)
    for file, page in page_of.items():
        saves[page].append(file)
    return {pair for files in saves.values() for pair in itertools.combinations(sorted(files), 2)}


def found_pairs(report, page_of):
    """Each pair with who found its two ends."""
    found = {}
    for cluster in report["clusters"]:
        by = {member["id"]: "+".join(member.get("found_by", [])) or "master" for member in cluster["members"]}
        for pair in itertools.combinations(sorted(set(by) & set(page_of)), 2):
            found[pair] = f"{by[pair[0]]} / {by[pair[1]]}, cluster of {cluster['size']}"
    return found


def site_of(page):
    return page.split("/")[0]


def half_of(site):
    return int(hashlib.sha256(site.encode()).hexdigest(), 16) % 2


def of_sites(pairs, page_of, wanted):
    return {pair for pair in pairs if all(wanted(site_of(page_of[end])) for end in pair)}


def tell(name, truth, found):
    right = len(truth & found)
    precision = right / len(found) if found else 1.0
    recall = right / len(truth) if truth else 1.0
    print(f"{name:<34} precision {precision:.3f} ({right} of {len(found)})  recall {recall:.3f} ({right} of {len(truth)})")


if __name__ == "__main__":
    main()
