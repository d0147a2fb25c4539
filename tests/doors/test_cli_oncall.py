"""``callboard oncall`` without a screen: the board once, a line for each change, exit codes that tell silence from failure."""

import argparse
import json
import os

import pytest

from registry.doors.oncall_print import print_board, watch
from registry.doors.output import ExitCode
from registry.sandbox.server import application
from tests.changes.world import Counting
from tests.command_line import finished, runner
from tests.oncall.watch import ME, NOW, Service, Watch, incident


def test_the_board_as_json_and_as_text(capfd: pytest.CaptureFixture[str]) -> None:
    told = finished("oncall", "--json", environment={"PATH": "/usr/bin:/bin", "HOME": os.environ["XDG_STATE_HOME"]})
    assert told.code == 10, told.err
    made = told.json
    assert made["known"] is True
    assert made["verdict"]["triggered"] == sum(one["status"] == "triggered" for one in made["incidents"])
    assert {one["source"]["tool"] for one in made["incidents"]} == {"ListIncidents"}
    assert "SECRET" not in told.out
    assert "http_cal_url" not in told.out
    text = runner(capfd, "oncall")()
    assert text.code == 10
    assert text.out.splitlines()[0].startswith("▲ 1 is yours, unacknowledged for")
    assert text.out.splitlines()[1].startswith("10 triggered, ")
    assert "\x1b" not in told.out + text.out
    rows = [line for line in text.out.splitlines() if line.startswith("#")]
    assert [line.split()[0] for line in rows] == [f"#{one['number']}" for one in made["incidents"]]
    services = [one["service"]["name"] for one in made["incidents"]]
    columns = {line.index(f"  {name}: ") for line, name in zip(rows, services, strict=True)}
    assert len(columns) == 1, "the services are one below the other"


def test_failure_is_not_silence(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("INCIDENTS_API_TOKEN", "t")
    monkeypatch.setenv("INCIDENTS_BASE_URL", "http://127.0.0.1:1")
    told = runner(capfd, "oncall")("--json")
    assert told.code == ExitCode.CONNECTION
    assert "incidents are incomplete: triggered: network" in told.err
    assert told.json["known"] is False


def test_the_deadline_is_that_of_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    wire = Counting(application(limits=False))
    known = argparse.Namespace(every=15.0, watch=False, json=True, deadline=1e-9)
    assert print_board([None], lambda: wire, known) == ExitCode.CONNECTION
    told = capsys.readouterr()
    assert "incidents are incomplete: triggered: not read before the deadline" in told.err
    assert json.loads(told.out)["known"] is False
    assert not wire.seen


async def test_a_line_for_each_change(capsys: pytest.CaptureFixture[str]) -> None:
    service = Service(me=ME, incidents=[incident("I1")])
    steps: list[object] = [[incident("I1"), incident("I2", title="\x1b[31mred")], 500, [incident("I2", status="acknowledged")]]
    service.listed["I1"] = lambda _: {"incident": incident("I1", status="resolved")}

    async with Watch(network=service) as one:

        async def sleep(seconds: float) -> None:
            one.clock.advance(seconds)
            service.listed["incidents"] = steps.pop(0)

        code = await watch(one.account, sleep, as_json=False, rounds=4)
    lines = capsys.readouterr().out.splitlines()
    assert [" ".join(line.split()[1:4]) for line in lines] == [
        "OPEN #1 TRIG", "NEW #1 TRIG", "NOT SURE: triggered:", "complete again", "ACK #1 ACK", "DONE #1 api:",
    ]  # fmt: skip
    assert lines[2].endswith("NOT SURE: triggered: 500: the service failed; acknowledged: 500: the service failed")
    assert lines[5].endswith("api: Title of I1")
    assert lines[0].startswith("2025-12-01T02:14:00Z")
    assert "\\u001b[31mred" in lines[1]
    assert code == 0
    assert NOW
