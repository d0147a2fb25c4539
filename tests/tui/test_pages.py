"""Turning pages, and what happens to them when something else is run."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from textual.widgets import Static

from tests.tui.app import Desk, desk
from tests.tui.test_result import agree
from tui.dialogs import deliberate
from tui.dialogs.page_size import PageSize
from tui.explorer.fields.field import Field
from tui.keyboard.key_bar import KeyBar


def ids(one: Desk) -> list[str]:
    result = one.screen.result.result
    assert result is not None
    assert result.ok
    answer: Any = result.json
    return [item["id"] for item in answer.get("data") or answer.get("incidents") or answer["users"]]


def field(one: Desk, name: str) -> Field:
    return next(field for field in one.screen.form.query(Field) if field.parameter.name == name)


def said(one: Desk) -> str:
    return str(one.screen.query_one(KeyBar).render())


async def turn(one: Desk, key: str) -> None:
    before = one.screen.result.result
    await one.press(key)
    await one.until(lambda: one.screen.result.result is not before)
    await one.pilot.pause()


async def test_another_question_starts_at_its_first_page() -> None:
    async with desk() as one:
        await one.open("ListIncidents")
        await one.run()
        first = ids(one)
        await turn(one, "right_square_bracket")
        assert "offset" in str(one.screen.form.raw)
        assert not set(ids(one)) & set(first)
        await one.press("f5")
        await one.until(lambda: not one.screen.result.has_class("-running"))
        assert "offset" in str(one.screen.form.raw), "the same page again is no other question"
        urgency = field(one, "urgency")
        urgency.focus_editor()
        await one.press("l")
        await one.until(lambda: one.screen.form.raw.get("urgency") == "low")
        assert set(one.screen.form.raw) == {"urgency"}
        await one.run()
        assert ids(one)


async def test_an_offset_that_somebody_typed_stays() -> None:
    async with desk() as one:
        await one.open("ListIncidents")
        one.screen.form.fill({"offset": "5"})
        field(one, "urgency").focus_editor()
        await one.press("h")
        await one.until(lambda: "urgency" in one.screen.form.raw)
        assert one.screen.form.raw["offset"] == "5"


async def test_searches_turn_back_too() -> None:
    async with desk() as one:
        await one.open("PaymentsSearchCharges")
        await one.type("amount>1")
        await one.run()
        pages = [ids(one)]
        for _ in range(2):
            await turn(one, "right_square_bracket")
            pages.append(ids(one))
        assert len({id_ for page in pages for id_ in page}) == sum(map(len, pages))
        for page in pages[1::-1]:
            await turn(one, "left_square_bracket")
            assert ids(one) == page
        await one.press("left_square_bracket")
        assert said(one).strip() == "This is the first page."


async def test_the_last_page_says_so() -> None:
    async with desk() as one:
        await one.open("ListTeams")
        await one.run()
        await one.press("right_square_bracket")
        assert said(one).strip() == "This is the last page."


async def test_an_empty_value_is_offered_where_there_is_one() -> None:
    async with desk() as one:
        await one.open("UpdateCrmUserInfo")
        await one.until(lambda: "Empty" not in said(one))
        field(one, "additional_teams_ids").focus_editor()
        await one.until(lambda: "Empty" in said(one))
        one.screen.form.query_one("#run").focus()
        await one.until(lambda: "Empty" not in said(one))


async def test_a_dialog_silences_the_key_bar_behind_it() -> None:
    async with desk() as one:
        assert "Ask" in said(one)
        await one.press("f1")
        await one.until(lambda: one.app.screen is not one.screen)
        assert said(one) == ""
        await one.press("escape")
        await one.until(lambda: one.app.screen is one.screen)
        assert "Ask" in said(one)


async def test_leaving_in_the_middle_of_a_change_takes_two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deliberate, "PAUSE", 0)
    async with desk() as one:
        await one.open("CreateCrmUser")
        await one.type("zoe@x.example")

        async def never(*_: Any, **__: Any) -> Any:
            return await asyncio.Event().wait()

        monkeypatch.setattr(one.app.session.engine._client, "change", never)
        await one.press("f5")
        await agree(one)
        await one.until(lambda: one.screen.result.has_class("-running"))
        await one.press("ctrl+q")
        await one.until(lambda: "again to quit" in said(one))
        assert one.app.is_running
        await one.press("ctrl+q")
        await one.until(lambda: one.app.return_code is not None or not one.app.is_running)


def page_line(one: Desk) -> str:
    return str(one.screen.result.query_one("#page", Static).render())


async def test_pages_that_were_seen_come_back_at_once() -> None:
    async with desk() as one:
        calls: list[str] = []
        call = one.app.session.call

        async def counted(*arguments: Any) -> object:
            calls.append(arguments[0].name)
            return await call(*arguments)

        one.app.session.call = counted  # type: ignore[method-assign,assignment]
        await one.open("ListUsers")
        await one.run()
        first = one.screen.result.result
        assert page_line(one) == "page 1 · items 1–10 of more than 10 · ] next page"
        await turn(one, "right_square_bracket")
        second = one.screen.result.result
        assert page_line(one) == "page 2 · items 11–20 of 20 · [ previous page"
        assert one.screen.form.raw == {"offset": "10"}
        await turn(one, "left_square_bracket")
        assert one.screen.result.result is first
        assert one.screen.form.raw == {}
        await turn(one, "right_square_bracket")
        assert one.screen.result.result is second
        assert len(calls) == 2
        await one.run()
        assert len(calls) == 3, "F5 asks anew"
        assert page_line(one).startswith("page 2 · ")


async def test_the_page_size_changes_where_the_page_starts() -> None:
    async with desk() as one:
        await one.open("ListUsers")
        await one.run()
        await turn(one, "right_square_bracket")
        start = ids(one)[0]
        await one.press("z")
        await one.until(lambda: isinstance(one.app.screen, PageSize))
        await one.type("500")
        await one.press("enter")
        assert "Enter a whole number from 1 to 50." in str(one.app.screen.query_one("#wrong", Static).render())
        before = one.screen.result.result
        await one.press("backspace", "backspace", "backspace", "5", "enter")
        await one.until(lambda: one.screen.result.result is not before)
        await one.pilot.pause()
        assert (ids(one)[0], len(ids(one))) == (start, 5)
        assert page_line(one).startswith("page 3 · items 11–15 of more than 15 · [ previous page")
        await turn(one, "right_square_bracket")
        assert page_line(one).startswith("page 4 · items 16–20")
