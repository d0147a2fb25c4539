"""A recording of a walk as an asciicast (version 2), with the walk's own pace for its clock: the same each time it is made.

It is written from what the explorer draws, line by line where a line has changed, and not from a terminal: it holds no name
of a machine, no environment and no delay of the machine that made it. https://docs.asciinema.org/manual/asciicast/v2/ has the
format.
"""

from __future__ import annotations

import io
import json

from rich.console import Console

from tests.tools.frozen_time import NOW
from tests.tools.stage import Size, play
from tui.walks.walk import Step, Walk
from tui.walks.walk_app import Player, WalkApp

_BEGIN, _END = "\x1b[?25l\x1b[2J", "\x1b[0m"
_LAST = 2.0
_LOOKS = 60
"""As many looks at rest, some ten milliseconds apart, as what waits for a pause in typing takes, and more."""


class _Film:
    """The frames of one recording, and how far it is."""

    def __init__(self, size: Size) -> None:
        self.at = 0.0
        self.events: list[tuple[float, str]] = [(0.0, _BEGIN)]
        self._lines = [""] * size[1]
        self._console = Console(
            width=size[0],
            height=size[1],
            file=io.StringIO(),
            force_terminal=True,
            color_system="truecolor",
            legacy_windows=False,
        )

    def take(self, app: WalkApp) -> None:
        """Add what has changed on screen."""
        strips = app.screen._compositor.render_strips()
        lines = [strip.simplify().render(self._console) for strip in strips]
        changed = [
            f"\x1b[{number};1H{line}{_END}"
            for number, (line, before) in enumerate(zip(lines, self._lines, strict=True), 1)
            if line != before
        ]
        self._lines = lines
        if changed:
            self.events.append((round(self.at, 2), "".join(changed)))


async def record(walk: Walk, size: Size) -> str:
    """A walk as an asciicast."""
    film = _Film(size)

    class Filmed(Player):
        """A player whose pauses take no time, but for the recording."""

        async def rest(self, seconds: float, *, read: bool = True) -> None:
            await self.calm(_LOOKS)
            assert isinstance(self.app, WalkApp)
            film.take(self.app)
            film.at += seconds

    async def after(app: WalkApp, step: Step) -> None:
        film.take(app)

    await play(walk, size, after, Filmed, captions=True)
    film.events.append((round(film.at + _LAST, 2), _END))
    head = {"version": 2, "width": size[0], "height": size[1], "timestamp": int(NOW), "title": f"Callboard: {walk.title}"}
    lines = [json.dumps(head), *(json.dumps([at, "o", text], ensure_ascii=False) for at, text in film.events)]
    return "\n".join(lines) + "\n"
