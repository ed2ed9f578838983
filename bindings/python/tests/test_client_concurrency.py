"""A client in many threads, in asyncio, in a pickle and after a fork."""

# pyright: basic
from __future__ import annotations

import asyncio
import multiprocessing
import os
import pickle
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from lookalike.async_client import AsyncClient
from lookalike.client import Client, ServiceError
from service import Service

TEXT = "words that stand for a document, which is long enough to have some shingles of five words in it"


@pytest.fixture(autouse=True, scope="module")
def known(service: Service) -> None:
    with Client(service.url) as client:
        client.add([{"id": number, "text": f"{number} {TEXT} {number}"} for number in range(20)])


def ports_of(client: Client) -> list[int]:
    """Our ends of the connections that are kept."""
    return [connection.sock.getsockname()[1] for _, connection in client._http._idle.connections]


def connections_of(client: Client) -> int:
    return len(ports_of(client))


def test_many_threads_share_a_client(service: Service) -> None:
    with Client(service.url) as client, ThreadPoolExecutor(24) as pool:
        found = list(pool.map(lambda number: client.get(number % 20)["id"], range(600)))
        assert found == [number % 20 for number in range(600)]
        assert 1 <= connections_of(client) <= 24
    assert connections_of(client) == 0
    assert client.get(3)["id"] == 3


def test_connections_are_kept(service: Service) -> None:
    with Client(service.url) as client:
        for _ in range(5):
            client.check(TEXT)
            client.check_many([TEXT])
        assert connections_of(client) == 1


def test_fifty_checks_at_once(service: Service) -> None:
    async def ask() -> list[dict[str, Any]]:
        async with AsyncClient(service.url) as client:
            return await asyncio.gather(*(client.check(f"{number % 20} {TEXT} {number % 20}") for number in range(50)))

    answers = asyncio.run(ask())
    assert [answer["matches"][0]["id"] for answer in answers] == [number % 20 for number in range(50)]


def test_async_calls(service: Service) -> None:
    async def ask() -> None:
        async with AsyncClient(service.url) as client:
            one: dict[str, Any] = await client.add({"id": "async", "text": TEXT})
            many: list[dict[str, Any]] = await client.add([{"id": "async", "text": TEXT}])
            assert (one["action"], [answer["action"] for answer in many]) == ("inserted", ["unchanged"])
            assert len(await client.check_many([TEXT] * 30)) == 30
            assert (await client.get("async"))["id"] == "async"
            assert await client.remove("async") == 1
            assert await client.get("async") is None
            job = await client.start("dedup", testing={"index": True})
            assert (await client.wait(job, timeout=60))["state"] == "done"
        assert (await client.health()) == {"status": "ok"}
        await client.close()

    asyncio.run(ask())


def test_a_cancelled_call_ends_at_once() -> None:
    """The service says nothing; the thread and the connection of the call must not stay."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(256)
        url = f"http://127.0.0.1:{listener.getsockname()[1]}"

        async def ask() -> float:
            client = AsyncClient(url)
            start = time.monotonic()
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(client.check(TEXT), 0.3)
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(client.check_many([TEXT] * 20), 0.3)
            # Twice as many as there is room for: those that wait are never sent.
            calls = [asyncio.ensure_future(client.check(TEXT)) for _ in range(128)]
            await asyncio.sleep(0.3)
            for call in calls:
                call.cancel()
            await asyncio.gather(*calls, return_exceptions=True)
            assert all(call.cancelled() for call in calls)
            await client.close()
            return start

        start = asyncio.run(ask())
        # The service still listens, so nothing else ends what they wait for.
        while any(thread.name.startswith("lookalike") for thread in threading.enumerate()):
            assert time.monotonic() < start + 10, threading.enumerate()
            time.sleep(0.05)


def test_a_cancelled_insertion_stops_between_batches(service: Service) -> None:
    async def ask() -> int:
        reached = 0

        def documents() -> Any:
            nonlocal reached
            for number in range(1_000_000):
                reached = number
                yield {"id": f"cancelled-{number}", "text": f"{number} of a million"}

        async with AsyncClient(service.url) as client:
            call = asyncio.ensure_future(client.add(documents()))
            while reached < 1000:
                await asyncio.sleep(0.01)
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            await asyncio.sleep(0.5)
            stopped = reached
            await asyncio.sleep(0.5)
            assert reached == stopped
            # The client can still be used.
            assert (await client.check(TEXT))["verdict"]
            return stopped

    assert asyncio.run(ask()) < 500_000


def test_waiting_can_be_cancelled_and_ends(service: Service) -> None:
    with Client(service.url) as client:
        job = client.wait(client.start("dedup", testing={"index": True}), timeout=60)

        async def ask() -> None:
            async with AsyncClient(service.url) as waiting:
                ended = await asyncio.wait_for(waiting.wait(job["id"]), 10)
                assert ended["id"] == job["id"]

        asyncio.run(ask())
        client.cancel(job["id"])
        with pytest.raises(ServiceError, match="no such job"):
            client.wait(job)


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_a_pickle_reconnects(service: Service, kind: type[Any]) -> None:
    made = kind(service.url, "some-token", timeout=12)
    copy = pickle.loads(pickle.dumps(made))
    assert repr(copy) == repr(made) and "some-token" not in repr(made)
    client = copy if kind is Client else copy._client
    assert (client._http.timeout, client._given) == (12, (service.url, "some-token", 12))
    assert client.get(5)["id"] == 5


def _id_of(client: Client, number: int) -> Any:
    return client.get(number)["id"]


def test_other_processes(service: Service) -> None:
    with Client(service.url) as client, multiprocessing.get_context("spawn").Pool(2) as pool:
        assert pool.starmap(_id_of, [(client, number) for number in range(6)]) == list(range(6))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_fork_goes_on(service: Service) -> None:
    with Client(service.url) as client:
        client.get(1)
        before = ports_of(client)
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            # A connection that both used would mix up their answers.
            good = all(client.get(number % 20)["id"] == number % 20 for number in range(100))
            good = good and len(ports_of(client)) == 1 and ports_of(client) != before
            good = good and asyncio.run(AsyncClient(service.url).health()) == {"status": "ok"}
            os.write(write, b"good" if good else b"bad")
            os._exit(0)
        assert all(client.get(number % 20)["id"] == number % 20 for number in range(100))
        os.close(write)
        assert os.read(read, 10) == b"good"
        os.waitpid(child, 0)
        os.close(read)
        assert ports_of(client) == before
