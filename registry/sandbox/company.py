"""The company of the sandbox and its people: it makes software, sells subscriptions, has an on-call team and a CRM.

The same people and teams appear in all three services, so that a name seen in one place can be found in the others.
"""

import json
from pathlib import Path
from typing import Any

import msgspec

COMPANY = "Fernway Software"
DOMAIN = "fernway.example"


class Person(msgspec.Struct, frozen=True):
    """An employee. `teams` are keys of `TEAMS`, the first one is the primary team."""

    key: str
    first_name: str
    last_name: str
    title: str
    zone: str
    teams: tuple[str, ...]

    @property
    def name(self) -> str:
        """First and last name."""
        return f"{self.first_name} {self.last_name}"

    @property
    def email(self) -> str:
        """The address at work, lower case ASCII."""
        return f"{self.key}@{DOMAIN}"


HELD: dict[str, Any] = json.loads(Path(__file__).with_name("company.json").read_text("utf-8"))
"""Teams by key, people by key (names, title, zone, teams), and names for invented people, also as an email address has them;
and what the CRM says of its account."""

TEAMS: dict[str, str] = HELD["teams"]
PEOPLE = tuple(
    Person(key, first_name, last_name, title, zone, tuple(teams.split()))
    for key, (first_name, last_name, title, zone, teams) in HELD["people"].items()
)
