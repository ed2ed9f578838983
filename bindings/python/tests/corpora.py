"""Small corpora, made the same way each time."""

from __future__ import annotations

import random
from typing import Any

WORDS = (
    "harvest river council bridge market summer engine letter garden window station winter doctor village paper music "
    "copper island morning quarter village report figure storm harbour captain ticket factory signal orchard meadow"
).split()
HAN = "春夏秋冬山川草木風雨雪月花鳥魚虫天地人水火土金石海空星雲東西南北"


def documents(count: int = 240, seed: int = 1, words: int = 60) -> list[dict[str, Any]]:
    """English: a third of the documents are near-duplicates or copies of others."""
    chance = random.Random(seed)
    made: list[dict[str, Any]] = []
    for number in range(count):
        if number % 3 == 2:
            text = made[chance.randrange(len(made))]["text"].split()
            for _ in range(chance.randrange(3)):
                text[chance.randrange(len(text))] = chance.choice(WORDS)
        else:
            text = [f"{chance.choice(WORDS)}{chance.randrange(40)}" for _ in range(words)]
            text[::9] = [f"The {word} said." for word in text[::9]]
        made.append({"id": f"d{number}", "text": " ".join(text), "title": f"Title {number % 7}"})
    return made


def han(count: int = 120, seed: int = 2) -> list[dict[str, Any]]:
    """Text without spaces."""
    chance = random.Random(seed)
    made: list[dict[str, Any]] = []
    for number in range(count):
        text = "".join(chance.choice(HAN) for _ in range(80)) + "。"
        if number % 3 == 2:
            text = made[chance.randrange(len(made))]["text"]
            place = chance.randrange(len(text))
            text = text[:place] + chance.choice(HAN) + text[place + 1 :]
        made.append({"id": number, "text": text, "title": ""})
    return made
