"""What changed between two boards: for each incident the mark that its row shows until the next refresh."""

from __future__ import annotations

from collections.abc import Mapping

from registry.oncall.board import Board, IncidentRow
from registry.oncall.model import ACKNOWLEDGED, TRIGGERED

NEW, DONE, GONE = "NEW", "DONE", "GONE"


def marks(before: Board | None, after: Board) -> Mapping[str, str]:
    """Marks by incident id. The first board has no marks: an incident that is new on screen is not a new incident.

    ``NEW``: new; ``ACK``: acknowledged; ``BACK``: triggered again; ``L3``: reached that level; ``HIGH`` and ``LOW``: changed
    urgency; ``YOU``: now assigned to you; ``P1``: got that priority; ``DONE``: looked up and resolved; ``GONE``: left the
    scope, or not found any more.
    """
    if before is None or before.facts.panel("incidents").at is None:
        return {}
    earlier = {row.incident.id: row for row in before.rows}
    found = {row.incident.id: _mark(earlier.get(row.incident.id), row) for row in after.rows}
    found |= {id_: DONE if id_ in after.facts.done else GONE for id_ in earlier if id_ not in found}
    return {id_: mark for id_, mark in found.items() if mark}


def _mark(before: IncidentRow | None, after: IncidentRow) -> str:
    if before is None:
        return NEW
    old, new = before.incident, after.incident
    if old.status != new.status:
        return {ACKNOWLEDGED: "ACK", TRIGGERED: "BACK"}.get(new.status, new.status.upper()[:4])
    if before.levels != after.levels and len(after.levels) == 1 and before.levels:
        return f"L{after.levels[0]}"
    if after.mine and not before.mine:
        return "YOU"
    if old.urgency != new.urgency:
        return new.urgency.upper()[:4]
    return new.priority[:4] if old.priority != new.priority and new.priority else ""
