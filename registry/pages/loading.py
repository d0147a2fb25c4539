"""Loads a page: first the object, then its sections concurrently, each published when it is read."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from datetime import tzinfo
from functools import partial
from typing import Any, NamedTuple

from msgspec.structs import replace

from registry.accounts.connection import SANDBOX, ConnectionSettingsError
from registry.accounts.policy import NotAllowed
from registry.calling.arguments import ArgumentError
from registry.calling.result import Failure, Result, ResultPage
from registry.calling.sending import Observer, Progress
from registry.catalog.loader import Catalog, load
from registry.catalog.model import Tool
from registry.pages import build
from registry.pages.build import default_page, sections_from_catalogue
from registry.pages.charts import charts_of
from registry.pages.definition import PageDefinition, SectionDefinition, SharedPages, pages_of
from registry.pages.page import ObjectLink, ObjectPage, PageSection, State, Subject
from registry.pages.subjects import subjects
from registry.references.knowledge import knowledge
from registry.references.naming import text_of
from registry.references.routes import Routes
from registry.references.targets import words_for
from registry.results.coverage import narrowed
from registry.results.templates import at_path, fill, fill_arguments, holds, sums
from registry.text.shown import visible_line

Read = Callable[[Tool, Mapping[str, object], "Observer"], Awaitable[Result]]  # calls a tool that reads

MOST_AT_ONCE = 12  # the most concurrent calls of one page
_HEAD_PAGES = 10
_UNKNOWN_OWNER = (400, 404)
_DENIED = (402, 403)  # this type may not be read; the object may be of another


class _Head(NamedTuple):
    """The result of reading the object: the object, or why it could not be read."""

    subject: Subject
    result: Result | None
    item: Mapping[str, Any] | None
    failure: Failure | None

    @property
    def is_final(self) -> bool:
        """Whether this says nothing about the object: the service was not reached, refused, or sent what cannot be read."""
        is_unread = self.failure is not None and self.failure.kind == "protocol"
        return self.result is not None and (is_unread or self.status not in (200, 400, 404))

    @property
    def status(self) -> int | None:
        """The status of the response; None without one."""
        return self.result.status if self.result is not None else None


class _Read(NamedTuple):
    """What the calls of a section returned, how that went, and how many objects there are in all if the service says so."""

    items: Sequence[Mapping[str, Any]] = ()
    state: State = "complete"
    reason: str = ""
    total: int | None = None


_WORSE: tuple[State, ...] = ("complete", "partial", "failed")


class PageLoad:
    """Loads one page; `observer` gets it whenever a part of it was read.

    `connection` returns the account for a toolkit's calls. Made-up data of the sandbox is never shown beside data of a real
    account: sections of toolkits on the other side are omitted.
    """

    def __init__(
        self,
        read: Read,
        catalog: Catalog,
        routes: Routes,
        clock: Callable[[], float] = time.time,
        observer: Callable[[ObjectPage], None] = lambda _: None,
        connection: Callable[[str], str] = lambda _: SANDBOX,
        shared: SharedPages | None = None,
        zone: tzinfo | None = None,
    ) -> None:
        self._read, self._catalog, self._routes, self._clock, self._zone = read, catalog, routes, clock, zone
        self._observer, self._connection, self._shared = observer, connection, shared or SharedPages()
        self._slots = asyncio.Semaphore(MOST_AT_ONCE)
        self._definition, self._is_declared = PageDefinition(), False
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._began = 0.0
        self._unread: list[str] = []  # paths that the page expands and the credential may not
        self._page = ObjectPage(Subject("", "", "", {}), "")

    async def load(self, subjects: Sequence[Subject]) -> ObjectPage:
        """Load the page of the first of these subjects that exists."""
        if (await self.load_object(subjects)).object is None:
            return self._publish()
        await self._load_sections()
        kit = self._routes.of(self._catalog.tools[self._page.subject.tool])
        others = [*build.related(self._page, {*kit.retrieving, *kit.listing})]
        others += [] if self._is_declared else build.details(self._page)
        return self._publish(sections=(*self._page.sections, *others))

    async def load_home(self, toolkit: str, sections: Sequence[SectionDefinition]) -> ObjectPage:
        """Load sections that are about no object."""
        self._began = time.monotonic()
        self._definition = PageDefinition(sections=tuple(sections))
        self._page = ObjectPage(Subject("", "", "", {}), toolkit, object={}, now=self._clock(), zone=self._zone)
        await self._load_sections()
        return self._page

    async def _load_sections(self) -> None:
        sections = [one for one in self._definition.sections if self._is_wanted(one)]
        announced = []
        for one in sections:  # a toolkit's file is text from outside, too
            tool = self._tool_of(one) if one.tool else None
            name = tool.name if tool is not None else visible_line(one.tool)
            title, note, label, covers = map(visible_line, (one.title, one.note, one.sum_label, one.covers or ""))
            announced.append(PageSection(one.id, title, name, brief=one.brief, note=note, sum_label=label, covers=covers))
        self._publish(sections=tuple(announced))
        async with asyncio.TaskGroup() as group:
            self._tasks = {one.id: group.create_task(self._section(one)) for one in sections}

    def cut_short(self, reason: str) -> ObjectPage:
        """The page as far as it was loaded before `load` was cancelled: for this reason the other sections have failed."""
        sections = tuple(one if one.loaded else replace(one, state="failed", reason=reason) for one in self._page.sections)
        return self._publish(sections=sections)

    async def load_object(self, subjects: Sequence[Subject]) -> ObjectPage:
        """Read the first of these subjects that exists, without its sections."""
        assert subjects
        self._began = time.monotonic()
        await asyncio.to_thread(self._shared.read)
        self._page = ObjectPage(subjects[0], self._catalog.tools[subjects[0].tool].toolkit, now=self._clock(), zone=self._zone)
        found = await self._tried([one for one in subjects if not one.listed])
        if not any(one.item is not None or (one.is_final and one.status not in _DENIED) for one in found):
            found += await self._tried([one for one in subjects if one.listed])
        for head in found:
            if head.item is not None:
                self._found(head, head.item)
                return self._page
        # A toolkit that could not be called, for instance without a credential, does not count if others could.
        found = [one for one in found if one.result is not None] or found
        failed = next((one for one in found if one.is_final), found[0])
        failure = failed.failure
        if failed.result is not None and failure is not None and not failed.is_final:
            says_nothing = failure.cause.strip(" .").casefold() == failure.title.casefold()  # only its status in words
            failure = _not_found(found) if len(found) > 1 or says_nothing else failure
        self._page = replace(self._page, subject=failed.subject, head=failed.result, failure=failure)
        return self._page

    async def _tried(self, subjects: Sequence[Subject]) -> list[_Head]:
        """Read an object that may be any of these, all concurrently, so that its type is known after one round trip.

        The first match in a list cancels the rest. If an id belongs to two types, such as a price and its older form, both
        respond in one round trip, and the earlier one counts.
        """
        tasks = [asyncio.create_task(self._head(one)) for one in subjects]
        try:
            for ended in asyncio.as_completed(tasks):
                if (await ended).item is not None and subjects[0].listed:
                    break
        finally:
            for task in tasks:
                task.cancel()
        return [task.result() for task in tasks if task.done()]

    async def _head(self, subject: Subject) -> _Head:
        """Read the page's object."""
        tool = self._catalog.tools[subject.tool]
        result: Result | None = None
        pages = self._pages(tool, subject.arguments, _HEAD_PAGES if subject.listed else 1, lambda _: None)
        async for result, why_not in pages:
            if result is None or not result.ok:
                unsent = Failure("refused", "Nothing was sent", why_not, _check_id("that was called"))
                return _Head(subject, result, None, unsent if result is None else result.failure)
            body = build.content(result.body)
            found = self._in_list(body, result, subject) if subject.listed else build.unwrapped(body, subject.type)
            if found is not None:
                return _Head(subject, result, found, None)
        what = f"{tool.own_name} lists no {words_for(subject.type)} {visible_line(subject.id)}"
        return _Head(subject, result, None, Failure("service", _NOTHING, f"{what}.", _check_id("that was called")))

    def _in_list(self, body: Any, result: Result, subject: Subject) -> Mapping[str, Any] | None:
        """The subject in a list, by its id or its address."""
        items = build.items_in(body, result.items_at)
        if not items and isinstance(body, dict):
            items = [one for value in body.values() if isinstance(value, list) for one in value if isinstance(one, dict)]
        known = knowledge(self._catalog.tools[subject.tool].toolkit)

        def is_whole(value: Any) -> bool:
            """Whether a value is a whole object of the type, and not only a reference to one."""
            said = value.get(known.type_in or "") if isinstance(value, dict) else None
            is_reference = isinstance(said, str) and bool(known.reference_suffix) and said.endswith(known.reference_suffix)
            return isinstance(value, dict) and not is_reference and build.type_of(value, known, subject.type) == subject.type

        for item in items:
            for one in (item,) if "id" in item else filter(is_whole, item.values()):
                if subject.id.casefold() in ((text_of(one.get(name)) or "").casefold() for name in ("id", "email")):
                    return one
        return None

    def _found(self, head: _Head, item: Mapping[str, Any]) -> None:
        """Begin the page of an object."""
        subject, tool = head.subject, self._catalog.tools[head.subject.tool]
        kit = self._routes.of(tool)
        type_ = build.type_of(item, knowledge(tool.toolkit), subject.type)
        id_ = text_of(item) or subject.id
        if id_ != subject.id and subject.listed:
            # It was found by its address. The page names the call that reads it by its id, for the next time.
            subject = next(subjects(ObjectLink(tool.toolkit, type_, id_), kit), subject)
        declared = pages_of(tool.toolkit).objects.get(type_)
        shared, declared = self._shared.of(tool.toolkit, type_, has_own=declared is not None) or ("", declared)
        self._definition, self._is_declared = declared or default_page(type_), declared is not None
        if not self._definition.sections:
            self._definition = replace(self._definition, sections=sections_from_catalogue(type_, kit))
        develops = self._definition.develops
        self._page = replace(
            self._page,
            toolkit=tool.toolkit,
            subject=Subject(type_, id_, subject.tool, subject.arguments, subject.listed),
            object=item,
            head=head.result,
            shared=shared,
            develops=bool(develops) and holds(develops, item, self._page.now),
            title=build.title_of(self._definition, item, id_),
        )

    def _is_wanted(self, one: SectionDefinition) -> bool:
        """Whether a section can be loaded: its arguments are known, or will be known."""
        tool = self._tool_of(one) if "." in one.tool else None
        if tool is not None and len({self._connection(kit) == SANDBOX for kit in (tool.toolkit, self._page.toolkit)}) > 1:
            return False
        if one.after or not one.tool:
            return bool(one.after or self._held(one).items)
        return fill_arguments(one.arguments, build.context_of(self._page)) is not None

    def _tool_of(self, one: SectionDefinition) -> Tool | None:
        return self._catalog.find(one.tool if "." in one.tool else f"{self._page.toolkit}.{one.tool}")

    def _named(self, id_: str) -> PageSection | None:
        return next((section for section in self._page.sections if section.id == id_), None)

    def _held(self, one: SectionDefinition) -> _Read:
        """The objects of a section that the page's own object holds, or the response around it, or another section.

        Those of another section are as complete as that one is, and come oldest first: its first one says when something began.
        """
        page = self._page
        if one.at.startswith("@"):
            source = self._named(one.at[1:])
            if source is None or source.state == "failed":
                return _Read(state="failed", reason=source.reason) if source is not None else _Read()
            items = [row.item for row in sorted(source.rows, key=lambda row: row.at or 0.0)]
            return _Read(items, "partial", source.reason) if source.state == "partial" else _Read(items)
        found = build.items_in(page.object, one.at, one.item)
        if found and self._goes_on(one.at):
            return _Read(found, "partial", f"only the first {len(found):,} are in it")
        return _Read(
            found or (build.items_in(build.content(page.head.body), one.at, one.item) if page.head is not None else [])
        )

    def _goes_on(self, at: str) -> bool:
        """Whether a list inside the object is only the beginning of it, in the service's form of pages."""
        paging = load().toolkits[self._page.toolkit].response.paging.get("list")
        holder, _, last = at.rpartition(".")
        if paging is None or paging.more is None or not holder or last != paging.items:
            return False
        return at_path(self._page.object, f"{holder}.{paging.more}") is True

    async def _section(self, one: SectionDefinition) -> None:
        """Load a section, after the one that it needs."""
        await asyncio.sleep(0)  # the tasks of all are known then, also in a loop that runs a task before it returns it
        if one.after in self._tasks and (after := self._named(one.after)) is not None:
            self._set(one.id, state="waiting", reason=f"after {after.title}")
        if needed := [self._tasks[name] for name in (one.after, *one.needs) if name in self._tasks]:
            await asyncio.wait(needed)
        tool = self._tool_of(one) if one.tool else None
        if one.tool and (tool is None or tool.effect != "read"):
            read: _Read | None = _Read(state="failed", reason=f"No read-only tool {visible_line(one.tool)}.")
        else:
            read = await self._load_section(one, tool) if tool is not None else self._held(one)
        if read is None:  # the service no longer knows the deleted object that the call asks about
            self._publish(sections=tuple(section for section in self._page.sections if section.id != one.id))
        else:
            self._show(one, read, tool)

    async def _load_section(self, one: SectionDefinition, tool: Tool) -> _Read | None:
        """What the calls of a section return; None if they ask about a deleted object, unknown by now."""
        needed = self._named(one.after)
        if needed is not None and needed.state == "failed":
            return _Read(state="failed", reason=f"{needed.title}: {needed.reason}")
        queries = [parameter.name for parameter in tool.parameters if parameter.role == "query"]
        context = build.context_of(self._page)
        about = needed.rows[: one.each] if needed is not None and one.each else ()
        each = [replace(context, firsts={**context.firsts, one.after: row.item}) for row in about] or [context]
        calls = [made for of in each if (made := fill_arguments(one.arguments, of, queries)) is not None]
        if not calls or (one.after and (needed is None or not needed.rows)):
            return _Read()  # what it needs has no object: there is nothing to call
        limit = tool.with_role("limit")
        if limit is not None and limit.maximum is not None:
            for arguments in calls:
                arguments.setdefault(limit.name, limit.maximum)
        left_out = narrowed(tool, calls[0]) if one.covers is None else None
        covers = visible_line(left_out.says if left_out is not None else one.covers or "")
        self._set(one.id, state="loading", reason="", arguments=calls[0], covers=covers)
        found = await asyncio.gather(*(self._read_pages(one, tool, raw) for raw in calls))
        if not (reads := [read for read in found if read is not None]):
            return None
        worst = max(reads, key=lambda read: _WORSE.index(read.state))
        items = [item for read in reads for item in read.items]
        merged = _Read(items, "partial" if worst.state == "failed" and items else worst.state, worst.reason, reads[-1].total)
        more = needed is not None and bool(about) and (needed.count > len(about) or needed.state != "complete")
        if more and merged.state == "complete":
            return merged._replace(state="partial", reason=f"only the first {len(about)} were loaded")
        return merged

    async def _read_pages(self, one: SectionDefinition, tool: Tool, arguments: Mapping[str, object]) -> _Read | None:
        """The objects of one call and its further pages; None if it asks about a deleted object, unknown by now."""
        items: list[Mapping[str, Any]] = []
        page: ResultPage | None = None
        async for result, reason in self._pages(tool, arguments, one.pages, partial(self._progress, one.id)):
            total = page.total if page is not None else None
            if result is None or result.failure is not None:
                status = result.status if result is not None else None
                if status == 404 and one.none and not items:
                    return _Read(reason=fill(one.none, build.context_of(self._page)))
                if status in _UNKNOWN_OWNER and self._page.is_deleted and not items:
                    return None
                return _Read(items, "partial" if items else "failed", reason, total)
            items += build.items_in(build.content(result.body), one.at or result.items_at, one.item, _type_of(tool))
            page = result.page
        if page is not None and page.has_more:
            return _Read(items, "partial", f"only the first {len(items):,} were loaded", page.total)
        return _Read(items, total=page.total if page is not None else None)

    def _show(self, one: SectionDefinition, read: _Read, tool: Tool | None) -> None:
        """Publish a section's objects."""
        page = self._page
        context = build.context_of(page)
        beside = {"page": page.object or {}, "first": context.firsts}
        kept = [item for item in read.items if holds(one.where, item, page.now, beside)]
        if one.sort:
            kept.sort(key=lambda item: _sortable(at_path(item, one.sort)))
        toolkit, type_ = (tool.toolkit, _type_of(tool)) if tool is not None else (page.toolkit, one.type)
        rows = build.rows_of(kept, one, toolkit, type_, page)
        count = len({str(at_path(item, one.distinct)) for item in kept}) if one.distinct else len(kept)
        total = read.total if not (one.where or one.distinct) else None
        found = (at_path(item, one.state) for item in kept) if one.state else ()
        states = [visible_line(state) for state in found if isinstance(state, str) and state]
        self._set(
            one.id,
            state=read.state,
            reason=read.reason or ("" if kept else fill(one.none, context)),
            rows=rows,
            count=total if total is not None else count,
            read=len(read.items),
            is_total=total is not None,
            by_state=dict(Counter(states).most_common()),
            sums=sums((item for item in kept if holds(one.sum_where, item, page.now)), one.sum) if one.sum else {},
            days=build.per_day(rows, one, page.now, whole=read.state == "complete"),
            charts=charts_of(kept, one, page),
        )

    async def _pages(
        self, tool: Tool, raw: Mapping[str, object], most: int, progress: Callable[[Progress], None]
    ) -> AsyncIterator[tuple[Result | None, str]]:
        """A call and its further pages: the result of each, None if nothing was sent, and why it failed, in words."""
        for _ in range(most):
            result, why_not = await self._call(tool, raw, progress)
            yield result, why_not
            if result is None or result.page is None or result.page.next is None:
                return
            following = {name: value for name, value in {**raw, **result.page.next}.items() if value is not None}
            if following == raw:  # it would be this page again
                return
            raw = following

    async def _call(
        self, tool: Tool, raw: Mapping[str, object], progress: Callable[[Progress], None]
    ) -> tuple[Result | None, str]:
        """Make a call; returns its result, None if nothing was sent, and why it failed, in words."""
        async with self._slots:
            try:
                result = await self._read(tool, raw, progress)
                expand = tool.with_role("expand")
                if result.status == 403 and expand is not None and isinstance(paths := raw.get(expand.name), list):
                    # The credential may read the object and not what the page adds to it.
                    requests = len(result.exchanges)
                    result = await self._read(tool, {name: raw[name] for name in raw if name != expand.name}, progress)
                    self._page = replace(self._page, requests=self._page.requests + requests)
                    self._unread += [path for path in paths if result.ok and path not in self._unread]
            except (ArgumentError, NotAllowed, ConnectionSettingsError) as error:
                return None, visible_line(str(error))
        self._page = replace(self._page, requests=self._page.requests + len(result.exchanges))
        status = f"{result.status}: " if result.status is not None else ""
        return result, visible_line(f"{status}{result.failure.cause}") if result.failure is not None else ""

    def _progress(self, id_: str, progress: Progress) -> None:
        if progress.waiting is not None:
            retry = f"retry in {progress.waiting:.0f} s (attempt {progress.attempt + 1})"
            self._set(id_, reason=f"{progress.reason}: {retry}" if progress.reason else retry)

    def _set(self, id_: str, **changes: Any) -> None:
        self._publish(sections=tuple(replace(one, **changes) if one.id == id_ else one for one in self._page.sections))

    def _publish(self, **changes: Any) -> ObjectPage:
        """The page with changes, and what follows from them; the observer gets it."""
        page = replace(self._page, seconds=time.monotonic() - self._began, **changes)
        if page.object is not None:
            headline, tone = build.headline_of(self._definition, page)
            page = replace(
                page,
                attention=tuple(build.said_by(self._definition.attention, page)),
                headline=headline,
                tone=tone,
                facts=(
                    *build.facts_of(self._definition, page, partial(build.name_in, page)),
                    *((f"not permitted: {visible_line(', '.join(self._unread))}",) if self._unread else ()),
                    *((f"page from {page.shared}",) if page.shared else ()),
                ),
                timeline=build.timeline_of(self._definition, page),
            )
        self._page = page
        self._observer(page)
        return page


def _sortable(value: Any) -> tuple[bool, str, Any]:
    """A key that sorts values of any type: of one type by value, missing ones last."""
    return value is None, type(value).__name__, value if isinstance(value, int | float | str) else 0


def _type_of(tool: Tool) -> str:
    return tool.returns.objects[0] if tool.returns.objects else ""


_NOTHING = "Not found"


def _check_id(which: str) -> str:
    """The way out if an object was not found in an account."""
    return f"Check the id and the account {which}, or search for a name instead."


def _not_found(found: Sequence[_Head]) -> Failure:
    """No object of these types exists: names the types, the id and the accounts."""
    *types, last = dict.fromkeys(words_for(one.subject.type) for one in found)
    what = f"{', '.join(types)} or {last}" if types else last
    id_ = found[0].subject.id
    cause = f"No {what} with the {'email' if '@' in id_ else 'id'} {visible_line(id_)}."
    accounts = ", ".join(dict.fromkeys(one.result.connection for one in found if one.result is not None))
    return Failure("service", _NOTHING, cause, _check_id(f"({visible_line(accounts)})"))
