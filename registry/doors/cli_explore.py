"""``callboard explore`` and ``callboard keys``: the explorer on a sandbox with options, and its key bindings."""

from __future__ import annotations

import argparse

from registry.doors.cli_sandbox import application_of
from registry.doors.cli_sandbox_data import add_behaviour
from registry.doors.common_options import Commands, add_account, checked_account
from registry.doors.output import fail


def add(commands: Commands) -> None:
    """Both commands and their options."""
    explorer = commands.add_parser(
        "explore",
        help="open the explorer with sandbox options",
        description="Open the explorer, choosing how its sandbox behaves.",
    )
    explorer.add_argument("--read-only", action="store_true", help="read-only: block every write and delete")
    add_account(explorer, "the account to begin with")
    add_behaviour(explorer)
    commands.add_parser(
        "keys", help="list the explorer's key bindings", description="List all key bindings, including your own, by pane."
    )


def run(options: argparse.Namespace) -> int:
    """Open the explorer, or print its keys; returns the exit code."""
    screens = options.screens
    if options.command == "keys":
        if screens.keys is None:
            fail("the explorer is not part of this installation, so there are no key bindings to list")
        return int(screens.keys())
    application = application_of(options)
    if screens.explore is None:
        fail("the explorer is not part of this installation; callboard sandbox serves the same sandbox")
    account = checked_account(options.connection)
    return int(screens.explore(application, read_only=options.read_only, account=account))
