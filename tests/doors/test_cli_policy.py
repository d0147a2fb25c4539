"""Every change at the command line under every policy: what reaches the server, counted there."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from registry.catalog.loader import load
from registry.catalog.model import Tool
from tests.accounts.test_policy import arguments
from tests.doors.test_cli import run
from tests.loopback import listening

__all__ = ["run"]

CHANGES = [tool for tool in load().tools.values() if tool.effect != "read"]
SAMPLE = [load().tools["DeleteTestClock"], *{(tool.toolkit, tool.method): tool for tool in CHANGES[::-1]}.values()]
"""A change of each kind."""


@pytest.fixture
def arrived() -> Iterator[tuple[str, list[str]]]:
    """The address of a service that lets nobody look, and the methods of the requests that came."""
    methods: list[str] = []

    class Service(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            self.rfile.read(int(self.headers.get("content-length", 0)))
            methods.append(self.command)
            self.send_response(403 if self.command == "GET" else 200)
            self.send_header("content-length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        do_GET = do_POST = do_PUT = do_DELETE = _answer  # noqa: N815  (the base class asks for these names)

    with listening(Service) as address:
        yield address, methods


def words_of(tool: Tool) -> list[str]:
    return [f"--{name.replace('_', '-')}={value}" for name, value in arguments(tool).items()]


@pytest.mark.parametrize("mode", ["test", "live"])
@pytest.mark.parametrize(
    ("changes", "reach"),
    [
        (SAMPLE, {"test": 2 * 2 * 3, "live": 2 * 2 + 2 * 3}),
        pytest.param(CHANGES, {"test": 25 * 2 * 3, "live": 25 * 2 + 2 * 3}, marks=pytest.mark.long),
    ],
    ids=["sample", "all"],
)
def test_no_change_reaches_the_server_that_the_policy_does_not_let_through(
    run: Any,
    arrived: tuple[str, list[str]],
    monkeypatch: pytest.MonkeyPatch,
    changes: list[Tool],
    reach: dict[str, int],
    mode: str,
) -> None:
    address, methods = arrived
    monkeypatch.setenv("PAYMENTS_API_KEY", f"sk_{mode}_1")
    monkeypatch.setenv("PAYMENTS_BASE_URL", address)
    monkeypatch.setenv("CRM_ACCESS_TOKEN", "c")
    monkeypatch.setenv("CRM_BASE_URL", address)
    tools = [tool for tool in changes if mode == "live" or tool.toolkit == "PaymentsApi"]
    sent = 0
    for tool, (read_only, opened, yes, typed) in itertools.product(tools, itertools.product((False, True), repeat=4)):
        subject = str(arguments(tool)[tool.subject.name]) if tool.subject else tool.name
        connection = "payments" if tool.toolkit == "PaymentsApi" else "crm"
        options = ["--account", connection, *(["--read-only"] if read_only else []), *(["--yes"] if yes else [])]
        options += [*(["--allow-writes"] if opened else []), *(["--confirm", subject] if typed else [])]
        agreed = typed if mode == "live" and tool.effect == "delete" else typed or yes
        allowed = not read_only and (mode == "test" or opened) and agreed
        # What a live key cannot reach at all is not sent either.
        allowed = allowed and not (mode == "live" and tool.name == "DeleteTestClock")
        methods.clear()
        run("call", tool.name, *words_of(tool), *options)
        assert [method for method in methods if method != "GET"] == [tool.method] * allowed, (tool.name, options)
        assert allowed or not methods, "without consent nobody looks either"
        sent += allowed
    assert sent == reach[mode]
