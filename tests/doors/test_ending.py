"""Commands that are ended in the middle, as real processes: what they say, their exit codes, and what is found out later."""

import json
import os
import signal
import sys
import termios
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from registry.doors.output import ExitCode
from tests.command_line import Run, finished, started
from tests.loopback import listening
from tests.terminal import Terminal

KEY = "sk_test_MARKEDMARKED"
DELETE = ("call", "DeletePaymentsCoupon", "--coupon-id", "C1", "--account", "payments", "--yes")


class Service:
    """What happens at a service with one coupon. A deletion is carried out, or not, and never answered."""

    def __init__(self) -> None:
        self.base = ""
        self.there, self.deletes = True, True
        self.seen: list[str] = []
        self.arrived, self.go_on = threading.Event(), threading.Event()


@pytest.fixture
def service() -> Iterator[Service]:
    service = Service()

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            service.seen.append("GET")
            found = service.there or "coupons" not in self.path
            body: Any = {"id": "C1", "object": "coupon", "name": "Ten", "livemode": False, "data": [], "has_more": False}
            body = body if found else {"error": {"message": "No such coupon", "type": "invalid_request_error"}}
            content = json.dumps(body).encode()
            self.send_response(200 if found else 404)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def do_DELETE(self) -> None:
            service.seen.append("DELETE")
            service.there = not service.deletes
            service.arrived.set()
            service.go_on.wait(30)

    with listening(Answering) as service.base:
        yield service
        service.go_on.set()


@pytest.fixture
def environment(service: Service, tmp_path: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PAYMENTS_", "XDG_", "CALLBOARD_"))}
    return kept | {"HOME": str(tmp_path), "PAYMENTS_API_KEY": KEY, "PAYMENTS_BASE_URL": service.base}


@pytest.mark.parametrize("number", [signal.SIGTERM, pytest.param(signal.SIGHUP, marks=pytest.mark.long)])
def test_a_change_that_is_ended_says_what_became_of_it(
    service: Service, environment: dict[str, str], number: signal.Signals
) -> None:
    with started(*DELETE, environment=environment) as process:
        assert service.arrived.wait(30)
        process.send_signal(number)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 128 + number
    assert "A check confirms that it was deleted." in err
    assert err.endswith(f"callboard: ended by {number.name}\n")
    assert service.seen.count("DELETE") == 1


def test_a_change_whose_deadline_passes_says_what_became_of_it(service: Service, environment: dict[str, str]) -> None:
    service.deletes = False
    for seconds in ("2", "8", "30", "120"):  # a busy machine may need them before it sends anything
        code, _, err = finished(*DELETE, "--deadline", seconds, "--json-errors", environment=environment)
        if service.arrived.is_set():
            break
    told = [json.loads(line) for line in err.splitlines()]
    assert code == ExitCode.CONNECTION
    assert {"note": "The deadline has passed. Checking whether the change was made; press Ctrl+C to skip the check."} in told
    assert told[-1]["cause"] == "The request was stopped while it was in progress; the change may have been made."
    assert "it still exists. The request was not repeated" in told[-1]["way_out"]
    assert told[-1]["exit_code"] == code
    assert service.seen.count("DELETE") == 1


def test_what_was_killed_is_looked_up_later_and_nothing_is_sent_again(
    service: Service, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    for name in os.environ.keys() - environment.keys():
        monkeypatch.delenv(name)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with started(*DELETE, environment=environment) as process:
        assert service.arrived.wait(30)
        # While it runs, it is nobody else's to settle.
        assert run("audit", "settle").err == "Every change is settled.\n"
        assert '"state": "sent"' in run("audit", "--json").out
        process.kill()
        process.communicate(timeout=60)
    service.seen.clear()
    # Another credential is another account: nothing is asked of it.
    with monkeypatch.context() as other:
        other.setenv("PAYMENTS_API_KEY", "sk_test_ANOTHERANOTHER")
        code, out, _ = run("audit", "settle")
    assert (code, service.seen) == (ExitCode.INCOMPLETE, [])
    assert "which is not set up now; not checked" in out
    code, out, _ = run("audit", "settle")
    assert code == ExitCode.OK
    assert "it was deleted" in out
    assert set(service.seen) == {"GET"}
    line = run("audit", "--json").json
    assert (line["state"], line["base"]) == ("done", service.base)
    assert "it was deleted" in line["failure"]
    assert KEY not in json.dumps(line)
    assert "✓ done  DeletePaymentsCoupon  C1  payments (test)  by reading" in run("audit").out


HERE = ("--base-url", "http://127.0.0.1:9", "--insecure-storage")
SECRET = ("account", "add", "payments", "--name", "X", *HERE)
SIGN_IN = ("account", "add", "incidents", "--name", "X", "--sign-in", "--client-id", "c", "--no-browser", "--insecure-storage")
UNSEEN, PASTED = "Paste an API key for X", "Paste the address that the browser was sent to"


def _ctrl(letter: str) -> Callable[[Terminal], None]:
    return lambda terminal: terminal.press(f"ctrl+{letter}")


@pytest.mark.parametrize(
    ("words", "question", "end", "told"),
    [
        (SECRET, UNSEEN, _ctrl("d"), "callboard: no secret was given"),
        (SIGN_IN, PASTED, _ctrl("c"), "callboard: interrupted"),
        *(
            pytest.param(*more, marks=pytest.mark.long)
            for more in (
                (SECRET, UNSEEN, _ctrl("c"), "callboard: interrupted"),
                (SIGN_IN, "the secret of the client c", _ctrl("d"), "callboard: no secret was given"),
                (SIGN_IN, PASTED, _ctrl("d"), "callboard: no address was pasted"),
                (SIGN_IN, PASTED, lambda terminal: os.kill(terminal._process, signal.SIGTERM), "callboard: ended by SIGTERM"),
            )
        ),
    ],
)
def test_a_question_that_gets_no_answer(
    words: tuple[str, ...], question: str, end: Callable[[Terminal], None], told: str
) -> None:
    with Terminal((sys.executable, "-m", "tui", *words)) as terminal:
        if question == PASTED:
            terminal.wait_for("the secret of the client c")
            terminal.press("enter")
        terminal.wait_for(question)
        end(terminal)
        written = terminal.wait_for_end().decode()
        assert told in written
        assert "crash" not in written.lower()
        assert termios.tcgetattr(terminal._descriptor)[3] & termios.ECHO
