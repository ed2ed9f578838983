"""What a method's speed is held against."""

from dataclasses import dataclass

COLUMNS = [
    ("measured", "what"),
    ("figure", "shown"),
    ("bar", "bar"),
    ("met", "met"),
    ("× limit", "limit_ratio"),
    ("note", "note"),
]


@dataclass(frozen=True)
class Bar:
    """A bound that a figure must not pass: "≥ 300" or "≤ 5"."""

    sign: str
    value: float

    def holds(self, figure: float) -> bool:
        return figure >= self.value if self.sign == "≥" else figure <= self.value

    def __str__(self) -> str:
        return f"{self.sign} {self.value:g}"


def row(what: str, figure: float | None, unit: str, bar: Bar | None = None, **more) -> dict:
    """A line of the table.  Without a figure it counts as missed, and its note should say why there is none."""
    if figure is None:
        shown, met = "-", "NO"
    else:
        shown = f"{figure:.{2 if figure < 100 else 0}f} {unit}"
        met = "-" if bar is None else "yes" if bar.holds(figure) else "NO"
    return {"what": what, "figure": figure, "unit": unit, "shown": shown, "bar": str(bar or "-"), "met": met, **more}
