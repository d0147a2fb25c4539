"""The start page: its offers work, and it fits at every size."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from registry.finding.first_questions import FirstQuestion, first_questions
from tests.sampled import further
from tests.tui.app import Desk, desk
from tests.tui.test_deleting import wired
from tui.explorer.tool_pane import AskLine
from tui.pages.screen import PageScreen

KITS = ("PaymentsApi", "Incidents", "CrmUsersApi")
QUESTIONS = [one.question for one in first_questions(KITS, KITS)]
TOOLS = [one for one in QUESTIONS if one.tool]


def lines(one: Desk) -> list[str]:
    return ["".join(part.text for part in strip).rstrip() for strip in one.app.screen._compositor.render_strips()]


def is_new(one: Desk, before: object) -> bool:
    """Whether there is another result than this one."""
    return one.screen.result.result not in (None, before)


def choose(question: FirstQuestion) -> list[str]:
    return [*["down"] * QUESTIONS.index(question), "enter"]


@pytest.mark.parametrize("size", [(60, 20), (120, 40), *further((80, 24), (200, 50))], ids=str)
async def test_it_is_drawn_once_and_whole(size: tuple[int, int]) -> None:
    async with desk(size, start_page=True) as one:
        text = "\n".join(lines(one))
        for words in ("Find, read and change your services' data.", "241 tools", *(each.text for each in QUESTIONS)):
            assert text.count(words) == 1, words
        for words in ("cus_4R5QLgZDZXPlou", "a link, a curl command", "F6", "Choose", "Run"):
            assert words in text, words
        assert ("SearchPaymentsSubscriptions" in text) == (size[0] >= 80), "the tools at the right go first"
        assert ("Billing" in text) == (size[0] >= 100), "one thing at a time where there is room for one"
        assert "No result yet" not in text
        assert isinstance(one.app.focused, AskLine)
        await one.press("f2")
        await one.pilot.pause()
        assert "Billing" in "\n".join(lines(one))
        await one.press("escape")
        await one.until(lambda: isinstance(one.app.focused, AskLine))
        assert one.screen.has_class("-starting")


async def test_its_questions_run() -> None:
    async with desk((80, 24), start_page=True) as one:
        for question in TOOLS:
            await one.press("shift+f1")
            await one.until(lambda: one.screen.has_class("-starting"))
            before = one.screen.result.result
            await one.press(*choose(question))
            await one.until(partial(is_new, one, before))
            result = one.screen.result.result
            assert result is not None
            assert result.ok
            assert result.tool == question.tool
            assert next(iter(value for value in result.json.values() if isinstance(value, list))), "there is something to see"
            assert not one.screen.has_class("-starting")
            await one.press("f2")
            assert not one.screen.has_class("-starting")


async def test_a_page_and_the_dashboard_lead_back_to_it_and_it_gives_way(tmp_path: Path) -> None:
    async with desk((120, 40), start_page=True) as one:
        await one.press("down", "enter")
        await one.until(lambda: isinstance(one.app.screen, PageScreen) and one.app.screen.page is not None)
        assert isinstance(one.app.screen, PageScreen)
        page = one.app.screen.page
        assert page is not None
        assert "Padaria Aurora" in page.headline
        await one.press("escape")
        await one.until(lambda: one.app.screen is one.screen)
        assert one.screen.has_class("-starting")
        await one.press("down", "down", "enter")
        await one.until(lambda: type(one.app.screen).__name__ == "OncallScreen")
        await one.press("ctrl+f")
        await one.until(lambda: isinstance(one.app.focused, AskLine))
        await one.press("escape")
        await one.until(lambda: type(one.app.screen).__name__ == "OncallScreen")
        await one.press("escape")
        await one.until(lambda: one.app.screen is one.screen)
        assert one.screen.has_class("-starting"), "looking elsewhere hides nothing"

        await one.type("past due")
        await one.until(lambda: not one.screen.has_class("-starting"))
        await one.press("escape")
        await one.until(lambda: one.screen.has_class("-starting"))
        await one.press("f3")
        assert not one.screen.has_class("-starting")
        await one.press("shift+f1")
        await one.until(lambda: one.screen.has_class("-starting"))
        await one.press("up", "up", "up", "enter")
        await one.until(lambda: one.screen.result.result is not None)
        assert not one.screen.has_class("-starting")
    async with desk(remembered=tmp_path, start_page=True) as one:
        assert one.screen.has_class("-starting")


async def test_a_narrow_window_shows_what_it_waits_for() -> None:
    async with wired("payments latency 60s", size=(80, 24)) as (one, _):
        await one.press("enter")
        await one.until(lambda: one.screen.result.has_class("-running"))
        await one.pilot.pause()
        assert one.screen.here == "result"
        await one.press("escape")
        await one.until(lambda: not one.screen.result.has_class("-running"))
        assert one.screen.here == "result"
