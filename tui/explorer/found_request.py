"""The request that a search result would send, in a line; imported after the first frame is drawn."""

from __future__ import annotations

from collections.abc import Mapping

from textual.content import Content

from tui.session import Session
from tui.widgets.request_line import request_line


def request_of(session: Session, tool: str, raw: Mapping[str, object]) -> Content:
    """The request of a tool with these arguments, secrets redacted; empty if the tool is not known."""
    known = session.catalog.tools.get(tool)
    if known is None:
        return Content()
    return request_line(session.preview(known, session.check(known, raw)), whole=False)
