"""The account's people, teams, escalation policies, services and schedules, as rows of the store.

Rotations are laid out around the present moment, so that a responder who opens the sandbox at any hour finds the same
situation: Sam Ode is on call for payments, the help desk has an override until a few hours from now, the platform is
handed on three times a day, and next week three of its evening shifts are covered by nobody.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from registry.sandbox.company import DOMAIN, PEOPLE, TEAMS, Person
from registry.sandbox.incidents import identifier
from registry.sandbox.incidents.scenarios import Override
from registry.sandbox.incidents.times import zone
from registry.sandbox.incidents.written import WRITTEN, Layer, Reach
from registry.sandbox.store import Body
from registry.sandbox.world import DAY, HOUR, World

Rows = list[tuple[str, int, Body]]

SIGNED_IN = "sam.ode"
EVERYONE = (
    *PEOPLE,
    Person("siobhan.obrien", "Siobhán", "O'Brien", "Communications lead", "Europe/Dublin", ()),
    Person("rafael.costa", "Rafael", "Costa", "Board member", "America/Sao_Paulo", ()),
    Person("yusuf.demir", "Yusuf", "Demir", "Auditor", "Europe/Istanbul", ("finance",)),
    Person("li.jing", "静", "李", "Contract developer", "Asia/Shanghai", ("web",)),
)
_BEFORE = timedelta(days=420)  # a whole number of rounds for up to seven people, daily and weekly


def users(world: World) -> Rows:
    """All users."""
    return [
        (identifier(world, "user", person.key), world.now - (900 - 20 * place) * DAY, _user(world, person, place))
        for place, person in enumerate(EVERYONE)
    ]


def teams(world: World) -> Rows:
    """All teams. `members` are pairs of user id and role in the team."""
    rows = []
    for place, (key, name) in enumerate({**TEAMS, "mobile": "Mobile"}.items()):
        members = []
        for person in EVERYONE:
            if key in person.teams:
                watches = person.key in ("zoe.martin", "yusuf.demir")
                leads = person.key in WRITTEN.leads and key == person.teams[0]
                role = "manager" if leads else "observer" if watches else "responder"
                members.append((identifier(world, "user", person.key), role))
        body = {
            "name": name,
            "description": WRITTEN.about_teams.get(key),
            "default_role": "none" if key == "finance" else "manager",
            "members": members,
        }
        rows.append((identifier(world, "team", key), world.now - (880 - 30 * place) * DAY, body))
    return rows


def policies(world: World) -> Rows:
    """All escalation policies. A rule holds `id`, `minutes`, `targets` (kind and id) and `strategy`."""

    def target(text: str) -> tuple[str, str]:
        kind, _, key = text.partition(":")
        return kind, identifier(world, kind, key)

    rows = []
    for place, (key, policy) in enumerate(WRITTEN.policies.items()):
        rules = [
            {
                "id": identifier(world, "level", f"{key}/{number}"),
                "minutes": level.minutes,
                "targets": [target(text) for text in level.targets.split()],
                "strategy": level.strategy,
            }
            for number, level in enumerate(policy.levels)
        ]
        body = {
            "name": policy.name,
            "description": policy.description,
            "loops": policy.loops,
            "announces": policy.announces,
            "team": policy.team and identifier(world, "team", policy.team),
            "rules": rules,
        }
        rows.append((identifier(world, "escalation_policy", key), world.now - (790 - 20 * place) * DAY, body))
    return rows


def services(world: World) -> Rows:
    """All services."""
    rows = []
    for place, (key, service) in enumerate(WRITTEN.services.items()):
        team = WRITTEN.policies[service.policy].team
        body = {
            "name": service.name,
            "description": service.description,
            "policy": identifier(world, "escalation_policy", service.policy),
            "team": team and identifier(world, "team", team),
            "acknowledged_for": service.acknowledged_for,
            "resolves_after": service.resolves_after,
            "urgency": service.urgency,
            "state": service.state,
            "hours": service.hours,
            "integration": identifier(world, "integration", key),
        }
        rows.append((identifier(world, "service", key), world.now - (780 - 20 * place) * DAY, body))
    return rows


def schedules(world: World, overrides: Sequence[Override], began: int) -> Rows:
    """All schedules; a body is what `rotations.Rotation` is read from.

    Args:
        world: rotations are laid out around the moment at which it was made.
        overrides: who takes over for a while in the scenario that runs.
        began: when that began, in Unix seconds.
    """
    bodies = {key: _schedule(world, key) for key in WRITTEN.schedules}
    today = datetime.fromtimestamp(world.now, UTC).replace(hour=0, minute=0, second=0, tzinfo=None)
    platform, (retired,) = bodies["platform"]["layers"], bodies["web-weekend"]["layers"]
    platform[2]["end"] = (today + timedelta(days=5)).isoformat()
    platform[3]["start"] = (today + timedelta(days=8, hours=14)).isoformat()
    retired["end"] = (datetime.fromisoformat(retired["start"]) + _BEFORE - timedelta(days=103)).isoformat()
    handoff = datetime.fromisoformat(bodies["payments-primary"]["layers"][0]["start"]) + _BEFORE
    two_days_on = int((handoff + timedelta(days=2)).replace(tzinfo=zone("Europe/Berlin")).timestamp())
    hour = world.now - world.now % HOUR
    taken_over = [
        Override("payments-primary", "mei.tan", two_days_on, 10 * HOUR),
        Override("support", "hana.kim", hour - 2 * HOUR, 6 * HOUR),
        *(one._replace(begins=began + one.begins) for one in overrides),
    ]
    for one in taken_over:
        override = [identifier(world, "user", one.person), one.begins, one.begins + one.lasts]
        bodies[one.schedule]["overrides"].append(override)
    return [
        (identifier(world, "schedule", key), world.now - (800 - 20 * place) * DAY, body)
        for place, (key, body) in enumerate(bodies.items())
    ]


def _schedule(world: World, key: str) -> Body:
    """A schedule whose layers' first people have the turns that run at present."""
    schedule = WRITTEN.schedules[key]
    return {
        "name": schedule.name,
        "description": schedule.description,
        "time_zone": schedule.zone,
        "layers": [
            {
                "id": identifier(world, "layer", f"{key}/{number}"),
                "name": layer.name,
                "start": (_turn(world, schedule.zone, layer) - _BEFORE).isoformat(),
                "end": None,
                "days": layer.days,
                "people": [identifier(world, "user", person) for person in layer.people],
                "openings": layer.openings,
            }
            for number, layer in enumerate(schedule.layers)
        ],
        "overrides": [],
        "teams": [identifier(world, "team", schedule.team)],
    }


def _turn(world: World, where: str, layer: Layer) -> datetime:
    """The latest local time, not after now, that is at the layer's clock time and weekday."""
    now = datetime.fromtimestamp(world.now, zone(where)).replace(tzinfo=None)
    found = datetime.combine(now.date(), layer.clock)
    if found > now:
        found -= timedelta(days=1)
    return found if layer.weekday is None else found - timedelta(days=(found.weekday() - layer.weekday) % 7)


def _user(world: World, person: Person, place: int) -> Body:
    reach = WRITTEN.reached[person.key]
    invited = person.key == "li.jing"
    contacts = _contacts(world, person, reach)
    by_kind = {contact["kind"]: contact["id"] for contact in reversed(contacts)}
    steps = [(urgency, *step) for urgency, steps in WRITTEN.ways[reach.way].items() for step in steps]
    return {
        "name": person.name,
        "email": person.email,
        "time_zone": None if invited else person.zone,
        "color": reach.colour,
        "avatar_url": f"https://pictures.{DOMAIN}/{person.key}.png",
        "role": reach.role,
        "description": "Asks to be called, not mailed, after 22:00" if person.key == "dana.wu" else None,
        "invitation_sent": invited,
        "job_title": person.title,
        "created_via_sso": place < 10,
        "teams": [identifier(world, "team", key) for key in person.teams],
        "contacts": contacts,
        "rules": [
            {
                "id": identifier(world, "rule", f"{person.key}/{number}"),
                "urgency": urgency,
                "delay": delay,
                "contact": by_kind[kind],
            }
            for number, (urgency, delay, kind) in enumerate(steps)
        ],
    }


def _contacts(world: World, person: Person, reach: Reach) -> list[dict[str, Any]]:
    contacts: list[dict[str, Any]] = [{"kind": "email", "label": "Work", "address": person.email}]
    if person.key == "hana.kim":
        contacts.append({"kind": "email", "label": "Old address", "address": f"h.kim@{DOMAIN}", "blacklisted": True})
    if reach.phone:
        number = {"address": reach.phone, "country_code": reach.country}
        contacts.append({"kind": "phone", "label": "Mobile", **number})
        contacts.append({"kind": "sms", "label": "Mobile", **number})
        device = "ios" if len(person.key) % 2 else "android"
        token = world.hexadecimal(f"incidents/device/{person.key}", 32)
        contacts.append({"kind": "push_notification", "label": "Phone", "address": token, "device_type": device})
    if person.key == "diego.ruiz":
        contacts.append({"kind": "whatsapp", "label": "Messages", "address": reach.phone, "country_code": reach.country})
    for place, contact in enumerate(contacts):
        contact["id"] = identifier(world, "contact", f"{person.key}/{place}")
    return contacts
