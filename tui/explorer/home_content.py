"""What home shows: what needs somebody, read from each account that may be read, and what the user did before.

On the sandbox it is read at once; in another account only after the user has said so once, then at each start, one page of
each list.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Literal

from msgspec import Struct, field
from msgspec.structs import replace
from textual.content import Content

from registry.accounts.connection import SANDBOX
from registry.journal.entries import SearchQuery
from registry.journal.store import JournalError
from registry.pages.home import HomeDefinition, HomeLine, home_of, lines_of
from registry.pages.loading import PageLoad
from registry.pages.page import ObjectPage
from registry.results.headline import Asked
from registry.saved.form_values import held_in
from registry.saved.saved_call import SavedCall
from registry.text.shown import distance, shortened, visible_line
from tui.explorer.found import call_in_words
from tui.session import Session

_RECENT, _LOOKED_AT = 6, 60
_TOP = {"bad": "bold $text-error", "warn": "bold $text-warning"}
MADE_UP = "sandbox"
"""What is said beside a line of the sandbox, if other lines are of real accounts."""
AGED = 60.0
"""Seconds after which lines show their age, and those on the sandbox and at the top of the screen are read again."""


class HomeTarget(Struct, frozen=True):
    """What Enter does: run a call, open a page, a draft or a saved call, ask, run a command, agree to reading or end that."""

    kind: Literal["call", "page", "ask", "draft", "saved", "command", "agree"]
    name: str = ""
    raw: Mapping[str, object] = field(default_factory=dict)
    filter: str = ""
    saved: SavedCall | None = None


class HomeRow(Struct, frozen=True):
    """A line: its texts with their styles, the text at the right, and what Enter does; without that, the cursor skips it."""

    parts: tuple[tuple[str, str], ...] = ()
    right: str = ""
    target: HomeTarget | None = None


class HomeContent:
    """Reads what home shows, and keeps it.

    Attributes:
        toolkits: the toolkits that can be called in their accounts, with their homes; as of the last `look`.
        lines: what needs somebody, those of the dashboard first, and beside each how old it is; as of then.
        pages: the sections of each toolkit's home as far as they were read, by toolkit.
        saved: saved calls. `look_back` finds them, and what is `recent`.
    """

    def __init__(self, session: Session, changed: Callable[[], None]) -> None:
        self.toolkits: dict[str, HomeDefinition] = {}
        self.lines: list[tuple[HomeLine, str]] = []
        self.pages: dict[str, ObjectPage] = {}
        self.saved: list[HomeRow] = []
        self._session, self._changed = session, changed
        self._past: list[tuple[float, str, HomeTarget]] = []
        self._accounts: dict[str, str] = {}
        self._reading: set[str] = set()
        self._made: dict[str, tuple[ObjectPage | None, int, list[HomeLine]]] = {}
        """The lines of a toolkit: for a page, and a second if they have clocks."""
        self._began = session.clock()

    def look(self) -> None:
        """Find what is known now: the accounts in use, and what their lines say. Pages of other accounts are forgotten.

        A line says "sandbox" beside it if others are of real accounts.
        """
        session, now = self._session, self._session.clock()
        usable = [one.name for one in session.toolkits if one.name in session.catalog.toolkits and not session.needs(one.name)]
        before, self._accounts = self._accounts, {name: session.connection(name).name for name in usable}
        self.pages = {one: page for one, page in self.pages.items() if before.get(one) == self._accounts.get(one)}
        self.toolkits, found = {name: home_of(name) for name in usable}, list[tuple[HomeLine, str]]()
        mixed = bool(self.own)
        for toolkit, home in self.toolkits.items():
            page = self.pages.get(toolkit)
            age = distance(page.now, now) if page is not None and now - page.now >= AGED else ""
            beside = " · ".join(filter(None, (MADE_UP if mixed and self.on_sandbox(toolkit) else "", age)))
            second, known = int(now) if home.ticks else 0, self._made.get(toolkit)
            if known is None or known[0] is not page or known[1] != second:
                known = self._made[toolkit] = page, second, lines_of(home, page, now)
            to_come = page is None and self.may_read(toolkit)
            found += [(replace(one, words=f"{one.words} …") if to_come else one, beside) for one in known[2]]
        self.lines = sorted(found, key=lambda one: one[0].call is not None)

    def on_sandbox(self, toolkit: str) -> bool:
        return self._session.connection(toolkit).endpoint(toolkit).mode == "sandbox"

    @property
    def own(self) -> list[str]:
        """The toolkits whose calls go to a real account: not made up, and with a credential."""
        anonymous = {one for one in self.toolkits if self._session.connection(one).endpoint(one).is_anonymous}
        return [one for one in self.toolkits if one not in anonymous and not self.on_sandbox(one)]

    def may_read(self, toolkit: str) -> bool:
        """Whether the user has agreed to reading home in the toolkit's account; on the sandbox that needs no question."""
        connection = self._session.connection(toolkit)
        return self.on_sandbox(toolkit) or self._session.engine.account_memory.of(connection.name).home

    @property
    def to_agree(self) -> dict[str, tuple[int, int]]:
        """The accounts of which nothing may be read yet, with the most calls that each takes, at a start and each minute."""
        counts: dict[str, tuple[int, int]] = {}
        for toolkit, home in self.toolkits.items():
            if home.lists and not self.may_read(toolkit):
                name = self._session.connection(toolkit).name
                at_start, each_minute = counts.get(name, (0, 0))
                counts[name] = at_start + home.lists, each_minute + home.lists * any(line.top for line in home.lines)
        return counts

    @property
    def agreed(self) -> list[str]:
        """The accounts that are read at each start because the user agreed to that."""
        read = [kit for kit, home in self.toolkits.items() if home.lists and not self.on_sandbox(kit) and self.may_read(kit)]
        return list(dict.fromkeys(self._session.connection(kit).name for kit in read))

    async def agree(self, account: str) -> None:
        """Read an account now and at each start or, if it is read already, no longer."""
        memory, ends = self._session.engine.account_memory, account in self.agreed
        await asyncio.to_thread(memory.learn, account, home=not ends)
        if ends:
            self.pages = {kit: page for kit, page in self.pages.items() if self.may_read(kit)}
        self._changed()
        await self.read(self.due())

    def due(self, *, top: bool = False, old: bool = False, again: bool = False) -> list[str]:
        """The toolkits to read now: those not read yet; `old` ones of the sandbox; `again` all; old ones in the `top` line."""
        now, found = self._session.clock(), []
        for toolkit, home in self.toolkits.items():
            page = self.pages.get(toolkit)
            is_old = now - (page.now if page is not None else self._began) >= AGED
            wanted = again or (is_old and any(line.top for line in home.lines) if top else page is None)
            wanted = wanted or (old and is_old and self.on_sandbox(toolkit))
            if home.lists and wanted and toolkit not in self._reading and self.may_read(toolkit):
                found.append(toolkit)
        return found

    async def read(self, toolkits: Sequence[str], whose: str = "home") -> None:
        """Read the homes of toolkits at once; what was read before stays until all of it was read again."""
        async with asyncio.TaskGroup() as group:
            for toolkit in toolkits:
                group.create_task(self._read(toolkit, self.toolkits[toolkit], whose))

    async def _read(self, toolkit: str, home: HomeDefinition, whose: str) -> None:
        session, before = self._session, self.pages.get(toolkit)
        account = session.connection(toolkit)

        def show(page: ObjectPage) -> None:
            if session.connection(toolkit).name == account.name and (before is None or page is done):
                self.pages[toolkit] = page
                self._changed()

        done: ObjectPage | None = None
        read = session.engine.reading(lambda _: account, whose)
        load = PageLoad(read, session.catalog, session.routes, session.clock, show, lambda kit: session.connection(kit).name)
        sections = home.sections if account.name == SANDBOX else [replace(one, pages=1) for one in home.sections]
        self._reading.add(toolkit)
        try:
            done = await load.load_home(toolkit, sections)
            show(done)
        finally:
            self._reading.discard(toolkit)

    @property
    def top(self) -> Content:
        """What stands at the top of the screen; usually nothing, and nothing made-up beside real accounts."""
        lines = [line for line, beside in self.lines if line.top and not beside.startswith(MADE_UP)]
        return Content("  ").join(Content.styled(f"{line.sign} {line.top}", _TOP.get(line.tone, "")) for line in lines)

    @property
    def questions(self) -> list[str]:
        """Questions for the ask line; those about objects of the sandbox only for toolkits whose calls go there."""
        homes = self.toolkits.items()
        found = [text for name, home in homes if self.on_sandbox(name) for text in home.ask_on_sandbox]
        return [visible_line(text) for text in (*found, *(text for _, home in homes for text in home.ask))]

    def look_back(self) -> None:
        """Find what the user did before. Reads files: call it in a thread."""
        session = self._session
        past = [
            (page.at, f"Page of {visible_line(page.title)}", HomeTarget("page", page.id, {"type": page.type}))
            for page in session.shortcuts.now.pages
            if page.toolkit in session.catalog.toolkits and page.account == session.connection(page.toolkit).name
        ]
        with suppress(JournalError):
            past += self._calls()
        drafts = [
            (one.at, f"Draft: {session.title_of(one.tool)} · {call_in_words(one.values)}", HomeTarget("draft", one.tool))
            for one in session.left
        ]
        self._past = [*drafts, *sorted(past, key=lambda one: -one[0])[:_RECENT]]
        self.saved = [
            HomeRow(((visible_line(call.name), "text"),), call.summary, HomeTarget("saved", call.reference, saved=call))
            for call in session.saved.all().calls
        ]

    @property
    def recent(self) -> list[HomeRow]:
        """Drafts and calls to go on with, and how long ago they were."""
        now = self._session.clock()
        return [HomeRow(((words, "text"),), distance(at, now), target) for at, words, target in self._past]

    def _calls(self) -> Iterator[tuple[float, str, HomeTarget]]:
        """The last calls that succeeded in the accounts in use, each once: when, in words, and what repeats it."""
        history, found = self._session.history, set[str]()
        for entry in history.search(SearchQuery(), _LOOKED_AT) if history is not None else ():
            tool = self._session.catalog.tools.get(entry.tool)
            if history is None or tool is None or entry.outcome != "ok":
                continue
            if entry.connection != self._session.connection(tool.toolkit).name:
                continue
            raw = dict(held_in(tool, entry.arguments))
            label = history.labels(tool.toolkit, [entry.subject], entry.connection).get(entry.subject)
            about = visible_line(label or "") or Asked(tool, raw, self._session.names.of).words
            words = shortened(" · ".join(filter(None, (self._session.title_of(tool.name), about))), 200)
            if words not in found:
                found.add(words)
                yield entry.at, words, HomeTarget("call", tool.name, raw)
