"""What an object is, in the few facts by which people know it: those in the object itself, and those behind its ids."""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple

from registry.calling.sensitive import is_sensitive
from registry.connections.secrets import MASK
from registry.deleting.reads import Reads
from registry.display.readings import money, reading
from registry.display.safe_text import shortened, visible_line

_LONGEST = 80
_CALLED = ("name", "display_name", "title", "nickname", "label", "email", "domain_name", "url", "value", "description")
_NAMES = (
    "name", "display_name", "title", "nickname", "firstName", "first_name", "lastName", "last_name", "email", "label",
    "description", "number", "code", "alias", "url", "domain_name", "serial_number", "value", "type", "brand", "last4",
    "bank_name", "status", "active", "superAdmin", "percent_off", "duration", "times_redeemed", "enabled_events", "customer",
    "subscription",
)  # fmt: skip
_AMOUNTS = ("amount_due", "amount", "amount_off", "unit_amount", "total", "balance")
_MOMENTS = ("created", "frozen_time", "due_date", "start", "end")
_SAID = {"email": "e-mail", "url": "URL"}
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


class Fact(NamedTuple):
    """A name and what it says, fit for one line of the screen."""

    name: str
    words: str


Step = Callable[[Mapping[str, Any], Reads], Awaitable[list[Fact]]]


def facts_of(members: Mapping[str, Any]) -> tuple[Fact, ...]:
    """The facts that tell an object from others of its kind: names, state, amounts, moments, and whether it is live."""
    facts = [fact(name, words) for name in _NAMES if (words := _plain(name, members.get(name)))]
    currency = members.get("currency")
    for name in _AMOUNTS:
        amount = members.get(name)
        if isinstance(amount, int) and not isinstance(amount, bool) and isinstance(currency, str) and currency.isalpha():
            facts.append(fact(name, money(amount, currency)))
    for name in _MOMENTS:
        if isinstance(members.get(name), int):
            told = reading(f'"{name}"', str(members[name]), lambda: None, time.time())
            facts.append(fact(name, told or str(members[name])))
    if isinstance(members.get("livemode"), bool):
        facts.append(Fact("mode", "live" if members["livemode"] else "test"))
    return tuple(facts)


def fact(name: str, words: str) -> Fact:
    """A fact under the name that people say, made safe to show and cut to a line."""
    said = _SAID.get(name) or _HUMP.sub(" ", name).replace("_", " ").lower()
    return Fact(said, shortened(visible_line(words), _LONGEST))


def called(members: Mapping[str, Any]) -> tuple[str, ...]:
    """What people call an object; it may be called nothing."""
    person = " ".join(str(members[name]) for name in ("firstName", "lastName", "first_name", "last_name") if members.get(name))
    names = [members[name] for name in _CALLED if isinstance(members.get(name), str)]
    return tuple(dict.fromkeys(visible_line(name).strip() for name in (person, *names) if name.strip()))


async def _discount(discount: Mapping[str, Any], reads: Reads) -> list[Fact]:
    """A discount says little; what it takes off stands in its coupon."""
    source = discount.get("source")
    coupon = source.get("coupon") if isinstance(source, Mapping) else discount.get("coupon")
    if isinstance(coupon, str):
        coupon = (await reads.one("coupon", coupon)).members or {"id": coupon}
    if not isinstance(coupon, Mapping) or not isinstance(coupon.get("id"), str):
        return []
    facts = [fact("coupon", coupon["id"])]
    return facts + [one for one in facts_of(coupon) if one.name in ("name", "percent off", "amount off", "duration")]


async def _person(user: Mapping[str, Any], reads: Reads) -> list[Fact]:
    roles, teams = await reads.items("GetAccountRoles", {}), await reads.items("ViewAccountTeams", {})
    role_ids = user.get("roleIds") if isinstance(user.get("roleIds"), list) else [user.get("roleId")]
    secondary = user.get("secondaryTeamIds")
    team_ids = [user.get("primaryTeamId"), *(secondary if isinstance(secondary, list) else [])]
    found = (("role", names_of(role_ids, roles.items)), ("teams", names_of(team_ids, teams.items)))
    return [fact(name, words) for name, words in found if words]


async def _feature(feature: Mapping[str, Any], _: Reads) -> list[Fact]:
    held = feature.get("entitlement_feature")
    return [fact("feature", str(held.get("name") or held.get("id")))] if isinstance(held, Mapping) else []


def names_of(ids: object, items: tuple[Mapping[str, Any], ...]) -> str:
    """Names in the place of ids; an id that is not known stays."""
    names = {str(one.get("id")): str(one.get("name")) for one in items if one.get("name")}
    wanted = [str(one) for one in ids if one] if isinstance(ids, list | tuple) else []
    return ", ".join(names.get(one, one) for one in wanted)


FURTHER: Mapping[str, Step] = {"discount": _discount, "crm_user": _person, "product_feature": _feature}
"""Facts that take further reads, by object type."""


def _plain(name: str, value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        return ", ".join(value)
    if isinstance(value, str) and is_sensitive(f'"{name}"', f'"{value}"'):
        return MASK
    return str(value) if isinstance(value, str | int | float) else ""
