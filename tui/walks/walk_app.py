"""Plays a walk in an explorer: sends its keys at a person's pace, waits for texts on screen, and obeys the user's keys.

A walk's explorer is a full explorer, and the user may work in it when the walk is over. What is saved there must not be in the
user's folders afterwards, and nothing typed or pasted there may reach a live service. So as long as a walk's program runs
the process uses other folders (`own_folders`), and dialogs that would add an account or a toolkit are refused (`EnclosedApp`).
Crash reports still go to the user's folder: they contain no data, and would be deleted with the walk's folders.
"""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from textual import events, work
from textual.keys import key_to_character
from textual.screen import ModalScreen, Screen
from textual.worker import Worker

from registry.files.folders import config_file, private_folder
from registry.pages.page import ObjectLink
from registry.pages.subjects import PageRequest
from tui.app import CallboardApp
from tui.dialogs.choose import Choice, ChooseDialog
from tui.dialogs.deliberate import DeliberateButton
from tui.explorer.top_bar import TopBar
from tui.keyboard.commands import COMMANDS, key_of_character, spelled
from tui.keyboard.key_order import MARK
from tui.session import Session
from tui.state.settings import Settings, key_of
from tui.walks.caption import Caption, CaptionLine, screen_text, show_caption
from tui.walks.walk import Step, Walk, built_in, keys_of

PATIENCE = 20.0
"""Seconds within which a text must appear."""

_LOOK_EVERY, _CALM_LOOKS, _LONGEST_CALM = 0.03, 3, 10.0
_LETTER, _KEY, _SEEN = 0.06, 0.45, 0.9
_READ_FIRST, _READ_WORD = 0.7, 0.26

_ENDING_WORKERS = {
    *("call", "open", "open page", "mount panes", "panes mounted", "find", "found more", "page", "fetch", "count"),
    *("start page", "home", "arrange", "only", "search", "look", "delete many", "follow"),
}
"""Groups of workers that end by themselves and change the screen."""

_QUIT = next(command for command in COMMANDS if command.id == "quit")

After = Callable[["WalkApp", Step], Awaitable[None]]
WALKS_SANDBOX = "WALK'S SANDBOX"
"""The name of a walk's sandbox in the first line of the screen: calls in it are not added to the user's history."""

_CONFIG = "CALLBOARD_CONFIG"
_FOLDERS = ("CONFIG", "DATA", "CACHE")
_USERS = (_CONFIG, "CALLBOARD_TOOLKITS", "CALLBOARD_SHARED")


def users_environment() -> Mapping[str, str]:
    """The user's environment, with the path of their settings: for settings that a walk may read, such as keys."""
    return {**os.environ, _CONFIG: str(config_file(os.environ))}


@contextmanager
def own_folders(folder: Path) -> Iterator[Mapping[str, str]]:
    """Use folders below `folder` for this process's settings, data and caches until the end; yields a session's environment."""
    theirs = dict(os.environ)
    try:
        for name in _USERS:
            os.environ.pop(name, None)
        for name in _FOLDERS:
            os.environ[f"XDG_{name}_HOME"] = str(private_folder(folder / name.lower()))
        # This also works on systems that ignore XDG variables.
        os.environ[_CONFIG] = str(folder / "config" / "config.toml")
        yield {_CONFIG: os.environ[_CONFIG]}
    finally:
        os.environ.clear()
        os.environ.update(theirs)


class EnclosedApp(CallboardApp):
    """The explorer without dialogs that lead out of its sandbox."""

    async def tell_way_out(self) -> None:
        """Show permanently in the first line that this is the walk's sandbox, and how to leave it."""
        await self.session.ready()  # a walk can be stopped before its explorer is ready
        self.session.sandbox_names = (f"{WALKS_SANDBOX} · {key_of(self, 'quit')} Leave", WALKS_SANDBOX)
        for bar in self.explorer.query(TopBar):
            bar.show_targets(self.session)

    async def push_screen_wait(self, screen: Any, *, mode: str | None = None) -> Any:
        """Show a dialog; one that leads to accounts or servers is refused with a message, and returns None."""
        if getattr(screen, "LEADS_OUT", False):
            words = "This is the walk's own sandbox: no account or toolkit is added or used here."
            self.notify(f"{words} {key_of(self, 'quit')} leaves it.")
            return None
        return await super().push_screen_wait(screen, mode=mode)


class Player:
    """Plays one walk on one explorer.

    Args:
        app: the explorer.
        walk: the walk.
        speed: the speed, as a multiple of a person's pace; 0 waits only for the screen.
        after: called when a step is done and the screen is calm.

    Attributes:
        seen: the text on screen when a step failed.
    """

    def __init__(self, app: "WalkApp", walk: Walk, speed: float, after: After | None) -> None:
        self.app, self.walk, self.seen = app, walk, ""
        self._speed, self._after = speed, after
        self._going = asyncio.Event()
        self._going.set()
        self._hurries = False
        self._caption = Caption()

    async def pause(self) -> None:
        (self._going.clear if self._going.is_set() else self._going.set)()
        await self._tell(self._caption)

    def hurry(self) -> None:
        """Skip the rest of the time for reading."""
        self._hurries = True
        self._going.set()

    async def play(self) -> str:
        """Play it; returns what went wrong, or ""."""
        settings = self.app.settings
        steps = [step for step in self.walk.steps if step.fits(self.app.size.width)]
        await self.calm()
        for number, step in enumerate(steps, 1):
            words, keys, aside = self.walk.caption(step, settings), keys_of(step, settings), f"{number}/{len(steps)}"
            await self._tell(Caption(words, aside=aside))
            await self.rest(_READ_FIRST + _READ_WORD * len(words.split()))
            for letter in self.walk.filled(step.type):
                self.app.send(events.Key(key_of_character(letter), letter))
                if settings.motion:  # else at once
                    await self.rest(_LETTER, read=False)
            for count, key in enumerate(keys, 1):
                await self._tell(Caption(words, _in_short(keys[:count]), aside))
                self.app.send(events.Key(key, key_to_character(key)))
                await self.calm()
                await self.rest(_KEY)
            await self.calm()
            await self._tell(self._caption)  # a key may have gone back to a screen with an earlier caption
            if missing := await self._missing(step):
                self.seen = screen_text(self.app.screen)
                return f"Stopped at step {number} of {len(steps)}: “{missing}” did not appear within {PATIENCE:.0f} s."
            if self._after is not None:
                await self._after(self.app, step)
            await self.rest(_SEEN if keys or step.type else 0.0)
        return ""

    async def _tell(self, caption: Caption) -> None:
        self._caption, paused = caption, not self._going.is_set()
        controls = (("Space", "Resume" if paused else "Pause"), ("Enter", "Next"), ("Esc", "Stop"))
        await self.app.tell(caption._replace(words=f"Paused. {caption.words}" if paused else caption.words, controls=controls))

    async def _missing(self, step: Step) -> str:
        """Wait for a step's texts; returns the first that did not appear, or ""."""
        wanted, end = [self.walk.filled(text) for text in step.wait], time.monotonic() + PATIENCE
        while True:
            text = screen_text(self.app.screen)
            missing = next((one for one in wanted if one not in text), "")
            if not missing or time.monotonic() > end:
                return missing
            await asyncio.sleep(_LOOK_EVERY)
            await self.app.tell(self._caption)

    async def calm(self, looks: int = _CALM_LOOKS) -> None:
        """Wait until the explorer was calm so many times in a row, but not forever: something may run without end."""
        end, calm = time.monotonic() + _LONGEST_CALM, 0
        while calm < looks and time.monotonic() < end:
            await asyncio.sleep(_LOOK_EVERY / 3)
            calm = calm + 1 if self.app.is_calm() else 0

    async def rest(self, seconds: float, *, read: bool = True) -> None:
        """Wait at the chosen speed, longer while paused, shorter if the user skips."""
        left = seconds / self._speed if self._speed else 0.0
        while left > 0 or not self._going.is_set():
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


class WalkApp(EnclosedApp):
    """The explorer with a caption line, in which a walk is played.

    Args:
        session: a session of its own, on a sandbox of its own.
        settings: reads the user's settings.
        walk: the walk to play; None lets the user choose.
        speed: the speed, as a multiple of a person's pace; 0 waits only for the screen.
        after: called when a step is done.
        captions: whether the caption line is shown.
        stays: whether the explorer stays open when the walk has ended.
        first: called before the first step.

    Attributes:
        next_walk: the walk to play next, in an explorer of its own; None if the user has quit.
        problem: what went wrong in the walk; empty if nothing did.
        player_type: the class of the player.
        player: plays the walk; None before it has begun.
        pages_opened: the ids of the objects whose pages were opened.
    """

    player_type = Player

    def __init__(
        self,
        session: Session,
        settings: Callable[[], Settings],
        walk: Walk | None,
        *,
        speed: float = 1.0,
        after: After | None = None,
        captions: bool = True,
        stays: bool = True,
        first: "Callable[[WalkApp], Awaitable[None]] | None" = None,
    ) -> None:
        super().__init__(session, settings)
        self.next_walk: Walk | None = None
        self.problem = ""
        self.pages_opened: list[str] = []
        self.player: Player | None = None
        self._walk, self._speed, self._after = walk, speed, after
        self._captions, self._stays, self._first = captions, stays, first
        self._sent: list[events.Key] = []
        self._state: Literal["playing", "ended", "free"] = "free" if walk is None else "playing"
        self._playing: Worker[None] | None = None
        self._captioned: set[Screen[object]] = set()

    def on_ready(self) -> None:
        super().on_ready()
        if self._walk is None:
            self._choose()
        else:
            self._playing = self._play(self._walk)

    @work(group=MARK, exclusive=True)
    async def _choose(self) -> None:
        """Show the list of walks. Keys that are pressed meanwhile are for it."""
        await self.explorer.wait_for_panes()
        walks = list(built_in().values())

        def chosen(picked: Walk | None) -> None:
            self.next_walk = picked
            if picked is None:
                self.run_worker(self.tell_way_out(), group="walk")
            else:
                self.exit()

        await self.push_screen(ChooseDialog("Show me", [Choice(one.title, one.about) for one in walks], walks, "Play"), chosen)

    async def action_show_me(self) -> None:
        """Choose a walk here, instead of in another explorer inside this one."""
        if not isinstance(self.screen, ModalScreen):
            self._choose()

    @work(group="walk")
    async def _play(self, walk: Walk) -> None:
        await self.explorer.wait_for_panes()
        if self._first is not None:
            await self._first(self)
        self.player = self.player_type(self, walk, self._speed, self._after)
        try:
            self.problem = await self.player.play()
        except Exception:
            self.problem = "The walk ended with an unexpected error."
            raise
        finally:
            if not self._stays:
                self.exit()
        self._state = "ended"
        following = None if self.problem else _following(walk)
        ways = (("Enter", f"Play “{following.title}”"),) if following is not None else ()
        await self._offer(self.problem or "The walk has ended.", *ways)

    async def _offer(self, words: str, *ways: tuple[str, str]) -> None:
        """Show that the walk is over, whose sandbox this is, and how to continue."""
        controls = (*ways, ("Esc", "Stay here"), (key_of(self, "quit"), "Leave"))
        await self.tell(Caption(f"{words} This sandbox is yours to try things in.", controls=controls, asks=True))

    async def on_event(self, event: events.Event) -> None:
        """Handle the player's keys like a user's, and the user's keys as controls of the player."""
        is_input = isinstance(event, events.InputEvent | events.Paste) and not event.is_forwarded
        if is_input and self._state != "free":
            if any(one is event for one in self._sent):
                self._sent = [one for one in self._sent if one is not event]
            elif isinstance(event, events.Key):
                if await self._control(event):
                    return
            elif self._state == "playing":
                return  # the mouse would disturb the walk
        await super().on_event(event)

    async def _control(self, event: events.Key) -> bool:
        """Handle a key of the user as a control of the walk; returns whether the explorer should ignore it."""
        quits = event.key in self.settings.keys_of(_QUIT)
        if (quits or event.key == "escape") and self._playing is not None:
            self._playing.cancel()
        if quits:
            return False
        if self._state == "ended":
            self._state = "free"
            if event.key == "enter" and not self.problem and self._walk is not None:
                self.next_walk = _following(self._walk)
            if self.next_walk is not None:
                self.exit()
            else:
                await self._hide_captions()
            return event.key in ("escape", "enter")
        if event.key == "escape":
            self._state, self._walk = "ended", None
            await self._offer("Stopped.")
        elif self.player is not None and event.key == "space":
            await self.player.pause()
        elif self.player is not None and event.key == "enter":
            self.player.hurry()
        return True

    async def _hide_captions(self) -> None:
        self._captions = False
        await self.tell_way_out()
        # Also on screens that are not in front now: the page's screen is used again for the next object.
        for screen in self._captioned:
            if screen.is_attached:
                await screen.query(CaptionLine).remove()
        self._captioned.clear()

    def open_page(self, wanted: PageRequest | ObjectLink) -> Worker[None]:
        """Open the page of an object, and record its id."""
        self.pages_opened.append(wanted.id)
        return super().open_page(wanted)

    def send(self, event: events.Key) -> None:
        """Handle a key as if it had been pressed."""
        self._sent.append(event)
        event.set_sender(self)
        self.post_message(event)

    def is_calm(self) -> bool:
        """Whether everything that keys have started is done."""
        if self._sent or self._held or self._letting_through is not None or not self.is_running or self._busy():
            return False
        if isinstance(self.focused, DeliberateButton) and not self.focused.counts:
            return False
        return not any(one.group in _ENDING_WORKERS and not one.is_finished for one in self.workers)

    async def tell(self, caption: Caption) -> None:
        if self._captions:
            for line in (one for screen in self._captioned - {self.screen} for one in screen.query(CaptionLine)):
                line.caption = Caption()  # of two lines, the one below a dialog says nothing
            self._captioned.add(self.screen)
            await show_caption(self.screen, caption)


def _following(walk: Walk) -> Walk | None:
    """The walk that is offered after this one; None after the last."""
    walks = list(built_in().values())
    place = next((at for at, one in enumerate(walks) if one.name == walk.name), len(walks))
    return next(iter(walks[place + 1 :]), None)
