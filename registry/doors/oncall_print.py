"""The on-call dashboard without a screen: its accounts are read, and it is printed once, or a line for each change."""

import argparse
import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from registry.accounts.memory import soon
from registry.calling.sending import Sleep
from registry.catalog.loader import load
from registry.doors.output import complain, flush, remark, say, say_values
from registry.engine import Engine, Sandbox, Settings, open_engine
from registry.oncall import words
from registry.oncall.account import Account, AccountView, views_of, worst
from registry.oncall.board import DONE, Board, board, marks
from registry.oncall.evidence import TRIGGERED, UNREACHED, code_of, evidence
from registry.oncall.formats import as_json
from registry.oncall.headline import counts_line, headline
from registry.oncall.model import LEAST_EVERY, TOOLKIT, age, iso
from registry.oncall.words import default_zone
from registry.text.shown import visible_line


def oncall_connection(name: str | None, engine: Engine) -> str:
    """The account with a name; without a name, the default one, else that of the environment, else the sandbox."""
    found = engine.named(name, TOOLKIT)
    found.endpoint(TOOLKIT)  # ends the command if it serves another toolkit
    of_environment = load().toolkits[TOOLKIT].name
    return of_environment if name is None and not found.default and of_environment in engine.connections else found.name


def account_of(engine: Engine, name: str, every: float, recordings: Path | None = None, until: float | None = None) -> Account:
    """The on-call account with a name, ready to be refreshed every so many seconds, and recorded in a folder.

    Its reads end at `until`, in seconds of the running loop's clock.
    """
    connection = engine.connection(name)
    return Account(
        name,
        connection.endpoint(TOOLKIT).mode,
        engine.reading(lambda _: connection),
        every,
        recordings,
        ends=lambda now: soon(engine.ending(connection, TOOLKIT), now),
        until=until,
    )


def print_board(names: Sequence[str | None], sandbox: Sandbox, known: argparse.Namespace) -> int:
    """Print the dashboard of each account once, as text or JSON, or of one account a line per change until interrupted.

    Returns the exit code of the worst account.
    """
    engine = open_engine(Settings(sandbox=sandbox, journal=False, tell=remark))
    return asyncio.run(_print(engine, [oncall_connection(name, engine) for name in names], known))


async def _print(engine: Engine, names: Sequence[str], known: argparse.Namespace) -> int:
    until = None if known.watch else asyncio.get_running_loop().time() + known.deadline
    async with engine:
        accounts = [account_of(engine, name, known.every, until=until) for name in names]
        await asyncio.gather(*(account.refresh() for account in accounts))
        views = await views_of(accounts)
        for view in views:
            if view.clock_words:
                remark(f"{view.clock_words} (clock skew); times follow the service's clock")
            if view.ends:
                remark(f'{view.ends}: callboard account sign-in "{view.name}"')
        if known.watch:
            return await watch(accounts[0], asyncio.sleep, as_json=known.json)
    if len(views) == 1:
        made, interval = views[0].board, views[0].interval
        if known.json:
            say_values(as_json(made, interval))
        else:
            say("\n".join(board_lines(made, interval)))
        return exit_code(made, interval)
    first = worst(views)
    if known.json:
        say_values(views_as_json(views))
        return first.code
    say(f"Worst of {len(views)} accounts: {first.label}: {first.title}")
    for view in views:
        say(f"\n{view.label} ({view.mode})")
        for line in board_lines(view.board, view.interval):
            say(f"  {line}" if line else "")
    return first.code


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


def exit_code(made: Board, interval: float = LEAST_EVERY) -> int:
    """The exit code for a dashboard; prints the reasons on standard error. `interval`: seconds between two refreshes."""
    found, code = evidence(made, made.now, interval), code_of(made, interval)
    for cause in found.causes:
        complain(f"incidents are incomplete: {cause}")
    if code not in (TRIGGERED, UNREACHED):
        for words in found.contradictions:
            complain(f"doubtful: {words}")
    return code


def board_lines(made: Board, interval: float) -> list[str]:
    """The dashboard as lines that are safe to print."""
    zone, now = default_zone(made.mine.me), made.now
    me = made.me
    lines = [
        headline(made, now, interval, zone).words,
        words.plain(counts_line(made)),
        words.plain(words.my_duty(made.mine, made.facts, now, zone)),
        "",
        *(incident_line(made, row.incident.id) for row in made.rows),
        *([""] if made.rows else ()),
    ]
    for on_call in made.policies:
        levels = ("  " + words.plain(words.level_line(level, now, zone, me)) for level in on_call.levels)
        lines += [words.plain(words.policy_title(on_call)), *levels]
    return lines


def incident_line(made: Board, id_: str) -> str:
    """An open incident as one line that is safe to print."""
    row = made.by_id.get(id_)
    assert row is not None
    one, zone, me = row.incident, default_zone(made.mine.me), made.me
    parts = (
        f"{one.label:<5}",
        f"{words.state(row):<4}",
        f"{one.urgency:<4}",
        f"{one.priority:<2}",
        f"{row.level:<2}",
        f"{age(made.now - one.created):>6}",
        f"{one.service.name}: {one.title}",
        words.following(row, made.now, zone, me).words,
    )
    return "  ".join([*map(visible_line, parts), *["YOURS"] * bool(row.mine), *["NEGLECTED"] * row.neglected])


async def watch(account: Account, sleep: Sleep, *, as_json: bool, rounds: int = 0) -> int:
    """Print one line per change of an incident, and when the incidents become uncertain or certain again.

    Ends after so many rounds; 0 means when it is interrupted.
    """
    before: Board | None = None
    failing, done = "", 0
    opened: set[str] = set()
    while True:
        if account.refresher.wait() <= 0:
            await account.refresh()
        refresher = account.refresher
        made = board(refresher.facts, account.clock())
        found = evidence(made, made.now, refresher.interval)
        now_failing = "; ".join(found.causes + found.contradictions)
        moment = iso(made.now)
        if now_failing != failing:
            failing = now_failing
            words = f"NOT SURE: {failing}" if failing else "complete again"
            event: dict[str, object] = {"at": moment, "mark": "FAILED" if failing else "WORKS", "cause": failing or None}
            _tell(event, f"{moment} {words}", as_json=as_json)
        # Until the lists were read once there is nothing to compare with; incidents known from elsewhere are printed once.
        unlisted = {row.incident.id: "OPEN" for row in made.rows if row.incident.id not in opened}
        news = marks(before, made) if before is not None else unlisted
        opened |= unlisted.keys()
        known = {row.incident.id: row.incident for one in (before, made) if one is not None for row in one.rows}
        for id_, mark in news.items():
            one = known[id_]
            ended = mark == DONE or made.by_id.get(id_) is None
            line = f"{one.label:<5}  {one.service.name}: {one.title}" if ended else incident_line(made, id_)
            event = {"at": moment, "mark": mark, "id": id_, "number": one.number, "title": one.title, "status": one.status}
            _tell(event, f"{moment} {mark:<4} {line}", as_json=as_json)
        if made.facts.panel("incidents").at is not None:
            before = made
        done += 1
        if done == rounds:
            return exit_code(made, refresher.interval)
        await sleep(max(refresher.wait(), 1.0))


def _tell(values: dict[str, object], line: str, *, as_json: bool) -> None:
    if as_json:
        say_values(values, line=True)
    else:
        say(visible_line(line))
    flush()
