"""Who can sign in to the incident service: the cast and four more, their ways of being reached, their teams."""

from __future__ import annotations

from typing import Any, NamedTuple

from registry.sandbox.company import DOMAIN, PEOPLE, TEAMS, Person
from registry.sandbox.incidents.ids import identifier
from registry.sandbox.store import Body
from registry.sandbox.world import DAY, World

SIGNED_IN = "sam.ode"

_MORE_PEOPLE = (
    Person("siobhan.obrien", "Siobhán", "O'Brien", "Communications lead", "Europe/Dublin", ()),
    Person("rafael.costa", "Rafael", "Costa", "Board member", "America/Sao_Paulo", ()),
    Person("yusuf.demir", "Yusuf", "Demir", "Auditor", "Europe/Istanbul", ("finance",)),
    Person("li.jing", "静", "李", "Contract developer", "Asia/Shanghai", ("web",)),
)
EVERYONE = (*PEOPLE, *_MORE_PEOPLE)

_TEAMS = {**TEAMS, "mobile": "Mobile"}
_ABOUT_TEAMS = {
    "payments": "Checkout, card acceptance and everything between a customer and the ledger",
    "platform": "Edge, databases and what the other teams run on",
    "data": "Batch jobs, search and the warehouse",
    "web": "Storefront and account pages",
    "support": "First answer to customers; mail and chat",
    "finance": "Invoices, tax and month end. Only its members see it",
}
_LEADS = {"payments": "dana.wu", "platform": "noor.haddad", "data": "priya.nair", "web": "freya.lind", "support": "hana.kim"}


class _Reach(NamedTuple):
    """How somebody is reached. `way` names the notification rules below."""

    role: str
    colour: str
    country: int
    phone: str
    way: str


_REACH = {
    "sam.ode": _Reach("user", "purple", 49, "3023125042", "push then call"),
    "mei.tan": _Reach("limited_user", "green", 1, "2025550117", "push then call"),
    "dana.wu": _Reach("admin", "red", 1, "2125550164", "call at once"),
    "ivo.petrov": _Reach("limited_user", "blue", 44, "2079460118", "push then call"),
    "amara.okafor": _Reach("limited_user", "orange", 44, "2079460731", "push then call"),
    "lucia.ferrer": _Reach("limited_user", "teal", 1, "3055550139", "text then call"),
    "noor.haddad": _Reach("admin", "brown", 44, "2079460902", "call at once"),
    "kenji.mori": _Reach("limited_user", "lime-green", 1, "4155550126", "push then call"),
    "priya.nair": _Reach("user", "dark-orchid", 1, "4155550180", "text then call"),
    "freya.lind": _Reach("user", "turquoise", 44, "2079460264", "push then call"),
    "tomas.novak": _Reach("restricted_access", "olive", 44, "2079460355", "mail only"),
    "grace.bell": _Reach("limited_user", "pink", 44, "2079460467", "text then call"),
    "diego.ruiz": _Reach("limited_user", "gold", 1, "2025550192", "push then call"),
    "hana.kim": _Reach("user", "navy", 1, "2065550148", "call at once"),
    "oskar.berg": _Reach("limited_user", "slate-blue", 44, "2079460588", "mail only"),
    "zoe.martin": _Reach("owner", "crimson", 33, "199006172", "call at once"),
    "siobhan.obrien": _Reach("read_only_user", "green", 0, "", "nothing"),
    "rafael.costa": _Reach("read_only_limited_user", "gray", 0, "", "nothing"),
    "yusuf.demir": _Reach("observer", "gray", 0, "", "nothing"),
    "li.jing": _Reach("limited_user", "gray", 0, "", "nothing"),
}
# Per urgency: minutes after an assignment, and the kind of contact method.
_WAYS: dict[str, dict[str, list[tuple[int, str]]]] = {
    "push then call": {"high": [(0, "push_notification"), (2, "phone"), (5, "sms")], "low": [(0, "email")]},
    "call at once": {"high": [(0, "phone"), (3, "sms")], "low": [(0, "email")]},
    "text then call": {"high": [(0, "sms"), (1, "phone")], "low": [(0, "email")]},
    "mail only": {"high": [(0, "email")], "low": [(0, "email")]},
    "nothing": {"high": [], "low": []},
}


def users(world: World) -> list[tuple[str, int, Body]]:
    """All users, as rows of the store."""
    return [
        (identifier(world, "user", person.key), world.now - (900 - 20 * place) * DAY, _user(world, person, place))
        for place, person in enumerate(EVERYONE)
    ]


def teams(world: World) -> list[tuple[str, int, Body]]:
    """All teams, as rows of the store. `members` are pairs of user id and role in the team."""
    rows = []
    for place, (key, name) in enumerate(_TEAMS.items()):
        members = []
        for person in EVERYONE:
            if key in person.teams:
                watches = person.key in ("zoe.martin", "yusuf.demir")
                role = "manager" if _LEADS.get(key) == person.key else "observer" if watches else "responder"
                members.append((identifier(world, "user", person.key), role))
        body = {
            "name": name,
            "description": _ABOUT_TEAMS.get(key),
            "default_role": "none" if key == "finance" else "manager",
            "members": members,
        }
        rows.append((identifier(world, "team", key), world.now - (880 - 30 * place) * DAY, body))
    return rows


def _user(world: World, person: Person, place: int) -> Body:
    reach = _REACH[person.key]
    invited = person.key == "li.jing"
    contacts = _contacts(world, person, reach)
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
        "rules": _rules(world, person, reach, {contact["kind"]: contact["id"] for contact in reversed(contacts)}),
    }


def _contacts(world: World, person: Person, reach: _Reach) -> list[dict[str, Any]]:
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


def _rules(world: World, person: Person, reach: _Reach, contact_by_kind: dict[str, str]) -> list[dict[str, Any]]:
    steps = [(urgency, *step) for urgency, steps in _WAYS[reach.way].items() for step in steps]
    return [
        {
            "id": identifier(world, "rule", f"{person.key}/{place}"),
            "urgency": urgency,
            "delay": delay,
            "contact": contact_by_kind[kind],
        }
        for place, (urgency, delay, kind) in enumerate(steps)
    ]
