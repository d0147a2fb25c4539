"""Records of schedules, with or without their layers and what comes of them in a window of time."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from registry.sandbox.incidents.rendering import Record, Rendering
from registry.sandbox.incidents.rotations import Layer, Opening, Rotation, Shift
from registry.sandbox.store import StoredRow
from registry.sandbox.world import DAY, HOUR

PARTS = ("schedule_layers", "overrides_subschedule", "final_schedule")


class Window(NamedTuple):
    """A span of time that a schedule is written out for, in Unix seconds."""

    since: int
    until: int


def schedule(rendering: Rendering, row: StoredRow, parts: Collection[str] = (), window: Window | None = None) -> Record:
    """A schedule.

    Args:
        rendering: the response that it is part of.
        row: the stored schedule.
        parts: which of `PARTS` it shows.
        window: the time that its parts are written out for; without one their entries stay empty.
    """
    account, body = rendering.account, row.body
    rotation = account.rotation(row.id)
    people = [*rotation.people, *(override.person for override in rotation.overrides)]
    policies = [
        policy.id
        for policy in account.every("escalation_policy")
        if any(id_ == row.id for rule in policy.body["rules"] for _, id_ in rule["targets"])
    ]
    record = {
        **rendering.head("schedule", row.id),
        "name": body["name"],
        "time_zone": body["time_zone"],
        "description": body["description"],
        "escalation_policies": rendering.references("escalation_policy", policies),
        "users": rendering.references("user", dict.fromkeys(people)),
        "teams": rendering.references("team", body["teams"]),
    }
    if "schedule_layers" in parts:
        record["schedule_layers"] = [
            _layer(rendering, rotation, layer, stored["id"], window)
            for layer, stored in zip(rotation.layers, body["layers"], strict=True)
        ]
    if "overrides_subschedule" in parts:
        only = Rotation(rotation.zone, (), rotation.overrides)
        record["overrides_subschedule"] = {"name": "Overrides", **_written_out(rendering, only, window)}
    if "final_schedule" in parts:
        record["final_schedule"] = {"name": "Final Schedule", **_written_out(rendering, rotation, window)}
    return record


def _layer(rendering: Rendering, rotation: Rotation, layer: Layer, id_: str, window: Window | None) -> Record:
    alone = Rotation(rotation.zone, (layer,), ())
    start = rendering.time(rotation.instant(layer.start))
    return {
        "id": id_,
        "name": layer.name,
        "start": start,
        "end": None if layer.end is None else rendering.time(rotation.instant(layer.end)),
        "rotation_virtual_start": start,
        "rotation_turn_length_seconds": layer.days * DAY,
        "users": [{"user": rendering.reference("user", person)} for person in layer.people],
        "restrictions": list(_restrictions(layer.openings)),
        **_written_out(rendering, alone, window),
    }


def _restrictions(openings: Iterable[Opening]) -> Iterable[Record]:
    for opening in openings:
        hours = {"start_time_of_day": opening.opens.isoformat(), "duration_seconds": opening.hours * HOUR}
        if len(opening.weekdays) == 7:
            yield {"type": "daily_restriction", **hours}
        else:
            for weekday in opening.weekdays:
                yield {"type": "weekly_restriction", "start_day_of_week": weekday + 1, **hours}


def _written_out(rendering: Rendering, rotation: Rotation, window: Window | None) -> Record:
    if window is None:
        return {"rendered_schedule_entries": [], "rendered_coverage_percentage": None}
    shifts = rotation.between(*window)
    span = window.until - window.since
    covered = sum(_length(shift) for shift in shifts)
    return {
        "rendered_schedule_entries": [
            {
                "start": rendering.time(shift.start),
                "end": rendering.time_or_null(shift.end),
                "user": rendering.reference("user", shift.person),
            }
            for shift in shifts
        ],
        "rendered_coverage_percentage": round(100 * covered / span, 1) if span else 0.0,
    }


def _length(shift: Shift) -> int:
    return 0 if shift.end is None else shift.end - shift.start
