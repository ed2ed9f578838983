"""simhash-pybind: all pairs of 64-bit fingerprints within a Hamming distance, by `simhash.find_all`.

Reads the file that `hamming … --write FILE` made, and prints a line like it.  `find_all` runs on one thread and is
the library's only way to all pairs; `--blocks` is its one choice, and one block more than the distance was its fastest
at a million fingerprints and distance 3.  It takes and gives numbers, not places, so equal fingerprints are one to it.
The time is that of `find_all` alone, with the conversion from and to Python's sets, for it cannot be had without.
"""

import argparse
import json
import resource
import time

import numpy
import simhash


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file")
    parser.add_argument("distance", type=int)
    parser.add_argument("--blocks", type=int, help="default: distance + 1")
    args = parser.parse_args()
    fingerprints = numpy.fromfile(args.file, dtype="<u8").tolist()
    start = time.perf_counter()
    pairs = simhash.find_all(set(fingerprints), args.blocks or args.distance + 1, args.distance)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    line = {"n": len(fingerprints), "k": args.distance, "threads": 1, "pairs": len(pairs)}
    print(json.dumps(line | {"seconds": round(seconds, 3), "peak_bytes": peak}))


if __name__ == "__main__":
    main()
