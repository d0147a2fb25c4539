"""Records of incidents, of their log and of their alerts."""

from collections.abc import Callable
from typing import Any

from registry.sandbox.incidents import identifier
from registry.sandbox.incidents.account import log_entry_id
from registry.sandbox.incidents.course import RESOLVED
from registry.sandbox.incidents.directory import Record, Rendering, teams, thing
from registry.sandbox.incidents.scenarios import WRITTEN
from registry.sandbox.store import Body, StoredRow
from registry.sandbox.world import DOMAIN, MINUTE

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


def incident(rendering: Rendering, row: StoredRow) -> Record:
    """An incident; the response can include `IN_FULL`, ``custom_fields`` and ``body``."""
    body = row.body
    open_ = body["status"] != RESOLVED
    changed_at, changed_by = body["changed"]
    resolved_at = None if open_ else rendering.time(changed_at)
    number = body["number"]
    entry = rendering.account.get("log_entry", log_entry_id(row.id, 0))
    first_trigger = rendering.log_entry_head(entry.id, "trigger_log_entry_reference", _summary(rendering, entry.body), row.id)
    if rendering.full("first_trigger_log_entries"):
        first_trigger = log_entry(rendering._replace(include=()), entry)
    bridge = {
        "conference_number": f"+44 20 7946 0800,,{number}#",
        "conference_url": f"https://meet.{DOMAIN}/incident-{number}",
    }
    return {
        **rendering.head("incident", row.id),
        "incident_number": number,
        "title": body["title"],
        "created_at": rendering.time(row.created),
        "updated_at": rendering.time(body["updated"]),
        "status": body["status"],
        "incident_key": rendering.account.key_of_alert(row.id),
        "service": thing(rendering, "service", body["service"], "services"),
        "assignments": [
            {"at": rendering.time(at), "assignee": thing(rendering, "user", person, "assignees", "users")}
            for at, person in body["assigned"]
        ],
        "assigned_via": body["via"],
        "last_status_change_at": rendering.time(changed_at),
        "last_status_change_by": thing(rendering, *changed_by, "agents"),
        "resolved_at": resolved_at,
        "first_trigger_log_entry": first_trigger,
        "alert_counts": {
            "all": body["alerts"],
            "triggered": body["alerts"] if open_ else 0,
            "resolved": 0 if open_ else body["alerts"],
        },
        "is_mergeable": open_,
        "incident_type": {"name": "major_incident" if body["bridge"] else "incident_default"},
        "escalation_policy": thing(rendering, "escalation_policy", body["policy"], "escalation_policies"),
        "teams": teams(rendering, body["team"]),
        "pending_actions": [
            {"type": kind, "at": rendering.time(at), **({"to": "high"} if kind == "urgency_change" else {})}
            for kind, at in body["pending"]
        ],
        "acknowledgements": [
            {"at": rendering.time(at), "acknowledger": thing(rendering, "user", person, "acknowledgers", "users")}
            for at, person in body["acknowledged"]
        ],
        "alert_grouping": None
        if body["alerts"] == 1
        else {
            "grouping_type": "basic",
            "started_at": rendering.time(row.created),
            "ended_at": resolved_at,
            "alert_grouping_active": open_,
        },
        "priority": body["priority"] and priority(rendering, body["priority"], in_full=rendering.full("priorities")),
        "resolve_reason": body["merged"]
        and {"type": "merge_resolve_reason", "incident": rendering.reference("incident", body["merged"])},
        "incidents_responders": [
            {
                "state": responder["state"],
                "user": thing(rendering, "user", responder["to"], "users"),
                "incident": rendering.reference("incident", row.id),
                "requester": thing(rendering, "user", responder["requester"], "users"),
                "requested_at": rendering.time(responder["at"]),
                "message": responder["message"],
            }
            for responder in body["responders"]
        ],
        "responder_requests": [],
        "urgency": body["urgency"],
        **rendering.asked(
            "incident",
            conference_bridge=lambda: bridge if body["bridge"] else None,
            custom_fields=lambda: [
                {"name": name.lower().replace(" ", "_"), "display_name": name, "type": "field_value", "value": value}
                for name, value in body["fields"].items()
            ],
            body=lambda: {"type": "incident_body", "details": body["text"]},
        ),
    }


def log_entry(rendering: Rendering, row: StoredRow) -> Record:
    """A log entry; the response can include incidents, services, channels and teams."""
    body = row.body
    only_some: dict[str, Callable[[], Any]] = {
        "assignees": lambda: {"assignees": [rendering.reference("user", person) for person in body["assignees"]]},
        "call": lambda: {"user": rendering.reference("user", body["call"]["user"])},
        "acknowledgement_timeout": lambda: {"acknowledgement_timeout": body["acknowledgement_timeout"]},
        "change": lambda: {"changeset": body["change"]},
        "until": lambda: {"changed_actions": [{"type": "unacknowledge", "at": rendering.time(body["until"])}]},
    }
    return {
        **rendering.log_entry_head(row.id, f"{body['type']}_log_entry", _summary(rendering, body), body["incident"]),
        "created_at": rendering.time(row.created),
        "agent": rendering.reference(*body["agent"]),
        "channel": _channel(rendering, row),
        "service": thing(rendering, "service", body["service"], "services"),
        "incident": incident(rendering._replace(include=()), rendering.account.get("incident", body["incident"]))
        if rendering.full("incidents")
        else rendering.reference("incident", body["incident"]),
        "teams": teams(rendering, body["team"]),
        "contexts": _contexts(rendering, body),
        "note": body.get("note"),
        "event_details": {"description": body["title"]} if "title" in body else {},
        **{name: value for has, make in only_some.items() if has in body for name, value in make().items()},
    }


def alert(rendering: Rendering, row: StoredRow, place: int) -> Record:
    """One of an incident's alerts: what a monitoring system sent. An incident counts them, and here each is written out."""
    body, account = row.body, rendering.account
    id_ = alert_id(rendering, row, place)
    return {
        **rendering.bare(id_, "alert", body["title"], own=f"incidents/{row.id}/alerts/{id_}", page=f"alerts/{id_}"),
        "created_at": rendering.time(min(row.created + place * MINUTE, body["updated"])),
        "status": alert_status(row),
        "alert_key": f"{account.key_of_alert(row.id)}-{place}",
        "service": rendering.reference("service", body["service"]),
        "incident": rendering.reference("incident", row.id),
        "body": {"type": "alert_body", "contexts": [], "details": {"service": account.names["service", body["service"]]}},
        "severity": "critical" if body["urgency"] == "high" else "warning",
        "suppressed": False,
        "integration": None,
    }


def alert_id(rendering: Rendering, row: StoredRow, place: int) -> str:
    """The id of one of an incident's alerts; places count from 0."""
    return identifier(rendering.account.world, "alert", f"{row.id}/{place}")


def alert_status(row: StoredRow) -> str:
    """The status of an incident's alerts."""
    return "resolved" if row.body["status"] == RESOLVED else "triggered"


def priority(rendering: Rendering, name: str, *, in_full: bool = True) -> Record:
    """A priority by its name, in full or a reference to it."""
    id_ = identifier(rendering.account.world, "priority", name)
    record = rendering.bare(id_, "priority" if in_full else "priority_reference", name)
    return {**record, "name": name, "description": WRITTEN["priorities"][name]} if in_full else record


def _channel(rendering: Rendering, row: StoredRow) -> Record:
    body = row.body
    said = {"note": "summary", "urgency": "new_urgency"}
    channel: Record = body["channel"] | {name: body[of] for of, name in said.items() if of in body}
    if call := body.get("call"):
        channel["notification"] = {
            "type": call["type"],
            "address": None if call["type"] == "push_notification" else call["address"],
            "started_at": rendering.time(row.created),
            "status": call["status"],
            "user": rendering.reference("user", call["user"]),
        }
    if "title" in body:
        details = {"service": rendering.account.names["service", body["service"]], "source": "monitoring"}
        channel |= rendering.asked("channel", summary=lambda: body["title"], details=lambda: details)
    return channel


def _contexts(rendering: Rendering, body: Body) -> list[Record]:
    if "title" not in body or body["channel"]["type"] != "api":
        return []
    service = rendering.account.names["service", body["service"]]
    graph = f"https://graphs.{DOMAIN}/{service}"
    return [
        {"type": "link", "href": f"https://runbooks.{DOMAIN}/{service}", "src": None, "text": "Runbook"},
        {"type": "image", "src": f"{graph}.png", "href": graph, "text": None},
    ]


def _summary(rendering: Rendering, body: Body) -> str:
    names = rendering.account.names
    agent = names[*body["agent"]]
    how = WRITTEN["channels"].get(body["channel"]["type"], "")
    people = ", ".join(names["user", person] for person in body.get("assignees", ()))
    match body["type"]:
        case "notify":
            return f"Notified {names['user', body['call']['user']]} by {body['call']['type'].removesuffix('_notification')}"
        case "urgency_change":
            return f"Urgency changed to {body['urgency']}"
        case "field_value_change" | "custom_field_value_change":
            return f"{body['change']['field']} changed by {agent}"
    return str(WRITTEN["summaries"][body["type"]]).format(agent=agent, how=how, people=people)
