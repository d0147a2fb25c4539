"""Two real programs that delete the same object at the same moment: one deletion, and a true account in both and on disk."""

import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from registry.sandbox.server import application
from tests.command_line import Outcome, runner, started
from tests.sandbox.serving import served
from tests.terminal import Terminal, choose_account

DELETE = ("DeletePaymentsCoupon", "--coupon-id", "PARTNER15", "--account", "payments")


class Gate:
    """A sandbox that lets deletions pass only together, so that neither program can know of the other's."""

    def __init__(self, app: ASGIApp, together: int) -> None:
        self._app = app
        self._together = together
        self._all: asyncio.Event | None = None
        self.deletions = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope.get("method") == "DELETE":
            self._all = self._all or asyncio.Event()
            self.deletions += 1
            if self.deletions == self._together:
                self._all.set()
            await asyncio.wait_for(self._all.wait(), 60)
        await self._app(scope, receive, send)


@contextmanager
def two(state: Path) -> Iterator[tuple[Gate, dict[str, str]]]:
    """The gate, and the environment of programs that reach what is behind it and share a journal."""
    gate = Gate(application(limits=False), 2)
    with served(gate) as address:
        environment = {
            "PAYMENTS_API_KEY": "sk_test_sandbox",
            "PAYMENTS_BASE_URL": f"{address}/payments",
            "XDG_STATE_HOME": str(state),
        }
        yield gate, environment


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """Runs a command in this process, in the environment of the programs."""

    def run(environment: dict[str, str], *words: str) -> Outcome:
        with monkeypatch.context() as patch:
            for name, value in environment.items():
                patch.setenv(name, value)
            return runner(capfd)(*words)

    return run


def account(told: Outcome) -> list[tuple[str, int, str]]:
    """What the account of changes tells: state, status, and the name of the object as it was."""
    changes = [json.loads(line) for line in told.out.splitlines()]
    return sorted((one["state"], one["status"], one["object"]["name"]) for one in changes)


BOTH = [("done", 200, "Partner discount"), ("refused", 404, "Partner discount")]


def test_two_commands(tmp_path: Path, run: Callable[..., Outcome]) -> None:
    with two(tmp_path) as (gate, environment):
        home = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", **environment}
        programs = [started("call", *DELETE, "--yes", environment=home) for _ in range(2)]
        outcomes = {}
        for program in programs:
            out, err = program.communicate(timeout=120)
            outcomes[program.returncode] = out, err
        assert sorted(outcomes) == [0, 1], outcomes
        assert json.loads(outcomes[0][0])["deleted"] is True
        assert "No such coupon: 'PARTNER15'" in outcomes[1][1]
        assert "Not found: already deleted" in outcomes[1][1]
        assert gate.deletions == 2, "one request of each, and none again"
        assert account(run(environment, "audit", "--json")) == BOTH
        third = run(environment, "call", *DELETE, "--yes")
        assert (third.code, gate.deletions) == (1, 2)
        assert "not sent: 1 check failed" in third.err


@pytest.mark.long
def test_two_explorers(tmp_path: Path, run: Callable[..., Outcome]) -> None:
    with two(tmp_path) as (gate, environment), ExitStack() as stack:
        terminals = [stack.enter_context(Terminal(columns=80, lines=24, environment=environment)) for _ in range(2)]
        for terminal in terminals:
            choose_account(terminal)
            terminal.press("ctrl+f")
            terminal.press_at_once("deletepaymentscoupon", "enter", "PARTNER15", "f5")
            terminal.wait_for("Ready to delete.")
        for terminal in terminals:
            terminal.press("right")
            terminal.press_deliberately("enter")
        done, gone = "Coupon PARTNER15 is deleted", "already deleted"
        screens = [terminal.wait_for(lambda text: done in text or gone in " ".join(text.split())) for terminal in terminals]
        assert sorted(done in screen for screen in screens) == [False, True], screens
        assert sum(gone in " ".join(screen.split()) for screen in screens) == 1, screens
        assert gate.deletions == 2
        assert account(run(environment, "audit", "--json")) == BOTH
        for terminal in terminals:
            terminal.press("f5")
            terminal.wait_for("Delete is not possible: the object does not exist.")
            terminal.press("escape", "ctrl+q")
            terminal.wait_for_end()
        assert gate.deletions == 2
