"""Picks an id for a field: from the service's list, or else from ids in earlier results.

If the list has an owner (the cards of a customer), the owner is taken from the form's other fields, or picked first.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from functools import partial

from registry.accounts.problems import ConnectionSettingsError
from registry.calling.arguments import ArgumentError
from registry.calling.sending import Observer
from registry.catalog.model import Parameter, Tool
from registry.engine import NotAllowed, Unattended
from registry.references.sources import SHORTEST_WORDS, IdSource, sources_of
from registry.references.targets import with_article, words_for
from registry.results.choosing import Candidate, Candidates
from tui.explorer.explorer import Explorer
from tui.explorer.fields.ids import IdField
from tui.explorer.pick_dialog import IdRows, PickDialog, Problem
from tui.session import Session

_DEEPEST = 4


class ListedIds(IdRows):
    """Rows from a tool's list, page after page."""

    def __init__(self, session: Session, source: IdSource) -> None:
        super().__init__()
        self._session, self._source = session, source
        self._connection = session.connection(source.tool.toolkit)
        self._asked: Mapping[str, object] = {}
        self._next: Mapping[str, object] | None = None
        self._candidates = Candidates(source.holds)
        whose = "".join(
            f" of {source.known[one.name]}" for one in source.tool.parameters if one.refers_to and one.name in source.known
        )
        self.about = f"{source.tool.name}{whose} on {self._connection.name}"

    def can_ask(self, text: str) -> bool:
        """Whether the service itself can search for a text."""
        return len(text) >= SHORTEST_WORDS and self._source.asking(text) is not None

    async def start(self, text: str, observer: Observer) -> None:
        """Fetch the first page, of everything or of a search for a text."""
        asked = self._source.asking(text) or {}
        await self._call(asked, observer, Candidates(self._source.holds))
        self._asked = asked

    async def more(self, observer: Observer) -> None:
        """Fetch the next page."""
        if self._next is not None:
            await self._call({**self._asked, **self._next}, observer, self._candidates)

    async def _call(self, arguments: Mapping[str, object], observer: Observer, candidates: Candidates) -> None:
        given = {name: value for name, value in arguments.items() if value is not None}
        try:
            result = await self._session.engine.run(self._source.tool, given, self._connection, presenter=Unattended(observer))
        except (ArgumentError, NotAllowed, ConnectionSettingsError) as error:
            raise Problem("Request not sent", str(error), "Fix the form, or choose another account.") from None
        if result.failure is not None:
            raise Problem(result.failure.title, result.failure.cause, result.failure.next_step)
        await asyncio.to_thread(candidates.add, result.body, result.items_at)
        self._candidates, self.rows, self.titles = candidates, candidates.rows, candidates.titles
        self._next = result.page.next if result.page is not None else None
        self.has_more = self._next is not None


class SeenIds(IdRows):
    """Rows with ids from earlier results, if no tool lists such objects."""

    about = "ids from earlier results"
    takes_typed = True

    def __init__(self, session: Session, tool: Tool, parameter: Parameter) -> None:
        super().__init__()
        self._seen = partial(session.seen, tool, parameter)
        kinds = " or ".join(words_for(type_) for type_ in parameter.refers_to)
        self.reason = f"No tool lists {kinds} ids. Choose one from earlier results, or type it."

    async def start(self, text: str, observer: Observer) -> None:
        """Look up ids from earlier results."""
        self.rows = [Candidate(id_, (label,)) for id_, label in await asyncio.to_thread(self._seen, text)]


async def pick(context: Explorer, field: IdField, name: str = "") -> None:
    """Let the user choose an id for a field, and fill it in; owners chosen on the way are filled into their fields.

    `name` is what the user has already typed of the object's name; of the owner's if that is asked first.
    """
    tool = context.tool
    if tool is None:
        return
    owners: dict[str, str] = {}
    raw = {**context.form.raw}
    id_ = await _choose(context, tool, field.parameter, raw, owners, "", 0, name)
    if id_ is not None and field.is_in_form and context.tool is tool:
        context.form.fill_in({name: owner for name, owner in owners.items() if name != field.parameter.name})
        field.take(id_)
        field.focus_editor()


async def _choose(
    context: Explorer,
    tool: Tool,
    parameter: Parameter,
    raw: Mapping[str, object],
    owners: dict[str, str],
    why: str,
    depth: int,
    name: str,
) -> str | None:
    """The id chosen for a parameter of a tool, after the owners that its list needs; None if the dialog was cancelled.

    Args:
        context: the explorer.
        tool: the tool that the parameter belongs to.
        parameter: the parameter for the id.
        raw: known values of the tool's other parameters.
        owners: receives the ids chosen on the way, by parameters of the form.
        why: a text above the list, for owners.
        depth: how many choices wait for this one.
        name: the search text for the first list.
    """
    session = context.session
    found = sources_of(tool, parameter, raw, session.routes)
    kind = " or ".join(words_for(type_) for type_ in parameter.refers_to)
    if not found or depth >= _DEEPEST:
        return await _ask(context, kind, why, SeenIds(session, tool, parameter), name)
    source = found[0]
    known = dict(source.known)
    for owner in source.missing:
        of = words_for(owner.refers_to[0])
        first = f"{parameter.name} depends on {with_article(of)}. Choose the {of} first."
        id_ = await _choose(context, source.tool, owner, known, {}, first, depth + 1, name)
        if id_ is None:
            return None
        known[owner.name], name = id_, ""
        for one in tool.parameters:
            if one is not parameter and set(one.refers_to) & set(owner.refers_to) and one.required and not raw.get(one.name):
                owners[one.name] = id_
    listed = ListedIds(session, IdSource(source.tool, source.types, known, (), source.words))
    return await _ask(context, kind, why, listed, name)


async def _ask(context: Explorer, kind: str, why: str, rows: IdRows, name: str) -> str | None:
    id_: str | None = await context.app.push_screen_wait(
        PickDialog(f"Choose {with_article(kind)}", why or rows.reason, rows, name)
    )
    name = next((row.name for row in rows.rows if row.id == id_), "")
    context.session.names.note({id_: name} if id_ and name else {})  # so the field can show whose id it is
    return id_
