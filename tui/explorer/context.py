"""The interface of the explorer for its features: the result on screen, the arguments of its call, and opening other tools.

Features (following, comparing, saving, …) live in modules of their own and take an `ExplorerContext`; they do not know the
screen. The screen's actions are one line each: they call a feature with the screen as its context.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from textual.app import App
from textual.worker import Worker

from registry.accounts.connection import Connection
from registry.calling.result import Result
from registry.catalog.model import Tool
from tui.explorer.fetch_windows import RunningFetch
from tui.explorer.parameter_form import ParameterForm
from tui.explorer.result_pane import ResultPane
from tui.explorer.trail import Trail
from tui.session import Session


class ExplorerContext(Protocol):
    """The explorer, as features see it."""

    @property
    def app(self) -> App[object]:
        """For dialogs: `await context.app.push_screen_wait(...)`, inside a worker."""

    @property
    def session(self) -> Session:
        """Catalogue, connections, and the results so far: `session.results.of(tool)` gives those of a tool, newest first."""

    @property
    def tool(self) -> Tool | None:
        """The tool whose form is open."""

    @property
    def form(self) -> ParameterForm:
        """Its form."""

    @property
    def result(self) -> ResultPane:
        """The pane with the result; `result.result` is the `Result`, with `arguments` and `at`."""

    @property
    def trail(self) -> Trail:
        """The visits so far."""

    def visit(self, name: str, raw: Mapping[str, object], *, run: bool = True, unlinked: bool = False) -> Worker[None]:
        """Open a tool with values, from the result on screen or `unlinked`; run it if it reads and nothing is missing."""

    def ask_once_open(self, opening: Worker[None]) -> object:
        """Run the tool that is being opened, once its form is there; a change asks for confirmation first."""

    def launch(
        self,
        tool: Tool,
        raw: dict[str, object],
        *,
        fetch: RunningFetch | None = None,
        accounts: Sequence[Connection] = (),
    ) -> None:
        """Run a tool in the present visit; with `fetch`, for its whole list; with `accounts`, on all of these at once."""

    def targets_changed(self) -> None:
        """Show where calls go from now on."""

    def present(self, result: Result, *, stays: bool = False) -> None:
        """Show another result of `session.results` in the present visit; with `stays`, the cursor stays where it is."""

    def say(self, words: str, colour: str = "$text-warning") -> None:
        """Show a short message in the key bar."""
