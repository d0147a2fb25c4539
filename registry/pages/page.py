"""A page as values: an object and its related objects, at one moment of loading; and as text, Markdown and JSON values.

Values from outside cannot become markup.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, tzinfo
from itertools import groupby, zip_longest
from math import ceil
from typing import Any, Literal

from msgspec import Struct, field

from registry.calling.result import Failure, Result
from registry.pages.definition import Tone
from registry.results.templates import words
from registry.text.shown import money

_BARS = "▁▂▃▄▅▆▇"  # the lowest for none

State = Literal["loading", "waiting", "complete", "partial", "failed"]


class Subject(Struct, frozen=True):
    """What a page is about, and the call that reads it: with `listed`, a list in which the object must be found."""

    type: str
    id: str
    tool: str
    arguments: Mapping[str, object]
    listed: bool = False


class ObjectLink(Struct, frozen=True):
    """What opens the page of an object. `type` is empty if only the id shows it; `owners` are the ids around it, by type."""

    toolkit: str
    type: str
    id: str
    owners: tuple[tuple[str, str], ...] = ()


class PageRow(Struct, frozen=True):
    """An object of a section: its state in words and its tone, the other cells, its own properties without secrets.

    `link` is None without an id; `at` is its time in Unix seconds.
    """

    state: str
    tone: Tone
    cells: tuple[str, ...]
    link: ObjectLink | None
    item: Mapping[str, Any]
    at: float | None = None


def spark(values: Sequence[float | None]) -> str:
    """Values as one character each, the lowest for nothing; a dot for what was not read."""
    most = max((one for one in values if one is not None), default=0)
    steps = len(_BARS) - 1
    return "".join("·" if one is None else _BARS[ceil(one / most * steps) if one > 0 else 0] for one in values)


class PageSection(Struct, frozen=True):
    """A section, with the state of its call; without `tool`, the object itself holds it.

    `partial` means that there are more pages, or that one failed; `reason` says why it failed, is partial or waits. `is_total`:
    the service reported `count`; otherwise it counts those of the `read` objects that the section is about. `sums` are in the
    currencies' smallest units. `days` are the numbers of objects on each of the last days, the latest last, None for a day that
    was not read whole. `covers` says what the service or the section's arguments leave of such objects, in words that follow
    their number: ``of the last month``. `brief` ones take one line if all is in order.
    """

    id: str
    title: str
    tool: str = ""
    arguments: Mapping[str, object] | None = None
    state: State = "loading"
    count: int = 0
    read: int = 0
    is_total: bool = False
    rows: tuple[PageRow, ...] = ()
    by_state: Mapping[str, int] = field(default_factory=dict)
    sums: Mapping[str, int] = field(default_factory=dict)
    sum_label: str = ""
    days: tuple[int | None, ...] = ()
    reason: str = ""
    note: str = ""
    covers: str = ""
    brief: bool = False
    charts: tuple[str, ...] = ()

    @property
    def loaded(self) -> bool:
        """Whether nothing more will come."""
        return self.state in ("complete", "partial", "failed")

    @property
    def _amounts(self) -> list[str]:
        return [money(amount, currency) for currency, amount in self.sums.items() if amount]

    @property
    def summary(self) -> str:
        """The number of each state, and the sums, in words: ``3 paid, 1 open · 42.00 USD``."""
        several = len(self.by_state) > 1
        states = ", ".join(f"{count} {words(state)}" for state, count in self.by_state.items() if several)
        sums = self._amounts
        label = f" {self.sum_label}" if self.sum_label else ""
        if len(self.rows) < self.count or self.state == "partial":
            label += f" of the first {len(self.rows):,}"
        if sums:
            sums[-1] += label
        elif states:
            states += label.removeprefix(f" {self.sum_label}")
        return " · ".join(filter(None, (states, *sums)))

    @property
    def sum_words(self) -> str:
        """The sums in words, the three largest numbers of objects first: ``$42.00, €10.00``; and of how many, if not of all."""
        sums = self._amounts
        more = f" and {len(sums) - 3} more currencies" if len(sums) > 3 else ""
        return ", ".join(sums[:3]) + more + (f" in the first {self.read:,}" if sums and self.state == "partial" else "")

    @property
    def counted(self) -> str:
        """The number of objects in words: ``4``, ``100+``, or ``not known``."""
        if self.state == "failed" or not self.loaded:
            return "not known" if self.state == "failed" else ""
        return f"{self.count}" if self.state == "complete" or self.is_total else f"{self.count}+"


class Attention(Struct, frozen=True):
    """Something that needs attention, and its reason."""

    words: str
    why: str
    tone: Tone
    link: ObjectLink | None


class Moment(Struct, frozen=True):
    """An entry of the timeline, in Unix seconds and perhaps in the future; without `section`, of the object itself."""

    at: float
    words: str
    tone: Tone
    section: str
    toolkit: str
    link: ObjectLink | None


def repeated(moments: Iterable[Moment], now: float) -> list[tuple[Moment, ...]]:
    """A timeline with adjacent equal entries of one section together; future entries are not put together with past ones."""

    def said(one: Moment) -> tuple[object, ...]:
        return one.words, one.section, one.toolkit, one.tone, one.at > now

    return [tuple(group) for _, group in groupby(moments, key=said)]


class ObjectPage(Struct, frozen=True):
    """The page of an object, as far as it was loaded `seconds` after the start; `now` is the moment to which all of it refers.

    `object` is None until it was read, by the call `head`; or `failure` says why not. While sections load, `attention` is what
    is known. `shared` is the shared folder with its definition, `zone` the zone of its times (None for this computer's).
    `develops`: the object changes by itself, as an open incident does, so that its page is read again.
    """

    subject: Subject
    toolkit: str
    title: str = ""
    headline: str = ""
    tone: Tone = "text"
    facts: tuple[str, ...] = ()
    object: Mapping[str, Any] | None = None
    head: Result | None = None
    failure: Failure | None = None
    attention: tuple[Attention, ...] = ()
    sections: tuple[PageSection, ...] = ()
    timeline: tuple[Moment, ...] = ()
    now: float = 0.0
    seconds: float = 0.0
    requests: int = 0
    shared: str = ""
    zone: tzinfo | None = None
    develops: bool = False

    @property
    def loaded(self) -> bool:
        """Whether nothing more will come."""
        return self.failure is not None or (self.object is not None and all(one.loaded for one in self.sections))

    @property
    def is_deleted(self) -> bool:
        """Whether the service says that the object was deleted."""
        return self.object is not None and self.object.get("deleted") is True

    @property
    def complete(self) -> bool:
        """Whether everything was read."""
        return self.object is not None and all(one.state == "complete" for one in self.sections)

    @property
    def progress(self) -> str:
        """How much of it was read, in words: ``loading …``, ``complete``, ``partial`` or ``not loaded``."""
        if not self.loaded:
            return "loading …"
        return "complete" if self.complete else "partial" if self.object is not None else "not loaded"


class RowHead(Struct, frozen=True):
    """The head of an object's page: a sentence, its tone, the object's id, and the facts that people ask for next."""

    sentence: str = ""
    tone: Tone = "text"
    id: str = ""
    facts: tuple[str, ...] = ()


# The sign of each tone, so that colour is never the only difference.
SIGNS: dict[Tone, str] = {"good": "✓", "warn": "!", "bad": "✗", "muted": "◦", "text": " "}

_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~!])")
_ROWS, _MOMENTS = 10, 20


def as_lines(page: ObjectPage) -> list[str]:
    """A page as lines of plain text, safe to print."""
    needed = [
        text for one in page.attention for text in (f"  {SIGNS[one.tone]} {one.words}", f"      {one.why}") if text.strip()
    ]
    timeline = [f"  {one}" for one in _timeline(page, signs=True)]
    blocks = [
        [page.headline, *(["  " + " · ".join(page.facts)] if page.facts else [])],
        [f"Needs attention {len(page.attention)}", *needed] if needed else [],
        *map(_section_lines, filter(_tells, page.sections)),
        list(filter(None, [nothing_in(page.sections)])),
        [f"Timeline {len(page.timeline)}", *timeline] if timeline else [],
    ]
    return [line for block in blocks if block for line in ("", *block)][1:]


def _section_lines(section: PageSection) -> list[str]:
    rows = []
    cells = [(row.state, *row.cells) for row in section.rows[:_ROWS]]
    widths = [max(map(len, column)) for column in zip_longest(*cells, fillvalue="")]  # in characters
    for row in section.rows[:_ROWS]:
        columns = zip((row.state, *row.cells), widths, strict=False)
        parts = [cell.ljust(width) for cell, width in columns if width]
        rows.append(f"{SIGNS[row.tone]} {'  '.join(parts)}".rstrip())
    beside = (*section.charts, *rows, *_more(section), section.reason, section.note)
    return ["  ".join(filter(None, (section_title(section), section.tool))), *(f"  {one}" for one in beside if one)]


def as_markdown(page: ObjectPage) -> str:
    """A page as Markdown for a ticket."""
    attention = [f"- **{_plain(one.words)}** {_plain(one.why)}".rstrip() for one in page.attention]
    timeline = [f"- {_plain(one)}" for one in _timeline(page)]
    blocks = [
        [f"## {_plain(page.headline)}"],
        [_plain(" · ".join(page.facts))],
        [f"{page.subject.type} `{_code(page.subject.id)}`, {stamp(page.now, page.zone)}"],
        *([[f"### Needs attention ({len(attention)})"], attention] if attention else []),
        *(block for section in filter(_tells, page.sections) for block in _section_blocks(section)),
        list(filter(None, [_plain(nothing_in(page.sections))])),
        *([[f"### Timeline ({len(page.timeline)})"], timeline] if timeline else []),
    ]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _section_blocks(section: PageSection) -> list[list[str]]:
    source = f" (`{_code(section.tool)}`)" if section.tool else ""
    reason = f"*{_plain(section.reason or 'none')}*"
    rows = [_line(row) for row in section.rows[:_ROWS]] or [reason]
    heading = f"### {_plain(section_title(section))}{source}"
    return [[heading], [*rows, *(f"- {one}" for one in _more(section))], [reason] if section.rows and section.reason else []]


def _timeline(page: ObjectPage, *, signs: bool = False) -> list[str]:
    """The newest entries, with repeated ones folded, and how many more there are."""
    entries = repeated(page.timeline, page.now)[:_MOMENTS]
    lines = []
    for one in entries:
        first, sign = one[-1], f" {SIGNS[one[0].tone]} " if signs else ""
        again = f" × {len(one)}, until {stamp(one[0].at, page.zone)}" if len(one) > 1 else ""
        lines.append(f"{stamp(first.at, page.zone)} {sign}{first.words}{again}")
    rest = len(page.timeline) - sum(map(len, entries))
    return [*lines, f"{rest:,} more"] if rest > 0 else lines


def _more(section: PageSection) -> list[str]:
    rest = section.count - min(len(section.rows), _ROWS)
    return [f"{rest:,} more"] if rest > 0 and section.state != "failed" else []


def _tells(section: PageSection) -> bool:
    return bool(section.rows) or section.state != "complete"


def nothing_in(sections: Iterable[PageSection]) -> str:
    """The sections that were read and have no object, in one line."""
    titles = [f"{one.title} {one.covers}".rstrip() for one in sections if not _tells(one)]
    names = (one[:1].lower() + one[1:] if one[1:2].islower() else one for one in titles)
    return f"None: {', '.join(names)}" if titles else ""


def section_title(section: PageSection) -> str:
    """A section's heading with its count and summary: ``Invoices 4 · 3 paid, 1 open``."""
    if section.state == "failed":
        return f"{section.title}: failed"
    words = " ".join(filter(None, (section.title, section.counted, section.covers)))
    return " · ".join(filter(None, (words, section.summary)))


def stamp(at: float, zone: tzinfo | None = None) -> str:
    """A time with its zone, by default this computer's."""
    then = datetime.fromtimestamp(at).astimezone(zone)
    return f"{then:%a} {then.day:2} {then:%b %Y %H:%M %Z}"


def _line(row: PageRow) -> str:
    id_ = f" `{_code(row.link.id)}`" if row.link is not None else ""
    return f"- {_plain(', '.join(filter(None, (row.state, *row.cells))))}{id_}"


def _plain(text: str) -> str:
    return _MARKUP.sub(r"\\\1", text)


def _code(text: str) -> str:
    return text.replace("`", "'")


def as_json(page: ObjectPage) -> dict[str, Any]:
    """A page as JSON values. Amounts in `sums` are in the smallest unit of their currency, times are ISO in UTC."""
    return {
        "object": page.subject.type,
        "id": page.subject.id,
        "title": page.title,
        "head": {
            "headline": page.headline,
            "tone": page.tone,
            "facts": list(page.facts),
            "tool": page.subject.tool,
            "arguments": dict(page.subject.arguments),
        },
        "attention": [{"words": one.words, "why": one.why, "tone": one.tone, **_linked(one.link)} for one in page.attention],
        "sections": [_section(one) for one in page.sections],
        "timeline": [
            {"at": _iso(one.at), "words": one.words, "tone": one.tone, "section": one.section, **_linked(one.link)}
            for one in page.timeline
        ],
        "complete": page.complete,
        **({"shared": page.shared} if page.shared else {}),
    }


def _section(one: PageSection) -> dict[str, Any]:
    return {
        "title": one.title,
        "tool": one.tool or None,
        "arguments": dict(one.arguments) if one.arguments is not None else {},
        "state": one.state,
        "reason": one.reason or None,
        "count": None if one.state == "failed" else one.count,
        "complete": one.state == "complete",
        "covers": one.covers or None,
        "by_state": dict(one.by_state),
        "sums": dict(one.sums),
        "rows": [
            {
                **_linked(row.link),
                "state": row.state or None,
                "cells": [*filter(None, row.cells)],
                "at": _iso(row.at) if row.at is not None else None,
            }
            for row in one.rows
        ],
    }


def _linked(link: ObjectLink | None) -> dict[str, Any]:
    return {"object": link.type if link is not None else None, "id": link.id if link is not None else None}


def _iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
