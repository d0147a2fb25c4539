"""A page in the stack of pages: the objects that it may be about, what was loaded, and how it was left."""

from collections.abc import Callable
from datetime import tzinfo
from functools import partial

from msgspec import Struct, field

from registry.accounts.connection import Connection
from registry.pages.loading import PageLoad
from registry.pages.page import ObjectPage, Subject
from registry.text.safe_text import visible_line
from tui.session import Session


class OpenPage(Struct):
    """A page as it was left.

    Attributes:
        subjects: the objects that it may be about.
        page: what was loaded; None until something was loaded.
        unfolded: the unfolded sections.
        key: the line at the cursor.
        timeline: the line at the timeline's cursor.
        on_timeline: whether the timeline has the focus.
        account: the account that was requested by name; empty for those in use.
    """

    subjects: list[Subject]
    page: ObjectPage | None = None
    unfolded: set[str] = field(default_factory=set)
    key: str = ""
    timeline: str = ""
    on_timeline: bool = False
    account: str = ""

    @property
    def title(self) -> str:
        """The title of the page; until it is known, the id."""
        return (self.page.title if self.page is not None else "") or visible_line(self.subjects[0].id)

    def connection(self, session: Session, toolkit: str) -> Connection:
        """The account from which it reads a toolkit."""
        named = session.connections.get(self.account)
        return named if named is not None and toolkit in named.endpoints else session.connection(toolkit)

    def reading(self, session: Session, zone: tzinfo | None, show: Callable[[ObjectPage], None]) -> PageLoad:
        """The reader of the page, from its accounts; `show` gets the page while it loads, with times in the zone."""
        connection = partial(self.connection, session)
        names, read = (lambda toolkit: connection(toolkit).name), session.engine.reading(connection, "page")
        return PageLoad(read, session.catalog, session.routes, session.clock, show, names, session.shared_pages, zone)
