"""Corpora for the tests of the job on Spark, made the same way each time."""

from __future__ import annotations

import random
from typing import Any

import corpora


def crowds(seed: int = 3) -> list[dict[str, Any]]:
    """More than 256 documents of one template, others that are the same, copies in another case, and ordinary ones."""
    chance = random.Random(seed)
    template = [f"{chance.choice(corpora.WORDS)}{chance.randrange(40)}" for _ in range(120)]
    template[::10] = [f"The {word} said." for word in template[::10]]
    made = []
    for number in range(300):
        words = list(template)
        words[chance.randrange(len(words))] = f"own{number}"
        made.append({"id": f"t{number}", "text": " ".join(words), "title": "page"})
    same = " ".join(chance.choice(corpora.WORDS) + str(number) for number in range(60))
    made += [
        {"id": f"s{number}", "text": same if number % 3 else same.upper() + "!", "title": ""} for number in range(60)
    ]
    made += corpora.documents(120, seed)
    # The same rows twice: nobody can tell them apart.
    made += [dict(made[0]), dict(made[301]), dict(made[-1])]
    made += [{"id": "empty", "text": "", "title": ""}, {"id": "short", "text": "one word", "title": ""}]
    chance.shuffle(made)
    return made


CORPORA = {"english": corpora.documents, "han": corpora.han, "crowds": crowds}
