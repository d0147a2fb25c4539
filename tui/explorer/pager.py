"""Which pages lie around the one on screen, and the way back where the service knows none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from registry.calling.result import Result
    from registry.catalog.model import Tool

Way = Literal["next", "previous"]


class Pager:
    """Remembers, by tool, the pages that were turned over."""

    def __init__(self) -> None:
        self._turned: dict[str, list[Mapping[str, object]]] = {}

    def around(self, tool: Tool | None, result: Result | None, way: Way) -> Mapping[str, object] | None:
        """The arguments that differ for the page behind or before a result; None when there is none."""
        if tool is None or result is None or result.page is None or result.tool != tool.name:
            return None
        if way == "next":
            return result.page.next
        forward_only = not tool.with_role("cursor_before") and not tool.with_role("offset")
        turned = self._turned.get(tool.name) if forward_only else None
        return turned[-1] if turned else result.page.previous

    def turn(self, tool: Tool, way: Way, raw: Mapping[str, object], change: Mapping[str, object]) -> None:
        """Take note that a page was turned: from the arguments `raw`, by this change to them."""
        turned = self._turned.setdefault(tool.name, [])
        if way == "next":
            turned.append({name: raw.get(name) for name in change})
        elif turned:
            turned.pop()

    def start_over(self, tool: Tool) -> None:
        """Take note that a first page was asked for."""
        self._turned.pop(tool.name, None)


def no_page(result: Result | None, way: Way) -> str:
    """Why no page can be turned."""
    if result is None or result.page is None:
        return "There is no page here to turn."
    return "This is the last page." if way == "next" else "This is the first page."
