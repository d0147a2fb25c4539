"""Adds and changes an account in an order that loses nothing: check fields, probe the store, ask for the secret, save."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from registry.accounts.account import Account, SecretPlace, address_of, checked, client_place
from registry.accounts.book import AccountBook
from registry.accounts.connection import Mode, mode_of
from registry.accounts.opened import fits
from registry.accounts.sign_in import SignedIn
from registry.catalog.service import Service


def keep_new(book: AccountBook, account: Account, ask: Callable[[], str], mode: Mode | None) -> Account:
    """Add an account. Blocks.

    Args:
        book: the accounts to add it to.
        account: its values; the mode is ignored.
        ask: asks the user for the secret; called only for a secret that the program stores, after the store was probed.
        mode: which data it reaches, as the user says; None to use what the secret says.

    Raises:
        AccountError: the account is invalid.
        SecretUnavailable: its secret cannot be read, or not be stored.
    """
    book.check_new(account.name)
    checked(account, book.service(account.service))
    secret = _secret(book, account, ask)
    account = _with_mode(book, account, secret, mode)
    book.add(account, secret if account.secret.is_ours else None)
    if account.default:
        book.use(account.service, account.name)
    return account


def keep_changed(book: AccountBook, name: str, account: Account, ask: Callable[[], str] | None, mode: Mode | None) -> Account:
    """Change an account. Blocks.

    Args:
        book: the accounts.
        name: its present name.
        account: its new values.
        ask: asks the user for a new secret; None keeps the present one.
        mode: as for `keep_new`.

    Raises:
        AccountError: there is no such account, or the values are invalid.
        SecretUnavailable: the secret cannot be read, or not be stored.
    """
    before = book.read().named(name)
    checked(account, book.service(account.service))
    secret = None
    if ask is not None or account.secret != before.secret:
        secret = _secret(book, account, ask if ask is not None else str)
        account = _with_mode(book, account, secret, mode)
    account = book.edit(before.name, account, secret if account.secret.is_ours else None)
    if account.default and not before.default:
        book.use(account.service, account.name)
    return account


def keep_signed_in(book: AccountBook, account: Account, done: SignedIn, client_secret: str, mode: Mode | None) -> Account:
    """Add an account after a sign-in, with its client's secret if there is one. Blocks.

    Raises:
        AccountError: the account is invalid.
        SecretUnavailable: its secrets cannot be stored.
    """
    kept = keep_new(book, account, done.tokens.as_json, mode)
    if client_secret:
        place = client_place(account.secret)
        book.secrets.store(place).write(place.at, client_secret)
    return kept


def place_for(book: AccountBook, wanted: str, service: Service) -> SecretPlace:
    """The place that the user's text names: ``keyring``, ``file``, ``env:NAME`` or ``command:WORDS``.

    Raises:
        AccountError: it is not a place.
    """
    if all(way.kind == "none" for way in service.authentication):
        return SecretPlace("none")
    return book.new_place(wanted, service.name) if wanted in ("keyring", "file") else SecretPlace.of(wanted)


def _secret(book: AccountBook, account: Account, ask: Callable[[], str]) -> str:
    if not account.secret.is_ours:
        return book.secrets.read(account.secret)
    book.secrets.store(account.secret).probe()
    return ask()


def _with_mode(book: AccountBook, account: Account, secret: str, mode: Mode | None) -> Account:
    """The account with the mode that its secret says, unless the user has given one."""
    service = book.service(account.service)
    said = mode if mode is not None else mode_of(service, address_of(account, service), secret)
    account = replace(account, mode=said)
    fits(account, service, secret)
    return account
