"""Keeps a visible page up to date: pages of changing objects are read again, and an old page says its age.

each second → if the object of the page still changes and the page is due, it is read again → the same screen, updated

A page that was read again replaces the old one as a whole, so nothing moves while it loads. If reading fails the old page
stays, and shows its age.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import tzinfo
from functools import partial
from typing import Protocol

from textual import work
from textual.screen import Screen

from registry.accounts.connection import Connection
from registry.pages.loading import PageLoad
from registry.pages.page import ObjectPage, Subject
from tui.session import Session

_EVERY = 20.0
"""Seconds between two readings of a page whose object still changes."""
AGED = 60.0
"""Seconds after which a page shows its age."""


@dataclass(slots=True)
class OpenPage:
    """A page as it was left.

    Attributes:
        subjects: the objects that it may be about.
        page: what was loaded; None until something was loaded.
        unfolded: the unfolded sections.
        key: the line at the cursor.
        timeline: the line at the timeline's cursor.
        on_timeline: whether the timeline has the focus.
        connection: the account that was requested by name; empty for those in use.
        deletable: whether a tool deletes its object; None until that is looked up.
    """

    subjects: list[Subject]
    page: ObjectPage | None = None
    unfolded: set[str] = field(default_factory=set)
    key: str = ""
    timeline: str = ""
    on_timeline: bool = False
    connection: str = ""
    deletable: bool | None = None


class Board(Protocol):
    """The dashboard that a page was opened from: it has the user's zone, and the next steps of incidents."""

    @property
    def zone(self) -> tzinfo:
        """The zone of the times it shows."""

    def text_about(self, type_: str, id_: str) -> str:
        """Its text about an object at this moment: ``0:47 → L2 Dana Wu``; empty if there is none."""


class KeptScreen(Screen[None]):
    """A screen whose page is kept up to date."""

    board: Board | None = None
    session: Session
    _tried = 0.0

    @property
    def here(self) -> OpenPage | None:
        """The page on screen."""
        raise NotImplementedError

    def reading(self, opened: OpenPage, show: Callable[[ObjectPage], None]) -> PageLoad:
        """The reader for a page, in the accounts that it was opened with."""
        session, connection = self.session, partial(self.connection, opened)
        names, catalog, routes = (lambda toolkit: connection(toolkit).name), session.catalog, session.engine.routes
        read, zone = session.engine.reading(connection), self.board.zone if self.board is not None else None
        return PageLoad(read, catalog, routes, session.clock, show, names, session.shared_pages, zone)

    def connection(self, opened: OpenPage, toolkit: str) -> Connection:
        """The account from which a page reads a toolkit."""
        named = self.session.connections.get(opened.connection)
        return named if named is not None and toolkit in named.endpoints else self.session.connection(toolkit)

    def show(self, *, arrived: bool = False) -> None:
        """Show the present page."""
        raise NotImplementedError

    def show_clocks(self) -> None:
        """Show what changes every second."""
        raise NotImplementedError

    def tick(self) -> None:
        """Called every second: read the page again if it is due, and update the clocks."""
        opened, now = self.here, self.session.clock()
        if not self.is_current or opened is None or opened.page is None or not opened.page.loaded:
            return
        since = now - max(opened.page.now, self._tried)
        if opened.page.develops and since >= _EVERY:
            self._tried = now
            self._read_again(opened)
        self.show_clocks()

    def board_text(self) -> str:
        """The dashboard's text about the object at this moment; empty without a dashboard."""
        opened = self.here
        if self.board is None or opened is None or opened.page is None:
            return ""
        return self.board.text_about(opened.page.subject.type, opened.page.subject.id)

    @work(group="page again", exclusive=True, exit_on_error=False)
    async def _read_again(self, opened: OpenPage) -> None:
        before = opened.page
        page = await self.reading(opened, lambda _: None).load(opened.subjects)
        if page.object is not None and opened.page is before:
            opened.page = page
            if self.here is opened:
                self.show()
