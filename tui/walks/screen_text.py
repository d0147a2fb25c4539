"""The text on a screen, and a caption line on it."""

from __future__ import annotations

from textual.screen import Screen

from tui.keyboard.key_bar import KeyBar
from tui.walks.caption import Caption, CaptionLine


def screen_text(screen: Screen[object]) -> str:
    """The text on a screen, line by line. Textual has no public name for it."""
    return "\n".join(strip.text for strip in screen._compositor.render_strips())


async def show_caption(screen: Screen[object], caption: Caption) -> None:
    """Show a caption on a screen: above its key bar if it has one, else in its last line."""
    if not screen.is_attached:
        return
    line = next(iter(screen.query(CaptionLine)), None)
    if line is None:
        line = CaptionLine()
        line.set_class(bool(screen.query(KeyBar)), "-above-keys")
        await screen.mount(line)
    line.caption = caption
