"""What an object is, in the few facts by which people know it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from registry.readings import money, reading
from registry.text import shortened, visible_line

_LONGEST = 80
_NAMES = (
    "name", "display_name", "title", "nickname", "firstName", "first_name", "lastName", "last_name", "email", "label",
    "description", "number", "code", "alias", "url", "domain_name", "serial_number", "value", "type", "brand", "last4",
    "bank_name", "status", "active", "percent_off", "duration", "times_redeemed", "enabled_events",
)  # fmt: skip
_AMOUNTS = ("amount_due", "amount", "amount_off", "unit_amount", "total", "balance")
_MOMENTS = ("created", "frozen_time", "due_date", "start", "end")


class Fact(NamedTuple):
    """A name and what it says, fit for one line of the screen."""

    name: str
    words: str


def facts_of(members: Mapping[str, Any]) -> tuple[Fact, ...]:
    """The facts that tell an object from others of its kind: names, state, amounts, moments, and whether it is live."""
    facts = [Fact(name, shortened(visible_line(words), _LONGEST)) for name in _NAMES if (words := _plain(members.get(name)))]
    currency = members.get("currency")
    for name in _AMOUNTS:
        amount = members.get(name)
        if isinstance(amount, int) and not isinstance(amount, bool) and isinstance(currency, str) and currency.isalpha():
            facts.append(Fact(name, money(amount, currency)))
    for name in _MOMENTS:
        if isinstance(members.get(name), int):
            told = reading(f'"{name}"', str(members[name]), lambda: None, time.time())
            facts.append(Fact(name, told or str(members[name])))
    if isinstance(members.get("livemode"), bool):
        facts.append(Fact("mode", "live" if members["livemode"] else "test"))
    return tuple(facts)


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        return ", ".join(value)
    return str(value) if isinstance(value, str | int | float) else ""
