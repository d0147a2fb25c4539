"""Home: what needs somebody, one line for each subject, from the ``home.json`` of the toolkits' folders.

A toolkit's home is read as the sections of a page without an object (`registry.pages.loading`), and a line is a sentence about
its sections, made by the rules of headlines. docs/object-pages.md says what each field means. A toolkit works without the file.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct
from msgspec.structs import replace

from registry.catalog.folders import CatalogProblem
from registry.catalog.loader import ToolkitFile, declarations
from registry.catalog.model import Tool
from registry.pages.build import said_by
from registry.pages.definition import Definition, PageDefinition, RuleDefinition, SectionDefinition, Tone
from registry.pages.page import SIGNS, ObjectPage, PageSection
from registry.results.templates import CLOCKS
from registry.text.shown import visible_line

_FILE = "home.json"
_KEYS = ("sections", "lines", "ask", "ask_on_sandbox")
FORMER = "first_questions.json"
"""The questions of former versions: what is asked where a toolkit has no file for home."""

LineState = Literal["unread", "reading", "read", "failed"]


class LineDefinition(Definition, frozen=True):
    """A line: what it is about (`title`), the sections that it needs, its sentences, and what Enter opens, by name.

    Without its first section there is nothing to say; the others may fail. The first section's call is what opens, or the
    dashboard; of the list that opens, `filter` leaves the rows that the sentence is about. `sign` replaces the sign of a tone
    that needs somebody; `top` is the line in a few words, for the top of the screen.
    """

    title: str
    sections: Annotated[tuple[str, ...], Meta(min_length=1)]
    says: tuple[RuleDefinition, ...]
    opens: str
    filter: str = ""
    dashboard: bool = False
    sign: str = ""
    top: tuple[RuleDefinition, ...] = ()


class HomeDefinition(Struct, frozen=True):
    """A toolkit's part of home: sections, lines, and questions for the ask line, some of them about objects of the sandbox."""

    sections: tuple[SectionDefinition, ...] = ()
    lines: tuple[LineDefinition, ...] = ()
    ask: tuple[str, ...] = ()
    ask_on_sandbox: tuple[str, ...] = ()

    @property
    def ticks(self) -> bool:
        """Whether a sentence has a clock, so that it changes each second."""
        rules = [str((rule.show, rule.why)) for line in self.lines for rule in (*line.says, *line.top)]
        return any(f"|{clock}}}" in text for text in rules for clock in CLOCKS)

    @property
    def lists(self) -> int:
        """The most calls that reading it makes in an account: one page of each list."""
        return sum(one.each or 1 for one in self.sections if one.tool)


class HomeLine(Struct, frozen=True):
    """A line as it is shown, safe for a screen: its sign and sentence, `why` in more words, what opens, `top` in a few words.

    `call` is what opens: a tool with arguments; None for the dashboard. `filter` is that of the table which shows it.
    `explains`: it may have a `why`, even if it is empty.
    """

    state: LineState
    tone: Tone
    sign: str
    words: str
    why: str
    opens: str
    call: tuple[str, Mapping[str, object]] | None
    explains: bool
    top: str = ""
    filter: str = ""


def _home_in(file: ToolkitFile) -> HomeDefinition:
    sections: list[SectionDefinition] = []
    lines: list[LineDefinition] = []
    for place, one in enumerate(file.listed("sections", SectionDefinition)):
        if not _wrong(file, f"sections[{place}]", [*sections, one]):
            sections.append(one)
    for place, line in enumerate(file.listed("lines", LineDefinition)):
        if not _wrong(file, f"lines[{place}]", sections, line):
            lines.append(line)
    ask = tuple(file.listed("ask", str))
    if not (file.folder / _FILE).exists():
        former = ToolkitFile(file.folder, FORMER, ("questions", "pastes", "also", "learnt"))
        asked = [one.get("text") for one in former.listed("questions", dict)]
        ask = tuple(text for text in asked if isinstance(text, str))
    return HomeDefinition(tuple(sections), tuple(lines), ask, tuple(file.listed("ask_on_sandbox", str)))


home_of, read_home = declarations(_FILE, _KEYS, _home_in)


def home_problems(folder: Path, tools: Mapping[str, Tool]) -> list[CatalogProblem]:
    """The mistakes in a ``home.json``, also those in its calls, checked against the tools."""
    home, problems = read_home(folder)
    file = ToolkitFile(folder, _FILE, _KEYS)
    before = len(file.problems)
    for one in home.sections:
        tool, field = tools.get(one.tool), f"sections.{one.id}"
        if one.tool and (tool is None or tool.effect != "read"):
            file.problem(f"{field}.tool", f"there is no tool {one.tool} that reads")
        elif tool is not None and (unknown := [name for name in one.arguments if tool.parameter(name) is None]):
            file.problem(f"{field}.arguments.{unknown[0]}", f"is not a parameter of {one.tool}")
    return [*problems, *file.problems[before:]]


def _wrong(file: ToolkitFile, field: str, sections: Sequence[SectionDefinition], line: LineDefinition | None = None) -> bool:
    """Whether sections, and a line about them, break a rule of pages, which is then a problem of the file."""
    rules = [*line.says, *line.top, *(RuleDefinition(show="", section=name) for name in line.sections)] if line else []
    try:
        PageDefinition(sections=tuple(sections), headline=tuple(rules))
    except ValueError as error:
        file.problem(field, str(error))
        return True
    return False


def lines_of(home: HomeDefinition, page: ObjectPage | None, now: float) -> list[HomeLine]:
    """The lines of a toolkit's home at a moment, each in its place: one that was not read yet says only its subject."""
    page = replace(page, now=now) if page is not None else None
    sections = {one.id: one for one in page.sections} if page is not None else {}
    return [_line(home, line, page, [sections.get(name) for name in line.sections]) for line in home.lines]


def _line(
    home: HomeDefinition, line: LineDefinition, page: ObjectPage | None, needed: Sequence[PageSection | None]
) -> HomeLine:
    first = next(one for one in home.sections if one.id == line.sections[0])
    title, opens = visible_line(line.title), visible_line(line.opens)
    call = None if line.dashboard else (first.tool, dict(first.arguments))
    explains = any(rule.why for rule in line.says)
    unread = HomeLine("unread", "muted", "·", title, "", opens, call, explains, filter=line.filter)
    if page is None:
        return unread
    if not all(one is not None and one.loaded for one in needed):
        waits = needed[0].reason if needed[0] is not None and needed[0].state == "loading" else ""
        return replace(unread, state="reading", words=f"{title}: {waits}" if waits else f"{title} …")
    if needed[0] is not None and needed[0].state == "failed":
        top = f"{title}: not read" if line.top else ""
        return replace(unread, state="failed", tone="warn", sign="?", words=f"{title}: not read. {needed[0].reason}", top=top)
    said, at_top = (next(said_by(rules, page), None) for rules in (line.says, line.top))
    if said is None:
        lacks = next((one for one in needed if one is not None and one.state in ("partial", "failed")), None)
        words = f"{title}: none in what was read{f' ({lacks.reason})' if lacks else ''}"
        return replace(unread, state="read", sign=SIGNS["muted"], words=words)
    sign = visible_line(line.sign) if line.sign and said.tone in ("bad", "warn") else SIGNS[said.tone]
    top = at_top.words if at_top is not None else ""
    return replace(unread, state="read", tone=said.tone, sign=sign, words=said.words, why=said.why, top=top)
