"""Handles unexpected errors: a report file and two lines, and no traceback that would show the user's data.

An error that ends the program prints them on the terminal. One that only ends a worker, a task or a thread is shown in a
notification, and the program continues.
"""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from collections.abc import Generator, Mapping
from typing import Any

from textual._callback import invoke
from textual._context import active_message_pump
from textual.actions import ActionParseResult
from textual.app import App
from textual.await_remove import AwaitRemove
from textual.css.query import NoMatches
from textual.dom import DOMNode
from textual.notifications import SeverityLevel
from textual.widget import Widget
from textual.worker import Worker, WorkerFailed, WorkerState
from textual.worker_manager import WorkerManager

from registry.files.crash_report import EXIT_CODE, put_down
from registry.text.safe_text import visible, visible_line
from tui.keyboard.commands import COMMANDS

_MOST_COMMANDS = 20
_IDS: dict[str, str] = {}
for _command in COMMANDS:
    _IDS.setdefault(_command.action, _command.id)


class CrashGuard(App[None]):
    """An application whose crashes show no data."""

    def __init__(self) -> None:
        super().__init__()
        self._workers = _Workers(self)
        self._used: deque[str] = deque(maxlen=_MOST_COMMANDS)
        self._known_errors: set[tuple[type[BaseException], object]] = set()
        self._last_words = ""

    @property
    def commands_used(self) -> tuple[str, ...]:
        """The ids of the last commands."""
        return tuple(self._used)

    async def run_action(
        self,
        action: str | ActionParseResult,
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

    def _prune(self, *nodes: Widget, parent: DOMNode | None = None) -> AwaitRemove:
        removing = super()._prune(*nodes, parent=parent)
        removing.__class__ = _Removal  # the class is changed because the application awaits this object as well
        return removing

    async def _process_messages_loop(self) -> None:
        """Continue if a handler awaited work that was cancelled elsewhere; Textual would end the program."""
        while True:
            try:
                return await super()._process_messages_loop()
            except asyncio.CancelledError as error:
                task = asyncio.current_task()
                if self._exit or self._closing or task is None or task.cancelling():
                    raise
                self.unforeseen(error, "the screens")

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
        return self._exit or self._closing or node._closing or node._pruning or not node.is_attached

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
        # A screen that is dismissed before it is composed still gets its Mount and Resize events.
        here = active_message_pump.get(None)
        leaving = isinstance(here, Widget) and self.is_leaving(here)
        if isinstance(error, WorkerFailed):  # of Textual's own workers, which would end the program
            if not leaving:
                self.unforeseen(error.error, "the work of a widget")
            return
        if isinstance(error, NoMatches) and leaving:
            return
        # Textual's own handling prints the values of all variables.
        self._return_code = EXIT_CODE
        if self._exception is None:
            self._exception = error
            self._exception_event.set()
        if not self._last_words:
            self._last_words = put_down(error, "the screens", self.commands_used, self._environment_facts())
        self._close_messages_no_wait()

    def _print_error_renderables(self) -> None:
        if self._last_words and (stream := sys.__stderr__) is not None:
            stream.write(f"{self._last_words}\n")
            stream.flush()
        self._exit_renderables.clear()

    def _task_failed(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, Exception):
            self.unforeseen(error, "a task")
        else:
            loop.default_exception_handler(context)

    def _environment_facts(self) -> dict[str, str]:
        return {
            "screens": " ‹ ".join(type(screen).__name__ for screen in reversed(self._screen_stack)) or "none",
            "size": f"{self.size.width}×{self.size.height}",
            "theme": self.theme,
        }


class _Removal(AwaitRemove):
    """A removal of widgets that continues if a worker that awaits it is cancelled.

    In Textual's own, cancelling one waiter cancels the removal, and so all other waiters: also the application, which then ends
    without a message.
    """

    def __await__(self) -> Generator[None, None, None]:
        here = asyncio.current_task()

        async def removed() -> None:
            await asyncio.gather(*(asyncio.shield(task) for task in self._tasks if task is not here))
            if self._post_remove is not None:
                await invoke(self._post_remove)

        return removed().__await__()


class _Workers(WorkerManager):
    """Reports failed workers of any node."""

    def _remove_worker(self, worker: Worker[Any]) -> None:
        super()._remove_worker(worker)
        app = self._app
        if worker.state is not WorkerState.ERROR or worker.error is None or worker.exit_on_error:
            return
        # Work for a screen that is being removed may miss widgets that were removed first; its result is no longer needed.
        if isinstance(app, CrashGuard) and not app.is_leaving(worker.node):
            app.unforeseen(worker.error, f"the work “{worker.name}”")
