"""The client through a real nginx, set up as docs/serve.md says: below a path, and on a host of its own."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from lookalike.client import Client
from service import PATIENCE, ROOT, Service

ADDRESS = "https://example.org/a//b?c=%2F&d=é"


def block(service: Service, path: str) -> str:
    """What the documentation tells to write, for this service and path."""
    found = re.search(r"```nginx\n(.*?)```", (ROOT / "docs/serve.md").read_text(), re.DOTALL)
    assert found
    assert all(found[1].count(part) == 1 for part in ("http://127.0.0.1:8080", "location /lookalike/"))
    return found[1].replace("http://127.0.0.1:8080", service.url).replace("location /lookalike/", f"location {path}/")


@pytest.fixture
def behind_nginx(tmp_path: Path) -> Iterator[Callable[[Service, str], str]]:
    nginx = shutil.which("nginx", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
    if nginx is None:
        pytest.skip("nginx is not installed: the tests behind a proxy are left out")
    children: list[subprocess.Popen[bytes]] = []

    def start(service: Service, path: str) -> str:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        places = " ".join(
            f"{kind}_temp_path {tmp_path}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        settings = tmp_path / "nginx.conf"
        settings.write_text(
            f"{'user root;' if os.getuid() == 0 else ''} daemon off; pid {tmp_path}/pid; error_log stderr crit; events {{}}\n"
            f"http {{ access_log off; {places} server {{ listen 127.0.0.1:{port}; {block(service, path)} }} }}"
        )
        children.append(subprocess.Popen([nginx, "-p", str(tmp_path), "-c", str(settings)]))
        end = time.monotonic() + PATIENCE
        while True:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                return f"http://127.0.0.1:{port}{path}"
            except OSError:
                assert time.monotonic() < end and children[-1].poll() is None
                time.sleep(0.02)

    yield start
    for child in children:
        child.terminate()
        child.wait(PATIENCE)


@pytest.mark.parametrize("path", ["/lookalike", ""])
def test_a_client_behind_a_proxy(
    new_service: Callable[..., Service], behind_nginx: Callable[[Service, str], str], path: str
) -> None:
    service = new_service(**({"prefix": path} if path else {}))
    token = service.token("crawler", "write")
    with Client(behind_nginx(service.start(), path) + "/", token=token) as client:
        story = "The ferry left the harbour at noon and ran aground on a sandbank in front of the island"
        assert client.add({"id": ADDRESS, "text": story})["action"] == "inserted"
        assert client.get(ADDRESS)["id"] == ADDRESS
        assert [match["id"] for match in client.check(story)["matches"]] == [ADDRESS]
        many = [
            {"id": number, "text": " ".join(f"w{number}-{place}" for place in range(200))} for number in range(2000)
        ]
        assert [answer["verdict"] for answer in client.add(many)] == ["new"] * 2000
