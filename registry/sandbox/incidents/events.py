"""Records of incidents and of their log."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from registry.sandbox.company import DOMAIN
from registry.sandbox.incidents.course import RESOLVED
from registry.sandbox.incidents.directory import NOTHING, thing
from registry.sandbox.incidents.history import log_entry_id
from registry.sandbox.incidents.rendering import Record, Rendering
from registry.sandbox.store import Body, StoredRow

IN_FULL = (
    "acknowledgers",
    "agents",
    "assignees",
    "conference_bridge",
    "escalation_policies",
    "first_trigger_log_entries",
    "priorities",
    "services",
    "teams",
    "users",
)
PRIORITIES = {
    "P1": "Customers cannot buy",
    "P2": "Many customers are held up",
    "P3": "Some customers are held up",
    "P4": "Nobody outside notices yet",
    "P5": "For the next working day",
}
_CHANNEL_WORDS = {
    "api": "through the API",
    "auto": "automatically",
    "email": "by email",
    "nagios": "through a monitoring system",
    "sms": "by text message",
    "timeout": "on timeout",
    "web_trigger": "on the website",
    "website": "on the website",
}


def incident(rendering: Rendering, row: StoredRow, include: Collection[str] = NOTHING) -> Record:
    """An incident.

    Args:
        rendering: the response that it is part of.
        row: the stored incident.
        include: what to give in full: values of `IN_FULL`, ``custom_fields`` and ``body``.
    """
    body = row.body
    open_ = body["status"] != RESOLVED
    changed_at, changed_by = body["changed"]
    record = {
        **rendering.head("incident", row.id),
        "incident_number": body["number"],
        "title": body["title"],
        "created_at": rendering.time(row.created),
        "updated_at": rendering.time(body["updated"]),
        "status": body["status"],
        "incident_key": rendering.account.key_of_alert(row.id),
        "service": thing(rendering, "service", body["service"], in_full="services" in include),
        "assignments": [
            {"at": rendering.time(at), "assignee": _person(rendering, person, "assignees", include)}
            for at, person in body["assigned"]
        ],
        "assigned_via": body["via"],
        "last_status_change_at": rendering.time(changed_at),
        "last_status_change_by": thing(rendering, *changed_by, in_full="agents" in include),
        "resolved_at": None if open_ else rendering.time(changed_at),
        "first_trigger_log_entry": _first_trigger(rendering, row, in_full="first_trigger_log_entries" in include),
        "alert_counts": {
            "all": body["alerts"],
            "triggered": body["alerts"] if open_ else 0,
            "resolved": 0 if open_ else body["alerts"],
        },
        "is_mergeable": open_,
        "incident_type": {"name": "major_incident" if body["bridge"] else "incident_default"},
        "escalation_policy": thing(rendering, "escalation_policy", body["policy"], in_full="escalation_policies" in include),
        "teams": [thing(rendering, "team", body["team"], in_full="teams" in include)] if body["team"] else [],
        "pending_actions": [_pending(rendering, *action) for action in body["pending"]],
        "acknowledgements": [
            {"at": rendering.time(at), "acknowledger": _person(rendering, person, "acknowledgers", include)}
            for at, person in body["acknowledged"]
        ],
        "alert_grouping": _grouping(rendering, row, open_=open_),
        "priority": _priority_of(rendering, body["priority"], in_full="priorities" in include),
        "resolve_reason": _reason(rendering, body["merged"]),
        "incidents_responders": [_responder(rendering, row, responder, include) for responder in body["responders"]],
        "responder_requests": [],
        "urgency": body["urgency"],
    }
    if "conference_bridge" in include:
        record["conference_bridge"] = _bridge(row)
    if "custom_fields" in include:
        record["custom_fields"] = [
            {"name": name.lower().replace(" ", "_"), "display_name": name, "type": "field_value", "value": value}
            for name, value in body["fields"].items()
        ]
    if "body" in include:
        record["body"] = {"type": "incident_body", "details": body["text"]}
    return record


def log_entry(rendering: Rendering, row: StoredRow, include: Collection[str] = NOTHING) -> Record:
    """A log entry; `include` names what to give in full: incidents, services, channels, teams."""
    body = row.body
    record = {
        **rendering.log_entry_head(row.id, f"{body['type']}_log_entry", _summary(rendering, body), body["incident"]),
        "created_at": rendering.time(row.created),
        "agent": rendering.reference(*body["agent"]),
        "channel": _channel(rendering, row, in_full="channels" in include),
        "service": thing(rendering, "service", body["service"], in_full="services" in include),
        "incident": _incident(rendering, body["incident"], in_full="incidents" in include),
        "teams": [thing(rendering, "team", body["team"], in_full="teams" in include)] if body["team"] else [],
        "contexts": _contexts(rendering, body),
        "note": body.get("note"),
        "event_details": {"description": body["title"]} if "title" in body else {},
    }
    if "assignees" in body:
        record["assignees"] = rendering.references("user", body["assignees"])
    if "call" in body:
        record["user"] = rendering.reference("user", body["call"]["user"])
    if "acknowledgement_timeout" in body:
        record["acknowledgement_timeout"] = body["acknowledgement_timeout"]
    if "change" in body:
        record["changeset"] = body["change"]
    if "until" in body:
        record["changed_actions"] = [_pending(rendering, "unacknowledge", body["until"])]
    return record


def _person(rendering: Rendering, id_: str, part: str, include: Collection[str]) -> Record:
    return thing(rendering, "user", id_, in_full=part in include or "users" in include)


def _incident(rendering: Rendering, id_: str, *, in_full: bool) -> Record:
    row = rendering.account.get("incident", id_) if in_full else None
    return rendering.reference("incident", id_) if row is None else incident(rendering, row)


def _first_trigger(rendering: Rendering, row: StoredRow, *, in_full: bool) -> Record:
    entry = rendering.account.get("log_entry", log_entry_id(row.id, 0))
    if entry is None:
        raise LookupError(f"incident {row.id} has no log")
    if in_full:
        return log_entry(rendering, entry)
    summary = _summary(rendering, entry.body)
    return rendering.log_entry_head(entry.id, "trigger_log_entry_reference", summary, row.id)


def _pending(rendering: Rendering, kind: str, at: int) -> Record:
    action = {"type": kind, "at": rendering.time(at)}
    return {**action, "to": "high"} if kind == "urgency_change" else action


def _grouping(rendering: Rendering, row: StoredRow, *, open_: bool) -> Record | None:
    if row.body["alerts"] == 1:
        return None
    return {
        "grouping_type": "basic",
        "started_at": rendering.time(row.created),
        "ended_at": None if open_ else rendering.time(row.body["changed"][0]),
        "alert_grouping_active": open_,
    }


def priority(rendering: Rendering, name: str) -> Record:
    """A priority in full, by its name."""
    return {**_priority_head(rendering, name, "priority"), "name": name, "description": PRIORITIES[name]}


def _priority_of(rendering: Rendering, name: str | None, *, in_full: bool) -> Record | None:
    if name is None:
        return None
    return priority(rendering, name) if in_full else _priority_head(rendering, name, "priority_reference")


def _priority_head(rendering: Rendering, name: str, type_: str) -> Record:
    id_ = rendering.account.id("priority", name)
    return {"id": id_, "type": type_, "summary": name, "self": None, "html_url": None}


def _reason(rendering: Rendering, merged_into: str | None) -> Record | None:
    if merged_into is None:
        return None
    return {"type": "merge_resolve_reason", "incident": rendering.reference("incident", merged_into)}


def _responder(rendering: Rendering, row: StoredRow, responder: dict[str, Any], include: Collection[str]) -> Record:
    return {
        "state": responder["state"],
        "user": thing(rendering, "user", responder["to"], in_full="users" in include),
        "incident": rendering.reference("incident", row.id),
        "requester": thing(rendering, "user", responder["requester"], in_full="users" in include),
        "requested_at": rendering.time(responder["at"]),
        "message": responder["message"],
    }


def _bridge(row: StoredRow) -> Record | None:
    if not row.body["bridge"]:
        return None
    return {
        "conference_number": f"+44 20 7946 0800,,{row.body['number']}#",
        "conference_url": f"https://meet.{DOMAIN}/incident-{row.body['number']}",
    }


def _channel(rendering: Rendering, row: StoredRow, *, in_full: bool) -> Record:
    body = row.body
    channel = dict(body["channel"])
    if "call" in body:
        call = body["call"]
        channel["notification"] = {
            "type": call["type"],
            "address": None if call["type"] == "push_notification" else call["address"],
            "started_at": rendering.time(row.created),
            "status": call["status"],
            "user": rendering.reference("user", call["user"]),
        }
    if "note" in body:
        channel["summary"] = body["note"]
    if "urgency" in body:
        channel["new_urgency"] = body["urgency"]
    if in_full and "title" in body:
        channel["summary"] = body["title"]
        channel["details"] = {"service": rendering.account.name("service", body["service"]), "source": "monitoring"}
    return channel


def _contexts(rendering: Rendering, body: Body) -> list[Record]:
    if "title" not in body or body["channel"]["type"] != "api":
        return []
    service = rendering.account.name("service", body["service"])
    graph = {
        "type": "image",
        "src": f"https://graphs.{DOMAIN}/{service}.png",
        "href": f"https://graphs.{DOMAIN}/{service}",
        "text": None,
    }
    return [{"type": "link", "href": f"https://runbooks.{DOMAIN}/{service}", "src": None, "text": "Runbook"}, graph]


def _summary(rendering: Rendering, body: Body) -> str:
    account = rendering.account
    agent = account.name(*body["agent"])
    how = _CHANNEL_WORDS.get(body["channel"]["type"], "")
    people = ", ".join(account.name("user", person) for person in body.get("assignees", ()))
    match body["type"]:
        case "trigger":
            return f"Triggered {how}"
        case "assign":
            return f"Assigned to {people}"
        case "delegate":
            return f"Handed on by {agent} to {people}"
        case "escalate":
            return f"Escalated to {people} {how}"
        case "notify":
            kind = body["call"]["type"].removesuffix("_notification")
            return f"Notified {account.name('user', body['call']['user'])} by {kind}"
        case "annotate":
            return f"Note added by {agent}"
        case "acknowledge":
            return f"Acknowledged by {agent} {how}"
        case "unacknowledge":
            return f"Acknowledgement ended {how}"
        case "snooze":
            return f"Snoozed by {agent}"
        case "resolve":
            return f"Resolved by {agent} {how}"
        case "urgency_change":
            return f"Urgency changed to {body['urgency']}"
        case "repeat_escalation_path":
            return "Escalation started over"
        case "exhaust_escalation_path":
            return "Nobody further to escalate to"
        case "reach_trigger_limit":
            return "Further alerts are not logged"
        case "reach_ack_limit":
            return "Acknowledged as often as it can be"
        case _:
            return f"{body['change']['field']} changed by {agent}"
