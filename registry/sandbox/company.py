"""The company of the sandbox and its people: it makes software, sells subscriptions, has an on-call team and a CRM.

The same people and teams appear in all three services, so that a name seen in one place can be found in the others.
"""

from __future__ import annotations

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


TEAMS: dict[str, str] = {
    "payments": "Payments",
    "platform": "Platform",
    "data": "Data",
    "web": "Web",
    "support": "Customer Support",
    "finance": "Finance",
}

PEOPLE: tuple[Person, ...] = (
    Person("sam.ode", "Sam", "Ode", "Payments engineer", "Europe/Berlin", ("payments",)),
    Person("mei.tan", "Mei", "Tan", "Payments engineer", "Asia/Singapore", ("payments", "platform")),
    Person("dana.wu", "Dana", "Wu", "Engineering manager, Payments", "America/New_York", ("payments",)),
    Person("ivo.petrov", "Ivo", "Petrov", "Database engineer", "Europe/Sofia", ("platform", "data")),
    Person("amara.okafor", "Amara", "Okafor", "Site reliability engineer", "Africa/Lagos", ("platform",)),
    Person(
        "lucia.ferrer", "Lucía", "Ferrer", "Site reliability engineer", "America/Argentina/Buenos_Aires", ("platform", "web")
    ),
    Person("noor.haddad", "Noor", "Haddad", "Head of platform", "Asia/Amman", ("platform",)),
    Person("kenji.mori", "Kenji", "Mori", "Data engineer", "Asia/Tokyo", ("data",)),
    Person("priya.nair", "Priya", "Nair", "Data engineer", "Asia/Kolkata", ("data",)),
    Person("freya.lind", "Freya", "Lind", "Front-end engineer", "Europe/Stockholm", ("web",)),
    Person("tomas.novak", "Tomáš", "Novák", "Front-end engineer", "Europe/Prague", ("web",)),
    Person("grace.bell", "Grace", "Bell", "Support engineer", "Europe/London", ("support",)),
    Person("diego.ruiz", "Diego", "Ruiz", "Support engineer", "America/Mexico_City", ("support",)),
    Person("hana.kim", "Hana", "Kim", "Support lead", "Asia/Seoul", ("support",)),
    Person("oskar.berg", "Oskar", "Berg", "Revenue accountant", "Europe/Oslo", ("finance",)),
    Person("zoe.martin", "Zoé", "Martin", "Chief technology officer", "Europe/Paris", ("platform", "finance")),
)
