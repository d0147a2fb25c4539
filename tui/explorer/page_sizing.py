"""Changing how many items a page has."""

from __future__ import annotations

from tui.dialogs.questions import PageSize
from tui.explorer.context import ExplorerContext


async def resize_pages(context: ExplorerContext) -> None:
    """Ask for a page size, and show the page of that size with the same start as the one on screen."""
    tool, here = context.tool, context.trail.here
    limit = tool.with_role("limit") if tool is not None else None
    result = context.result.result if tool is not None else None
    if tool is None or here is None or limit is None or result is None or result.page is None:
        context.say("This result has no pages.")
        return
    size = await context.app.push_screen_wait(PageSize(limit, context.form.raw.get(limit.name, limit.default)))
    if size is not None:
        raw = here.values(tool, context.form, here.pages.place)
        context.form.fill(context.form.raw | {limit.name: size})
        here.pages.resized()
        context.launch(tool, raw | {limit.name: context.form.raw[limit.name]})
