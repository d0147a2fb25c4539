"""``callboard sandbox``: the same application on a port, reached by calls from another process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture
def served() -> Iterator[dict[str, str]]:
    """The environment that the command tells its user to export."""
    command = [sys.executable, "-m", "tui", "sandbox", "--port", "0"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert "Serving the sandbox on http://127.0.0.1:" in process.stdout.readline()
        environment = dict(os.environ)
        for line in process.stdout:
            if not line.strip():
                if "CRM_BASE_URL" in environment:
                    break
                continue
            environment |= dict(word.split("=", 1) for word in line.replace("export", "").split())
        yield environment
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0


def call(environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tui", "call", *words]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60)


def test_state_lives_as_long_as_the_server(served: dict[str, str]) -> None:
    created = call(served, "CreateCrmUser", "--user-email", "new@fernway.example", "--connection", "crm")
    user = json.loads(created.stdout)["id"]
    words = ["--user-identifier", user, "--connection", "crm"]
    assert json.loads(call(served, "RetrieveCrmUserById", *words).stdout)["email"] == "new@fernway.example"
    assert call(served, "RemoveCrmUser", *words, "--yes").returncode == 0
    gone = call(served, "RetrieveCrmUserById", *words)
    assert (gone.returncode, gone.stdout) == (1, "")
    for name, connection in (("GetCurrentAccountBalance", "payments"), ("ListServices", "incidents")):
        assert call(served, name, "--connection", connection).returncode == 0


def test_a_port_that_is_taken(served: dict[str, str]) -> None:
    port = served["CRM_BASE_URL"].split(":")[2].split("/")[0]
    command = [sys.executable, "-m", "tui", "sandbox", "--port", port]
    outcome = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert outcome.returncode == 2
    assert f"port {port} cannot be used" in outcome.stderr
