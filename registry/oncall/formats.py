"""The board for other programs and walls: JSON values, OpenMetrics 1.0 text, and one HTML page.

The page reloads itself without a script. Everything from outside is escaped, links lead only to the account's own host, and the
style sheet is in the page, allowed by its hash in `POLICY`. Tones are CSS classes; without colours the words say the same.
"""

from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from html import escape
from typing import Any

from registry.oncall import words
from registry.oncall.account import AccountView, worst
from registry.oncall.board import Board, IncidentRow
from registry.oncall.escalation import Next, OnCallPolicy
from registry.oncall.evidence import evidence
from registry.oncall.facts import PANELS, Read, own_link
from registry.oncall.forecast import Forecast, forecast
from registry.oncall.headline import counts_line
from registry.oncall.model import ACKNOWLEDGED, LEAST_EVERY, TRIGGERED, CallSource, Duty, Ref, age, clock, iso_or_none, second
from registry.text.shown import shortened, visible_line


def as_json(board: Board, interval: float = LEAST_EVERY) -> dict[str, Any]:
    """The whole dashboard. `interval`: seconds between two refreshes, for what counts as stale.

    Properties next to the numbers say whether these may be too low: ``may_be_more``, ``mine_may_be_more``.
    ``next_escalation_may_be_sooner``: not all incidents were read, or the next step of one is not known.
    """
    verdict, mine, soonest = board.verdict, board.mine, board.soonest
    found = evidence(board, board.now, interval)
    return {
        "now": iso_or_none(board.now),
        "known": found.kind not in ("loading", "unknown"),
        "verdict": {
            "state": found.kind,
            "complete": found.complete,
            "trusted": found.trusted,
            "contradictions": list(found.contradictions),
            "not_checked": list(found.missing),
            "causes": list(found.causes),
            "triggered": verdict.triggered,
            "triggered_high": verdict.high,
            "acknowledged": verdict.acknowledged,
            "unreadable": verdict.unreadable,
            "may_be_more": verdict.more,
            "neglected": verdict.neglected,
            "snoozed": verdict.snoozed,
            "mine": verdict.mine if mine.me else None,
            "mine_unacknowledged": verdict.mine_triggered if mine.me else None,
            "mine_unacknowledged_since": iso_or_none(verdict.unacknowledged_since),
            "mine_may_be_more": verdict.mine_more,
            "outside_scope": verdict.outside,
            "services": dict(verdict.states),
            "services_may_be_more": not board.facts.panel("services").complete,
        },
        "next_escalation": soonest
        and {"incident": soonest.incident.id, "number": soonest.incident.number, **_next(soonest.next)},
        "next_escalation_may_be_sooner": verdict.more or board.next_unknown > 0,
        "me": mine.me
        and {
            **_ref(Ref(mine.me.id, mine.me.name)),
            "time_zone": mine.me.zone or None,
            "on_call": [_duty(duty) for duty in mine.duties],
            "then": _people(mine.then),
            "next": mine.next and _duty(mine.next),
            "source": _source(mine.me.source),
        },
        "incidents": [_row(row) for row in board.rows],
        "next_hour": _forecast(forecast(board)),
        "policies": [_on_call_policy(on_call) for on_call in board.policies],
        "services": [
            {"id": one.id, "name": one.name, "state": one.state, "source": _source(one.source)} for one in board.services
        ],
        "panels": {name: _read(board.facts.panel(name)) for name in PANELS},
    }


def _row(row: IncidentRow) -> dict[str, Any]:
    one = row.incident
    return {
        "id": one.id,
        "number": one.number,
        "title": one.title,
        "status": one.status,
        "urgency": one.urgency,
        "priority": one.priority or None,
        "created_at": iso_or_none(one.created),
        "status_since": iso_or_none(one.since),
        "service": _ref(one.service),
        "escalation_policy": _ref(one.policy),
        "teams": [_ref(ref) for ref in one.teams],
        "assigned": [{**_ref(ref), "at": iso_or_none(at)} for ref, at in one.assigned],
        "acknowledged": [{**_ref(ref), "at": iso_or_none(at)} for ref, at in one.acknowledged],
        "mine": row.mine,
        "assigned_known": one.assigned_known,
        "lane": row.lane,
        "neglected": row.neglected,
        "levels": list(row.levels),
        "next": _next(row.next),
        "pages": [
            {"at": iso_or_none(event.at), "to": _people(event.people), "by": event.medium, "answer": event.outcome or None}
            for event in row.calls
        ],
        "url": one.url or None,
        "source": _source(one.source),
    }


def _next(following: Next) -> dict[str, Any]:
    return {
        "kind": following.kind,
        "at": iso_or_none(following.at),
        "levels": list(following.levels),
        "people": _people(following.people),
        "one_of": following.one_of,
        "level_uncovered_now": following.uncovered,
    }


def _forecast(made: Forecast) -> dict[str, Any]:
    pages = [
        {
            "at": iso_or_none(page.at),
            "incident": page.row.incident.id,
            "why": page.why,
            "level": page.level,
            "people": _people(page.people),
            "one_of": page.one_of,
        }
        for page in made.pages
    ]
    people = [
        {
            "people": _people(one.people),
            "pages": len(one.pages),
            "first_at": iso_or_none(one.pages[0].at),
            "holds": one.holds,
        }
        for one in made.paged
    ]
    return {
        "until": iso_or_none(made.end),
        "assumes": "nobody acts",
        "pages": pages,
        "people": people,
        "nobody": len(made.nobody),
        "unknown": len(made.unknown) + made.unsure,
    }


def _on_call_policy(on_call: OnCallPolicy) -> dict[str, Any]:
    levels = [
        {
            "level": level.number,
            "known": level.known,
            "on_call": [{**_duty(duty), "then": _people(level.then.get(duty.user.id))} for duty in level.duties],
            "covered_again_at": iso_or_none(level.returns),
        }
        for level in on_call.levels
    ]
    return {
        **_ref(on_call.policy),
        "levels": levels,
        "uncovered": on_call.details and list(on_call.uncovered),
        "source": on_call.details and _source(on_call.details.source),
    }


def _duty(duty: Duty) -> dict[str, Any]:
    return {
        "user": _ref(duty.user),
        "level": duty.level,
        "escalation_policy": _ref(duty.policy),
        "schedule": duty.schedule and _ref(duty.schedule),
        "start": iso_or_none(duty.start),
        "end": iso_or_none(duty.end),
        "source": _source(duty.source),
    }


def _read(read: Read) -> dict[str, Any]:
    trouble = read.trouble
    return {
        "read_at": iso_or_none(read.at),
        "complete": read.complete,
        "items": read.items,
        "unreadable": read.unreadable,
        "since": iso_or_none(read.since),
        "failure": trouble
        and {"cause": trouble.cause, "since": iso_or_none(trouble.since), "again_at": iso_or_none(trouble.again)},
        "calls": [_source(call) for call in read.calls],
    }


def _people(people: Iterable[Ref] | None) -> list[dict[str, str]] | None:
    return None if people is None else [_ref(ref) for ref in people]


def _ref(ref: Ref) -> dict[str, str]:
    return {"id": ref.id, "name": ref.name}


def _source(source: CallSource) -> dict[str, Any]:
    return {"tool": source.tool, "arguments": dict(source.arguments)}


CONTENT_TYPE = "application/openmetrics-text; version=1.0.0; charset=utf-8"
_PREFIX = "callboard_oncall_"
_MOST_STATES = 20

# What each metric means, in the order of the text.
_GAUGES = {
    "exit_code": "Exit code of the dashboard: 10 triggered, 3 not reached, 1 unknown, 0 nothing triggered.",
    "known": "Whether incidents could be loaded, 1 or 0; their numbers are missing when it is 0.",
    "complete": "Whether everything was loaded, 1 or 0; numbers are lower bounds when it is 0.",
    "failing": "Whether the last refresh failed, 1 or 0.",
    "read_age_seconds": "Time since the last successful refresh.",
    "incidents": "Open incidents by status and urgency.",
    "incidents_mine": "Open incidents that are assigned to the token's user, by status.",
    "incidents_neglected": "Neglected open incidents.",
    "next_escalation_seconds": "Seconds until the next open incident escalates.",
    "services": "Services by state.",
    "levels_without_person": "Escalation levels with nobody on call now.",
}


def openmetrics(views: Sequence[AccountView]) -> str:
    """The metrics of accounts at one moment."""
    samples = [(name, value, {"account": view.label, **labels}) for view in views for name, value, labels in _samples(view)]
    lines: list[str] = []
    for gauge, about in _GAUGES.items():
        found = [f"{_PREFIX}{gauge}{_labels(labels)} {_number(value)}" for name, value, labels in samples if name == gauge]
        if found:
            unit = [f"# UNIT {_PREFIX}{gauge} seconds"] if gauge.endswith("_seconds") else []
            lines += [f"# TYPE {_PREFIX}{gauge} gauge", *unit, f"# HELP {_PREFIX}{gauge} {about}", *found]
    return "\n".join([*lines, "# EOF"]) + "\n"


def _samples(view: AccountView) -> Iterator[tuple[str, float, dict[str, str]]]:
    """Each with the metric's name, its value and its labels."""
    board = view.board
    yield "exit_code", view.code, {}
    for name in PANELS:
        read = board.facts.panel(name)
        part: dict[str, str] = {"part": name}
        yield "known", read.at is not None, part
        yield "complete", read.at is not None and read.complete, part
        yield "failing", read.trouble is not None, part
        if read.at is not None:
            yield "read_age_seconds", max(board.now - read.at, 0.0), part
    if board.facts.panel("incidents").at is not None:
        counts = Counter((row.incident.status == ACKNOWLEDGED, row.incident.urgency == "low") for row in board.rows)
        for taken, low in ((False, False), (False, True), (True, False), (True, True)):
            status = ACKNOWLEDGED if taken else TRIGGERED
            yield "incidents", counts[taken, low], {"status": status, "urgency": "low" if low else "high"}
        yield "incidents_neglected", board.verdict.neglected, {}
        if board.mine.me is not None:
            yield "incidents_mine", board.verdict.mine_triggered, {"status": TRIGGERED}
            yield "incidents_mine", board.verdict.mine - board.verdict.mine_triggered, {"status": ACKNOWLEDGED}
        clocks = [row.next.at for row in board.rows if row.next.kind in ("level", "again") and row.next.at is not None]
        if clocks:
            yield "next_escalation_seconds", max(min(clocks) - board.now, 0.0), {}
    if board.facts.panel("services").at is not None:
        for state, count in sorted(board.verdict.states.items())[:_MOST_STATES]:
            yield "services", count, {"state": shortened(visible_line(state), 40)}
    if board.facts.panel("on call").at is not None and board.facts.read("policies").at is not None:
        yield "levels_without_person", sum(len(on_call.uncovered) for on_call in board.policies), {}


_ESCAPES = str.maketrans({"\\": r"\\", '"': r"\"", "\n": r"\n"})


def _labels(labels: dict[str, str]) -> str:
    return "{" + ",".join(f'{name}="{value.translate(_ESCAPES)}"' for name, value in labels.items()) + "}"


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else f"{value:.3f}"


RELOAD_EVERY = 15  # seconds after which the page reloads
MOST_ROWS = 100
_LONGEST_TITLE = 160

_STYLE = """
:root{color-scheme:dark light;
--bg:#0f1318;--text:#e4e2dc;--muted:#9aa3af;--good:#84d3a0;--warn:#f2c063;--bad:#ff8b8b;--line:#2d3643}
@media(prefers-color-scheme:light){:root{
--bg:#fbfaf6;--text:#20242a;--muted:#565c66;--good:#17582f;--warn:#744500;--bad:#a11620;--line:#cfc9bb}}
*{box-sizing:border-box}
body{margin:0;padding:1rem;background:var(--bg);color:var(--text);font:clamp(16px,1.4vw,24px)/1.4 system-ui,sans-serif}
h1{font-size:clamp(1.4rem,4vw,4rem);line-height:1.15;margin:0 0 .5rem;overflow-wrap:anywhere}
h2{font-size:1.2em;margin:1.5rem 0 .25rem}h3{font-size:1em;margin:1rem 0 0}
p{margin:.25rem 0}ul{margin:.25rem 0;padding:0;list-style:none}
li{padding:.35rem 0;border-top:1px solid var(--line);overflow-wrap:anywhere}
a{color:inherit}.strong,.mine{font-weight:700}.quiet{color:var(--muted)}.good{color:var(--good)}
.warn{color:var(--warn)}.bad{color:var(--bad);font-weight:700}.mine{color:var(--warn)}
.state{display:inline-block;min-width:3.2em;font-weight:700}
"""

# The content security policy of the page: its own style sheet and nothing else.
POLICY = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
    f"style-src 'sha256-{b64encode(sha256(_STYLE.encode()).digest()).decode()}'"
)


def page(views: Sequence[AccountView]) -> str:
    """The page of at least one account, all at the same moment."""
    first = worst(views)
    now, zone = first.board.now, first.zone
    several = len(views) > 1
    title = f"{first.label}: {first.title}" if several else first.title
    moment = f"{second(now, zone)} {clock(now, zone).partition(' ')[2]}"
    lines = [f"<li><b>{escape(view.label)}</b> {_line(view.verdict)} {_line(view.trust)}</li>" for view in views]
    worst_of = [f"<p>The worst of {len(views)} accounts: <b>{escape(first.label)}</b></p><ul>", *lines, "</ul>"]
    body = [
        f"<h1>{_line(first.verdict)}</h1><p>{_line(counts_line(first.board))}<br>{_line(first.trust)}</p>",
        *(worst_of if several else ()),
        f'<p class="quiet">As of <b>{escape(moment)}</b>. This page loads itself again every {RELOAD_EVERY} s; '
        "if this time does not change, it is not live. Read-only: acknowledge in the service.</p>",
        *(part for view in views for part in _account(view, several=several)),
    ]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f'<meta http-equiv="refresh" content="{RELOAD_EVERY}"><meta name="referrer" content="no-referrer">'
        f"<title>{escape(title)}</title><style>{_STYLE}</style></head><body>{''.join(body)}</body></html>\n"
    )


def _account(view: AccountView, *, several: bool) -> list[str]:
    board, now, zone = view.board, view.board.now, view.zone
    skewed = f"{escape(view.clock_words)} (clock skew); times follow the service's clock" if view.clock_words else ""
    more = len(board.rows) - MOST_ROWS
    parts = [f"<h2>{escape(view.label)} <span class=quiet>{escape(view.mode)}</span></h2>"] if several else []
    parts += [
        f"<p>{_line(words.my_duty(board.mine, board.facts, now, zone))}</p>",
        *(f"<p class=warn>{text}</p>" for text in (escape(view.ends), skewed) if text),
        "<h2>Incidents</h2><ul>",
        *(_table_row(row, view) for row in board.rows[:MOST_ROWS]),
        f"<li class=warn>{more} more are not shown here</li>" if more > 0 else "",
    ]
    if not board.rows:
        parts.append(f"<li>{_line([words.nothing(board, 'incidents', board.verdict.outside, 'open incidents')])}</li>")
    parts.append("</ul><h2>On call</h2>")
    for on_call in board.policies:
        parts += [
            f"<h3>{_line(words.policy_title(on_call))}</h3><ul>",
            *(f"<li>{_line(words.level_line(one, now, zone, board.me, board.zones))}</li>" for one in on_call.levels),
            "</ul>",
        ]
    if board.facts.panel("services").at is not None:
        parts.append(f"<h2>Services</h2><p>{_line(words.service_states(board.verdict.states))}</p>")
    return [
        *parts,
        "<h2>Data freshness</h2><ul>",
        *(f"<li>{name}: {_line(words.freshness(board.facts.panel(name), now, view.interval))}</li>" for name in PANELS),
        "</ul>",
    ]


def _table_row(row: IncidentRow, view: AccountView) -> str:
    one, now, board = row.incident, view.board.now, view.board
    facts = [*(shortened(visible_line(text), 20) for text in (one.urgency, one.priority)), row.level, age(now - one.created)]
    who = shortened(words.holders(one, board.me), 120)
    title = escape(shortened(visible_line(f"{one.service.name}: {one.title}"), _LONGEST_TITLE))
    link = own_link(one.url, board.facts)
    named = f'<a href="{escape(link)}" rel="noreferrer noopener">{title}</a>' if link else title
    tone = {"TRIG": "bad" if one.high else "warn", "ACK": "warn"}.get(words.state(row), "quiet")
    mine = ' <span class="mine">YOURS</span>' if row.mine else ""
    neglected = ' <span class="warn">neglected</span>' if row.neglected else ""
    return (
        f'<li><span class="state {tone}">{escape(words.state(row))}</span> {escape(" ".join(fact for fact in facts if fact))} '
        f'<b>{named}</b>{mine}{neglected}<br><span class="quiet">assigned to {escape(who)};</span> '
        f"{_line([words.following(row, now, view.zone, board.me)])}</li>"
    )


def _line(line: Iterable[words.Piece]) -> str:
    return "".join(f'<span class="{piece.tone}">{escape(piece.words)}</span>' for piece in line)
