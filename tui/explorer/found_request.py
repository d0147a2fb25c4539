"""The request that something found would send, in a line; loaded when the first frame stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from textual.content import Content

from tui.widgets.request_line import request_line

if TYPE_CHECKING:
    from tui.session import Session


def request_of(session: Session, tool: str, raw: Mapping[str, object]) -> Content:
    """What a tool sends with these arguments, secrets redacted; empty where it cannot be told before the form is filled in."""
    known = session.catalog.tools.get(tool)
    if known is None:
        return Content()
    return request_line(session.preview(known, session.check(known, raw)), whole=False)
