"""Tool answers as records, read with care.

Any member may be null, missing or of another type than was promised, and times come with any offset. What cannot be read is
left out or empty, and never raises; an object without an id, or an incident without a beginning, is no object.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar
from urllib.parse import urlsplit

from registry.oncall.model import NOTHING, CallSource, Duty, EscalationPolicy, Event, Incident, Person, Ref, Rule, Service

T = TypeVar("T")
_AT_ONCE = ("phone", "push_notification")


def moment(value: object) -> float | None:
    """An ISO 8601 time in Unix seconds; one without an offset is UTC. None when it is no time."""
    if not isinstance(value, str):
        return None
    try:
        found = datetime.fromisoformat(value)
        return (found.replace(tzinfo=UTC) if found.tzinfo is None else found).timestamp()
    except (ValueError, OverflowError):
        return None


def each(answer: object, name: str, make: Callable[[Mapping[str, Any], CallSource], T | None], source: CallSource) -> list[T]:
    """The records in an answer's list; what is no record is left out."""
    found = (make(one, source) for one in _things(answer.get(name) if isinstance(answer, dict) else None))
    return [one for one in found if one is not None]


def incident(body: Mapping[str, Any], source: CallSource) -> Incident | None:
    """An incident, in a list or by itself."""
    id_, created = _text(body.get("id")), moment(body.get("created_at"))
    if not id_ or created is None:
        return None
    number = body.get("incident_number")
    alerts = body.get("alert_counts")
    count = alerts.get("all") if isinstance(alerts, dict) else None
    return Incident(
        id=id_,
        number=number if isinstance(number, int) else None,
        title=_text(body.get("title")) or _text(body.get("summary")),
        status=_text(body.get("status")),
        urgency=_text(body.get("urgency")),
        priority=_ref(body.get("priority")).name,
        created=created,
        changed=moment(body.get("last_status_change_at")) or created,
        service=_ref(body.get("service")),
        policy=_ref(body.get("escalation_policy")),
        teams=_refs(body.get("teams")),
        assigned=_people(body.get("assignments"), "assignee", created),
        via=_text(body.get("assigned_via")),
        acknowledged=_people(body.get("acknowledgements"), "acknowledger", created),
        pending={
            _text(one.get("type")): at
            for one in _things(body.get("pending_actions"))
            if (at := moment(one.get("at"))) is not None
        },
        alerts=count if isinstance(count, int) else 0,
        url=_link(body.get("html_url")),
        source=source,
    )


def duty(body: Mapping[str, Any], source: CallSource) -> Duty | None:
    """An on-call entry."""
    policy, user, level = _ref(body.get("escalation_policy")), _ref(body.get("user")), body.get("escalation_level")
    if not policy.id or not user.id or not isinstance(level, int):
        return None
    schedule = _ref(body.get("schedule"))
    return Duty(
        policy, level, schedule if schedule.id else None, user, moment(body.get("start")), moment(body.get("end")), source
    )


def policy(body: Mapping[str, Any], source: CallSource) -> EscalationPolicy | None:
    """An escalation policy."""
    id_, loops = _text(body.get("id")), body.get("num_loops")
    if not id_:
        return None
    rules = []
    for rule in _things(body.get("escalation_rules")):
        minutes = rule.get("escalation_delay_in_minutes")
        strategy = rule.get("escalation_rule_assignment_strategy")
        if isinstance(strategy, dict):
            strategy = strategy.get("type")
        seconds = minutes * 60.0 if isinstance(minutes, int | float) else 0.0
        rules.append(Rule(seconds, _refs(rule.get("targets")), strategy == "round_robin"))
    return EscalationPolicy(
        id_,
        _text(body.get("name")) or _text(body.get("summary")),
        loops if isinstance(loops, int) else 0,
        tuple(rules),
        _refs(body.get("services")),
        _refs(body.get("teams")),
        _link(body.get("html_url")),
        source,
    )


def service(body: Mapping[str, Any], source: CallSource) -> Service | None:
    """A service."""
    id_, holds = _text(body.get("id")), body.get("acknowledgement_timeout")
    if not id_:
        return None
    return Service(
        id_,
        _text(body.get("name")) or _text(body.get("summary")),
        _text(body.get("status")),
        float(holds) if isinstance(holds, int | float) and holds > 0 else None,
        _ref(body.get("escalation_policy")),
        _refs(body.get("teams")),
        _link(body.get("html_url")),
        source,
    )


def event(body: Mapping[str, Any], source: CallSource) -> Event | None:
    """A log entry."""
    id_, at = _text(body.get("id")), moment(body.get("created_at"))
    if not id_ or at is None:
        return None
    kind = _text(body.get("type")).removesuffix("_reference").removesuffix("_log_entry")
    channel = body.get("channel")
    channel = channel if isinstance(channel, dict) else {}
    note = channel.get("notification")
    note = note if isinstance(note, dict) else {}
    people = _refs(body.get("assignees"))
    if kind == "notify":
        told = _ref(body.get("user"))
        people = (told if told.id else _ref(note.get("user")),)
    return Event(
        id=id_,
        at=at,
        # One of the service's own records names this kind in another form.
        kind="acknowledge" if kind == "acknowledgement" else kind,
        summary=_text(body.get("summary")),
        incident=_ref(body.get("incident")),
        service=_ref(body.get("service")),
        agent=_ref(body.get("agent")),
        channel=_text(channel.get("type")),
        people=tuple(one for one in people if one.id),
        teams=_refs(body.get("teams")),
        told=_text(note.get("type")).removesuffix("_notification"),
        answer=_text(note.get("status")),
        source=source,
    )


def person(body: Mapping[str, Any], source: CallSource) -> Person | None:
    """A user; secrets of a profile, such as its private calendar's address, are not read at all."""
    id_ = _text(body.get("id"))
    if not id_:
        return None
    rules = [one for one in _things(body.get("notification_rules")) if "start_delay_in_minutes" in one]
    at_once = [
        rule
        for rule in rules
        if rule.get("urgency") == "high"
        and rule.get("start_delay_in_minutes") == 0
        and _ref(rule.get("contact_method")).kind.startswith(_AT_ONCE)
    ]
    name = _text(body.get("name")) or _text(body.get("summary"))
    zone, url = _text(body.get("time_zone")), _link(body.get("html_url"))
    return Person(id_, name, zone, _refs(body.get("teams")), bool(at_once) if rules else None, url, source)


def team(body: Mapping[str, Any], _source: CallSource) -> Ref | None:
    """A team, as a reference to it."""
    found = _ref(body)
    return found if found.id else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _things(value: object) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _ref(value: object) -> Ref:
    if not isinstance(value, dict):
        return NOTHING
    name = _text(value.get("summary")) or _text(value.get("name")) or _text(value.get("id"))
    return Ref(_text(value.get("id")), name, _link(value.get("html_url")), _text(value.get("type")).removesuffix("_reference"))


def _refs(value: object) -> tuple[Ref, ...]:
    return tuple(found for one in _things(value) if (found := _ref(one)).id)


def _people(value: object, name: str, otherwise: float) -> tuple[tuple[Ref, float], ...]:
    found = ((_ref(one.get(name)), moment(one.get("at"))) for one in _things(value))
    return tuple((ref, otherwise if at is None else at) for ref, at in found if ref.id)


def _link(value: object) -> str:
    """A page's address; anything but plain https is none."""
    if not isinstance(value, str) or not value.isascii() or not value.isprintable() or " " in value:
        return ""
    try:
        parts = urlsplit(value)
    except ValueError:
        return ""
    return value if parts.scheme == "https" and parts.hostname and not parts.username else ""
