"""Prints results as a table."""

COLUMNS = [
    ("tool", "tool"),
    ("corpus", "corpus"),
    ("wall s", "wall_s"),
    ("median", "wall_median_s"),
    ("docs/s", "docs_per_s"),
    ("MB/s", "mb_per_s"),
    ("CPU s", "cpu_s"),
    ("peak MB", "peak_mb"),
    ("precision", "precision"),
    ("recall", "recall"),
    ("wall ×ours", "wall_ratio"),
    ("CPU ×ours", "cpu_ratio"),
    ("note", "note"),
]
DECIMALS = {"docs_per_s": 0, "peak_mb": 0, "precision": 4, "recall": 4, "f1": 4, "mean_recall": 4, "mb_per_s": 1}


def cell(result: dict, key: str) -> str:
    value = result.get(key)
    if value is None:
        return "-" if key != "note" else ""
    if isinstance(value, float):
        # Of "truth.recall", the last part says what it is.
        return f"{value:.{DECIMALS.get(key.rpartition('.')[2], 2)}f}"
    return str(value)


def render(results: list[dict], columns: list[tuple[str, str]] = COLUMNS) -> str:
    rows, numeric = grid(results, columns)
    widths = [max(len(row[i]) for row in rows) for i in range(len(numeric))]
    lines = []
    for row in rows:
        # Words to the left, numbers to the right.
        cells = [text.rjust(width) if number else text.ljust(width) for text, width, number in zip(row, widths, numeric)]
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)


def markdown(results: list[dict], columns: list[tuple[str, str]]) -> str:
    rows, numeric = grid(results, columns)
    lines = [f"| {' | '.join(text.replace('|', chr(92) + '|') for text in row)} |" for row in rows]
    lines.insert(1, f"| {' | '.join('---:' if number else '---' for number in numeric)} |")
    return "\n".join(lines)


def grid(results: list[dict], columns: list[tuple[str, str]]) -> tuple[list[list[str]], list[bool]]:
    """The cells, titles first, and whether a column has numbers; a note that nobody has is left out."""
    columns = [column for column in columns if column[1] != "note" or any(r.get("note") for r in results)]
    rows = [[title for title, _ in columns]]
    rows += [[cell(result, key) for _, key in columns] for result in results]
    values = [[result.get(key) for result in results] for _, key in columns]
    return rows, [not any(isinstance(value, str) for value in column) for column in values]
