"""Plays a walk: types and presses its steps at a person's pace, and waits until the screen shows what it should."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Protocol

from textual import events
from textual.keys import key_to_character

from tui.keyboard.key_names import key_of_character, spelled
from tui.state.settings import Settings
from tui.walks.caption import Caption
from tui.walks.walk import Step, Walk, keys_of

PATIENCE = 20.0
"""Seconds within which a text must appear."""

_LOOK_EVERY, _CALM_LOOKS, _LONGEST_CALM = 0.03, 3, 10.0
_LETTER, _KEY, _SEEN = 0.06, 0.45, 0.9
_READ_FIRST, _READ_WORD = 0.7, 0.26


class PlayedExplorer(Protocol):
    """The explorer, as a player sees it."""

    @property
    def settings(self) -> Settings:
        """The user's settings."""

    @property
    def columns(self) -> int:
        """The width of the terminal."""

    def send(self, event: events.Key) -> None:
        """Send the explorer a key as if it had been pressed."""

    def is_calm(self) -> bool:
        """Whether everything that keys have started is done, and every call has ended."""

    def text(self) -> str:
        """The text on screen."""

    async def tell(self, caption: Caption) -> None:
        """Show a caption."""


class Player:
    """Plays one walk on one explorer.

    Args:
        explorer: the explorer.
        walk: the walk.
        speed: the speed, as a multiple of a person's pace; 0 waits only for the screen.
        after: called when a step is done and the screen is calm.

    Attributes:
        seen: the text on screen when a step failed.
    """

    def __init__(
        self, explorer: PlayedExplorer, walk: Walk, speed: float = 1.0, after: Callable[[Step], Awaitable[None]] | None = None
    ) -> None:
        self.walk = walk
        self.seen = ""
        self.explorer, self._speed, self._after = explorer, speed, after
        self._going = asyncio.Event()
        self._going.set()
        self._hurries = False
        self._caption = Caption()

    @property
    def paused(self) -> bool:
        """Whether it waits for the user."""
        return not self._going.is_set()

    async def pause(self) -> None:
        """Pause, or resume."""
        (self._going.set if self.paused else self._going.clear)()
        await self._tell(self._caption)

    def hurry(self) -> None:
        """Skip the rest of the time for reading."""
        self._hurries = True
        self._going.set()

    async def play(self) -> str:
        """Play it; returns what went wrong, or ""."""
        steps = [step for step in self.walk.steps if step.fits(self.explorer.columns)]
        await self.calm()
        for number, step in enumerate(steps, 1):
            words = self.walk.caption(step, self.explorer.settings)
            keys = keys_of(step, self.explorer.settings)
            aside = f"{number}/{len(steps)}"
            await self._tell(Caption(words, aside=aside))
            await self.rest(_READ_FIRST + _READ_WORD * len(words.split()))
            await self._type(self.walk.filled(step.type))
            for count, key in enumerate(keys, 1):
                await self._tell(Caption(words, _in_short(keys[:count]), aside))
                self._press(key, None)
                await self.calm()
                await self.rest(_KEY)
            await self.calm()
            if missing := await self._missing(step):
                self.seen = self.explorer.text()
                return f"Stopped at step {number} of {len(steps)}: “{missing}” did not appear within {PATIENCE:.0f} s."
            if self._after is not None:
                await self._after(step)
            await self.rest(_SEEN if keys or step.type else 0.0)
        return ""

    async def _tell(self, caption: Caption) -> None:
        self._caption = caption
        controls = (("Space", "Resume" if self.paused else "Pause"), ("Enter", "Next"), ("Esc", "Stop"))
        words = f"Paused. {caption.words}" if self.paused else caption.words
        await self.explorer.tell(caption._replace(words=words, controls=controls))

    async def _type(self, text: str) -> None:
        """Type a text letter by letter; at once if nothing may move by itself."""
        for letter in text:
            self._press(key_of_character(letter), letter)
            if self.explorer.settings.motion:
                await self.rest(_LETTER, read=False)

    def _press(self, key: str, character: str | None) -> None:
        self.explorer.send(events.Key(key, character or key_to_character(key)))

    async def _missing(self, step: Step) -> str:
        """Wait for a step's texts; returns the first that did not appear, or ""."""
        wanted, end = [self.walk.filled(text) for text in step.wait], time.monotonic() + PATIENCE
        while True:
            text = self.explorer.text()
            missing = next((one for one in wanted if one not in text), "")
            if not missing or time.monotonic() > end:
                return missing
            await asyncio.sleep(_LOOK_EVERY)
            await self.explorer.tell(self._caption)

    async def calm(self, looks: int = _CALM_LOOKS) -> None:
        """Wait until the explorer was calm so many times in a row, but not forever: something may run without end."""
        end, calm = time.monotonic() + _LONGEST_CALM, 0
        while calm < looks and time.monotonic() < end:
            await asyncio.sleep(_LOOK_EVERY / 3)
            calm = calm + 1 if self.explorer.is_calm() else 0

    async def rest(self, seconds: float, *, read: bool = True) -> None:
        """Wait at the chosen speed, longer while paused, shorter if the user skips."""
        left = seconds / self._speed if self._speed else 0.0
        while left > 0 or self.paused:
            await self._going.wait()
            if self._hurries:
                break
            before = time.monotonic()
            await asyncio.sleep(min(max(left, 0), 0.05))
            left -= time.monotonic() - before
        if read:
            self._hurries = False


def _in_short(keys: tuple[str, ...]) -> tuple[str, ...]:
    """The last keys as people write them; repeated presses of one key with their number."""
    if len(set(keys)) == 1 and len(keys) > 1:
        return (f"{spelled(keys[0])} ×{len(keys)}",)
    return tuple(spelled(key) for key in keys[-3:])
