"""Down and Enter pressed while what they choose from is still being looked up."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from textual import events

from tests.tui.app import Desk, desk
from tests.tui.test_history import id_field, look_back, rows, used
from tests.tui.test_query_field import entry, keys
from tui.keyboard import key_order
from tui.widgets.text_line import Line


@pytest.fixture(autouse=True)
def own_history(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A history of its own; and a key waits for what earlier ones have started however long that takes."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    monkeypatch.setattr(key_order, "_LONGEST_WAIT", math.inf)


class Late:
    """A lookup that has begun, and ends when it is told to."""

    def __init__(self, lookup: Callable[..., Any]) -> None:
        self._lookup = lookup
        self._begun, self._released = threading.Event(), threading.Event()
        self.has_begun, self.release = self._begun.is_set, self._released.set

    def __call__(self, *asked: object) -> Any:
        self._begun.set()
        self._released.wait()
        return self._lookup(*asked)


@contextmanager
def late(lookup: Callable[..., Any]) -> Iterator[Late]:
    """A late lookup, which at the end holds up no thread."""
    one = Late(lookup)
    try:
        yield one
    finally:
        one.release()


async def press_and_then_look_up(one: Desk, lookup: Late, *names: str) -> None:
    """Press keys while values are looked up, which come when the keys are waiting."""
    await one.until(lookup.has_begun, "the lookup")
    for name in names:
        one.app.post_message(events.Key(name, name if len(name) == 1 else None))
    await one.until(lambda: one.app._letting_through is not None, "a key waits")
    lookup.release()


async def test_enter_right_after_down_takes_the_value(monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk() as one:
        field = await id_field(one)
        with late(field._lookup) as lookup:
            monkeypatch.setattr(field, "_lookup", lookup)
            one.app.post_message(events.Key("h", "h"))
            await press_and_then_look_up(one, lookup, "down", "enter")
            await one.until(lambda: field.raw == "cus_N2abcdef", "the value that fits what was typed")
        assert one.screen.result.result is None


async def test_in_a_query(monkeypatch: pytest.MonkeyPatch) -> None:
    async with desk() as one:
        await one.open("PaymentsSearchCharges")
        with late(lambda kind, typed: [("cus_seen", "Ada Lovelace")]) as lookup:
            monkeypatch.setattr(entry(one)._aid, "ids", lookup)
            await keys(one, "customer:c")
            await press_and_then_look_up(one, lookup, "down", "enter")
            await one.until(lambda: entry(one).line.value == 'customer:"cus_seen"', "the id is taken")
        assert one.screen.result.result is None


@pytest.mark.parametrize("key", ["r", "enter"])
async def test_in_the_history(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async with used() as one:
        dialog, history, before = await look_back(one), one.app.session.history, one.screen.result.result
        await one.type("zzz")
        await one.until(lambda: not rows(dialog), "nothing is found")
        assert history is not None
        with late(history.search) as lookup:
            monkeypatch.setattr(history, "search", lookup)
            dialog.query_one(Line).value = "who"
            await one.until(lookup.has_begun, "the search")
            await one.press("down")
            await press_and_then_look_up(one, lookup, key)
            await one.until(lambda: one.screen.result.result is not before, "the call that was found")
        assert one.screen.tool is not None
        assert one.screen.tool.name == "Whoami"
