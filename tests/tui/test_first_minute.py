"""The guided start: what it suggests works, and once put away it never comes back."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import OptionList

from tests.tui.app import Desk, desk
from tui.explorer.first_minute import SUGGESTIONS, FirstMinute, Suggestion


@pytest.mark.parametrize("suggestion", SUGGESTIONS, ids=lambda one: one.tool)
@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
async def test_what_is_suggested_works(suggestion: Suggestion, size: tuple[int, int]) -> None:
    async with desk(size) as one:
        await one.press("f3")
        await one.until(lambda: isinstance(one.app.focused, OptionList))
        await one.press("home", *["down"] * SUGGESTIONS.index(suggestion), "enter")
        await one.until(lambda: one.screen.result.result is not None)
        result = one.screen.result.result
        assert result is not None
        assert result.ok
        assert result.tool == suggestion.tool
        assert next(iter(value for value in result.json.values() if isinstance(value, list))), "there is something to see"
        assert not one.screen.query(FirstMinute)


async def test_put_away_it_never_comes_back(tmp_path: Path) -> None:
    async with desk(remembered=tmp_path) as one:
        assert one.screen.query(FirstMinute)
        await one.press("f3", "end", "enter")
        await one.until(lambda: not one.screen.query(FirstMinute))
        await one.until(lambda: (tmp_path / "shortcuts.json").exists())
    async with desk(remembered=tmp_path) as one:
        assert not one.screen.query(FirstMinute)
        assert _invited(one)


def _invited(one: Desk) -> bool:
    return bool(one.screen.query(".invitation"))
