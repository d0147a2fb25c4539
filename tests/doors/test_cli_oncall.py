"""``callboard oncall`` without a screen: the board once, a line for each change, a server on a port, exit codes."""

import argparse
import json
import os
import re
import signal
import socket
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from registry.doors.cli_oncall import print_replay
from registry.doors.oncall_print import print_board, watch
from registry.doors.output import ExitCode
from registry.oncall.recording import Heading, Recorder, Replay
from registry.sandbox.server import application
from tests.changes.world import Counting
from tests.command_line import Run, finished, runner, started
from tests.oncall import openmetrics_grammar
from tests.oncall.watch import ME, MINUTE, NOW, Service, Watch, incident


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


TOKEN = "a-token-of-a-test-0123"


def get(url: str, **headers: str) -> tuple[int, bytes]:
    request = urllib.request.Request(url, headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=30) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def test_a_real_server(tmp_path: Path) -> None:
    """One start of the program: every address, with and without the token, under another host's name, and its end."""
    state = {"XDG_STATE_HOME": str(tmp_path), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    words, environment = ("oncall", "--listen", 0, "--allow-host", "wall.example"), {**state, "CALLBOARD_ONCALL_TOKEN": TOKEN}
    with started(*words, environment=environment) as process:
        try:
            assert process.stdout is not None
            lines: list[str] = []
            while not lines or "JSON" not in lines[-1]:
                line = process.stdout.readline()
                assert line, process.stderr.read() if process.stderr else ""
                lines.append(line)
            found = re.search(r"http://(127\.0\.0\.1:\d+)/\?token=", "".join(lines))
            assert found
            base, bearer = f"http://{found[1]}", {"Authorization": f"Bearer {TOKEN}"}
            assert get(f"{base}/metrics")[0] == 401
            assert get(f"{base}/metrics", Host="evil.example", **bearer)[0] == 421
            upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n"
            upgrade += "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            for sent in (f"GET / HTTP/1.1\r\nHost: {found[1]}\r\n{upgrade}\r\n", "nothing of the kind\r\n\r\n"):
                with socket.create_connection(("127.0.0.1", int(found[1].split(":")[1])), 30) as connection:
                    connection.sendall(sent.encode())
                    assert connection.recv(20).split()[1] in (b"401", b"400"), sent
            while b"is yours" not in get(f"{base}/", **bearer)[1]:
                pass  # until everything was read once
            code, metrics = get(f"{base}/metrics", Host="wall.example", **bearer)
            assert code == 200
            assert openmetrics_grammar.parsed(metrics.decode())["callboard_oncall_exit_code", (("account", "sandbox"),)] == 10
            assert json.loads(get(f"{base}/board.json", **bearer)[1])["exit_code"] == 10
            process.send_signal(signal.SIGINT)
            _, complaints = process.communicate(timeout=30)
        finally:
            process.kill()
    assert process.returncode == 0
    assert complaints == ""
    (piece,) = (tmp_path / "callboard" / "oncall-recordings" / "sandbox").iterdir()
    assert piece.stat().st_mode & 0o077 == 0
    assert TOKEN not in piece.read_bytes().decode("latin-1")


async def test_a_recording_as_text_says_past_on_every_line(capsys: pytest.CaptureFixture[str]) -> None:
    recorder, data = Recorder(None, Heading("eu\x1b[31m", "live")), b""
    async with Watch() as watch:
        for seconds in (0, 15, MINUTE):
            await watch.after(seconds)
            data += recorder.line(watch.refresher.facts, watch.clock.now(), 15.0)
    replay = Replay([data], own=False)
    assert print_replay(replay, as_json=False) == 10
    lines = capsys.readouterr().out.splitlines()
    assert all(line.startswith("PAST") for line in lines if line)
    assert "\x1b" not in "".join(lines)
    assert len([line for line in lines if re.match(r"PAST 03:1\d:\d\d CET  open: ", line)]) == 2  # two different verdicts
    assert print_replay(replay, as_json=True) == 10
    values = json.loads(capsys.readouterr().out)
    assert values["past"] is True
    assert (values["first"], values["last"], values["refreshes"]) == ("2025-12-01T02:14:00Z", "2025-12-01T02:15:00Z", 3)
    assert len(values["verdicts"]) == 2


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--listen", "x"), "--listen must be a port"),
        (("--listen", "0", "--replay", "x"), "not allowed with argument --listen"),
        (("--allow-host", "wall"), "--allow-host needs --listen"),
        (("--on-alarm", "true", "--json"), "--on-alarm works only with"),
        (("--listen", "0", "--on-alarm", "'open"), "cannot be split"),
        (("--listen", "0", "--account", "nowhere"), "unknown account 'nowhere'"),
        (("--replay", __file__), "not an on-call recording"),
        (("--export", "x", "--account", "a", "--account", "b"), "--watch and --export take one --account"),
    ],
)  # fmt: skip
def test_what_is_refused_at_the_start(
    words: tuple[str, ...], complaint: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "environ", {**os.environ, "CALLBOARD_ONCALL_TOKEN": ""})
    code, out, err = run("oncall", *words)
    assert (code, out) == (ExitCode.USAGE, "")
    assert complaint in err
