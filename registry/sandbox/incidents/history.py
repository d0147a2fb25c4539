"""The account's incidents and their log at a moment, worked out from the scripts.

Scripts name people, services and policies by keys and times by distance; here they become ids and moments. Ids and numbers
come from the scripts alone, so that they are the same at every moment.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from registry.sandbox.incidents import past, present
from registry.sandbox.incidents.course import Course
from registry.sandbox.incidents.ids import identifier
from registry.sandbox.incidents.ladders import Ladder
from registry.sandbox.incidents.stories import Story
from registry.sandbox.store import Body
from registry.sandbox.world import World

FIRST_NUMBER = 4001

Rows = list[tuple[str, int, Body]]


class History(NamedTuple):
    """Rows of the store, oldest first."""

    incidents: Rows
    log_entries: Rows


def log_entry_id(incident: str, place: int) -> str:
    """The id of an incident's log entry; places count from 0, and 0 is the first trigger."""
    return f"R{incident[1:11]}{place:03X}"


def at(world: World, moment: int, services: Mapping[str, Body], ladder: Ladder, users: Mapping[str, Body]) -> History:
    """Everything that has happened up to a moment.

    Args:
        world: the scripts' times are distances from its present.
        moment: Unix seconds; incidents that begin later are not there yet.
        services: stored services by id.
        ladder: whom the levels of policies reach.
        users: stored users by id.
    """
    history = History([], [])
    told = sorted((*past.stories(world), *present.stories()), key=lambda story: -story["age"])
    for place, story in enumerate(told):
        start = world.now - story["age"]
        if start > moment:
            break
        ours = _with_ids(world, story)
        id_ = identifier(world, "incident", story["key"])
        course = Course(ours, start, FIRST_NUMBER + place, services[ours["service"]], ladder, users)
        incident, entries = course.until(moment)
        history.incidents.append((id_, start, incident))
        owner = {"incident": id_, "service": incident["service"], "team": incident["team"]}
        history.log_entries.extend(
            (log_entry_id(id_, number), when, {**owner, **entry}) for number, (when, entry) in enumerate(entries)
        )
    history.log_entries.sort(key=lambda row: row[1])
    return history


def _with_ids(world: World, story: Story) -> Story:
    """The script with ids for keys."""
    kinds = {"by": "user", "to": "user", "policy": "escalation_policy", "into": "incident"}

    def spell(what: str, name: str, value: Any) -> Any:
        kind = kinds.get(name)
        if value is None or kind is None or (name == "to" and what in ("urgency", "priority")):
            return value
        if isinstance(value, list):
            return [identifier(world, kind, key) for key in value]
        return identifier(world, kind, value)

    return {
        **story,
        "service": identifier(world, "service", story["service"]),
        "by": spell("trigger", "by", story["by"]),
        "steps": [
            (after, what, {name: spell(what, name, value) for name, value in details.items()})
            for after, what, details in story["steps"]
        ],
    }
