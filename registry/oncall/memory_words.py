"""Timelines, earlier incidents and pages in words, a line at a time; safe to show."""

from __future__ import annotations

from datetime import date, datetime, timedelta, tzinfo

from registry.oncall.clocks import DAY, clock, second, span, when, zone_name_at
from registry.oncall.model import Event, Ref
from registry.oncall.pages import Pages, PersonPages
from registry.oncall.timeline import Earlier, Timeline
from registry.oncall.words import Line, Piece, Tone, name_of, names
from registry.text.safe_text import shortened, visible_line

KIND_WORDS = {
    "trigger": "triggered",
    "acknowledge": "acknowledged",
    "unacknowledge": "ack timed out",
    "escalate": "escalated",
    "repeat_escalation_path": "starts over",
    "exhaust_escalation_path": "nobody left",
    "resolve": "resolved",
    "notify": "paged",
    "annotate": "note",
    "assign": "assigned",
}
_TONES: dict[str, Tone] = {
    "trigger": "bad",
    "escalate": "warn",
    "unacknowledge": "warn",
    "exhaust_escalation_path": "bad",
    "resolve": "good",
    "notify": "plain",
}
_MOST_ALIKE = 12


def many(count: int, what: str) -> str:
    """A number with its noun: ``1 incident``, ``3 incidents``."""
    return f"{count} {what}{'' if count == 1 else 's'}"


def timeline_lines(timeline: Timeline, zone: tzinfo, now: float, me: str) -> list[Line]:
    """A timeline, oldest first: when, how long after the beginning, the kind, and the service's words."""
    lines: list[Line] = []
    if timeline.trouble is not None:
        cause = visible_line(timeline.trouble.cause)
        lines.append([Piece(" ! could not load older entries: ", "warn"), Piece(cause, "warn")])
    elif not timeline.whole:
        since = f"before {when(timeline.since, zone, now)}" if timeline.since is not None else "of any time"
        lines.append([Piece(f" ! pages {since} may be missing: the log starts later", "warn")])
    if timeline.cut:
        lines.append([Piece(f" … {timeline.cut} older entries not shown", "quiet")])
    day: date | None = None
    for event in timeline.events:
        moment = when(event.at, zone, now - 300 * DAY)  # with its date
        today = moment.rpartition(" ")[0].rpartition(" ")[0]
        if (new := _date(event.at, zone)) != day:
            day = new
            lines.append([Piece(f" {today} {zone_name_at(event.at, zone)}", "quiet")])
        lines.append(_entry(event, timeline.incident.created, zone, me))
    if not timeline.events:
        lines.append([Piece(" No entries in the loaded log.", "quiet")])
    return lines


def _entry(event: Event, created: float, zone: tzinfo, me: str) -> Line:
    after = f"+{span(event.at - created)}" if event.at >= created else ""
    word = KIND_WORDS.get(event.kind, visible_line(event.kind.replace("_", " "))[:14])
    failed = event.outcome and event.outcome not in ("success", "delivered", "sent")
    said = shortened(visible_line(event.note or event.summary), 300) + (" FAILED" if failed else "")
    line = [Piece(f"   {second(event.at, zone)} ", "quiet"), Piece(f"{after:>8}  ", "quiet")]
    line.append(Piece(f"{word:<14}", _TONES.get(event.kind, "plain")))
    if event.kind in ("escalate", "assign") and event.people:
        return [*line, Piece(f" {names(event.people, me)}", "strong")]
    if event.kind == "notify" and event.people:
        way = visible_line(event.medium.replace("_", " "))[:20] or "?"
        return [*line, Piece(f" {names(event.people[:1], me)}", "strong"), Piece(f" by {way}{' FAILED' if failed else ''}")]
    who = f" {_who(event.agent, me)}:" if event.kind == "annotate" and event.agent.name else ""
    return [*line, Piece(f"{who} {said}", "plain")]


def _who(ref: Ref, me: str) -> str:
    """A name; *you* only for somebody whose id is known to be mine."""
    return "you" if ref.id and ref.id == me else name_of(ref.name)


def _date(at: float, zone: tzinfo) -> date:
    return datetime.fromtimestamp(at, zone).date()


def earlier_summary(earlier: Earlier, me: str) -> Line:
    """One line: ``Last 7 days: 3 like it; Mei Tan resolved 2 in 11m``."""
    if earlier.trouble is not None:
        return [Piece(f"Last {earlier.days} days: could not load: {visible_line(earlier.trouble.cause)}", "warn")]
    plus = "" if earlier.complete else " or more"
    line: Line = [Piece(f"Last {earlier.days} days: ", "quiet"), Piece(f"{len(earlier.alike)}{plus} similar", "strong")]
    people = [f"{_who(ref, me)} resolved {count} in {span(took)}" for ref, count, took in earlier.by_person if ref.name][:3]
    line.append(Piece(f"; {', '.join(people)}" if people else "", "plain"))
    line.append(Piece(f" · {earlier.same_service}{plus} resolved on this service", "quiet"))
    return line


def earlier_lines(earlier: Earlier, zone: tzinfo, now: float, me: str) -> list[Line]:
    """The similar incidents, newest first: when resolved, by whom, and how fast."""
    lines: list[Line] = []
    for one in earlier.alike[:_MOST_ALIKE]:
        who = _who(one.resolved_by, me) if one.resolved_by.name else "unknown who"
        number = f"{one.incident.label} ".lstrip()
        lines.append(
            [
                Piece(f"   {when(one.resolved_at, zone, now)}", "quiet"),
                Piece(f"  {who}", "strong"),
                Piece(f" in {span(one.lasted)}  "),
                Piece(shortened(visible_line(f"{number}{one.incident.title}"), 160), "quiet"),
            ]
        )
    if len(earlier.alike) > _MOST_ALIKE:
        lines.append([Piece(f"   … and {len(earlier.alike) - _MOST_ALIKE} more", "quiet")])
    return lines


def pages_lines(pages: Pages, now: float, zone: tzinfo, days: int, me: str) -> list[Line]:
    """Pages by person: all, those at night, the worst hour, and each night, oldest first."""
    if pages.trouble is not None:
        return [[Piece(f" Could not load: {visible_line(pages.trouble.cause)}", "bad")]]
    lines: list[Line] = []
    if not pages.whole:
        since = f"before {when(pages.since, zone, now)}" if pages.since is not None else "of any time"
        lines += [[Piece(f" ! Pages {since} are not included: the log is longer than what was loaded.", "warn")], []]
    columns = f" {'':<17}{'their time':<12}{'pages':>5}{'night':>6}{'hour':>5}"
    lines.append([Piece(f"{columns}  nights, oldest first", "quiet")])
    for one in pages.people:
        lines.append(_person(one, now, days, me))
    if not pages.people:
        lines.append([Piece(" Nobody was paged.", "quiet")])
    lines += [[], [Piece(" hour: the most pages within one hour of a night", "quiet")]]
    return lines


def _person(one: PersonPages, now: float, days: int, me: str) -> Line:
    name = "you" if one.person.id == me else name_of(one.person.name)
    local = clock(now, one.zone) if one.zone_known else "? (as UTC)"
    last = _date(now, one.zone)
    nights = [one.nights.get(last - timedelta(days=back), 0) for back in range(days, -1, -1)]
    per_night = " ".join(f"{count or '·':>3}" for count in nights)
    tone: Tone = "bad" if one.worst >= 5 else "warn" if one.at_night else "plain"
    return [
        Piece(f" {shortened(name, 16):<17}", "mine" if one.person.id == me else "strong"),
        Piece(f"{local:<12}", "quiet"),
        Piece(f"{one.total:>5}"),
        Piece(f"{one.at_night:>6}", tone),
        Piece(f"{one.worst or '·':>5}", tone),
        Piece(f"  {per_night}", "plain"),
    ]
