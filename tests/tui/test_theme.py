"""Colours are readable: every role on every background, in every theme, by the WCAG contrast."""

from pathlib import Path

import pytest
from textual.theme import BUILTIN_THEMES, Theme

from tests.tui.app import desk
from tui.dialogs.choose import ThemeDialog
from tui.theme import (
    CALLBOARD_CONTRAST,
    GROUNDS,
    PALETTES,
    READABLE,
    READABLE_IN_HIGH_CONTRAST,
    ROLES,
    THEMES,
    VISIBLE,
    Palette,
    contrast,
    palette_of,
)

OTHERS = [theme for theme in BUILTIN_THEMES.values() if not theme.name.endswith("ansi") and not theme.name.startswith("ansi")]


@pytest.mark.parametrize("theme", [*THEMES, *OTHERS], ids=lambda theme: theme.name)
def test_every_role_can_be_read_on_every_ground(theme: Theme) -> None:
    least = READABLE_IN_HIGH_CONTRAST if theme is CALLBOARD_CONTRAST else READABLE
    palette = palette_of(theme)
    pairs = {(role, ground): contrast(palette[role], palette[ground]) for role in ROLES for ground in GROUNDS}
    assert not {pair: round(value, 2) for pair, value in pairs.items() if value < least}


@pytest.mark.parametrize("theme", [*THEMES, *OTHERS], ids=lambda theme: theme.name)
def test_text_on_a_fill_can_be_read_and_what_floats_is_seen(theme: Theme) -> None:
    palette = palette_of(theme)
    fills = {role: contrast(palette[role], palette["fill"]) for role in ROLES}
    assert min(fills.values()) >= READABLE
    assert min(contrast(palette["border"], ground) for ground in (palette["bg"], palette["surface"])) >= VISIBLE


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
def test_what_is_live_shares_its_colour_with_nothing(palette: Palette) -> None:
    others = [palette[role] for role in ROLES if role != "live"]
    assert palette["live"] not in others


async def test_a_theme_shows_while_it_is_chosen_and_is_kept(tmp_path: Path) -> None:
    async with desk(remembered=tmp_path) as one:
        before = one.app.theme
        for key in ("escape", "enter"):
            assert one.app.theme == before
            await one.press("f7")
            await one.until(lambda: isinstance(one.app.screen, ThemeDialog))
            await one.type("nord")
            await one.until(lambda: one.app.theme == "nord", "the theme at the cursor")
            await one.press(key)
            await one.until(lambda: one.app.screen is one.screen)
            await one.until(lambda: all(worker.is_finished for worker in one.app.workers if worker.group == "theme"))
    async with desk(remembered=tmp_path) as one:
        await one.until(lambda: one.app.theme == "nord", "the theme of the former run")
