"""The operations of the incident service: the response of each path to a GET.

Some no tool needs, but the official clients' helpers and examples begin with them: what belongs to one incident or schedule,
and the account's priorities.

Who is on call comes from the schedules, and from the people whom policies name directly. A list has the duties that overlap its
window. A duty from a schedule is complete, even if it reaches beyond the window; that of a person who is named directly has
neither schedule nor start nor end. Duties that begin more than ninety days ahead are omitted.
"""

from collections.abc import Callable, Collection
from math import inf
from typing import Any, NamedTuple

from registry.sandbox.incidents import events, identifier
from registry.sandbox.incidents.account import Account
from registry.sandbox.incidents.course import ACKNOWLEDGED, RESOLVED, TRIGGERED
from registry.sandbox.incidents.directory import (
    SCHEDULE_PARTS,
    Conditions,
    Record,
    Rendering,
    Window,
    policy,
    schedule,
    service,
    team,
    thing,
    user,
)
from registry.sandbox.incidents.query import (
    ACCOUNT_ZONE,
    QueryParameters,
    Refusal,
    check_width,
    zone,
)
from registry.sandbox.incidents.scenarios import WRITTEN
from registry.sandbox.store import StoredRow
from registry.sandbox.world import DAY

PERMANENT = "null"
_AHEAD = 90 * DAY


class Duty(NamedTuple):
    """One person on one level of one policy. Without a schedule it is permanent, without an end it never ends."""

    policy: str
    level: int
    schedule: str | None
    user: str
    start: int | None
    end: int | None


def duties(
    account: Account, schedules: Collection[str] | None, policies: Collection[str] | None, since: int, until: int
) -> list[Duty]:
    """Duties that overlap a window, by policy name, level and start.

    Args:
        account: where policies and schedules are.
        schedules: those that are asked for; may hold `PERMANENT`, None is every one.
        policies: those that are asked for; None is every one.
        since: the window's start, Unix seconds.
        until: its end; the same as `since` for a single moment.
    """
    until = min(until, account.now + _AHEAD)
    asked = [one for one in account.every("escalation_policy") if until >= since and (policies is None or one.id in policies)]
    targets = [
        (one.id, level, kind, id_)
        for one in asked
        for level, rule in enumerate(one.body["rules"], start=1)
        for kind, id_ in rule["targets"]
        if schedules is None or (PERMANENT if kind == "user" else id_) in schedules
    ]
    found: list[Duty] = []
    for of, level, kind, id_ in targets:
        if kind == "user":
            found.append(Duty(of, level, None, id_, None, None))
        else:
            found += (Duty(of, level, id_, *shift) for shift in account.rotations[id_].shifts(since, until))
    return found


def oncall(rendering: Rendering, duty: Duty) -> Record:
    """A duty as the service shows it."""
    return {
        "escalation_policy": thing(rendering, "escalation_policy", duty.policy, "escalation_policies"),
        "escalation_level": duty.level,
        "schedule": None if duty.schedule is None else thing(rendering, "schedule", duty.schedule, "schedules"),
        "user": thing(rendering, "user", duty.user, "users"),
        "start": rendering.time(duty.start),
        "end": rendering.time(duty.end),
    }


_USER_PARTS = ("contact_methods", "notification_rules", "teams", "subdomains")
_POLICY_PARTS = ("services", "teams", "targets", "escalation_rule_assignment_strategies")
_SERVICE_PARTS = ("escalation_policies", "teams", "auto_pause_notifications_parameters", "integrations")
_LOG_PARTS = ("incidents", "services", "channels", "teams")
_URGENCIES = ("low", "high")
_WRITTEN_OUT = 14 * DAY
_MONTH = 30 * DAY


class Call(NamedTuple):
    """One request.

    `address` is the service's own URL as the caller wrote it. `caller` is the id of the user whom the token belongs to, None
    for a token that belongs to the account.
    """

    account: Account
    query: QueryParameters
    address: str
    caller: str | None

    def rendering(self, *parts: str, where: str = "UTC", asked: bool = False) -> Rendering:
        """How the response is written.

        Args:
            *parts: what ``include[]`` may name.
            where: the zone of its times.
            asked: whether the request may ask for another one.
        """
        include = self.query.several("include", parts) if parts else None
        return Rendering(self.account, self.address, self.query.zone(where) if asked else zone(where), include or ())

    def named(self, kind: str, teams_of: Callable[[StoredRow], Collection[str | None]] | None = None) -> list[StoredRow]:
        """Objects of a kind whose name holds the text of `query` and, where teams own them, that `team_ids[]` names."""
        text = (self.query.text("query") or "").casefold()
        teams = self.query.several("team_ids") if teams_of is not None else None
        return [
            row
            for row in self.account.every(kind)
            if text in row.body["name"].casefold() and (teams is None or not teams_of or not teams.isdisjoint(teams_of(row)))
        ]

    def by_name(self, rows: list[StoredRow]) -> list[StoredRow]:
        """A list, which is in order of names already, turned around where `sort_by` says so."""
        return rows[::-1] if self.query.order(("name",)) == [("name", True)] else rows


def _one(
    kind: str, write: Callable[[Rendering, StoredRow], Record], *parts: str, where: str = "UTC", asked: bool = False
) -> Callable[[Call, str], Record]:
    """The response for one object of a kind by its id."""

    def get(call: Call, id: str) -> Record:  # noqa: A002
        return {kind: write(call.rendering(*parts, where=where, asked=asked), call.account.get(kind, id))}

    return get


get_team = _one("team", team, "privileges")  # everybody has the same privileges here, so including them adds nothing
get_policy = _one("escalation_policy", policy, *_POLICY_PARTS)
get_service = _one("service", service, *_SERVICE_PARTS, where=ACCOUNT_ZONE)
get_incident = _one("incident", events.incident, *events.IN_FULL, "custom_fields", "body")  # by id or number
get_log_entry = _one("log_entry", events.log_entry, *_LOG_PARTS, where=ACCOUNT_ZONE, asked=True)


def list_users(call: Call) -> Record:
    """``/users``."""
    rendering = call.rendering(*_USER_PARTS)
    return call.query.listed("users", call.named("user", lambda row: row.body["teams"]), lambda row: user(rendering, row))


def get_user(call: Call, id: str) -> Record:  # noqa: A002
    """``/users/{id}``."""
    return {"user": user(call.rendering(*_USER_PARTS), call.account.get("user", id), own=id == call.caller)}


def get_me(call: Call) -> Record:
    """``/users/me``."""
    if call.caller is None:
        raise Refusal("no user")
    return get_user(call, call.caller)


def list_teams(call: Call) -> Record:
    """``/teams``."""
    rendering = call.rendering()
    return call.query.listed("teams", call.named("team"), lambda row: team(rendering, row))


def list_members(call: Call, id: str) -> Record:  # noqa: A002
    """``/teams/{id}/members``: pairs of user and role in the team."""
    rendering = call.rendering("users")
    members = call.account.get("team", id).body["members"]
    return call.query.listed(
        "members", members, lambda one: {"user": thing(rendering, "user", one[0], "users"), "role": one[1]}
    )


def list_policies(call: Call) -> Record:
    """``/escalation_policies``."""
    rendering = call.rendering(*_POLICY_PARTS)
    people = call.query.several("user_ids")
    rows = call.named("escalation_policy", lambda row: [row.body["team"]])
    if people is not None:
        rows = [row for row in rows if any(id_ in people for rule in row.body["rules"] for _, id_ in rule["targets"])]
    return call.query.listed("escalation_policies", call.by_name(rows), lambda row: policy(rendering, row))


def list_services(call: Call) -> Record:
    """``/services``."""
    rendering = call.rendering(*_SERVICE_PARTS, where=ACCOUNT_ZONE, asked=True)
    name = call.query.text("name")
    rows = [row for row in call.named("service", lambda row: [row.body["team"]]) if name in (None, row.body["name"])]
    conditions = Conditions(call.account)
    return call.query.listed("services", call.by_name(rows), lambda row: service(rendering, row, conditions))


def list_schedules(call: Call) -> Record:
    """``/schedules``: in the zone of the person who asks, unless another is named."""
    own = None if call.caller is None else call.account.get("user", call.caller).body["time_zone"]
    rendering = call.rendering(*SCHEDULE_PARTS, where=own or ACCOUNT_ZONE, asked=True)
    window = _written_out_for(call)
    rows = call.named("schedule", lambda row: row.body["teams"])
    return call.query.listed("schedules", rows, lambda row: schedule(rendering, row, window))


def get_schedule(call: Call, id: str) -> Record:  # noqa: A002
    """``/schedules/{id}``: with all its parts, in its own zone unless another is named."""
    row = call.account.get("schedule", id)
    rendering = call.rendering(where=row.body["time_zone"], asked=True)._replace(include=SCHEDULE_PARTS)
    return {"schedule": schedule(rendering, row, _written_out_for(call))}


def list_schedule_users(call: Call, id: str) -> Record:  # noqa: A002
    """``/schedules/{id}/users``: who is on call by it within a window, by default a month; in one response, not in pages."""
    rendering, row = call.rendering(), call.account.get("schedule", id)
    since, until = call.query.moments()
    since = call.account.now if since is None else since
    until = since + _MONTH if until is None else until
    if until < since:
        raise Refusal("bad range", "Until must not be before since.")
    check_width(since, until)
    people = {shift.person for shift in call.account.rotations[row.id].between(since, until)}
    return {"users": [user(rendering, one) for one in call.account.every("user") if one.id in people]}


def list_oncalls(call: Call) -> Record:
    """``/oncalls``: who is on call now, or at any moment of a window."""
    rendering = call.rendering("escalation_policies", "users", "schedules", where=ACCOUNT_ZONE, asked=True)
    since, until = call.query.moments()
    since = call.account.now if since is None else since
    until = max(call.account.now, since) if until is None else until
    if until < since:
        raise Refusal("bad range", "Until must not be before since.")
    several = call.query.several
    users = several("user_ids")
    found = duties(call.account, several("schedule_ids"), several("escalation_policy_ids"), since, until)
    found = [duty for duty in found if users is None or duty.user in users]
    if call.query.flag("earliest"):
        # Of the duties of one person on one level of one policy, the first.
        first: dict[tuple[str, int, str], Duty] = {}
        for duty in found:
            key = duty.policy, duty.level, duty.user
            if key not in first or (duty.start or 0) < (first[key].start or 0):
                first[key] = duty
        found = list(first.values())
    return call.query.listed("oncalls", found, lambda duty: oncall(rendering, duty))


def list_incidents(call: Call) -> Record:
    """``/incidents``: those that began within a month, another window of at most six months, or ever.

    Without `sort_by` they come by number, which no document says but clients that page by offset rely on.
    """
    query = call.query
    rendering = call.rendering(*events.IN_FULL, asked=True)
    statuses = query.several("statuses", (TRIGGERED, ACKNOWLEDGED, RESOLVED))
    urgencies = query.several("urgencies", _URGENCIES)
    services, teams, people = query.several("service_ids"), query.several("team_ids"), query.several("user_ids")
    key, everything = query.text("incident_key"), query.text("date_range") == "all"
    since, until = (-inf, inf) if everything else query.window(call.account.now)

    def wanted(row: StoredRow) -> bool:
        body = row.body
        return (
            since <= row.created <= until
            and (statuses is None or body["status"] in statuses)
            and (urgencies is None or body["urgency"] in urgencies)
            and (services is None or body["service"] in services)
            and (teams is None or body["team"] in teams)
            and (people is None or any(person in people for _, person in body["assigned"]))
            and (key is None or call.account.key_of_alert(row.id) == key)
        )

    rows = [row for row in call.account.every("incident") if wanted(row)]
    for field, downwards in reversed(query.order(_INCIDENT_ORDER, most=2)):
        rows.sort(key=_INCIDENT_ORDER[field], reverse=downwards)
    return query.listed("incidents", rows, lambda row: events.incident(rendering, row))


_INCIDENT_ORDER: dict[str, Callable[[StoredRow], float]] = {
    "incident_number": lambda row: float(row.body["number"]),
    "created_at": lambda row: row.created,
    "resolved_at": lambda row: float(row.body["changed"][0]) if row.body["status"] == RESOLVED else inf,
    "urgency": lambda row: _URGENCIES.index(row.body["urgency"]),
}


def list_alerts(call: Call, id: str) -> Record:  # noqa: A002
    """``/incidents/{id}/alerts``: newest first, which no document says either way."""
    rendering, row = call.rendering(), call.account.get("incident", id)
    statuses = call.query.several("statuses", (TRIGGERED, RESOLVED))
    wanted = statuses is None or events.alert_status(row) in statuses
    places = range(row.body["alerts"] - 1, -1, -1) if wanted else range(0)
    return call.query.listed("alerts", places, lambda place: events.alert(rendering, row, place))


def get_alert(call: Call, id: str, alert: str) -> Record:  # noqa: A002
    """``/incidents/{id}/alerts/{alert}``."""
    rendering, row = call.rendering(), call.account.get("incident", id)
    for place in range(row.body["alerts"]):
        if events.alert_id(rendering, row, place) == alert:
            return {"alert": events.alert(rendering, row, place)}
    raise Refusal(404)


def list_notes(call: Call, id: str) -> Record:  # noqa: A002
    """``/incidents/{id}/notes``: as a whole. No document names an order; here the newest is first, as in the log."""
    rendering = call.rendering()
    return {
        "notes": [
            {
                "id": identifier(call.account.world, "note", row.id),
                "user": rendering.reference("user", row.body["agent"][1]),
                "content": row.body["note"],
                "created_at": rendering.time(row.created),
                "channel": {"summary": "The website", "type": "web"},
            }
            for row in _log(call, id)
            if row.body["type"] == "annotate"
        ]
    }


def list_incident_log(call: Call, id: str) -> Record:  # noqa: A002
    """``/incidents/{id}/log_entries``: newest first."""
    rendering = call.rendering(*_LOG_PARTS, where=ACCOUNT_ZONE, asked=True)
    overview = call.query.flag("is_overview")
    rows = [row for row in _log(call, id) if row.body["overview"] or not overview]
    return call.query.listed("log_entries", rows, lambda row: events.log_entry(rendering, row))


def list_log_entries(call: Call) -> Record:
    """``/log_entries``: newest first."""
    rendering = call.rendering(*_LOG_PARTS, where=ACCOUNT_ZONE, asked=True)
    limit, offset = call.query.page()
    since, until = call.query.moments()
    teams = sorted(call.query.several("team_ids") or ())
    conditions: dict[str, list[Any]] = {
        "created >= ?": [] if since is None else [since],
        "created <= ?": [] if until is None else [until],
        f"json_extract(body, '$.team') IN ({', '.join('?' * len(teams))})": teams,
    }
    parts = [text for text, values in conditions.items() if values]
    values = [value for several in conditions.values() for value in several]
    if call.query.flag("is_overview"):
        parts.append("json_extract(body, '$.overview')")
    condition = " AND ".join(["1", *parts])
    store = call.account.store
    rows, _ = store.find("log_entry", condition, values, limit=limit, offset=offset)
    total = store.count("log_entry", condition, values)
    return call.query.list_response("log_entries", [events.log_entry(rendering, row) for row in rows], total)


def list_priorities(call: Call) -> Record:
    """``/priorities``: the highest first."""
    rendering = call.rendering()
    return call.query.listed("priorities", list(WRITTEN["priorities"]), lambda name: events.priority(rendering, name))


def _log(call: Call, incident: str) -> list[StoredRow]:
    return call.account.store.every("log_entry", {"incident": call.account.get("incident", incident).id})


def _written_out_for(call: Call) -> Window | None:
    """The window for the entries of schedules: two weeks if one end is missing, None if both are."""
    since, until = call.query.moments()
    if since is None and until is None:
        return None
    since = (until or 0) - _WRITTEN_OUT if since is None else since
    until = since + _WRITTEN_OUT if until is None else until
    check_width(since, until)
    return since, until
