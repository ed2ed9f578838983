"""The code of the pages runs as it stands."""

from __future__ import annotations

import asyncio
import pathlib
import re
import shutil
from collections.abc import Callable
from typing import Any

import pytest
from service import Service

ROOT = pathlib.Path(__file__).resolve().parents[3]
BLOCK = re.compile(r"^```python ?(\S*)\n(.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("page", ["python.md", "coming-from.md"])
def test_the_code_of_a_page_runs(
    page: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, new_service: Callable[..., Service]
) -> None:
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    if "http://127.0.0.1:8080" in text:
        text = text.replace("http://127.0.0.1:8080", new_service().start().url)
    names: dict[str, Any] = {}
    blocks = BLOCK.findall(text)
    assert len(blocks) > 5
    for _peer, code in blocks:
        exec(compile(code, f"{page}: {code[:40]!r}", "exec"), names)
    if "check" in names:
        assert len(asyncio.run(names["check"](["The ferry ran aground at noon"] * 3))) == 3
    shutil.rmtree(tmp_path / "deduped", ignore_errors=True)
