"""The programs to compare: ``python -m tests.bench.programs NAME``."""

from __future__ import annotations

import asyncio
import gc
import sys
import time
from collections.abc import Callable, Coroutine
from functools import partial
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from starlette.types import ASGIApp

TICK = 0.005
"""Seconds between two checks of the event loop."""


def bare() -> None:
    """A Textual app with one Static: the lower bound for a first frame."""
    from textual.app import App, ComposeResult
    from textual.widgets import Static

    class Bare(App[None]):
        def compose(self) -> ComposeResult:
            yield Static("Callboard")

    Bare().run()


def line() -> None:
    """A Textual app with one Input: the lower bound for an echo."""
    from textual.app import App, ComposeResult
    from textual.widgets import Input

    class Line(App[None]):
        def compose(self) -> ComposeResult:
            yield Input(placeholder="Callboard")

    Line().run()


def explorer() -> None:
    """The explorer as it starts for users."""
    from tui.entry import main

    sys.argv[1:] = []
    main()


def many() -> None:
    """The explorer with ten thousand tools."""
    gc.disable()
    from registry.catalog.listing import table_of_contents
    from tui.app import CallboardApp
    from tui.session import Session

    known = table_of_contents()
    tools = [known[number % len(known)]._replace(name=f"{known[number % len(known)].name}{number}") for number in range(10_000)]
    CallboardApp(Session({}, tools)).run()


def oncall_quiet() -> None:
    """The dashboard on a quiet night."""
    from tui.app import run

    run(_sandbox_of("quiet"), oncall="sandbox")


def oncall_storm() -> None:
    """The dashboard with 300 open incidents and 60 escalation policies."""
    from tests.bench.oncall_storm import service
    from tui.app import run

    run(service, oncall="sandbox")


def oncall_flood() -> None:
    """The dashboard with 5,000 open incidents and 60 escalation policies."""
    from tests.bench.oncall_storm import service
    from tui.app import run

    run(partial(service, 5_000), oncall="sandbox")


def watched() -> None:
    """``watched NAME FILE``: another of these programs, with the pauses of its event loop written to a file."""
    name, file = sys.argv[2:4]
    run = asyncio.run
    with open(file, "a", buffering=1, encoding="ascii") as pauses:
        asyncio.run = lambda main, **options: run(_watch(main, pauses), **options)  # type: ignore[assignment]
        sys.argv[1:] = []
        globals()[name]()


async def _watch(main: Coroutine[object, object, object], pauses: TextIO) -> object:
    watching = asyncio.ensure_future(_note_pauses(pauses))
    try:
        return await main
    finally:
        watching.cancel()


async def _note_pauses(pauses: TextIO) -> None:
    """Write how much too long each sleep took, in seconds, one per line."""
    while True:
        began = time.perf_counter()
        await asyncio.sleep(TICK)
        if (late := time.perf_counter() - began - TICK) > TICK:
            pauses.write(f"{late:.6f}\n")


def _sandbox_of(scenario: str) -> Callable[[], ASGIApp]:
    from registry.calling.sandbox_gateway import sandbox_application

    return partial(sandbox_application, scenario=scenario)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
