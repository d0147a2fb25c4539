"""What a check found out about an object: its facts, whether its rule holds, its companions, and the differences.

Facts identify an object to people: its own properties, and those of objects that it refers to. The lines of a check are the
same on screen and on the command line: facts · differences · the rule and whether it holds · companions · what is unknown ·
what cannot be undone. A broken condition comes first, in place of the rule, because the change will not be made.
"""

import re
import time
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from msgspec import Struct

from registry.accounts.secrets import MASK
from registry.calling.receiving import is_sensitive
from registry.calling.result import Became
from registry.catalog.model import Tool
from registry.catalog.properties import Shown, in_order
from registry.changes.reads import Items, ReadResult
from registry.json_text import dumps
from registry.references.targets import words_for
from registry.results.templates import Context, fill
from registry.text.shown import reading, shortened, visible_line

Kind = Literal["fact", "difference", "rule", "holds", "broken", "unknown", "goes along", "none", "final"]
FINAL, NOT_FOUND = "Cannot be undone.", "Not found: already deleted, or never in this account."
_SIGNS: dict[Kind, str] = {"holds": "✓", "broken": "✗", "unknown": "?", "goes along": "•", "none": "·", "final": "!"}
_BECAME: dict[Became | None, str] = {
    "done": "The change was made.",
    "gone": "Not found; nothing was changed.",
    "refused": "Refused; nothing was changed.",
    "not done": "The change was not made.",
}
Verdict = Literal["looking", "go", "refuse", "unknown"]
_LONGEST = 80
_CALLED = (
    "name", "display_name", "title", "number", "nickname", "label", "email", "domain_name", "url", "value", "description"
)  # fmt: skip
_NAMES = (
    "name", "display_name", "title", "nickname", "firstName", "first_name", "lastName", "last_name", "email", "label",
    "description", "number", "code", "alias", "url", "domain_name", "serial_number", "value", "type", "brand", "last4",
)  # fmt: skip
_ABOUT = ("status", "active", "duration")
_AMOUNTS = ("amount", "total", "balance")
_MOMENTS = ("created", "due_date", "start", "end")
_NONE, _SAID = Shown(), {"url": "URL"}
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])")


class Fact(NamedTuple):
    """A name and its value, each fit for one line on screen."""

    name: str
    words: str


class Check(NamedTuple):
    """One condition of a change: whether it holds (None: unknown), and the same in words."""

    holds: bool | None
    words: str


class Companion(Struct, frozen=True):
    """Objects that are deleted too, or affected: a line such as ``3 active subscriptions, $120.00 a month``.

    `count` is None if it is unknown; `problem` says why.
    """

    words: str
    count: int | None = None
    problem: str = ""


class Difference(NamedTuple):
    """Something that will change: its name, its value now and afterwards, each in one line; empty for no value."""

    name: str
    before: str
    after: str


def counted(found: Items, one: str, many: str) -> Companion:
    """A line with the number of found items, or why they could not be counted."""
    if found.problem:
        return Companion(many, problem=f"Could not count {many}: {found.problem}")
    return Companion(in_words(len(found.items), found.more, one, many), len(found.items))


def in_words(count: int, more: bool, one: str, many: str) -> str:
    """A number with its noun: ``1 feature``, ``more than 100 features``; of none not what becomes of them: ``no features``."""
    many = many if count else many.partition(",")[0]
    return f"more than {count} {many}" if more else f"1 {one}" if count == 1 else f"{count or 'no'} {many}"


class CheckResult(Struct, frozen=True):
    """The results of checking an object before it is deleted or changed.

    Attributes:
        type: its object type; a toolkit's own check of a change leaves it, and the id, out.
        id: its id, as given; empty for a new object.
        names: its display names.
        body: the object now, as JSON; empty if it could not be read, or is new.
        gone: whether it does not exist, or not any more.
        facts: what it is.
        checks: whether the tool's rule holds.
        companions: what is affected with it; some only say why this is unknown.
        differences: what a change will change.
        request: method and address of a change that sets no property of the object.
        problems: what else is unknown, and why.
        complete: whether the check has finished.
        part: whether the id is that of the object that contains it, as a customer's is for a discount.
        whose: the name of that object.
    """

    type: str = ""
    id: str = ""
    names: tuple[str, ...] = ()
    body: bytes = b""
    gone: bool = False
    facts: tuple[Fact, ...] = ()
    checks: tuple[Check, ...] = ()
    companions: tuple[Companion, ...] = ()
    differences: tuple[Difference, ...] = ()
    request: str = ""
    problems: tuple[str, ...] = ()
    complete: bool = False
    part: bool = False
    whose: str = ""

    @property
    def name(self) -> str:
        """What people call it, or what it is a part of; may be empty."""
        return self.whose or next(iter(self.names), "")

    @property
    def own_id(self) -> str:
        """Its id in responses: a part has its own id, and so has a person who is named by an address; may be empty."""
        own = ReadResult.of(self.body).members.get("id")
        return own if isinstance(own, str) else "" if self.part else self.id

    @property
    def broken(self) -> tuple[Check, ...]:
        """The conditions that are not met."""
        return tuple(check for check in self.checks if check.holds is False)

    @property
    def unlearned(self) -> tuple[str, ...]:
        """What is unknown, and why."""
        return (*self.problems, *(one.problem for one in self.companions if one.problem))

    @property
    def verdict(self) -> Verdict:
        """Whether the change can be made, as far as is known: ``refuse`` if the object is gone or a condition is not met."""
        if self.gone or self.broken:
            return "refuse"
        if not self.complete:
            return "looking"
        return "go" if not self.unlearned and all(check.holds for check in self.checks) else "unknown"

    @property
    def in_the_way(self) -> str:
        """Why the change cannot be made, in words; empty if it can."""
        if self.gone and self.part:
            return f"No {words_for(self.type)} to remove: it may already be gone."
        return NOT_FOUND if self.gone else " ".join(check.words for check in self.broken)


class Line(NamedTuple):
    """A line: its kind, a short name if it has one, and the words. Safe to show."""

    kind: Kind
    name: str
    words: str

    @property
    def text(self) -> str:
        """The line with its sign, for plain text."""
        return f"{self.name}: {self.words}" if self.name else f"{_SIGNS.get(self.kind, '')} {self.words}".lstrip()


def became_in_words(became: Became | None) -> str:
    """The outcome of a change, as a sentence; None means unknown."""
    return _BECAME.get(became, "Unknown whether the change was made. callboard audit settle checks it.")


def lines(result: CheckResult, tool: Tool) -> Iterator[Line]:
    """The lines of the result so far."""
    broken, rule = result.broken, (tool.rule or "").replace(FINAL, "").strip()
    if result.gone:
        yield Line("broken", "", result.in_the_way)
    yield from (Line("broken", "", check.words) for check in broken)
    yield from (Line("fact", *one) for one in result.facts)
    for name, before, after in result.differences:
        yield Line("difference", name, f"{before or 'none'} → {after or 'none'}" if result.body else after or "none")
    if result.request:
        yield Line("fact", "request", result.request)
    elif result.complete and result.body and tool.effect == "write" and not result.differences:
        yield Line("none", "", "No changes: nothing given differs from what is there.")
    if rule and not broken:
        yield Line("rule", "", rule)
    for check in result.checks:
        if check.holds is not False:
            yield Line("holds" if check.holds else "unknown", "", check.words)
    for one in result.companions:
        if not one.problem:
            yield Line("goes along" if one.count else "none", "", one.words)
    yield from (Line("unknown", "", problem) for problem in result.unlearned)
    if FINAL in (tool.rule or "") and not result.gone and not broken:
        yield Line("final", "", FINAL)


def facts_of(members: Mapping[str, Any], declared: Shown = _NONE) -> tuple[Fact, ...]:
    """The facts that distinguish an object from others of its kind: names, state, amounts, times, and whether it is live.

    Args:
        members: the object's properties.
        declared: the properties that its toolkit declares in addition to usual ones.
    """
    told = in_order(_NAMES, in_order(declared.about, _ABOUT))
    facts = list[Fact]()
    for name in told:
        value = members.get(name)
        words = in_line(value)
        if isinstance(value, str) and is_sensitive(f'"{name}"', f'"{value}"'):
            words = MASK
        elif not isinstance(value, str) and words.startswith(("{", "[")):
            continue  # an object, or a list of objects
        if words:
            known = members.get(f"{name}_name")
            facts.append(fact(name, f"{known} ({words})" if known and isinstance(known, str) else words))
    for name in in_order(declared.amounts, _AMOUNTS):
        if amount := fill(f"{{{name}|money}}", Context(members)):
            facts.append(fact(name, amount))
    for name in in_order(declared.moments, _MOMENTS):
        if isinstance(members.get(name), int):
            text = reading(f'"{name}"', str(members[name]), members.get, time.time())
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


def in_line(value: object) -> str:
    """A JSON value in words, in one line; empty for none."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
        return ", ".join(value)
    return "" if value is None else str(value) if isinstance(value, str | int | float) else dumps(value)
