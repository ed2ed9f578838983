from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))
from service import Service, program


@pytest.fixture
def new_service(tmp_path: Path) -> Iterator[Callable[..., Service]]:
    """Makes services that end with the test; `start` starts one."""
    if program() is None:
        pytest.fail("there is no program: build `lookalike`, or name one in LOOKALIKE")
    made: list[Service] = []

    def make(**settings: object) -> Service:
        folder = tmp_path / f"service-{len(made)}"
        folder.mkdir()
        made.append(Service(folder, **settings))
        return made[-1]

    yield make
    for service in made:
        service.stop()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One service for the tests of a file, which must not mind each other's documents."""
    if program() is None:
        pytest.fail("there is no program: build `lookalike`, or name one in LOOKALIKE")
    made = Service(tmp_path_factory.mktemp("service")).start()
    yield made
    made.stop()
