"""The comparison on screen, and which lines are in sight."""

import asyncio
import json
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.widgets import Static

from registry.results.comparison import ComparedRow, Comparison, compare
from tests.results.test_comparison import TEXTS, made
from tests.tui.app import Desk, desk
from tui.compare.lines import CompareLines, VisibleRows
from tui.compare.screen import Candidate, CompareScreen, NoSide, Side, heading
from tui.dialogs.choose import CopyDialog
from tui.keyboard import key_order
from tui.keyboard.key_bar import KeyBar

LEFT = {
    "id": "cus_1",
    "balance": 4200,
    "currency": "usd",
    "name": "Ann",
    "tags": ["a", "b"],
    "client_secret": "SECRET1",
    "old": 1,
}
RIGHT = {
    "id": "cus_1",
    "balance": 0,
    "currency": "usd",
    "name": "Ann",
    "tags": ["b", "a"],
    "client_secret": "SECRET2",
    "new": {"x": 1},
}


def side(value: Any, at: float = 1_000.0, **facts: Any) -> Side:
    return Side(
        **({"tool": "GetCustomer", "connection": "sandbox"} | facts),
        body=json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass"),
        at=at,
    )


class Comparing:
    """A comparison in front of the desk."""

    def __init__(self, one: Desk, screen: CompareScreen) -> None:
        self.one = one
        self.screen = screen

    @property
    def lines(self) -> list[str]:
        view = self.screen.query_one(CompareLines)
        return [self.line(line) for line in range(view.line_count)]

    def line(self, line: int, width: int = 79) -> str:
        view = self.screen.query_one(CompareLines)
        return "".join(part.text for part in view.draw(line, width)).rstrip()

    @property
    def sides(self) -> list[list[str]]:
        """Both columns of every line."""
        return [[part.strip() for part in f"{line} ".split("│")] for line in self.lines]

    @property
    def here(self) -> str:
        return self.line(self.screen.query_one(CompareLines).cursor)

    def told(self, name: str) -> str:
        return str(self.screen.query_one(f"#{name}", Static).render())


@asynccontextmanager
async def comparing(left: Side, right: Side) -> AsyncIterator[Comparing]:
    async def other() -> Side:
        return right

    async with desk((80, 24)) as one:
        screen = CompareScreen(left, Candidate("the other", "", other))
        one.app.push_screen(screen)
        await one.until(lambda: screen.comparison is not None)
        await one.pilot.pause()
        yield Comparing(one, screen)


async def test_both_sides_with_a_sign_for_every_difference_and_no_secret() -> None:
    async with comparing(side(LEFT), side(RIGHT, 2_000.0)) as it:
        assert it.sides == [
            ["▾ { cus_1", "▾ { cus_1"],
            ['id: "cus_1"', 'id: "cus_1"'],
            ["~     balance: 4200 ‹ 42.00 USD", "balance: 0 ‹ 0.00 USD"],
            ["… 2 equal lines …", ""],
            ["▾ tags: [", "▾ tags: ["],
            ['↕       [0]: "a"', '[1]: "a"'],
            ['[1]: "b"', '[0]: "b"'],
            ['~     client_secret: "••••••••"', 'client_secret: "••••••••"'],
            ["-     old: 1", ""],
            ["+", "▾ new: {"],
            ["+", "x: 1"],
        ]
        assert it.told("counts") == "  1/5  ~ 2 changed  + 1 added  - 1 removed  ↕ 1 moved  4 equal"
        assert "balance" in it.here, "the cursor starts on the first difference"
        assert (it.told("detail-left"), it.told("detail-right"), it.told("path")) == (
            "- 4200  ‹ 42.00 USD",
            "+ 0  ‹ 0.00 USD",
            "balance",
        )
        await it.one.press("n", "n")
        assert "client_secret" in it.here
        copied = []
        for keys in (["enter"], ["down", "enter"], ["down", "down", "enter"]):
            await it.one.press("Y")
            await it.one.until(lambda: isinstance(it.one.app.screen, CopyDialog))
            await it.one.pilot.pause()
            assert "SECRET" not in it.one.app.export_screenshot()
            await it.one.press(*keys)
            await it.one.until(lambda: "Copied" in str(it.screen.query_one(KeyBar).render()))
            copied.append(it.one.app.clipboard)
            it.screen.query_one(KeyBar)._be_silent()
        assert copied == ["client_secret", "SECRET1", "SECRET2"]


async def test_walking_and_folding() -> None:
    async with comparing(side(LEFT), side(RIGHT, 2_000.0)) as it:
        press = it.one.press
        seen = []
        for _ in range(6):
            seen.append(it.told("path"))
            await press("n")
        assert seen == ["balance", "tags[0]", "client_secret", "old", "new", "balance"], "around the end"
        await press("N", "N")
        assert (it.told("path"), it.told("counts")[:5]) == ("new", "  5/5")

        await press("home", "n")
        count = len(it.lines)
        await press("down", "right")
        assert len(it.lines) == count + 1
        assert "currency" in it.here
        await press("left", "left")
        assert it.sides == [["▸ {…} 7 properties · cus_1", "▸ {…} 7 properties · cus_1"]]
        await press("n")
        assert "balance" in it.here, "what hides a difference is unfolded"


async def gone() -> Side:
    raise NoSide("Not found: No such customer \x1b[31m")


async def broken() -> Side:
    return Side("GetCustomer", b'{"a": ', "sandbox", 2_000.0)


async def same() -> Side:
    return side(LEFT, 2_000.0)


def test_headings_tell_what_sets_the_sides_apart() -> None:
    left = side(1, arguments={"limit": "10", "offset": "0"})
    right = side(1, arguments={"limit": "10", "expand": "x"}, page="3 items")
    one, other = heading(left, right), heading(right, left)
    assert (one[0], other[0]) == ("expand not set, offset 0", "expand x, offset not set")
    assert other[1].startswith("GetCustomer · sandbox · ")
    assert other[1].endswith(" · 3 items")
    assert heading(left, left)[0] == "GetCustomer"


async def test_what_cannot_be_compared_says_why_and_nothing_holds_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    asked, stopped = asyncio.Event(), asyncio.Event()

    async def never() -> Side:
        asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()
        raise AssertionError

    async with desk((80, 24)) as one:
        for other, words, keys in (
            (gone, "✗ Not found: No such customer \\u001b[31m", "nosvy"),
            (broken, "is not JSON", "nosvy"),
            (same, "  ✓ No differences  8 equal", "nos"),
        ):
            screen = CompareScreen(side(LEFT), Candidate("now", "", other))
            one.app.push_screen(screen)
            await one.until(lambda: screen.is_mounted and words in str(screen.query_one("#counts", Static).render()), words)  # noqa: B023
            await one.press(*keys, "escape")
            assert one.app.screen is one.screen
        one.app.push_screen(CompareScreen(side(LEFT), Candidate("now", "", never)))
        await asked.wait()
        monkeypatch.setattr(key_order, "_A_WHILE", 0.0)
        monkeypatch.setattr(key_order, "_LONGEST_WAIT", math.inf)
        await one.press("escape")
        await one.until(stopped.is_set)
        assert one.app.screen is one.screen


def rows_of(shown: VisibleRows) -> list[tuple[str, int]]:
    return [(spelled(shown[place].row), shown[place].equal) for place in range(len(shown))]


def spelled(row: ComparedRow) -> str:
    return "".join(str(step) for step in row.node.steps)


def compared(left: Any, right: Any) -> Comparison:
    return compare(json.dumps(left).encode(), json.dumps(right).encode())


STEPS = st.lists(st.tuples(st.sampled_from(["toggle", "toggle", "reveal", "fold"]), st.integers(0, 200)), max_size=20)


@given(TEXTS, TEXTS, TEXTS, STEPS)
def test_lines_are_in_order_whatever_is_folded(left: str, right: str, common: str, steps: list[tuple[str, int]]) -> None:
    texts = [f'{{"a": 1, "b": {common}, "c": {{"d": 2}}, "e": {text}, "f": [{common}, 3]}}' for text in (left, right)]
    comparison = made(*texts)
    shown = VisibleRows(comparison)
    for what, number in steps:
        match what:
            case "toggle":
                shown.toggle(number % len(shown))
            case "reveal":
                row = comparison.changes[number % len(comparison.changes)] if comparison.changes else comparison.root
                shown.reveal(row)
                assert shown[shown.place(row)] == (row, 0)
            case _:
                shown.fold_all()
        assert all(shown.place(shown[place].row) == place for place in range(len(shown)))
    shown.unfold_all()
    lines = [shown[place] for place in range(len(shown))]
    assert not any(one.row.differs for one in lines if one.equal)
    assert set(comparison.changes) <= {one.row for one in lines if not one.equal}


def test_what_is_equal_is_one_line_and_unfolds() -> None:
    left = {"a": 1, "b": 2, "c": {"d": 3}, "e": 4, "f": 5}
    shown = VisibleRows(compared(left, left | {"e": 0}))
    assert rows_of(shown) == [("", 0), ("a", 3), ("e", 0), ("f", 0)]
    shown.toggle(1)
    assert rows_of(shown) == [(row, 0) for row in ("", "a", "b", "c", "e", "f")]
    shown.toggle(3)
    assert rows_of(shown) == [(row, 0) for row in ("", "a", "b", "c", "cd", "e", "f")]
    shown.fold_all()
    shown.unfold_all()
    assert len(shown) == 7


def test_what_is_long_and_new_starts_folded_and_so_does_what_moved() -> None:
    long = {str(number): number for number in range(20)}
    left = [{"id": "a", "v": 1}, {"id": "b", "v": 1}, {"id": "c", "v": 1}]
    right = [{"id": "c", "v": 1}, {"id": "a", "v": 2}, {"id": "b", "v": 1}, {"id": "n", "long": long}]
    shown = VisibleRows(compared(left, right))
    assert [shown.is_folded(shown[place].row) for place in range(len(shown)) if not shown[place].equal] == [
        False,
        False,
        False,
        False,
        True,
        True,
    ]


def test_of_a_list_that_is_nearly_all_the_elements_stay_in_sight() -> None:
    left = {"object": "list", "data": [{"id": number, "v": number} for number in range(5)]}
    right = {"object": "list", "data": [{"id": number, "v": 0} for number in range(5)]}
    shown = VisibleRows(compared(left, right))
    shown.fold_all()
    assert len(shown) == 1 + 1 + 1 + 5
