"""``make screenshots``: pictures of the running program, drawn at the sizes that it is made for.

``python -m tests.tools.screenshots table oncall-storm`` draws those scenes only.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from tempfile import TemporaryDirectory

from textual.app import App
from textual.widgets import OptionList

from registry.catalog.loader import load
from tests.harvest import example_of
from tests.terminal import ROOT
from tests.tools.deletion_scenes import DELETIONS
from tests.tools.desk_scenes import DESK_SCENES
from tests.tools.result_scenes import RESULT_SCENES
from tests.tui.app import Desk, desk
from tests.tui.test_drafts import leave
from tests.tui.test_oncall import Board, board
from tui.explorer.toolkit_tree import ToolkitTree
from tui.requests.screen import RequestsDialog
from tui.state.settings import read

SIZES = [(80, 24), (120, 40), (200, 50)]
_FONT = "'Fira Code','DejaVu Sans Mono',Menlo,Consolas,monospace"


async def find(one: Desk) -> None:
    """A few letters in the filter."""
    await one.type("cust cards")
    await one.until(lambda: one.screen.query_one(ToolkitTree).found)


async def answer(one: Desk) -> None:
    """A filled form and its answer."""
    await find(one)
    await one.press("enter")
    await one.until(lambda: one.screen.form.tool is not None)
    await one.pilot.pause()
    customer = load().tools["GetCustomerCards"].parameter("customer_id")
    assert customer is not None
    await one.type(example_of(customer) or "")
    await one.run()


async def failure(one: Desk) -> None:
    """An error and its way out."""
    await one.open("RetrieveInvoiceById")
    await one.type("in_1NothingHasThisId")
    await one.run()


async def told(one: Desk) -> None:
    """The help."""
    await one.press("f1")
    await one.until(lambda: one.app.screen is not one.screen)
    await one.pilot.pause()


async def requests(one: Desk) -> None:
    """The last requests, one of them not found."""
    for name, values in (("GetTaxSettings", {}), ("Whoami", {}), ("GetTeam", {"team_id": "PNOBODY"}), ("ListTeams", {})):
        await one.open(name)
        one.screen.form.fill(values)
        await one.run()
    await one.press("f9")
    await one.until(lambda: isinstance(one.app.screen, RequestsDialog))
    await one.press("down", "down")


async def left(one: Desk) -> None:
    """What was typed and not run before the program ended: see `LEFT`."""
    await one.press("f3")
    await one.until(lambda: isinstance(one.app.focused, OptionList))


async def fails(one: Board) -> None:
    """Half a minute into an outage of the incident service."""
    await one.after(60)
    await one.after(90)
    await one.until(lambda: "STALE" in one.text())


async def ahead(one: Board) -> None:
    """The next fortnight."""
    await one.desk.press("c")
    await one.until(lambda: one.desk.app.screen is not one.screen)


async def as_it_is(one: Board) -> None:
    """The dashboard as it opens."""
    await one.until(lambda: one.screen.watching.board.histogram.hours[0] is not None)


NIGHTS: dict[str, tuple[str, Callable[[Board], Awaitable[None]]]] = {
    "oncall-quiet": ("quiet", as_it_is),
    "oncall-busy-night": ("busy-night", as_it_is),
    "oncall-storm": ("storm", as_it_is),
    "oncall-outage": ("outage", fails),
    "oncall-coverage": ("busy-night", ahead),
}


SCENES: dict[str, Callable[[Desk], Awaitable[None]]] = {
    "find": find,
    "explorer": answer,
    "failure": failure,
    "help": told,
    **RESULT_SCENES,
    **DESK_SCENES,
    "requests": requests,
    "drafts": left,
    **DELETIONS,
}
LEFT: dict[str, dict[str, object]] = {"CreateCrmUser": {"user_email": "grace@fernway.example", "first_name": "Grace"}}


async def draw(*names: str) -> None:
    """Draw every scene at every size; with names, those whose names begin so."""
    folder = ROOT / "screenshots"
    folder.mkdir(exist_ok=True)
    scenes = {name: scene for name, scene in SCENES.items() if not names or name.startswith(names)}
    nights = {name: night for name, night in NIGHTS.items() if not names or name.startswith(names)}
    for name, scene in scenes.items():
        for columns, lines in SIZES:
            with TemporaryDirectory() as remembered:
                if name == "drafts":
                    leave(Path(remembered), **LEFT)
                await _draw(name, scene, (columns, lines), Path(remembered))
    for name, (scenario, happens) in nights.items():
        for columns, lines in SIZES:
            async with board((columns, lines), scenario) as night:
                await happens(night)
                await night.desk.pilot.pause(0.2)
                keep(night.desk.app, f"{name}-{columns}x{lines}")


async def _draw(name: str, scene: Callable[[Desk], Awaitable[None]], size: tuple[int, int], remembered: Path) -> None:
    # Its own journal, so that no scene knows of another.
    os.environ["XDG_STATE_HOME"] = str(remembered)
    config = remembered / "config.toml"
    if name == "own-keys":
        config.write_text('[keys]\nrun = "ctrl+e"\ncopy = "v"\nread = "y"\n')
    async with desk(size, remembered=remembered, settings=lambda: read(config)) as one:
        await scene(one)
        await one.pilot.pause(0.2)
        keep(one.app, f"{name}-{size[0]}x{size[1]}")


def keep(app: App[None], name: str) -> None:
    """Write down what is on screen."""
    picture = app.export_screenshot(title="Callboard")
    # The picture must not load anything from anywhere.
    picture = re.sub(r"@font-face \{.*?\}\s*", "", picture, flags=re.DOTALL)
    picture = re.sub(r"font-family: [^;]+;", f"font-family: {_FONT};", picture)
    (ROOT / "screenshots" / f"{name}.svg").write_text(picture, "utf-8")


if __name__ == "__main__":
    asyncio.run(draw(*sys.argv[1:]))
