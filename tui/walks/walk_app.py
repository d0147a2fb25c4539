"""The explorer in which a walk is played: the player sends keys, and the user's keys pause and stop it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from enum import Enum

from textual import events
from textual.screen import ModalScreen, Screen
from textual.worker import Worker

from registry.pages.page import ObjectLink
from registry.pages.subjects import PageRequest
from tui.dialogs.choose import Choice, ChooseDialog
from tui.dialogs.deliberate import DeliberateButton
from tui.keyboard.commands import COMMANDS
from tui.session import Session
from tui.state.settings import Settings, key_of
from tui.walks.caption import Caption, CaptionLine
from tui.walks.enclosed import EnclosedApp
from tui.walks.player import Player
from tui.walks.screen_text import screen_text, show_caption
from tui.walks.walk import Step, Walk, built_in

_ENDING_WORKERS = {
    "call",
    "open",
    "open page",
    "mount panes",
    "panes mounted",
    "find",
    "found more",
    "page",
    "fetch",
    "count",
    "start page",
    "arrange",
    "only",
    "search",
    "look",
    "delete many",
    "follow",
}
"""Groups of workers that end by themselves and change the screen."""

_QUIT = next(command for command in COMMANDS if command.id == "quit")


class _State(Enum):
    CHOOSING, PLAYING, ENDED, FREE = range(4)


class WalkApp(EnclosedApp):
    """The explorer with a caption line.

    Attributes:
        next_walk: the walk to play next, in an explorer of its own; None if the user has quit.
        problem: what went wrong in the walk; empty if nothing did.
        player_type: the class of the player.
        player: plays the walk; None before it has begun.
        pages_opened: the ids of the objects whose pages were opened.
    """

    def __init__(
        self,
        session: Session,
        settings: Callable[[], Settings],
        walk: Walk | None,
        *,
        speed: float = 1.0,
        after: Callable[[WalkApp, Step], Awaitable[None]] | None = None,
        captions: bool = True,
        stays: bool = True,
        first: Callable[[WalkApp], Awaitable[None]] | None = None,
    ) -> None:
        """Make it.

        Args:
            session: a session of its own, on a sandbox of its own.
            settings: reads the user's settings.
            walk: the walk to play; None lets the user choose.
            speed: the speed, as a multiple of a person's pace; 0 waits only for the screen.
            after: called when a step is done.
            captions: whether the caption line is shown.
            stays: whether the explorer stays open when the walk has ended.
            first: called before the first step.
        """
        super().__init__(session, settings)
        self.next_walk: Walk | None = None
        self.problem = ""
        self.pages_opened: list[str] = []
        self._walk, self._speed, self._after = walk, speed, after
        self._captions, self._stays, self._first = captions, stays, first
        self.player_type = Player
        self._sent: list[events.Key] = []
        self._state = _State.CHOOSING if walk is None else _State.PLAYING
        self.player: Player | None = None
        self._playing: Worker[None] | None = None
        self._captioned: set[Screen[object]] = set()
        # Keys pressed before the list of walks is shown.
        self._early: list[events.Key] | None = [] if walk is None else None

    def on_ready(self) -> None:
        """After the first frame, start."""
        super().on_ready()
        if self._walk is None:
            self.run_worker(self._choose(), group="walk", exit_on_error=False)
        else:
            self._playing = self.run_worker(self._play(self._walk), group="walk", exit_on_error=False)

    async def _choose(self) -> None:
        await self.explorer.wait_for_panes()
        walks = list(built_in().values())
        dialog = ChooseDialog("Show me", [Choice(one.title, one.about) for one in walks], "Play")
        answered: asyncio.Future[int | None] = asyncio.get_running_loop().create_future()
        await self.push_screen(dialog, answered.set_result)
        early, self._early = self._early or [], None
        for event in early:
            self.post_message(event)
        picked = await answered
        if picked is None:
            self._state = _State.FREE
            await self.tell_way_back()
        else:
            self.next_walk = walks[picked]
            self.exit()

    async def action_show_me(self) -> None:
        """Choose a walk here, instead of in another explorer inside this one."""
        if not isinstance(self.screen, ModalScreen):
            self.run_worker(self._choose(), group="walk", exclusive=True, exit_on_error=False)

    async def _play(self, walk: Walk) -> None:
        await self.explorer.wait_for_panes()
        if self._first is not None:
            await self._first(self)
        after = self._after
        self.player = self.player_type(self, walk, self._speed, None if after is None else lambda step: after(self, step))
        try:
            self.problem = await self.player.play()
        except Exception:
            self.problem = "The walk ended with an unexpected error."
            if not self._stays:
                self.exit()  # there is no user to quit
            raise
        if not self._stays:
            self.exit()
            return
        self._state = _State.ENDED
        following = None if self.problem else _following(walk)
        ways = (("Enter", f"Play “{following.title}”"),) if following is not None else ()
        await self._offer(self.problem or "The walk has ended.", *ways, ("Esc", "Stay here"))

    async def _offer(self, words: str, *ways: tuple[str, str]) -> None:
        """Show that the walk is over, whose sandbox this is, and how to continue."""
        controls = (*ways, (key_of(self, "quit"), self.way_back))
        await self.tell(Caption(f"{words} This sandbox is yours to try things in.", controls=controls, asks=True))

    async def on_event(self, event: events.Event) -> None:
        """Handle the player's keys like a user's, and the user's keys as controls of the player."""
        is_input = isinstance(event, events.InputEvent | events.Paste) and not event.is_forwarded
        if is_input and isinstance(event, events.Key) and self._comes_early(event):
            return
        if is_input and self._state in (_State.PLAYING, _State.ENDED):
            if (place := next((at for at, one in enumerate(self._sent) if one is event), None)) is not None:
                del self._sent[place]
            elif isinstance(event, events.Key):
                if await self._control(event):
                    return
            elif self._state is _State.PLAYING:
                return  # the mouse would disturb the walk
        await super().on_event(event)

    def _comes_early(self, event: events.Key) -> bool:
        """Keep a key for the list of walks if that is not shown yet; returns whether it was kept."""
        if self._early is None or self._state is not _State.CHOOSING or event.key in self.settings.keys_of(_QUIT):
            return False
        self._early.append(event)
        return True

    async def _control(self, event: events.Key) -> bool:
        """Handle a key of the user as a control of the walk; returns whether the explorer should ignore it."""
        if event.key in self.settings.keys_of(_QUIT):
            self._stop()
            return False
        if self._state is _State.ENDED:
            self._state = _State.FREE
            if event.key == "enter" and not self.problem and self._walk is not None:
                self.next_walk = _following(self._walk)
                if self.next_walk is not None:
                    self.exit()
                    return True
            await self._hide_captions()
            return event.key in ("escape", "enter")
        if event.key == "escape":
            self._stop()
            self._state = _State.ENDED
            self.problem = ""
            self._walk = None
            await self._offer("Stopped.", ("Esc", "Stay here"))
        elif self.player is not None and event.key == "space":
            await self.player.pause()
        elif self.player is not None and event.key == "enter":
            self.player.hurry()
        return True

    def _stop(self) -> None:
        if self._playing is not None:
            self._playing.cancel()

    async def _hide_captions(self) -> None:
        self._captions = False
        await self.tell_way_back()
        # Also on screens that are not in front now: the page's screen is used again for the next object.
        for screen in self._captioned:
            if screen.is_attached:
                await screen.query(CaptionLine).remove()
        self._captioned.clear()

    def open_page(self, wanted: PageRequest | ObjectLink) -> None:
        """Open the page of an object, and record its id."""
        self.pages_opened.append(wanted.id)
        super().open_page(wanted)

    # What the player needs: `PlayedExplorer`

    @property
    def columns(self) -> int:
        """The width of the terminal."""
        return self.size.width

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

    def text(self) -> str:
        """The text on screen, line by line."""
        return screen_text(self.screen)

    async def tell(self, caption: Caption) -> None:
        """Show a caption on the screen in front."""
        if self._captions:
            self._captioned.add(self.screen)
            await show_caption(self.screen, caption)


def _following(walk: Walk) -> Walk | None:
    """The walk that is offered after this one; None after the last."""
    walks = list(built_in().values())
    place = next((at for at, one in enumerate(walks) if one.name == walk.name), None)
    return walks[place + 1] if place is not None and place + 1 < len(walks) else None
