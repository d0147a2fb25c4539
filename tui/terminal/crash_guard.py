"""Handles unexpected errors: a report file and two lines, and no traceback that would show the user's data.

An error that ends the program leaves its words in `CrashGuard.last_words`. One that only ends a worker, a task or a thread is
shown in a notification, and the program continues.
"""

import asyncio
from collections import deque
from collections.abc import Mapping
from typing import Any

from textual.actions import ActionParseResult
from textual.app import App
from textual.css.query import NoMatches
from textual.dom import DOMNode
from textual.notifications import SeverityLevel
from textual.widget import Widget
from textual.worker import Worker, WorkerFailed, get_current_worker
from textual.worker_manager import WorkerManager

from registry.files.crash_report import put_down
from registry.text.shown import visible, visible_line
from tui.keyboard.commands import COMMANDS

_MOST_COMMANDS = 20
_IDS = {command.action: command.id for command in reversed(COMMANDS)}


class _Reported(Exception):
    """An error that was reported; Textual shows one with this method by it, and no traceback."""

    def __rich__(self) -> str:
        return ""


class CrashGuard(App[None]):
    """An application whose crashes show no data.

    Attributes:
        is_ending: whether somebody has asked it to quit.
        last_words: what is told about the error that ended it; empty without one.
    """

    def __init__(self) -> None:
        super().__init__()
        self.is_ending = False
        self.last_words = ""
        self._guarded = _Workers(self)
        self._used: deque[str] = deque(maxlen=_MOST_COMMANDS)
        self._known_errors: set[tuple[type[BaseException], object]] = set()

    @property
    def workers(self) -> WorkerManager:
        return self._guarded

    @property
    def commands_used(self) -> tuple[str, ...]:
        return tuple(self._used)

    def exit(self, result: None = None, return_code: int = 0, message: Any = None) -> None:
        self.is_ending = True
        super().exit(result, return_code, message)

    async def run_action(
        self,
        action: "str | ActionParseResult",
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """Run an action, and record its command; nothing happens if its screen is not mounted yet, or being removed."""
        if isinstance(action, str) and action in _IDS:
            self._used.append(_IDS[action])
        try:
            return await super().run_action(action, default_namespace, namespaces)
        except NoMatches:
            node = default_namespace
            if isinstance(node, Widget) and (not node.is_mounted or self.is_leaving(node)):
                return False
            raise

    def watch_loose_ends(self) -> None:
        """From now on, report tasks that fail without being awaited. Call it on the event loop."""
        asyncio.get_running_loop().set_exception_handler(self._task_failed)

    def unforeseen(self, error: BaseException, where: str) -> None:
        """Report a failed piece of work. The same error at the same place is reported only once."""
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        kind = (type(error), (trace.tb_frame.f_code, trace.tb_lineno) if trace is not None else None)
        if kind not in self._known_errors:
            self._known_errors.add(kind)
            self.tell_unforeseen(put_down(error, where, self.commands_used, self._environment_facts()))

    def is_leaving(self, node: DOMNode) -> bool:
        """Whether a widget or screen is being removed, or the whole program is ending."""
        # A node that is being removed is not displayed, whatever its style says.
        return self.is_ending or not node.is_attached or (not node.display and node.styles.display != "none")

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,
    ) -> None:
        """Show a notification for `timeout` seconds, made safe and never as markup: some contain text of files from outside."""
        super().notify(visible(message), title=visible_line(title), severity=severity, timeout=timeout, markup=False)

    def tell_unforeseen(self, words: str) -> None:
        """Show a notification about a failed piece of work; safe in any thread."""
        self.notify(words.removeprefix("callboard: "), title="Unexpected error", severity="error", timeout=20, markup=False)

    def _handle_exception(self, error: Exception) -> None:
        # Textual calls this for every error of a handler or a worker, and offers no public way to handle one. Its own way
        # prints the values of all variables.
        if isinstance(error, WorkerFailed):
            worker = get_current_worker()
            if not self.is_leaving(worker.node):  # what was missing there may have been removed first
                self.unforeseen(error.error, f"the work “{worker.name}”")
        elif not (isinstance(error, NoMatches | LookupError) and self._missed_by_what_leaves(error)):
            self.last_words = self.last_words or put_down(error, "the screens", self.commands_used, self._environment_facts())
            reported = _Reported()
            reported.__cause__ = error
            super()._handle_exception(reported)

    def _missed_by_what_leaves(self, error: Exception) -> bool:
        """Whether a widget missed its parts because it is being removed, or was before they were mounted."""
        trace = error.__traceback__
        while trace is not None:
            node = trace.tb_frame.f_locals.get("self")
            if isinstance(node, Widget) and self.is_leaving(node):
                return True
            trace = trace.tb_next
        return False

    def _task_failed(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, Exception):
            self.unforeseen(error, "a task")
        else:
            loop.default_exception_handler(context)

    def _environment_facts(self) -> dict[str, str]:
        return {
            "screens": " ‹ ".join(type(screen).__name__ for screen in reversed(self.screen_stack)) or "none",
            "size": f"{self.size.width}×{self.size.height}",
            "theme": self.theme,
        }


class _Workers(WorkerManager):
    """Reports failed workers of any node, whatever they were started with."""

    def add_worker(self, worker: Worker[Any], start: bool = True, exclusive: bool = True) -> None:
        worker.exit_on_error = True  # its failure goes to the application, which goes on
        super().add_worker(worker, start, exclusive)
