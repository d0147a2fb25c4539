"""Accounts: chooses the one in use for each toolkit, and adds, tests, changes and removes accounts."""

import asyncio
from collections.abc import Callable, Mapping
from urllib.parse import urlsplit

from msgspec import Struct
from textual import work
from textual.binding import Binding
from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from registry.accounts.account import Account, AccountError
from registry.accounts.connection import SANDBOX, Connection, CredentialProblem
from registry.accounts.memory import Known, ending_words
from registry.accounts.stores import profiles, programs
from registry.catalog.listing import ToolkitTitle
from registry.engine import Ending
from registry.text.shown import short_distance, shortened, visible_line
from tui.dialogs.account_form import AccountForm, sign_in_to
from tui.dialogs.choose import Choice, ChooseDialog
from tui.dialogs.dialog import Keys, RowsDialog, titled
from tui.dialogs.questions import YesNo
from tui.keyboard.commands import is_offered
from tui.session import Session
from tui.widgets.texts import mode_word

_ROOMY = 32
"""Lines of a terminal from which there is an empty line between toolkits."""

_STATE = 17
"""Columns for an account's state: states are aligned, and the longest fits."""

_RULES = {"read-only": "read only", "typed-id": "typed id"}
_DAY = 86_400.0
_PROFILES = "ConnectionDialog.profiles"
_FAINT = "$foreground-muted"


class AccountRow(Struct, frozen=True):
    """One account of one toolkit.

    Attributes:
        toolkit: the toolkit.
        connection: the account as calls go through it.
        known: the result of its last test.
        in_use: whether the toolkit's calls use it.
        account: the account in the settings; None for the sandbox and accounts from the environment.
        testing: whether it is being tested now.
        ending: when its credential expires; None if unknown.
    """

    toolkit: ToolkitTitle
    connection: Connection
    known: Known
    in_use: bool
    account: Account | None = None
    testing: bool = False
    ending: Ending | None = None

    @property
    def id(self) -> str:
        return f"{self.toolkit.name}/{self.connection.name}"

    @property
    def mode(self) -> str:
        return self.connection.endpoints[self.toolkit.name].mode

    @property
    def is_sandbox(self) -> bool:
        return self.connection.name == SANDBOX

    def line(self, width: int, now: float) -> Content:
        """Its line in so many columns; `now` is the present in Unix seconds."""
        colour, mode = f"${self.connection.colour}" if self.connection.colour else "", mode_word(self.mode)
        rule = _RULES.get(self.connection.rule, "typed id" if self.mode == "live" else "full access")
        facts = [mode, " " * (8 - mode.cell_length), f"{rule:<11}"]
        left = Content.assemble(
            Content.styled(" !" if self.known.problem else "  ", "bold $text-error"),
            "(•) " if self.in_use else "( ) ",
            Content.styled("▌" if colour else " ", colour),
            Content.styled(f"{shortened(visible_line(self.connection.name), 17):<18}", "bold" if self.in_use else ""),
            *([Content.styled("made-up data", _FAINT)] if self.is_sandbox else facts),
        )
        return Content.assemble(left, " " * max(width - left.cell_length - _STATE, 1), self._state(now))

    def _state(self, now: float) -> Content:
        in_use = Content.styled("in use" if self.in_use else "", "$text-accent")
        if self.is_sandbox:
            return in_use
        if self.testing:
            return Content.styled("testing …", _FAINT)
        if self.ending is not None and not self.ending.renews and self.ending.at - now < _DAY:
            return Content.styled(ending_words(self.ending, now), "$text-warning")
        if self.known.problem:
            cure = "s Sign in" if self.account is not None and self.account.signs_in else "t Test"
            return Content.styled(f"failed  {cure}", "$text-error")
        ago = f", {short_distance(self.known.at, now)} ago".replace("now ago", "just now") if not self.in_use else ""
        words = Content.styled(f"ok{ago}" if self.known.at else "not tested", _FAINT)
        return Content.assemble(in_use, " ", words) if self.in_use else words

    def about(self, now: float) -> Content:
        """The account's details in two or three lines; `now` is the present in Unix seconds."""
        endpoint = self.connection.endpoints[self.toolkit.name]
        if self.is_sandbox:
            return Content.styled("The sandbox needs no account, and everything in it is made up.", _FAINT)
        place = endpoint.source or f"the environment variable {endpoint.variable}"
        facts = [self.connection.name, self.known.who, self.known.where, urlsplit(endpoint.base_url).netloc]
        facts = [*filter(None, facts), "no credential" if endpoint.is_anonymous else f"credential in {place}"]
        facts += [f"{name}: {value}" for name, value in endpoint.own_headers]
        facts += [words] if (words := ending_words(self.ending, now)) else []
        lines = [Content.styled(visible_line(" · ".join(facts)), _FAINT)]
        if self.known.problem:
            lines.append(Content.styled(visible_line(self.known.problem), "$text-error"))
        elif self.known.lacking:
            lines.append(Content.styled(missing(self.known.lacking), "$text-warning"))
        return Content("\n").join(lines)


def missing(lacking: Mapping[str, str]) -> str:
    """Which permissions are missing, and how many tools are greyed because of that."""
    names = list(dict.fromkeys(lacking.values()))
    some = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
    count = len(lacking)
    tools = "1 tool is" if count == 1 else f"{count} tools are"
    return visible_line(f"Missing permission{'s' if len(names) > 1 else ''}: {some}. {tools} greyed in the tree.")


class ConnectionDialog(RowsDialog[None]):
    """Chooses an account for each toolkit until it is closed; a choice applies at once, for this run.

    Args:
        session: has the accounts.
        chosen: called when another account is in use, or more is known about one.
        toolkit: the toolkit whose accounts the user wants to see; empty for any.
    """

    DEFAULT_CSS = """
    ConnectionDialog { #said { height: 3; } }
    """

    BINDINGS = [
        Binding("a", "add", show=False),
        Binding("p", "profiles", show=False),
        Binding("t", "test", show=False),
        Binding("e", "change('edit')", show=False),
        Binding("D,delete", "change('remove')", show=False),
        Binding("s", "change('sign in')", show=False),
    ]
    AUTO_FOCUS = "RowsBelow"
    LEADS_OUT = True

    heading = titled("Choose accounts", "   (•) in use, one for each toolkit")
    keys: Keys = (
        ("a", "Add"),
        ("Enter", "Use"),
        ("t", "Test"),
        ("e", "Edit"),
        ("s", "Sign in"),
        ("D", "Remove"),
        ("Esc", "Close"),
    )
    widest = 100
    beside = 11

    def __init__(self, session: Session, chosen: Callable[[], object], toolkit: str = "") -> None:
        super().__init__()
        if not is_offered("ConnectionDialog.add"):
            self.heading = titled("Choose accounts", "   add and change them in a terminal: callboard account")
        self._session, self._chosen = session, chosen
        self._toolkit = toolkit  # the accounts that the user wants to see, until the cursor is moved
        self._by_id: dict[str, AccountRow] = {}
        self._testing: set[str] = set()

    def _take(self) -> None:
        if (row := self._here) is not None:
            self._session.chosen[row.toolkit.name] = row.connection.name
            self._refill()
            self._chosen()

    def on_option_list_option_highlighted(self) -> None:
        self._toolkit = ""
        self._tell()

    def action_change(self, what: str) -> None:
        """Edit or remove the account at the cursor, or sign in to it; say why, where that is not possible."""
        row = self._here
        if row is None:
            return
        account = row.account
        if row.is_sandbox:
            self.say("The sandbox is built in. Press a to add an account.", "$text-warning")
        elif account is None:
            variable = row.connection.endpoints[row.toolkit.name].variable
            self.say(f"{row.connection.name} comes from {variable} in the environment. Change it there.", "$text-warning")
        elif what == "edit":
            self._form(self._session.engine.account_book.service(account.service).toolkit, account)
        elif what == "remove":
            self._remove(account)
        elif not account.signs_in:
            self.say(f"{account.name} uses a stored credential, not a sign-in. Press e to replace it.", "$text-warning")
        else:
            self._sign_in(account)

    def action_add(self) -> None:
        here = self.rows.highlighted_option
        self._form(self._toolkit or ((here.id or "").partition("/")[0] if here is not None else ""), None)

    @work(group="accounts", exit_on_error=False)
    async def action_profiles(self) -> None:
        """Read the settings of other programs, and add the profile that is chosen; its secret stays where it is."""
        book, services = self._session.engine.account_book, self._session.catalog.toolkits.values()
        found = await asyncio.to_thread(lambda: [*profiles({one.name: one for one in services})])
        if not found:
            self.say(
                "No profile with a credential was found. docs/accounts.md says where they are looked for.", "$text-warning"
            )
            return
        choices = [Choice(one.name, f"{program.program}, {one.mode} data, {one.secret.words}") for program, one in found]
        accounts = [one for _, one in found]
        chosen = await self.app.push_screen_wait(ChooseDialog("Use a profile", choices, accounts, "Add and test"))
        if chosen is not None:
            try:
                await asyncio.to_thread(book.add, chosen)
            except AccountError as error:
                self.say(f"{error}.", "$text-error")
            else:
                await self._show_added(chosen.name)

    def action_test(self) -> None:
        """Ask the service whose credential it is, and which permissions it has."""
        row = self._here
        if row is not None and not row.is_sandbox and row.id not in self._testing:
            self._test(row)

    @work(group="accounts")
    async def _test(self, row: AccountRow) -> None:
        self._testing.add(row.id)
        self._refill()
        try:
            known = await self._session.engine.test_account(row.connection.name, row.toolkit.name)
        finally:
            self._testing.discard(row.id)
        self._refill()
        self._tell()
        if not known.problem and not known.lacking and (here := self._here) is not None and here.id == row.id:
            owner = " · ".join(filter(None, (known.who, known.where)))
            self.say(f"✓ {row.connection.name} works{f': {owner}' if owner else ''}.", "$text-success")
        self._chosen()

    @work(group="accounts")
    async def _form(self, toolkit: str, account: Account | None) -> None:
        name = await self.app.push_screen_wait(AccountForm(self._session, toolkit, account))
        if name is not None:
            await self._show_added(name)

    @work(group="sign in", exclusive=True)
    async def _sign_in(self, account: Account) -> None:
        self.say(f"Sign in to {account.name} with the browser. Esc cancels.", "$foreground-muted")
        try:
            await sign_in_to(self._session, account)
        except (AccountError, CredentialProblem) as error:
            self.say(str(error), "$text-error")
        else:
            await self._show_added(account.name)

    async def _show_added(self, name: str) -> None:
        await self._reload()
        row = next((one for one in self._by_id.values() if one.connection.name == name), None)
        if row is not None:
            self._go_to(row.id)
            self._test(row)
        self._chosen()

    @work(group="accounts")
    async def _remove(self, account: Account) -> None:
        lost = [Content(f"Its secret in {account.secret.words} goes too.")] if account.secret.is_ours else []
        if not await self.app.push_screen_wait(YesNo(f"Remove {account.name}?", lost, "Remove", danger=True)):
            return
        engine = self._session.engine
        words, style = f"Removed {account.name}.", "$text-success"
        try:
            await asyncio.to_thread(engine.account_book.remove, account.name)
        except AccountError as error:
            words, style = str(error), "$text-error"
        except CredentialProblem as error:
            words = f"Removed {account.name}, but its secret is still there. {error.cause} {error.way_out}"
            style = "$text-error"
        await asyncio.to_thread(engine.account_memory.forget, account.name)
        for toolkit in [one for one, name in self._session.chosen.items() if name == account.name]:
            del self._session.chosen[toolkit]
        await self._reload()
        self.say(words, style)
        self._chosen()

    @work(group="read", exclusive=True)
    async def on_mount(self) -> None:
        """Read the accounts again, as they may have changed; say what is wrong with them, or how to use others."""
        await self._reload()
        if wrong := self._session.settings_error or "; ".join(self._session.engine.account_wrongs):
            self.say(wrong, "$text-warning")
        elif not self._session.engine.accounts and (found := {one.program for one in programs()}) and is_offered(_PROFILES):
            self.say(
                f"Press p to use an account of {' or '.join(sorted(found))}. Its settings are read only then.", "$text-accent"
            )

    async def _reload(self) -> None:
        """Read the accounts again: another program may have changed them."""
        await asyncio.to_thread(self._session.engine.reload_accounts)
        if self.is_attached:  # it may have been closed in the meantime
            self._refill()
            self._tell()

    def _refill(self) -> None:
        session, here = self._session, self._here.id if self._here is not None else ""
        options: list[Option] = []
        self._by_id = {}
        for toolkit in session.toolkits:
            apart = "\n" if options and self.app.size.height >= _ROOMY else ""
            sign = Content.styled(toolkit.sign, f"${toolkit.hue}" if toolkit.hue else "")
            heading = Content.assemble(apart, sign, Content.styled(f" {toolkit.title}", "bold"))
            options.append(Option(heading, disabled=True))
            if needs := session.needs(toolkit.name):
                words = f"   No account yet. Press a to add one, or set {needs} before you start."
                options.append(Option(Content.styled(words, "$text-warning"), id=toolkit.name))
            for row in self._rows_of(toolkit):
                self._by_id[row.id] = row
                options.append(Option(row.line(self.room, session.clock()), id=row.id))
        wanted = (id_ for id_, row in self._by_id.items() if row.in_use and self._toolkit in ("", row.toolkit.name))
        self.fill(options)
        self._go_to(here or next(wanted, next(iter(self._by_id), "")))
        if not here:
            self._tell()

    def _rows_of(self, toolkit: ToolkitTitle) -> list[AccountRow]:
        session = self._session
        return [
            AccountRow(
                toolkit,
                one,
                session.engine.account_memory.of(one.name),
                session.connection(toolkit.name).name == one.name,
                session.engine.accounts.get(one.name),
                f"{toolkit.name}/{one.name}" in self._testing,
                session.engine.ending(one, toolkit.name),
            )
            for one in session.connections.values()
            if toolkit.name in one.endpoints
        ]

    def _go_to(self, id_: str) -> None:
        if id_ in self._by_id:
            with self.rows.prevent(OptionList.OptionHighlighted):
                self.rows.highlighted = self.rows.get_option_index(id_)

    @property
    def _here(self) -> AccountRow | None:
        option = self.rows.highlighted_option
        return self._by_id.get(option.id or "") if option is not None else None

    def _tell(self) -> None:
        row = self._here
        self.say(row.about(self._session.clock()) if row is not None else "")
