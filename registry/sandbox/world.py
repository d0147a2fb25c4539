"""The common data of the sandbox's world: the seed, the present moment, ids, random choices; the company; rough texts.

The same seed gives the same world, ids included, whatever is built first: every random choice comes from a stream that is
named after its purpose, and every id is derived from the name of what it identifies. Times are relative to the moment at
which the world is made; the present moves on from there.

The same people and teams appear in all three services, so that a name seen in one place can be found in the others.

The usual world can be shown to anybody. The rough one is the same world, with the same ids, amounts and times, in which some
texts are replaced: markup, escape sequences, control characters, characters that turn the direction, quotes and backslashes,
emoji, names of 300 letters. A service passes its objects through `roughened` when it writes them, and knows nothing else
about this.
"""

import hashlib
import random
from calendar import monthrange, timegm
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from registry.sandbox.clock import Clock

MINUTE, HOUR, DAY = 60, 3_600, 86_400


def data_file(beside: str, name: str) -> dict[str, Any]:
    """What a JSON file in the folder of a module holds; `beside` is the module's ``__file__``."""
    held: dict[str, Any] = msgspec.json.decode((Path(beside).parent / f"{name}.json").read_bytes())
    return held


_LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
_HEX = "0123456789abcdef"


def later(moment: int, months: int) -> int:
    """The same day and time so many calendar months later (earlier when negative), in UTC, or the month's last day."""
    when = datetime.fromtimestamp(moment, UTC)
    year, month = divmod(when.year * 12 + when.month - 1 + months, 12)
    day = when.day if when.day <= 28 else min(when.day, monthrange(year, month + 1)[1])
    return timegm((year, month + 1, day, when.hour, when.minute, when.second))


class World(msgspec.Struct, frozen=True):
    """A seed, the moment at which the world is made (Unix seconds, UTC), and the clock that it lives by since.

    `customers` is how many customers the payments account has; those of the story are there in any case. `rough` says that some
    texts are hard to show, as `registry.sandbox.world` has them.
    """

    seed: int
    now: int
    clock: Clock | None = None
    customers: int = 0
    rough: bool = False

    @property
    def present(self) -> int:
        """The current time in Unix seconds; without a clock, when the world was made."""
        return self.now if self.clock is None else self.clock.now()

    def dice(self, purpose: str) -> random.Random:
        """A stream of random choices that depends on the seed and the purpose only."""
        return random.Random(f"{self.seed}/{purpose}")

    def token(self, name: str, length: int) -> str:
        """Letters and digits derived from `name` in this world."""
        return _spell(f"{self.seed}/{name}/{length}", _LETTERS, length)

    def capitals(self, name: str, length: int) -> str:
        """Capital letters and digits derived from `name` in this world."""
        return _spell(f"{self.seed}/{name}/{length}", _CAPITALS, length)

    def digits(self, name: str, length: int) -> str:
        """Decimal digits derived from `name` in this world."""
        return _spell(f"{self.seed}/{name}/{length}", "0123456789", length)

    def hexadecimal(self, name: str, length: int) -> str:
        """Hexadecimal digits derived from `name` in this world."""
        return _spell(f"{self.seed}/{name}/{length}", _HEX, length)

    def uuid(self, name: str) -> str:
        """A UUID (in the form of version 4) derived from `name` in this world."""
        text = self.hexadecimal(name, 32)
        return f"{text[:8]}-{text[8:12]}-4{text[13:16]}-a{text[17:20]}-{text[20:]}"


def _spell(name: str, alphabet: str, length: int) -> str:
    """So many digits of the number that a name's digest is, the lowest first.

    This is the slowest step of making a world: eight digits are split off at once, halved, and looked up two at a time.
    """
    every, whole, half, squared, pairs = _places(alphabet, length)
    number = int.from_bytes(hashlib.blake2b(name.encode()).digest(), "big") % every
    letters: list[str] = []
    for _ in range((length + 7) // 8):
        number, part = divmod(number, whole)
        high, low = divmod(part, half)
        second, first = divmod(low, squared)
        fourth, third = divmod(high, squared)
        letters += (pairs[first], pairs[second], pairs[third], pairs[fourth])
    return "".join(letters)[:length]


@cache
def _places(alphabet: str, length: int) -> tuple[int, int, int, int, tuple[str, ...]]:
    """How many numbers have so many digits, eight, four and two; and all numbers of two digits."""
    base = len(alphabet)
    return base**length, base**8, base**4, base**2, tuple(low + high for high in alphabet for low in alphabet)


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


HELD = data_file(__file__, "company")
"""Teams by key, people by key (names, title, zone, teams), and names for invented people, also as an email address has them;
and what the CRM says of its account."""

TEAMS: dict[str, str] = HELD["teams"]
PEOPLE = tuple(
    Person(key, first_name, last_name, title, zone, tuple(teams.split()))
    for key, (first_name, last_name, title, zone, teams) in HELD["people"].items()
)


_HELD = data_file(__file__, "rough")
_ROUGH: dict[str, str] = _HELD["texts"]
ROUGH_NAMES: list[tuple[str, str]] = _HELD["names"]
"""First and last names of the newest people in the rough world's CRM; the last first name has 300 letters."""


def roughened(world: World, value: Any) -> Any:
    """A value as in this world: in the rough world, all its texts and property names that have a rough version are replaced."""
    return _rough(value) if world.rough else value


def _rough(value: Any) -> Any:
    if isinstance(value, dict):
        return {_ROUGH.get(name, name): _rough(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_rough(one) for one in value]
    return _ROUGH.get(value, value) if isinstance(value, str) else value
