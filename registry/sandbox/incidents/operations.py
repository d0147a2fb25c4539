"""The operations of the incident service: the response of each path to a GET."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from math import inf
from typing import NamedTuple

from registry.sandbox.incidents import events
from registry.sandbox.incidents.account import Account
from registry.sandbox.incidents.course import ACKNOWLEDGED, RESOLVED, TRIGGERED
from registry.sandbox.incidents.directory import Conditions, member, policy, service, team, user
from registry.sandbox.incidents.errors import NoUserOfToken, bad_range, not_found, too_wide
from registry.sandbox.incidents.oncalls import DutyFilter, duties, earliest, oncall
from registry.sandbox.incidents.query import LONGEST_WINDOW, QueryParameters
from registry.sandbox.incidents.rendering import Record, Rendering
from registry.sandbox.incidents.schedules import PARTS, Window, schedule
from registry.sandbox.incidents.times import ACCOUNT_ZONE, months_later, zone
from registry.sandbox.store import StoredRow
from registry.sandbox.world import DAY

_USER_PARTS = ("contact_methods", "notification_rules", "teams", "subdomains")
_POLICY_PARTS = ("services", "teams", "targets", "escalation_rule_assignment_strategies")
_SERVICE_PARTS = ("escalation_policies", "teams", "auto_pause_notifications_parameters", "integrations")
_URGENCIES = ("low", "high")
_WRITTEN_OUT = 14 * DAY


class Call(NamedTuple):
    """One request.

    `rendering` shows times in UTC; operations that show them in another zone change that. `caller` is the id of the user whom
    the token belongs to, None for a token that belongs to the account.
    """

    account: Account
    query: QueryParameters
    rendering: Rendering
    caller: str | None

    def row(self, kind: str, id_: str) -> StoredRow:
        """The object that the path names.

        Raises:
            Refusal: 404, there is none.
        """
        row = self.account.get(kind, id_)
        if row is None:
            raise not_found()
        return row

    def zoned(self, default: str = ACCOUNT_ZONE) -> Rendering:
        """A rendering in the zone that the request asks for."""
        return self.rendering.inside(self.query.zone(zone(default)))

    def listed(self, name: str, rows: Sequence[StoredRow], write: Callable[[StoredRow], Record]) -> Record:
        """A page of a list."""
        page = self.query.page()
        return page.list_response(name, [write(row) for row in rows[page.offset : page.offset + page.limit]], len(rows))

    def named(self, kind: str, teams_of: Callable[[StoredRow], Collection[str | None]] | None = None) -> list[StoredRow]:
        """Objects of a kind whose name holds the text of `query` and, where teams own them, that `team_ids[]` names."""
        text = (self.query.text("query") or "").casefold()
        rows = [row for row in self.account.every(kind) if text in row.body["name"].casefold()]
        teams = self.query.several("team_ids") if teams_of is not None else None
        if teams is None or teams_of is None:
            return rows
        return [row for row in rows if not teams.isdisjoint(teams_of(row))]


def list_users(call: Call) -> Record:
    """``/users``."""
    include = call.query.include(*_USER_PARTS)
    rows = call.named("user", lambda row: row.body["teams"])
    return call.listed("users", rows, lambda row: user(call.rendering, row, include))


def get_user(call: Call, id: str) -> Record:  # noqa: A002
    """``/users/{id}``."""
    include = call.query.include(*_USER_PARTS)
    return {"user": user(call.rendering, call.row("user", id), include, own=id == call.caller)}


def get_me(call: Call) -> Record:
    """``/users/me``."""
    if call.caller is None:
        raise NoUserOfToken
    return get_user(call, call.caller)


def list_teams(call: Call) -> Record:
    """``/teams``."""
    return call.listed("teams", call.named("team"), lambda row: team(call.rendering, row))


def get_team(call: Call, id: str) -> Record:  # noqa: A002
    """``/teams/{id}``. Everybody has the same privileges here, so including them adds nothing."""
    call.query.include("privileges")
    return {"team": team(call.rendering, call.row("team", id))}


def list_members(call: Call, id: str) -> Record:  # noqa: A002
    """``/teams/{id}/members``."""
    include = call.query.include("users")
    page = call.query.page()
    members = call.row("team", id).body["members"]
    shown = members[page.offset : page.offset + page.limit]
    return page.list_response("members", [member(call.rendering, id_, role, include) for id_, role in shown], len(members))


def list_policies(call: Call) -> Record:
    """``/escalation_policies``."""
    include = call.query.include(*_POLICY_PARTS)
    people = call.query.several("user_ids")
    rows = call.named("escalation_policy", lambda row: [row.body["team"]])
    if people is not None:
        rows = [row for row in rows if any(id_ in people for rule in row.body["rules"] for _, id_ in rule["targets"])]
    _by_name(call, rows)
    return call.listed("escalation_policies", rows, lambda row: policy(call.rendering, row, include))


def get_policy(call: Call, id: str) -> Record:  # noqa: A002
    """``/escalation_policies/{id}``."""
    include = call.query.include(*_POLICY_PARTS)
    return {"escalation_policy": policy(call.rendering, call.row("escalation_policy", id), include)}


def list_services(call: Call) -> Record:
    """``/services``."""
    include = call.query.include(*_SERVICE_PARTS)
    rendering = call.zoned()
    rows = call.named("service", lambda row: [row.body["team"]])
    name = call.query.text("name")
    if name is not None:
        rows = [row for row in rows if row.body["name"] == name]
    _by_name(call, rows)
    conditions = Conditions(call.account)
    return call.listed("services", rows, lambda row: service(rendering, row, conditions, include))


def get_service(call: Call, id: str) -> Record:  # noqa: A002
    """``/services/{id}``."""
    include = call.query.include(*_SERVICE_PARTS)
    rendering = call.rendering.inside(zone(ACCOUNT_ZONE))
    return {"service": service(rendering, call.row("service", id), Conditions(call.account), include)}


def list_schedules(call: Call) -> Record:
    """``/schedules``: in the zone of the person who asks, unless another is named."""
    include = call.query.include(*PARTS)
    own = None if call.caller is None else call.account.get("user", call.caller)
    rendering = call.zoned(ACCOUNT_ZONE if own is None else own.body["time_zone"])
    window = _written_out_for(call)
    rows = call.named("schedule", lambda row: row.body["teams"])
    return call.listed("schedules", rows, lambda row: schedule(rendering, row, include, window))


def get_schedule(call: Call, id: str) -> Record:  # noqa: A002
    """``/schedules/{id}``: with all its parts, in its own zone unless another is named."""
    row = call.row("schedule", id)
    return {"schedule": schedule(call.zoned(row.body["time_zone"]), row, PARTS, _written_out_for(call))}


def list_oncalls(call: Call) -> Record:
    """``/oncalls``: who is on call now, or at any moment of a window."""
    include = call.query.include("escalation_policies", "users", "schedules")
    rendering = call.zoned()
    page = call.query.page()
    since, until = call.query.moments()
    since = call.account.now if since is None else since
    until = max(call.account.now, since) if until is None else until
    if until < since:
        raise bad_range()
    several = call.query.several
    wanted = DutyFilter(several("schedule_ids"), several("escalation_policy_ids"), several("user_ids"))
    found = duties(call.account, wanted, since, until)
    if call.query.flag("earliest"):
        found = earliest(found)
    shown = found[page.offset : page.offset + page.limit]
    return page.list_response("oncalls", [oncall(rendering, duty, include) for duty in shown], len(found))


def list_incidents(call: Call) -> Record:
    """``/incidents``: those that began within a month, another window of at most six months, or ever.

    Without `sort_by` they come by number, which no document says but clients that page by offset rely on.
    """
    query = call.query
    include = query.include(*events.IN_FULL)
    statuses = query.several("statuses", (TRIGGERED, ACKNOWLEDGED, RESOLVED))
    urgencies = query.several("urgencies", _URGENCIES)
    services, teams, people = query.several("service_ids"), query.several("team_ids"), query.several("user_ids")
    key, everything = query.text("incident_key"), query.text("date_range") == "all"
    since, until = (-inf, inf) if everything else query.window(call.account.now)
    rendering = call.zoned("UTC")

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
    return call.listed("incidents", rows, lambda row: events.incident(rendering, row, include))


def get_incident(call: Call, id: str) -> Record:  # noqa: A002
    """``/incidents/{id}``: by id or number."""
    include = call.query.include(*events.IN_FULL, "custom_fields", "body")
    row = call.account.incident(id)
    if row is None:
        raise not_found()
    return {"incident": events.incident(call.rendering, row, include)}


def list_log_entries(call: Call) -> Record:
    """``/log_entries``: newest first."""
    include = call.query.include("incidents", "services", "channels", "teams")
    rendering = call.zoned()
    page = call.query.page()
    conditions: list[str] = ["1"]
    values: list[str | int] = []
    since, until = call.query.moments()
    if since is not None:
        conditions.append("created >= ?")
        values.append(since)
    if until is not None:
        conditions.append("created <= ?")
        values.append(until)
    if call.query.flag("is_overview"):
        conditions.append("json_extract(body, '$.overview')")
    teams = call.query.several("team_ids")
    if teams is not None:
        conditions.append(f"json_extract(body, '$.team') IN ({', '.join('?' * len(teams))})")
        values.extend(sorted(teams))
    condition = " AND ".join(conditions)
    store = call.account.store
    rows = store.find("log_entry", condition, values, limit=page.limit, offset=page.offset).rows
    total = store.count_found("log_entry", condition, values, most=_COUNTED)
    return page.list_response("log_entries", [events.log_entry(rendering, row, include) for row in rows], total)


def get_log_entry(call: Call, id: str) -> Record:  # noqa: A002
    """``/log_entries/{id}``: what an incident's first trigger refers to."""
    include = call.query.include("incidents", "services", "channels", "teams")
    return {"log_entry": events.log_entry(call.zoned(), call.row("log_entry", id), include)}


def _by_name(call: Call, rows: list[StoredRow]) -> None:
    """Turn a list, which is in order of names already, around where `sort_by` says so."""
    if call.query.order(("name",)) == [("name", True)]:
        rows.reverse()


def _written_out_for(call: Call) -> Window | None:
    """The window for the entries of schedules: two weeks if one end is missing, None if both are."""
    since, until = call.query.moments()
    if since is None and until is None:
        return None
    if since is None:
        since = (until or 0) - _WRITTEN_OUT
    if until is None:
        until = since + _WRITTEN_OUT
    if until > months_later(since, LONGEST_WINDOW):
        raise too_wide()
    return Window(since, until)


def _resolved_at(row: StoredRow) -> float:
    return float(row.body["changed"][0]) if row.body["status"] == RESOLVED else inf


_INCIDENT_ORDER: dict[str, Callable[[StoredRow], float]] = {
    "incident_number": lambda row: float(row.body["number"]),
    "created_at": lambda row: row.created,
    "resolved_at": _resolved_at,
    "urgency": lambda row: _URGENCIES.index(row.body["urgency"]),
}
_COUNTED = 1_000_000
