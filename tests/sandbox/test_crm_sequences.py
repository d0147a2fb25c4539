"""Random changes of the CRM's users in any order: users, roles and teams always agree with accounts kept in plain Python."""

from typing import Any
from urllib.parse import quote

from hypothesis import Phase
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from registry.sandbox.server import application
from tests.sampled import examples
from tests.sandbox.direct import Direct

USERS = "/settings/v3/users/"
USED = "/settings/v3/users"

NAMES = st.sampled_from(
    ("", "Ada", "[bold]Bo[/bold]", "שרה", "𝒜🎉", "O'Näs \x1b[31m", 'said "no"', "Jiří\u202e", "名" * 300, "null", "0")
)
ADDRESSES = st.sampled_from(("ada@north.example", "Ada@North.example", "a+b/c?d%e#f@north.example", "ö@north.example"))
LIMITS = st.sampled_from((13, 37, 50, 74, 100))


class Account(RuleBasedStateMachine):
    """Adds, changes and removes users by id and by address, and compares after every step."""

    def __init__(self) -> None:
        super().__init__()
        self.api = Direct(application(seed=1, now=1_764_555_240), "http://sandbox/crm", Authorization="Bearer sandbox")
        self.roles = {one["id"]: one["requiresBillingWrite"] for one in self.api.get(f"{USERS}roles")["results"]}
        self.seats = {one["id"]: one["name"] for one in self.api.get(f"{USERS}roles")["results"]}
        self.teams = [one["id"] for one in self.api.get(f"{USERS}teams")["results"]]
        self.users: dict[str, dict[str, Any]] = {one["id"]: one for one in self._walk(100)}
        self.removed: list[dict[str, Any]] = []

    def teardown(self) -> None:
        self.api.close()

    @rule(data=st.data(), email=ADDRESSES, welcome=st.booleans())
    def create(self, data: st.DataObject, email: str, welcome: bool) -> None:
        change = self._change(data)
        response = self.api.send("POST", USED, json=change | {"email": email, "sendWelcomeEmail": welcome})
        if any(user["email"].casefold() == email.casefold() for user in self.users.values()):
            assert (response.status_code, response.json()["category"]) == (409, "CONFLICT")
            return
        assert response.status_code == 201
        user = response.json()
        assert user["sendWelcomeEmail"] is welcome
        assert user["id"] not in self.users
        assert user["id"] not in [one["id"] for one in self.removed]
        blank = {"id": user["id"], "email": email, "secondaryTeamIds": [], "superAdmin": False, "sendWelcomeEmail": False}
        self.users[user["id"]] = self._with(blank, change)
        assert user == self.users[user["id"]] | {"sendWelcomeEmail": welcome}
        assert response.headers["Location"].endswith(f"/settings/v3/users/{user['id']}")

    @rule(data=st.data(), by_email=st.booleans())
    def update(self, data: st.DataObject, by_email: bool) -> None:
        user = self._some(data)
        change = self._change(data)
        response = self.api.send("PUT", *self._at(user, by_email), json=change)
        self.users[user["id"]] = self._with(user, change)
        assert (response.status_code, response.json()) == (200, self.users[user["id"]])

    @rule(data=st.data(), by_email=st.booleans())
    def remove(self, data: st.DataObject, by_email: bool) -> None:
        user = self._some(data)
        response = self.api.send("DELETE", *self._at(user, by_email))
        assert (response.status_code, response.content) == (204, b"")
        self.removed.append(self.users.pop(user["id"]))

    @rule(data=st.data(), method=st.sampled_from(("GET", "PUT", "DELETE")))
    def ask_for_the_removed(self, data: st.DataObject, method: str) -> None:
        if self.removed:
            user = data.draw(st.sampled_from(self.removed))
            response = self.api.send(method, USERS + user["id"], json={"firstName": "Back"} if method == "PUT" else None)
            assert (response.status_code, response.json()["category"]) == (404, "OBJECT_NOT_FOUND")

    @rule(data=st.data(), by_email=st.booleans())
    def read(self, data: st.DataObject, by_email: bool) -> None:
        user = self._some(data)
        assert self.api.send("GET", *self._at(user, by_email)).json() == user

    @rule(data=st.data(), limit=LIMITS)
    def change_between_two_pages(self, data: st.DataObject, limit: int) -> None:
        """Whoever goes between two pages neither repeats nor hides others."""
        first = self.api.get(USED, limit=limit)
        self.remove(data=data, by_email=False)
        after = first.get("paging", {}).get("next", {}).get("after")
        rest = self._walk(limit, after) if after else []
        seen = [one["id"] for one in [*first["results"], *rest]]
        assert len(seen) == len(set(seen))
        assert set(self.users) <= set(seen) <= {*self.users, self.removed[-1]["id"]}

    @rule(limit=LIMITS)
    def walk(self, limit: int) -> None:
        assert self._walk(limit) == list(self.users.values())

    @invariant()
    def teams_and_users_agree(self) -> None:
        for team in self.api.get(f"{USERS}teams")["results"]:
            users = self.users.values()
            assert team["userIds"] == [one["id"] for one in users if one.get("primaryTeamId") == team["id"]]
            assert team["secondaryUserIds"] == [one["id"] for one in users if team["id"] in one["secondaryTeamIds"]]

    @invariant()
    def roles_stay(self) -> None:
        found = {one["id"]: one["requiresBillingWrite"] for one in self.api.get(f"{USERS}roles")["results"]}
        assert found == self.roles
        assert {role for user in self.users.values() for role in user["roleIds"]} <= found.keys()

    def _some(self, data: st.DataObject) -> dict[str, Any]:
        """A user; those who were added lately are asked for more often."""
        users = list(self.users.values())
        return data.draw(st.one_of(st.sampled_from(users[-4:]), st.sampled_from(users)))

    def _change(self, data: st.DataObject) -> dict[str, Any]:
        team = st.sampled_from(self.teams)
        return data.draw(
            st.fixed_dictionaries(
                {},
                optional={
                    "firstName": NAMES,
                    "lastName": st.one_of(st.none(), NAMES),
                    "roleId": st.one_of(st.none(), st.sampled_from(list(self.roles))),
                    "primaryTeamId": team,
                    "secondaryTeamIds": st.lists(team, max_size=3),
                },
            )
        )

    def _with(self, user: dict[str, Any], change: dict[str, Any]) -> dict[str, Any]:
        """A user after a change: what was not sent, or sent as null, stays; a primary team is not an additional one too."""
        found = user | {name: value for name, value in change.items() if value is not None}
        teams = dict.fromkeys(found["secondaryTeamIds"])
        teams.pop(found.get("primaryTeamId", ""), None)
        role = found.get("roleId")
        paid = [self.seats[role]] if role and self.roles[role] else []
        return found | {"secondaryTeamIds": list(teams), "roleIds": [role] if role else [], "seatNames": paid}

    def _at(self, user: dict[str, Any], by_email: bool) -> tuple[str]:
        if by_email:
            return (f"{USERS}{quote(user['email'].swapcase(), safe='')}?idProperty=EMAIL",)
        return (USERS + user["id"],)

    def _walk(self, limit: int, after: str | None = None) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = []
        while True:
            page = self.api.get(USED, limit=limit, **({"after": after} if after else {}))
            found += page["results"]
            if "paging" not in page:
                return found
            assert len(page["results"]) == limit
            after = page["paging"]["next"]["after"]


TestAccount = Account.TestCase
# Sequences are short enough to be read as they are; looking for still shorter ones would take minutes.
TestAccount.settings = examples(
    3,
    8,
    derandomize=True,
    deadline=None,
    database=None,
    stateful_step_count=20,
    phases=(Phase.generate,),
    report_multiple_bugs=False,
)
