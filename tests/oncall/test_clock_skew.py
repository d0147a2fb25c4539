"""A machine whose clock is off: set right by the service's, and said; a slow answer is no wrong clock."""

from __future__ import annotations

import argparse
import json
import re
import time
from email.utils import formatdate
from typing import Any

import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from registry.doors.oncall_print import print_board
from registry.oncall.fetch import measured_skew
from registry.sandbox.clock import Clock
from registry.sandbox.server import application
from tests.oncall.watch import NOW


def dated(app: ASGIApp, ahead: float, clock: Any = time.time) -> ASGIApp:
    """A service that says when each answer was made, by a clock that is ahead of another one."""

    async def service(scope: Scope, receive: Receive, send: Send) -> None:
        async def add(message: Message) -> None:
            if message["type"] == "http.response.start":
                date = formatdate(int(clock() + ahead), usegmt=True).encode()
                message["headers"] = [*message["headers"], (b"date", date)]
            await send(message)

        await app(scope, receive, add)

    return service


@pytest.mark.parametrize(
    ("made", "sent", "received", "told"),
    [
        (100, 100.2, 100.9, 0.0), (100, 100.9, 101.2, 0.0), (100, 99.0, 130.0, 0.0), (142, 100.0, 100.4, 41.6),
        (60, 101.0, 130.0, -40.0),
    ],
)  # fmt: skip
def test_only_what_the_way_cannot_explain_is_a_gap(made: int, sent: float, received: float, told: float) -> None:
    assert measured_skew(formatdate(made, usegmt=True), sent, received) == pytest.approx(told)


@pytest.mark.parametrize("date", ["", "soon", "Mon, 99 Dec 2025 99:99:99 GMT", "\x1b[31m", "Fri, 31 Dec 9999 23:59:59 GMT"])
def test_a_date_that_is_none(date: str) -> None:
    assert measured_skew(date, 0, 0) is None


@pytest.mark.parametrize(("ahead", "told"), [(600, "slow"), (-600, "fast")])
def test_the_command_line_tells_times_by_the_service(ahead: int, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Ten minutes: the tests' own slowness must not matter."""
    service = application(now=Clock(NOW))
    known = argparse.Namespace(every=15.0, watch=False, json=True, deadline=60.0)
    assert print_board(["sandbox"], lambda: dated(service, ahead), known) == 10
    out, err = capsys.readouterr()
    assert re.search(rf"this computer's clock is (59\d|60\d) s {told} \(clock skew\); times follow the service's clock", err)
    now = json.loads(out)["now"]
    assert abs(time.mktime(time.strptime(now, "%Y-%m-%dT%H:%M:%SZ")) - time.timezone - time.time() - ahead) < 120
