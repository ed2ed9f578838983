"""A real notebook shows reports, tables and comparisons."""

from __future__ import annotations

import nbformat
from nbclient import NotebookClient


def test_a_notebook_shows_results() -> None:
    cells = [
        "import lookalike as la\nresult = la.dedup(['one two three four five six', 'One two three four five six!'] * 2, progress=True)",
        "result",
        "result.removed",
        "same = 'one two three four five six seven eight nine ten'\nla.compare(same + ' <b>', same + ' eleven')",
        "result.report",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    shown = [
        "".join(output["data"].get("text/html", "") for output in cell.outputs if "data" in output)
        for cell in notebook.cells
    ]
    assert "<iframe" in shown[1] and "near-duplicate" in shown[1].lower()
    assert "<table" in shown[2] and "keeper" in shown[2]
    assert "<mark>one two three four five six seven eight nine ten</mark>" in shown[3] and "<b>" not in shown[3]
    assert "<iframe" in shown[4]
