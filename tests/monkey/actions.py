"""The monkey's actions: an endless series that depends only on the seed."""

from __future__ import annotations

import random
from collections.abc import Iterator

from registry.catalog.listing import table_of_contents
from tests.hostile import CONTROLS, MARKUP
from tests.monkey.visits import STARTS, Action, visit
from tui.keyboard.commands import COMMANDS

QUIT = {"ctrl+q"}

_MOVING = (
    *("up", "down", "left", "right", "pageup", "pagedown", "home", "end", "enter", "space", "escape", "tab", "shift+tab"),
    *("backspace", "delete", "ctrl+a", "ctrl+e", "ctrl+k", "ctrl+w", "ctrl+left", "ctrl+right", "alt+up", "alt+down"),
    *("shift+left", "shift+right", "shift+up", "shift+down", "ctrl+home", "ctrl+end"),
)
COMMANDED = tuple(sorted({key for command in COMMANDS for key in command.keys.split(",")} - QUIT - {"ctrl+@"}))
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,:;/?!@#$%&*()[]{}<>=+-_'\"|\\~`^"
SIZES = ((120, 40), (80, 24), (200, 50), (112, 30), (60, 20), (40, 12), (160, 45), (20, 6), (300, 70), (8, 3), (1, 1))
_VALUES = (
    *("cus_1", "10", "1", "0", "-1", "now", "-24h", "usd", "true", "created>0", "ada@example.com", "{}", '{"limit": 2}', "P1"),
    "é東👩‍👧",
)
_PASTES = (*MARKUP, *CONTROLS, *_VALUES, "a\nb\nc", "x" * 5_000, '{"limit": 3, "x": [1, 2]}')
OFTEN = (
    *("FetchCrmUsersList", "ListIncidents", "SearchPaymentsCustomers", "ListOncalls", "ListUsers", "SearchPaymentsInvoices"),
    *("ListServices", "GetCurrentAccountBalance", "PaymentsSearchCharges", "SearchPaymentsSubscriptions", "Whoami"),
)
_LISTS = (*"npts z2v W/&caY-+q".replace(" ", ""), "end", "enter", "escape", "right", "f4", "f8")


def actions(seed: int) -> Iterator[Action]:
    """The actions for a seed."""
    dice = random.Random(seed)
    names = sorted(tool.name for tool in table_of_contents())
    reads = sorted(tool.name for tool in table_of_contents() if tool.effect == "read")
    while True:
        yield from _some(dice, names, reads)


def starts(seed: int) -> Iterator[tuple[str, ...]]:
    """The arguments for each start of the program, without end."""
    dice = random.Random(f"starts of {seed}")
    yield ("explore", "--world", "rough")
    while True:
        yield start_words(dice.choice(STARTS))


def start_words(line: str) -> tuple[str, ...]:
    """Split such a line into arguments. The words after each ``--fault`` are one argument."""
    first, *faults = line.split(" --fault ")
    return (*first.split(" "), *(word for fault in faults for word in ("--fault", fault)))


def _some(dice: random.Random, names: list[str], reads: list[str]) -> Iterator[Action]:
    """A few actions that belong together."""
    roll = dice.random()
    if roll < 0.012:
        yield Action("key", "ctrl+q")
        yield Action("text", dice.choice(("", "x", "\r\r")))
    elif roll < 0.10:
        yield from visit(dice)
    elif roll < 0.36:
        yield Action("key", dice.choice(COMMANDED))
    elif roll < 0.58:
        yield Action("key", dice.choice(_MOVING))
    elif roll < 0.66:
        key = dice.choice((*_MOVING[:13], *_LISTS))
        yield from [Action("key", key)] * dice.randint(2, 12)
    elif roll < 0.74:
        for _ in range(dice.randint(3, 10)):
            yield Action("key", dice.choice(_LISTS))
    elif roll < 0.79:
        # Open a tool, sometimes fill in its first field, and run it.
        name = dice.choice((OFTEN, reads, names)[dice.randrange(3)])
        yield from (Action("key", "escape"), Action("key", "escape"), Action("key", "ctrl+f"), Action("text", name))
        yield Action("key", "enter")
        if dice.random() < 0.5:
            yield Action("text", dice.choice(_VALUES))
        yield Action("key", "f5")
        yield Action("key", dice.choice(("f4", "t", "enter")))
    elif roll < 0.83:
        yield Action("text", "".join(dice.choice(_LETTERS) for _ in range(dice.randint(1, 6))))
    elif roll < 0.86:
        yield Action("paste", dice.choice(_PASTES))
    elif roll < 0.93:
        yield Action("click", f"{dice.random():.3f} {dice.random():.3f} {dice.choice((1, 1, 2, 3))}")
    elif roll < 0.95:
        yield Action("drag", " ".join(f"{dice.random():.3f}" for _ in range(4)))
    elif roll < 0.97:
        yield Action("wheel", f"{dice.random():.3f} {dice.random():.3f} {dice.choice((-1, 1)) * dice.randint(1, 5)}")
    else:
        size = dice.choice(SIZES[: 3 if dice.random() < 0.6 else len(SIZES)])
        yield Action("resize", f"{size[0]} {size[1]}")
