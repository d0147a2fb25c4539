"""The history screen, and ids completed from earlier results."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

import pytest
from textual import events
from textual.widgets import Static

from registry.journal.entries import RecordedResult, SearchQuery
from tests.journal.calls import ended, record
from tests.sampled import further
from tests.tui.app import Desk, desk, status
from tui.dialogs.dialog import RowsBelow
from tui.dialogs.history import HistoryDialog
from tui.explorer.fields.text import IdField, Offers
from tui.explorer.toolkit_tree import ToolkitTree
from tui.keyboard.key_bar import KeyBar
from tui.widgets.texts import Line


@pytest.fixture(autouse=True)
def own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))


@asynccontextmanager
async def used(size: tuple[int, int] = (120, 40)) -> AsyncIterator[Desk]:
    """The program after two calls: one that found an invoice missing, and before it one that told who is asking."""
    async with desk(size) as one:
        for name, values in (("Whoami", {}), ("RetrieveInvoiceById", {"invoice_id": "in_nobody"})):
            await one.open(name)
            one.screen.form.fill(values)
            await one.run()
        assert one.app.session.history is not None
        one.app.session.history.flush()
        yield one


async def look_back(one: Desk) -> HistoryDialog:
    await one.press("ctrl+y")
    await one.until(lambda: isinstance(one.app.screen, HistoryDialog), "the history")
    dialog = one.app.screen
    assert isinstance(dialog, HistoryDialog)
    await one.until(lambda: dialog.is_mounted and dialog.query(RowsBelow) and dialog.query_one(RowsBelow).option_count, "calls")
    await one.pilot.pause()
    return dialog


def rows(dialog: HistoryDialog) -> list[str]:
    entries = dialog.query_one(RowsBelow)
    return [str(entries.get_option_at_index(place).prompt) for place in range(entries.option_count)]


@pytest.mark.parametrize("size", [(80, 24), *further((120, 40))])
async def test_open_an_answer_as_it_was_and_forget_one_and_all(size: tuple[int, int]) -> None:
    async with used(size) as one:
        failed = one.screen.result.result
        assert failed is not None
        await one.press("ctrl+f")
        await one.type(failed.request_id or "")
        tree = one.screen.query_one(ToolkitTree)
        await one.until(lambda: tree.at_cursor is not None and tree.at_cursor.item.type == "request", "the request")
        await one.press("enter")
        await one.until(lambda: isinstance(one.app.screen, HistoryDialog), "the history")
        found = cast(HistoryDialog, one.app.screen)
        await one.until(lambda: found.query(RowsBelow) and len(rows(found)) == 1, "its call")
        assert "in_nobody" in rows(found)[0]
        await one.press("escape")
        await one.until(lambda: one.app.screen is one.screen)

        dialog = await look_back(one)
        assert ["✗ failed" in row and "in_nobody" in row for row in rows(dialog)] == [True, False]
        await one.type("who ok")
        await one.until(lambda: len(rows(dialog)) == 1)
        await one.press("enter")
        await one.until(lambda: isinstance(one.screen.result.result, RecordedResult), "the answer from then")
        await one.until(lambda: one.screen.result.view.document is not None)
        assert one.screen.tool is not None
        assert one.screen.tool.name == "Whoami"
        assert "from history" in status(one)
        await one.until(lambda: one.screen.result.view.has_focus)

        dialog = await look_back(one)
        await one.press("down", "delete")
        await one.until(lambda: len(rows(dialog)) == 1 and "User · yourself" in rows(dialog)[0])
        await one.press("D")
        await one.answer(yes=False)
        assert len(rows(dialog)) == 1
        await one.press("D")
        await one.answer(yes=True)
        await one.until(lambda: not rows(dialog))
        assert one.app.session.history is not None
        assert one.app.session.history.search(SearchQuery()) == []


async def test_keys_act_in_their_order_however_close_together() -> None:
    async with used() as one:
        line = (await look_back(one)).query_one(Line)
        line.select_on_focus = False

        async def press(turns: int) -> None:
            typed = len(line.value) + 1
            for key, character in (("down", None), ("slash", "/"), ("space", " ")):  # the space reads the list again
                one.app.post_message(events.Key(key, character))
                for _ in range(turns):
                    await asyncio.sleep(0)
            await one.until(lambda: line.value == " " * typed, f"{turns} turns: {line.value!r}")

        for turns in range(0, 30, 3):  # of the event loop between two keys: the second arrives anywhere on the way of the first
            await press(turns)


async def test_a_failure_is_opened_run_again_and_edited_and_letters_are_keys_only_in_the_list() -> None:
    async with used() as one:
        await one.open("Whoami")
        await look_back(one)
        await one.press("down", "enter")
        await one.until(lambda: isinstance(one.screen.result.result, RecordedResult))
        await one.pilot.pause()
        assert one.screen.form.raw == {"invoice_id": "in_nobody"}
        assert "No such invoice: 'in_nobody'" in str(one.screen.result.query_one("#card", Static).render())

        await look_back(one)
        before = one.screen.result.result
        await one.press("down", "r")
        await one.until(lambda: one.screen.result.result is not before and not one.screen.result.has_class("-running"))
        assert not isinstance(one.screen.result.result, RecordedResult)
        assert one.app.session.history is not None
        assert len(one.app.session.history.search(SearchQuery())) == 3
        await look_back(one)
        await one.press("down", "e")
        await one.until(lambda: one.app.screen is one.screen and one.screen.form.raw == {"invoice_id": "in_nobody"})
        assert len(one.app.session.history.search(SearchQuery())) == 3

        await look_back(one)
        await one.press("down", "c")
        await one.until(lambda: "no saved result" in str(one.screen.query_one(KeyBar).render()))
        await one.until(lambda: one.app.screen is one.screen)

        dialog = await look_back(one)
        offered = dialog.query_one(".keys-here", Static)
        assert "r Run again" not in str(offered.render())
        await one.press("down")
        await one.until(lambda: "r Run again" in str(offered.render()), "the keys of the list")
        await one.press("slash")
        await one.until(lambda: "r Run again" not in str(offered.render()), "the keys of the line")
        await one.type("rec")
        await one.press("delete", "D")
        await one.until(lambda: not rows(dialog))
        assert one.app.screen is dialog


async def test_without_a_journal() -> None:
    async with desk(environment={"CALLBOARD_NO_JOURNAL": "1"}) as one:
        await one.press("ctrl+y")
        await one.until(lambda: "CALLBOARD_NO_JOURNAL" in str(one.screen.query_one(KeyBar).render()))


async def test_a_damaged_journal_is_told_once_and_breaks_no_call(tmp_path: Path) -> None:
    (tmp_path / "callboard").mkdir()
    (tmp_path / "callboard" / "journal.db").write_bytes(b"no database" * 1_000)
    async with desk() as one:
        for _ in range(2):
            await one.open("Whoami")
            await one.run()
        assert one.screen.result.result is not None
        assert one.screen.result.result.ok
        await one.until(lambda: len(one.app._notifications) == 1)
        assert "no longer recorded" in next(iter(one.app._notifications)).message


# Ids


async def id_field(one: Desk) -> IdField:
    """The form for a customer's cards, when two customers were seen."""
    history = one.app.session.history
    assert history is not None
    sandbox = one.app.session.connections["sandbox"]
    for id_, name in (("cus_N2abcdef", "[red]H\x1b[31m Hopper"), ("cus_N1abcdef", "Ada Lovelace")):
        response = {"object": "customer", "id": id_, "name": name}
        record(history, [ended(answer=response, customer_id=id_, connection=sandbox)])
    await one.open("GetCustomerCards")
    field = one.screen.form.query(IdField).first()
    await one.until(lambda: field.has_class("-offers"), "the ids")
    return field


def offered(field: IdField) -> list[str]:
    return [id_ for id_, _ in field.query_one(Offers).values]


@pytest.mark.parametrize("size", [(80, 24), *further((120, 40))])
async def test_ids_are_offered_and_taken(size: tuple[int, int]) -> None:
    async with desk(size) as one:
        field = await id_field(one)
        assert offered(field) == ["cus_N1abcdef", "cus_N2abcdef"]
        shown = str(field.query_one(Offers).render())
        assert "Ada Lovelace" in shown
        assert "\x1b" not in shown
        assert "[red]H" in shown
        await one.type("hopper")
        await one.until(lambda: offered(field) == ["cus_N2abcdef"])
        await one.press("down", "enter")
        assert field.raw == "cus_N2abcdef"
        assert one.screen.result.result is None
        await one.pilot.pause()
        assert not field.has_class("-offers")


async def test_ids_are_told_by_names_that_an_earlier_run_has_seen() -> None:
    """Of subscriptions the service returns only the customer's id. It is not asked for the name."""
    async with desk() as one:
        await one.open("SearchPaymentsCustomers")
        one.screen.form.fill({"search_query_string": 'email:"accounts@aurora.example"'})
        await one.run()
        assert one.app.session.history is not None
        one.app.session.history.flush()
    async with desk((200, 40)) as one:
        names = one.app.session.names
        await one.open("SearchPaymentsSubscriptions")
        one.screen.form.fill({"search_query_string": 'status:"past_due"'})
        assert not names.of("cus_SxAKdn2A4YV4At")
        await one.run()
        assert names.of("cus_SxAKdn2A4YV4At") == "Padaria Aurora Ltda"
        assert "Padaria" not in str(one.screen.result.result.json)  # type: ignore[union-attr]
        await one.press("t")
        await one.until(lambda: one.screen.result.views.shows_table, "the table")
        await one.pilot.pause()
        table = one.screen.result.table
        assert any("Padaria Aurora Ltda" in table.render_line(y).text for y in range(table.size.height))
