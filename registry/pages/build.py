"""Builds a page from objects: rows, counts and sums, attention, the timeline, the headline."""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

from msgspec.structs import replace

from registry.calling.receiving import mask
from registry.catalog.loader import bare_type
from registry.catalog.model import Tool
from registry.json_text import NotJson, read_json
from registry.pages.definition import MomentDefinition, PageDefinition, RuleDefinition, SectionDefinition, Tone, pages_of
from registry.pages.page import Attention, Moment, ObjectLink, ObjectPage, PageRow, PageSection, RowHead, Subject, spark
from registry.references.knowledge import Knowledge, knowledge
from registry.references.naming import text_of
from registry.references.routes import ToolkitRoutes, is_older
from registry.references.targets import words_for
from registry.results.cells import Tone as Meaning
from registry.results.cells import cell, label_of, quoted
from registry.results.cells import tone_of as meaning_of
from registry.results.declared import lists_of
from registry.results.headline import plural
from registry.results.templates import Context, at_path, currency_along, fill, holds, paths_in, seconds, value_at, words
from registry.text.shown import currency_beside, visible_line

_DEEPEST, _MOST_RELATED = 5, 24
DAY = 86_400
_MOST_DETAILS = 30
_UNTOLD = ("id", "object", "livemode", "created", "status", "currency", "metadata", "name", "self", "html_url")


def content(body: bytes) -> Any:
    """A response as values, with secrets redacted; None if it is not JSON."""
    try:
        return read_json(mask(body)[0])
    except NotJson:
        return None


def unwrapped(body: Any, type_: str) -> Mapping[str, Any] | None:
    """The object in a response: the response itself, or its property with the type's name; None if it is not an object."""
    if not isinstance(body, dict):
        return None
    inner = body.get(bare_type(type_.rpartition(".")[2]))
    if not isinstance(inner, dict) and len(body) == 1:
        inner = next(iter(body.values()))
    return inner if isinstance(inner, dict) and "id" in inner and "id" not in body else body


def items_in(body: Any, at: str | None, item: str = "", type_: str = "") -> list[Mapping[str, Any]]:
    """The objects of this type in a response: at a path, or it is the list or the object; `item` is a path inside each."""
    found = at_path(body, at or "")
    if isinstance(found, dict):
        found = [unwrapped(found, type_)]
    inside = [at_path(one, item) for one in (found if isinstance(found, list) else [])]
    return [one for one in inside if isinstance(one, dict)]


def type_of(item: Mapping[str, Any], known: Knowledge, otherwise: str) -> str:
    """The type of an object: the one that it names, or else `otherwise`."""
    said = item.get(known.type_in or "")
    if not isinstance(said, str):
        return otherwise
    said = said.removesuffix(known.reference_suffix)
    return next((one for end, one in known.type_suffixes.items() if said.endswith(end)), said) or otherwise


def link_to(item: Mapping[str, Any], toolkit: str, otherwise: str, around: Sequence[tuple[str, str]] = ()) -> ObjectLink | None:
    """The link to an object, with the ids of its owners; None without an id."""
    known = knowledge(toolkit)
    if (id_ := text_of(item)) is None:
        return None
    type_ = type_of(item, known, otherwise)
    owners = list(around)
    for path, types in known.kind(type_).refers.items():
        if (owner := text_of(at_path(item, path))) is not None and len(types) == 1:
            owners.insert(0, (types[0], owner))
    return ObjectLink(toolkit, type_, id_, tuple(owners))


_MEANINGS: dict[Meaning, Tone] = {
    "good": "good", "warn": "warn", "bad": "bad", "waits": "muted", "over": "muted", "plain": "text",
}  # fmt: skip


def tone_of(state: Any, states: Mapping[str, Tone]) -> Tone:
    """The tone of a state: the toolkit's own if it declares one, else from the common meaning of the word."""
    return states.get(state) or _MEANINGS[meaning_of(state)] if isinstance(state, str) else "text"


def rows_of(
    items: Sequence[Mapping[str, Any]], definition: SectionDefinition, toolkit: str, otherwise: str, page: ObjectPage
) -> tuple[PageRow, ...]:
    """The rows of a section's objects; `otherwise` is their type, if neither they nor the section name one."""
    around, states = ((page.subject.type, page.subject.id),), pages_of(toolkit).states
    rows = []
    for item in items:
        context = Context(item, page.object or {}, page.now, title=page.title, zone=page.zone)
        state = at_path(item, definition.state) if definition.state else None
        state = state if isinstance(state, str) else "active" if state is True else "inactive" if state is False else ""
        cells = tuple(fill(one, context) for one in definition.columns)
        if not definition.columns:
            label, id_ = label_of(item), fill("{id}", context)
            amount, created = fill("{amount|money}", context), fill(("{created|date}", "{created_at|date}"), context)
            cells = (*filter(None, (visible_line(label) if label != item.get("id") else "", amount, created)), id_)
        if not any(cells):  # a deleted object has little more than its id
            cells = (visible_line(f"{item.get('id', '')} (deleted)" if item.get("deleted") is True else "not named"),)
        leads = at_path(item, definition.link)
        type_ = definition.type or ("" if definition.link else otherwise)
        link = link_to(leads, toolkit, type_, around) if isinstance(leads, dict) else None
        at, tone = seconds(at_path(item, definition.time)), tone_of(state, states)
        if tone != "bad" and link is not None and lists_of(toolkit).listed([link.type]).notice_of(item):
            tone = "warn"  # as in tables
        rows.append(PageRow(visible_line(words(state)), tone, cells, link, item, at))
    repeats = knowledge(toolkit).kind(definition.type or otherwise).passing  # entries of a log say the same many times
    return tuple(rows if repeats else _told_apart(rows, definition.link))


def _told_apart(rows: Sequence[PageRow], leads: str) -> Iterator[PageRow]:
    """The rows; where several objects have one name, it is followed by the local part of their address, or by their id."""
    ids: defaultdict[str, set[str]] = defaultdict(set)
    for row in rows:
        if row.link is not None:
            ids[row.cells[0]].add(row.link.id)
    for row in rows:
        one, name = at_path(row.item, leads), row.cells[0]
        if row.link is not None and len(ids[name]) > 1 and name == visible_line(label_of(one)):
            local = str(one.get("email") or "").partition("@")[0]
            row = replace(row, cells=(f"{name} ({visible_line(local) or row.link.id})", *row.cells[1:]))
        yield row


def per_day(rows: Sequence[PageRow], definition: SectionDefinition, now: float, *, whole: bool) -> tuple[int | None, ...]:
    """How many objects there are on each of the last days, as periods of 24 hours; None for days before all that was read."""
    ages = [int((now - row.at) // DAY) for row in rows if row.at is not None]
    read = definition.days if whole else max(ages, default=0)
    counts = Counter(ages)
    return tuple(counts[age] if age < read else None for age in reversed(range(definition.days)))


def headline_of(definition: PageDefinition, page: ObjectPage) -> tuple[str, Tone]:
    """The sentence that says what the object is and whether it is in order."""
    if (said := next(said_by(definition.headline, page), None)) is not None:
        return said.words, said.tone
    return visible_line(f"{words_for(page.subject.type).capitalize()} {page.title}"), "text"


def said_by(rules: Sequence[RuleDefinition], page: ObjectPage) -> Iterator[Attention]:
    """The sentences of the rules that hold, each with the object that it is about."""
    states = {one.id: one.state for one in page.sections}
    counts = {f"count_{one.id}": one.count for one in page.sections if one.loaded}
    beside = {"page": page.object, "first": context_of(page).firsts}
    for rule in rules:
        is_ready = page.object is not None and all(states.get(name) == "complete" for name in rule.needs)
        if not is_ready or not holds(rule.when, page.object or {}, page.now, counts):
            continue
        meant = (one for one in _subjects(rule.section, page) if holds(rule.where, one[0], page.now, beside))
        for item, link, _ in islice(meant, rule.most if rule.section else 1):
            context = context_of(page, item)
            if text := fill(rule.show, context):
                yield Attention(text, fill(rule.why, context) if rule.why else "", rule.tone, link)


def facts_of(definition: PageDefinition, page: ObjectPage, name_of: Callable[[str], str]) -> tuple[str, ...]:
    """The facts below the headline; `name_of` returns the names of ids."""
    context, facts = context_of(page), list[str]()
    for one in definition.facts:
        if isinstance(one, RuleDefinition):
            facts += [said.words for said in said_by((one,), page)]
        else:
            facts.append(_named(one, context, name_of))
    return tuple(fact for fact in facts if fact and fact != page.title)  # do not repeat the title


def name_in(page: ObjectPage, id_: str) -> str:
    """The name of an object that a section has read; empty if none has."""
    rows = (row for section in page.sections for row in section.rows)
    return next((visible_line(label_of(row.item)) for row in rows if row.link is not None and row.link.id == id_), "")


def title_of(definition: PageDefinition, item: Mapping[str, Any], otherwise: str, name_of: Callable[[str], str] = str) -> str:
    """An object's title."""
    return _named(definition.title, Context(item), name_of) or visible_line(otherwise)


def _named(template: str | Sequence[str], context: Context, name_of: Callable[[str], str]) -> str:
    """A filled text with names in place of the ids in it, but for the object's own."""
    text = fill(template, context)
    for path in (path for one in ((template,) if isinstance(template, str) else template) for path in paths_in(one)):
        value = value_at(path, context)
        if isinstance(value, str) and value and path != "id":
            text = text.replace(value, name_of(value) or value)
    return text


def timeline_of(definition: PageDefinition, page: ObjectPage) -> tuple[Moment, ...]:
    """All moments, the newest first.

    At the same time, the object's own moments keep the order of the definition, which begins with its creation.
    """
    found: list[tuple[int, Moment]] = []
    states = {one.id: one.state for one in definition.sections}
    for place, moment in enumerate(definition.timeline):
        order = place if moment.section else -place if place else len(definition.timeline)
        for item, link, toolkit in _subjects(moment.section, page):
            at = seconds(at_path(item, moment.at))
            if at is None or not holds(moment.where, item, page.now, {"page": page.object or {}}):
                continue
            if text := fill(moment.show, context_of(page, item)):
                state = at_path(item, states.get(moment.section, "status"))
                tone = moment.tone or tone_of(state, pages_of(toolkit).states)
                found.append((order, Moment(at, text, tone, moment.section, toolkit, link)))
    return tuple(one for _, one in sorted(found, key=lambda one: (-one[1].at, one[0])))


def _subjects(section: str, page: ObjectPage) -> Iterator[tuple[Mapping[str, Any], ObjectLink | None, str]]:
    """The objects of a section, or the page's own, each with its link and its toolkit."""
    if not section and page.object is not None:
        yield page.object, None, page.toolkit
    for row in (row for one in page.sections if one.id == section for row in one.rows):
        yield row.item, row.link, row.link.toolkit if row.link is not None else page.toolkit


def context_of(page: ObjectPage, item: Mapping[str, Any] | None = None) -> Context:
    """The values for templates about one of a page's objects, by default its own."""
    firsts = {one.id: one.rows[0].item for one in page.sections if one.rows}
    counts: dict[str, str] = {}
    for one in page.sections:
        if one.loaded and one.state != "failed":
            counts[one.id] = one.counted
            counts |= {f"{one.id}.{state}": str(count) for state, count in one.by_state.items()}
            counts |= {f"{one.id}.sum": one.sum_words, f"{one.id}.chart": spark(one.days)}
    own = page.object or {}
    return Context(item or own, own, page.now, firsts, counts, page.title, page.zone)


def related(page: ObjectPage, readable: Collection[str]) -> list[PageSection]:
    """The objects that the page's object refers to, of types that some tool reads, and that no section shows. Makes no call."""
    known = knowledge(page.toolkit)
    links = (row.link for one in page.sections for row in one.rows if row.link is not None)
    shown = {(page.subject.type, page.subject.id), *((link.type, link.id) for link in links)}
    rows: list[PageRow] = []
    for path, type_, id_, label in _references(page.object, page.subject.type, known, ""):
        if (type_, id_) not in shown and type_ in readable and len(rows) < _MOST_RELATED:
            shown.add((type_, id_))
            link = ObjectLink(page.toolkit, type_, id_, ((page.subject.type, page.subject.id),))
            cells = map(visible_line, (words(path.replace("[]", "").replace(".", " ")).removesuffix(" id"), label, id_))
            rows.append(PageRow("", "text", tuple(cells), link, {}))
    section = PageSection("related", "Related objects", state="complete", count=len(rows), rows=tuple(rows), brief=True)
    return [section] if rows else []


def details(page: ObjectPage) -> list[PageSection]:
    """The object's own properties in words, for a type whose page no toolkit defines; without those that its facts say."""
    rows = [PageRow("", "text", cells, None, {}) for cells in _details(page.object or {}, "", page)][:_MOST_DETAILS]
    return [PageSection("details", "Details", state="complete", count=len(rows), rows=tuple(rows))] if rows else []


def _details(value: Mapping[str, Any], above: str, page: ObjectPage) -> Iterator[tuple[str, str]]:
    known, around = knowledge(page.toolkit), currency_along(page.object, "")
    related = () if above else known.kind(page.subject.type).refers
    for name, one in value.items():
        if isinstance(one, dict) and not above and "id" not in one:
            yield from _details(one, f"{words(name)} ", page)
        elif isinstance(one, str) and known.types_by_id(one):
            continue
        elif isinstance(one, str | int | float) and name not in _UNTOLD and name not in related:
            said = cell(quoted(name), json.dumps(one).encode(), currency_beside(name, value.get) or around)
            text = words(said.text) if said.kind == "text" and not said.text.startswith("http") else said.text
            if said.kind == "time":
                at = datetime.fromisoformat(f"{text}+00:00").timestamp()
                text = fill("{at|moment}", Context({"at": at}, now=page.now, zone=page.zone))
            if said.kind != "nothing":
                yield f"{above}{words(name)}", {"true": "yes", "false": "no"}[text] if said.kind == "word" else text


def _references(value: Any, type_: str, known: Knowledge, path: str, depth: int = 0) -> Iterator[tuple[str, str, str, str]]:
    """Ids inside an object with their paths, types and labels."""
    refers = known.kind(type_).refers
    if isinstance(value, str | int):
        types, text = refers.get(path, ()), text_of(value) or ""
        fitting = [one for one in known.types_by_id(text) if one in types] or list(types)
        if fitting and text:
            yield path, fitting[0], text, ""
        elif not path.endswith("id") and (by_id := known.types_by_id(text)):
            yield path, by_id[0], text, ""
    elif isinstance(value, list):
        for one in value[:_MOST_RELATED]:
            yield from _references(one, type_, known, f"{path}[]", depth + 1)
    elif isinstance(value, dict) and depth < _DEEPEST:
        id_, own = text_of(value), type_of(value, known, "")
        if path and id_ is not None and own:
            yield path, own, id_, label_of(value) if label_of(value) != id_ else ""
            return
        for name, one in value.items():
            if isinstance(one, str | int | list | dict) and name != "metadata":
                yield from _references(one, type_, known, f"{path}.{name}" if path else name, depth + 1)


# The page of a type that no toolkit defines


_MOST = 12
_TITLES = ("{name}", "{display_name}", "{summary}", "{nickname}", "{title}", "{description}", "{number}", "{email}", "{id}")
_CREATED = ("created", "created_at")


def default_page(type_: str) -> PageDefinition:
    """A page made from the catalogue; the caller adds the sections."""
    title = words_for(type_)
    return PageDefinition(
        title=_TITLES,
        headline=(RuleDefinition(show=f"{title.capitalize()} {{@page.title}}[[: {{status|words}}]]", tone="text"),),
        facts=("{id}", "{amount|money}", "{description}", *(f"created {{{at}|date}}" for at in _CREATED), "{livemode|mode}"),
        timeline=tuple(MomentDefinition(at=at, show=f"{title} created") for at in _CREATED),
    )


def sections_from_catalogue(type_: str, kit: ToolkitRoutes) -> tuple[SectionDefinition, ...]:
    """A section for each list that needs only the object's id, and for each search that finds objects that belong to it."""
    found: dict[str, SectionDefinition] = {}
    for tool, parameter in kit.taking.get(type_, ()):
        others = [one for one in tool.parameters if one.required and one is not parameter]
        is_list = tool.effect == "read" and tool.returns.kind == "list" and not others and not is_older(tool)
        # A filter by the object's own id would show the object again.
        if is_list and type_ not in tool.returns.objects and parameter.type != "array":
            found[tool.own_name] = _section(tool, {parameter.name: "{id}"})
    for tool, arguments in kit.owned_by(type_, "{id}"):
        found.setdefault(tool.own_name, _section(tool, arguments))
    return tuple(found.values())[:_MOST]


def _section(tool: Tool, arguments: Mapping[str, str]) -> SectionDefinition:
    types = " and ".join(dict.fromkeys(plural(words_for(one)) for one in tool.returns.objects[:2]))
    title = types[:1].upper() + types[1:]
    return SectionDefinition(re.sub(r"\W", "_", tool.own_name), title, tool.own_name, arguments, state="status")


def head_of(item: bytes, toolkit: str, otherwise: str, name_of: Callable[[str], str], now: float) -> RowHead:
    """The head of a page for an item of a list, from the item alone.

    `otherwise` is its type if it does not say one, `name_of` returns the names of ids.
    """
    values = unwrapped(content(item), otherwise)
    if values is None:
        return RowHead()
    type_, id_ = type_of(values, knowledge(toolkit), otherwise), fill("{id}", Context(values))
    definition = pages_of(toolkit).objects.get(type_) or default_page(type_)
    title = title_of(definition, values, id_, name_of)
    page = ObjectPage(Subject(type_, id_, "", {}), toolkit, title, object=values, now=now)
    sentence, tone = headline_of(definition, page)
    facts = dict.fromkeys(one for one in facts_of(definition, page, name_of) if one != id_ and one not in sentence)
    return RowHead(sentence, tone, id_, tuple(facts))
