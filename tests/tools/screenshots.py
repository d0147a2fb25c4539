"""``make screenshots``: the pictures of the README, one of them moving, all of them drawn by walks.

``python -m tests.tools.screenshots table oncall`` draws those pictures only.
"""

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.tools import frozen_time

frozen_time.freeze()

from tests.terminal import ROOT  # noqa: E402  (the program may not look at the clock before it stands still)
from tests.tools.moving import moving  # noqa: E402
from tests.tools.stage import Size, play  # noqa: E402
from tui.walks.program import picture  # noqa: E402
from tui.walks.walk import Step, Walk, built_in, named, read  # noqa: E402
from tui.walks.walk_app import WalkApp  # noqa: E402

SIZES: tuple[Size, ...] = ((80, 24), (120, 40), (160, 45))
WALKS = Path(__file__).parent / "walks"
MOVING, SHOWN, SHOWN_AT = "demo.svg", "payment", (120, 34)


def picture_walks() -> Iterator[Walk]:
    """Every walk that draws a picture: those that come with the program, and those made for pictures alone."""
    yield from (walk for walk in built_in().values() if pictures_of(walk))
    yield from (read(file) for file in sorted(WALKS.glob("*.toml")))


def pictures_of(walk: Walk) -> list[str]:
    """The names of a walk's pictures."""
    return [step.picture for step in walk.steps if step.picture]


async def draw(*names: str) -> None:
    """Draw every picture at every size, and the moving one; with names, the pictures whose names begin so."""
    folder = ROOT / "screenshots"
    folder.mkdir(exist_ok=True)
    drawn: set[str] = set()
    problems: list[str] = []
    for walk in picture_walks():
        if names and not any(one.startswith(names) for one in pictures_of(walk)):
            continue
        for size in SIZES:

            async def after(app: WalkApp, step: Step, size: Size = size) -> None:
                if step.picture:
                    name = f"{step.picture}-{size[0]}x{size[1]}.svg"
                    (folder / name).write_text(picture(app), "utf-8")
                    drawn.add(name)

            try:
                await play(walk, size, after)
            except RuntimeError as error:
                problems.append(str(error))
    if problems:
        sys.exit("\n\n".join(problems))
    if not names or MOVING.startswith(names):
        (folder / MOVING).write_text(await moving(named(SHOWN), SHOWN_AT), "utf-8")
        drawn.add(MOVING)
    if not names:
        for file in folder.glob("*.svg"):
            if file.name not in drawn:
                file.unlink()  # nothing draws it any more


if __name__ == "__main__":
    asyncio.run(draw(*sys.argv[1:]))
