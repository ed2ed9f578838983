"""Documents to ask an index for."""

import json
import random
from pathlib import Path

QUERIES = 5000


def sample(corpus: Path, queries: Path, ids: Path | None = None) -> None:
    """Draws queries from the corpus, with three words changed in half of them, and all ids in random order."""
    chance = random.Random(1)
    kept: list[bytes] = []
    names: list[str] = []
    with corpus.open("rb") as lines:
        for number, line in enumerate(lines):
            names.append(json.dumps(json.loads(line)["id"]))
            if number < QUERIES:
                kept.append(line)
            elif (place := chance.randrange(number + 1)) < QUERIES:
                kept[place] = line
    with queries.open("w") as out:
        for number, line in enumerate(kept):
            document = json.loads(line)
            words = document["text"].split(" ")
            if number % 2:
                for _ in range(3):
                    words[chance.randrange(len(words))] = "changed"
            out.write(json.dumps({"id": f"query-{number}", "text": " ".join(words)}) + "\n")
    if ids is not None:
        chance.shuffle(names)
        ids.write_text("\n".join(names) + "\n")
