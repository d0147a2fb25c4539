"""``callboard call TOOL --all``: what is printed where, while it comes, and what the exit code tells."""

import asyncio
import json
import os
import signal
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from registry.doors.output import ExitCode
from tests.cases import cases_beside
from tests.command_line import Run, started
from tests.sandbox.serving import served

CASES = cases_beside(__file__)


def crm_pages(*pages: list[dict[str, Any]]) -> Starlette:
    """A CRM whose list of users has these pages; what is behind the last one never comes."""

    async def answer(request: Request) -> Response:
        place = int(request.query_params.get("after", "0"))
        if place == len(pages):
            await asyncio.Event().wait()
        answer = {"results": pages[place], "paging": {"next": {"after": str(place + 1)}}}
        return Response(json.dumps(answer), media_type="application/json")

    return Starlette(routes=[Route("/{rest:path}", answer)])


def test_an_item_a_line_and_where_to_go_on(run: Run) -> None:
    whole = run("call", "ListUsers", "--all")
    assert (whole.code, len({json.loads(line)["id"] for line in whole.out.splitlines()})) == (ExitCode.OK, 20)
    assert whole.err.startswith("all 20 (1 page, ")
    first = run("call", "ListUsers", "--all", "--most", "7")
    assert (first.code, len(first.out.splitlines())) == (ExitCode.INCOMPLETE, 7)
    assert first.err.startswith("first 7 (more available) (")
    assert first.err.splitlines()[1] == "→ to continue from here, add: --offset 7"
    rest = run("call", "ListUsers", "--all", "--offset", "7")
    assert rest.code == ExitCode.OK
    assert rest.err.startswith("13 from the start cursor to the end (")
    assert first.out + rest.out == whole.out
    page = run("call", "ListUsers", "--limit", "7")
    assert (page.code, page.err) == (ExitCode.OK, "7 items, more follow: add --all for the whole list\n")
    assert run("call", "ListUsers", "--limit", "50").err == "", "nothing was left out"


def test_secrets_are_masked_unless_asked_for(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CRM_ACCESS_TOKEN", "sandbox")
    words = ["call", "FetchCrmUsersList", "--all", "--most", "1", "--account", "crm"]
    with served(crm_pages([{"id": "1", "client_secret": "OPEN", "n": 1.10}]), breakable=False) as address:
        monkeypatch.setenv("CRM_BASE_URL", address)
        assert run(*words).out == '{"id":"1","client_secret":"••••••••","n":1.1}\n'
        assert run(*words, "--json").json == [{"id": "1", "client_secret": "••••••••", "n": 1.1}]
        for option in ("--raw", "--show-secrets"):
            assert run(*words, option).out == '{"id":"1","client_secret":"OPEN","n":1.1}\n'


@pytest.mark.parametrize(("words", "told"), CASES["wrong usage of --all"])
def test_wrong_usage(run: Run, words: list[str], told: str) -> None:
    outcome = run("call", *words)
    assert (outcome.code, outcome.out) == (ExitCode.USAGE, "")
    assert told in outcome.err


def test_items_come_before_the_last_page_and_an_interrupt_tells_how_far_it_was() -> None:
    with served(crm_pages([{"id": "1"}, {"id": "2"}], [{"id": "3"}]), breakable=False) as address:
        environment = {**os.environ, "CRM_ACCESS_TOKEN": "sandbox", "CRM_BASE_URL": address}
        with started("call", "FetchCrmUsersList", "--all", "--account", "crm", environment=environment) as process:
            assert process.stdout is not None
            assert [json.loads(process.stdout.readline())["id"] for _ in range(3)] == ["1", "2", "3"]
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=30)
    lines = err.splitlines()
    assert (process.returncode, out) == (130, "")
    assert lines[0].startswith("first 3 (more available): stopped (2 pages, ")
    assert lines[1:] == ["→ to continue from here, add: --page-cursor-after 2", "callboard: interrupted"]
