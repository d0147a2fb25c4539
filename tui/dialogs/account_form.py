"""Adds or changes an account: its service, name, secret and what is allowed there. The secret is never shown."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast

from msgspec.structs import replace
from textual import on, work
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Input, Static

from registry.accounts.account import SIGN_IN, Account, AccountError, checked
from registry.accounts.connection import Mode
from registry.accounts.keeping import keep_changed, keep_new, keep_signed_in, place_for
from registry.accounts.problems import CredentialProblem
from registry.accounts.signed_in import SignedIn, can_sign_in
from registry.catalog.service import Service
from registry.text.safe_text import visible_line
from tui.dialogs.account_sign_in import sign_in_to
from tui.dialogs.labelled_fields import FieldsDialog
from tui.session import Session
from tui.widgets.option_row import Options
from tui.widgets.text_line import Line

_PLACES = ("keyring", "env", "command", "file")
_PLACE_WORDS = ("system keyring", "environment variable", "command", "file, not encrypted")
_OURS = ("keyring", "file")
"""Those of them that the program writes to, which can store tokens."""

_MODES = ("", "test", "live", "sandbox")
_MODE_WORDS = ("as the secret says", "test", "live", "sandbox on this machine")
_RULES = ("confirm", "typed-id", "read-only")
_RULE_WORDS = ("confirm changes", "type the id to delete", "read only")
_COLOURS = ("", "violet", "orange", "teal")
_PASTE = "paste it here; it is not shown"
_HINTS = {
    "keyring": _PASTE,
    "file": _PASTE,
    "env": "the variable's name, such as FERNWAY_KEY",
    "command": "a command that prints it, such as op read op://team/key",
}


class AccountForm(FieldsDialog["str | None"]):
    """Returns the name of the account that was added or changed.

    Args:
        session: has the services and the settings.
        toolkit: the toolkit of the account, or the one that is chosen at first.
        account: the account to change; None adds one.
    """

    DEFAULT_CSS = """
    AccountForm {
        #wrong { margin: 1 0 0 0; color: $text-error; min-height: 2; }
        .keys-here { margin: 0; }
    }
    """

    BINDINGS = [Binding("enter", "save", "Save")]

    def __init__(self, session: Session, toolkit: str, account: Account | None = None) -> None:
        super().__init__()
        self._session = session
        self._services = list(session.catalog.toolkits.values())
        self._first = next((place for place, one in enumerate(self._services) if one.toolkit == toolkit), 0)
        self._account = account
        self._busy = False

    def compose(self) -> ComposeResult:
        """A row for each field, what is wrong, and the keys."""
        old = self._account
        with VerticalScroll(id="box", can_focus=False):
            title = f"Edit {old.name}" if old is not None else "Add an account"
            yield Static(Content.styled(title + "\n", "bold"))
            if old is None:
                yield self._row("Service", Options([one.title for one in self._services], all_count=True, id="service"))
            yield self._row("Name", Line(old.name if old else "", placeholder="such as Fernway EU", id="name", compact=True))
            if old is None:
                yield self._row("How", Options(("paste a credential", "sign in with a browser"), all_count=True, id="how"))
                yield self._row(
                    "Client id", Line(placeholder="of the client that you registered", id="client_id", compact=True)
                )
                hint = "its secret, where it has one; it is not shown"
                yield self._row("Client secret", Line(placeholder=hint, password=True, id="client_secret", compact=True))
            yield self._row("Secret in", Options(_PLACE_WORDS, all_count=True, id="place"))
            yield self._row("Secret", Line(id="secret", compact=True))
            yield self._row("Reaches", Options(_MODE_WORDS, id="mode"))
            yield self._row("Allowed", Options(_RULE_WORDS, all_count=True, id="rule"))
            yield self._row("Default", Options(("no", "yes, when no account is named"), id="default"))
            yield self._row("Colour", Options(("none", *_COLOURS[1:]), id="colour"))
            yield self._row("Region", Line(old.region if old else "", id="region", compact=True))
            yield self._row("Base URL", Line(old.base_url if old else "", id="base_url", compact=True))
            yield self._row("Version", Line(old.version if old else "", id="version", compact=True))
            yield self._row("On behalf of", Line(old.on_behalf_of if old else "", id="on_behalf_of", compact=True))
            yield Static(id="wrong")
            yield self.keys_line(("Enter", "Save and test"), ("Tab", "Next field"), ("← →", "Choose"), ("Esc", "Cancel"))

    def on_mount(self) -> None:
        """Set the choices of the account, and focus the name."""
        old = self._account
        if old is None:
            self._options("service").chosen = self._first
        else:
            self._options("place").chosen = _PLACES.index(old.secret.kind) if old.secret.kind in _PLACES else 0
            self._options("mode").chosen = _MODES.index(old.mode)
            self._options("rule").chosen = _RULES.index(old.rule)
            self._options("default").chosen = int(old.default)
            self._options("colour").chosen = _COLOURS.index(old.colour)
        self._take_choices()
        self.query_one("#name").focus()

    @on(Options.Chosen)
    def _take_choices(self) -> None:
        """Show the fields that the service has, and the right hint for the place of the secret."""
        service, signs_in = self._service, self._signs_in
        if signs_in and _PLACES[self._options("place").chosen] not in _OURS:
            self._options("place").chosen = 0
        place = _PLACES[self._options("place").chosen]
        line = self.query_one("#secret", Line)
        line.password = place in _OURS
        kept = self._account is not None and self._account.secret.kind == place
        line.placeholder = "leave it empty to keep the secret that is there" if kept and line.password else _HINTS[place]
        if kept and not line.password and not line.value and self._account is not None:
            line.value = self._account.secret.at
        shown = {
            "secret": not signs_in,
            "region": bool(service.hosts["api"].regions),
            "version": service.request.version_header is not None,
            "on_behalf_of": service.request.account_header is not None,
        }
        if self._account is None:
            shown |= {"how": can_sign_in(service), "client_id": signs_in, "client_secret": signs_in}
        for name, has in shown.items():
            self._show_row(name, has)
        self.query_one("#region", Line).placeholder = f"usual; or {', '.join(service.hosts['api'].regions)}"
        self.query_one("#base_url", Line).placeholder = service.hosts["api"].usual
        self.query_one("#version", Line).placeholder = "the account's default; such as 2026-10-28"
        self.query_one("#on_behalf_of", Line).placeholder = "nobody; or the id of a connected account"

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_save()

    def action_save(self) -> None:
        """Save and test the account."""
        if not self._busy:
            self._busy = True
            words = "Sign in with the browser. Esc cancels." if self._signs_in and self._account is None else "Saving …"
            self._say(f"{words} The keyring may ask for its password.", "$foreground-muted")
            self._save()

    @work(group="save", exit_on_error=False)
    async def _save(self) -> None:
        try:
            signed_in = await self._signed_in() if self._account is None and self._signs_in else None
            name = await asyncio.to_thread(self._kept, signed_in)
        except AccountError as error:
            self._say(f"{error}.", "$text-error")
            if error.field in ("name", "secret", "region", "base_url", "version", "on_behalf_of", "client_id"):
                self.query_one(f"#{error.field}").focus()
        except CredentialProblem as error:
            self._say(str(error), "$text-error")
        else:
            self.dismiss(name)
        finally:
            self._busy = False

    async def _signed_in(self) -> tuple[Account, SignedIn]:
        """The new account and the result of the sign-in, after the user has signed in with the browser."""
        book = self._session.engine.account_book
        place = place_for(book, _PLACES[self._options("place").chosen], self._service)
        fields = self._fields() | {"way": SIGN_IN, "client_id": self._value("client_id"), "secret": place}
        account = Account(service=self._service.name, **fields)
        await asyncio.to_thread(book.check_new, account.name)
        checked(account, self._service)
        return account, await sign_in_to(self._session, account, self._value("client_secret"))

    def _kept(self, signed_in: tuple[Account, SignedIn] | None) -> str:
        """Store the account; returns its name. Blocks."""
        engine, service, old = self._session.engine, self._service, self._account
        book, secret = engine.account_book, self._value("secret")
        mode = cast("Mode | None", _MODES[self._options("mode").chosen] or None)
        if signed_in is not None:
            return keep_signed_in(book, *signed_in, self._value("client_secret"), mode).name
        kind = _PLACES[self._options("place").chosen]
        ours = kind in _OURS
        keeps = old is not None and old.secret.kind == kind and (not secret if ours else secret == old.secret.at)
        place = old.secret if old is not None and keeps else place_for(book, kind if ours else f"{kind}:{secret}", service)
        fields = self._fields() | {"secret": place}
        ask: Callable[[], str] = lambda: secret  # noqa: E731
        if old is None:
            return keep_new(book, Account(service=service.name, **fields), ask, mode).name
        wanted = replace(old, **fields | ({"mode": mode} if mode is not None else {}))
        changed = keep_changed(book, old.name, wanted, None if keeps else ask, mode)
        if changed.name != old.name:
            engine.account_memory.rename(old.name, changed.name)
        return changed.name

    def _fields(self) -> dict[str, Any]:
        """The values of the form, without the secret and the mode."""
        fields: dict[str, Any] = {name: self._value(name) for name in ("name", "region", "base_url", "version", "on_behalf_of")}
        return fields | {
            "rule": _RULES[self._options("rule").chosen],
            "colour": _COLOURS[self._options("colour").chosen],
            "default": bool(self._options("default").chosen),
        }

    @property
    def _signs_in(self) -> bool:
        """Whether the account uses a sign-in with a browser, or the user has chosen that."""
        if self._account is not None:
            return self._account.signs_in
        return can_sign_in(self._service) and self._options("how").chosen == 1

    @property
    def _service(self) -> Service:
        if self._account is not None:
            return self._session.engine.account_book.service(self._account.service)
        return self._services[self._options("service").chosen]

    def _say(self, words: str, style: str) -> None:
        self.query_one("#wrong", Static).update(Content.styled(visible_line(words), style))
