"""Reads a toolkit's declarations of pages, from the ``pages.json`` of its folder.

Everything is data: which calls a page makes, with arguments taken from the object, and what is shown of their results. Texts
are templates, conditions are JMESPath (`registry.results.templates`); docs/object-pages.md says what each field means. A page
with a mistake is left out, with a problem that names file, field and rule; the rest of the file is used. A toolkit works
without the file.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from registry.catalog.loader import ToolkitFile, declarations
from registry.catalog.shared_folders import SharedFolder, shared_files
from registry.results.grouping import Unit
from registry.results.templates import condition_problem, template_problem

KEYS = ("states", "objects")
# The most sections of one page, and pages of one section's list: each of these pages is a call.
_MOST_SECTIONS, _MOST_PAGES = 40, 10

Tone = Literal["good", "warn", "bad", "muted", "text"]
Text = str | tuple[str, ...]  # a template, or several; the first one whose values all exist is used
_TONES: Mapping[str, Tone] = {"good": "good", "warn": "warn", "bad": "bad", "muted": "muted"}


class Definition(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An entry whose templates and conditions are checked when it is read; msgspec adds the place to the error."""

    def __post_init__(self) -> None:
        for name in ("title", "show", "why", "columns", "note", "none"):
            for text in _texts(getattr(self, name, ())):
                if problem := template_problem(text):
                    raise ValueError(f"`{name}` {problem}")
        for name in ("where", "when", "sum_where", "develops"):
            if problem := condition_problem(getattr(self, name, "")):
                raise ValueError(f"`{name}` {problem}")


class ChartDefinition(Definition, frozen=True):
    """A small chart of a section's objects that meet `where`: how many there are in each `unit` of the section's `time`.

    With `of`, the path of an amount: their sums; or ``start..end``: how long each of the last ones took.
    """

    title: str
    of: str = ""
    unit: Unit = "month"
    where: str = ""


class SectionDefinition(Definition, frozen=True):
    """A section: the objects that one call returns or, without `tool`, that the object holds; paths are dotted.

    `at` is the path of the objects in the response (by default the tool's), or ``@section`` for those of another section that
    `where` selects, oldest first; `item` is the path of the object inside each of them,
    `link` that of the object that a row leads to. `type` is for objects that do not name theirs. `none` is shown if there are
    no objects, or the service answers 404. `covers` says which objects its arguments select, in words that follow their number;
    None takes what the list's tool declares.

    `after` names a section that is needed: its first object or, with `each`, so many of its objects, with a call for each of
    them. `needs` names others that `where` is about; they may fail.
    `sort` is the path by which objects are sorted, `distinct` that of the values that are counted, and `days` how many days a
    chart of their times shows.
    """

    id: Annotated[str, msgspec.Meta(pattern=r"^[A-Za-z_]\w*$")]
    title: str
    tool: str = ""
    arguments: Mapping[str, str | tuple[str, ...]] = msgspec.field(default_factory=dict)
    at: str = ""
    item: str = ""
    link: str = ""
    type: str = ""
    where: str = ""
    after: str = ""
    each: Annotated[int, msgspec.Meta(ge=0, le=_MOST_PAGES)] = 0
    needs: tuple[str, ...] = ()
    pages: Annotated[int, msgspec.Meta(ge=1, le=_MOST_PAGES)] = 1
    sort: str = ""
    distinct: str = ""
    days: Annotated[int, msgspec.Meta(ge=0, le=31)] = 0
    columns: tuple[Text, ...] = ()
    state: str = ""
    sum: str = ""
    sum_where: str = ""
    sum_label: str = ""
    time: str = "created"
    none: str = ""
    note: str = ""
    covers: str | None = None
    brief: bool = False
    charts: tuple[ChartDefinition, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (self.tool or self.at):
            raise ValueError("needs `tool`, or `at` for a part of the object itself")
        if self.each and not (self.tool and self.after):
            raise ValueError("`each` needs `tool` and `after`")


class RuleDefinition(Definition, frozen=True):
    """The rule for a sentence: `where` selects objects of the section, at most so many, `when` is about the page's object."""

    show: Text
    why: Text = ""
    tone: Tone = "warn"
    section: str = ""
    where: str = ""
    when: str = ""
    most: int = 3
    needs: tuple[str, ...] = ()


class MomentDefinition(Definition, frozen=True):
    """An entry of the timeline for each object of a section, or for the object itself; by default in the tone of its state."""

    at: str
    show: Text
    section: str = ""
    where: str = ""
    tone: Tone | None = None


class PageDefinition(Definition, frozen=True):
    """The page of one type. `tool` reads the object, if that is not the catalogue's choice."""

    title: tuple[str, ...] = ("{name}", "{id}")
    tool: str = ""
    arguments: Mapping[str, str | tuple[str, ...]] = msgspec.field(default_factory=dict)
    headline: tuple[RuleDefinition, ...] = ()
    facts: tuple[Text | RuleDefinition, ...] = ()
    sections: Annotated[tuple[SectionDefinition, ...], msgspec.Meta(max_length=_MOST_SECTIONS)] = ()
    attention: tuple[RuleDefinition, ...] = ()
    timeline: tuple[MomentDefinition, ...] = ()
    develops: str = ""

    def __post_init__(self) -> None:
        super().__post_init__()
        known = {""}
        for one in self.sections:
            if one.id in known or not known.issuperset((one.after, *one.needs)):
                raise ValueError(f"the section {one.id} must have its own id, and come after the section that it needs")
            known.add(one.id)
        rules = (*self.headline, *self.attention, *(one for one in self.facts if isinstance(one, RuleDefinition)))
        named = [name for rule in rules for name in (rule.section, *rule.needs)]
        if unknown := [name for name in (*named, *(one.section for one in self.timeline)) if name not in known]:
            raise ValueError(f"a rule or a moment names an unknown section: {unknown[0]!r}")


class Pages(NamedTuple):
    """A toolkit's definitions by type, and the tones of its own states; the common ones are in `registry.results.cells`."""

    objects: Mapping[str, PageDefinition] = {}
    states: Mapping[str, Tone] = {}


def pages_in(file: ToolkitFile) -> Pages:
    """The declarations in a file. Errors become problems of the file."""
    states: dict[str, Tone] = {}
    for name, of_tone in file.entries("states", tuple[str, ...]).items():
        if (tone := _TONES.get(name)) is None:
            file.problem(f"states.{name}", f"must be one of {', '.join(_TONES)}")
        else:
            states |= dict.fromkeys(of_tone, tone)
    return Pages(file.entries("objects", PageDefinition), states)


pages_of, read_pages = declarations("pages.json", KEYS, pages_in)


class SharedPages:
    """The pages of the folders that a team shares: ``pages/TOOLKIT.json``, in the form of a toolkit's ``pages.json``.

    A toolkit's own definition of a type has priority over theirs, but not over those of the folder that is `wanted` by name.
    Only the toolkit defines how an object is read (`tool` and `arguments`), and the states. `problems` are those of the files,
    in words.
    """

    def __init__(self, folders: Callable[[], Sequence[SharedFolder]] = tuple, wanted: str = "") -> None:
        self._folders = folders
        self._wanted = wanted
        self._found: dict[tuple[str, str], list[tuple[str, PageDefinition]]] = {}
        self.problems: list[str] = []

    def read(self) -> None:
        """Read the folders' files; not for an event loop."""
        files = shared_files("pages", self._folders())
        self.problems, self._found = list(files.notices), {}
        for one in files.files:
            try:
                content: Any = json.loads(one.content.decode("utf-8-sig"))
            except (ValueError, RecursionError):
                self.problems.append(f"{one.shown} is not JSON.")
                continue
            file = ToolkitFile(one.path.parent, one.path.name, KEYS, content)
            for type_, page in pages_in(file).objects.items():
                page = replace(page, tool="", arguments={})
                self._found.setdefault((one.path.stem, type_), []).append((one.folder, page))
            self.problems += map(str, file.problems)

    def of(self, toolkit: str, type_: str, *, has_own: bool) -> tuple[str, PageDefinition] | None:
        """The folder and the definition to use for a type; None for the toolkit's own or the default one."""
        found = self._found.get((toolkit, type_), [])
        if self._wanted:
            return next((one for one in found if one[0] == self._wanted), None)
        return found[0] if found and not has_own else None


def _texts(value: str | Sequence[object]) -> list[str]:
    return [value] if isinstance(value, str) else [text for one in value for text in _texts(one)]  # type: ignore[arg-type]
