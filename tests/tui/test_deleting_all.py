"""Changes on screen, one after the other: the check, the confirmation, the call, and the dialog's message afterwards.

The long suite goes through all 28, and the quick one through one of each kind.
"""

from collections.abc import Callable
from typing import Any

import pytest

from registry.accounts.connection import Mode
from registry.catalog.model import Tool
from registry.changes.check_result import lines
from registry.sandbox.server import application
from tests.changes.test_every_deletion import SEEN
from tests.changes.world import look
from tests.sampled import further
from tests.test_every_tool import examples
from tests.tui.app import Desk
from tests.tui.test_deleting import agreed, ask, clock, result, told, wired
from tui.dialogs.confirm_delete import ConfirmDelete

__all__ = ["clock"]

ONE_OF_EACH_KIND = (
    "DeleteInvoiceDraft",  # a rule that is kept
    "DeletePaymentsCustomer",  # other things end with it
    "RemoveCustomerSubscriptionDiscount",  # a part of an object, which stays
    "DeleteTaxId",  # no rule
    "DeleteAccountPerson",  # two ids
    "RemoveCrmUser",
    "CreateCrmUser",
    "UpdateCrmUserInfo",
)
BROKEN_OF_EACH_KIND = (
    "A paid invoice cannot be deleted",
    "It has 3 prices",
    "opened the account",
    "Default account for EUR",
    "does not control",
    "No discount to remove",
    "is advancing",
    "Not found",
)

CHANGED = {"user_role_id": "173685"}
SEEN_OF_PEOPLE = {"CreateCrmUser": "No user has the email address", "UpdateCrmUserInfo": "Reports only → Billing"}
AFTER_OF_PEOPLE = {"CreateCrmUser": "is already used by", "UpdateCrmUserInfo": "No changes"}


def changes(one: Desk, number: int) -> list[Tool]:
    """So many of the tools that change something: one of each kind or of some kinds, or all 28."""
    tools = [tool for tool in one.app.session.catalog.tools.values() if tool.effect != "read"]
    chosen = tools if number == 28 else [tool for tool in tools if tool.name in ONE_OF_EACH_KIND[-number:]]
    assert len(chosen) == number
    return chosen


@pytest.mark.parametrize("number", [8, *further(28)])
async def test_each_of_the_28_is_looked_at_made_once_and_seen_to_be_made(number: int, clock: Callable[[], None]) -> None:
    async with wired(size=(80, 24)) as (one, wire):
        for tool in changes(one, number):
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
            after = await look(one.app.session.engine.reads(tool, one.app.session.connection(tool.toolkit)), tool, raw)
            if tool.effect == "delete":
                assert (after.gone, after.verdict) == (True, "refuse"), (tool.name, after)
            else:
                assert AFTER_OF_PEOPLE[tool.name] in "\n".join(line.text for line in lines(after, tool))
            assert wire.changes == [tool.method], tool.name


@pytest.mark.parametrize("number", [3, *further(28)])
@pytest.mark.parametrize(
    ("mode", "read_only", "opened"),
    [("sandbox", True, True), ("live", False, False), ("live", False, True)],
)
async def test_no_change_is_sent_without_consent(
    number: int, mode: Mode, read_only: bool, opened: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes: list[str] = []
    async with wired(mode=mode, size=(80, 24), read_only=read_only, opened=opened) as (one, wire):
        asks = not read_only and opened
        monkeypatch.setattr(one.app, "notify", lambda message, *, title="", **options: notes.append(title))
        for tool in changes(one, number):
            await one.open(tool.name)
            one.screen.form.fill(examples(tool))
            await one.pilot.pause()
            await one.press("f5")
            if asks:
                await one.until(lambda: isinstance(one.app.screen, ConfirmDelete), tool.name)
                await one.press("enter")
                await one.until(lambda: one.app.screen is one.screen)
            else:
                await one.until(lambda: tool.name in notes, tool.name)  # noqa: B023
                assert one.app.screen is one.screen
                assert wire.changes == []
        assert wire.changes == []
