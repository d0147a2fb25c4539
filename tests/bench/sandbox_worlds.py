"""Time and memory of the sandbox's worlds.

``python -m tests.bench.sandbox_worlds CUSTOMERS`` builds one world and prints its figures as JSON. Each world is built in its
own process, to measure its own peak of memory. Reads are timed at the service and alternate with the same reads of the
story's world, so that other load on the machine affects both.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import resource
import signal
import statistics
import subprocess
import sys
import time
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from tests.bench.table import Figure, Rows, TableRow
from tests.terminal import ROOT

_READS, _PAGES, _REQUESTS = 400, 40, 300
_CUSTOMERS = int(os.environ.get("BENCH_CUSTOMERS", "100000"))

_KINDS = {"customer": "customers", "charge": "charges", "invoice": "invoices", "payment_method": "payment_methods"}


class World(NamedTuple):
    """The seconds and megabytes that a world took, and for each round its reads compared with the story's."""

    seconds: float
    megabytes: float
    by_id: list[float]
    pages: list[float]


def built(customers: int, rounds: int) -> World:
    """Build a world in its own process. 0 customers means the story's world."""
    command = [sys.executable, "-m", "tests.bench.sandbox_worlds", str(customers), str(rounds)]
    done = subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True)
    return World(**json.loads(done.stdout))


def requests_per_second() -> float:
    """How many pages of 100 one connection to ``callboard sandbox`` gets in a second."""
    command = [sys.executable, "-u", "-m", "tui", "sandbox", "--port", "0", "--no-limits"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        found = re.search(r"http://[0-9.:]+", process.stdout.readline())
        assert found is not None
        connection = http.client.HTTPConnection(urlsplit(found[0]).netloc)
        try:
            _page(connection)
            started = time.perf_counter()
            for _ in range(_REQUESTS):
                _page(connection)
            return _REQUESTS / (time.perf_counter() - started)
        finally:
            connection.close()
            process.send_signal(signal.SIGINT)


def _page(connection: http.client.HTTPConnection) -> None:
    headers = {"Authorization": "Bearer sk_test_bench"}
    connection.request("GET", "/payments/v1/payment_methods?limit=100", headers=headers)
    answer = connection.getresponse()
    if answer.status != 200 or len(json.loads(answer.read())["data"]) != 100:
        raise RuntimeError("the page of 100 is not what it should be")


def _build(customers: int) -> tuple[Any, float, float]:
    """The service of a whole world, the seconds that it took to make, and the peak of memory in megabytes."""
    from registry.sandbox import keeping
    from registry.sandbox.payments.datasets import DATASETS
    from registry.sandbox.payments.service import Service
    from registry.sandbox.world import World as Made

    started = time.perf_counter()
    kept = keeping.in_passing(1, customers or None, lambda part: None)
    service = Service(Made(1, kept.moment, None, kept.customers), DATASETS, kept.database)
    service._datasets.ensure_all()
    seconds = time.perf_counter() - started
    # In kilobytes on Linux, in bytes on macOS.
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform == "darwin" else 1)
    return service, seconds, peak / 1024


def _addresses(service: Any, dice: random.Random) -> list[str]:
    """Paths of random objects of a world, to read by id."""
    found = []
    for kind, path in _KINDS.items():
        table = f'"payments/{kind}"'
        (last,) = service._store._database.execute(f"SELECT max(seq) FROM {table}").fetchone()
        for _ in range(_READS // 4):
            seq = dice.randint(1, last)
            (id_,) = service._store._database.execute(f"SELECT id FROM {table} WHERE seq = ?", (seq,)).fetchone()
            found.append(f"/v1/{path}/{id_}")
    dice.shuffle(found)
    return found


def _read(service: Any, path: str, query: str = "") -> tuple[float, int]:
    """The seconds that a response took, and its size in bytes."""
    from starlette.requests import Request

    headers = [(b"authorization", b"Bearer sk_test_bench")]
    scope = {"type": "http", "method": "GET", "path": path, "query_string": query.encode(), "headers": headers}
    request = Request(scope | {"path_params": {"path": path[1:]}})
    started = time.perf_counter()
    answer = service.api(request)
    seconds = time.perf_counter() - started
    if answer.status_code != 200:
        raise RuntimeError(f"{path} was not answered")
    return seconds, len(answer.body)


def _p95(times: list[float]) -> float:
    return statistics.quantiles(times, n=20)[-1]


def main() -> None:
    """Build, read, print."""
    customers, rounds = int(sys.argv[1]), int(sys.argv[2])
    service, seconds, megabytes = _build(customers)
    by_id: list[float] = []
    pages: list[float] = []
    if customers:
        small, _, _ = _build(0)
        dice = random.Random(1)
        for _ in range(rounds):
            there = _p95([_read(service, path)[0] for path in _addresses(service, dice)])
            by_id.append(there / _p95([_read(small, path)[0] for path in _addresses(small, dice)]))
            # Divided by size: the newest hundred objects differ between the worlds.
            times: dict[Any, list[float]] = {service: [], small: []}
            for _ in range(_PAGES):
                for world, own in times.items():
                    taken, size = _read(world, "/v1/payment_methods", "limit=100")
                    own.append(taken / size)
            pages.append(statistics.median(times[service]) / statistics.median(times[small]))
    sys.stdout.write(json.dumps(World(seconds, megabytes, by_id, pages)._asdict()))


def sandbox_rows(rounds: int) -> Rows:
    """The sandbox: its response times, the time and memory of a world, and reads of a large world compared with a small one."""
    rate = statistics.median(requests_per_second() for _ in range(3))
    story, large = built(0, rounds), built(_CUSTOMERS, rounds)
    name = f"{_CUSTOMERS:,} customers".replace(",", " ")
    return [
        TableRow(f"sandbox, p95 of a by-id read, {name} × usual world", "≤ 2.0", large.by_id),
        TableRow(f"sandbox, a list page of 100 by its size, {name} × usual world", "≤ 1.2", large.pages),
        Figure("sandbox, list pages of 100 over a socket", f"{rate:.0f} requests/s"),
        Figure("sandbox, default data, full build", f"{story.seconds:.2f} s, {story.megabytes:.0f} MB at most"),
        Figure(f"sandbox, a world of {name}", f"{large.seconds:.0f} s, {large.megabytes:.0f} MB at most"),
    ]


if __name__ == "__main__":
    main()
