"""``callboard mcp`` as a command: its options, the set-up that it prints, and what the other commands pay for it."""

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from signal import SIGTERM
from typing import Any

import pytest

from registry.doors import cli, cli_mcp
from registry.files.folders import how_to_install
from tests.command_line import Run
from tests.terminal import ROOT


def test_the_set_up_of_clients(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _: "/opt/my tools/callboard")
    told = {}
    for client in cli_mcp.CLIENTS:
        assert cli.main(["mcp", "--tools", "read", "--read-only", "--print-config", client]) == 0
        told[client] = capsys.readouterr().out
    start = {"command": "/opt/my tools/callboard", "args": ["mcp", "--tools", "read", "--read-only"]}
    assert told["claude-code"] == "claude mcp add callboard -- '/opt/my tools/callboard' mcp --tools read --read-only\n"
    assert tomllib.loads(told["codex"])["mcp_servers"]["callboard"] == start
    assert json.loads(told["vscode"])["servers"]["callboard"] == {"type": "stdio", **start}
    assert json.loads(told["zed"])["context_servers"]["callboard"] == start
    assert json.loads(told["cursor"]) == json.loads(told["claude-desktop"]) == {"mcpServers": {"callboard": start}}


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--tools", "nonsense"], "got nonsense"),
        (["--budget", "20"], "--budget must be at least"),
        (["--account", "payments"], "account 'payments' is not set up"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_served(words: list[str], told: str, run: Run) -> None:
    pytest.importorskip("mcp", reason="the extra callboard[mcp] is not installed")
    code, out, err = run("mcp", *words)
    assert (code, out) == (2, "")
    assert told in err


def test_without_the_extra_it_is_named(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli_mcp, "find_spec", lambda _: None)
    with pytest.raises(SystemExit) as ended:
        cli.main(["mcp"])
    assert ended.value.code == 2
    assert f"install {how_to_install('mcp')}" in capsys.readouterr().err


def test_pipx_installs_an_extra_in_its_own_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert "pipx" not in how_to_install("mcp")
    (tmp_path / "pipx_metadata.json").touch()
    assert "pipx inject callboard 'mcp<" in how_to_install("mcp")


NOISY = """
import os, subprocess, sys
from registry.doors.mcp.agent_tools import AgentTools
from registry.doors import cli

whole = AgentTools._board

async def noisy(*words):
    print("noise")
    os.write(1, b"noise")
    subprocess.run(["echo", "noise"])
    return await whole(*words)

async def crashing(*words):
    raise ValueError("MARKED")

AgentTools._board, AgentTools._find = noisy, crashing
sys.exit(cli.main(["mcp"]))
"""


def test_without_a_client_it_says_how_one_is_connected(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a job without standard input: nothing would ever come from there."""
    pytest.importorskip("mcp", reason="the extra callboard[mcp] is not installed")
    with open(os.devnull) as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        with pytest.raises(SystemExit) as ended:
            cli.main(["mcp"])
    assert ended.value.code == 2
    assert "--print-config CLIENT" in capsys.readouterr().err


def test_standard_output_carries_the_protocol_alone(tmp_path: Path) -> None:
    """Whatever prints, crashes, tells, or ends it."""
    pytest.importorskip("mcp", reason="the extra callboard[mcp] is not installed")
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path)}
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a test", "version": "1"}}
    find = {"name": "find_tools", "arguments": {"query": "anything"}}
    sent = [
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        "no JSON at all",
        json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": find}),
        json.dumps({"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "oncall_dashboard"}}),
    ]
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", NOISY]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=ROOT, env=environment, text=True) as door:
        assert door.stdin is not None
        assert door.stdout is not None
        assert door.stderr is not None
        door.stdin.write("".join(line + "\n" for line in sent))
        door.stdin.flush()
        heard: dict[int, dict[str, Any]] = {}
        while not {1, 2, 3} <= set(heard):
            message = json.loads(door.stdout.readline())
            assert message["jsonrpc"] == "2.0"
            heard[message.get("id", 0)] = message
        door.send_signal(SIGTERM)  # although its standard input stays open
        assert door.wait(timeout=30) == 128 + SIGTERM
        assert door.stdout.read() == ""
        told = door.stderr.read()
    assert heard[1]["result"]["serverInfo"]["name"] == "callboard"
    assert "Unexpected error" in heard[2]["error"]["message"]
    assert not heard[3]["result"].get("isError")
    assert told.count("noise") == 3
    assert "Crash report (contains none of your data):" in told
    assert told.endswith("callboard: ended by SIGTERM\n")
    reports = [
        file.read_text()
        for file in tmp_path.rglob("*")
        if file.is_file() and "ValueError" in file.read_text("utf-8", "replace")
    ]
    assert len(reports) == 1
    assert "MARKED" not in told + json.dumps(heard)
