"""The programs that are compared: ``python -m tests.bench.programs NAME``."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from starlette.types import ASGIApp


def bare() -> None:
    """A Textual app with one Static: the floor of every first frame."""
    from textual.app import App, ComposeResult
    from textual.widgets import Static

    class Bare(App[None]):
        def compose(self) -> ComposeResult:
            yield Static("Callboard")

    Bare().run()


def line() -> None:
    """A Textual app with one Input: the floor of every echo."""
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


def _sandbox_of(scenario: str) -> Callable[[], ASGIApp]:
    from registry.calling.sandboxed import sandbox_application

    return partial(sandbox_application, scenario=scenario)


def viewer() -> None:
    """The result pane alone, showing the JSON file that is named behind it; says when all of it is there.

    Keys: ``=`` finds the last element as it is written, ``~`` in any case, ``(`` and ``)`` fold and unfold all.
    """
    import asyncio
    import tempfile
    from pathlib import Path

    from textual.app import App, ComposeResult
    from textual.binding import Binding
    from textual.content import Content
    from textual.widgets import Static

    from registry.calling.result import Result
    from tests.bench.documents import LAST
    from tui.explorer.result_pane import ResultPane
    from tui.json_view.view import JsonView
    from tui.preferences import Preferences
    from tui.settings import Settings
    from tui.theme import CALLBOARD

    class Viewer(App[None]):
        BINDINGS = [
            Binding("equals_sign", "find_last(0)", priority=True),
            Binding("tilde", "find_last(1)", priority=True),
            Binding("left_parenthesis", "fold(1)", priority=True),
            Binding("right_parenthesis", "fold(0)", priority=True),
        ]

        def __init__(self) -> None:
            super().__init__()
            self.settings = Settings()
            self.register_theme(CALLBOARD)
            self.theme = CALLBOARD.name

        def compose(self) -> ComposeResult:
            yield ResultPane(Preferences(Path(tempfile.gettempdir()) / "callboard-bench-remembers-nothing"))
            yield Static(Content("coming"))

        async def on_mount(self) -> None:
            self.call_after_refresh(lambda: self.run_worker(self._show()))

        async def _show(self) -> None:
            body = await asyncio.to_thread(Path(sys.argv[2]).read_bytes)
            pane = self.query_one(ResultPane)
            await pane.show(Result("viewer", "file", 200, body=body), page_line="")
            pane.focus_answer()
            self.screen.query_children(Static).last().update(Content("all-there"))

        async def action_find_last(self, any_case: int) -> None:
            from tui.json_view.search import Query

            self.query_one(JsonView).action_move_to_end(-1)
            self.run_worker(self.query_one(ResultPane).find(Query(LAST.lower() if any_case else LAST)))

        def action_fold(self, folded: int) -> None:
            view = self.query_one(JsonView)
            view.action_fold_all() if folded else view.action_unfold_all()

    Viewer().run()


if __name__ == "__main__":
    globals()[sys.argv[1]]()
