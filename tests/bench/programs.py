"""The programs to compare: ``python -m tests.bench.programs NAME``."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp


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


def _sandbox_of(scenario: str) -> Callable[[], ASGIApp]:
    from registry.sandbox.server import application

    return partial(application, scenario=scenario, limits=True)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
