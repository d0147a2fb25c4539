"""Running a tool and reading the result."""

import asyncio
import json
from dataclasses import replace
from typing import Any, Literal

import pytest
from textual.widgets import Button, Static

from registry.calling.result import Result
from registry.calling.sending import Progress
from registry.catalog.model import Tool
from registry.json_text import beginning
from tests.sampled import further
from tests.tui.app import Desk, desk, status
from tui.dialogs import deliberate
from tui.dialogs.confirm import ConfirmDelete
from tui.explorer.top_bar import PaneHead
from tui.json_view.document import Document
from tui.json_view.view import JsonView
from tui.keyboard.key_bar import KeyBar


def rows(one: Desk, width: int = 80) -> list[str]:
    view = one.screen.result.query_one(JsonView)
    return ["".join(part.text for part in view.draw(line, width)) for line in range(view.line_count)]


async def test_an_answer_what_is_copied_of_it_and_a_failure() -> None:
    async with desk() as one:
        await one.open("Whoami")
        await one.run()
        assert status(one).endswith("s · sandbox")
        assert rows(one)[:3] == ["▾ {", "  ▾ user: {", '      id: "PC3DUNY"']
        address = one.result.json["user"]["http_cal_url"]
        assert '      http_cal_url: "••••••••"' in rows(one), "what opens doors is masked"
        assert address not in "\n".join(rows(one, 500))
        assert one.app.focused is one.screen.result.query_one(JsonView)

        await one.open("Whoami")
        await one.run()
        view = one.screen.result.query_one(JsonView)
        secret = {"client_secret": "pi_1_secret_2"}
        bar = one.screen.query_one(KeyBar)
        view.show(Document(json.dumps(["a\x1b[31mb\nc", "\x9b\udc80", secret, "Ünï"]).encode()))
        copied = []
        told = []
        for _ in range(4):
            one.app._clipboard = ""
            await one.press("down", "y")
            await one.until(lambda: one.app.clipboard and "Copied" in str(bar.render()))
            await one.pilot.pause()
            copied.append(one.app.clipboard)
            told.append(str(bar.render()))
        assert copied[:2] == ["a\\u001b[31mb\nc", "\\u009b\\udc80"]
        assert json.loads(copied[2]) == secret
        assert copied[3] == "pi_1_secret_2"
        assert told[0] == " ✓ Copied a\\u001b[31mb\\nc · through the terminal"
        assert "client_secret" in told[3]
        assert "pi_1_secret_2" not in "".join(told)
        await one.until(lambda: "Copied" not in str(bar.render()))

        await one.open("GetIncident")
        await one.type("nothing")
        await one.run()
        assert status(one).startswith("404 · ")
        card = str(one.screen.result.query_one("#card", Static).render())
        assert one.screen.result.query_one(PaneHead).title == "✗ Not found"
        assert "→ Check the id" in card
        assert "code 2100" in card
        assert "  ▾ error: {" in rows(one)


async def test_a_running_call_can_be_cancelled_and_two_can_run_at_once() -> None:
    async with desk() as one:
        call, reached, never = one.app.session.call, asyncio.Event(), asyncio.Event()

        reached_with: list[tuple[Any, ...]] = []

        async def silent(*arguments: object) -> None:
            reached_with.append(arguments)
            reached.set()
            await never.wait()

        one.app.session.call = silent  # type: ignore[method-assign,assignment]
        await one.open("Whoami")
        await one.press("f5")
        await reached.wait()
        await one.until(lambda: "Running" in status(one))
        report = reached_with[0][2]
        report(Progress(1, 2, waiting=3.0, reason="Too many requests"))
        await one.until(lambda: "Too many requests: retry in 3 s (attempt 3)" in status(one))
        await one.press("escape")
        await one.until(lambda: status(one).startswith("Cancelled after"))
        assert not one.screen.result.has_class("-running")

        release = {"ListTeams": asyncio.Event(), "Whoami": asyncio.Event()}

        async def slow(tool: Tool, *arguments: object) -> object:
            await release[tool.name].wait()
            return await call(tool, *arguments)  # type: ignore[arg-type]

        one.app.session.call = slow  # type: ignore[method-assign,assignment]
        for name in release:
            await one.open(name)
            await one.press("f5")
            await one.until(lambda: "Running" in status(one))
        await one.open("ListTeams")
        assert "Running" in status(one)
        release["Whoami"].set()
        await one.until(lambda: one.app.session.results.of("Whoami"))
        assert "Running" in status(one)
        await one.press("escape")
        await one.until(lambda: status(one).startswith("Cancelled"))
        assert not one.app.session.results.of("ListTeams")
        await one.open("Whoami")
        assert status(one).endswith("s · sandbox")


@pytest.mark.parametrize("lists", ["json", "table"])
async def test_the_beginning_of_a_large_result_can_be_read_and_the_cursor_stays(lists: Literal["json", "table"]) -> None:
    async with desk(lists=lists) as one:
        await one.open("ListTeams")
        await one.run()
        call, release, whole, pane = one.app.session.call, asyncio.Event(), one.result, one.screen.result
        part = replace(whole, body=beginning(whole.body[: len(whole.body) // 2]))

        async def slow(tool: Tool, raw: Any, report: Any) -> object:
            report(Progress(1, 1, received=1, beginning=part))
            await release.wait()
            return await call(tool, raw, report)

        def cursor() -> int | None:
            return pane.table.cursor if lists == "table" else pane.query_one(JsonView).row

        one.app.session.call = slow  # type: ignore[method-assign,assignment]
        for ends in ("escape", ""):
            await one.press("f5")
            await one.until(lambda: pane.laid_out and pane.views.result is part, "the beginning")
            assert pane.result is None, "nothing is exported, compared or deleted of it"
            await one.do("export")
            assert "still arriving" in str(one.screen.query_one(KeyBar).render())
            assert "Running" in status(one)
            assert "Still arriving" in str(pane.query_one("#page", Static).render())
            await one.press("f4", "down", *[ends] * bool(ends))
            if ends:
                await one.until(lambda: status(one).endswith("What had arrived is shown below."))
                assert pane.views.result is part
        at = cursor()
        assert at
        release.set()
        await one.until(lambda: pane.result is not None and pane.laid_out, "the rest")
        assert (cursor(), pane.views.shows_table) == (at, lists == "table")
        assert one.result.body == whole.body


async def test_a_read_that_is_run_again_is_replaced_and_a_change_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk() as one:
        runs: list[str] = []
        release = asyncio.Event()
        client = one.app.session.engine._client
        read, change = client.read, client.change

        async def slow_read(_: object, tool: Tool, *arguments: Any, **options: Any) -> Result:
            if tool.name == "Whoami":
                runs.append(tool.name)
                await release.wait()
            return await read(tool, *arguments, **options)

        async def slow_change(_: object, *arguments: Any, **options: Any) -> Result:
            runs.append("CreateCrmUser")
            await release.wait()
            return await change(*arguments, **options)

        monkeypatch.setattr(type(client), "read", slow_read)
        monkeypatch.setattr(type(client), "change", slow_change)
        monkeypatch.setattr(deliberate, "PAUSE", 0)
        await one.open("Whoami")
        await one.press("f5", "f5")
        await one.until(lambda: runs == ["Whoami", "Whoami"])
        assert "Running" in status(one)
        await one.open("CreateCrmUser")
        one.screen.form.fill({"user_email": "new.person@fernway.example"})
        await one.press("f5")
        await agree(one)
        await one.until(lambda: "CreateCrmUser" in runs)
        await one.press("f5")
        await one.pilot.pause()
        assert runs == ["Whoami", "Whoami", "CreateCrmUser"]
        assert "CreateCrmUser is still running. Press Esc to cancel it." in str(one.screen.query_one(KeyBar).render())
        await one.press("escape")
        await one.until(lambda: one.app.session.results.of("CreateCrmUser"))
        failure = one.app.session.results.of("CreateCrmUser")[0].failure
        assert failure is not None
        assert "show that the change was not made" in failure.next_step, "what became of it was found out"
        release.set()
        await one.until(lambda: one.app.session.results.of("Whoami"))


async def agree(one: Desk) -> None:
    """Confirm what a dialog asks."""
    await one.until(lambda: isinstance(one.app.screen, ConfirmDelete))
    dialog = one.app.screen
    await one.until(lambda: not dialog.query_one("#delete", Button).disabled)
    await one.press("right", "enter")


@pytest.mark.parametrize("size", [(80, 24), *further((120, 40))])
async def test_an_answer_leaves_the_focus_where_the_user_went(size: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk(size) as one:
        release, client = asyncio.Event(), one.app.session.engine._client
        read = client.read

        async def slow_read(_: object, *arguments: Any, **options: Any) -> Result:
            await release.wait()
            return await read(*arguments, **options)

        monkeypatch.setattr(type(client), "read", slow_read)
        await one.open("SearchPaymentsCustomers")
        await one.type("created>0")
        await one.press("f5")
        await one.until(lambda: "Running" in status(one))
        await one.press("f3", "tab")
        here = one.app.focused
        assert here is not None
        release.set()
        await one.until(lambda: one.screen.result.result is not None, "the answer")
        await one.pilot.pause()
        assert one.app.focused is here
        await one.until(
            lambda: "SearchPaymentsCustomers done. F4 shows the result." in str(one.screen.query_one(KeyBar).render())
        )
