"""Tool results as records, read strictly if a mistake would hide something.

A value that should be a list but is not is an error, never an empty list. An item that cannot be read completely is counted,
never dropped silently. If a property is null or of another type, values that depend on it are unknown:
`Incident.pending_known`, `Incident.assigned_known`. Times may have any offset; what is counted down to must have one.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeGuard, TypeVar
from urllib.parse import urlsplit

from registry.oncall.model import NOTHING, CallSource, Duty, EscalationPolicy, Event, Incident, Person, Ref, Rule, Service

T = TypeVar("T")
_AT_ONCE = ("phone", "push_notification")
_ONE_OF: dict[str | None, bool] = {"round_robin": True, "assign_to_everyone": False}


class WrongShape(ValueError):
    """A response of the wrong shape; the message says what is wrong, in a few words."""


def moment(value: object, *, exact: bool = False) -> float | None:
    """An ISO 8601 time in Unix seconds; None if it is not a time. Without an offset it is UTC, or not a time if `exact`."""
    if not isinstance(value, str):
        return None
    try:
        found = datetime.fromisoformat(value)
        if found.tzinfo is None:
            return None if exact else found.replace(tzinfo=UTC).timestamp()
        return found.timestamp()
    except (ValueError, OverflowError):
        return None


def items_of(response: object, name: str) -> list[Any]:
    """The list in the response's property `name`.

    Raises:
        WrongShape: there is no such list, or an error.
    """
    if not isinstance(response, dict):
        raise WrongShape("the response is not an object")
    items = response.get(name)
    if not isinstance(items, list) or response.get("error"):
        raise WrongShape(f"the response has {f'an error instead of {name}' if response.get('error') else f'no list of {name}'}")
    return items


def only(response: object, make: Callable[[Mapping[str, Any], CallSource], T | None], source: CallSource) -> T:
    """The record in the result's only property.

    Raises:
        WrongShape: there is none.
    """
    body = next(iter(response.values()), None) if isinstance(response, dict) else None
    found = make(body, source) if isinstance(body, dict) and "error" not in response else None  # type: ignore[operator]
    if found is None:
        raise WrongShape("the response does not contain the requested data")
    return found


def incident(body: Mapping[str, Any], source: CallSource) -> Incident | None:
    """An incident; None without an id, a status or a time of creation."""
    id_, created, status = _text(body.get("id")), moment(body.get("created_at")), _text(body.get("status"))
    if not id_ or created is None or not status:
        return None
    actions, due = body.get("pending_actions"), _things(body.get("pending_actions"))
    pending = {_text(one.get("type")): moment(one.get("at"), exact=True) for one in due}
    assigned, assigned_known = _people(body.get("assignments"), "assignee", created)
    number, count = body.get("incident_number"), _object(body.get("alert_counts")).get("all")
    return Incident(
        id=id_,
        number=number if isinstance(number, int) else None,
        title=_text(body.get("title")) or _text(body.get("summary")),
        status=status,
        urgency=_text(body.get("urgency")),
        priority=_ref(body.get("priority")).name,
        created=created,
        changed=moment(body.get("last_status_change_at")) or created,
        service=_ref(body.get("service")),
        policy=_ref(body.get("escalation_policy")),
        teams=_refs(body.get("teams")),
        assigned=assigned,
        via=_text(body.get("assigned_via")),
        acknowledged=_people(body.get("acknowledgements"), "acknowledger", created)[0],
        pending={type_: at for type_, at in pending.items() if type_ and at is not None},
        alerts=count if isinstance(count, int) else 0,
        url=_link(body.get("html_url")),
        source=source,
        # Whether the service's pending actions are certainly all.
        pending_known=isinstance(actions, list) and len(due) == len(actions) and all(pending) and None not in pending.values(),
        assigned_known=assigned_known,
    )


def duty(body: Mapping[str, Any], source: CallSource) -> Duty | None:
    """An on-call entry; null means no schedule, no start or no end, and no other value means that."""
    policy, user, level = _ref(body.get("escalation_policy")), _ref(body.get("user")), body.get("escalation_level")
    if not policy.id or not user.id or not _whole(level) or level < 1:
        return None
    times = [(body[name], moment(body[name], exact=True)) for name in ("start", "end") if name in body]
    if len(times) < 2 or any(said is not None and at is None for said, at in times) or "schedule" not in body:
        return None
    schedule = _ref(body["schedule"])
    if body["schedule"] is not None and not schedule.id:
        return None
    return Duty(policy, level, schedule if schedule.id else None, user, times[0][1], times[1][1], source)


def policy(body: Mapping[str, Any], source: CallSource) -> EscalationPolicy | None:
    """An escalation policy; None unless every rule could be read, and how often it starts over."""
    id_, loops, rules = _text(body.get("id")), body.get("num_loops"), body.get("escalation_rules")
    made = [_rule(one) for one in rules] if isinstance(rules, list) else [None]
    if not id_ or not _whole(loops) or not all(made):
        return None
    return EscalationPolicy(
        id_,
        _name(body),
        loops,
        tuple(one for one in made if one is not None),
        _refs(body.get("services")),
        _refs(body.get("teams")),
        _link(body.get("html_url")),
        source,
    )


def _rule(body: object) -> Rule | None:
    if not isinstance(body, dict):
        return None
    minutes, targets = body.get("escalation_delay_in_minutes"), body.get("targets")
    strategy, people = body.get("escalation_rule_assignment_strategy"), _refs(targets)
    if isinstance(strategy, dict):
        strategy = strategy.get("type")
    if (
        not isinstance(minutes, int | float)
        or isinstance(minutes, bool)
        or not isinstance(targets, list)
        or len(people) != len(targets)
    ):
        return None
    return Rule(minutes * 60.0, people, _ONE_OF.get(strategy)) if isinstance(strategy, str | None) else None


def _whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def service(body: Mapping[str, Any], source: CallSource) -> Service | None:
    """A service."""
    id_, holds = _text(body.get("id")), body.get("acknowledgement_timeout")
    if not id_:
        return None
    return Service(
        id_,
        _name(body),
        _text(body.get("status")),
        float(holds) if isinstance(holds, int | float) and holds > 0 else None,
        _ref(body.get("escalation_policy")),
        _refs(body.get("teams")),
        _link(body.get("html_url")),
        source,
        moment(body.get("last_incident_timestamp")),
    )


def event(body: Mapping[str, Any], source: CallSource) -> Event | None:
    """A log entry."""
    id_, at = _text(body.get("id")), moment(body.get("created_at"))
    kind = _text(body.get("type")).removesuffix("_reference").removesuffix("_log_entry")
    incident = _ref(body.get("incident"))
    if not id_ or at is None or not kind or not incident.id:
        return None
    channel = _object(body.get("channel"))
    note = _object(channel.get("notification"))
    people = _refs(body.get("assignees")) if kind != "notify" else _refs([body.get("user"), note.get("user")])[:1]
    return Event(
        id=id_,
        at=at,
        # The service itself names this kind in two ways.
        kind="acknowledge" if kind == "acknowledgement" else kind,
        summary=_text(body.get("summary")),
        incident=incident,
        service=_ref(body.get("service")),
        agent=_ref(body.get("agent")),
        channel=_text(channel.get("type")),
        people=people,
        teams=_refs(body.get("teams")),
        medium=_text(note.get("type")).removesuffix("_notification"),
        outcome=_text(note.get("status")),
        note=_text(channel.get("summary")) if kind == "annotate" else "",
        source=source,
    )


def person(body: Mapping[str, Any], source: CallSource) -> Person | None:
    """A user; a profile's secrets, such as the address of the private calendar, are not read."""
    id_ = _text(body.get("id"))
    if not id_:
        return None
    rules = [one for one in _things(body.get("notification_rules")) if "start_delay_in_minutes" in one]
    at_once = any(
        (rule.get("urgency"), rule["start_delay_in_minutes"]) == ("high", 0)
        and _ref(rule.get("contact_method")).kind.startswith(_AT_ONCE)
        for rule in rules
    )
    zone, url, email = _text(body.get("time_zone")), _link(body.get("html_url")), _text(body.get("email"))
    return Person(id_, _name(body), zone, _refs(body.get("teams")), at_once if rules else None, url, email, source)


def team(body: Mapping[str, Any], _source: CallSource) -> Ref | None:
    """A reference to a team."""
    found = _ref(body)
    return found if found.id else None


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _name(body: Mapping[str, Any]) -> str:
    return _text(body.get("name")) or _text(body.get("summary"))


def _object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _things(value: object) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _ref(value: object) -> Ref:
    if not isinstance(value, dict):
        return NOTHING
    return Ref(
        _text(value.get("id")),
        _text(value.get("summary")) or _text(value.get("name")) or _text(value.get("id")),
        _link(value.get("html_url")),
        _text(value.get("type")).removesuffix("_reference"),
    )


def _refs(value: object) -> tuple[Ref, ...]:
    return tuple(found for one in _things(value) if (found := _ref(one)).id)


def _people(value: object, name: str, otherwise: float) -> tuple[tuple[tuple[Ref, float], ...], bool]:
    """People, each with a time, and whether these are certainly all."""
    found = [(_ref(one.get(name)), moment(one.get("at"))) for one in _things(value)]
    known = isinstance(value, list) and len(found) == len(value) and all(ref.id for ref, _ in found)
    return tuple((ref, otherwise if at is None else at) for ref, at in found if ref.id), known


def _link(value: object) -> str:
    """A page's address; empty for anything but plain https."""
    if not isinstance(value, str) or not value.isascii() or not value.isprintable() or " " in value:
        return ""
    try:
        parts = urlsplit(value)
    except ValueError:
        return ""
    return value if parts.scheme == "https" and parts.hostname and not parts.username else ""
