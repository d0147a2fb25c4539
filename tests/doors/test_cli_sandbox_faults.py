"""``callboard sandbox --fault`` and ``callboard sandbox fault``: what they do, what they say, and their exit codes."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest

from registry.doors.output import ExitCode
from registry.sandbox.server import application
from tests.command_line import Run, runner
from tests.sandbox.serving import served

ROOT = Path(__file__).parent.parent.parent
NOW = 1764555240


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    return runner(capfd, "sandbox")


@pytest.fixture
def running() -> Iterator[tuple[str, str]]:
    """A sandbox's address and port."""
    with served(application(now=NOW)) as address:
        yield address, str(urlsplit(address).port)


def test_faults_of_a_running_sandbox(run: Any, running: tuple[str, str]) -> None:
    address, port = running
    assert (run("fault", "--port", port).code, run("fault", "--port", port).out) == (0, "")
    assert "no active faults" in run("fault", "--port", port).err
    outcome = run("fault", "incidents:/users*", "500", "x3", "--port", port)
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == "  1  incidents:/users* 500 x3  (0 applied, 3 left)\n"
    assert httpx.get(f"{address}/incidents/users").status_code == 500
    outcome = run("--port", port, "fault", "crm latency 1ms-2ms")
    assert outcome.out.splitlines() == [
        "  1  incidents:/users* 500 x3  (1 applied, 2 left)",
        "  2  crm latency 1ms-2ms  (0 applied, until removed)",
    ]
    outcome = run("fault", "--port", port, "--clear", "payments", "503")
    assert outcome.out == "  3  payments 503  (0 applied, until removed)\n"
    assert run("fault", "--clear", "--port", port).code == 0
    assert httpx.get(f"{address}/incidents/users").status_code == 401


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["fault", "crm", "lateny", "2s"], "unknown fault kind 'lateny'"),
        (["fault", "--port", "0"], "--port must be a number from 1"),
        (["fault", "--prot", "1"], "unknown option --prot"),
        (["fault", "--port", "many"], "must be a whole number"),
        (["--fault", "crm 404"], "--fault: unknown fault kind '404'"),
        (["--fault", "crm 500", "--fault", ""], "--fault: a fault is missing"),
        (["--fault"], "expected one argument"),
        (["--fault", "crm 500", "fault", "crm 500"], "for a running one: callboard sandbox fault"),
        (["flaut"], "unknown command 'flaut'; did you mean fault?"),
    ],
)
def test_wrong_usage(run: Any, words: list[str], told: str) -> None:
    outcome = run(*words)
    assert (outcome.code, outcome.out) == (ExitCode.USAGE, "")
    assert told in outcome.err


def test_a_wrong_fault_changes_nothing(run: Any, running: tuple[str, str]) -> None:
    _, port = running
    run("fault", "crm 500", "--port", port)
    assert run("fault", "crm 404", "--clear", "--port", port).code == ExitCode.USAGE
    assert "crm 500" in run("fault", "--port", port).out


def test_what_the_sandbox_refuses_is_told(run: Any) -> None:
    with served(application(now=NOW, faults=["crm 500"] * 100)) as address:
        outcome = run("fault", "crm 500", "--port", str(urlsplit(address).port))
    assert (outcome.code, outcome.out) == (ExitCode.USAGE, "")
    assert "at most 100 faults" in outcome.err


def test_no_sandbox_is_running(run: Any) -> None:
    outcome = run("fault", "--port", "1")
    assert (outcome.code, outcome.out) == (ExitCode.CONNECTION, "")
    assert "cannot reach a sandbox on 127.0.0.1:1" in outcome.err
    assert "callboard sandbox" in outcome.err


@contextmanager
def something_else(response: bytes) -> Iterator[str]:
    """The port of a server that says the same to everyone."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(65_536)
            connection.sendall(response)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield str(listener.getsockname()[1])
    finally:
        thread.join(20)
        listener.close()


@pytest.mark.parametrize(
    "response",
    [
        b"",
        b"SSH-2.0-something\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]",
        b'HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n{"faults":1}',
        b'HTTP/1.1 200 OK\r\nContent-Length: 16\r\n\r\n{"faults":[{}]}\n',
        b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\n{}",
        b"HTTP/1.1 400 Bad Request\r\nContent-Length: 2\r\n\r\n[]",
    ],
)
def test_something_else_answers(run: Any, response: bytes) -> None:
    with something_else(response) as port:
        outcome = run("fault", "--port", port)
    assert (outcome.code, outcome.out) == (ExitCode.CONNECTION, "")
    assert f"cannot reach a sandbox on 127.0.0.1:{port}" in outcome.err


def test_text_from_a_stranger_is_made_visible(run: Any) -> None:
    body = json.dumps({"faults": [{"id": 1, "fault": "\x1b[2J", "applied": 0, "remaining": None}]}).encode()
    with something_else(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)) as port:
        outcome = run("fault", "--port", port)
    assert "\x1b" not in outcome.out


def test_the_help_tells_how_faults_are_written(run: Any) -> None:
    told = run("fault", "--help").out
    assert "payments:/v1/customers* drop after 100 bytes" in told
    assert "trickle [TIME]" in told
    assert "--fault SPEC" in run("--help").out


def test_faults_from_the_beginning(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """The command as it is started: its faults are in force, connections really break, and it ends when it is told to."""
    command = [sys.executable, "-u", "-m", "tui", "sandbox", "--port", "0", "--fault", "crm drop before"]
    command += ["--fault", "incidents latency 10m"]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            port = process.stdout.readline().split("127.0.0.1:")[1].split()[0]
            monkeypatch.setenv("CRM_ACCESS_TOKEN", "c")
            monkeypatch.setenv("CRM_BASE_URL", f"http://127.0.0.1:{port}/crm")
            words = ("RemoveCrmUser", "--user-identifier", "1", "--confirm", "1", "--allow-writes", "--account", "crm")
            call = runner(capfd, "call")(*words)
            assert (call.code, call.out) == (ExitCode.CONNECTION, "")
            assert "The response was lost, and checking failed too" in call.err
            with socket.create_connection(("127.0.0.1", int(port)), timeout=20) as waiting:
                waiting.sendall(b"GET /incidents/users HTTP/1.1\r\nHost: sandbox\r\n\r\n")
                listing = httpx.get(f"http://127.0.0.1:{port}/sandbox/faults").json()["faults"]
                assert [fault["fault"] for fault in listing] == ["crm drop before", "incidents latency 600s"]
                process.send_signal(signal.SIGINT)
                _, err = process.communicate(timeout=30)
        finally:
            process.kill()
    assert process.returncode == 0
    assert "Traceback" not in err
