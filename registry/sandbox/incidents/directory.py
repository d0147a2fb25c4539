"""How records are written, and those of users, teams, escalation policies, services and schedules."""

from collections.abc import Callable, Collection, Iterable
from functools import partial
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from registry.sandbox.incidents import SUBDOMAIN
from registry.sandbox.incidents.account import Account
from registry.sandbox.incidents.course import ACKNOWLEDGED, TRIGGERED
from registry.sandbox.incidents.query import WORKDAYS, show
from registry.sandbox.incidents.rotations import Layer, Opening, Rotation
from registry.sandbox.requests import CONDITIONS
from registry.sandbox.store import Body, StoredRow
from registry.sandbox.world import DAY, HOUR

Record = dict[str, Any]

WEBSITE = "https://fernway.incidents.example"
_PATHS = {
    "user": "users",
    "team": "teams",
    "schedule": "schedules",
    "escalation_policy": "escalation_policies",
    "service": "services",
    "incident": "incidents",
}


class Rendering(NamedTuple):
    """Writes parts of records for one request.

    `address` is the service's own URL as the caller wrote it, so that a record's ``self`` leads back here; `where` the zone
    that times are shown in; `include` names the parts to give in full instead of by reference.
    """

    account: Account
    address: str
    where: ZoneInfo
    include: Collection[str] = ()

    def full(self, *parts: str) -> bool:
        """Whether one of these parts is to be given in full."""
        return any(part in self.include for part in parts)

    def asked(self, record: str, *, own: bool = False, **fields: Callable[[], Any]) -> Record:
        """Those of a record's fields that are there only under a condition, where `CONDITIONS` has it met."""
        conditions = CONDITIONS["incidents"][record]
        met = {name: own if (condition := conditions[name]) == "own" else self.full(condition.split()[1]) for name in fields}
        return {name: make() for name, make in fields.items() if met[name]}

    def time(self, moment: int | None) -> str | None:
        """A moment in this response's zone, or null."""
        return None if moment is None else show(moment, self.where)

    def head(self, kind: str, id_: str, suffix: str = "") -> Record:
        """What every object and every reference to one begin with."""
        path = _PATHS[kind]
        page = "service-directory" if kind == "service" else path
        return self.bare(id_, kind + suffix, self.account.names[kind, id_], own=f"{path}/{id_}", page=f"{page}/{id_}")

    def reference(self, kind: str, id_: str) -> Record:
        """A reference to an object."""
        return self.head(kind, id_, "_reference")

    def log_entry_head(self, id_: str, type_: str, summary: str, incident: str) -> Record:
        """What a log entry and a reference to one begin with."""
        own = f"log_entries/{id_}"
        return self.bare(id_, type_, summary, own=own, page=f"incidents/{incident}/{own}")

    def bare(self, id_: str, type_: str, summary: str, *, own: str | None = None, page: str | None = None) -> Record:
        """The first fields of an object: `own` is its path here, `page` that on the website, None where it has none."""
        return {
            "id": id_,
            "type": type_,
            "summary": summary,
            "self": own and f"{self.address}/{own}",
            "html_url": page and f"{WEBSITE}/{page}",
        }


SCHEDULE_PARTS = ("schedule_layers", "overrides_subschedule", "final_schedule")

Window = tuple[int, int]
"""A span of time that a schedule is written out for, in Unix seconds."""


def thing(rendering: Rendering, kind: str, id_: str, *parts: str) -> Record:
    """An object in full, with references inside, if the response includes one of these parts; otherwise a reference."""
    if not rendering.full(*parts):
        return rendering.reference(kind, id_)
    return _WRITERS[kind](rendering._replace(include=()), rendering.account.get(kind, id_))


def user(rendering: Rendering, row: StoredRow, *, own: bool = False) -> Record:
    """A user. `own`: the caller's, which alone carries the secret calendar addresses."""
    body = row.body
    copied = (
        "name", "email", "time_zone", "color", "avatar_url", "role", "description", "invitation_sent", "job_title",
        "created_via_sso",
    )  # fmt: skip
    key = rendering.account.world.hexadecimal(f"incidents/calendar/{row.id}", 32)
    secret = f"{WEBSITE.removeprefix('https://')}/private/{key}/feed"
    return {
        **rendering.head("user", row.id),
        **{name: body[name] for name in copied},
        "teams": [thing(rendering, "team", id_, "teams") for id_ in body["teams"]],
        "contact_methods": [
            _contact(rendering, contact, in_full=rendering.full("contact_methods")) for contact in body["contacts"]
        ],
        "notification_rules": [_notification_rule(rendering, body, rule) for rule in body["rules"]],
        **rendering.asked(
            "user",
            own=own,
            subdomains=lambda: [SUBDOMAIN],
            http_cal_url=lambda: f"https://{secret}",
            web_cal_url=lambda: f"webcal://{secret}",
        ),
    }


def team(rendering: Rendering, row: StoredRow) -> Record:
    """A team."""
    return {
        **rendering.head("team", row.id),
        "name": row.body["name"],
        "description": row.body["description"],
        "default_role": row.body["default_role"],
    }


def policy(rendering: Rendering, row: StoredRow) -> Record:
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
                "targets": [thing(rendering, kind, id_, "targets") for kind, id_ in rule["targets"]],
                **rendering.asked("escalation_rule", escalation_rule_assignment_strategy=partial(rule.get, "strategy")),
            }
            for rule in body["rules"]
        ],
        "services": [thing(rendering, "service", id_, "services") for id_ in services],
        "teams": teams(rendering, body["team"]),
    }


class Conditions:
    """The state of the services: their open incidents, and the last event of each."""

    def __init__(self, account: Account) -> None:
        rows = account.every("incident")
        self._account = account
        self._states = {(row.body["service"], row.body["status"]) for row in rows}
        self.latest = {row.body["service"]: row.created for row in rows}
        """When each service's latest incident began, by the service's id."""

    def status(self, service: StoredRow) -> str:
        """The service's status: set by somebody, or maintenance while that lasts, or else from its open incidents."""
        if service.body["state"] is not None:
            return str(service.body["state"])
        if self._account.in_maintenance(service.id):
            return "maintenance"
        words = {TRIGGERED: "critical", ACKNOWLEDGED: "warning"}
        return next((word for status, word in words.items() if (service.id, status) in self._states), "active")


def service(rendering: Rendering, row: StoredRow, conditions: Conditions | None = None) -> Record:
    """A service."""
    body = row.body
    conditions = conditions or Conditions(rendering.account)
    type_ = "events_api_v2_inbound_integration"
    integration = rendering.bare(body["integration"], f"{type_}_reference", "Monitoring")
    if rendering.full("integrations"):
        more = {"created_at": rendering.time(row.created), "service": rendering.reference("service", row.id)}
        integration |= {"type": type_, "name": "Monitoring", **more}
    return {
        **rendering.head("service", row.id),
        "name": body["name"],
        "description": body["description"],
        "created_at": rendering.time(row.created),
        "status": conditions.status(row),
        "last_incident_timestamp": rendering.time(conditions.latest.get(row.id)),
        "auto_resolve_timeout": body["resolves_after"],
        "acknowledgement_timeout": body["acknowledged_for"],
        "escalation_policy": thing(rendering, "escalation_policy", body["policy"], "escalation_policies"),
        "teams": teams(rendering, body["team"]),
        "integrations": [integration],
        **_urgency(body),
        "addons": [],
        "alert_creation": "create_alerts_and_incidents",
        "alert_grouping_parameters": {"type": "time", "config": {"timeout": 300}},
        **rendering.asked("service", auto_pause_notifications_parameters=lambda: {"enabled": False, "timeout": None}),
        "response_play": None,
    }


def teams(rendering: Rendering, id_: str | None) -> list[Record]:
    """The team that something belongs to, if it belongs to one."""
    return [] if id_ is None else [thing(rendering, "team", id_, "teams")]


def schedule(rendering: Rendering, row: StoredRow, window: Window | None = None) -> Record:
    """A schedule, with the `SCHEDULE_PARTS` that the response includes; without a window their entries stay empty."""
    account, body = rendering.account, row.body
    rotation = account.rotations[row.id]
    people = [person for layer in rotation.layers for person in layer.people]
    people += [override.person for override in rotation.overrides]
    policies = [
        policy.id
        for policy in account.every("escalation_policy")
        if any(id_ == row.id for rule in policy.body["rules"] for _, id_ in rule["targets"])
    ]
    overrides = Rotation(rotation.time_zone, (), rotation.overrides)
    return {
        **rendering.head("schedule", row.id),
        "name": body["name"],
        "time_zone": body["time_zone"],
        "description": body["description"],
        "escalation_policies": [rendering.reference("escalation_policy", id_) for id_ in policies],
        "users": [rendering.reference("user", person) for person in dict.fromkeys(people)],
        "teams": [rendering.reference("team", id_) for id_ in body["teams"]],
        **rendering.asked(
            "schedule",
            schedule_layers=lambda: [_layer(rendering, rotation, layer, window) for layer in rotation.layers],
            overrides_subschedule=lambda: {"name": "Overrides", **_written_out(rendering, overrides, window)},
            final_schedule=lambda: {"name": "Final Schedule", **_written_out(rendering, rotation, window)},
        ),
    }


_WRITERS: dict[str, Callable[[Rendering, StoredRow], Record]] = {
    "user": user,
    "team": team,
    "schedule": schedule,
    "escalation_policy": policy,
    "service": service,
}


def _layer(rendering: Rendering, rotation: Rotation, layer: Layer, window: Window | None) -> Record:
    alone = Rotation(rotation.time_zone, (layer,), ())
    start = rendering.time(rotation.instant(layer.start))
    return {
        "id": layer.id,
        "name": layer.name,
        "start": start,
        "end": None if layer.end is None else rendering.time(rotation.instant(layer.end)),
        "rotation_virtual_start": start,
        "rotation_turn_length_seconds": layer.days * DAY,
        "users": [{"user": rendering.reference("user", person)} for person in layer.people],
        "restrictions": list(_restrictions(layer.openings)),
        **_written_out(rendering, alone, window),
    }


def _restrictions(openings: Iterable[Opening]) -> Iterable[Record]:
    for opening in openings:
        hours = {"start_time_of_day": opening.opens.isoformat(), "duration_seconds": opening.hours * HOUR}
        if len(opening.weekdays) == 7:
            yield {"type": "daily_restriction", **hours}
        else:
            for weekday in opening.weekdays:
                yield {"type": "weekly_restriction", "start_day_of_week": weekday + 1, **hours}


def _written_out(rendering: Rendering, rotation: Rotation, window: Window | None) -> Record:
    if window is None:
        return {"rendered_schedule_entries": [], "rendered_coverage_percentage": None}
    shifts = rotation.between(*window)
    span = window[1] - window[0]
    covered = sum(shift.end - shift.start for shift in shifts if shift.end is not None)
    return {
        "rendered_schedule_entries": [
            {
                "start": rendering.time(shift.start),
                "end": rendering.time(shift.end),
                "user": rendering.reference("user", shift.person),
            }
            for shift in shifts
        ],
        "rendered_coverage_percentage": round(100 * covered / span, 1) if span else 0.0,
    }


def _urgency(body: Body) -> Record:
    if body["hours"] is None:
        constant = {"type": "constant", "urgency": body["urgency"]}
        return {"incident_urgency_rule": constant, "support_hours": None, "scheduled_actions": []}
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


def _contact(rendering: Rendering, contact: dict[str, Any], *, in_full: bool) -> Record:
    type_ = f"{contact['kind']}_contact_method"
    if not in_full:
        return rendering.bare(contact["id"], f"{type_}_reference", contact["label"])
    return {
        **rendering.bare(contact["id"], type_, contact["label"]),
        "label": contact["label"],
        "address": contact["address"],
        "blacklisted": contact.get("blacklisted", False),
        **({"country_code": contact["country_code"], "enabled": True} if "country_code" in contact else {}),
        **({"device_type": contact["device_type"]} if "device_type" in contact else {}),
    }


def _notification_rule(rendering: Rendering, body: Body, rule: dict[str, Any]) -> Record:
    contact = next(contact for contact in body["contacts"] if contact["id"] == rule["contact"])
    summary = f"{rule['delay']} minutes: {contact['kind'].replace('_', ' ')} {contact['label']}"
    if not rendering.full("notification_rules"):
        return rendering.bare(rule["id"], "assignment_notification_rule_reference", summary)
    return rendering.bare(rule["id"], "assignment_notification_rule", summary) | {
        "start_delay_in_minutes": rule["delay"],
        "urgency": rule["urgency"],
        "contact_method": _contact(rendering, contact, in_full=False),
    }
