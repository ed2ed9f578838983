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
DECIMALS = {"docs_per_s": 0, "peak_mb": 0, "precision": 4, "recall": 4, "mb_per_s": 1}


def cell(result: dict, key: str) -> str:
    value = result.get(key)
    if value is None:
        return "-" if key != "note" else ""
    if isinstance(value, (int, float)):
        return f"{value:.{DECIMALS.get(key, 2)}f}"
    return str(value)


def render(results: list[dict]) -> str:
    columns = [column for column in COLUMNS if column[1] != "note" or any(r.get("note") for r in results)]
    rows = [[title for title, _ in columns]]
    rows += [[cell(result, key) for _, key in columns] for result in results]
    widths = [max(len(row[i]) for row in rows) for i in range(len(columns))]
    lines = []
    for row in rows:
        # Words to the left, numbers to the right.
        cells = [text.ljust(width) if i < 2 or columns[i][1] == "note" else text.rjust(width)
                 for i, (text, width) in enumerate(zip(row, widths))]
        lines.append("  ".join(cells).rstrip())
    lines.insert(1, "  ".join("-" * width for width in widths))
    return "\n".join(lines)
