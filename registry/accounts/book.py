"""The accounts in ``config.toml``: read, added, changed, renamed and removed, under a lock between processes."""

import secrets as dice
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from registry.accounts.account import (
    Account,
    AccountError,
    SecretPlace,
    account_of,
    address_of,
    check_name,
    checked,
    client_place,
)
from registry.accounts.connection import Connection, ConnectionSettingsError, Mode, mode_of
from registry.accounts.credentials import fits, opened
from registry.accounts.stores import Secrets, SecretUnavailable
from registry.catalog.service import Service
from registry.files.folders import file_lock, open_plain, reason, replace_text
from registry.files.toml_text import NotToml, parsed

SECTION = "accounts"
_MOST_BYTES = 100_000

Ask = Callable[[], str]
"""Asks the user for a secret."""


class Accounts(msgspec.Struct, frozen=True):
    """The accounts that a file declares, and its problems.

    Attributes:
        found: the usable accounts, by name, in the file's order.
        problems: the errors of the other accounts, by name; "" is the file itself.
        defaults: the unusable accounts that are set as a default, each with its service; the service is empty if it is not
            known.
    """

    found: Mapping[str, Account] = msgspec.field(default_factory=dict)
    problems: Mapping[str, str] = msgspec.field(default_factory=dict)
    defaults: Mapping[str, str] = msgspec.field(default_factory=dict)

    def named(self, name: str) -> Account:
        """The account with a name, ignoring case; `AccountError` if there is none, or it cannot be used."""
        for one in self.found.values():
            if one.name.casefold() == name.casefold():
                return one
        if name in self.problems:
            raise AccountError(f"{name}: {self.problems[name]}", "name")
        known = f"there are {', '.join(self.found)}" if self.found else "callboard account add makes one"
        raise AccountError(f"there is no account {name!r} in the settings; {known}", "name")


class AccountBook:
    """The accounts in a file. Every method blocks.

    Those that change something raise `AccountError` if there is no such account, a value is invalid or the file cannot be
    written, and `SecretUnavailable` if a secret cannot be stored or deleted.

    Args:
        file: ``config.toml``; it need not exist.
        services: all services, by their toolkits' names.
        secrets: reads and writes the secrets.

    Attributes:
        problems: why accounts cannot be used, by name; "" is the whole file. Set by `connections`.
        opened: the usable accounts with their connections, likewise.
    """

    def __init__(self, file: Path, services: Mapping[str, Service], secrets: Secrets) -> None:
        self.file = file
        self.secrets = secrets
        self.problems: Mapping[str, str] = {}
        self.opened: Mapping[Account, Connection] = {}
        self._unusable_defaults: Mapping[str, str] = {}
        self.knows(services)

    def knows(self, services: Mapping[str, Service]) -> None:
        """From now on, these are all services."""
        self._services = {service.name: service for service in services.values()}

    def connections(self, others: Mapping[str, Connection]) -> dict[str, Connection]:
        """The connections of the accounts beside others with their own names, as the file is now; never raises.

        An unchanged account keeps its connection, with its credential.
        """
        listed, made = self.read(), dict[str, Connection]()
        problems, defaults = dict(listed.problems), dict(listed.defaults)
        for name, account in listed.found.items():
            try:
                if name in others:
                    raise AccountError(f"the environment already makes an account {name}; rename this one")
                known = self.opened.get(account)
                made[name] = known or opened(account, self.service(account.service), self.secrets)
            except AccountError as error:  # an unusable account must not affect the others
                problems[name] = str(error)
                defaults |= {name: account.service} if account.default else {}
        self.problems, self._unusable_defaults = problems, defaults
        self.opened = {listed.found[name]: connection for name, connection in made.items()}
        return made

    def refuse_unusable_default(self, service: Service | None) -> None:
        """Check that no default account of a service, or of an unknown one, is unusable.

        Raises:
            ConnectionSettingsError: one is; calls that were meant for it would go elsewhere.
        """
        for name, of in self._unusable_defaults.items():
            if service is None or of in ("", service.name):
                wrong = f"the default account {name!r} cannot be used" if name else "the default account is not known"
                way_out = "Correct it, or name an account, for example --account sandbox"
                raise ConnectionSettingsError(f"{wrong}: {self.problems[name].rstrip('.')}. {way_out}")

    def read(self) -> Accounts:
        """The accounts in the file; never raises."""
        try:
            return self._accounts(self._text())
        except AccountError as error:
            return Accounts(problems={"": str(error)}, defaults={"": ""})

    def service(self, name: str) -> Service:
        """The service with a name; `AccountError` if there is none."""
        if name not in self._services:
            raise AccountError(f"service: there is no {name!r}; there are {', '.join(self._services)}", "service")
        return self._services[name]

    def new_place(self, kind: str, service: str) -> SecretPlace:
        """A new entry in the keyring or a file. Named by its service, because keyrings show it and account names change."""
        return SecretPlace.of(f"{kind}:{service}-{dice.token_hex(4)}")

    def place_for(self, wanted: str, service: Service) -> SecretPlace:
        """The place that the user's text names: ``keyring``, ``file``, ``env:NAME`` or ``command:WORDS``; or `AccountError`."""
        if all(way.kind == "none" for way in service.authentication):
            return SecretPlace("none")
        return self.new_place(wanted, service.name) if wanted in ("keyring", "file") else SecretPlace.of(wanted)

    def check_new(self, account: Account) -> None:
        """Raise `AccountError` if a new account cannot have its name or its values."""
        name, read = account.name, self.read()
        check_name(name)
        if name.casefold() in {one.casefold() for one in (*read.found, *read.problems)}:
            raise AccountError(f"name: there is an account {name!r} already. Choose another name, or remove that one", "name")
        if name.casefold() in self._services:
            needs = self._services[name.casefold()].needs
            raise AccountError(f"name: {name!r} is the account of {needs} in the environment. Choose another name", "name")
        checked(account, self.service(account.service))

    def add(self, account: Account, ask: Ask | None = None, mode: Mode | None = None, client_secret: str = "") -> Account:
        """Add an account, in an order that loses nothing: check its values, probe the store, ask for the secret, save both.

        Args:
            account: its values.
            ask: asks the user for the secret; called only for a secret that the program stores, after the store was probed.
                None adds the account as it is, without reading its secret.
            mode: which data it reaches, as the user says; None to use what the secret says.
            client_secret: the secret of its OAuth client, if it has one.
        """
        self.check_new(account)
        if ask is None and account.secret.is_ours:
            raise AccountError("secret is missing", "secret")
        if ask is not None:
            account = self._with_secret(account, ask, mode)
        try:
            if client_secret:
                place = client_place(account.secret)
                self.secrets.store(place).write(place.at, client_secret)
            self._put(account)
        except (AccountError, SecretUnavailable):
            self._forget(account)
            raise
        return account

    def edit(self, name: str, account: Account, ask: Ask | None = None, mode: Mode | None = None) -> Account:
        """Replace an account's values; `ask` and `mode` as for `add`, where None keeps the present secret."""
        before = self.read().named(name)
        if account.name.casefold() != before.name.casefold():
            self.check_new(account)
        check_name(account.name)
        checked(account, self.service(account.service))
        if ask is not None:
            if account.secret.is_ours:
                # A new entry, so that calls with the former secret count as another account's.
                account = replace(account, secret=self.new_place(account.secret.kind, account.service))
            account = self._with_secret(account, ask, mode)
        self._put(account, before.name)
        if account.secret != before.secret:
            self._forget(before)
        return account

    def remove(self, name: str) -> Account:
        """Remove an account, and its secret if the program wrote that."""
        account = self.read().named(name)
        self._change(lambda found: {key: one for key, one in found.items() if key != account.name})
        self._forget(account)
        return account

    def use(self, service: str, name: str | None) -> None:
        """Make an account the default of its service; None removes the default, so that calls go to the sandbox again."""
        chosen = self.read().named(name).name if name is not None else None
        self._change(lambda found: _with_default(found, service, chosen))

    def _with_secret(self, account: Account, ask: Ask, mode: Mode | None) -> Account:
        """The account with the mode that its secret says, unless the user has given one; a secret of ours is stored."""
        service, place = self.service(account.service), account.secret
        if place.is_ours:
            self.secrets.store(place).probe()
        secret = ask() if place.is_ours else self.secrets.read(place)
        said = mode if mode is not None else mode_of(service, address_of(account, service), secret)
        account = replace(account, mode=said)
        fits(account, service, secret)
        if place.is_ours:
            self.secrets.store(place).write(place.at, secret)
        return account

    def _forget(self, account: Account) -> None:
        """Delete an account's secret, and that of its client, if the program wrote them."""
        if account.secret.is_ours:
            store = self.secrets.store(account.secret)
            store.delete(account.secret.at)
            if account.signs_in:
                store.delete(client_place(account.secret).at)

    def _put(self, account: Account, before: str = "") -> None:
        """Write an account to the file, in the place of the one with the name `before`, or at the end."""

        def change(found: Mapping[str, Account]) -> Mapping[str, Account]:
            now = {**found, before or account.name: account}
            now = {account.name if key == before else key: one for key, one in now.items()}
            return _with_default(now, account.service, account.name) if account.default else now

        self._change(change)

    def _change(self, change: Callable[[Mapping[str, Account]], Mapping[str, Account]]) -> None:
        """Apply a change to the file as it is now; changes by other processes since then are kept."""
        file = self.file.resolve()  # a symbolic link stays one
        try:
            with file_lock(file):
                text = self._text()
                before = self._accounts(text).found
                after = change(before)
                replace_text(file, _written(text, before, after))
        except OSError as error:
            raise AccountError(f"the settings cannot be written: {reason(error, file)}") from error

    def _text(self) -> str:
        try:
            with open_plain(self.file) as opened:
                raw = opened.read(_MOST_BYTES + 1)
            if len(raw) <= _MOST_BYTES:
                return raw.decode("utf-8")
            raise AccountError(f"{self.file}: it is larger than {_MOST_BYTES:,} bytes")
        except FileNotFoundError:
            return ""
        except UnicodeDecodeError:
            raise AccountError(f"{self.file}: this is not UTF-8") from None
        except OSError as error:
            raise AccountError(f"{reason(error, self.file)}") from error

    def _accounts(self, text: str) -> Accounts:
        if SECTION not in text:
            return Accounts()
        try:
            sections: Any = parsed(text).get(SECTION, {})
        except NotToml as error:
            raise AccountError(f"{self.file}: {error}") from None
        if not isinstance(sections, dict):
            raise AccountError(f"{self.file}: {SECTION} must be sections, as [{SECTION}.name]")
        found: dict[str, Account] = {}
        problems: dict[str, str] = {}
        defaults: dict[str, str] = {}
        for name, properties in sections.items():
            try:
                account = account_of(name, properties)
                if account.service in self._services:  # otherwise its toolkit was removed; it can be removed, too
                    checked(account, self._services[account.service])
                if name.casefold() in (one.casefold() for one in found):
                    raise AccountError("another account has this name, in other letters; rename one of them", "name")
                found[name] = account
            except AccountError as error:
                problems[name] = str(error)
                if isinstance(properties, dict) and properties.get("default", False) is not False:
                    service = properties.get("service")
                    defaults[name] = service if isinstance(service, str) and service in self._services else ""
        return Accounts(found, problems, defaults)


def _with_default(found: Mapping[str, Account], service: str, name: str | None) -> Mapping[str, Account]:
    """The accounts with one default of a service, or with none."""
    return {key: replace(one, default=key == name) if one.service == service else one for key, one in found.items()}


def _written(text: str, before: Mapping[str, Account], after: Mapping[str, Account]) -> str:
    """The text with the sections of changed accounts; comments, order and other sections stay."""
    import tomlkit  # slow to import, and not needed for the first frame

    document = tomlkit.parse(text)
    sections: Any = document.setdefault(SECTION, tomlkit.table(is_super_table=True))
    for name in {**before, **after}:
        if before.get(name) != after.get(name):
            section = sections.setdefault(name, tomlkit.table())
            wanted = after[name].properties() if name in after else {}
            for key in [key for key in section if key not in wanted]:
                section.remove(key)
            section.update(wanted)
    gone: list[Mapping[str, Any]] = [{SECTION: {name: {}}} for name in before.keys() - after.keys()]
    lines = tomlkit.dumps(document).splitlines(keepends=True)
    # What is left of a removed section is its header: comments stay, since they may belong to the section below.
    return "".join(line for line in lines if not line.lstrip().startswith("[") or parsed(line) not in gone)
