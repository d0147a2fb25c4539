"""``callboard sync``, and ``--save`` with an address: what is told, exit codes, and what is refused before anything is sent."""

import asyncio
import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from registry.doors import cli_sync
from registry.doors.output import ExitCode
from tests.cases import cases_beside
from tests.command_line import Run, runner
from tests.engines.targets import TableTarget
from tests.sandbox.serving import served

CASES = cases_beside(__file__)


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Run:
    monkeypatch.chdir(tmp_path)
    return runner(capfd)


def test_a_list_is_synced_and_the_next_run_asks_for_what_is_new(run: Any, tmp_path: Path) -> None:
    first = run("sync", "ListIncidents", "--to", "duckdb:x.duckdb#incidents", "--json")
    assert (first.code, first.json["kind"], first.json["outcome"]) == (ExitCode.OK, "full", "complete")
    count = first.json["items"]
    assert first.err.splitlines() == [
        "reading the whole list",
        f"complete: {count} items, {count} new and 0 updated in duckdb:{tmp_path}/x.duckdb#incidents",
    ]
    second = run("sync", "ListIncidents", "--to", "duckdb:x.duckdb#incidents")
    assert (second.code, second.out) == (ExitCode.OK, "")
    assert second.err.startswith("reading what was created since ")
    target = TableTarget(f"duckdb:{tmp_path}/x.duckdb", "incidents")
    assert len(target.rows()) == count
    other = run("sync", "ListUsers", "--to", "duckdb:x.duckdb#incidents")
    assert (other.code, other.out) == (ExitCode.LOCAL, "")
    assert "synced from another call (Incidents.ListIncidents on sandbox" in other.err


def test_saving_to_addresses(run: Any) -> None:
    address = "duckdb:x.duckdb#users"
    assert "x.duckdb#users, 10 rows" in run("call", "ListUsers", "--save", address).err
    again = run("call", "ListUsers", "--all", "--save", address)
    assert again.err.splitlines()[-1].endswith("20 rows, 10 of them in the place of earlier ones")
    refused = run("call", "ListTeams", "--save", address)
    assert (refused.code, refused.out) == (ExitCode.LOCAL, "")
    assert "it holds items of Incidents.ListUsers. Choose another target, or add --replace" in refused.err
    assert run("call", "ListTeams", "--save", address, "--replace").code == ExitCode.OK
    several = ["--account", "sandbox", "--format", "csv"]
    assert "--format csv cannot be combined" in run("call", "ListUsers", "--save", address, *several).err
    assert run("sync", "ListTeams", "--to", address).code == ExitCode.LOCAL


@pytest.mark.parametrize(("words", "told"), CASES["wrong usage of sync"])
def test_wrong_usage_is_refused_before_anything_is_sent(
    run: Any, words: list[str], told: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("registry.calling.sending.Sender.send", None)
    outcome = run(*words)
    assert (outcome.code, outcome.out) == (ExitCode.USAGE, "")
    assert told in outcome.err
    assert "ter2" not in outcome.err
    assert list(tmp_path.iterdir()) == []


def test_every_goes_on_after_a_failure(run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 3:
            os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.Event().wait()

    asked: list[str] = []

    async def answer(request: Request) -> Response:
        asked.append(request.url.path)
        if len(asked) == 2:
            return Response(json.dumps({"message": "No."}), 401, media_type="application/json")
        return Response(json.dumps({"results": [{"id": "1"}]}), media_type="application/json")

    monkeypatch.setenv("CRM_ACCESS_TOKEN", "token")
    with served(Starlette(routes=[Route("/{rest:path}", answer)]), breakable=False) as address:
        monkeypatch.setenv("CRM_BASE_URL", address)
        monkeypatch.setattr(cli_sync, "_sleep", sleep)
        words = ["sync", "FetchCrmUsersList", "--account", "crm", "--to", "x/", "--every", "10m", "--json"]
        outcome = run(*words)
    assert slept == [600, 600, 600]
    assert outcome.code == 128 + signal.SIGTERM
    assert [json.loads(line)["outcome"].partition(":")[0] for line in outcome.out.splitlines()] == [
        "complete",
        "failed",
        "complete",
    ]
    assert outcome.err.splitlines()[-1] == "callboard: ended by SIGTERM"
