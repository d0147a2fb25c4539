"""The list of accounts: five beside the sandbox, what each key does, and how the explorer shows the account in use."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.widgets import OptionList, Static

from registry.accounts.account import Account
from registry.accounts.book import AccountBook
from registry.accounts.memory import AccountMemory, Known
from registry.accounts.stores import Secrets
from registry.catalog.loader import load
from registry.sandbox.server import application
from tests.sampled import further
from tests.sandbox.serving import served
from tests.tui.app import Desk, desk
from tui.dialogs.account_form import AccountForm
from tui.dialogs.accounts import _STATE, ConnectionDialog
from tui.dialogs.choose import ChooseDialog
from tui.explorer.toolkit_tree import ToolkitTree
from tui.explorer.top_bar import TopBar
from tui.widgets.texts import Line, Options

TEST_KEY, LIVE_KEY = "rk_test_MARKED__customer_read__account_read", "sk_live_MARKED"


@pytest.fixture(scope="module")
def sandbox() -> Iterator[str]:
    with served(application(seed=1)) as address:
        yield address


@pytest.fixture
def book(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sandbox: str) -> AccountBook:
    """Five accounts in folders of the test."""
    for name in ("CONFIG", "STATE", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    made = AccountBook(tmp_path / "config" / "callboard" / "config.toml", load().toolkits, Secrets())
    for name, service, secret, fields in (
        ("Fernway test", "payments", TEST_KEY, {"mode": "test", "rule": "typed-id"}),
        ("Fernway EU", "payments", LIVE_KEY, {"rule": "read-only", "version": "2025-03-31.basil"}),
        ("Fernway US", "payments", LIVE_KEY, {"colour": "teal"}),
        ("Fernway", "incidents", "token", {"mode": "test"}),
        ("Fernway CRM", "crm", "unknown-token", {"mode": "test"}),
    ):
        url = f"{sandbox}/{service}"
        place = made.new_place("file", service)
        account = Account(name=name, service=service, secret=place, base_url=url, **fields)  # type: ignore[arg-type]
        made.add(account, lambda secret=secret: secret, account.mode)  # type: ignore[misc]
    return made


async def opened(one: Desk) -> ConnectionDialog:
    await one.press("f6")
    await one.until(lambda: isinstance(one.app.screen, ConnectionDialog) and one.app.screen.query(OptionList))
    dialog = one.app.screen
    assert isinstance(dialog, ConnectionDialog)
    await one.until(lambda: len(lines(dialog)) == 11, "the accounts of the settings")
    return dialog


def lines(dialog: ConnectionDialog) -> list[str]:
    return [str(option.prompt) for option in dialog.query_one(OptionList).options]


def about(dialog: ConnectionDialog) -> str:
    return str(dialog.query_one("#said", Static).render())


async def at(one: Desk, dialog: ConnectionDialog, name: str) -> None:
    """Put the cursor on an account."""
    rows = dialog.query_one(OptionList)
    rows.highlighted = next(place for place, row in enumerate(rows.options) if (row.id or "").endswith(f"/{name}"))
    await one.pilot.pause()


@pytest.mark.parametrize("size", [(80, 24), *further((120, 40))])
async def test_five_accounts_beside_the_sandbox(book: AccountBook, size: tuple[int, int], tmp_path: Path) -> None:
    memory = AccountMemory(tmp_path / "state" / "callboard")
    memory.note("Fernway", Known(at=1.0, who="Sam Ode", where="fernway.example"))
    memory.note("Fernway CRM", Known(at=1.0, problem="The sign-in to CRM users has ended"))
    memory.note("Fernway US", Known(at=1.0, ends=time.time() + 1_430))
    memory.note("Fernway test", Known(at=time.time() - 700, where="acct_1FernwayTest00000", who="Sam Ode", lacking={"x": "y"}))
    async with desk(size) as one:
        one.app.session.chosen |= {"Incidents": "Fernway", "CrmUsersApi": "Fernway CRM"}
        dialog = await opened(one)
        shown = lines(dialog)
        rows, height = dialog.query_one(OptionList), len("\n".join(shown).split("\n"))
        assert rows.virtual_size.height == rows.size.height == height, "no row takes two lines, and all are in sight"
        width = max(map(len, "\n".join(shown).split("\n")))
        at_state = [line[width - _STATE :] for line in shown if "(" in line]
        assert width <= rows.size.width
        assert all(len(line) <= width - _STATE or not line[width - _STATE - 1].strip() for line in shown), "columns are apart"
        assert [state.strip() for state in at_state] == [
            "in use", "ok, 11 min ago", "not tested", "expires in 23 min", "", "in use ok", "", "failed  t Test",
        ]  # fmt: skip
        assert [line.strip()[0] for line in shown] == list("■((((▲((●(!")
        assert ["LIVE" in line for line in shown] == [False, False, False, True, True, *[False] * 6]
        rules = {"test": "typed id", "EU": "read only", "US": "typed id"}
        for name, rule in rules.items():
            assert any(f"Fernway {name} " in line and rule in line for line in shown), (name, shown)
        assert ["(•)" in line for line in shown].count(True) == 3
        assert all(len(line) <= dialog.query_one(OptionList).size.width for text in shown for line in text.split("\n"))
        await at(one, dialog, "Fernway EU")
        assert "Stripe-Version: 2025-03-31.basil" in about(dialog)
        assert "a file that only you can read" in about(dialog)
        await at(one, dialog, "Fernway test")
        assert "Fernway test · Sam Ode · acct_1FernwayTest00000 · " in about(dialog)
        await at(one, dialog, "Fernway CRM")
        assert "The sign-in to CRM users has ended" in about(dialog)
        assert dialog.query_one("#box").max_scroll_y == 0, "everything is in sight"


async def test_using_testing_and_greying(book: AccountBook) -> None:
    async with desk() as one:
        dialog = await opened(one)
        await at(one, dialog, "Fernway test")
        await one.press("enter", "t")
        await one.until(lambda: "Missing permission" in about(dialog))
        assert "greyed in the tree" in about(dialog)
        tree = one.screen.query_one(ToolkitTree)
        assert tree.lacking["GetTerminalReaders"] == "rak_terminal_read"
        assert "GetCustomerById" not in tree.lacking
        await at(one, dialog, "Fernway")
        await one.press("t")
        await one.until(lambda: "✓ Fernway works: Sam Ode" in about(dialog))
        await at(one, dialog, "Fernway CRM")
        await one.press("t")
        await one.until(lambda: any("!( )" in line and "Fernway CRM" in line for line in lines(dialog)))
        await at(one, dialog, "Fernway EU")
        await one.press("enter")
        await one.until(lambda: one.app.session.chosen["PaymentsApi"] == "Fernway EU")
        assert " LIVE · Fernway EU " in str(one.screen.query_one(TopBar).render())
        assert tree.lacking == {}
        await one.press("escape")
        await one.open("GetPaymentsAccountDetails")
        await one.run()
        assert one.screen.result.result is not None
        assert one.screen.result.result.ok
        await one.open("DeletePaymentsCustomer")
        one.screen.form.fill({"customer_id_to_delete": "cus_1", "customer_id": "cus_1"})
        await one.press("f5")
        await one.until(lambda: any("Fernway EU is set to read-only" in note.message for note in one.app._notifications))


async def test_what_is_live_is_said_once(book: AccountBook, tmp_path: Path) -> None:
    remembered = tmp_path / "state" / "callboard"
    for expected in (1, 0):
        async with desk() as one:
            await one.until(lambda: AccountMemory(remembered).of("Fernway US").live_shown, "that it was told is remembered")
            told = [note.message for note in one.app._notifications if note.title == "Accounts"]
            assert len(told) == expected, told
            assert all("LIVE: Fernway EU, Fernway US" in words and "Live is read-only until F12" in words for words in told)
            assert all("not known to be test data counts as live" in words for words in told), "nothing is claimed of them"


async def test_adding_editing_and_removing(book: AccountBook, sandbox: str, tmp_path: Path) -> None:
    async with desk() as one:
        dialog = await opened(one)
        await at(one, dialog, "Fernway")
        await one.press("a")
        await one.until(lambda: isinstance(one.app.screen, AccountForm))
        form = one.app.screen
        await one.until(lambda: form.focused is not None)
        form.query_one("#place", Options).chosen = 3
        for field, value in (("name", "Fernway"), ("secret", "MARKEDtoken"), ("base_url", f"{sandbox}/incidents")):
            form.query_one(f"#{field}", Line).value = value
        assert form.query_one("#secret", Line).password
        await one.press("enter")
        await one.until(lambda: "there is an account 'Fernway' already" in str(form.query_one("#said", Static).render()))
        form.query_one("#name", Line).value = "Second"
        await one.press("enter")
        await one.until(lambda: "✓ Second works: Sam Ode" in about(dialog), "it is tested at the end")
        assert (book.read().found["Second"].mode, book.read().found["Second"].secret.kind) == ("live", "file")
        await one.press("e")
        await one.until(lambda: isinstance(one.app.screen, AccountForm))
        edited = one.app.screen
        await one.until(lambda: edited.focused is not None)
        edited.query_one("#rule", Options).chosen = 2
        edited.query_one("#name", Line).value = "Third"
        await one.press("enter")
        await one.until(lambda: one.app.screen is dialog and "✓ Third works" in about(dialog))
        assert book.read().found["Third"].rule == "read-only"
        assert book.secrets.read(book.read().found["Third"].secret) == "MARKEDtoken"
        await at(one, dialog, "Third")
        await one.press("D")
        await one.answer(yes=False)
        assert "Third" in book.read().found
        await one.press("D")
        await one.answer(yes=True)
        await one.until(lambda: "Removed Third." in about(dialog))
        assert "Third" not in book.read().found
        await at(one, dialog, "sandbox")
        await one.press("D")
        assert "The sandbox is built in" in about(dialog)
    assert marked(tmp_path) == {".secret"}


async def test_an_account_that_is_chosen_on_the_dashboard_is_in_use_in_the_explorer(book: AccountBook) -> None:
    async with desk() as one:
        bar = one.screen.query_one(TopBar)
        assert "Incidents:" not in str(bar.render())
        await one.press("f11")
        dialog = await opened(one)
        await at(one, dialog, "Fernway")
        await one.press("enter")
        await one.until(lambda: "Incidents: " in str(bar.render()), "the top bar of the explorer")


async def test_a_profile_of_another_program_is_used_by_reference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CONFIG", "STATE", "DATA"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    file = tmp_path / "config" / "stripe" / "config.toml"
    file.parent.mkdir(parents=True)
    file.write_text('[default]\ntest_mode_api_key = "sk_test_MARKED"\n')
    async with desk() as one:
        await one.press("f6")
        await one.until(lambda: isinstance(one.app.screen, ConnectionDialog) and "Press p" in about(one.app.screen))
        await one.press("p")
        await one.until(lambda: isinstance(one.app.screen, ChooseDialog) and one.app.screen.query("OptionList"))
        await one.press("enter")
        await one.until(
            lambda: isinstance(one.app.screen, ConnectionDialog) and "payments default" in " ".join(lines(one.app.screen))
        )
    assert marked(tmp_path) == {".toml"}
    assert "MARKED" not in (tmp_path / "config" / "callboard" / "config.toml").read_text()


def marked(folder: Path) -> set[str]:
    """The suffixes of the files that contain a marked secret."""
    return {file.suffix for file in folder.rglob("*") if file.is_file() and b"MARKED" in file.read_bytes()}
