"""The schedules of this world.

Rotations are laid out around the present moment, so that a responder who opens the sandbox at any hour finds the same
situation: Sam Ode is on call for payments, the help desk has an override until a few hours from now, the platform is
handed on three times a day, and next week three of its evening shifts are covered by nobody.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta
from typing import Any

from registry.sandbox.incidents.ids import identifier
from registry.sandbox.incidents.scenarios.scenario import Override
from registry.sandbox.incidents.times import zone
from registry.sandbox.store import Body
from registry.sandbox.world import DAY, HOUR, World

_BEFORE = timedelta(days=420)  # a whole number of rounds for up to seven people, daily and weekly
_EVERY_DAY, _WORKDAYS = tuple(range(7)), tuple(range(5))
_MONDAY, _FRIDAY, _SATURDAY = 0, 4, 5


def schedules(world: World, overrides: Sequence[Override] = (), began: int = 0) -> list[tuple[str, int, Body]]:
    """All schedules, as rows of the store.

    Args:
        world: rotations are laid out around the moment at which it was made.
        overrides: who takes over for a while in the scenario that runs.
        began: when that began, in Unix seconds.

    A body holds `name`, `description`, `time_zone`, `teams`, `layers` (each with `id`, local `start` and `end`, `days` per
    turn, `people` and `openings`: weekdays, opening time, hours) and `overrides` (person, start and end in Unix seconds).
    """
    made = (
        _payments_primary(world),
        _payments_secondary(world),
        _platform(world),
        _data(world),
        _web(world),
        _support(world),
        _finance(world),
        _retired(world),
    )
    rows = []
    for place, (key, team, body) in enumerate(made):
        body["teams"] = [identifier(world, "team", team)]
        for number, layer in enumerate(body["layers"]):
            layer["id"] = identifier(world, "layer", f"{key}/{number}")
        for one in overrides:
            if one.schedule == key:
                start = began + one.begins
                body["overrides"].append([identifier(world, "user", one.person), start, start + one.lasts])
        rows.append((identifier(world, "schedule", key), world.now - (800 - 20 * place) * DAY, body))
    return rows


_Made = tuple[str, str, Body]


def _payments_primary(world: World) -> _Made:
    handoff = _latest(world, "Europe/Berlin", "09:00")
    two_days_on = int((handoff + timedelta(days=2)).replace(tzinfo=zone("Europe/Berlin")).timestamp())
    layer = _layer(world, "Daily", handoff, 1, ["sam.ode", "mei.tan", "dana.wu"])
    swap = [identifier(world, "user", "mei.tan"), two_days_on, two_days_on + 10 * HOUR]
    return "payments-primary", "payments", _body("Payments primary", "First to be called", "Europe/Berlin", [layer], [swap])


def _payments_secondary(world: World) -> _Made:
    handoff = _latest(world, "Europe/Berlin", "09:00", _MONDAY)
    layer = _layer(world, "Weekly", handoff, 7, ["dana.wu", "mei.tan"])
    return "payments-secondary", "payments", _body("Payments secondary", "", "Europe/Berlin", [layer])


def _platform(world: World) -> _Made:
    today = datetime.fromtimestamp(world.now, UTC).replace(hour=0, minute=0, second=0, tzinfo=None)

    def eight_hours(name: str, opens: str, people: list[str]) -> dict[str, Any]:
        return _layer(world, name, _latest(world, "UTC", opens, _MONDAY), 7, people, [(_EVERY_DAY, opens, 8)])

    leaving = eight_hours("Americas", "14:00", ["lucia.ferrer"])
    leaving["end"] = (today + timedelta(days=5)).isoformat()
    coming = eight_hours("Americas, new hires", "14:00", ["lucia.ferrer", "amara.okafor"])
    coming["start"] = (today + timedelta(days=8, hours=14)).isoformat()
    layers = [
        eight_hours("Asia", "22:00", ["mei.tan", "noor.haddad"]),
        eight_hours("Africa and Europe", "06:00", ["amara.okafor", "ivo.petrov"]),
        leaving,
        coming,
    ]
    return "platform", "platform", _body("Platform follow the sun", "Eight hours each, handed over in chat", "UTC", layers)


def _data(world: World) -> _Made:
    monday = _latest(world, "Asia/Kolkata", "00:00", _MONDAY)
    saturday = _latest(world, "Asia/Kolkata", "00:00", _SATURDAY)
    layers = [
        _layer(world, "Weekdays", monday, 7, ["kenji.mori", "priya.nair"], [((_MONDAY,), "00:00", 120)]),
        _layer(world, "Weekend", saturday, 7, ["ivo.petrov", "priya.nair", "kenji.mori"], [((_SATURDAY,), "00:00", 48)]),
    ]
    return "data", "data", _body("Data weekdays and weekends", "", "Asia/Kolkata", layers)


def _web(world: World) -> _Made:
    monday = _latest(world, "Europe/Stockholm", "09:00", _MONDAY)
    layer = _layer(world, "Office hours", monday, 7, ["freya.lind", "tomas.novak"], [(_WORKDAYS, "09:00", 8)])
    return "web", "web", _body("Web office hours", "Nobody outside office hours", "Europe/Stockholm", [layer])


def _support(world: World) -> _Made:
    friday = _latest(world, "America/New_York", "17:00", _FRIDAY)
    layer = _layer(world, "Weekly", friday, 7, ["grace.bell", "diego.ruiz"])
    hour = world.now - world.now % HOUR
    override = [identifier(world, "user", "hana.kim"), hour - 2 * HOUR, hour + 4 * HOUR]
    return "support", "support", _body("Help desk", "", "America/New_York", [layer], [override])


def _finance(world: World) -> _Made:
    layer = _layer(world, "Always Oskar", _latest(world, "Europe/Oslo", "08:00"), 1, ["oskar.berg"])
    return "finance", "finance", _body("Month end", "One person, no handoff", "Europe/Oslo", [layer])


def _retired(world: World) -> _Made:
    saturday = _latest(world, "Europe/Stockholm", "08:00", _SATURDAY)
    layer = _layer(world, "Weekends", saturday, 7, ["tomas.novak"], [((_SATURDAY,), "08:00", 36)])
    layer["end"] = (saturday - timedelta(days=103)).isoformat()
    return "web-weekend", "web", _body("Web weekends", "Ended in the reorganisation", "Europe/Stockholm", [layer])


def _latest(world: World, where: str, clock: str, weekday: int | None = None) -> datetime:
    """The latest local time, not after now, that is at this clock time and weekday."""
    now = datetime.fromtimestamp(world.now, zone(where)).replace(tzinfo=None)
    found = datetime.combine(now.date(), time.fromisoformat(clock))
    if found > now:
        found -= timedelta(days=1)
    return found if weekday is None else found - timedelta(days=(found.weekday() - weekday) % 7)


def _layer(
    world: World,
    name: str,
    present_turn: datetime,
    days: int,
    people: list[str],
    openings: list[tuple[tuple[int, ...], str, int]] | None = None,
) -> dict[str, Any]:
    """A layer whose first person has the turn that runs at present."""
    return {
        "name": name,
        "start": (present_turn - _BEFORE).isoformat(),
        "end": None,
        "days": days,
        "people": [identifier(world, "user", person) for person in people],
        "openings": openings or [],
    }


def _body(
    name: str, description: str, where: str, layers: list[dict[str, Any]], overrides: list[list[Any]] | None = None
) -> Body:
    return {
        "name": name,
        "description": description,
        "time_zone": where,
        "layers": layers,
        "overrides": overrides or [],
    }
