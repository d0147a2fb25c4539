"""The option that names an account, and the check of the name."""

from __future__ import annotations

import argparse

from registry.doors.output import fail
from registry.engine import ConnectionSettingsError, Engine, open_engine

ACCOUNT = "sandbox (default where it has the service) or the name of an account"


def add_account(command: argparse.ArgumentParser, words: str, *, dest: str = "connection", several: bool = False) -> None:
    """Add ``--account NAME``.

    Args:
        command: gets the option.
        words: what the help says.
        dest: the attribute with the name, or None; with `several` a list of names, or None.
        several: whether the option may be repeated.
    """
    how = "append" if several else "store"
    command.add_argument("--account", metavar="NAME", dest=dest, action=how, help=words)


def checked_account(name: str | None, engine: Engine | None = None) -> str:
    """The name of an account that exists and can be used; empty if none is named."""
    if not name:
        return ""

    try:
        (engine or open_engine()).connection(name)
    except ConnectionSettingsError as error:
        fail(f"--account: {error}")
    return name
