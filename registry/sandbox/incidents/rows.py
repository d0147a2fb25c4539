"""The account's people, teams, escalation policies, services and schedules, as rows of the store.

Rotations are laid out around the present moment, so that a responder who opens the sandbox at any hour finds the same
situation: Sam Ode is on call for payments, the help desk has an override until a few hours from now, the platform is
handed on three times a day, and next week three of its evening shifts are covered by nobody.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, time, timedelta
from typing import Any

from registry.sandbox.incidents import identifier
from registry.sandbox.incidents.query import zone
from registry.sandbox.incidents.scenarios import WRITTEN, Override
from registry.sandbox.store import Body
from registry.sandbox.world import DAY, DOMAIN, HOUR, PEOPLE, TEAMS, Person, World

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


def _rows(world: World, kind: str, oldest: int, apart: int, bodies: Mapping[str, Body]) -> Rows:
    """Rows of a kind from bodies by key, made so many days apart from each other, the first one so many days ago."""
    return [
        (identifier(world, kind, key), world.now - (oldest - apart * place) * DAY, body)
        for place, (key, body) in enumerate(bodies.items())
    ]


def users(world: World) -> Rows:
    """All users."""
    bodies = {person.key: _user(world, person) | {"created_via_sso": place < 10} for place, person in enumerate(EVERYONE)}
    return _rows(world, "user", 900, 20, bodies)


def teams(world: World) -> Rows:
    """All teams. `members` are pairs of user id and role in the team."""

    def role(person: Person, team: str) -> str:
        if person.key in WRITTEN["leads"] and team == person.teams[0]:
            return "manager"
        return "observer" if person.key in ("zoe.martin", "yusuf.demir") else "responder"

    bodies = {
        key: {
            "name": name,
            "description": WRITTEN["about_teams"].get(key),
            "default_role": "none" if key == "finance" else "manager",
            "members": [(identifier(world, "user", one.key), role(one, key)) for one in EVERYONE if key in one.teams],
        }
        for key, name in {**TEAMS, "mobile": "Mobile"}.items()
    }
    return _rows(world, "team", 880, 30, bodies)


def policies(world: World) -> Rows:
    """All escalation policies. A rule holds `id`, `minutes`, `targets` (kind and id) and `strategy`."""
    bodies = {}
    for key, policy in WRITTEN["policies"].items():
        rules = [
            {
                **rule,
                "id": identifier(world, "level", f"{key}/{number}"),
                "targets": [
                    (kind, identifier(world, kind, name))
                    for kind, _, name in (one.partition(":") for one in rule["targets"].split())
                ],
            }
            for number, rule in enumerate(policy["rules"])
        ]
        bodies[key] = {**policy, "team": policy["team"] and identifier(world, "team", policy["team"]), "rules": rules}
    return _rows(world, "escalation_policy", 790, 20, bodies)


def services(world: World) -> Rows:
    """All services."""
    bodies = {
        key: {
            **service,
            "policy": identifier(world, "escalation_policy", service["policy"]),
            "team": team and identifier(world, "team", team),
            "integration": identifier(world, "integration", key),
        }
        for key, service in WRITTEN["services"].items()
        for team in [WRITTEN["policies"][service["policy"]]["team"]]
    }
    return _rows(world, "service", 780, 20, bodies)


def schedules(world: World, overrides: Sequence[Override], began: int) -> Rows:
    """All schedules; a body is what `rotations.Rotation` is read from.

    Args:
        world: rotations are laid out around the moment at which it was made.
        overrides: who takes over for a while in the scenario that runs.
        began: when that began, in Unix seconds.
    """
    bodies = {key: _schedule(world, key, schedule) for key, schedule in WRITTEN["schedules"].items()}
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
    return _rows(world, "schedule", 800, 20, bodies)


def _schedule(world: World, key: str, schedule: Body) -> Body:
    """A schedule whose layers' first people have the turns that run at present."""
    layers = [
        {
            **layer,
            "id": identifier(world, "layer", f"{key}/{number}"),
            "start": (_turn(world, schedule["time_zone"], layer) - _BEFORE).isoformat(),
            "end": None,
            "people": [identifier(world, "user", person) for person in layer["people"]],
        }
        for number, layer in enumerate(schedule["layers"])
    ]
    return {**schedule, "layers": layers, "overrides": [], "teams": [identifier(world, "team", schedule["team"])]}


def _turn(world: World, where: str, layer: Body) -> datetime:
    """The latest local time, not after now, that is at the layer's clock time and weekday."""
    now = datetime.fromtimestamp(world.now, zone(where)).replace(tzinfo=None)
    found = datetime.combine(now.date(), time.fromisoformat(layer["clock"]))
    if found > now:
        found -= timedelta(days=1)
    return found if layer["weekday"] is None else found - timedelta(days=(found.weekday() - layer["weekday"]) % 7)


def _user(world: World, person: Person) -> Body:
    reach = WRITTEN["reached"][person.key]
    invited = person.key == "li.jing"
    contacts: list[dict[str, Any]] = [{"kind": "email", "label": "Work", "address": person.email}]
    if person.key == "hana.kim":
        contacts.append({"kind": "email", "label": "Old address", "address": f"h.kim@{DOMAIN}", "blacklisted": True})
    if reach["phone"]:
        number = {"address": reach["phone"], "country_code": reach["country"]}
        device = {
            "address": world.hexadecimal(f"incidents/device/{person.key}", 32),
            "device_type": "ios" if len(person.key) % 2 else "android",
        }
        contacts += [
            {"kind": "phone", "label": "Mobile", **number},
            {"kind": "sms", "label": "Mobile", **number},
            {"kind": "push_notification", "label": "Phone", **device},
            *([{"kind": "whatsapp", "label": "Messages", **number}] if person.key == "diego.ruiz" else ()),
        ]
    contacts = [one | {"id": identifier(world, "contact", f"{person.key}/{place}")} for place, one in enumerate(contacts)]
    by_kind = {contact["kind"]: contact["id"] for contact in reversed(contacts)}
    steps = [(urgency, *step) for urgency, steps in WRITTEN["ways"][reach["way"]].items() for step in steps]
    return {
        "name": person.name,
        "email": person.email,
        "time_zone": None if invited else person.zone,
        "color": reach["color"],
        "avatar_url": f"https://pictures.{DOMAIN}/{person.key}.png",
        "role": reach["role"],
        "description": "Asks to be called, not mailed, after 22:00" if person.key == "dana.wu" else None,
        "invitation_sent": invited,
        "job_title": person.title,
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
