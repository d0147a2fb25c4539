"""Escalation policies and services of this world, and whom a level of a policy reaches at a given moment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from registry.sandbox.incidents.ids import identifier
from registry.sandbox.incidents.rotations import Rotation
from registry.sandbox.store import Body
from registry.sandbox.world import DAY, HOUR, MINUTE, World

ROUND_ROBIN, EVERYBODY = "round_robin", "assign_to_everyone"


class _Level(NamedTuple):
    minutes: int
    targets: str  # "schedule:<key>" and "user:<key>", separated by blanks
    strategy: str = EVERYBODY


class _Policy(NamedTuple):
    name: str
    description: str
    team: str | None
    loops: int
    levels: tuple[_Level, ...]
    announces: str = "if_has_services"


_POLICIES = {
    "payments": _Policy(
        "Payments",
        "Primary, secondary, manager, CTO",
        "payments",
        2,
        (
            _Level(5, "schedule:payments-primary"),
            _Level(10, "schedule:payments-secondary"),
            _Level(15, "user:dana.wu"),
            _Level(30, "user:zoe.martin"),
        ),
    ),
    "platform": _Policy(
        "Platform",
        "Follow the sun, then one of three, then the head of platform",
        "platform",
        1,
        (
            _Level(10, "schedule:platform"),
            _Level(15, "user:amara.okafor user:ivo.petrov user:lucia.ferrer", ROUND_ROBIN),
            _Level(30, "user:noor.haddad"),
        ),
    ),
    "data": _Policy("Data", "", "data", 0, (_Level(15, "schedule:data"), _Level(30, "user:priya.nair user:kenji.mori"))),
    "web": _Policy(
        "Web",
        "Office hours first; the weekend level is empty since the reorganisation",
        "web",
        1,
        (
            _Level(30, "schedule:web"),
            _Level(30, "user:freya.lind user:tomas.novak"),
            _Level(30, "schedule:web-weekend"),
        ),
    ),
    "support": _Policy("Help desk", "", "support", 0, (_Level(20, "schedule:support"), _Level(60, "user:hana.kim"))),
    "finance": _Policy("Month end", "", "finance", 0, (_Level(60, "schedule:finance"), _Level(120, "user:zoe.martin"))),
    "major": _Policy(
        "Major incident bridge",
        "Called in by hand; no service points here",
        None,
        0,
        (_Level(5, "user:noor.haddad user:zoe.martin"), _Level(5, "user:dana.wu schedule:payments-secondary")),
        "always",
    ),
}


class _Service(NamedTuple):
    name: str
    description: str | None
    policy: str
    acknowledged_for: int | None  # seconds
    resolves_after: int | None  # seconds
    urgency: str  # high, low, severity_based or support_hours
    state: str | None = None  # disabled or maintenance; otherwise it follows from the open incidents
    hours: tuple[str, str, str] | None = None  # zone, start, end; on workdays


# The two never overlap, so that at any moment one of them is closed.
_TOKYO = ("Asia/Tokyo", "09:00:00", "15:00:00")
_STOCKHOLM = ("Europe/Stockholm", "09:00:00", "17:00:00")

_SERVICES = {
    "checkout-api": _Service("checkout-api", "Carts, orders and payment starts", "payments", 30 * MINUTE, None, "high"),
    "payment-gateway": _Service("payment-gateway", "Cards and wallets", "payments", 30 * MINUTE, 4 * HOUR, "high"),
    "ledger-db": _Service("ledger-db", "Double-entry ledger, primary and two replicas", "platform", 30 * MINUTE, None, "high"),
    "edge-proxy": _Service("edge-proxy", "All traffic from outside", "platform", HOUR, 24 * HOUR, "high"),
    "batch": _Service("batch", "Nightly jobs", "data", None, None, "severity_based"),
    "search-index": _Service("search-index", "Catalogue search", "data", 2 * HOUR, None, "support_hours", hours=_TOKYO),
    "storefront": _Service("storefront", None, "web", None, None, "support_hours", hours=_STOCKHOLM),
    "help-desk": _Service("help-desk", "Ticket mail and chat", "support", 2 * HOUR, 12 * HOUR, "high"),
    "warehouse-sync": _Service("warehouse-sync", "Stock levels from the warehouses", "data", HOUR, 24 * HOUR, "severity_based"),
    "identity": _Service("identity", "Sign-in and sessions", "platform", 30 * MINUTE, 4 * HOUR, "high"),
    "mailer": _Service("mailer", "Receipts and newsletters", "web", HOUR, 24 * HOUR, "high"),
    "pricing": _Service("pricing", "Discounts and tax rules", "payments", 30 * MINUTE, 4 * HOUR, "severity_based"),
    "status-page": _Service("status-page", "What customers are told", "support", 2 * HOUR, None, "low"),
    "invoice-export": _Service("invoice-export", "Month-end files for the accountants", "finance", None, 48 * HOUR, "low"),
    "image-resizer": _Service("image-resizer", "Being moved to new hosts", "web", 30 * MINUTE, 4 * HOUR, "high", "maintenance"),
    "legacy-importer": _Service(
        "legacy-importer", "Switched off; kept for its history", "data", None, 4 * HOUR, "low", "disabled"
    ),
}


def policies(world: World) -> list[tuple[str, int, Body]]:
    """All escalation policies, as rows of the store. A rule holds `id`, `minutes`, `targets` (kind and id) and `strategy`."""
    rows = []
    for place, (key, policy) in enumerate(_POLICIES.items()):
        rules = [
            {
                "id": identifier(world, "level", f"{key}/{number}"),
                "minutes": level.minutes,
                "targets": [_target(world, target) for target in level.targets.split()],
                "strategy": level.strategy,
            }
            for number, level in enumerate(policy.levels)
        ]
        body = {
            "name": policy.name,
            "description": policy.description,
            "loops": policy.loops,
            "announces": policy.announces,
            "team": None if policy.team is None else identifier(world, "team", policy.team),
            "rules": rules,
        }
        rows.append((identifier(world, "escalation_policy", key), world.now - (790 - 20 * place) * DAY, body))
    return rows


def services(world: World) -> list[tuple[str, int, Body]]:
    """All services, as rows of the store."""
    rows = []
    for place, (key, service) in enumerate(_SERVICES.items()):
        team = _POLICIES[service.policy].team
        body = {
            "name": service.name,
            "description": service.description,
            "policy": identifier(world, "escalation_policy", service.policy),
            "team": None if team is None else identifier(world, "team", team),
            "acknowledged_for": service.acknowledged_for,
            "resolves_after": service.resolves_after,
            "urgency": service.urgency,
            "state": service.state,
            "hours": service.hours,
            "integration": identifier(world, "integration", key),
        }
        rows.append((identifier(world, "service", key), world.now - (780 - 20 * place) * DAY, body))
    return rows


class PolicyReach:
    """Finds out whom a level reaches. Levels count from 0."""

    def __init__(self, policies: Mapping[str, Body], rotations: Mapping[str, Rotation]) -> None:
        self._policies = policies
        self._rotations = rotations

    def levels(self, policy: str) -> list[dict[str, Any]]:
        """The rules of a policy."""
        rules: list[dict[str, Any]] = self._policies[policy]["rules"]
        return rules

    def loops(self, policy: str) -> int:
        """How often a policy starts over after its last level."""
        return int(self._policies[policy]["loops"])

    def reached(self, policy: str, level: int, moment: int, turn: int) -> list[str]:
        """Users whom a level pages at a moment; empty if nobody is on call there.

        Args:
            policy: its id.
            level: from 0.
            moment: Unix seconds.
            turn: where the level hands its incidents out one by one, whose turn it is.
        """
        rule = self._policies[policy]["rules"][level]
        people: list[str] = []
        for kind, id_ in rule["targets"]:
            person = id_ if kind == "user" else self._rotations[id_].on_call(moment)
            if person is not None and person not in people:
                people.append(person)
        if rule["strategy"] == ROUND_ROBIN and people:
            return [people[turn % len(people)]]
        return people

    def first_covered(self, policy: str, level: int, moment: int, turn: int) -> tuple[int, list[str]] | None:
        """The first level from `level` on that reaches anybody, and whom; levels with nobody are passed over at once."""
        for number in range(level, len(self.levels(policy))):
            people = self.reached(policy, number, moment, turn)
            if people:
                return number, people
        return None


def _target(world: World, text: str) -> tuple[str, str]:
    kind, _, key = text.partition(":")
    return kind, identifier(world, kind, key)
