"""Plays walks for pictures and recordings: without a terminal, at a fixed time, each in its own world."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from textual.widgets import Input, TextArea

from registry.accounts.connection import Connection
from registry.journal.drafts import Drafts
from registry.pages import loading
from registry.sandbox.clock import DEFAULT_SCENARIO, Clock
from registry.sandbox.server import application
from registry.text import shown
from tests.tools.frozen_time import NOW, LocalTime, PageTime, moment
from tui.explorer.top_bar import TopBar
from tui.oncall.screen import OncallScreen
from tui.session import Session
from tui.state.settings import Settings, read
from tui.walks.walk import Step, Walk
from tui.walks.walk_app import Player, WalkApp

Size = tuple[int, int]
After = Callable[[WalkApp, Step], Awaitable[None]]
_LEFT: Mapping[str, Mapping[str, object]] = {"CreateCrmUser": {"user_email": "grace@fernway.example", "first_name": "Grace"}}
_OWN_KEYS = '[keys]\nrun = "ctrl+e"\ncopy = "v"\nread = "y"\n'


class Moves(NamedTuple):
    """What happens to a walk's world besides its keys: before the first step, and after a step by its number from 1."""

    first: Callable[[WalkApp], Awaitable[None]] | None = None
    then: Mapping[int, Callable[[WalkApp, Clock], Awaitable[None]]] = {}


async def _acts_live(app: WalkApp) -> None:
    """Accounts that count as live while changes are allowed; what is sent to them reaches the sandbox all the same."""
    session = app.session
    plain = session.connection("PaymentsApi")
    session.engine.policy._clock = lambda: 0.0
    for toolkit, name, title in (("PaymentsApi", "payments", "Payments account"), ("CrmUsersApi", "crm", "CRM account")):
        endpoint = replace(plain.endpoints[toolkit], mode="live")
        connection = Connection(name, title, {toolkit: endpoint})
        session.engine._found = {**session.connections, name: connection}, ""
        session.chosen[toolkit] = name
        session.engine.policy.open_writing(connection, toolkit)
    app.explorer.query_one(TopBar).show_targets(session)


async def _time_passes(app: WalkApp, clock: Clock) -> None:
    """A minute and a half in two steps, each of which makes the dashboard refresh itself."""
    board = app.screen
    assert isinstance(board, OncallScreen)
    for seconds in (60, 90):
        clock.advance(seconds)
        moment.now = clock.now()
        board.tick()
        await _loaded(app)


async def _loaded(app: WalkApp) -> None:
    """Wait until a dashboard has everything that it reads at this moment: it shows what it has meanwhile."""
    board = app.screen
    if isinstance(board, OncallScreen):
        refresher = board.live.refresher
        while refresher.under_way or refresher.ended is None or refresher.wait() <= 0:  # noqa: ASYNC110  (it has no event)
            await asyncio.sleep(0.02)
        board.tick()
        if app.player is not None:  # there is none before the first step
            await app.player.calm()


MOVES = {"live": Moves(_acts_live), "outage": Moves(then={1: _time_passes})}
"""By the names of walks."""


async def play(walk: Walk, size: Size, after: After, player: type[Player] = Player, *, captions: bool = False) -> None:
    """Play a walk to its end; `after` is called behind every step.

    Raises:
        RuntimeError: a step did not come out as the walk says.
    """
    moves, clock, number = MOVES.get(walk.name, Moves()), Clock(NOW), 0
    moment.now = NOW
    setattr(loading, "time", PageTime)  # noqa: B010  (their own clocks: only these stop)
    setattr(shown, "datetime", LocalTime)  # noqa: B010
    for kind in (Input, TextArea):
        setattr(kind, "cursor_blink", False)  # noqa: B010  (or a cursor is in a picture by chance)

    async def behind(app: WalkApp, step: Step) -> None:
        nonlocal number
        number += 1
        await _loaded(app)
        await after(app, step)
        if number in moves.then:
            await moves.then[number](app, clock)

    with TemporaryDirectory() as folder:
        state = Path(folder)
        if walk.name == "drafts":
            former = Drafts(state / "drafts")
            for tool, values in _LEFT.items():
                former.note(tool, values)
            former.close()
        config = state / "config.toml"
        if walk.name == "own-keys":
            config.write_text(_OWN_KEYS)
        scenario = walk.scenario or DEFAULT_SCENARIO
        session = Session({}, sandbox=lambda: application(now=clock, scenario=scenario), clock=clock.now, state=state)
        settings = (lambda: read(config)) if config.exists() else Settings
        app = WalkApp(session, settings, walk, speed=0, after=behind, captions=captions, stays=False, first=moves.first)
        app.player_type = player
        await app.run_async(headless=True, size=size)
    if app.problem or app.return_code or number < sum(step.fits(size[0]) for step in walk.steps):
        said = app.problem or "the explorer ended with an error"
        seen = app.player.seen if app.player is not None else ""
        raise RuntimeError(f"{walk.name} at {size[0]}x{size[1]}: {said}\n{seen}")
