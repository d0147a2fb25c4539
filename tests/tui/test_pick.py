"""The picker: an id from the service's own list, page after page. For a person's list it asks for the person first."""

import math
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.widgets import OptionList, Static

from registry.calling.result import Failure, Result, ResultPage
from registry.catalog.model import Tool
from tests.journal.calls import ended, record
from tests.sampled import further
from tests.tui.app import Desk, desk, noted
from tests.tui.test_form import field
from tui.explorer.fields.text import Offers
from tui.explorer.id_picker import PickDialog
from tui.explorer.tool_pane import AskLine
from tui.keyboard import key_order
from tui.keyboard.key_bar import KeyBar
from tui.widgets.texts import Line


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


def dialog(one: Desk) -> PickDialog:
    assert isinstance(one.app.screen, PickDialog)
    return one.app.screen


def rows(one: Desk) -> list[str]:
    shown = dialog(one).query_one(OptionList)
    return [str(shown.get_option_at_index(place).prompt) for place in range(shown.option_count)]


def said(one: Desk, name: str) -> str:
    return str(dialog(one).query_one(f"#{name}", Static).render())


async def pick(one: Desk, *, keys: str = "ctrl+@") -> None:
    before = one.app.screen
    await one.press(keys)
    await one.until(lambda: one.app.screen is not before and isinstance(one.app.screen, PickDialog), "the picker")
    await one.until(lambda: said(one, "about") and "Fetching" not in said(one, "about"), "the rows")
    await one.pilot.pause()


@pytest.mark.parametrize("size", [(80, 24), *further((120, 40))])
async def test_an_id_of_somebodys_list_after_whose_it_is(size: tuple[int, int]) -> None:
    async with desk(size) as one:
        await one.open("GetCustomerCardDetails")
        assert "^Space to pick" in str(field(one, "customer_id").query_one(Offers).render())
        assert "Pick id" in str(one.screen.query_one(KeyBar).render())
        field(one, "card_id").focus_editor()
        await pick(one)
        assert "SearchPaymentsCustomers on sandbox" in said(one, "title")
        assert "Choose the customer first." in said(one, "why")
        assert said(one, "heads").split()[:2] == ["customer", "email"]
        assert said(one, "heads").split()[-1] == "id"
        # Full names are shown; a person whose name begins with the text comes before one whose name contains it.
        await one.type("ada")
        await one.until(lambda: rows(one)[0].startswith("› Ada Romero "))
        assert " Padaria Aurora Ltda" in rows(one)[1]
        await one.press(*["backspace"] * 3)
        await one.type("mueller")
        await one.until(lambda: len(rows(one)) == 2)
        assert rows(one)[0].startswith("› Müller Uhren AG")
        assert " cus_" in rows(one)[0]
        await one.press("enter")
        await one.until(lambda: isinstance(one.app.screen, PickDialog) and "card" in said(one, "title"), "the cards")
        await one.until(lambda: len(rows(one)) == 2, "the rows")
        await one.press("down", "enter")
        await one.until(lambda: one.app.screen is one.screen)
        await one.pilot.pause()
        card, customer = field(one, "card_id").raw, field(one, "customer_id").raw
        assert isinstance(card, str)
        assert card.startswith("card_")
        assert isinstance(customer, str)
        assert customer.startswith("cus_")
        # The form says whose it is.
        assert noted(field(one, "customer_id"), "reading") == "= Müller Uhren AG"
        assert field(one, "card_id").has_focus_within
        await one.run()
        assert one.result.ok
        # The form has the customer now, and does not ask again.
        field(one, "card_id").focus_editor()
        await pick(one)
        assert f" of {customer} on sandbox" in said(one, "title")
        await one.press("escape")
        await one.until(lambda: one.app.screen is one.screen)
        assert field(one, "card_id").raw == card


def page(tool: Tool, first: int, last: int, *, more: bool = False, failure: Failure | None = None) -> Result:
    teams = ", ".join(
        f'{{"id": "PT{place}", "type": "team", "name": "Team {place} [red]x[/]"}}' for place in range(first, last)
    )
    body = f'{{"teams": [{teams}], "offset": {first}, "limit": 50, "more": {str(more).lower()}}}'
    following = ResultPage(last - first, more, {"offset": last} if more else None)
    return Result(tool.name, "sandbox", 200, body=body.encode(), page=following, items_at="teams", failure=failure)


async def test_pages_words_and_what_goes_wrong() -> None:
    async with desk() as one:
        asked: list[dict[str, object]] = []
        answers: list[Callable[[Tool], Result]] = [
            lambda tool: page(tool, 0, 0, failure=Failure("service", "Too much", "It was asked too often.", "Wait a minute.")),
            lambda tool: page(tool, 0, 50, more=True),
            lambda tool: page(tool, 50, 53),
        ]

        async def call(tool: Tool, raw: dict[str, object], *_: object, **__: object) -> Result:
            asked.append(raw)
            return answers.pop(0)(tool)

        one.app.session.engine.run = call  # type: ignore[method-assign,assignment]
        await one.open("ListIncidents")
        field(one, "team_ids").focus_editor()
        await one.type("PFIRST,")
        await pick(one)
        assert "✗ Too much. It was asked too often. Wait a minute." in said(one, "about")
        assert rows(one) == ["› Try again"]
        await one.press("enter")
        await one.until(lambda: len(rows(one)) == 51, "the first page")
        assert said(one, "about") == "50 to choose from; more follow"
        await one.type("team 52")
        await one.until(lambda: len(rows(one)) == 1 and "PT52" in rows(one)[0], "the second page")
        assert "[red]x[/]" in rows(one)[0]
        assert asked[1:] == [{"limit": 50}, {"limit": 50, "offset": 50}]
        await one.press("enter")
        await one.until(lambda: one.app.screen is one.screen)
        await one.pilot.pause()
        assert field(one, "team_ids").raw == ["PFIRST", "PT52"]


async def test_before_a_change_the_user_chooses_the_row() -> None:
    async with desk() as one:
        await one.open("RemoveCrmUser")
        await pick(one)
        dialog = one.app.screen
        assert isinstance(dialog, PickDialog)
        assert "more follow · ↓ chooses" in said(one, "about")
        await one.press("enter")
        assert (one.app.screen, dialog.rows.highlighted) == (dialog, None), "no row was chosen"
        await one.type("nobody at all")
        await one.until(lambda: said(one, "about") == "No match in 148", "the rest of the list was read, too")
        assert not rows(one)
        await one.press(*["backspace"] * 13, "down", "enter")
        await one.until(lambda: one.app.screen is one.screen)
        assert one.screen.form.raw["user_identifier"]


async def test_ids_of_answers_what_the_service_finds_and_a_run_that_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk() as one:
        history = one.app.session.history
        assert history is not None
        mandate = {"object": "mandate", "id": "mandate_1Nabcdef"}
        record(history, [ended(answer=mandate, connection=one.app.session.connections["sandbox"])])
        await one.open("RetrieveMandateInfo")
        assert "^Space" not in str(field(one, "mandate_id").query_one(Offers).render())
        await pick(one)
        assert "No tool lists mandate ids." in said(one, "why")
        assert [row.split()[1] for row in rows(one)] == ["mandate_1Nabcdef"]
        await one.type("mandate_2")
        await one.until(lambda: rows(one) == ["› Use “mandate_2” as typed"])
        await one.press("enter")
        await one.until(lambda: one.app.screen is one.screen)
        await one.pilot.pause()
        assert field(one, "mandate_id").raw == "mandate_2"

        await one.open("GetCustomerCards")
        await pick(one)
        await one.type("zzzz")
        await one.until(lambda: rows(one) == ["› Search the service for “zzzz”"])
        await one.press("enter")
        await one.until(lambda: said(one, "about") == "No matches at the service. Press Esc to close.")
        import asyncio

        async def never(*_: object, **__: object) -> Result:
            await asyncio.Event().wait()
            raise AssertionError

        one.app.session.engine.run = never  # type: ignore[method-assign]
        await one.press(*["backspace"] * 4)
        await one.until(lambda: "Esc stops" in said(one, "about"), "the call")
        # An Esc after a while waits for nothing that runs.
        monkeypatch.setattr(key_order, "_A_WHILE", 0.0)
        monkeypatch.setattr(key_order, "_LONGEST_WAIT", math.inf)
        await one.press("escape")
        await one.until(lambda: "✗ Stopped" in said(one, "about"), "the end of the call")
        await one.press("escape")
        await one.until(lambda: one.app.screen is one.screen)
        assert field(one, "customer_id").raw is None


async def test_a_name_typed_beside_the_words_is_looked_for_where_an_id_is_wanted() -> None:
    async with desk((80, 24)) as one:
        one.screen.query_one(AskLine).focus()
        await one.type("delete customer padaria aurora")
        await one.press("enter")
        await one.until(lambda: isinstance(one.app.screen, PickDialog) and rows(one)[:1], "the picker")
        await one.until(lambda: rows(one)[0].startswith("  Padaria Aurora"), "the customer of that name")
        assert dialog(one).query_one(Line).value == "padaria aurora"
        await one.press("down", "enter")
        await one.until(lambda: one.app.screen is one.screen)
        await one.until(lambda: field(one, "customer_id").raw == "cus_SxAKdn2A4YV4At", "the field holds its id")


@pytest.mark.parametrize("typed", ["deletepaymentscoup", *further("DeletePaymentsCoupon")])
async def test_the_name_of_the_tool_itself_is_looked_for_nowhere(typed: str) -> None:
    async with desk((80, 24)) as one:
        one.screen.query_one(AskLine).focus()
        await one.type(typed)
        await one.press("enter")
        await one.until(lambda: one.tool == "DeletePaymentsCoupon")
        await one.until(lambda: not [worker for worker in one.app.workers if worker.group == "pick"])
        assert one.app.screen is one.screen
