"""A second person approves in an explorer: the list, the dialog, the decision, and the program that waits for it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from textual.widgets import Button, OptionList, Static

from registry.team.approvals import Approvals
from tests.team.conftest import as_role, server
from tests.tui.app import Desk
from tests.tui.test_deleting import clock
from tui.app import CallboardApp
from tui.dialogs.approval import ApprovalDialog
from tui.dialogs.choose import ChooseDialog
from tui.dialogs.deliberate import DeliberateButton
from tui.session import Session

__all__ = ("clock",)  # a fixture

TOLD = {
    "tool": "DeletePaymentsCoupon",
    "summary": "Delete a coupon",
    "subject": "PARTNER15",
    "account": "Payments [red]",
    "mode": "live",
    "found": ["name: Partner \x1b[2J discount", "! Cannot be undone."],
    "request": "DELETE https://api.example.com/v1/coupons/PARTNER15",
}


@asynccontextmanager
async def ben(address: str, **options: Any) -> AsyncIterator[Desk]:
    """An explorer of another person, in front of its panes."""
    environment = {"CALLBOARD_TEAM_AUDIT": address, "CALLBOARD_TEAM_PERSON": "ben"}
    app = CallboardApp(Session(environment, **options))
    async with app.run_test(size=(80, 24)) as pilot:
        one = Desk(app, pilot)
        await one.until(lambda: one.screen.panes_mounted, "the panes")
        await one.at_rest()
        yield one


def shown(one: Desk) -> bool:
    return isinstance(one.app.screen, ApprovalDialog) and bool(one.app.screen.query(DeliberateButton))


def told(app: CallboardApp) -> list[str]:
    return [one.message for one in app._notifications]


async def test_a_request_is_looked_at_and_answered(address: str, clock: Callable[[], None]) -> None:
    anna = Approvals(server(as_role(address, "anna")), "annas-log")
    first, second = await anna.ask("d", TOLD), await anna.ask("d", TOLD | {"subject": "FRIENDS10"})
    async with ben(as_role(address, "ben")) as one:
        await one.press("alt+s")
        await one.until(lambda: isinstance(one.app.screen, ChooseDialog) and one.app.screen.query(OptionList), "the list")
        assert one.app.screen.query_one(OptionList).option_count == 2
        await one.press("enter")
        await one.until(lambda: shown(one), "the dialog")
        assert one.app.screen.focused is one.app.screen.query_one("#refuse", Button)
        text = "\n".join(str(widget.render()) for widget in one.app.screen.query(Static))
        assert "PARTNER15" in text
        assert "database login anna" in text
        assert "\x1b" not in text
        assert "[red]" in text
        button = one.app.screen.query_one(DeliberateButton)
        button.focus()
        await one.until(lambda: button.has_focus, "the button")
        await one.press("enter")  # too soon: it may be an accident
        assert (await anna.find(first)).state == "waiting"
        clock()
        await one.press("enter")
        await one.until(lambda: any("Approved" in words for words in told(one.app)), "the answer")
        assert (await anna.find(first)).state == "approved"
        await one.press("alt+s")
        await one.until(lambda: shown(one), "the other one")
        await one.press("enter")
        await one.until(lambda: any("Refused" in words for words in told(one.app)), "the answer")
        assert (await anna.find(second)).state == "refused"


@pytest.mark.parametrize(("read_only", "address_set"), [(True, True), (False, False)])
async def test_what_cannot_be_done_is_said(address: str, read_only: bool, address_set: bool) -> None:
    anna = Approvals(server(as_role(address, "anna")), "annas-log")
    await anna.ask("d", TOLD)
    async with ben(as_role(address, "ben") if address_set else "", read_only=read_only) as one:
        await one.press("alt+s")
        if address_set:
            await one.until(lambda: shown(one), "the dialog")
            assert not one.app.screen.query_one(DeliberateButton).display
        else:
            await one.until(lambda: any("no team's server is set" in words for words in told(one.app)), "the reason")
