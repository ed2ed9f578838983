"""simhash-pybind: all pairs of 64-bit fingerprints within a Hamming distance, by `simhash.find_all`.

Reads the file that `hamming … --write FILE` made, and prints a line like it.  `find_all` runs on one thread and is
the library's only way to all pairs; `--blocks` is its one choice, by default one more than its documentation's own
benchmark needs at least (5 for a distance of 3).  It is given numbers and gives numbers, so equal fingerprints are one
to it.  The time is that of `find_all` alone, in which pybind11's conversion to and from Python sets is included, for
there is no other way to call it.
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
    parser.add_argument("--blocks", type=int, help="default: distance + 2")
    args = parser.parse_args()
    fingerprints = numpy.fromfile(args.file, dtype="<u8").tolist()
    start = time.perf_counter()
    # find_all wraps its argument in a set when it is none; a set is what its C++ part takes.
    pairs = simhash.find_all(fingerprints, args.blocks or args.distance + 2, args.distance)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    line = {"n": len(fingerprints), "k": args.distance, "threads": 1, "pairs": len(pairs)}
    print(json.dumps(line | {"seconds": round(seconds, 3), "peak_bytes": peak}))


if __name__ == "__main__":
    main()
