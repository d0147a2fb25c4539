"""The few facts that identify an object to people: its own properties, and those of objects that it refers to."""

from __future__ import annotations

import re
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple

from registry.accounts.secrets import MASK
from registry.calling.sensitive import is_sensitive
from registry.catalog.properties import InFacts, in_order
from registry.changes.reads import Object, Reads
from registry.text.readings import money, reading
from registry.text.safe_text import shortened, visible_line

_LONGEST = 80
_CALLED = ("name", "display_name", "title", "nickname", "label", "email", "domain_name", "url", "value", "description")
_NAMES = (
    "name", "display_name", "title", "nickname", "firstName", "first_name", "lastName", "last_name", "email", "label",
    "description", "number", "code", "alias", "url", "domain_name", "serial_number", "value", "type", "brand", "last4",
)  # fmt: skip
_ABOUT = ("status", "active", "duration")
_AMOUNTS = ("amount", "total", "balance")
_MOMENTS = ("created", "due_date", "start", "end")
NONE_DECLARED = InFacts()
_SAID = {"url": "URL"}
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


class Fact(NamedTuple):
    """A name and its value, each fit for one line on screen."""

    name: str
    words: str


FactStep = Callable[[Object, Reads], Awaitable[list[Fact]]]


def facts_of(members: Mapping[str, Any], declared: InFacts = NONE_DECLARED) -> tuple[Fact, ...]:
    """The facts that distinguish an object from others of its kind: names, state, amounts, times, and whether it is live.

    Args:
        members: the object's properties.
        declared: the properties that its toolkit declares in addition to usual ones.
    """
    told = in_order(_NAMES, in_order(declared.about, _ABOUT))
    facts = [fact(name, words) for name in told if (words := _plain(name, members.get(name)))]
    currency = members.get("currency")
    for name in in_order(declared.amounts, _AMOUNTS):
        amount = members.get(name)
        if isinstance(amount, int) and not isinstance(amount, bool) and isinstance(currency, str) and currency.isalpha():
            facts.append(fact(name, money(amount, currency)))
    for name in in_order(declared.moments, _MOMENTS):
        if isinstance(members.get(name), int):
            text = reading(f'"{name}"', str(members[name]), lambda: None, time.time())
            facts.append(fact(name, text or str(members[name])))
    if isinstance(members.get("livemode"), bool):
        facts.append(Fact("mode", "live" if members["livemode"] else "test"))
    return tuple(facts)


def fact(name: str, words: str) -> Fact:
    """A fact under its spoken name, made safe to show and cut to one line."""
    said = _SAID.get(name) or _HUMP.sub(" ", name).replace("_", " ").lower()
    return Fact(said, shortened(visible_line(words), _LONGEST))


def called(members: Mapping[str, Any]) -> tuple[str, ...]:
    """An object's names for people; may be empty."""
    person = " ".join(str(members[name]) for name in ("firstName", "lastName", "first_name", "last_name") if members.get(name))
    names = [members[name] for name in _CALLED if isinstance(members.get(name), str)]
    return tuple(dict.fromkeys(visible_line(name).strip() for name in (person, *names) if name.strip()))


def _plain(name: str, value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        return ", ".join(value)
    if isinstance(value, str) and is_sensitive(f'"{name}"', f'"{value}"'):
        return MASK
    return str(value) if isinstance(value, str | int | float) else ""
