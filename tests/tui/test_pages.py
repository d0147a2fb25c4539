"""Turning pages, and what happens to them when something else is run."""

import asyncio
from dataclasses import replace
from typing import Any

from textual.widgets import Static

from registry.calling.result import Failure, Result
from tests.tui.app import Desk, desk
from tui.dialogs.questions import Prompt
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


async def test_another_question_starts_at_its_first_page_and_searches_turn_back() -> None:
    async with desk() as one:
        await one.open("ListIncidents")
        await one.run()
        first = ids(one)
        await turn(one, "right_square_bracket")
        assert not set(ids(one)) & set(first)
        assert one.screen.form.raw == {}, "the form is the question, and a page is none"
        await one.run()
        assert ids(one) == first
        await turn(one, "right_square_bracket")
        urgency = field(one, "urgency")
        urgency.focus_editor()
        await one.press("l")
        await one.until(lambda: one.screen.form.raw.get("urgency") == "low")
        assert set(one.screen.form.raw) == {"urgency"}
        await one.run()
        assert ids(one)
        # Searches turn back too.
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


def page_line(one: Desk) -> str:
    return str(one.screen.result.query_one("#page", Static).render())


async def test_pages_that_were_seen_come_back_at_once_and_their_size_keeps_the_start() -> None:
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
        await turn(one, "left_square_bracket")
        assert one.screen.result.result is first
        await turn(one, "right_square_bracket")
        assert one.screen.result.result is second
        assert len(calls) == 2
        await one.run()
        assert len(calls) == 3, "F5 asks anew"
        assert page_line(one).startswith("page 1 · ")
        await turn(one, "right_square_bracket")
        start = ids(one)[0]
        await one.press("z")
        await one.until(lambda: isinstance(one.app.screen, Prompt))
        await one.type("500")
        await one.press("enter")
        assert "Enter a whole number from 1 to 50." in str(one.app.screen.query_one("#said", Static).render())
        before = one.screen.result.result
        await one.press("backspace", "backspace", "backspace", "5", "enter")
        await one.until(lambda: one.screen.result.result is not before)
        await one.pilot.pause()
        assert (ids(one)[0], len(ids(one))) == (start, 5)
        assert page_line(one).startswith("page 3 · items 11–15 of more than 15 · [ previous page")
        await turn(one, "right_square_bracket")
        assert page_line(one).startswith("page 4 · items 16–20")


class Failing:
    """The calls of a session, of which some fail: those whose place in order is in `failing`, counted from 0."""

    def __init__(self, one: Desk, *failing: int) -> None:
        self._one, self._call, self._failing, self.calls = one, one.app.session.call, failing, 0
        one.app.session.call = self  # type: ignore[method-assign,assignment]

    async def __call__(self, *arguments: Any) -> Result:
        result = await self._call(*arguments)
        self.calls += 1
        if self.calls - 1 not in self._failing:
            return result
        failed = replace(
            result, failure=Failure("service", "Server error", "500", "Run it again."), body=b"", page=None, items_at=None
        )
        self._one.app.session.results.add(failed)
        return failed


async def test_a_page_that_failed_is_asked_for_again_and_a_late_one_takes_no_place() -> None:
    async with desk() as one:
        calls = Failing(one, 1, 2, 4)
        await one.open("ListUsers")
        await one.run()
        first = one.screen.result.result
        await turn(one, "right_square_bracket")
        assert page_line(one) == "[ previous page · ] load this page again"
        await turn(one, "left_square_bracket")
        assert one.screen.result.result is first
        assert page_line(one) == "page 1 · items 1–10 of more than 10 · ] next page"
        await turn(one, "right_square_bracket")  # fails again
        await turn(one, "right_square_bracket")
        assert page_line(one) == "page 2 · items 11–20 of 20 · [ previous page"
        await one.run()
        assert page_line(one) == "", "F5 failed"
        assert calls.calls == 5
        # A page that is still loading does not take the place of one gone back to.
        await one.open("ListIncidents")
        await one.run()
        first = one.screen.result.result
        await turn(one, "right_square_bracket")
        call, go_on = one.app.session.call, asyncio.Event()

        async def slow(*arguments: Any) -> Any:
            await go_on.wait()
            return await call(*arguments)

        one.app.session.call = slow  # type: ignore[method-assign,assignment]
        await one.press("right_square_bracket")
        await one.until(lambda: one.screen.result.has_class("-running"))
        await turn(one, "left_square_bracket")
        assert one.screen.result.result is first
        go_on.set()
        await one.until(lambda: not one.screen.running_calls.of(one.screen.form.tool))
        await one.pilot.pause()
        assert one.screen.result.result is first
        assert page_line(one).startswith("page 1 · ")
        assert not one.screen.result.has_class("-running")


async def test_pages_are_those_of_the_list_on_screen_and_not_of_what_was_typed_since() -> None:
    async with desk() as one:
        await one.open("ListIncidents")
        await one.run()
        whole = one.screen.result.result
        assert whole is not None
        urgency = field(one, "urgency")
        urgency.focus_editor()
        await one.press("l")
        await one.until(lambda: one.screen.form.raw.get("urgency") == "low")
        await one.press("f4")
        await turn(one, "right_square_bracket")
        second = one.screen.result.result
        assert second is not None
        assert "urgency" not in second.arguments
        assert second.arguments["offset"] == len(ids(one))
        assert (one.screen.form.raw.get("urgency"), "offset" in one.screen.form.raw) == ("low", False), "what was typed stays"
        await turn(one, "left_square_bracket")
        assert one.screen.result.result is whole
        await one.press("f5")
        await one.until(lambda: "urgency" in getattr(one.screen.result.result, "arguments", {}))
        assert one.screen.result.result is not whole
