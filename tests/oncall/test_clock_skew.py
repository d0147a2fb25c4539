"""A machine whose clock is off: set right by the service's, and said; a slow answer is no wrong clock."""

import argparse
import json
import re
import time
from collections.abc import Callable
from email.utils import formatdate

import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from registry.doors.oncall_print import print_board
from registry.oncall.clock_skew import skew
from registry.oncall.reading import moment
from registry.sandbox.clock import Clock
from registry.sandbox.server import application


def dated(app: ASGIApp, clock: Callable[[], float]) -> ASGIApp:
    """A service that says when each answer was made, by a clock."""

    async def service(scope: Scope, receive: Receive, send: Send) -> None:
        async def add(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], (b"date", formatdate(int(clock()), usegmt=True).encode())]
            await send(message)

        await app(scope, receive, add)

    return service


@pytest.mark.parametrize(
    ("date", "age", "sent", "received", "told"),
    [
        (100, 0, 100.2, 100.9, 0.0), (100, 0, 100.9, 101.2, 0.0), (100, 0, 99.0, 130.0, 0.0), (142, 0, 100.0, 100.4, 41.6),
        (60, 0, 101.0, 130.0, -40.0), (60, 41, 101.0, 130.0, 0.0),
        *((date, 0, 0, 0, None) for date in ("", "soon", "Mon, 99 Dec 2025 99:99:99 GMT", "\x1b[31m")),
        ("Fri, 31 Dec 9999 23:59:59 GMT", 0, 0, 0, None),
    ],
)  # fmt: skip
def test_only_what_the_way_cannot_explain_is_a_gap(
    date: int | str, age: int, sent: float, received: float, told: float | None
) -> None:
    found = skew(date if isinstance(date, str) else formatdate(date, usegmt=True), age, sent, received)
    assert found == pytest.approx(told)


@pytest.mark.parametrize(("ahead", "told"), [(600, "slow"), (-600, "fast")])
def test_the_command_line_tells_times_by_the_service(ahead: int, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    """Ten minutes: the tests' own slowness must not matter. The incidents agree with the service's clock."""
    there = Clock(time.time() + ahead)
    service = dated(application(now=there, scenario="busy-night"), lambda: time.time() + ahead)
    known = argparse.Namespace(every=15.0, watch=False, json=True, deadline=60.0)
    assert print_board(["sandbox"], lambda: service, known) == 10
    out, err = capsys.readouterr()
    assert re.search(rf"this computer's clock is (59\d|60\d) s {told} \(clock skew\); times follow the service's clock", err)
    assert abs((moment(json.loads(out)["now"]) or 0) - time.time() - ahead) < 120
