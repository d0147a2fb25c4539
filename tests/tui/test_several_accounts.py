"""A list of several accounts in one table, and the same object of two accounts side by side."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.widgets import OptionList, Static

from registry.accounts.account import Account
from registry.accounts.book import AccountBook
from registry.accounts.stores import Secrets
from registry.calling.several_accounts import SeveralAccounts
from registry.catalog.loader import load
from registry.pages.page import ObjectLink
from registry.results.comparison import ChangeKind
from registry.sandbox.server import application
from tests.sandbox.serving import served
from tests.tui.app import Desk, desk, status
from tests.tui.test_out import said as bar
from tui.compare.screen import CompareScreen, CompareWith
from tui.dialogs.choose import SeveralAccountsDialog
from tui.dialogs.questions import ShowAs
from tui.explorer.top_bar import PaneHead, TopBar
from tui.pages.screen import PageScreen


@pytest.fixture(scope="module")
def sandbox() -> Iterator[str]:
    with served(application(seed=1)) as address:
        yield address


@pytest.fixture(autouse=True)
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sandbox: str) -> AccountBook:
    """One account that may read everything, one that may not read customers, and one that is marked as live."""
    for name in ("CONFIG", "STATE", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    made = AccountBook(tmp_path / "config" / "callboard" / "config.toml", load().toolkits, Secrets())
    for name, secret, mode in (
        ("All", "sk_test_all", "test"),
        ("Few", "rk_test_charge_read", "test"),
        ("EU", "sk_live_x", "live"),
    ):
        place = made.new_place("file", "payments")
        account = Account(name=name, service="payments", secret=place, base_url=f"{sandbox}/payments", mode=mode)  # type: ignore[arg-type]
        made.add(account, lambda secret=secret: secret, account.mode)  # type: ignore[misc]
    return made


async def on_several(one: Desk, *names: str) -> SeveralAccounts:
    """Run the open tool on these accounts, marked by keys."""
    before = one.screen.result.result
    await one.press("shift+f5")
    await one.until(lambda: isinstance(one.app.screen, SeveralAccountsDialog) and one.app.screen.is_mounted)
    dialog = one.app.screen
    assert isinstance(dialog, SeveralAccountsDialog)
    listed = list(dialog._rows)
    for place, name in enumerate(listed):
        if (name in names) != (name in dialog._marked):
            await one.press(*["home", *["down"] * place, "space"])
    await one.press("enter")
    pane = one.screen.result
    await one.until(lambda: pane.result is not before and pane.laid_out and not pane.has_class("-running"), "the calls")
    await one.pilot.pause()
    result = pane.result
    assert isinstance(result, SeveralAccounts)
    return result


def said(one: Desk, id_: str) -> str:
    return str(one.screen.result.query_one(id_, Static).render())


async def test_one_table_with_the_account_in_front_and_rows_that_go_on_with_theirs(book: AccountBook) -> None:
    async with desk(lists="table") as one:
        await one.open("SearchPaymentsCustomers")
        one.screen.form.fill({"search_query_string": "created>0", "customer_result_limit": "3"})
        await one.press("shift+f5")
        await one.until(lambda: isinstance(one.app.screen, SeveralAccountsDialog) and one.app.screen.is_mounted)
        await one.press("enter")
        assert isinstance(one.app.screen, SeveralAccountsDialog), "one account is not several"
        await one.press("escape")
        result = await on_several(one, "sandbox", "All", "EU")
        assert result.counts == (3, 3, 0), "live data begins empty"
        table = one.screen.result.table
        assert table.columns[0].path == ("account",)
        assert [json.loads(item)["account"] for item in table.items] == ["sandbox"] * 3 + ["All"] * 3
        assert one.screen.result.query_one(PaneHead).title == "6 customers, more follow · 3 accounts"
        assert "one page of each account" in status(one)
        assert said(one, "#page") == "sandbox 3, more available · All 3, more available · EU 0"
        assert one.app.session.chosen.get("PaymentsApi", "sandbox") == "sandbox"

        # A column that somebody chose for this tool does not take the account's away.
        await one.press("t", "t")
        table.set_columns([column for column in table.every_column if column.path == ("email",)])
        one.screen.result.remember_appearance()
        await one.press("t", "t")
        result = await on_several(one, "sandbox", "All")
        assert [column.path[0] for column in table.columns] == ["account", "email"]

        # Rows of two accounts are not deleted together, and one row goes on with its account.
        for place in (2, 3):
            table.go_to(place)
            await one.press("space")
        await one.press("D")
        await one.until(lambda: "rows are from several accounts" in bar(one))
        await one.do("unmark")
        table.go_to(4, ("account",))
        await one.pilot.pause()
        wanted = json.loads(table.items[4])["id"]
        await one.press("enter")
        await one.until(lambda: isinstance(one.app.screen, PageScreen) and one.app.screen.page and one.app.screen.page.head)
        opened = one.app.screen.page  # type: ignore[attr-defined]
        assert (opened.head.connection, opened.subject.id) == ("All", wanted)
        assert one.app.session.chosen["PaymentsApi"] == "All"
        assert "Payments: test data" in str(one.screen.query_one(TopBar).render())

        # Two rows of different accounts are compared under the names of both.
        await one.press("escape")
        await one.until(lambda: one.app.screen is one.screen)
        assert one.screen.result.result is result
        for place in (2, 3):
            table.go_to(place)
            await one.press("space")
        await one.press("c")
        await one.until(lambda: isinstance(one.app.screen, CompareScreen) and one.app.screen.comparison is not None)
        names = [json.loads(table.items[place])["name"] for place in (2, 3)]
        assert heads(one) == [f"sandbox · {names[0]}", f"All · {names[1]}"]
        await one.press("escape")
        await one.do("show_as")
        await one.until(lambda: isinstance(one.app.screen, ShowAs))
        shown: object = one.app.screen
        assert isinstance(shown, ShowAs)
        (form,) = shown._forms
        assert [word for word in form.text.split() if "account" in word] == ["--account=sandbox", "--account=All"]

        # The page of a row's object is read from the row's account.
        await one.press("escape")
        await one.do("unmark")
        table.go_to(0)
        await one.press("enter")
        await one.until(lambda: isinstance(one.app.screen, PageScreen) and one.app.screen.page and one.app.screen.page.head)
        page = one.app.screen.page  # type: ignore[attr-defined]
        assert page.head.connection == one.app.session.chosen["PaymentsApi"] == "sandbox"


def heads(one: Desk) -> list[str]:
    """The first lines of the titles in a comparison."""
    return [str(one.app.screen.query_one(f"#head-{side}", Static).render()).split("\n")[0] for side in ("left", "right")]


async def test_an_account_that_fails_is_named_and_never_looks_complete() -> None:
    async with desk(lists="table") as one:
        await one.open("SearchPaymentsCustomers")
        one.screen.form.fill({"search_query_string": "created>0", "customer_result_limit": "2"})
        result = await on_several(one, "All", "Few")
        assert result.ok
        assert result.counts == (2, 0)
        head = one.screen.result.query_one(PaneHead).title
        assert head.startswith("✗ 1 of 2 accounts failed · 2 customers"), head
        assert "incomplete: without Few" in status(one)
        assert "complete ·" not in status(one).replace("incomplete", "")
        assert said(one, "#page") == "All 2, more available · Few failed"
        card = said(one, "#card")
        assert "✗ Few: " in card
        assert "rak_customer_read" in card
        result = await on_several(one, "Few", "EU")
        assert result.accounts == ("Few", "EU"), "what was chosen last is marked, in the order of the list"


async def test_the_same_object_of_two_accounts_on_its_page_and_in_its_json(sandbox: str) -> None:
    async with desk() as one:
        await one.open("SearchPaymentsCustomers")
        one.screen.form.fill({"search_query_string": "created>0", "customer_result_limit": "1"})
        await one.run()
        found = one.screen.result.result
        assert found is not None
        id_ = found.json["data"][0]["id"]
        one.app.open_page(ObjectLink("PaymentsApi", "customer", id_))
        await one.until(lambda: isinstance(one.app.screen, PageScreen) and one.app.screen.page and one.app.screen.page.loaded)
        await one.press("c")
        await compared(one, "The same object in All")
        assert heads(one) == ["sandbox", "All"]
        comparison = one.app.screen.comparison  # type: ignore[attr-defined]
        assert comparison.counts[ChangeKind.SAME] > 5, "it is the same object"
        await one.press("escape", "c")
        await compared(one, "The same object in EU", whole=False)
        await one.until(lambda: "✗ EU: " in str(one.app.screen.query_one("#counts", Static).render()), "it is not there")
        assert one.app.session.chosen.get("PaymentsApi", "sandbox") == "sandbox", "comparing reads and switches nothing"
        await one.press("escape", "escape")
        await one.open("RetrieveCustomerDetails")
        one.screen.form.fill({"customer_id": id_})
        await one.run()
        one.screen.action_pane("result")
        await one.press("c")
        await compared(one, "The same call in All")
        assert heads(one) == ["sandbox", "All"]


async def compared(one: Desk, title: str, *, whole: bool = True) -> None:
    """Choose what to compare with, and wait for both sides."""
    await one.until(lambda: isinstance(one.app.screen, CompareWith) and one.app.screen.query(OptionList))
    chooser = one.app.screen
    assert isinstance(chooser, CompareWith)
    chooser.query_one(OptionList).highlighted = [one.title for one in chooser._results].index(title)
    await one.press("enter")
    await one.until(lambda: isinstance(one.app.screen, CompareScreen) and (one.app.screen.comparison is not None or not whole))
