"""Records of an account's objects: users, teams, escalation policies and services."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from registry.sandbox.incidents.account import Account
from registry.sandbox.incidents.course import ACKNOWLEDGED, TRIGGERED
from registry.sandbox.incidents.hours import WORKDAYS
from registry.sandbox.incidents.rendering import SUBDOMAIN, WEBSITE, Record, Rendering
from registry.sandbox.incidents.schedules import schedule
from registry.sandbox.store import Body, StoredRow

NOTHING: frozenset[str] = frozenset()


def thing(rendering: Rendering, kind: str, id_: str, *, in_full: bool) -> Record:
    """An object in full, with references inside, or a reference to it."""
    if not in_full:
        return rendering.reference(kind, id_)
    row = rendering.account.get(kind, id_)
    if row is None:
        raise LookupError(f"{kind} {id_}")
    match kind:
        case "user":
            return user(rendering, row)
        case "team":
            return team(rendering, row)
        case "schedule":
            return schedule(rendering, row)
        case "escalation_policy":
            return policy(rendering, row)
        case _:
            return service(rendering, row, Conditions(rendering.account))


def user(rendering: Rendering, row: StoredRow, include: Collection[str] = NOTHING, *, own: bool = False) -> Record:
    """A user. `own`: the caller's, which alone carries the secret calendar addresses."""
    body = row.body
    record = {
        **rendering.head("user", row.id),
        "name": body["name"],
        "email": body["email"],
        "time_zone": body["time_zone"],
        "color": body["color"],
        "avatar_url": body["avatar_url"],
        "role": body["role"],
        "description": body["description"],
        "invitation_sent": body["invitation_sent"],
        "job_title": body["job_title"],
        "created_via_sso": body["created_via_sso"],
        "teams": [thing(rendering, "team", id_, in_full="teams" in include) for id_ in body["teams"]],
        "contact_methods": [_contact(contact, in_full="contact_methods" in include) for contact in body["contacts"]],
        "notification_rules": [
            _notification_rule(body, rule, in_full="notification_rules" in include) for rule in body["rules"]
        ],
    }
    if "subdomains" in include:
        record["subdomains"] = [SUBDOMAIN]
    if own:
        secret = rendering.account.calendar_key(row.id)
        record["http_cal_url"] = f"{WEBSITE}/private/{secret}/feed"
        record["web_cal_url"] = f"webcal://{WEBSITE.removeprefix('https://')}/private/{secret}/feed"
    return record


def team(rendering: Rendering, row: StoredRow) -> Record:
    """A team."""
    return {
        **rendering.head("team", row.id),
        "name": row.body["name"],
        "description": row.body["description"],
        "default_role": row.body["default_role"],
    }


def member(rendering: Rendering, user_id: str, role: str, include: Collection[str]) -> Record:
    """A person's place in a team."""
    return {"user": thing(rendering, "user", user_id, in_full="users" in include), "role": role}


def policy(rendering: Rendering, row: StoredRow, include: Collection[str] = NOTHING) -> Record:
    """An escalation policy."""
    body = row.body
    services = [one.id for one in rendering.account.every("service") if one.body["policy"] == row.id]
    return {
        **rendering.head("escalation_policy", row.id),
        "name": body["name"],
        "description": body["description"],
        "num_loops": body["loops"],
        "on_call_handoff_notifications": body["announces"],
        "escalation_rules": [
            {
                "id": rule["id"],
                "escalation_delay_in_minutes": rule["minutes"],
                "targets": [thing(rendering, kind, id_, in_full="targets" in include) for kind, id_ in rule["targets"]],
                "escalation_rule_assignment_strategy": rule["strategy"],
            }
            for rule in body["rules"]
        ],
        "services": [thing(rendering, "service", id_, in_full="services" in include) for id_ in services],
        "teams": _teams(rendering, body["team"], include),
    }


class _Condition(NamedTuple):
    triggered: bool
    acknowledged: bool
    latest: int | None


class Conditions:
    """The state of the services: their open incidents, and the last event of each."""

    def __init__(self, account: Account) -> None:
        self._account = account
        self._of: dict[str, _Condition] = {}
        for row in account.every("incident"):
            id_, status = row.body["service"], row.body["status"]
            before = self._of.get(id_, _Condition(False, False, None))
            self._of[id_] = _Condition(
                before.triggered or status == TRIGGERED, before.acknowledged or status == ACKNOWLEDGED, row.created
            )

    def latest(self, service: StoredRow) -> int | None:
        """When the service's latest incident began."""
        condition = self._of.get(service.id)
        return condition and condition.latest

    def status(self, service: StoredRow) -> str:
        """The service's status: set by somebody, or maintenance while that lasts, or else from its open incidents."""
        if service.body["state"] is not None:
            return str(service.body["state"])
        if self._account.in_maintenance(service.id):
            return "maintenance"
        condition = self._of.get(service.id)
        if condition is not None and condition.triggered:
            return "critical"
        return "warning" if condition is not None and condition.acknowledged else "active"


def service(rendering: Rendering, row: StoredRow, conditions: Conditions, include: Collection[str] = NOTHING) -> Record:
    """A service."""
    body = row.body
    in_full = "escalation_policies" in include
    return {
        **rendering.head("service", row.id),
        "name": body["name"],
        "description": body["description"],
        "created_at": rendering.time(row.created),
        "status": conditions.status(row),
        "last_incident_timestamp": rendering.time_or_null(conditions.latest(row)),
        "auto_resolve_timeout": body["resolves_after"],
        "acknowledgement_timeout": body["acknowledged_for"],
        "escalation_policy": thing(rendering, "escalation_policy", body["policy"], in_full=in_full),
        "teams": _teams(rendering, body["team"], include),
        "integrations": [_integration(rendering, row, in_full="integrations" in include)],
        **_urgency(body),
        "addons": [],
        "alert_creation": "create_alerts_and_incidents",
        "alert_grouping_parameters": {"type": "time", "config": {"timeout": 300}},
        "auto_pause_notifications_parameters": {"enabled": False, "timeout": None},
        "response_play": None,
    }


def _teams(rendering: Rendering, id_: str | None, include: Collection[str]) -> list[Record]:
    return [] if id_ is None else [thing(rendering, "team", id_, in_full="teams" in include)]


def _urgency(body: Body) -> Record:
    if body["hours"] is None:
        return {
            "incident_urgency_rule": {"type": "constant", "urgency": body["urgency"]},
            "support_hours": None,
            "scheduled_actions": [],
        }
    where, opens, closes = body["hours"]
    return {
        "incident_urgency_rule": {
            "type": "use_support_hours",
            "during_support_hours": {"type": "constant", "urgency": "high"},
            "outside_support_hours": {"type": "constant", "urgency": "low"},
        },
        "support_hours": {
            "type": "fixed_time_per_day",
            "time_zone": where,
            "days_of_week": list(WORKDAYS),
            "start_time": opens,
            "end_time": closes,
        },
        "scheduled_actions": [
            {"type": "urgency_change", "at": {"type": "named_time", "name": "support_hours_start"}, "to_urgency": "high"}
        ],
    }


def _integration(rendering: Rendering, row: StoredRow, *, in_full: bool) -> Record:
    head = _bare(row.body["integration"], "events_api_v2_inbound_integration", "Monitoring", in_full=in_full)
    if not in_full:
        return head
    return {
        **head,
        "name": "Monitoring",
        "created_at": rendering.time(row.created),
        "service": rendering.reference("service", row.id),
    }


def _contact(contact: dict[str, Any], *, in_full: bool) -> Record:
    record = _bare(contact["id"], f"{contact['kind']}_contact_method", contact["label"], in_full=in_full)
    if in_full:
        record |= {"label": contact["label"], "address": contact["address"], "blacklisted": contact.get("blacklisted", False)}
        if "country_code" in contact:
            record |= {"country_code": contact["country_code"], "enabled": True}
        if "device_type" in contact:
            record["device_type"] = contact["device_type"]
    return record


def _notification_rule(body: Body, rule: dict[str, Any], *, in_full: bool) -> Record:
    contact = next(contact for contact in body["contacts"] if contact["id"] == rule["contact"])
    summary = f"{rule['delay']} minutes: {contact['kind'].replace('_', ' ')} {contact['label']}"
    record = _bare(rule["id"], "assignment_notification_rule", summary, in_full=in_full)
    if in_full:
        record |= {
            "start_delay_in_minutes": rule["delay"],
            "urgency": rule["urgency"],
            "contact_method": _contact(contact, in_full=False),
        }
    return record


def _bare(id_: str, type_: str, summary: str, *, in_full: bool) -> Record:
    """The common fields of an object without its own address here."""
    return {
        "id": id_,
        "type": type_ if in_full else f"{type_}_reference",
        "summary": summary,
        "self": None,
        "html_url": None,
    }
