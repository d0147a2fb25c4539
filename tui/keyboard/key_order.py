"""Makes keys act in the order in which they were pressed, however fast, and dismisses a screen only once.

Textual sends a key to the widget that is focused when it arrives, and handles the keys of the whole screen before that. When
several arrive at once (a slow connection, a macro, typing ahead), a letter would go to the field that Tab is about to
leave, and F5 would send the form without the letters. Here a key that is not a letter, a letter after one, and what is pasted
wait until everything that earlier keys have started is done. An Esc after a while does not: it stops what runs.

Textual's own `dismiss` closes any screen that is in front. A second click or Enter, or a worker that ends while the help is
open, would close another screen, or the last one, which ends the program.
"""

import asyncio
import time
from collections import deque
from functools import partial
from typing import Any, Generic, TypeVar, cast

from textual import events
from textual.app import App
from textual.await_complete import AwaitComplete
from textual.screen import Screen
from textual.worker import Worker, WorkerError
from textual.worker_manager import WorkerManager

_LONGEST_WAIT, _LONGEST_START, _LOOK_AGAIN, _A_WHILE = 5.0, 30.0, 0.001, 0.5  # seconds
_QUIET_TURNS = 4
LOOKUP = "offers"
"""The group of the workers that look up values for a field: keys that mark or take a value wait for these."""
MARK = "mark"
"""The group of the workers with which a key waits for what it acts on; keys pressed later wait for these."""
# Groups of workers that move the focus, mark what Enter takes, or open another screen.
_MOVING = {
    LOOKUP,
    MARK,
    *("open", "form open", "confirm", "keep", "layout", "panes mounted", "history", "saved", "agents", "requests"),
    *("connections", "writing", "theme", "palette", "out", "pick", "follow", "fetch", "page size", "compare"),
    *("several accounts", "page actions", "open page"),
}
# Until these are done, a key may wait for panes that are not mounted yet.
_STARTING = {"mount panes", "panes mounted"}


def _fail(error: Exception) -> None:
    raise error


class KeyOrder(App[None]):
    """An application whose keys wait for each other."""

    is_ending = False
    """Whether somebody has asked it to quit."""

    def __init__(self) -> None:
        super().__init__()
        self._held: deque[events.Key | events.Paste] = deque()
        self._letting_through: asyncio.Task[None] | None = None
        self._last_is_letter = True
        self._last_at = 0.0

    async def on_event(self, event: events.Event) -> None:
        """Handle a letter after a letter at once; hold another key or a paste back until its turn.

        Not even while nothing seems to run: the key before may be in this application's queue, which has given us this one.
        """
        if not isinstance(event, events.Key | events.Paste) or event.is_forwarded:
            await super().on_event(event)
            return
        if isinstance(event, events.Key) and event.key.startswith("alt+"):
            event.character = None  # a command's key: a text input would type it
        if self.is_ending:
            pass  # keys after the one that quits have no widget to go to
        elif self._letting_through is None and self._follows(event):
            await self._handle(event)
        else:
            self._held.append(event)
            if self._letting_through is None:
                self._letting_through = asyncio.create_task(self._let_through(), name="keys held back")

    async def _let_through(self) -> None:
        try:
            while self._held and not self.is_ending:
                event = self._held.popleft()
                starts = self._works(_STARTING) or not self.screen.is_mounted
                stops = isinstance(event, events.Key) and event.key == "escape" and event.time - self._last_at > _A_WHILE
                longest = _LONGEST_START if starts else 0.0 if stops else _LONGEST_WAIT
                end, quiet = time.monotonic() + longest, 0
                # One message leads to the next through the event loop, so one quiet turn is not enough.
                while not self.is_ending and quiet < _QUIET_TURNS and time.monotonic() < end and not self._follows(event):
                    busy = self._busy()
                    quiet = 0 if busy else quiet + 1
                    await asyncio.sleep(_LOOK_AGAIN if busy else 0)
                if not self.is_ending:
                    await self._handle(event)
        except Exception as error:
            # A failing key handler ends the program, whether the key had to wait or not.
            self.call_next(partial(_fail, error))
        finally:
            self._letting_through = None

    async def _handle(self, event: events.Key | events.Paste) -> None:
        self._last_is_letter = isinstance(event, events.Key) and event.is_printable
        self._last_at = event.time
        await super().on_event(event)

    def _follows(self, event: events.Key | events.Paste) -> bool:
        """Whether a key is a letter after another letter, in a text input that takes both."""
        focused = self.focused
        return (
            isinstance(event, events.Key)
            and event.is_printable
            and self._last_is_letter
            and focused is not None
            and focused.check_consume_key(event.key, event.character)
        )

    def _busy(self) -> bool:
        """Whether something that the last key has started is still running."""
        screen = self.screen
        if not screen.is_mounted:  # its keys need widgets that are not mounted yet
            return True
        # A key that no widget takes goes on to the application, whose bindings act on it.
        if self.message_queue_size or any(widget.message_queue_size for widget in screen.walk_children(with_self=True)):
            return True
        return self._works(_MOVING)

    def _works(self, groups: set[str]) -> bool:
        """Whether a worker of these groups is running for the front screen, or one that completes what is typed."""
        running = (one for one in self.workers if not one.is_finished and one.node.is_attached)
        return any((one.group in groups or one.node is self.focused) and one.node.screen is self.screen for one in running)


async def done(work: Worker[Any]) -> bool:
    """Wait until some work has ended; returns False if it was cancelled or has failed."""
    # Without the shield, cancelling what waits would cancel the work in its place.
    return await asyncio.shield(_ended(work))


async def none_left_in(group: str, workers: WorkerManager) -> None:
    """Wait until no work of a group is running. More of it may begin meanwhile, as when somebody goes on typing."""
    while work := [one for one in workers if one.group == group and not one.is_finished]:
        await done(work[-1])


async def _ended(work: Worker[Any]) -> bool:
    try:
        await work.wait()
    except WorkerError:
        return False
    return True


DialogResult = TypeVar("DialogResult")


class DismissedOnce(Generic[DialogResult]):
    """A mixin for a screen, as its first base class; no DOM node itself, as Textual takes bindings and styles from the first.

    It closes only itself: at once if it is in front, else as soon as it is; after that, never again.
    """

    _late: tuple[DialogResult | None] | None = None

    def dismiss(self, result: DialogResult | None = None) -> AwaitComplete:
        screen = cast(Screen[Any], self)
        if screen.is_active:
            return super().dismiss(result)  # type: ignore[misc, no-any-return]  # the screen's
        if self._late is None and screen in screen.app.screen_stack:
            self._late = (result,)
        return AwaitComplete()

    def on_screen_resume(self) -> None:
        """Close the screen when it is in front again, if it was dismissed before."""
        if self._late is not None:
            (result,) = self._late
            self.dismiss(result)
