"""Accounts: chooses the one in use for each toolkit, and adds, tests, changes and removes accounts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from textual import events, on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from registry.accounts.account import Account, AccountError
from registry.accounts.problems import CredentialProblem
from registry.catalog.listing import ToolkitTitle
from registry.files.served import served_folder
from registry.text.safe_text import visible_line
from tui.dialogs.account_form import AccountForm
from tui.dialogs.account_rows import AccountRow, heading
from tui.dialogs.account_sign_in import sign_in_to
from tui.dialogs.dialog import Dialog
from tui.dialogs.rows_below import RowsBelow, lines_left
from tui.session import Session

_WIDEST, _BESIDE, _ROOMY = 100, 9, 32
_OTHERS = 12
"""Lines of the box beside the accounts."""


class AccountRows(RowsBelow):
    """The accounts, and the keys that work on them."""

    BINDINGS = [
        Binding("a", "wanted('add')", show=False),
        Binding("t", "wanted('test')", show=False),
        Binding("e", "wanted('edit')", show=False),
        Binding("r", "wanted('remove')", show=False),
        Binding("s", "wanted('sign in')", show=False),
        Binding("y", "wanted('yes')", show=False),
    ]

    def action_cursor_up(self) -> None:
        """Move one line up; on the first line, stay there."""
        OptionList.action_cursor_up(self)


class ConnectionDialog(Dialog[None]):
    """Chooses an account for each toolkit until it is closed; a choice applies at once, for this run.

    Args:
        session: has the accounts.
        chosen: called when another account is in use, or more is known about one.
        toolkit: the toolkit whose accounts the user wants to see; empty for any.
    """

    DEFAULT_CSS = """
    ConnectionDialog {
        #box { width: 100; }
        #connections { height: auto; min-height: 3; scrollbar-size-vertical: 1; }
        #title { margin: 0 0 1 0; }
        #about { height: 3; margin: 1 0 0 0; }
        &.-short #title { margin: 0; }
        .keys-here { margin: 1 0 0 0; text-wrap: nowrap; }
    }
    """

    AUTO_FOCUS = "#connections"
    LEADS_OUT = True

    def __init__(self, session: Session, chosen: Callable[[], None], toolkit: str = "") -> None:
        super().__init__()
        self._toolkit = toolkit  # the accounts that the user wants to see, until the cursor is moved
        self._session = session
        self._chosen = chosen
        self._rows: dict[str, AccountRow] = {}
        self._accounts: dict[str, Account] = {}
        self._testing: set[str] = set()
        self._doubtful = ""
        self._said = ""

    def compose(self) -> ComposeResult:
        """All accounts by toolkit, details of the one at the cursor, and the keys."""
        with Vertical(id="box"):
            note = Content.styled("   (•) in use, one for each toolkit", "$foreground-muted")
            yield Static(Content.assemble(Content.styled("Choose accounts", "bold"), note), id="title")
            yield AccountRows(id="connections", compact=True)
            yield Static(id="about")
            yield self.keys_line(
                ("a", "Add"),
                ("Enter", "Use"),
                ("t", "Test"),
                ("e", "Edit"),
                ("s", "Sign in"),
                ("r", "Remove"),
                ("Esc", "Close"),
            )

    def on_mount(self) -> None:
        """Show the accounts, with the cursor on the first; then read them again, as they may have changed."""
        if self.query(AccountRows):  # the dialog may have been closed before they were mounted
            self._show()
            self.on_resize()
            self._tell()
            self._read()

    def on_resize(self) -> None:
        """Fit the lines and the list to the new size."""
        if self._rows:
            short = self.app.size.height < _ROOMY
            self.set_class(short, "-short")
            self.query_one(AccountRows).styles.max_height = lines_left(self.app.size.height, _OTHERS - short)
            self._show()

    @on(OptionList.OptionSelected)
    def _selected(self, event: OptionList.OptionSelected) -> None:
        """Use the chosen account from now on."""
        event.stop()
        if (row := self._here) is not None:
            self._session.chosen[row.toolkit.name] = row.connection.name
            self._show()
            self._chosen()

    @on(OptionList.OptionHighlighted)
    def _highlighted(self, event: OptionList.OptionHighlighted) -> None:
        event.stop()
        if event.option.id != self._said:
            self._doubtful = self._toolkit = ""
            self._tell()

    @on(RowsBelow.ActionRequested)
    def _action_requested(self, event: RowsBelow.ActionRequested) -> None:
        event.stop()
        row, doubtful = self._here, self._doubtful
        self._doubtful = ""
        if served_folder() is not None and event.what != "test":
            # Their secrets may be files and commands of the serving machine.
            self._say(
                "In a browser accounts are chosen and tested. Change them in a terminal: callboard account.", "$text-warning"
            )
        elif event.what == "add":
            self._add()
        elif row is None:
            self._tell()
        elif event.what == "test":
            self._test(row)
        elif row.account is None:
            self._refuse(row)
        elif event.what == "edit":
            self._edit(row.account)
        elif event.what == "sign in":
            self._sign_in(row.account)
        elif event.what == "remove":
            self._doubtful = row.id
            secret = f" and its secret in {row.account.secret.words}" if row.account.secret.is_ours else ""
            self._say(f"Remove {row.account.name}{secret}? y removes it, any other key keeps it.", "$text-error")
        elif event.what == "yes" and doubtful == row.id:
            self._remove(row.account)
        else:
            self._tell()

    def on_key(self, event: events.Key) -> None:
        """Cancel the removal on any key but y."""
        if self._doubtful and event.key != "y":
            self._doubtful = ""
            self._tell()

    def _refuse(self, row: AccountRow) -> None:
        """Show why an account cannot be changed here."""
        if row.is_sandbox:
            self._say("The sandbox is built in. Press a to add an account.", "$text-warning")
        else:
            variable = row.connection.endpoints[row.toolkit.name].variable
            self._say(f"{row.connection.name} comes from {variable} in the environment. Change it there.", "$text-warning")

    @work(group="accounts", exit_on_error=False)
    async def _test(self, row: AccountRow) -> None:
        """Request from the service whose credential it is, and its permissions."""
        if row.is_sandbox or row.id in self._testing:
            return
        self._testing.add(row.id)
        self._show()
        try:
            known = await self._session.engine.test_account(row.connection.name, row.toolkit.name)
        finally:
            self._testing.discard(row.id)
        self._show()
        self._tell()
        if not known.problem and not known.lacking and (here := self._here) is not None and here.id == row.id:
            owner = " · ".join(filter(None, (known.who, known.where)))
            self._say(f"✓ {row.connection.name} works{f': {owner}' if owner else ''}.", "$text-success")
        self._chosen()

    @work(group="accounts", exit_on_error=False)
    async def _add(self) -> None:
        here = self._toolkit or (self._here.toolkit.name if self._here is not None else "")
        await self._take(await self.app.push_screen_wait(AccountForm(self._session, here)))

    @work(group="accounts", exit_on_error=False)
    async def _edit(self, account: Account) -> None:
        toolkit = self._session.engine.account_book.service(account.service).toolkit
        await self._take(await self.app.push_screen_wait(AccountForm(self._session, toolkit, account)))

    @work(group="sign in", exclusive=True, exit_on_error=False)
    async def _sign_in(self, account: Account) -> None:
        """Sign in again with the browser."""
        if not account.signs_in:
            self._say(f"{account.name} uses a stored credential, not a sign-in. Press e to replace it.", "$text-warning")
            return
        self._say(f"Sign in to {account.name} with the browser. Esc cancels.", "$foreground-muted")
        try:
            await sign_in_to(self._session, account)
        except (AccountError, CredentialProblem) as error:
            self._say(str(error), "$text-error")
        else:
            await self._take(account.name)

    async def _take(self, name: str | None) -> None:
        """Show an account that was added or changed, and test it."""
        if name is None:
            return
        await self._reload()
        row = next((one for one in self._rows.values() if one.connection.name == name), None)
        if row is not None:
            self._go_to(row.id)
            self._test(row)
        self._chosen()

    @work(group="accounts", exit_on_error=False)
    async def _remove(self, account: Account) -> None:
        engine = self._session.engine
        try:
            await asyncio.to_thread(engine.account_book.remove, account.name)
            words, style = f"Removed {account.name}.", "$text-success"
        except AccountError as error:
            words, style = str(error), "$text-error"
        except CredentialProblem as error:
            words, style = (
                f"Removed {account.name}, but its secret is still there. {error.cause} {error.way_out}",
                "$text-error",
            )
        await asyncio.to_thread(engine.account_memory.forget, account.name)
        for toolkit in [one for one, name in self._session.chosen.items() if name == account.name]:
            del self._session.chosen[toolkit]
        await self._reload()
        self._say(words, style)
        self._chosen()

    @work(group="read", exclusive=True, exit_on_error=False)
    async def _read(self) -> None:
        await self._reload()
        if wrong := self._session.settings_error or "; ".join(self._session.engine.account_wrongs):
            self._say(wrong, "$text-warning")

    async def _reload(self) -> None:
        """Read the accounts again: another program may have changed them."""
        engine = self._session.engine
        await asyncio.to_thread(engine.reload_accounts)
        self._accounts = dict(engine.accounts)
        if self.is_attached:  # it may have been closed in the meantime
            self._show()
            self._tell()

    def _show(self) -> None:
        """Show the accounts; the cursor stays on its account."""
        session, rows = self._session, self.query_one(AccountRows)
        here = self._here.id if self._here is not None else ""
        width = min(_WIDEST, self.app.size.width * 96 // 100) - _BESIDE
        options: list[Option] = []
        self._rows = {}
        for toolkit in session.toolkits:
            own = self._rows_of(toolkit)
            apart = "\n" if options and self.app.size.height >= _ROOMY else ""
            options.append(Option(Content(apart) + heading(toolkit), disabled=True))
            if needs := session.needs(toolkit.name):
                words = f"   No account yet. Press a to add one, or set {needs} before you start."
                options.append(Option(Content.styled(words, "$text-warning"), disabled=True))
            for row in own:
                self._rows[row.id] = row
                options.append(Option(row.line(width, session.clock()), id=row.id))
        rows.clear_options()
        rows.add_options(options)
        wanted = (id_ for id_, row in self._rows.items() if row.toolkit.name == self._toolkit)
        self._go_to(here or next(wanted, next(iter(self._rows), "")))

    def _rows_of(self, toolkit: ToolkitTitle) -> list[AccountRow]:
        session = self._session
        return [
            AccountRow(
                toolkit,
                one,
                session.engine.account_memory.of(one.name),
                session.connection(toolkit.name).name == one.name,
                self._accounts.get(one.name),
                f"{toolkit.name}/{one.name}" in self._testing,
                session.engine.ending(one, toolkit.name),
            )
            for one in session.connections.values()
            if toolkit.name in one.endpoints
        ]

    def _go_to(self, id_: str) -> None:
        rows = self.query_one(AccountRows)
        if id_ in self._rows:
            rows.highlighted = rows.get_option_index(id_)

    @property
    def _here(self) -> AccountRow | None:
        """The account at the cursor."""
        rows = self.query_one(AccountRows)
        if rows.highlighted is None or rows.highlighted >= rows.option_count:
            return None
        return self._rows.get(rows.get_option_at_index(rows.highlighted).id or "")

    def _tell(self) -> None:
        """Show the details of the account at the cursor."""
        row = self._here
        self._said = row.id if row is not None else ""
        self.query_one("#about", Static).update(row.about(self._session.clock()) if row is not None else Content())

    def _say(self, words: str, style: str) -> None:
        """Show a message in place of the details."""
        self.query_one("#about", Static).update(Content.styled(visible_line(words), style))
