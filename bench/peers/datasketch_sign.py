"""datasketch: signatures of many texts by `MinHash.bulk`, timed from the texts on.  Prints one JSON object."""

import json

import common
import xxhash
from datasketch import MinHash


def sign(texts: list[str]) -> list[MinHash]:
    shingles = ([shingle.encode() for shingle in common.shingles(text)] for text in texts)
    return MinHash.bulk(shingles, num_perm=common.HASHES, hashfunc=xxhash.xxh32_intdigest)


if __name__ == "__main__":
    print(json.dumps(common.time_signing(sign)))
