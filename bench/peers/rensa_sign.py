"""rensa: R-MinHash digests of many texts as one matrix, which is faster than an object each, timed from the texts on.

Prints one JSON object.
"""

import json

import common
from rensa import RMinHash

SEED = 42


def sign(texts: list[str]) -> object:
    return RMinHash.digest_matrix_from_token_sets([common.shingles(text) for text in texts], common.HASHES, SEED)


if __name__ == "__main__":
    print(json.dumps(common.time_signing(sign)))
