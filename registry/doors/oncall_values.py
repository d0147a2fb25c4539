"""Dashboards of several accounts, printed once as text or JSON."""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Sequence
from typing import Any

from registry.doors.cli_oncall import board_lines
from registry.doors.oncall_account import account_of, oncall_connection
from registry.doors.output import say, say_json
from registry.engine import Engine, Sandbox, Settings, open_engine
from registry.oncall.account import AccountView, views_of, worst
from registry.oncall.as_json import as_json


def views_as_json(views: Sequence[AccountView]) -> dict[str, Any]:
    """The dashboards by account, and the worst account with its exit code."""
    first = worst(views)
    return {
        "exit_code": first.code,
        "worst": first.name,
        "verdict": first.title,
        "accounts": {
            view.name: {"mode": view.mode, "exit_code": view.code, "verdict": view.title, "board": as_json(view.board)}
            for view in views
        },
    }


def print_accounts(names: Sequence[str], sandbox: Sandbox, known: argparse.Namespace) -> int:
    """Read several accounts at the same time and print their dashboards once; the exit code is that of the worst."""
    engine = open_engine(Settings(sandbox=sandbox, journal=False))
    chosen = [oncall_connection(name, engine) for name in names]
    return asyncio.run(_print_accounts(engine, chosen, known))


async def _print_accounts(engine: Engine, names: Sequence[str], known: argparse.Namespace) -> int:
    until = asyncio.get_running_loop().time() + known.deadline
    async with engine:
        accounts = [account_of(engine, name, known.every, until=until) for name in names]
        await asyncio.gather(*(account.refresh() for account in accounts))
        views = await views_of(accounts)
    first = worst(views)
    if known.json:
        say_json(json.dumps(views_as_json(views), ensure_ascii=False, indent=2))
        return first.code
    say(f"Worst of {len(views)} accounts: {first.label}: {first.title}")
    for view in views:
        say(f"\n{view.label} ({view.mode})")
        for line in board_lines(view.board, view.interval):
            say(f"  {line}" if line else "")
    return first.code
