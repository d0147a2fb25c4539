"""The board as JSON values for scripts: times in ISO 8601 (UTC), every value with the call it came from."""

from collections.abc import Iterable
from typing import Any

from registry.oncall.board import Board, IncidentRow
from registry.oncall.clocks import LEAST_EVERY, iso_or_none
from registry.oncall.duties import OnCallPolicy
from registry.oncall.escalation import Next
from registry.oncall.evidence import evidence
from registry.oncall.facts import PANELS, Read
from registry.oncall.forecast import Forecast, forecast
from registry.oncall.model import CallSource, Duty, Ref


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
    values = {"pages": pages, "people": people, "nobody": len(made.nobody), "unknown": len(made.unknown) + made.unsure}
    return {"until": iso_or_none(made.end), "assumes": "nobody acts", **values}


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
