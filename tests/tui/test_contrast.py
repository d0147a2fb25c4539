"""What is really painted can be read: every text on every ground that it has on screen, by the numbers of WCAG.

In the usual theme every painted pair must be one of the palette's, whose pairs `test_theme.py` measures in every theme; so a
screen that mixes a colour of its own, or lets a ground shine through, is found here. Other themes are measured as painted.
"""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest
from textual.screen import ModalScreen

from tests.tui.app import Desk, desk
from tui.theme import READABLE, READABLE_IN_HIGH_CONTRAST, contrast, palette_of

_LINES = frozenset("─│┌┐└┘├┤┬┴┼╭╮╰╯▌▐▏▕▁▂▃▄▅▆▇█▔▎▍▊▉ ")
"""What draws lines, bars and thumbs: no text."""


def painted(one: Desk) -> Iterator[tuple[str, str, str]]:
    """Each text on screen with its colour and its background. With a dialog open, only the dialog's texts."""
    screen = one.app.screen
    boxes = screen.query("#box") if isinstance(screen, ModalScreen) else ()
    regions = [box.region for box in boxes] or [screen.region]
    for y, strip in enumerate(screen._compositor.render_strips()):
        for line_filter in one.app.get_line_filters():
            strip = strip.apply_filter(line_filter, screen.background_colors[1])
        x = 0
        for text, style, _ in strip:
            here, x = x, x + len(text)
            if style is None or not any(region.contains(here, y) for region in regions) or _LINES.issuperset(text):
                continue
            assert style.color is not None, text
            assert style.bgcolor is not None, text
            colours = [colour.get_truecolor().hex for colour in (style.color, style.bgcolor)]
            yield text, *(reversed(colours) if style.reverse else colours)


@asynccontextmanager
async def shown(one: Desk, *keys: str) -> AsyncIterator[None]:
    """Open a dialog with keys, and close it at the end."""
    await one.press(*keys)
    await one.until(lambda: isinstance(one.app.screen, ModalScreen), str(keys))
    await one.pilot.pause()
    yield
    await one.press("escape")
    await one.until(lambda: not isinstance(one.app.screen, ModalScreen))


async def screens(one: Desk) -> AsyncIterator[str]:
    """A screen of each kind with its name: a pane, a form, dialogs, and the dashboard."""
    await one.open("SearchPaymentsInvoices")
    one.screen.form.fill({"search_query_string": 'status:"open"'})
    await one.run()
    await one.until(lambda: one.screen.result.views.shows_table, "table")
    await one.press("f4", "space", "down")
    yield "table"
    await one.open("DeletePaymentsCoupon")
    yield "form that lacks a value"
    one.screen.form.fill({"coupon_id": "PARTNER15"})
    async with shown(one, "f5"):
        yield "deletion"
    for key in ("f1", "ctrl+y", "ctrl+s"):
        async with shown(one, key):
            yield key
    await one.press("f11")
    await one.until(lambda: type(one.app.screen).__name__ == "OncallScreen")
    await one.until(lambda: any("triggered" in text for text, *_ in painted(one)), "the board")
    yield "on call"


@pytest.mark.parametrize("other", ["callboard-contrast", pytest.param("solarized-light", marks=pytest.mark.long)])
async def test_everything_painted_can_be_read(other: str) -> None:
    faint: dict[str, list[object]] = {}
    async with desk((120, 40), lists="table", environment={}, start_page=True) as one:
        async for where in screens(one):
            for theme in (other, "callboard") if where in ("table", "on call") else ("callboard",):
                one.app.theme = theme
                await one.pilot.pause()
                least = READABLE_IN_HIGH_CONTRAST if theme == "callboard-contrast" else READABLE
                palette = palette_of(one.app.current_theme)
                colours = set(palette.values())
                for text, colour, ground in painted(one):
                    ratio = contrast(colour, ground)
                    if ratio < least or (theme == "callboard" and not {colour, ground} <= colours):
                        faint.setdefault(f"{where} in {theme}", []).append((text.strip(), colour, ground, round(ratio, 2)))
    assert faint == {}
