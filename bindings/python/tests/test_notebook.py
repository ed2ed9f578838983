"""A real notebook shows reports, tables and comparisons."""

from __future__ import annotations

import nbformat
from nbclient import NotebookClient


def test_a_notebook_shows_results() -> None:
    cells = [
        "import lookalike as la\ntexts = ['one two three four five six', 'One two three four five six!']",
        "result = la.dedup(texts * 2, progress=True)",
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
    assert "<iframe" in shown[2] and "near-duplicate" in shown[2].lower()
    assert "<table" in shown[3] and "keeper" in shown[3]
    assert "<mark>one two three four five six seven eight nine ten</mark>" in shown[4] and "<b>" not in shown[4]
    assert "<iframe" in shown[5]
