"""The head of a page at a given width: the breadcrumbs, the state of loading, and the facts about its object."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from rich.cells import cell_len
from textual.content import Content

from registry.accounts.connection import Connection
from registry.pages.page import ObjectPage
from registry.text.readings import distance
from registry.text.safe_text import shortened
from tui.pages.lines import cut, flow
from tui.widgets.mode_labels import COLOURS, live_chip

_AGED = 60.0
"""Seconds after which a page shows its age."""


def facts_lines(facts: Sequence[str], width: int, most: int) -> list[str]:
    """Facts in lines of so many cells, at most `most`, without breaking a fact; an ellipsis for what does not fit."""
    lines = flow([cut(fact, width) for fact in facts], width, " · ")
    if len(lines) > most:
        lines = flow([cut(fact, width - 4) for fact in facts], width - 4, " · ")[:most]
        lines[-1] += " · …"
    return lines


def way_line(titles: Sequence[str], width: int) -> str:
    """The breadcrumbs of pages in so many cells: the one on screen, and as many before it as there is room for."""
    shown = [one for n, one in enumerate(titles) if not n or one != titles[n - 1]]
    lines = (" › ".join(["…", *shown[n:]] if n else shown) for n in range(len(shown)))
    return next((one for one in lines if cell_len(one) <= width), cut(shown[-1], width) if shown else "")


def state_line(page: ObjectPage | None, now: float, *, brief: bool) -> Content:
    """The state of loading and the page's moment; its age if it is old; unless `brief`, its requests and seconds."""
    if page is None:
        return Content("loading …")
    requests = f"{page.requests} request{'' if page.requests == 1 else 's'}"
    state = page.progress
    if page.loaded:
        at = f"as of {datetime.fromtimestamp(page.now).astimezone(page.zone):%H:%M:%S %Z}"
        if now - page.now >= _AGED:
            return Content.styled(f"▲ {distance(page.now, now).removesuffix(' ago')} old · {at}", "$text-warning")
        state += f" · {at}"
    return Content(state if brief else f"{requests} · {page.seconds:.1f} s · {state}")


def account_chip(connection: Connection, toolkit: str, *, short: bool) -> Content:
    """The account of the page: the sandbox, or an account by its name."""
    mode = connection.endpoint(toolkit).mode
    if mode == "live":
        return Content.assemble(Content("  "), live_chip(connection.name, short=short))
    name = connection.name.upper() if mode == "sandbox" else shortened(connection.name, 14)
    return Content.styled(f"  {name}", COLOURS[mode])
