"""All 28 changes on screen, one after the other: the check, the confirmation, the call, and the dialog's message afterwards."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from registry.deleting.check_lines import lines
from registry.deleting.check_result import check
from registry.sandbox.server import application
from tests.deleting.test_every_deletion import BROKEN, SEEN, rules_broken
from tests.test_every_tool import examples
from tests.tui.app import Desk
from tests.tui.test_deleting import ask, button, clock, result, told, wired

__all__ = ["clock"]

CHANGED = {"user_role_id": "173685"}
SEEN_OF_PEOPLE = {"CreateCrmUser": "No user has the email address", "UpdateCrmUserInfo": "Reports only → Billing"}
AFTER_OF_PEOPLE = {"CreateCrmUser": "is already used by", "UpdateCrmUserInfo": "No changes"}


async def agreed(one: Desk, clock: Callable[[], None]) -> None:
    """Press the button after a pause, like somebody who reads first."""
    clock()
    await one.press("right")
    clock()
    await one.press("enter")


async def test_each_of_the_28_is_looked_at_made_once_and_seen_to_be_made(clock: Callable[[], None]) -> None:
    async with wired(size=(80, 24)) as (one, wire):
        tools = [tool for tool in one.app.session.catalog.tools.values() if tool.effect != "read"]
        assert len(tools) == 28
        for tool in tools:
            # Two of them may be about the same object; each has a world of its own.
            wire._app = application(limits=False)
            wire.seen.clear()
            raw: dict[str, Any] = examples(tool) | (CHANGED if tool.name == "UpdateCrmUserInfo" else {})
            dialog = await ask(one, tool.name, raw)
            words = told(dialog)
            seen = (SEEN | SEEN_OF_PEOPLE)[tool.name]
            assert seen.split(": ")[-1].lstrip("✓• ") in words, (tool.name, words)
            assert wire.changes == [], tool.name
            one.app.session.results._last.pop(tool.name, None)
            await agreed(one, clock)
            made = await result(one, tool.name)
            assert made.ok, (tool.name, made.failure)
            assert wire.changes == [tool.method], tool.name
            after = await check(one.app.session.engine.reads(tool, one.app.session.connection(tool.toolkit)), tool, raw)
            if tool.effect == "delete":
                assert (after.gone, after.verdict) == (True, "refuse"), (tool.name, after)
            else:
                assert AFTER_OF_PEOPLE[tool.name] in "\n".join(line.text for line in lines(after, tool))
            assert wire.changes == [tool.method], tool.name


async def test_a_broken_rule_is_told_and_the_button_is_not_there() -> None:
    async with wired(size=(80, 24)) as (one, wire):
        wire._app = rules_broken()
        for name, arguments, words, mode in BROKEN:
            if mode != "sandbox":
                continue
            dialog = await ask(one, name, dict(arguments))
            assert words in " ".join(told(dialog).split()), (name, told(dialog))
            assert not button(dialog).display, name
            button(dialog).press()
            await one.press("escape")
            await one.until(lambda: one.app.screen is one.screen)
        assert wire.changes == []
