"""Reads that no tool needs but that the official clients' helpers and examples begin with.

They are what belongs to one incident or schedule, and the account's priorities. An alert is what a monitoring system sent; an
incident counts its alerts, and here each of them is written out.
"""

from __future__ import annotations

from registry.sandbox.incidents import events
from registry.sandbox.incidents.course import RESOLVED
from registry.sandbox.incidents.directory import user
from registry.sandbox.incidents.errors import bad_range, not_found, too_wide
from registry.sandbox.incidents.operations import Call
from registry.sandbox.incidents.query import LONGEST_WINDOW
from registry.sandbox.incidents.rendering import Record
from registry.sandbox.incidents.times import months_later
from registry.sandbox.store import StoredRow
from registry.sandbox.world import DAY, MINUTE

_MONTH = 30 * DAY


def list_alerts(call: Call, id: str) -> Record:  # noqa: A002
    """``/incidents/{id}/alerts``: newest first, which no document says either way."""
    row = _incident(call, id)
    statuses = call.query.several("statuses", ("triggered", "resolved"))
    page = call.query.page()
    wanted = statuses is None or _status(row) in statuses
    places = range(row.body["alerts"] - 1, -1, -1) if wanted else range(0)
    shown = [_alert(call, row, place) for place in places[page.offset : page.offset + page.limit]]
    return page.list_response("alerts", shown, len(places))


def get_alert(call: Call, id: str, alert: str) -> Record:  # noqa: A002
    """``/incidents/{id}/alerts/{alert}``."""
    row = _incident(call, id)
    for place in range(row.body["alerts"]):
        if call.account.id("alert", f"{row.id}/{place}") == alert:
            return {"alert": _alert(call, row, place)}
    raise not_found()


def list_notes(call: Call, id: str) -> Record:  # noqa: A002
    """``/incidents/{id}/notes``: as a whole. No document names an order; here the newest is first, as in the log."""
    return {
        "notes": [
            {
                "id": call.account.id("note", row.id),
                "user": call.rendering.reference("user", row.body["agent"][1]),
                "content": row.body["note"],
                "created_at": call.rendering.time(row.created),
                "channel": {"summary": "The website", "type": "web"},
            }
            for row in _log(call, _incident(call, id))
            if row.body["type"] == "annotate"
        ]
    }


def list_incident_log(call: Call, id: str) -> Record:  # noqa: A002
    """``/incidents/{id}/log_entries``: newest first."""
    include = call.query.include("incidents", "services", "channels", "teams")
    overview = call.query.flag("is_overview")
    rendering = call.zoned()
    rows = [row for row in _log(call, _incident(call, id)) if row.body["overview"] or not overview]
    return call.listed("log_entries", rows, lambda row: events.log_entry(rendering, row, include))


def list_schedule_users(call: Call, id: str) -> Record:  # noqa: A002
    """``/schedules/{id}/users``: who is on call by it within a window, by default a month; in one response, not in pages."""
    row = call.row("schedule", id)
    since, until = call.query.moments()
    since = call.account.now if since is None else since
    until = since + _MONTH if until is None else until
    if until < since:
        raise bad_range()
    if until > months_later(since, LONGEST_WINDOW):
        raise too_wide()
    people = {shift.person for shift in call.account.rotation(row.id).between(since, until)}
    return {"users": [user(call.rendering, one) for one in call.account.every("user") if one.id in people]}


def list_priorities(call: Call) -> Record:
    """``/priorities``: the highest first."""
    page = call.query.page()
    names = list(events.PRIORITIES)
    shown = [events.priority(call.rendering, name) for name in names[page.offset : page.offset + page.limit]]
    return page.list_response("priorities", shown, len(names))


def _incident(call: Call, id_: str) -> StoredRow:
    row = call.account.incident(id_)
    if row is None:
        raise not_found()
    return row


def _log(call: Call, incident: StoredRow) -> list[StoredRow]:
    return call.account.store.every("log_entry", {"incident": incident.id})


def _status(incident: StoredRow) -> str:
    return "resolved" if incident.body["status"] == RESOLVED else "triggered"


def _alert(call: Call, incident: StoredRow, place: int) -> Record:
    id_ = call.account.id("alert", f"{incident.id}/{place}")
    rendering, body = call.rendering, incident.body
    return {
        **rendering.alert_head(id_, incident.id, body["title"]),
        "created_at": rendering.time(min(incident.created + place * MINUTE, body["updated"])),
        "status": _status(incident),
        "alert_key": f"{call.account.key_of_alert(incident.id)}-{place}",
        "service": rendering.reference("service", body["service"]),
        "incident": rendering.reference("incident", incident.id),
        "body": {"type": "alert_body", "contexts": [], "details": {"service": call.account.name("service", body["service"])}},
        "severity": "critical" if body["urgency"] == "high" else "warning",
        "suppressed": False,
        "integration": None,
    }
