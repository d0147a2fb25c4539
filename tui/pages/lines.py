"""A page as lines for a screen of a given width: text in tones, and the link of each line. Uses no widgets."""

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from itertools import zip_longest
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len
from textual.content import Content

from registry.accounts.connection import Connection
from registry.pages.page import SIGNS, Moment, ObjectLink, ObjectPage, PageRow, PageSection, nothing_in, repeated
from registry.text.shown import distance, shortened
from tui.widgets.texts import COLOURS, cut, flow, in_cells, live_chip

TextStyle = Literal["text", "strong", "muted", "good", "warn", "bad", "accent"]
Part = tuple[str, TextStyle]
"""A text and its style."""

_AMOUNT, _DIGIT = re.compile(r"([a-z]+ )?-?[^\w\s]?[\d,]+(\.\d+)?( [A-Z]{3})?"), re.compile(r"\d")
_NARROWEST, _LONG_NUMBER, _STAMP, _FEW = 9, 20, 14, 3
_AGED = 60.0
"""Seconds after which a page shows its age."""
HEAD = ""


class PageLine(Struct, frozen=True):
    """A line of a page.

    Attributes:
        key: identifies the line, also when more of the page is loaded.
        parts: the text on the left.
        right: the text on the right, if there is room.
        section: the section that it belongs to; `HEAD` for the object itself.
        link: the object that it links to.
        unfolds: whether it unfolds its section.
        rests: whether the cursor can stop on it.
    """

    key: str
    parts: tuple[Part, ...] = ()
    right: tuple[Part, ...] = ()
    section: str = HEAD
    link: ObjectLink | None = None
    unfolds: bool = False
    rests: bool = True


def fitted(line: PageLine, width: int) -> list[Part]:
    """A line in so many cells: the left side cut with an ellipsis, the right side left out if there is no room."""
    right = sum(cell_len(text) for text, _ in line.right)
    left = sum(cell_len(text) for text, _ in line.parts)
    shows_right = right and left + right + 2 <= width
    room = width - (right + 1 if shows_right else 0)
    parts: list[Part] = []
    for text, style in line.parts:
        parts.append((cut(text, room), style))
        room -= cell_len(parts[-1][0])
    return [*(one for one in parts if one[0]), *([(" " * room, "text"), *line.right] if shows_right else [])]


def page_lines(page: ObjectPage, width: int, most: int, unfolded: Collection[str], *, roomy: bool = False) -> list[PageLine]:
    """The lines of a page.

    Args:
        page: the page.
        width: cells of a line.
        most: rows of a folded section.
        unfolded: the ids of the unfolded sections.
        roomy: brief sections are shown as the others are.
    """
    lines = list[PageLine]()
    if page.attention:
        lines.append(PageLine("attention", ((f"Needs attention {len(page.attention)}", "strong"),), rests=False))
        for number, fact in enumerate(page.attention):
            key = f"attention:{fact.link.id if fact.link else ''}:{number}"
            lines.append(PageLine(key, ((f" {SIGNS[fact.tone]} ", fact.tone), (fact.words, "text")), link=fact.link))
            for n, text in enumerate(flow(fact.why.split(), width - 4)):
                lines.append(PageLine(f"{key}:{n}", ((f"   {text}", "muted"),), rests=False))
        lines.append(PageLine("attention:end", rests=False))
    empty, full, brief = list[PageSection](), list[PageSection](), list[PageSection]()
    for one in page.sections:
        remarkable = roomy or not one.brief or one.state == "failed" or any(row.tone == "bad" for row in one.rows)
        (empty if one.state == "complete" and not one.rows else full if remarkable else brief).append(one)
    for one in full:
        lines += [*_section(one, width, most, one.id in unfolded), PageLine(f"{one.id}:end", section=one.id, rests=False)]
    for one in brief:
        if one.loaded:
            lines += _brief(one, width, one.id in unfolded)
    if to_come := ", ".join(one.title for one in brief if not one.loaded):
        lines.append(PageLine("to come", ((f"Loading {to_come} …", "muted"),), rests=False))
    if "empty" in unfolded:
        lines += map(_heading, empty)
    elif empty:
        for number, text in enumerate(flow(nothing_in(empty).split(), width)):
            key = f"empty:{number}" if number else "empty"
            lines.append(PageLine(key, ((text, "muted"),), unfolds=not number, rests=not number))
    while lines and not lines[-1].parts:
        lines.pop()
    return lines


def differences(before: Sequence[PageLine], after: Sequence[PageLine]) -> tuple[Mapping[str, str], int]:
    """The signs of lines that are new or changed, by their keys; and how many lines differ, with those that are gone."""
    old, new = (
        {one.key: "".join(text for text, _ in one.parts).split() for one in lines if one.parts} for lines in (before, after)
    )
    signs = {key: "~ changed" if key in old else "+ new" for key, text in new.items() if old.get(key) != text}
    return signs, len(signs) + len(old.keys() - new.keys())


def _heading(one: PageSection) -> PageLine:
    parts: list[Part] = [(one.title, "strong")]
    if one.state in ("loading", "waiting"):
        parts.append((f"  {one.reason or 'loading …'}", "muted"))
    elif one.state == "failed":
        parts += [("  ✗ failed: ", "bad"), (one.reason, "text")]
    else:
        parts.append((f" {one.counted}", "strong"))
        said = [one.covers, one.summary, one.reason if one.state == "partial" or not one.rows else "", one.note]
        parts.append(("  " + " · ".join(filter(None, said)), "muted"))
    right: tuple[Part, ...] = ((one.tool.rpartition(".")[2] + " ", "muted"),) if one.tool else ()
    return PageLine(f"{one.id}:heading", tuple(parts), right, one.id, unfolds=one.count > 0)


def _section(one: PageSection, width: int, most: int, unfolded: bool) -> list[PageLine]:
    shown = one.rows if unfolded else one.rows[:most]
    lines = [_heading(one)]
    if most > _FEW:  # charts repeat what the rows say
        lines += [PageLine(f"{one.id}:chart:{n}", ((f"   {text}", "muted"),), rests=False) for n, text in enumerate(one.charts)]
    columns = _columns(shown, width - 3)
    for number, row in enumerate(shown):
        key = f"{one.id}:{row.link.id if row.link is not None else number}:{number if row.link is None else ''}"
        parts: list[Part] = [(f" {SIGNS[row.tone]} ", row.tone)]
        texts = [row.state, *row.cells, *[""] * len(columns)]
        for place, (text, (wide, is_amount)) in enumerate(zip(texts, columns, strict=False)):
            style: TextStyle = row.tone if place == 0 else "text" if place == 1 or is_amount else "muted"
            if wide:
                parts.append((in_cells(text, wide, to_the_right=is_amount) + "  ", style))
        lines.append(PageLine(key, tuple(parts), section=one.id, link=row.link))
    rest = one.count - len(shown)
    if rest > 0:
        held = len(one.rows) - len(shown)
        words = f"   {rest:,} more" if held else f"   {rest:,} more at the service"
        lines.append(PageLine(f"{one.id}:more", ((words, "accent"),), section=one.id, unfolds=bool(held)))
    return lines


def _brief(one: PageSection, width: int, unfolded: bool) -> list[PageLine]:
    if unfolded:
        return _section(one, width, len(one.rows), True)
    rows = " · ".join(", ".join(filter(None, (row.state, *row.cells[:2]))) for row in one.rows[:6])
    sign = next((row.tone for row in one.rows if row.tone == "warn"), None)
    parts: list[Part] = [(f"{one.title} ", "strong"), (one.counted, "strong"), (f" {one.covers}   ", "muted")]
    if sign is not None:
        parts.append((f"{SIGNS[sign]} ", sign))
    only = one.rows[0].link if len(one.rows) == 1 else None
    return [PageLine(f"{one.id}:heading", (*parts, (rows, "muted")), section=one.id, link=only, unfolds=only is None)]


def _columns(rows: Sequence[PageRow], room: int) -> list[tuple[int, bool]]:
    """The width of the state and of each cell, and whether it is an amount.

    The longest texts are cut first, but no state and no amount or date, which would say something else; if that is not enough,
    the last columns are left out.
    """
    texts = [*zip_longest(*((row.state, *row.cells) for row in rows), fillvalue="")]
    amounts = [
        place > 0 and all(_AMOUNT.fullmatch(text) for text in column if text) and any(column)
        for place, column in enumerate(texts)
    ]
    widths = [max(map(cell_len, column)) for column in texts]
    others = [place for place, is_amount in enumerate(amounts) if place and not is_amount]
    said = [
        place for place in others if widths[place] > _LONG_NUMBER or not all(map(_DIGIT.search, filter(None, texts[place])))
    ]
    while sum(wide + 2 for wide in widths if wide) > room:
        if wide := [place for place in said if widths[place] > _NARROWEST]:
            widths[max(wide, key=lambda place: (widths[place], place))] -= 1
        elif left := [place for place in others if widths[place] and place > 1]:
            widths[left[-1]] = 0
        else:
            break
    return [*zip(widths, amounts, strict=True)]


def timeline_lines(
    page: ObjectPage, width: int, words: Sequence[str], titles: Mapping[str, str], unfolded: Collection[str] = ()
) -> list[PageLine]:
    """The lines of the timeline: newest first, future entries above a line *now*, equal neighbours as one line.

    Args:
        page: the page.
        width: cells of a line.
        words: only entries that contain all of them are shown.
        titles: the titles of toolkits; an entry of another toolkit than the page's shows its title.
        unfolded: keys of unfolded lines for several entries.
    """
    lines, before = list[PageLine](), ""
    groups = repeated(matching(page, words, titles), page.now)
    is_future = bool(groups) and groups[0][-1].at > page.now
    for number, group in enumerate(groups):
        one, key = group[-1], f"{group[-1].at}:{group[-1].words}:{number}"
        if is_future and one.at <= page.now:
            lines.append(PageLine("now", (("─── now ───", "accent"),), rests=False))
            is_future, before = False, ""
        said = f"{one.words} ({titles.get(one.toolkit, one.toolkit)})" if one.toolkit != page.toolkit else one.words
        entries = [(one, key, said, False)]
        if len(group) > 1:
            folded = f"times:{one.at}:{one.words}"
            entries = [(one, folded, f"{said} × {len(group)}, until {_hour(group[0].at, one.at, page)}", True)]
            if folded in unfolded:
                entries += [(moment, f"{key}:{place}", said, False) for place, moment in enumerate(group, 1)]
        for moment, id_, text, unfolds in entries:
            date = _date(moment.at, page)
            shown = "" if date == before else date
            lines += _entry_lines(PageLine(id_, section=moment.section, unfolds=unfolds), moment, text, shown, page, width)
            before = date
    return lines


def _entry_lines(line: PageLine, one: Moment, said: str, date: str, page: ObjectPage, width: int) -> list[PageLine]:
    """The date if it differs from the line above, and the time of day; at the right, for a future entry, when it is due."""
    hour = f"{datetime.fromtimestamp(one.at, page.zone):%H:%M}"
    first, *rest = flow(said.split(), max(width - _STAMP - 4, 12)) or [""]
    parts: tuple[Part, ...] = ((f"{date:<{_STAMP - 6}} {hour} ", "muted"), (f"{SIGNS[one.tone]} ", one.tone), (first, "text"))
    beside = f"{distance(one.at, page.now)} " if one.at > page.now else ""
    whole = replace(line, parts=parts, right=((beside, "muted"),), link=None if line.unfolds else one.link)
    indent = " " * (_STAMP + 3)
    return [whole, *(PageLine(f"{line.key}:{n}", ((indent + more, "text"),), rests=False) for n, more in enumerate(rest))]


def matching(page: ObjectPage, words: Sequence[str], titles: Mapping[str, str]) -> list[Moment]:
    """The entries of the timeline that contain all of these words."""
    said = ((one, f"{one.words} {one.section} {titles.get(one.toolkit, '')}".casefold()) for one in page.timeline)
    return [one for one, text in said if all(word.casefold() in text for word in words)]


def _date(at: float, page: ObjectPage) -> str:
    """``16 Nov``; for another year ``Nov 2025``, which is as long as a date may be here."""
    then = datetime.fromtimestamp(at, page.zone)
    return f"{then.day} {then:%b}" if then.year == datetime.fromtimestamp(page.now, page.zone).year else f"{then:%b %Y}"


def _hour(at: float, since: float, page: ObjectPage) -> str:
    """The time of day, with the date if it is another day."""
    hour = f"{datetime.fromtimestamp(at, page.zone):%H:%M}"
    return hour if _date(at, page) == _date(since, page) else f"{_date(at, page)} {hour}"


def state_line(page: ObjectPage | None, now: float, *, brief: bool) -> Content:
    """The state of loading and the page's moment; its age if it is old; unless `brief`, its requests and seconds."""
    if page is None:
        return Content("loading …")
    requests = f"{page.requests} request{'' if page.requests == 1 else 's'}"
    state = page.progress
    if page.loaded:
        at = f"as of {datetime.fromtimestamp(page.now).astimezone(page.zone):%H:%M:%S %Z}"
        if now - page.now >= _AGED:
            return Content.styled(f"▲ {distance(page.now, now).removesuffix(' ago')} old · {at}", "$text-warning")
        state += f" · {at}"
    return Content(state if brief else f"{requests} · {page.seconds:.1f} s · {state}")


def account_chip(connection: Connection, toolkit: str, *, short: bool) -> Content:
    """The account of the page: the sandbox, or an account by its name."""
    mode = connection.endpoint(toolkit).mode
    if mode == "live":
        return Content.assemble(Content("  "), live_chip(connection.name, short=short))
    name = connection.name.upper() if mode == "sandbox" else shortened(connection.name, 14)
    return Content.styled(f"  {name}", COLOURS[mode])
