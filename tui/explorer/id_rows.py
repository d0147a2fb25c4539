"""The rows to choose an id from: a tool's list, page after page, or else ids from earlier results."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from registry.accounts.problems import ConnectionSettingsError
from registry.calling.arguments import ArgumentError
from registry.calling.sending import Observer
from registry.engine import NotAllowed, Presenter
from registry.references.sources import SHORTEST_WORDS, IdSource
from registry.results.choosing import Candidate, Candidates
from tui.session import Session


class Problem(Exception):
    """Why rows could not be fetched, in words."""


class IdRows:
    """The rows. All words may contain text from outside.

    Attributes:
        about: what is listed, and where.
        takes_typed: whether a text that matches no row may be used as an id.
    """

    about, takes_typed, has_more = "", False, False

    def __init__(self) -> None:
        self.rows: list[Candidate] = []
        self.titles: tuple[str, ...] = ()

    def can_ask(self, text: str) -> bool:
        """Whether the service itself can search for a text."""
        return False

    async def fetch(self, text: str | None, observer: Observer) -> None:
        """Fetch the first page, of everything or of a search for a text; None fetches the next page. Raises `Problem`."""
        raise NotImplementedError


class SeenIds(IdRows):
    """Ids from earlier results, if no tool lists such objects. `seen` finds them, and may block."""

    about, takes_typed = "ids from earlier results", True

    def __init__(self, seen: Callable[[str], list[tuple[str, str]]]) -> None:
        super().__init__()
        self._seen = seen

    async def fetch(self, text: str | None, observer: Observer) -> None:
        """Look up ids from earlier results."""
        self.rows = [Candidate(id_, (label,)) for id_, label in await asyncio.to_thread(self._seen, text or "")]


class ListedIds(IdRows):
    """A tool's list."""

    def __init__(self, session: Session, source: IdSource) -> None:
        super().__init__()
        self._session, self._source = session, source
        self._connection = session.connection(source.tool.toolkit)
        self._asked: Mapping[str, object] = {}
        self._next: Mapping[str, object] = {}
        self._candidates = Candidates(source.holds)
        owners = (source.known[one.name] for one in source.tool.parameters if one.refers_to and one.name in source.known)
        self.about = f"{source.tool.name}{''.join(f' of {owner}' for owner in owners)} on {self._connection.name}"

    def can_ask(self, text: str) -> bool:
        """Whether the service itself can search for a text."""
        return len(text) >= SHORTEST_WORDS and self._source.asking(text) is not None

    async def fetch(self, text: str | None, observer: Observer) -> None:
        """Call the tool for a page."""
        asked = self._asked if text is None else self._source.asking(text) or {}
        candidates = self._candidates if text is None else Candidates(self._source.holds)
        given = {name: value for name, value in {**asked, **(self._next if text is None else {})}.items() if value is not None}
        try:
            result = await self._session.engine.run(self._source.tool, given, self._connection, presenter=Presenter(observer))
        except (ArgumentError, NotAllowed, ConnectionSettingsError) as error:
            raise Problem(f"Request not sent. {error} Fix the form, or choose another account.") from None
        if (failure := result.failure) is not None:
            raise Problem(f"{failure.title}. {failure.cause} {failure.next_step}")
        await asyncio.to_thread(candidates.add, result.body, result.items_at)
        self._asked, self._candidates, self.rows, self.titles = asked, candidates, candidates.rows, candidates.titles
        self._next = (result.page.next if result.page is not None else None) or {}
        self.has_more = bool(self._next)
