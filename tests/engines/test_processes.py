"""Real processes, killed at random: each row exactly once, with exact amounts."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tests.engines.targets import TableTarget, Target
from tests.sandbox.serving import served
from tests.terminal import ROOT

_PAGE = 100
_MEMORY = 300 * 2**20
_BIG = 10**25

_ITEM = (
    '{"id":"we_%09d","object":"webhook_endpoint","amount":%d,"big":%d,"rate":%s,"created":%d,"livemode":false,"description":%s,'
    '"metadata":{"order":"%d","nested":{"n":[%d,null]}},"url":"https://shop.example/hooks/%d","status":"enabled"}'
)


def item(number: int) -> str:
    note = "null" if number % 3 else f'"note {number}"'
    amount, rate = 2**53 + 2 * number + 1, f"{number % 1_000}.25"
    values = (number, amount, _BIG + number, rate, 1_600_000_000 + number, note, number, number, number)
    return _ITEM % values


class Many:
    """A list of so many objects by cursors, made as it is asked for; tells when so many pages were asked for."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.asked = 0
        self.until = 0
        self.reached = threading.Event()

    def application(self) -> Starlette:
        async def answer(request: Request) -> Response:
            self.asked += 1
            if self.until and self.asked >= self.until:
                self.reached.set()
            after = request.query_params.get("starting_after")
            start = int(after.removeprefix("we_")) + 1 if after else 0
            end = min(start + _PAGE, self.count)
            more = "true" if end < self.count else "false"
            data = ",".join(map(item, range(start, end)))
            body = f'{{"object":"list","data":[{data}],"has_more":{more}}}'
            return Response(body, media_type="application/json")

        return Starlette(routes=[Route("/{rest:path}", answer)])

    def wait(self, pages: int) -> None:
        """Wait until so many more pages were asked for."""
        self.reached.clear()
        self.until = self.asked + pages
        assert self.reached.wait(1_800)
        self.until = 0


def summed(target: Target) -> tuple[int, int, int, int]:
    """Rows, different keys, and the sums of the amounts and the big numbers, by the engine where it is one."""
    if isinstance(target, TableTarget):
        statement = f'SELECT count(*) AS a, count(DISTINCT _key) AS b, sum(amount) AS c, sum(big) AS d FROM "{target.table}"'
        (row,) = target.query(statement)
        return tuple(int(value) for value in row.values())  # type: ignore[return-value]
    tables = [table.to_pydict() for table in target.tables()]
    keys, amounts, bigs = ([one for table in tables for one in table[name]] for name in ("_key", "amount", "big"))
    return len(keys), len(set(keys)), sum(amounts), sum(map(int, bigs))


def expected(count: int) -> tuple[int, int, int, int]:
    triangle = count * (count - 1) // 2
    return count, count, (2**53 + 1) * count + 2 * triangle, _BIG * count + triangle


def started(target: Target, address: str) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PAYMENTS_API_KEY": "sk_test_1", "PAYMENTS_BASE_URL": address}
    words = ["sync", "GetPaymentsWebhookEndpoints", "--account", "payments", "--to", target.address, "--json"]
    command = [sys.executable, "-m", "tui", *words]
    return subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["duckdb", "postgres", "folder"])
def test_killed_at_random(kind: str, new: Callable[[str], Target]) -> None:
    target, count, kills = new(kind), 30_000, 8
    service = Many(count)
    dice = random.Random(os.environ.get("SEED", "7") + kind)
    with served(service.application(), breakable=False) as address:
        for _ in range(kills):
            process = started(target, address)
            service.wait(dice.randrange(5, count // _PAGE // (kills + 1)))
            process.kill()
            process.communicate()
        out, err = started(target, address).communicate()
    assert json.loads(out)["outcome"] == "complete", err
    assert summed(target) == expected(count)
