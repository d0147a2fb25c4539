"""Makes programs under Textual's pilot faster: the pilot waits for less, and fewer frames are drawn.

These took most of the time in the tests of the screens.

- Textual's pilot finds out whether every widget is done by sending each of them a message after every key, and pauses between
  keys until the process is idle for 20 ms. Here it looks at the widgets' queues, the event loop and its threads.
- Every change is still laid out at once. It is drawn at most once in ten seconds, and also when a program ends that shows a
  kind of widget for the first time, so that errors in drawing still fail a test. In the long suite every program's last
  frame is drawn.
- Every program parses the same style sheets. Here each sheet is parsed once for the same variables.
- Which rules a widget has is found in a set. The rules' hash there is their address, found by Python; here C finds it.
"""

import asyncio
import time
from collections import deque
from collections.abc import Awaitable, Callable, Hashable
from concurrent.futures import ThreadPoolExecutor
from weakref import WeakKeyDictionary, WeakSet

import pytest
import textual._callback
import textual.app
import textual.pilot
from textual._context import active_app
from textual._queue import Queue
from textual.app import App
from textual.css.model import RuleSet
from textual.css.stylesheet import Stylesheet
from textual.css.types import CSSLocation
from textual.message import Message
from textual.message_pump import MessagePump
from textual.pilot import Pilot, WaitForScreenTimeout
from textual.screen import Screen

from tests.sampled import is_long
from tui.keyboard.key_order import KeyOrder

_FRAME = 10.0
_QUIET_TURNS = 3
_LONGEST_WORK = 0.1  # seconds


def install(patch: pytest.MonkeyPatch) -> None:
    """Make every pilot wait and every screen draw as described in this module, until the patch is undone."""
    patch.setattr(textual.app, "wait_for_idle", _wait_until_idle)
    patch.setattr(textual.pilot, "wait_for_idle", _wait_until_idle)
    patch.setattr(Pilot, "_wait_for_screen", _wait_for_screen)
    patch.setattr(Screen, "_compositor_refresh", _draw_later)
    patch.setattr(App, "_shutdown", _draw_and_shut_down)
    patch.setattr(Stylesheet, "_parse_rules", _parse_once)
    patch.setattr(RuleSet, "__hash__", object.__hash__)


async def settled(app: App[object], patience: float = 30.0) -> bool:
    """Wait until all keys are handled and all widgets of the screen wait for messages. False when the application has failed.

    Raises:
        WaitForScreenTimeout: a widget is still busy after `patience` seconds.
    """
    end, quiet = time.monotonic() + patience, 0
    while quiet < _QUIET_TURNS:
        if app._exception is not None or not app._screen_stack:
            return False
        if not _holds_keys(app) and all(map(_waits, (app, *app.screen.walk_children(with_self=True)))):
            quiet += 1
            await asyncio.sleep(0)
        else:
            quiet = 0
            if time.monotonic() > end:
                raise WaitForScreenTimeout("Widgets still work on their messages.")
            await asyncio.sleep(0.001)
    return True


def _holds_keys(app: App[object]) -> bool:
    """Whether a pressed key still waits for earlier keys to take effect."""
    return isinstance(app, KeyOrder) and app._letting_through is not None


def _waits(pump: MessagePump) -> bool:
    if pump._closing or pump._closed or pump._task is None or pump._task.done():
        return True
    queue: Queue[Message | None] = pump._message_queue
    waiters: deque[asyncio.Future[bool]] = vars(queue.ready_event)["_waiters"]
    return queue.empty() and bool(waiters) and not pump._next_callbacks


async def _wait_for_screen(self: Pilot[object]) -> bool:
    return await settled(self.app)


async def _wait_until_idle(min_sleep: float = 0, max_sleep: float = 1) -> None:
    """Wait until nothing is left to do, now and after a while, apart from what waits for a time or another process.

    A frame that is due is made at once. Work that takes longer than `_LONGEST_WORK` is waited for by the tests themselves,
    each for what it expects of it.
    """
    app = active_app.get()
    end, quiet = time.monotonic() + _LONGEST_WORK, 0
    while quiet < _QUIET_TURNS and time.monotonic() < end:
        busy = _works(app)
        if not busy and _is_due(app.screen):
            app.screen._on_timer_update()
            busy = True
        quiet = 0 if busy else quiet + 1
        await asyncio.sleep(0.0005 if busy else 0)
    await settled(app)


def _works(app: App[object]) -> bool:
    """Whether the event loop, apart from the task that asks, or a thread of it has something to do."""
    inside = vars(asyncio.get_running_loop())
    if inside["_ready"] or app._resize_timer is not None:
        return True
    threads: ThreadPoolExecutor | None = inside["_default_executor"]
    return threads is not None and (not threads._work_queue.empty() or threads._idle_semaphore._value < len(threads._threads))


def _is_due(screen: Screen[object]) -> bool:
    """Whether a screen waits for its next frame to be laid out or drawn, or something waits for that."""
    changed = screen._layout_required or screen._scroll_required or screen._repaint_required or screen._recompose_required
    return screen.is_current and not screen.app._batch_count and bool(changed or screen._dirty_widgets or screen._callbacks)


_draw_now: Callable[[Screen[object]], None] = Screen._compositor_refresh
_shut_down: Callable[[App[object]], Awaitable[None]] = App._shutdown
_drawn: set[type[object]] = set()
"""The kinds of widgets that were on a program's last frame."""

_pending: WeakSet[Screen[object]] = WeakSet()
"""Screens that a timer will draw. Were the timers kept here, they would keep their screens, and each its whole program."""


_parse = Stylesheet._parse_rules
_parsed: dict[Hashable, list[RuleSet]] = {}
_themes: WeakKeyDictionary[Stylesheet, tuple[dict[str, str], int]] = WeakKeyDictionary()
_known_themes: dict[Hashable, int] = {}


def _parse_once(
    self: Stylesheet, css: str, read_from: CSSLocation, is_default_rules: bool = False, tie_breaker: int = 0, scope: str = ""
) -> list[RuleSet]:
    theme = _themes.get(self)
    if theme is None or theme[0] is not self._variables:
        theme = _themes[self] = self._variables, _known_themes.setdefault((*self._variables.items(),), len(_known_themes))
    key = (css, read_from, is_default_rules, tie_breaker, scope, theme[1])
    if key not in _parsed:
        _parsed[key] = _parse(self, css, read_from, is_default_rules, tie_breaker, scope)
    return _parsed[key]


def _draw_later(self: Screen[object]) -> None:
    def draw() -> None:
        _pending.discard(self)
        if self.is_current:  # not while the program shuts down: its screens are gone
            _draw_now(self)

    if self not in _pending:
        _pending.add(self)
        self.set_timer(_FRAME, draw, name="a frame that nobody watches")
    self._dirty_widgets.clear()  # as after a frame: the compositor knows their regions


async def _draw_and_shut_down(self: App[object]) -> None:
    self._exit = self.is_ending = True  # type: ignore[attr-defined]  # as when somebody quits: what still runs then knows that its screens are going
    if self._screen_stack and self.screen in _pending:
        _pending.discard(self.screen)
        kinds = {type(widget) for widget in self.screen.walk_children(with_self=True) if widget.is_on_screen}
        if is_long() or not kinds <= _drawn:
            _drawn.update(kinds)
            try:
                _draw_now(self.screen)
            except Exception as error:
                self._handle_exception(error)
    await _shut_down(self)
