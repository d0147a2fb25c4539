"""Adds or changes an account: its service, name, secret and what is allowed there. The secret is never shown."""

import asyncio
from typing import Any

from msgspec.structs import replace
from textual import on, work
from textual.app import ComposeResult
from textual.widgets import Static

from registry.accounts.account import SIGN_IN, Account, AccountError
from registry.accounts.connection import CredentialProblem
from registry.accounts.links import open_in_browser
from registry.accounts.sign_in import SignedIn, signed_in, signed_in_again
from registry.catalog.service import Authentication, Service
from tui.dialogs.dialog import FieldsDialog, Keys
from tui.session import Session
from tui.widgets.texts import Line, Options

_CHOICES: dict[str, tuple[str, dict[Any, str]]] = {
    "place": (
        "Secret in",
        {
            "keyring": "system keyring",
            "env": "environment variable",
            "command": "command",
            "file": "file, not encrypted",
            "value": "a program's settings",
        },
    ),
    "mode": ("Reaches", {"": "as the secret says", "test": "test", "live": "live", "sandbox": "sandbox on this machine"}),
    "rule": (
        "Allowed",
        {"confirm": "confirm changes", "typed-id": "type the id to delete", "read-only": "read only"},
    ),
    "default": ("Default", {False: "no", True: "yes, when no account is named"}),
    "colour": ("Colour", {"": "none", "violet": "violet", "orange": "orange", "teal": "teal"}),
}
"""The fields with a choice: their labels, and the words for each value; an empty first value means none."""

_TEXTS = {
    "name": "Name",
    "user": "User",
    "region": "Region",
    "base_url": "Base URL",
    "version": "Version",
    "on_behalf_of": "On behalf of",
}
_OURS = ("keyring", "file")
"""The places that the program writes to, which can store tokens."""

_PASTE = "paste it here; it is not shown"
_HINTS = {
    "keyring": _PASTE,
    "file": _PASTE,
    "env": "the variable's name, such as FERNWAY_KEY",
    "command": "a command that prints it, such as op read op://team/key",
    "value": "FILE#PATH, such as ~/.config/tool/config.toml#default.key",
}


class AccountForm(FieldsDialog["str | None"]):
    """Returns the name of the account that was added or changed.

    Args:
        session: has the services and the settings.
        toolkit: the toolkit of the account, or the one that is chosen at first.
        account: the account to change; None adds one.
    """

    DEFAULT_CSS = """
    AccountForm { #said { margin: 1 0 0 0; min-height: 2; } }
    """
    AUTO_FOCUS = "#name"

    keys: Keys = (("Enter", "Save and test"), ("Tab", "Next field"), ("← →", "Choose"), ("Esc", "Cancel"))

    def __init__(self, session: Session, toolkit: str, account: Account | None = None) -> None:
        super().__init__()
        self._session, self._old = session, account
        self.heading = f"Edit {account.name}" if account is not None else "Add an account"
        self._services = list(session.catalog.toolkits.values())
        self._first = next((place for place, one in enumerate(self._services) if one.toolkit == toolkit), 0)
        self._busy = False

    def _body(self) -> ComposeResult:
        old = self._old
        texts = {name: Line(getattr(old, name, ""), id=name, compact=True) for name in _TEXTS}
        texts["name"].placeholder = "such as Fernway EU"
        if old is None:
            yield self.row("Service", Options([one.title for one in self._services], all_count=True, id="service"))
        yield self.row("Name", texts.pop("name"))
        if old is None:
            yield self.row("How", Options(("paste a credential", "sign in with a browser"), all_count=True, id="how"))
            hint = "of the client that you registered"
            yield self.row("Client id", Line(placeholder=hint, id="client_id", compact=True))
            hint = "its secret, where it has one; it is not shown"
            yield self.row("Client secret", Line(placeholder=hint, password=True, id="client_secret", compact=True))
        yield self.row("Credential", Options((), all_count=True, id="way"))
        for id_, (label, words) in _CHOICES.items():
            yield self.row(label, Options(list(words.values()), all_count=all(words), id=id_))
            if id_ == "place":
                yield self.row("Secret", Line(id="secret", compact=True))
                yield self.row(_TEXTS["user"], texts.pop("user"))
        for name, line in texts.items():
            yield self.row(_TEXTS[name], line)
        yield Static(id="said")

    def on_mount(self) -> None:
        if self._old is None:
            self.options("service").chosen = self._first
        else:
            now = {name: getattr(self._old, name) for name in ("mode", "rule", "default", "colour")}
            for name, value in {**now, "place": self._old.secret.kind}.items():
                values = list(_CHOICES[name][1])
                self.options(name).chosen = values.index(value) if value in values else 0
        self._take_choices()
        if self._old is not None and not self._old.signs_in:
            titles = [one.title for one in self._ways]
            self.options("way").chosen = titles.index(self._old.way) if self._old.way in titles else 0
            self._take_choices()

    @on(Options.Chosen)
    def _take_choices(self) -> None:
        """Show the fields that the service has, and the right hint for the place of the secret."""
        service, signs_in, old = self._service, self._signs_in, self._old
        if signs_in and self._chosen("place") not in _OURS:
            self.options("place").chosen = 0
        place = self._chosen("place")
        line = self.query_one("#secret", Line)
        line.password = place in _OURS
        kept = old is not None and old.secret.kind == place
        line.placeholder = "leave it empty to keep the secret that is there" if kept and line.password else self._hint
        if old is not None and kept and not line.password and not line.value:
            line.value = old.secret.at
        api, request, way = service.hosts["api"], service.request, self.options("way")
        way.offer([one.title for one in self._ways])
        self.show_rows(
            [
                ("secret", not signs_in),
                ("way", len(self._ways) > 1 and not signs_in),
                ("user", self._needs_user),
                ("region", bool(api.regions)),
                ("version", request.version_header is not None),
                ("on_behalf_of", request.account_header is not None),
            ]
        )
        if old is None:
            self.show_rows([("how", service.sign_in is not None), ("client_id", signs_in), ("client_secret", signs_in)])
        hints = {
            "user": "its name" if self._ways and self._ways[way.chosen].kind == "basic" else "the client's id",
            "region": f"usual; or {', '.join(api.regions)}",
            "base_url": api.usual,
            "version": "the account's default; such as 2026-10-28",
            "on_behalf_of": "nobody; or the id of a connected account",
        }
        for name, hint in hints.items():
            self.query_one(f"#{name}", Line).placeholder = hint

    @property
    def _hint(self) -> str:
        """What belongs into the field for the secret."""
        place, ways = self._chosen("place"), self._ways
        only = ways[0] if len(ways) == 1 and ways[0].kind != "basic" else None
        return f"paste {only.title}; it is not shown" if place in _OURS and only is not None else _HINTS[place]

    def action_take(self) -> None:
        if not self._busy:
            self._busy = True
            words = "Sign in with the browser. Esc cancels." if self._signs_in and self._old is None else "Saving …"
            self.say(f"{words} The keyring may ask for its password.", "$foreground-muted")
            self._save()

    @work(group="save")
    async def _save(self) -> None:
        try:
            signed = await self._sign_in() if self._old is None and self._signs_in else None
            name = await asyncio.to_thread(self._kept, signed)
        except AccountError as error:
            is_place = error.field == "secret" and self._chosen("place") not in _OURS
            self.say(f"The secret is needed: {self._hint}." if is_place else f"{error}.", "$text-error")
            if error.field in (*_TEXTS, "secret", "client_id"):
                self.query_one(f"#{error.field}").focus()
        except CredentialProblem as error:
            self.say(str(error), "$text-error")
        else:
            self.dismiss(name)
        finally:
            self._busy = False

    async def _sign_in(self) -> tuple[Account, SignedIn]:
        book, service = self._session.engine.account_book, self._service
        fields = self._fields() | {"way": SIGN_IN, "client_id": self.value("client_id")}
        account = Account(service=service.name, **fields, secret=book.place_for(self._chosen("place"), service))
        await asyncio.to_thread(book.check_new, account)
        return account, await sign_in_to(self._session, account, self.value("client_secret"))

    def _kept(self, signed: tuple[Account, SignedIn] | None) -> str:
        """Store the account; returns its name. Blocks."""
        engine, service, old = self._session.engine, self._service, self._old
        book, secret, kind = engine.account_book, self.value("secret"), self._chosen("place")
        mode = self._chosen("mode") or None
        if signed is not None:
            account, done = signed
            return book.add(account, done.tokens.as_json, mode, self.value("client_secret")).name
        ours = kind in _OURS
        keeps = old is not None and old.secret.kind == kind and (not secret if ours else secret == old.secret.at)
        place = old.secret if old is not None and keeps else book.place_for(kind if ours else f"{kind}:{secret}", service)
        fields = self._fields() | {"secret": place}
        if old is None:
            return book.add(Account(service=service.name, **fields), lambda: secret, mode).name
        wanted = replace(old, **fields | ({"mode": mode} if mode is not None else {}))
        changed = book.edit(old.name, wanted, None if keeps else lambda: secret, mode)
        if changed.name != old.name:
            engine.account_memory.rename(old.name, changed.name)
        return changed.name

    def _fields(self) -> dict[str, Any]:
        """The values of the form, without the secret and the mode."""
        texts = {name: self.value(name) for name in _TEXTS if name != "user" or self._needs_user}
        choices = {name: self._chosen(name) for name in ("rule", "colour", "default")}
        chosen = self.options("way").chosen  # the first way is the usual one, which no setting names
        way = {} if self._signs_in else {"way": self._ways[chosen].title if chosen else ""}
        return {"user": ""} | texts | choices | way

    def _chosen(self, name: str) -> Any:
        return list(_CHOICES[name][1])[self.options(name).chosen]

    @property
    def _signs_in(self) -> bool:
        """Whether the account uses a sign-in with a browser, or the user has chosen that."""
        if self._old is not None:
            return self._old.signs_in
        return self._service.sign_in is not None and self.options("how").chosen == 1

    @property
    def _ways(self) -> list[Authentication]:
        """The ways to authenticate with a credential that can be pasted."""
        return [one for one in self._service.authentication if one.kind != "none"]

    @property
    def _needs_user(self) -> bool:
        ways, chosen = self._ways, self.options("way").chosen
        return not self._signs_in and chosen < len(ways) and ways[chosen].user_variable is not None

    @property
    def _service(self) -> Service:
        if self._old is not None:
            return self._session.engine.account_book.service(self._old.service)
        return self._services[self.options("service").chosen]


async def sign_in_to(session: Session, account: Account, client_secret: str | None = None) -> SignedIn:
    """Sign in to an account with a browser; returns the result. Cancelling the task ends the sign-in.

    Args:
        session: has the services and the stores.
        account: the account.
        client_secret: the secret of the client, for a new account that is not stored yet. None for a known account: its client
        is stored, and the new tokens are stored too.

    Raises:
        CredentialProblem: it did not work.
        AccountError: the service has no sign-in.
    """
    engine = session.engine
    service, secrets = engine.account_book.service(account.service), engine.account_book.secrets
    tools = [tool for tool in engine.catalog.tools.values() if tool.toolkit == service.toolkit]

    async def show(address: str) -> None:
        await open_in_browser(address, session.environment)

    if client_secret is None:
        return await signed_in_again(account, service, secrets, show=show, paste=None, tools=tools)
    return await signed_in(account, service, secrets, client_secret, show=show, paste=None, tools=tools)
