"""The CRM's account: its roles, its teams, and everybody who can sign in to it.

The cast comes first; the others are invented, from many countries, and named by the dice. Ids are decimal numbers that grow
with the time at which somebody was added.
"""

from itertools import product

from registry.sandbox.company import DOMAIN, HELD, PEOPLE, TEAMS
from registry.sandbox.rough import ROUGH_NAMES
from registry.sandbox.store import Body
from registry.sandbox.world import DAY, World

Rows = list[tuple[str, int, Body]]

INVENTED = 132
_ROLES = (
    ("sales", "Sales", True),
    ("service", "Service", True),
    ("marketing", "Marketing", False),
    ("reporting", "Reports only", False),
    ("billing", "Billing", False),
    ("admin", "User administration", False),
    ("partner", "Partner (restricted)", False),
)
_MORE_TEAMS = {"sales-north": "Sales North", "sales-south": "Sales South", "partners": "Partners & Resellers"}
_ROLE_OF_TEAM = {
    "support": "service",
    "finance": "billing",
    "sales-north": "sales",
    "sales-south": "sales",
    "partners": "partner",
}
_SUPER_ADMINS = ("zoe.martin", "hana.kim")


def roles(world: World) -> Rows:
    """All roles, as rows of the store."""
    first = 100_000 + int(world.digits("crm/roles", 5))
    return [
        (str(first + 211 * place), world.now - (700 - place) * DAY, {"name": name, "requiresBillingWrite": paid})
        for place, (_, name, paid) in enumerate(_ROLES)
    ]


def teams(world: World) -> Rows:
    """All teams, as rows of the store. Who is in them is known to the users."""
    first = 20_000_000 + int(world.digits("crm/teams", 6))
    return [
        (str(first + 1_009 * place), world.now - (690 - place) * DAY, {"name": name})
        for place, name in enumerate([*TEAMS.values(), *_MORE_TEAMS.values()])
    ]


def portal(world: World) -> int:
    """The id of the account."""
    return 10_000_000 + int(world.digits("crm/account", 7))


def users(world: World) -> Rows:
    """All users, as rows of the store, in the order in which they were added. Properties without a value are left out."""
    dice = world.dice("crm/users")
    role_ids = dict(zip((key for key, _, _ in _ROLES), (id_ for id_, _, _ in roles(world)), strict=True))
    team_ids = dict(zip((*TEAMS, *_MORE_TEAMS), (id_ for id_, _, _ in teams(world)), strict=True))
    bodies = []
    for person in PEOPLE:
        body: Body = {
            "email": person.email,
            "firstName": person.first_name,
            "lastName": person.last_name,
            "superAdmin": person.key in _SUPER_ADMINS,
            "primaryTeamId": team_ids[person.teams[0]],
            "secondaryTeamIds": [team_ids[key] for key in person.teams[1:]],
        }
        if not body["superAdmin"]:
            body["roleId"] = role_ids[_ROLE_OF_TEAM.get(person.teams[0], "reporting")]
        bodies.append(body)
    names = dice.sample(list(product(HELD["first names"], HELD["last names"])), INVENTED)
    for (first, first_spelt), (last, last_spelt) in names:
        team = dice.choice((*_ROLE_OF_TEAM, *_ROLE_OF_TEAM, "web", None))
        body = {"email": f"{first_spelt}.{last_spelt}@{DOMAIN}", "superAdmin": False}
        if team != "partners" or dice.random() < 0.6:
            body |= {"firstName": first, "lastName": last}
        if team is not None:
            body |= {"primaryTeamId": team_ids[team], "roleId": role_ids[_ROLE_OF_TEAM.get(team, "marketing")]}
        more = dice.sample(list(team_ids), dice.choice((0, 0, 0, 1, 1, 2)))
        body["secondaryTeamIds"] = [team_ids[key] for key in more if key != team]
        bodies.append(body)
    if world.rough:
        for body, (first, last) in zip(bodies[-len(ROUGH_NAMES) :], ROUGH_NAMES, strict=True):
            body |= {"firstName": first, "lastName": last}
    first_id = 41_000_000 + int(world.digits("crm/users", 6))
    return [(str(first_id + 1_013 * place), world.now - (600 - 4 * place) * DAY, body) for place, body in enumerate(bodies)]
