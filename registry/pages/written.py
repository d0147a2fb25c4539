"""A page as text, plain for a terminal or Markdown for a ticket; and as JSON values for scripts and agents.

Values from outside cannot become markup.
"""

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, tzinfo
from itertools import zip_longest
from typing import Any

from registry.pages.definition import Tone
from registry.pages.page import ObjectLink, ObjectPage, PageRow, PageSection, repeated

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
    rows = section.rows[:_ROWS]
    widths = column_widths(rows)
    beside = (*section.charts, *(row_text(row, widths) for row in rows), *_more(section), section.reason, section.note)
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


def column_widths(rows: Sequence[PageRow]) -> list[int]:
    """The width of each column of a section's rows in characters: the state first, then the cells."""
    columns = zip_longest(*([row.state, *row.cells] for row in rows), fillvalue="")
    return [max(map(len, column)) for column in columns]


def row_text(row: PageRow, widths: Sequence[int]) -> str:
    """A row in columns: its sign, its state, its cells."""
    parts = [cell.ljust(width) for cell, width in zip((row.state, *row.cells), widths, strict=False) if width]
    return f"{SIGNS[row.tone]} {'  '.join(parts)}".rstrip()


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
        "rows": [_linked(row.link) | _row(row) for row in one.rows],
    }


def _row(row: PageRow) -> dict[str, Any]:
    at = _iso(row.at) if row.at is not None else None
    return {"state": row.state or None, "cells": [cell for cell in row.cells if cell], "at": at}


def _linked(link: ObjectLink | None) -> dict[str, Any]:
    return {"object": link.type if link is not None else None, "id": link.id if link is not None else None}


def _iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
