"""A team's server in use: changes through the engine, commands, the doctor; and without one, nothing is loaded."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from registry.accounts.consent import Consent
from registry.doors.cli import main
from registry.doors.doctor.report import examine, lines
from registry.doors.output import ExitCode
from registry.engine import Settings, open_engine
from registry.engine.team_record import team_changes
from registry.journal.chain import this_user
from registry.team.server import ServerUnavailable
from registry.team.setting import TeamSetting, team_setting
from tests.sampled import further
from tests.team.conftest import as_role, server
from tests.team.test_copies import NOWHERE, rows

Run = Callable[..., tuple[int, str, str]]
DELETE = ("call", "DeletePaymentsCoupon", "--coupon-id", "PARTNER15", "--yes")


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.setenv("CALLBOARD_TEAM_PERSON", "anna")

    def run(*words: str, at: str | None = None) -> tuple[int, str, str]:
        if at is not None:
            monkeypatch.setenv("CALLBOARD_TEAM_AUDIT", at)
        try:
            code = main(list(words))
        except SystemExit as ended:
            code = int(str(ended.code))
        told = capsys.readouterr()
        return code, told.out, told.err

    return run


async def test_a_change_is_copied_in_the_background(tmp_path: Path, address: str) -> None:
    environment = {"CALLBOARD_TEAM_AUDIT": as_role(address, "anna"), "CALLBOARD_TEAM_PERSON": "Anna Á"}
    async with open_engine(Settings(environment=environment, state=tmp_path, journal=False)) as engine:
        done = await engine.run("DeletePaymentsCoupon", {"coupon_id": "PARTNER15"}, consent=Consent.CONFIRMED)
        assert done.ok
        assert engine.audit_uploader is not None
    assert rows(address) == [(2,)]
    told = await team_changes(server(address), 10)
    assert [(one.person, one.change.state, float(one.change.object["percent_off"])) for one in told] == [
        ("Anna Á", "done", 15.0)
    ]


@pytest.mark.parametrize("at", [NOWHERE, "mysql://anna:MARKED@host/db"])
async def test_a_change_is_made_while_the_server_is_away(tmp_path: Path, at: str) -> None:
    environment = {"CALLBOARD_TEAM_AUDIT": at}
    async with open_engine(Settings(environment=environment, state=tmp_path, journal=False)) as engine:
        done = await engine.run("DeletePaymentsCoupon", {"coupon_id": "PARTNER15"}, consent=Consent.CONFIRMED)
        assert done.ok
        assert [one.event for one in engine.audit.links()] == ["sent", "ended"]
        assert engine.audit.notice == ""


def test_the_commands(run: Run, address: str) -> None:
    mine = as_role(address, "anna")
    assert run(*DELETE, at=NOWHERE)[0] == ExitCode.OK
    code, out, err = run("audit", "push")
    assert (code, "MARKED" in out + err, "Connection refused" in err) == (ExitCode.CONNECTION, False, True)
    code, out, err = run("audit", "verify")
    assert (code, "was not checked" in err, "MARKED" in err) == (ExitCode.CONNECTION, True, False)
    assert run("audit", "push", "--json", at=mine)[:2] == (ExitCode.OK, '{"sent": 2}\n')
    code, out, _ = run("audit", "verify")
    assert (code, "2 rows of it" in out) == (ExitCode.OK, True)
    told = json.loads(run("audit", "--team", "verify", "--json")[1])
    assert (told["faults"], told["server"]["rows"], told["server"]["unreachable"]) == ([], 2, None)
    code, out, _ = run("audit", "--team")
    assert "DeletePaymentsCoupon" in out
    assert f"anna on {this_user().machine}"[:39] in out
    assert json.loads(run("audit", "--team", "--json")[1])["person"] == "anna"
    assert run("audit", "server")[:2] == (ExitCode.OK, f"{TeamSetting(mine).shown}: 1 log\n")
    assert 'GRANT SELECT ON callboard_audit TO "o\'""x"' in run("audit", "server", "--sql", "--role", "o'\"x")[1]
    assert run("audit", "server", "--create", at=address)[0] == ExitCode.OK
    assert run("audit", "push", at="")[0] == ExitCode.USAGE
    assert run("audit", "push", at="host:MARKED")[2].count("MARKED") == 0


async def test_the_doctor_tells_of_it(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CALLBOARD_TEAM_AUDIT", as_role(address, "anna"))
    report = await examine(offline=False)
    assert report["team"]["said"] == "reachable, 0 logs"
    monkeypatch.setenv("CALLBOARD_TEAM_AUDIT", NOWHERE)
    report = await examine(offline=False)
    text = "\n".join(lines(report))
    assert "postgresql://anna@127.0.0.1:1/db" in text
    assert any("Connection refused" in one for one in report["problems"])
    assert "MARKED" not in text + json.dumps(report)


SLOW = """
[team]
audit = "postgresql://anna@127.0.0.1:1/db"
password = "command:sh -c 'touch asked; exec sleep 300'"

[accounts.slow]
service = "incidents"
mode = "test"
secret = "command:sh -c 'touch asked; exec sleep 300'"
"""


def settings(folder: Path, text: str) -> None:
    (folder / "callboard").mkdir(parents=True)
    (folder / "callboard" / "config.toml").write_text(text)


async def test_the_doctor_waits_for_no_password(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings(tmp_path, SLOW.replace("touch asked; ", ""))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr("registry.doors.doctor.report._TEAM", 0.5)
    report = await examine()
    assert report["team"]["said"] == "not usable"
    assert any("what the password is read from" in one for one in report["problems"])


CALL = ("call", "ListIncidents", "--account", "slow")


@pytest.mark.parametrize(
    "words",
    [
        ("audit", "requests"),
        CALL,
        *further(("audit", "approve", "1"), ("doctor",)),
    ],
)
def test_what_waits_for_a_secret_is_interrupted(tmp_path: Path, words: Sequence[str]) -> None:
    settings(tmp_path, SLOW)
    environment = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}
    words = [sys.executable, "-m", "tui", *words]
    with subprocess.Popen(words, env=environment, cwd=tmp_path, stdout=-1, stderr=-1, text=True) as command:
        end = time.monotonic() + 60
        while not (tmp_path / "asked").exists():
            assert time.monotonic() < end
            with pytest.raises(subprocess.TimeoutExpired):
                command.wait(0.02)
        command.send_signal(signal.SIGINT)
        try:
            _, told = command.communicate(timeout=30)
        finally:
            command.kill()
    assert (command.returncode, told) == (130, "callboard: interrupted\n")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[team]\naudit = 7", "audit in [team] must be a text in quotes"),
        ("[team]\naudit = 'sqlite:MARKED'", "must be an address such as postgresql://"),
        ("[team]\naudit = 'postgresql://h/d'\npassword = 'MARKED'", "password in [team]: secret must be keyring:ID"),
        ("[team]\nperson = '\\u001b'\naudit = 'postgresql://h/d'".replace("'", '"'), "person in [team] must have"),
        ("not toml", ""),
    ],
)
def test_a_setting_that_is_wrong(tmp_path: Path, text: str, problem: str) -> None:
    (tmp_path / "config.toml").write_text(text)
    found = team_setting({"CALLBOARD_CONFIG": str(tmp_path / "config.toml")})
    assert found.address == ""
    assert problem in found.problem
    assert "MARKED" not in found.problem


def test_a_setting(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(
        '[team]\naudit = "postgresql://anna@db/team"\nperson = "Anna"\nmachine = "desk"\npassword = "env:TEAM_PASSWORD"\n'
    )
    found = team_setting({"CALLBOARD_CONFIG": str(tmp_path / "config.toml")})
    assert (found.shown, found.who, str(found.password)) == ("postgresql://anna@db/team", ("Anna", "desk"), "env:TEAM_PASSWORD")
    nowhere = {"CALLBOARD_CONFIG": str(tmp_path / "none")}
    assert team_setting(nowhere) == TeamSetting()
    assert team_setting(nowhere | {"CALLBOARD_TEAM_PERSON": "\x1b"}).problem.startswith("CALLBOARD_TEAM_PERSON must have")


def test_without_a_server_nothing_of_it_is_loaded() -> None:
    program = (
        "import sys; from registry.doors.cli import main\n"
        "main(['call', 'Whoami']); main(sys.argv[1:])\n"
        "print(*[one for one in sys.modules if one.split('.')[0] in ('psycopg', 'psycopg_c', 'psycopg_binary')"
        " or one in ('registry.team.server', 'registry.engine.team_record')], file=sys.stderr)"
    )
    ended = subprocess.run([sys.executable, "-c", program, *DELETE], capture_output=True, text=True, check=True)
    assert ended.stderr.splitlines()[-1] == ""


async def test_a_password_from_a_variable(tmp_path: Path) -> None:
    """The password of the setting is what goes to the server."""
    seen: list[bytes] = []
    heard = asyncio.Event()

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first = await reader.readexactly(8)
        if int.from_bytes(first[4:], "big") == 80877103:  # whether there is TLS
            writer.write(b"N")
            first = await reader.readexactly(8)
        await reader.readexactly(int.from_bytes(first[:4], "big") - 8)
        writer.write(b"R" + (8).to_bytes(4, "big") + (3).to_bytes(4, "big"))  # a password in plain text
        head = await reader.readexactly(5)
        seen.append(await reader.readexactly(int.from_bytes(head[1:], "big") - 4))
        writer.close()
        await writer.wait_closed()
        heard.set()

    listener = await asyncio.start_server(talk, "127.0.0.1", 0)
    port = listener.sockets[0].getsockname()[1]
    environment = {
        "CALLBOARD_TEAM_AUDIT": f"postgresql://anna@127.0.0.1:{port}/db?gssencmode=disable&sslmode=disable",
        "TEAM_PASSWORD": "marked word",
    }
    environment["CALLBOARD_CONFIG"] = str(tmp_path / "config.toml")
    (tmp_path / "config.toml").write_text('[team]\npassword = "env:TEAM_PASSWORD"\n')
    async with open_engine(Settings(environment=environment, journal=False)) as engine:
        assert engine.team_server is not None
        with pytest.raises(ServerUnavailable) as caught:
            await engine.team_server.last("x")
        assert "marked" not in str(caught.value)
    async with asyncio.timeout(20):
        await heard.wait()
    assert seen == [b"marked word\0"]
    listener.close()
    await listener.wait_closed()
