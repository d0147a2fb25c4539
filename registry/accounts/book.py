"""The accounts in ``config.toml``: read, added, changed, renamed and removed, under a lock between processes."""

from __future__ import annotations

import secrets as dice
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import tomlkit
from msgspec.structs import replace

from registry.accounts.account import Account, AccountError, SecretPlace, account_of, check_name, checked, client_place
from registry.accounts.opened import fits
from registry.accounts.stores import Secrets
from registry.catalog.service import Service
from registry.files.atomic_file import file_lock, replace_text
from registry.files.plain_file import open_plain
from registry.files.reasons import reason
from registry.files.toml_text import NotToml, parsed

SECTION = "accounts"
_MOST_BYTES = 100_000


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
        """The account with a name, ignoring case.

        Raises:
            AccountError: there is no such account, or it cannot be used.
        """
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
    """

    def __init__(self, file: Path, services: Mapping[str, Service], secrets: Secrets) -> None:
        self.file = file
        self.secrets = secrets
        self._services = {service.name: service for service in services.values()}

    def read(self) -> Accounts:
        """The accounts in the file; never raises."""
        try:
            return self._accounts(self._text())
        except AccountError as error:
            return Accounts(problems={"": str(error)}, defaults={"": ""})

    def service(self, name: str) -> Service:
        """The service with a name.

        Raises:
            AccountError: there is no such service.
        """
        if name not in self._services:
            raise AccountError(f"service: there is no {name!r}; there are {', '.join(self._services)}", "service")
        return self._services[name]

    def new_place(self, kind: str, service: str) -> SecretPlace:
        """A new entry in the keyring or a file. Named by its service, because keyrings show it and account names change."""
        return SecretPlace.of(f"{kind}:{service}-{dice.token_hex(4)}")

    def check_new(self, name: str) -> None:
        """Check that a new account can have a name.

        Raises:
            AccountError: the name is invalid, or another account has it.
        """
        check_name(name)
        taken = {one.casefold() for one in (*self.read().found, *self.read().problems)}
        if name.casefold() in taken:
            raise AccountError(f"name: there is an account {name!r} already. Choose another name, or remove that one", "name")
        if name.casefold() in self._services:
            needs = self._services[name.casefold()].needs
            raise AccountError(f"name: {name!r} is the account of {needs} in the environment. Choose another name", "name")

    def add(self, account: Account, secret: str | None) -> Account:
        """Add an account, and its secret to the store if the program writes that. The file never contains the secret."""
        self.check_new(account.name)
        checked(account, self.service(account.service))
        self._keep(account, secret)
        try:
            self._change(lambda found: {**found, account.name: account})
        except AccountError:
            if account.secret.is_ours:
                self.secrets.store(account.secret).delete(account.secret.at)
            raise
        return account

    def edit(self, name: str, account: Account, secret: str | None = None) -> Account:
        """Replace an account's values, and its secret if one is given."""
        before = self.read().named(name)
        if account.name.casefold() != before.name.casefold():
            self.check_new(account.name)
        check_name(account.name)
        checked(account, self.service(account.service))
        if secret is not None:
            # A new entry, so that calls with the former secret count as another account's.
            account = replace(account, secret=self.new_place(account.secret.kind, account.service))
            self._keep(account, secret)

        def change(found: Mapping[str, Account]) -> Mapping[str, Account]:
            now = {**found, before.name: account}
            return {account.name if key == before.name else key: one for key, one in now.items()}

        self._change(change)
        if before.secret.is_ours and account.secret != before.secret:
            self._forget(before)
        return account

    def remove(self, name: str) -> Account:
        """Remove an account, and its secret if the program wrote that."""
        account = self.read().named(name)
        self._change(lambda found: {key: one for key, one in found.items() if key != account.name})
        if account.secret.is_ours:
            self._forget(account)
        return account

    def use(self, service: str, name: str | None) -> None:
        """Make an account the default of its service; None removes the default, so that calls go to the sandbox again."""
        chosen = self.read().named(name).name if name is not None else None

        def change(found: Mapping[str, Account]) -> Mapping[str, Account]:
            return {key: replace(one, default=key == chosen) if one.service == service else one for key, one in found.items()}

        self._change(change)

    def _forget(self, account: Account) -> None:
        """Delete an account's secret, and that of its client."""
        store = self.secrets.store(account.secret)
        store.delete(account.secret.at)
        if account.signs_in:
            store.delete(client_place(account.secret).at)

    def _keep(self, account: Account, secret: str | None) -> None:
        if account.secret.is_ours:
            if secret is None:
                raise AccountError("secret is missing", "secret")
            if not account.signs_in:
                fits(account, self.service(account.service), secret)
            self.secrets.store(account.secret).write(account.secret.at, secret)

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
                checked(account, self.service(account.service))
                if name.casefold() in (one.casefold() for one in found):
                    raise AccountError("another account has this name, in other letters; rename one of them", "name")
                found[name] = account
            except AccountError as error:
                problems[name] = str(error)
                if isinstance(properties, dict) and properties.get("default", False) is not False:
                    service = properties.get("service")
                    defaults[name] = service if isinstance(service, str) and service in self._services else ""
        return Accounts(found, problems, defaults)


def _written(text: str, before: Mapping[str, Account], after: Mapping[str, Account]) -> str:
    """The text with the sections of changed accounts; comments, order and other sections stay."""
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
