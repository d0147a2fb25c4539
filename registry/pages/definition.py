"""Reads a toolkit's declarations of pages, from the ``pages.json`` of its folder.

Everything is data: which calls a page makes, with arguments taken from the object, and what is shown of their results. Texts
are templates (`registry.pages.templates`), conditions are JMESPath (`registry.pages.conditions`). An invalid entry is left out,
with a problem that names file, field and rule; the rest is used. A toolkit works without the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import msgspec

from registry.catalog.reading import of_files
from registry.catalog.toolkit_files import ToolkitFile, folder_of
from registry.pages.conditions import condition_problem
from registry.pages.templates import template_problem

if TYPE_CHECKING:
    from registry.catalog.problems import CatalogProblem

_FILE = "pages.json"
KEYS = ("states", "objects")

Tone = Literal["good", "warn", "bad", "muted", "text"]
Text = str | tuple[str, ...]
"""A template, or several of which the first one counts whose values are all there."""


class SectionDefinition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A section: the objects that one call answers with, or that the object itself holds.

    Attributes:
        id: its name within the page, for `after`, rules and the timeline.
        title: its heading.
        tool: the tool that is called; with its toolkit in front where that is another one. Empty for a part of the object.
        arguments: templates by parameter. The section is left out where a value is missing that they need.
        at: the dotted path of the objects in the response or, without a tool, in the object; where the tool does not tell.
        item: the dotted path of the object inside each of them.
        link: the dotted path of the object that a row leads to, where that is not the row's own.
        type: the type of the objects, where they do not say it.
        where: a condition; others are neither shown nor counted.
        after: the section whose first row the arguments need, as ``{@id.…}``.
        pages: how many pages of the list are read at most.
        columns: what a row says.
        state: the path of an object's state, shown first in its row and counted in the heading.
        sum: the path of an amount that is added up by currency; only objects that meet `sum_where`.
        sum_where: a condition.
        sum_label: what the sum is: ``due``, ``received``.
        time: the path of an object's time.
        none: what is said where there are none, or the service answers 404.
        note: what the reader should know of the list.
        brief: shown in a line where all is well, as it matters less.
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
        tone: how it is meant.
        section: the section whose objects it is about; empty for the object itself.
        where: which objects.
        when: a condition of the page's own object besides.
        most: for how many objects at most, in the service's order.
        needs: sections that must be loaded before it can be said.
        first: only where the first object of the section meets `where`: the newest charge, and not one of long ago.
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
        section: whose objects; empty for the object itself.
        where: which of them.
        tone: how it is meant; without one, as the state is that the section shows.
    """

    at: str
    show: Text
    section: str = ""
    where: str = ""
    tone: Tone | None = None


class PageDefinition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The page of one type.

    Attributes:
        title: what people call the object: the first of these templates whose values are there.
        tool: the tool that reads the object, where the best one is not the one that the catalogue tells.
        arguments: further arguments of that call.
        headline: sentences of which the first one that holds is the page's headline.
        facts: what stands below it.
        sections: in order.
        attention: in order of importance.
        timeline: the object's own and those of its sections.
        develops: a condition of the object under which it changes by itself; its page is then read again and again.
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
        states: the tone of the toolkit's own states; those of all services are in `registry.tables.states`.
    """

    objects: Mapping[str, PageDefinition] = field(default_factory=dict)
    states: Mapping[str, Tone] = field(default_factory=dict)


def pages_of(toolkit: str) -> Pages:
    """What a toolkit declares; nothing for one without a file."""
    folder = folder_of(toolkit)
    return _declared(folder)[0] if folder is not None else Pages()


def page_problems(folder: Path) -> tuple[CatalogProblem, ...]:
    """What is wrong with the ``pages.json`` of a toolkit's folder; nothing where there is no such file."""
    return _declared(folder)[1]


@of_files
def _declared(folder: Path) -> tuple[Pages, tuple[CatalogProblem, ...]]:
    file = ToolkitFile(folder, _FILE, KEYS)
    pages = pages_in(file)
    return pages, tuple(file.problems)


def pages_in(file: ToolkitFile) -> Pages:
    """The declarations of a file. Mistakes become problems of the file."""
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
        file.problem(f"{place}.{key}", "a list is required here")
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
    """Whether a template or a condition can be read; otherwise it becomes a problem."""
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
    """The page without rules, moments and sections that name a section that is not before them."""
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
