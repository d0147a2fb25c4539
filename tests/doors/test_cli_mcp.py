"""``callboard mcp`` as a command: its options, the set-up that it prints, and what the other commands pay for it."""

from __future__ import annotations

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
        (["--connection", "payments"], "unknown account 'payments'"),
    ],
)
def test_what_is_wrong_is_told_before_anything_is_served(
    words: list[str], told: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("mcp", reason="the extra callboard[mcp] is not installed")
    monkeypatch.delenv("PAYMENTS_API_KEY", raising=False)
    with pytest.raises(SystemExit) as ended:
        cli.main(["mcp", *words])
    out, err = capsys.readouterr()
    assert (ended.value.code, out) == (2, "")
    assert told in err


def test_without_the_extra_it_is_named(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli_mcp, "find_spec", lambda _: None)
    with pytest.raises(SystemExit) as ended:
        cli.main(["mcp"])
    assert ended.value.code == 2
    assert "install callboard[mcp]" in capsys.readouterr().err


def test_other_commands_do_not_import_it() -> None:
    program = "import sys; from registry.doors import cli; cli.parser(); cli.main(['tools', 'coupon']); print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    loaded = set(told.stdout.split())
    assert "registry.doors.cli_mcp" in loaded
    assert not {"mcp", "mcp_types", "registry.doors.mcp", "anyio"} & loaded


def test_standard_output_carries_the_protocol_alone(tmp_path: Path) -> None:
    pytest.importorskip("mcp", reason="the extra callboard[mcp] is not installed")
    environment = {**os.environ, "XDG_STATE_HOME": str(tmp_path)}
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a test", "version": "1"}}
    sent = [
        json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        "no JSON at all",
        json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "oncall_dashboard"}}),
    ]
    command = [sys.executable, "-m", "tui", "mcp"]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=ROOT, env=environment, text=True) as door:
        assert door.stdin is not None
        assert door.stdout is not None
        assert door.stderr is not None
        door.stdin.write("".join(line + "\n" for line in sent))
        door.stdin.flush()
        heard: list[dict[str, Any]] = []
        while not heard or heard[-1].get("id") != 2:
            heard.append(json.loads(door.stdout.readline()))
        door.send_signal(SIGTERM)  # although its standard input stays open
        assert door.wait(timeout=30) == 128 + SIGTERM
        assert door.stdout.read() == ""
        assert door.stderr.read() == "callboard: ended by SIGTERM\n"
    assert [one["jsonrpc"] for one in heard] == ["2.0"] * len(heard)
    assert heard[0]["result"]["serverInfo"]["name"] == "callboard"
    assert not heard[-1]["result"].get("isError")
