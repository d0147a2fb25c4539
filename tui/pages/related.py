"""Tools that accept an object of a page: chooses among them, and among those that delete the object itself.

The tools come from the catalogue's routes. A tool is only opened in the explorer, in front of the page; a change is checked
and confirmed there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from textual.app import App

from registry.changes.declared import cannot_delete
from registry.pages.page import ObjectLink, ObjectPage
from registry.pages.subjects import related_tools
from registry.references.targets import Target
from tui.dialogs.choose import ChooseDialog, choice_of
from tui.session import Session


class _Screen(Protocol):
    """What this needs from the screen of a page."""

    session: Session

    @property
    def app(self) -> App[object]:
        """The application."""


def deletions(page: ObjectPage, session: Session) -> list[Target]:
    """The tools that delete the object of a page and need only its id; none for an object that is deleted already."""
    if page.object is None or page.is_deleted:
        return []
    link = ObjectLink(page.toolkit, page.subject.type, page.subject.id)
    tools = session.catalog.tools
    return [
        one
        for one in related_tools(link, session.routes)
        if tools[one.tool].effect == "delete" and page.subject.type in tools[one.tool].returns.objects and not one.missing
    ]


async def choose_related(screen: _Screen, link: ObjectLink) -> Target | str | None:
    """A chosen tool that accepts an object; a text that says why there is none; None if the user chose nothing."""
    found = related_tools(link, screen.session.routes)
    return await _choose(screen, found, f"Tools that accept {link.id}") if found else "No other tool accepts this object."


async def choose_deletion(screen: _Screen, page: ObjectPage) -> Target | str | None:
    """The tool that deletes the object of a page, as in `choose_related`; the user is asked only if there are several."""
    found = deletions(page, screen.session)
    if len(found) < 2:
        if page.is_deleted:
            return "This object is already deleted."
        return found[0] if found else cannot_delete(page.toolkit, page.subject.type)
    return await _choose(screen, found, f"Delete {page.title}")


async def _choose(screen: _Screen, found: Sequence[Target], title: str) -> Target | None:
    tools = screen.session.catalog.tools
    choices = [choice_of(one, tools[one.tool]) for one in found]
    place = await screen.app.push_screen_wait(ChooseDialog(title, choices, "Open"))
    return found[place] if place is not None else None
