"""Keys act in the order in which they were pressed, however fast they come.

Textual sends a key to the widget that is focused when it arrives, and looks at the keys of the whole screen before that. When
several arrive at once (a slow line, a macro, somebody who types ahead), a letter would go to the field that Tab is about to
leave, and F5 would send what was in the form before the letters. Here a key that is no letter, and a letter behind one, waits
until everything that the keys before it have set in motion is done.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque

from textual import events
from textual.app import App

_LONGEST_WAIT, _LONGEST_START, _LOOK_AGAIN = 2.0, 30.0, 0.001  # seconds
_QUIET_TURNS = 4
# Groups of workers that put the keyboard into another place, or another screen in front.
_MOVING = {"open", "confirm", "keep", "layout", "furnished"}
# Until these are done, a key may wait for panes that are still to come.
_STARTING = {"furnish", "furnished"}


class KeyOrder(App[None]):
    """An application whose keys wait for each other."""

    def __init__(self) -> None:
        super().__init__()
        self._held: deque[events.Key] = deque()
        self._letting_through: asyncio.Task[None] | None = None
        self._last_is_letter = True

    async def on_event(self, event: events.Event) -> None:
        """Handle a key at once where nothing is under way, else hold it back until its turn comes."""
        if isinstance(event, events.Key) and event.key.startswith("alt+"):
            event.character = None  # a command's key: a line would type it
        if not isinstance(event, events.Key) or event.is_forwarded:
            await super().on_event(event)
        elif self._exit:
            pass  # what is typed behind the key that leaves has nobody to go to
        elif self._letting_through is None and (self._follows(event) or not self._busy()):
            await self._handle(event)
        else:
            self._held.append(event)
            if self._letting_through is None:
                self._letting_through = asyncio.create_task(self._let_through(), name="keys held back")

    async def _let_through(self) -> None:
        try:
            while self._held and not self._exit:
                event = self._held.popleft()
                starts = self._works(_STARTING) or not self.screen.is_mounted
                longest = _LONGEST_START if starts else _LONGEST_WAIT
                end, quiet = time.monotonic() + longest, 0
                # One message leads to the next by way of the event loop, so one look at it is not enough.
                while not self._exit and quiet < _QUIET_TURNS and time.monotonic() < end and not self._follows(event):
                    busy = self._busy()
                    quiet = 0 if busy else quiet + 1
                    await asyncio.sleep(_LOOK_AGAIN if busy else 0)
                if not self._exit:
                    await self._handle(event)
        except Exception as error:
            # What a key sets in motion ends the program where it fails, whether the key had to wait or not.
            self._handle_exception(error)
        finally:
            self._letting_through = None

    async def _handle(self, event: events.Key) -> None:
        self._last_is_letter = event.is_printable
        await super().on_event(event)

    def _follows(self, event: events.Key) -> bool:
        """Whether a key is a letter behind another one, in a line or a text that takes both."""
        focused = self.focused
        return (
            event.is_printable
            and self._last_is_letter
            and focused is not None
            and focused.check_consume_key(event.key, event.character)
        )

    def _busy(self) -> bool:
        """Whether what the last key has set in motion goes on."""
        screen = self.screen
        if not screen.is_mounted:  # what its keys do needs parts that it does not have yet
            return True
        if any(widget.message_queue_size for widget in screen.walk_children(with_self=True)):
            return True
        return self._works(_MOVING)

    def _works(self, groups: set[str]) -> bool:
        """Whether a worker of these groups is under way for the screen in front."""
        return any(one.group in groups and not one.is_finished and one.node.screen is self.screen for one in self.workers)
