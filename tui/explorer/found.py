"""What the ask line finds, as rows: sign, title, the typed words that are not used, the call with its arguments, the reason.

A call's row ends with its count, once there is one. If there is little room the reason is left out, then the tool's name is
cut, and the arguments last; beside a form and a result there is room for the title only.

Objects are counted by reading the first page, and only where that is allowed. Live data is not counted unless its account is
named in `CALLBOARD_COUNT_LIVE`: typing must not use up a rate limit. The search is extended once typing pauses: words → the
history's ids, in a thread → objects with their names · objects that have the typed name → counts of the first ready calls · the
sentence that answers the question. The next key cancels all this.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from registry.calling.result import Result
from registry.catalog.listing import EFFECT_SIGNS, ToolSummary
from registry.catalog.model import Tool
from registry.finding.items import Item
from registry.finding.ready_calls import QUESTION
from registry.journal.entries import KnownObject
from registry.journal.seen import SeenObject, ids_in
from registry.pages.subjects import NoPage, subjects_of
from registry.references.targets import as_raw, words_for
from registry.results.headline import answer_of
from registry.text.shown import shortened, visible_line
from tui.session import Session
from tui.widgets.texts import in_words

_BEFORE, _LEAST_NAME, _NAME, _COUNT = 7, 12, 31, 13
STYLES = {"write": "tree--write", "delete": "tree--delete"}
"""The styles of the signs of tools, by their effect."""
SOON, LATER = 0.12, 0.3
"""Seconds without a key after which objects are looked up, and calls counted."""
MOST_COUNTED = 4
COUNT_LIVE = "CALLBOARD_COUNT_LIVE"
NOT_COUNTED = "not counted"
_MOST = 100


class Part(NamedTuple):
    """A run of text, and the name of its style."""

    text: str
    style: str


class Found(NamedTuple):
    """A search result, and the tool that it runs or fills in; `answers` says that its title answers the question."""

    item: Item
    tool: ToolSummary
    answers: bool = False

    @property
    def raw(self) -> Mapping[str, object] | None:
        """The values to open it with; None to open it as it was left."""
        return self.item.arguments if self.item.kind != "tool" else self.item.arguments or None

    @property
    def key(self) -> tuple[str, str]:
        """Identifies the call: its tool and values."""
        return self.tool.name, f"{self.raw} {self.item.filter}"

    @property
    def is_ready(self) -> bool:
        item = self.item
        return self.raw is not None and not item.missing and item.effect == "read" and item.kind != "object"


def title_of(one: Found) -> str:
    """The title of a row."""
    return visible_line((one.item.title if one.item.kind != "tool" else "") or one.tool.title.text or one.tool.name)


def row_of(one: Found, longest: int, width: int, *, here: bool, sign: Part, count: str = "") -> list[Part]:
    """A row of so many cells: with the `longest` title of the list in mind, the sign of its toolkit, and how much it finds."""
    tool, column = one.tool, min(longest + 3, max((width - _BEFORE) // 2, 20))
    plain, room = "tree--delete" if tool.effect == "delete" else "tree--tool", width - _BEFORE - column
    effect = Part(f" {EFFECT_SIGNS.get(tool.effect, ' ')} ", STYLES.get(tool.effect, plain))
    parts = [Part(" › " if here else "   ", "tree--match"), sign, effect]
    if room < _LEAST_NAME or one.answers:
        return [*parts, Part(shortened(title_of(one), width - _BEFORE), plain)]
    parts.append(Part(shortened(title_of(one), column - 2).ljust(column), plain))
    if room < _LEAST_NAME + _COUNT or not count:
        return parts + _call(one, room)
    said = _call(one, room - _COUNT)
    gap = room - sum(len(part.text) for part in said) - 1
    return [*parts, *said, Part(count.rjust(gap), "tree--faint" if count in ("none", "…") else "tree--tool")]


def _call(one: Found, room: int) -> list[Part]:
    """What a row says after its title: unused words, or an object's type; then arguments, or else the tool and a reason."""
    tool, item, values = one.tool, one.item, call_in_words(one.raw or {})
    reason = " · ".join(filter(None, ("† deprecated" * tool.deprecated, visible_line(item.why))))
    first = "" if values else tool.name
    if item.kind == "object":
        first = words_for(item.type or next(iter(tool.objects), "object"))
        first += f"   without: {visible_line(', '.join(item.without))}" if item.without else ""
    elif item.without:
        first, reason = f"without: {visible_line(', '.join(item.without))}", tool.name
    if not values:
        return [Part(shortened(f"{first:{_NAME}}  {reason}".rstrip(), room), "tree--faint")]
    first = shortened(first, max(room // 2, room - _LEAST_NAME)) + "  " * bool(first)
    return [Part(first, "tree--faint"), Part(shortened(values, room - len(first)), "tree--tool")]


def call_in_words(raw: Mapping[str, object]) -> str:
    """Arguments in a line: only the value if there is just one."""
    values = [in_words(value) for value in raw.values()]
    if len(values) == 1:
        return visible_line(values[0])
    return visible_line("  ".join(f"{name} {value}" for name, value in zip(raw, values, strict=True)))


def may_count(session: Session, toolkit: str) -> bool:
    """Whether a toolkit's objects may be counted and named in its present account, by requests that nobody started."""
    connection = session.connection(toolkit)
    endpoint = connection.endpoint(toolkit)
    allowed = session.environment.get(COUNT_LIVE, "").replace(",", " ").split()
    return not endpoint.needs and (endpoint.mode != "live" or connection.name in allowed)


def is_countable(tool: Tool, raw: Mapping[str, object]) -> bool:
    """Whether a call finds something that can be counted: a list, or one object by its arguments."""
    if tool.effect != "read" or tool.composed is not None:
        return False
    return tool.is_list or (tool.returns.kind == "object" and bool(raw))


async def read(session: Session, tool: Tool, raw: Mapping[str, object]) -> Result | None:
    """The first page of what a call finds, as large as possible; None if the values are invalid."""
    limit = tool.with_role("limit")
    asked = dict(raw)
    if limit is not None:
        asked[limit.name] = str(min(int(limit.maximum or _MOST), _MOST))
    if session.check(tool, asked).errors:
        return None
    return await session.engine.run(tool, asked, session.connection(tool.toolkit), remember=False)


async def counted(session: Session, tool: Tool, raw: Mapping[str, object]) -> str:
    """How many objects a call finds, by its first page, such as ``100+ found`` if there are more; empty for invalid values."""
    if (result := await read(session, tool, raw)) is None:
        return ""
    page = result.page
    if tool.returns.kind == "object":
        return "1 found" if result.ok else "none" if result.status == 404 else NOT_COUNTED
    if not result.ok or page is None:
        return NOT_COUNTED
    if page.total is not None:
        return f"{page.total:,} found" if page.total else "none"
    return f"{page.items}{'+' if page.has_more else ''} found" if page.items else "none"


async def seen(session: Session, names: Sequence[str], text: str) -> list[KnownObject]:
    """Objects from results of this run or earlier ones that can be shown; for a request's id, the calls with it."""
    found = await asyncio.to_thread(session.recalled, lambda history: history.of_request(text))
    for one in await asyncio.to_thread(session.recalled, lambda history: history.named(names)):
        # Sandbox data is not mixed with an account's, and what was deleted in this run is gone.
        if one.connection == session.connection(one.toolkit).name and one.id not in session.deleted_ids[one.connection]:
            found += known(session, one)
    return found


def known(session: Session, one: SeenObject) -> list[KnownObject]:
    """An object with the call that shows it; empty if no tool does."""
    try:
        subject = subjects_of(one.id, session.routes, type_=one.type)[0]
    except NoPage:
        return []
    return [KnownObject(one.type, one.id, visible_line(one.label), subject.tool, as_raw(subject.arguments))]


async def found(session: Session, lookups: Sequence[Item]) -> list[KnownObject]:
    """The objects that calls find which look for a name, as far as they may be made."""
    objects = []
    for one in lookups:
        tool = session.catalog.tools[one.tool]
        if is_countable(tool, one.arguments) and may_count(session, tool.toolkit):
            result = await read(session, tool, one.arguments)
            ids = ids_in(result.body, tool) if result is not None and result.ok else []
            objects += [shown for each in ids if each.type in tool.returns.objects for shown in known(session, each)]
    return objects


async def count_first(session: Session, ready: Sequence[Found], show: Callable[[Mapping[tuple[str, str], str]], None]) -> None:
    """Count what the first calls find, and show each count when it is known."""
    catalog = session.catalog.tools
    known = (one for one in ready if one.tool.name in catalog and not one.item.filter)
    countable = [one for one in known if is_countable(catalog[one.tool.name], one.raw or {})]
    ones = [one for one in countable if may_count(session, one.tool.toolkit)][:MOST_COUNTED]
    counts: dict[tuple[str, str], str] = {}

    async def ask(one: Found) -> None:
        counts[one.key] = await counted(session, catalog[one.tool.name], one.raw or {})
        show(counts)

    async with asyncio.TaskGroup() as group:
        for one in ones:
            group.create_task(ask(one))


async def answered(session: Session, text: str, ready: Sequence[Found]) -> Found | None:
    """The sentence that answers a question, by the first call that uses all its words; None if there is none."""
    asked = QUESTION.search(text)
    one = next((one for one in ready[:1] if not one.item.without and may_count(session, one.tool.toolkit)), None)
    if asked is None or one is None or one.item.filter or not (one.item.answer or asked[1].lower().startswith("how")):
        return None
    tool, raw = session.catalog.tools[one.tool.name], one.raw or {}
    result = await read(session, tool, raw)
    if result is None or not result.ok:
        return None
    words = await asyncio.to_thread(answer_of, one.item.answer, title_of(one), tool, raw, result)
    return Found(replace(one.item, kind="call", title=words), one.tool, answers=True) if words else None
