"""Compares the object of a page with the same object in another account: read there by the same call, changing nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from textual.app import App

from registry.json_text.values import dumps
from registry.pages.loading import PageLoad
from registry.pages.page import ObjectPage, Subject
from tui.compare.screen import CompareScreen
from tui.compare.sides import Candidate, CompareWith, NoSide, Side
from tui.session import Session
from tui.widgets.mode_labels import MODES


async def compare_page(
    app: App[object], session: Session, page: ObjectPage, subjects: Sequence[Subject], reading: Callable[[str], PageLoad]
) -> str:
    """Let the user choose another account and show both objects side by side; returns why that is not possible, or "".

    Args:
        app: shows the dialogs.
        session: has the accounts.
        page: the page on screen.
        subjects: the objects that it may be about.
        reading: returns the function that reads pages in an account, by its name.
    """
    if page.object is None or page.head is None:
        return "No object to compare."
    here, candidates = page.head.connection, []
    for name, connection in session.connections.items():
        if name != here and page.toolkit in connection.endpoints:
            mode = connection.endpoint(page.toolkit).mode
            candidates.append(
                Candidate(f"The same object in {name}", MODES[mode], partial(_elsewhere, reading(name), subjects, name))
            )
    if not candidates:
        return "There is one account here, so there is nothing to compare with."
    chosen = await app.push_screen_wait(CompareWith(page.title, candidates))
    if chosen is not None:
        await app.push_screen_wait(CompareScreen(_side(page, here), chosen))
    return ""


async def _elsewhere(reading: PageLoad, subjects: Sequence[Subject], name: str) -> Side:
    page = await reading.load_object(subjects)
    if page.failure is not None:
        raise NoSide(f"{name}: {page.failure.title}. {page.failure.cause}")
    return _side(page, name)


def _side(page: ObjectPage, account: str) -> Side:
    return Side(page.subject.tool, dumps(page.object).encode(), account, page.now)
