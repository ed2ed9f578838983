"""What `bench/quality` tries: methods as they are, and the settings whose effect the papers measured."""

from dataclasses import dataclass

METHODS = [
    "minhash", "supershingle", "megashingle", "word-tuples", "exact", "imatch", "textprofile", "simhash",
    "spotsigs", "lsbs", "sentences", "cosine", "ensemble",
]  # fmt: skip


@dataclass(frozen=True)
class Trial:
    method: str
    changes: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        return " ".join([self.method, *self.changes])


COSINE = Trial("cosine")
BY_SIGNATURE = "decide.verify=signature"

TITLES = {
    "methods": "All methods",
    "looser": "Lower thresholds",
    "containment": "Containment",
    "imatch": "I-Match: how many randomised lexicons (K04, Table 1)",
    "simhash": "Simhash: distance and weights, nothing verified (S09, Table 6.1)",
    "lsbs": "LSBS: chunks by position and by content (L17)",
}


def trials(table: str) -> list[Trial]:
    match table:
        case "methods":
            as_they_are = [Trial(method) for method in METHODS]
            # The listed truth is about 3-grams; the default is 5.
            return [*as_they_are, Trial("minhash", ("features.shingle=3",))]
        case "looser":
            by_threshold = [("minhash", 0.5), ("minhash", 0.3), ("cosine", 0.7), ("simhash", 0.7), ("imatch", 0.7)]
            return [Trial(method, (f"decide.threshold={threshold}",)) for method, threshold in by_threshold]
        case "containment":
            # The sentences as they are, fewer of them, and shorter pieces: shingles joined by the same measure.
            sentences = [Trial("sentences", (f"decide.threshold={threshold}",)) for threshold in (0.3, 0.1)]
            shingles = ("features.type=shingles", "features.shingle=3")
            thresholds = (0.5, 0.3, 0.2)
            return sentences + [Trial("sentences", (*shingles, f"decide.threshold={t}")) for t in thresholds]
        case "imatch":
            return [
                Trial("imatch", (f"sign.lexicons={lexicons}", *verify))
                for verify in [(BY_SIGNATURE,), ()]
                for lexicons in (0, 2, 5, 10)
            ]
        case "simhash":
            return [
                Trial("simhash", (f"decide.distance={distance}", BY_SIGNATURE, *weights))
                for weights in [(), ("features.weight=one",)]
                for distance in range(7)
            ]
        case "lsbs":
            by_content = ("features.align=content", "candidates.type=join")
            return [
                Trial("lsbs", (*align, f"decide.threshold={threshold}"))
                for align in [(), by_content]
                for threshold in (0.8, 0.5)
            ]
    raise ValueError(f"no table {table}")
