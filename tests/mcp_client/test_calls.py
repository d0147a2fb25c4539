"""Calls of an MCP server through the engine: results, questions, progress, cancelling, and what a server does wrong."""

import asyncio
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra callboard[mcp] is not installed")

from registry.accounts.secrets import MASK
from registry.calling.receiving import ResponseLimits
from registry.engine import Answered, Consent, NotAllowed, Result
from registry.journal.entries import SearchQuery
from registry.journal.history import History
from tests.mcp_client.desk import Desk, Person, engine_of, kept
from tests.mcp_client.desk_server import NUMBERS

SECRET = "sesame-open-up-4711"
BOUNDS = ResponseLimits(size=1_000_000)


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DESK_SECRET", SECRET)
        patch.setenv("DESK_OTHER", "other-secret-0815")
        yield from kept(patch, tmp_path_factory.mktemp("mcp"), "DESK_SECRET")


async def run(folder: Path, tool: str, person: Person | None = None, limits: ResponseLimits = BOUNDS, **raw: Any) -> Result:
    async with engine_of(folder, limits=limits) as engine:
        return await engine.run(f"Desk.{tool}", raw, consent=Consent.CONFIRMED, presenter=person)


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_a_result_is_data_and_the_program_ends_with_the_engine(
    desk: Desk, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    history = History(tmp_path / "history.sqlite")
    async with engine_of(tmp_path, history=history) as engine:
        found = await engine.run("FindTicket", {"number": "7"}, consent=Consent.CONFIRMED)
        assert (found.json, found.failure, found.became) == ({"number": 7, "state": "open"}, None, "done")
        noted = await engine.run("Note", {"text": "a", "at": '{"floor": 2}'}, consent=Consent.CONFIRMED)
        assert noted.json == {"noted": {"text": "a", "at": {"floor": 2}}}
        first = desk.pid
        assert is_there(first)
        assert (await engine.run("ListResources")).json["resources"][0]["uri"] == "desk://rules"
        assert (await engine.run("ReadResource", {"uri": "desk://rules"})).json["text"] == "Be kind."
        assert desk.pid == first, "a session is kept between calls"
        changes = await asyncio.to_thread(engine.audit.changes)
        assert [one.tool for one in changes][:2] == ["Note", "FindTicket"]
    assert not is_there(first)
    assert [one.tool for one in History(tmp_path / "history.sqlite").search(SearchQuery())][-1] == "FindTicket"
    assert capfd.readouterr() == ("", "")


async def test_without_consent_nothing_is_started_and_a_server_that_ended_is_started_again(desk: Desk, tmp_path: Path) -> None:
    before = desk.heard
    async with engine_of(tmp_path) as engine:
        with pytest.raises(NotAllowed):
            await engine.run("FindTicket", {"number": 7})
        assert desk.heard == before
        await engine.run("Desk.Die", consent=Consent.CONFIRMED)
        assert (await engine.run("FindTicket", {"number": 7}, consent=Consent.CONFIRMED)).ok


async def test_whole_numbers_keep_their_digits(desk: Desk, tmp_path: Path) -> None:
    for text in ("numbers", "numbers as text"):
        result = await run(tmp_path, "Note", text=text)
        assert (result.ok, result.body.decode()) == (True, NUMBERS.replace("1.10", "1.1"))
    assert (await run(tmp_path, "Note", text="a", at='{"height": 1.10, "far": 12345678901234567890123}')).ok
    assert '{"height":1.1,"far":12345678901234567890123}' in desk.heard.splitlines()[-1].replace(" ", "")


@pytest.mark.parametrize(
    ("tool", "title", "cause", "kind", "became"),
    [
        ("Fail", "The tool reports an error", "the printer is on fire", "service", "refused"),
        ("Refuse", "The server refused the call", "no \\u001b[31mway", "service", "refused"),
        ("Die", "The server ended", "It wrote: “MemoryError: no room for \\u001b[31mmore”", "connection", "unknown"),
        ("Garbage", "Invalid response", "The server sent something that is not an MCP message", "protocol", "unknown"),
        ("NotANumber", "Invalid response", "data that JSON does not have, such as NaN or Infinity", "protocol", "unknown"),
        ("Huge", "Response too large", "The server’s response is too large", "protocol", "unknown"),
    ],
)
async def test_what_a_server_does_wrong_is_told(
    desk: Desk, tmp_path: Path, tool: str, title: str, cause: str, kind: str, became: str
) -> None:
    result = await run(tmp_path, tool)
    assert result.failure is not None
    assert (result.failure.title, result.failure.kind, result.became) == (title, kind, became)
    assert cause in result.failure.cause
    assert result.failure.next_step
    assert kind != "protocol" or result.failure.next_step.endswith("Look at the service itself before you run it again.")
    assert not is_there(desk.pid)


async def test_silence_has_a_deadline_and_the_server_is_told(desk: Desk, tmp_path: Path) -> None:
    result = await run(tmp_path, "Silent", limits=ResponseLimits(silence=2.0))
    assert result.failure is not None
    assert result.failure.cause.startswith("Help desk: The server did not answer within 2 s.")
    assert "notifications/cancelled" in desk.heard.splitlines()[-1]


async def test_progress_is_told_and_cancelling_reaches_the_server(desk: Desk, tmp_path: Path) -> None:
    stop = asyncio.Event()
    told: list[Any] = []

    class Watching(Person):
        def progress(self, progress: Any) -> None:
            told.append(progress)
            if progress.done is not None:
                stop.set()

    async with engine_of(tmp_path) as engine:
        result = await engine.run("Desk.Slow", consent=Consent.CONFIRMED, presenter=Watching(), stop=stop)
        assert result.became == "unknown"
        assert (told[-1].done, told[-1].total, told[-1].words) == (3, 10, "digging\\u001b[31m")
        # The same session answers the next call: the cancelled one was let go of.
        assert (await engine.run("FindTicket", {"number": 7}, consent=Consent.CONFIRMED)).ok
    cancelled = [json.loads(line) for line in desk.heard.splitlines() if "notifications/cancelled" in line][-1]
    calls = [json.loads(line) for line in desk.heard.splitlines() if '"slow"' in line]
    assert cancelled["params"]["requestId"] == calls[-1]["id"]


async def test_a_question_is_a_form_whose_values_are_checked(desk: Desk, tmp_path: Path) -> None:
    async def answer(asked: Any) -> Answered:
        assert (asked.server, asked.message, dict(asked.start)) == ("Help desk", "Who [b]asks[/b]?", {"priority": "low"})
        assert {one.name: one.required for one in asked.form.parameters} == {"name": True, "priority": False, "copies": False}
        assert [error.path for error in asked.check({"copies": "many"}).errors] == ["name", "copies"]
        answered: Answered = asked.accepted({"name": "Ada", "copies": "2"})
        return answered

    result = await run(tmp_path, "Ask", Person(answer))
    assert result.json == {"answered": {"action": "accept", "content": {"name": "Ada", "copies": 2}}}


async def test_an_address_is_consented_to_and_nobody_there_declines(desk: Desk, tmp_path: Path) -> None:
    async def answer(asked: Any) -> Answered:
        assert asked.url == "https://desk.example/sign-in"
        return Answered("accept")

    assert (await run(tmp_path, "AskAddress", Person(answer))).json == {"answered": {"action": "accept"}}
    assert (await run(tmp_path, "Ask", Person())).json == {"answered": {"action": "decline"}}
    assert (await run(tmp_path, "Ask")).json == {"answered": {"action": "decline"}}


async def test_a_program_gets_few_variables_and_what_it_was_given_is_redacted(desk: Desk, tmp_path: Path) -> None:
    result = await run(tmp_path, "Variables")
    assert result.json["DESK_SECRET"] == MASK
    assert "PATH" in result.json
    assert not {"DESK_OTHER", "XDG_STATE_HOME"} & result.json.keys()
    assert SECRET.encode() not in result.body


async def test_a_tool_that_is_another_one_now_is_not_called_and_a_changed_list_is_told(desk: Desk, tmp_path: Path) -> None:
    extra = desk.folder / "extra.json"
    extra.write_text(json.dumps({"note": {"type": "object", "properties": {"all": {"type": "string"}}}}))
    try:
        result = await run(tmp_path, "Note", text="a")
        assert result.failure is not None
        assert (result.failure.title, result.became) == ("The tool has changed", "refused")
        assert "note has other parameters than when it was added. Nothing was sent." in result.failure.cause
        assert "callboard toolkit check desk" in result.failure.next_step
        assert '"note"' not in desk.heard.splitlines()[-1]
        told = await run(tmp_path, "FindTicket", number=7)
        assert told.ok
        assert told.notes == ("The server’s tools have changed since they were added: callboard toolkit check desk tells how.",)
    finally:
        extra.unlink()
