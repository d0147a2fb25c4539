"""People with the same name are told apart: by the local part of their email, else by their teams, else by their id."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from registry.oncall.facts import Facts
from registry.oncall.model import Person, Ref

_TELLING: tuple[Callable[[Person], str], ...] = (
    lambda one: one.email.partition("@")[0],
    lambda one: ", ".join(team.name for team in one.teams),
    lambda one: one.id,
)


def told_apart(facts: Facts) -> Facts:
    """The facts with something behind each name that several users have: ``Ann Lee (alee)``, ``Ann Lee (Payments)``."""
    names = dict(_names(facts.people))
    return _named(facts, names) if names else facts


def _names(people: Iterable[Person]) -> Iterable[tuple[str, str]]:
    """What to call those who share a name, by id."""
    same: dict[str, list[Person]] = defaultdict(list)
    for one in people:
        same[" ".join(one.name.split()).casefold()].append(one)
    for group in same.values():
        if len(group) > 1:
            tells = next(tells for tells in _TELLING if len({tells(one) for one in group} - {""}) == len(group))
            yield from ((one.id, f"{one.name} ({tells(one)})") for one in group)


def _named(value: Any, names: Mapping[str, str]) -> Any:
    """A value in which references to users have these names."""
    if isinstance(value, Ref):
        return replace(value, name=names[value.id]) if value.kind == "user" and value.id in names else value
    if isinstance(value, tuple):
        return tuple(_named(one, names) for one in value)
    if isinstance(value, Struct):
        return replace(value, **{name: _named(getattr(value, name), names) for name in value.__struct_fields__})
    return value
