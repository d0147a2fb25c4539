"""Reads a toolkit's declarations of pages, from the ``pages.json`` of its folder.

Everything is data: which calls a page makes, with arguments taken from the object, and what is shown of their results. Texts
are templates, conditions are JMESPath (`registry.pages.templates`). A page with a mistake is left out, with a problem that
names file, field and rule; the rest of the file is used. A toolkit works without the file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import msgspec

from registry.catalog.problems import CatalogProblem
from registry.catalog.reading import of_files
from registry.catalog.toolkit_files import ToolkitFile, folder_of
from registry.pages.templates import condition_problem, template_problem

_FILE = "pages.json"
KEYS = ("states", "objects")
_MOST_SECTIONS, _MOST_PAGES = 40, 10
"""The most sections of one page, and pages of one section's list: each of these pages is a call."""

Tone = Literal["good", "warn", "bad", "muted", "text"]
Text = str | tuple[str, ...]
"""A template, or several; the first one whose values all exist is used."""
_TONES: tuple[Tone, ...] = ("good", "warn", "bad", "muted")


class _Definition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entry whose templates and conditions are checked when it is read; msgspec adds the place to the error."""

    def __post_init__(self) -> None:
        for name in ("title", "show", "why", "columns", "note", "none"):
            for text in _texts(getattr(self, name, ())):
                if problem := template_problem(text):
                    raise ValueError(f"`{name}` {problem}")
        for name in ("where", "when", "sum_where", "develops"):
            if problem := condition_problem(getattr(self, name, "")):
                raise ValueError(f"`{name}` {problem}")


class SectionDefinition(_Definition, frozen=True):
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

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.id.isidentifier():
            raise ValueError(f"needs an id of letters, digits and _; got {self.id!r}")
        if not (self.tool or self.at):
            raise ValueError("needs `tool`, or `at` for a part of the object itself")
        if not 0 < self.pages <= _MOST_PAGES:
            raise ValueError(f"`pages` must be from 1 to {_MOST_PAGES}")


class RuleDefinition(_Definition, frozen=True):
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
    """

    show: Text
    why: Text = ""
    tone: Tone = "warn"
    section: str = ""
    where: str = ""
    when: str = ""
    most: int = 3
    needs: tuple[str, ...] = ()


class MomentDefinition(_Definition, frozen=True):
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


class PageDefinition(_Definition, frozen=True):
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

    def __post_init__(self) -> None:
        super().__post_init__()
        if len(self.sections) > _MOST_SECTIONS:
            raise ValueError(f"has more than {_MOST_SECTIONS} sections")
        known = {""}
        for one in self.sections:
            if one.id in known or one.after not in known:
                raise ValueError(f"the section {one.id} must have its own id, and come after the section that it needs")
            known.add(one.id)
        named = [name for rule in (*self.headline, *self.attention) for name in (rule.section, *rule.needs)]
        if unknown := [name for name in (*named, *(one.section for one in self.timeline)) if name not in known]:
            raise ValueError(f"a rule or a moment names an unknown section: {unknown[0]!r}")


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
    states: dict[str, Tone] = {}
    for name, of_tone in file.entries("states", tuple[str, ...]).items():
        tone = next((one for one in _TONES if one == name), None)
        if tone is None:
            file.problem(f"states.{name}", f"must be one of {', '.join(_TONES)}")
        else:
            states |= dict.fromkeys(of_tone, tone)
    return Pages(file.entries("objects", PageDefinition), states)


def _texts(value: str | Sequence[object]) -> list[str]:
    return [value] if isinstance(value, str) else [text for one in value for text in _texts(one)]  # type: ignore[arg-type]
