"""Reads a toolkit's declarations of pages, from the ``pages.json`` of its folder.

Everything is data: which calls a page makes, with arguments taken from the object, and what is shown of their results. Texts
are templates (`registry.pages.templates`), conditions are JMESPath (`registry.pages.conditions`). An invalid entry is skipped,
with a problem that names file, field and rule; the rest is used. A toolkit works without the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from registry.catalog.problems import CatalogProblem
from registry.catalog.reading import of_files
from registry.catalog.toolkit_files import ToolkitFile, folder_of
from registry.pages.conditions import condition_problem
from registry.pages.templates import template_problem

_FILE = "pages.json"
KEYS = ("states", "objects")

Tone = Literal["good", "warn", "bad", "muted", "text"]
Text = str | tuple[str, ...]
"""A template, or several; the first one whose values all exist is used."""


class SectionDefinition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A section: the objects that one call returns, or that the object itself holds.

    Attributes:
        id: its name within the page, for `after`, rules and the timeline.
        title: its heading.
        tool: the tool to call, with its toolkit in front if that is another one. Empty for a part of the object.
        arguments: templates by parameter. If a value that they need is missing, the section is omitted.
        at: the dotted path of the objects in the response or, without a tool, in the object; by default from the tool.
        item: the dotted path of the object inside each of them.
        link: the dotted path of the object that a row links to, if that is not the row's own.
        type: the type of the objects, if they do not name it.
        where: a condition; objects that do not meet it are neither shown nor counted.
        after: the section whose first row the arguments need, as ``{@id.…}``.
        pages: the most pages of the list to read.
        columns: the templates of a row's cells.
        state: the path of an object's state, shown first in its row and counted in the heading.
        sum: the path of an amount that is added up by currency; only objects that meet `sum_where`.
        sum_where: a condition.
        sum_label: what the sum is: ``due``, ``received``.
        time: the path of an object's time.
        none: the text if there are no objects, or the service responds with 404.
        note: a note about the list.
        brief: shown in one line if all is in order, because it matters less.
    """

    id: str
    title: str
    tool: str = ""
    arguments: Mapping[str, str | tuple[str, ...]] = msgspec.field(default_factory=dict)
    at: str = ""
    item: str = ""
    link: str = ""
    type: str = ""
    where: str = ""
    after: str = ""
    pages: int = 1
    columns: tuple[Text, ...] = ()
    state: str = ""
    sum: str = ""
    sum_where: str = ""
    sum_label: str = ""
    time: str = "created"
    none: str = ""
    note: str = ""
    brief: bool = False


class RuleDefinition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The rule for a sentence: the headline, or an entry of attention.

    Attributes:
        show: the sentence.
        why: its reason, or what happens next.
        tone: its tone.
        section: the section with its objects; empty for the object itself.
        where: a condition that selects the objects.
        when: a further condition, for the page's object.
        most: for at most so many objects, in the service's order.
        needs: sections that must be loaded before it is evaluated.
        first: only if the first object of the section meets `where`: the newest charge, and not an old one.
    """

    show: Text
    why: Text = ""
    tone: Tone = "warn"
    section: str = ""
    where: str = ""
    when: str = ""
    most: int = 3
    needs: tuple[str, ...] = ()
    first: bool = False


class MomentDefinition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entry of the timeline for each object of a section, or for the object itself.

    Attributes:
        at: the dotted path of the time.
        show: what happened.
        section: the section with the objects; empty for the object itself.
        where: a condition that selects them.
        tone: its tone; by default that of the object's state in the section.
    """

    at: str
    show: Text
    section: str = ""
    where: str = ""
    tone: Tone | None = None


class PageDefinition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The page of one type.

    Attributes:
        title: the object's name for people: the first of these templates whose values all exist.
        tool: the tool that reads the object, if that is not the catalogue's choice.
        arguments: further arguments of that call.
        headline: sentences; the first one whose condition is met is the page's headline.
        facts: the facts below it.
        sections: in order.
        attention: in order of importance.
        timeline: the moments of the object and of its sections.
        develops: a condition under which the object changes by itself; its page is then read repeatedly.
    """

    title: tuple[str, ...] = ("{name}", "{id}")
    tool: str = ""
    arguments: Mapping[str, str | tuple[str, ...]] = msgspec.field(default_factory=dict)
    headline: tuple[RuleDefinition, ...] = ()
    facts: tuple[Text, ...] = ()
    sections: tuple[SectionDefinition, ...] = ()
    attention: tuple[RuleDefinition, ...] = ()
    timeline: tuple[MomentDefinition, ...] = ()
    develops: str = ""


@dataclass(frozen=True, slots=True)
class Pages:
    """A toolkit's declarations.

    Attributes:
        objects: definitions by type.
        states: the tone of the toolkit's own states; those of all services are in `registry.results.cells`.
    """

    objects: Mapping[str, PageDefinition] = field(default_factory=dict)
    states: Mapping[str, Tone] = field(default_factory=dict)


def pages_of(toolkit: str) -> Pages:
    """A toolkit's declarations; empty without a file."""
    folder = folder_of(toolkit)
    return _declared(folder)[0] if folder is not None else Pages()


def page_problems(folder: Path) -> tuple[CatalogProblem, ...]:
    """The problems of the ``pages.json`` in a toolkit's folder; empty if there is no such file."""
    return _declared(folder)[1]


@of_files
def _declared(folder: Path) -> tuple[Pages, tuple[CatalogProblem, ...]]:
    file = ToolkitFile(folder, _FILE, KEYS)
    pages = pages_in(file)
    return pages, tuple(file.problems)


def pages_in(file: ToolkitFile) -> Pages:
    """The declarations in a file. Errors become problems of the file."""
    found = {}
    for name, entry in file.entries("objects", dict[str, Any]).items():
        place = f"objects.{name}"
        page = file.converted(place, {key: value for key, value in entry.items() if key not in _LISTS}, PageDefinition)
        if page is None or not all(_holds(file, place, one, getattr(page, one)) for one in ("title", "develops")):
            continue
        page = msgspec.structs.replace(
            page,
            sections=_kept(file, place, "sections", entry, SectionDefinition),
            headline=_kept(file, place, "headline", entry, RuleDefinition),
            attention=_kept(file, place, "attention", entry, RuleDefinition),
            timeline=_kept(file, place, "timeline", entry, MomentDefinition),
        )
        found[name] = _consistent(file, place, page)
    states: dict[str, Tone] = {}
    for name, of_tone in file.entries("states", tuple[str, ...]).items():
        tone = next((one for one in _TONES if one == name), None)
        if tone is None:
            file.problem(f"states.{name}", f"must be one of {', '.join(_TONES)}")
        else:
            states |= dict.fromkeys(of_tone, tone)
    return Pages(found, states)


_TONES: tuple[Tone, ...] = ("good", "warn", "bad", "muted")
_LISTS = ("sections", "headline", "attention", "timeline")
_Entry = TypeVar("_Entry", SectionDefinition, RuleDefinition, MomentDefinition)


def _kept(file: ToolkitFile, place: str, key: str, entry: Mapping[str, Any], type_: type[_Entry]) -> tuple[_Entry, ...]:
    """The valid entries of a list."""
    raw = entry.get(key, [])
    if not isinstance(raw, list):
        file.problem(f"{place}.{key}", "must be a list")
        return ()
    found = []
    for number, one in enumerate(raw):
        here = f"{place}.{key}.{number}"
        made = file.converted(here, one, type_)
        if made is not None and all(_holds(file, here, name, getattr(made, name)) for name in _checked(made)):
            found.append(made)
    return tuple(found)


def _checked(entry: SectionDefinition | RuleDefinition | MomentDefinition) -> Iterator[str]:
    if isinstance(entry, SectionDefinition):
        yield from ("columns", "where", "sum_where", "note", "none")
    else:
        yield from ("show", "where")
        yield from ("why", "when") if isinstance(entry, RuleDefinition) else ()


def _holds(file: ToolkitFile, place: str, name: str, value: Any) -> bool:
    """Whether a template or a condition is valid; if not, it becomes a problem."""
    of = condition_problem if name in ("where", "when", "sum_where", "develops") else template_problem
    for text in _texts(value):
        if problem := of(text):
            file.problem(f"{place}.{name}", problem)
            return False
    return True


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    else:
        for one in value:
            yield from _texts(one)


def _consistent(file: ToolkitFile, place: str, page: PageDefinition) -> PageDefinition:
    """The page without the rules, moments and sections that name a section which is not before them."""
    sections: dict[str, SectionDefinition] = {}
    for one in page.sections:
        if one.id in sections or not one.id.isidentifier():
            file.problem(f"{place}.sections.{one.id}", "needs an id of letters, digits and _ that no other section has")
        elif one.after and one.after not in sections:
            file.problem(f"{place}.sections.{one.id}.after", f"must name an earlier section; got {one.after!r}")
        elif not (one.tool or one.at):
            file.problem(f"{place}.sections.{one.id}", "needs `tool`, or `at` for a part of the object itself")
        else:
            sections[one.id] = one

    def known(key: str, number: int, *names: str) -> bool:
        missing = [name for name in names if name and name not in sections]
        if missing:
            file.problem(f"{place}.{key}.{number}", f"names an unknown section: {missing[0]!r}")
        return not missing

    return msgspec.structs.replace(
        page,
        sections=tuple(sections.values()),
        headline=tuple(r for n, r in enumerate(page.headline) if known("headline", n, r.section, *r.needs)),
        attention=tuple(r for n, r in enumerate(page.attention) if known("attention", n, r.section, *r.needs)),
        timeline=tuple(m for n, m in enumerate(page.timeline) if known("timeline", n, m.section)),
    )
