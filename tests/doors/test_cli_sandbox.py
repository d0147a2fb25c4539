"""``callboard sandbox``: the same application on a port, reached by calls from another process."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.command_line import Run, runner

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def served() -> Iterator[dict[str, str]]:
    """The environment that the command tells its user to export."""
    command = [sys.executable, "-m", "tui", "sandbox", "--port", "0"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert "Serving the sandbox on http://127.0.0.1:" in process.stdout.readline()
        environment: dict[str, str] = {}
        for line in process.stdout:
            if not line.strip():
                if "CRM_BASE_URL" in environment:
                    break
                continue
            environment |= dict(word.split("=", 1) for word in line.replace("export", "").split())
        yield environment
        process.send_signal(signal.SIGINT)
        assert process.wait(20) == 0


@pytest.fixture
def call(served: dict[str, str], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    for name, value in served.items():
        monkeypatch.setenv(name, value)
    return runner(capfd, "call")


def test_state_lives_as_long_as_the_server(call: Run) -> None:
    created = call("CreateCrmUser", "--user-email", "new@fernway.example", "--account", "crm")
    user = created.json["id"]
    words = ["--user-identifier", user, "--account", "crm"]
    assert call("RetrieveCrmUserById", *words).json["email"] == "new@fernway.example"
    assert call("RemoveCrmUser", *words, "--yes").code == 0
    gone = call("RetrieveCrmUserById", *words)
    assert (gone.code, gone.out) == (1, "")
    for name, connection in (("GetCurrentAccountBalance", "payments"), ("ListServices", "incidents")):
        assert call(name, "--account", connection).code == 0


def test_a_port_that_is_taken(served: dict[str, str]) -> None:
    port = served["CRM_BASE_URL"].split(":")[2].split("/")[0]
    command = [sys.executable, "-m", "tui", "sandbox", "--port", port]
    outcome = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert outcome.returncode == 2
    assert f"port {port} cannot be used" in outcome.stderr
