"""Changing how many items a page has."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui.explorer.ground import Ground


async def resize_pages(ground: Ground) -> None:
    """Ask for a number, and show the page of that size that starts where the one on screen does."""
    from tui.dialogs.page_size import PageSize

    tool, here = ground.tool, ground.trail.here
    limit = tool.with_role("limit") if tool is not None else None
    result = ground.result.result if tool is not None else None
    if tool is None or here is None or limit is None or result is None or result.page is None:
        ground.say("There is no page here to resize.")
        return
    size = await ground.app.push_screen_wait(PageSize(limit, ground.form.raw.get(limit.name, limit.default)))
    if size is not None:
        ground.form.turn(here.pages.place)
        ground.form.fill(ground.form.raw | {limit.name: size})
        here.pages.resized()
        ground.launch(tool, ground.form.raw)
