"""``callboard call TOOL --all``: what is printed where, while it comes, and what the exit code tells."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from registry.doors.output import ExitCode
from registry.sandbox.server import application
from tests.doors.test_cli import run  # noqa: F401 - the fixture
from tests.sandbox.serving import served
from tests.terminal import ROOT


def test_an_item_a_line(run: Any) -> None:  # noqa: F811
    outcome = run("call", "ListUsers", "--all")
    users = [json.loads(line) for line in outcome.out.splitlines()]
    assert (outcome.code, len(users)) == (ExitCode.OK, 20)
    assert len({user["id"] for user in users}) == 20
    assert outcome.err.startswith("all 20 (1 page, ")


def test_a_cut_is_told_and_where_to_go_on(run: Any) -> None:  # noqa: F811
    first = run("call", "ListUsers", "--all", "--most", "7")
    assert (first.code, len(first.out.splitlines())) == (ExitCode.INCOMPLETE, 7)
    assert first.err.startswith("first 7 (more available) (")
    assert first.err.splitlines()[1] == "→ to continue from here, add: --offset 7"
    rest = run("call", "ListUsers", "--all", "--offset", "7")
    assert rest.code == ExitCode.OK
    assert rest.err.startswith("13 from the start cursor to the end (")
    assert first.out + rest.out == run("call", "ListUsers", "--all").out


def test_secrets_are_masked_unless_asked_for(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.setenv("CRM_ACCESS_TOKEN", "sandbox")
    words = ["call", "FetchCrmUsersList", "--all", "--most", "1", "--account", "crm"]
    with served(crm_pages([{"id": "1", "client_secret": "OPEN", "n": 1.10}]), breakable=False) as address:
        monkeypatch.setenv("CRM_BASE_URL", address)
        assert run(*words).out == '{"id":"1","client_secret":"••••••••","n":1.1}\n'
        assert json.loads(run(*words, "--json").out) == [{"id": "1", "client_secret": "••••••••", "n": 1.1}]
        for option in ("--raw", "--show-secrets"):
            assert run(*words, option).out == '{"id":"1","client_secret":"OPEN","n":1.1}\n'


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["GetIncident", "--incident-id", "x", "--all"], "does not return a list"),
        (["ListUsers", "--all", "--most", "0"], "a whole number from 1; got '0'"),
        (["ListUsers", "--json"], "--most and --json need --all"),
        (
            ["GetPaymentsWebhookEndpoints", "--all", "--pagination-ending-before", "we_1"],
            "cannot be used when fetching all pages",
        ),
    ],
)
def test_wrong_usage(run: Any, words: list[str], told: str) -> None:  # noqa: F811
    outcome = run("call", *words)
    assert (outcome.code, outcome.out) == (ExitCode.USAGE, "")
    assert told in outcome.err


def test_a_failure_on_the_way_is_not_all_and_at_the_start_nothing(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: F811
    monkeypatch.setenv("INCIDENTS_API_TOKEN", "sandbox")
    words = ["call", "ListLogEntries", "--all", "--since", "2025-01-01", "--account", "incidents"]
    with served(application(faults=["incidents 401"])) as address:
        monkeypatch.setenv("INCIDENTS_BASE_URL", f"{address}/incidents")
        outcome = run(*words)
        assert (outcome.code, outcome.out) == (ExitCode.CONNECTION, "")
        assert outcome.err.startswith("no items received: credential rejected")


def crm_pages(*pages: list[dict[str, Any]]) -> Starlette:
    """A CRM whose list of users has these pages; what is behind the last one never comes."""

    async def answer(request: Request) -> Response:
        place = int(request.query_params.get("after", "0"))
        if place == len(pages):
            await asyncio.Event().wait()
        answer = {"results": pages[place], "paging": {"next": {"after": str(place + 1)}}}
        return Response(json.dumps(answer), media_type="application/json")

    return Starlette(routes=[Route("/{rest:path}", answer)])


@contextmanager
def fetching(app: Starlette) -> Iterator[subprocess.Popen[bytes]]:
    with served(app, breakable=False) as address:
        environment = {**os.environ, "CRM_ACCESS_TOKEN": "sandbox", "CRM_BASE_URL": address}
        command = [sys.executable, "-u", "-m", "tui", "call", "FetchCrmUsersList", "--all", "--account", "crm"]
        with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            yield process
            process.kill()


def test_items_come_before_the_last_page_and_an_interrupt_tells_how_far_it_was() -> None:
    with fetching(crm_pages([{"id": "1"}, {"id": "2"}], [{"id": "3"}])) as process:
        assert process.stdout is not None
        assert [json.loads(process.stdout.readline())["id"] for _ in range(3)] == ["1", "2", "3"]
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    lines = err.decode().splitlines()
    assert (process.returncode, out) == (ExitCode.INTERRUPTED, b"")
    assert lines[0].startswith("first 3 (more available): stopped (2 pages, ")
    assert lines[1:] == ["→ to continue from here, add: --page-cursor-after 2", "callboard: interrupted"]
