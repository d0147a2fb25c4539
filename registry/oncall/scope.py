"""The filters of the dashboard: teams, mine, urgency, a service, a text. Filtered incidents are still counted.

In the text that people type, a word is searched in the title, service, number, priority and assignees. A condition names a
field: ``title``, ``service``, ``assignee``, ``priority``, ``urgency``, ``status``, ``policy``, ``team``, ``number`` or
``created``. A condition with another field name counts as a word, because titles have texts such as ``db: disk``. ``OR``
separates groups of conditions.
"""

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from msgspec import Struct

from registry.calling.times import InvalidValue, instant
from registry.oncall.model import Incident, Ref
from registry.text.filter_line import Word, words_of
from registry.text.shown import whole


class Scope(Struct, frozen=True):
    """A choice of incidents. Without teams, those of all teams.

    Attributes:
        teams: ids of teams; they also filter policies, services and events.
        mine: only incidents assigned to me.
        urgency: ``high``, ``low``, or empty for both.
        service: a service's id; empty for all.
        text: words and conditions as typed, case-insensitive.
    """

    teams: frozenset[str] = frozenset()
    mine: bool = False
    urgency: str = ""
    service: str = ""
    text: str = ""

    @property
    def everything(self) -> bool:
        """Whether it has no filter."""
        return self == Scope()

    def of_teams(self, teams: Iterable[Ref]) -> bool:
        """Whether something of these teams is in scope."""
        return not self.teams or any(team.id in self.teams for team in teams)

    def holds(self, incident: Incident, me: str, now: float) -> bool:
        """Whether an incident is in scope. `me`: my user id, may be empty; relative times count from `now`, in Unix seconds."""
        return (
            self.of_teams(incident.teams)
            and (not self.mine or incident.is_assigned_to(me))
            and self.urgency in ("", incident.urgency)
            and self.service in ("", incident.service.id)
            # An unfinished condition matches everything.
            and any(all(_holds(word, typed, incident, now) for word, typed in group) for group in _groups(self.text))
        )


_FIELDS: Mapping[str, Callable[[Incident], Sequence[str]]] = {
    "title": lambda one: [one.title],
    "service": lambda one: [one.service.name],
    "assignee": lambda one: [ref.name for ref, _ in one.assigned],
    "priority": lambda one: [one.priority],
    "urgency": lambda one: [one.urgency],
    "status": lambda one: [one.status],
    "policy": lambda one: [one.policy.name],
    "team": lambda one: [ref.name for ref in one.teams],
}
_NUMBERS: Mapping[str, Callable[[Incident], float | None]] = {
    "number": lambda one: one.number,
    "created": lambda one: one.created,
}
_COMPARED = {">": operator.gt, ">=": operator.ge, "<": operator.lt, "<=": operator.le}


def problem(text: str, now: float) -> str:
    """What is invalid in a line, in words; empty if it is valid."""
    for word, typed in (pair for group in _groups(text) for pair in group):
        if word.name in _NUMBERS and word.sign and _limit(word, now) is None:
            return f"{typed}: {word.name} must be {'a time such as -2h or 9:00' if word.name == 'created' else 'a number'}"
        if word.name in _FIELDS and word.sign in _COMPARED:
            return f"{typed}: {word.name} works with : = !=, not with {word.sign}"
        if "quote" in word.fault:
            return f"{typed}: {word.fault}"
    return ""


@lru_cache(maxsize=16)
def _groups(text: str) -> tuple[tuple[tuple[Word, str], ...], ...]:
    """The groups of words between the ORs; each word with its text as typed."""
    groups: list[list[tuple[Word, str]]] = [[]]
    for word in words_of(text):
        if word.end > word.start:
            if word.joint == "OR":
                groups.append([])
            groups[-1].append((word, text[word.start : word.end]))
    return tuple(tuple(group) for group in groups)


def _holds(word: Word, typed: str, incident: Incident, now: float) -> bool:
    number, field = _NUMBERS.get(word.name), _FIELDS.get(word.name)
    if number is not None and word.sign:
        limit, held = _limit(word, now), number(incident)
        return limit is None or (held is not None and _COMPARED.get(word.sign, operator.eq)(held, limit)) != word.negated
    said = word.value.casefold()
    if field is not None and word.sign:
        texts = [text.casefold() for text in field(incident)]
        found = said in texts if word.sign in ("=", "!=") else any(said in text for text in texts)
        return not word.value or word.sign in _COMPARED or found != word.negated
    texts = [incident.label, *(text for one in ("title", "service", "priority", "assignee") for text in _FIELDS[one](incident))]
    said = said if not word.name else typed.removeprefix("!").casefold()
    return any(said in text.casefold() for text in texts) != (word.negated and not word.name and bool(said))


def _limit(word: Word, now: float) -> float | None:
    if word.name == "created":
        try:
            return instant(word.value, now).at.timestamp()
        except InvalidValue:
            return None
    number = whole(word.value.removeprefix("#"))
    return float(number) if number is not None else None
