"""The alarm's command: what rings is data and never a part of a command line; it is bounded, and nobody waits for it."""

import asyncio
import json
import os
import sys
from pathlib import Path

import pytest

from registry.doors.cli_oncall import alarm_command
from registry.oncall.alarms import MOST_TOLD, Alarm, AlarmCommand, Ring, WrongCommand
from tests.oncall.watch import NOW

HOSTILE = "New: api: $(touch /tmp/x) `id`; rm -rf ~ && \"' \\ %s {0} \x1b[31m\n\0 end"
_PATH = {"PATH": os.environ["PATH"]}


def ring(*words: str, account: str = "eu") -> Ring:
    return Ring(account, "▲ 1 is yours", NOW, tuple(Alarm(f"new {number}", word) for number, word in enumerate(words)))


def writer(tmp_path: Path, after: str = "") -> tuple[str, Path]:
    """A command that appends what it was given to a file, a line of JSON each run."""
    out, script = tmp_path / "out.jsonl", tmp_path / "it's a script.py"
    script.write_text(
        "import json, os, sys\n"
        "told = {n: v for n, v in os.environ.items() if n.startswith('CALLBOARD') or 'TOKEN' in n}\n"
        "line = json.dumps([sys.argv[1:], told, json.loads(sys.stdin.read())])\n"
        f"open({str(out)!r}, 'a').write(line + '\\n')\n" + after
    )
    return f'{sys.executable} "{script}" "$(id)" \'$HOME\'', out


async def test_what_rings_is_data(tmp_path: Path) -> None:
    words, out = writer(tmp_path)
    command = alarm_command(words, {**_PATH, "INCIDENTS_API_TOKEN": "secret"})
    assert command is not None
    command.ring(ring(HOSTILE))
    await command.done()
    arguments, variables, stdin = json.loads(out.read_text())
    assert arguments == ["$(id)", "$HOME"]
    assert "\0" not in variables["CALLBOARD_ALARM"]
    assert variables["CALLBOARD_ALARM"].startswith("New: api: $(touch /tmp/x) `id`; rm -rf ~ && ")
    assert "\\u001b[31m\\n\\u0000 end" in variables["CALLBOARD_ALARM"]
    assert (variables["CALLBOARD_ALARM_KIND"], variables["CALLBOARD_ALARM_ACCOUNT"]) == ("new", "eu")
    assert not any("TOKEN" in name for name in variables)
    assert stdin["alarms"] == [{"kind": "new", "words": HOSTILE}]
    assert (stdin["at"], stdin["account"], stdin["verdict"], stdin["more"]) == ("2025-12-01T02:14:00Z", "eu", "▲ 1 is yours", 0)


async def test_one_at_a_time_and_what_waits_goes_together(tmp_path: Path) -> None:
    words, out = writer(tmp_path)
    command = AlarmCommand(words, _PATH)
    command.ring(ring("first"))
    await asyncio.sleep(0)  # the first run has begun with what there was
    for number in range(MOST_TOLD + 7):
        command.ring(ring(f"storm {number}"))
    command.ring(ring("other", account="us"))
    command.ring(ring())
    await command.done()
    runs = [json.loads(line)[2] for line in out.read_text().splitlines()]
    assert [(run["account"], len(run["alarms"]), run["more"]) for run in runs] == [
        ("eu", 1, 0),
        ("eu", MOST_TOLD, 7),
        ("us", 1, 0),
    ]


async def test_a_command_that_fails_or_does_not_end_is_told(tmp_path: Path) -> None:
    told: list[str] = []
    failing = AlarmCommand(f"{sys.executable} -c 'import sys; sys.exit(3)'", _PATH, told.append)
    failing.ring(ring("one"))
    await failing.done()
    assert told == ["the alarm command exited with status 3"]
    child = tmp_path / "child.pid"
    endless = f"import os,sys,time\nif not os.fork():\n open({str(child)!r},'w').write(str(os.getpid()))\ntime.sleep(600)"
    script = tmp_path / "endless.py"
    script.write_text(endless)
    command = AlarmCommand(f"{sys.executable} {script}", _PATH, told.append, patience=0.5)
    command.ring(ring("two"))
    await command.done()
    assert told[1:] == ["the alarm command was stopped after 0 s"]
    closing = AlarmCommand(f"{sys.executable} {script}", _PATH, told.append)
    closing.ring(ring("three"))
    await asyncio.sleep(0)
    await closing.aclose()
    assert len(told) == 2


@pytest.mark.parametrize(
    ("command", "why"),
    [("", "needs a command"), ("   ", "needs a command"), ("'open", "cannot be split"), ("no-such-program x", "no program")],
)  # fmt: skip
def test_a_command_that_cannot_be_run_is_refused_at_the_start(command: str, why: str) -> None:
    with pytest.raises(WrongCommand, match=why):
        AlarmCommand(command, _PATH)
