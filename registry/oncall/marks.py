"""What changed between two boards: for each incident the mark that its row shows until the next refresh."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
    for id_ in earlier:
        if id_ not in found:
            found[id_] = DONE if id_ in after.facts.done else GONE
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


def ordered(shown: Sequence[str], board: Board, gone: Sequence[str]) -> list[str]:
    """Ids in an order that keeps the order of the shown rows; new rows are inserted by rank.

    Args:
        shown: the ids on screen, in their order.
        board: the current board.
        gone: ids that stay for this refresh although they are no longer open.
    """
    # A board's rows are sorted by rank: a row's position serves as its rank, and costs nothing.
    ranks = {row.incident.id: place for place, row in enumerate(board.rows)}
    stay = set(gone)
    kept = [id_ for id_ in shown if id_ in ranks or id_ in stay]
    there = set(kept)
    found: list[str] = []
    place = 0
    for rank, row in enumerate(board.rows):
        if row.incident.id in there:
            continue
        # Rows skipped for one new row need not be checked again for the next.
        while place < len(kept) and not (kept[place] in ranks and ranks[kept[place]] > rank):
            found.append(kept[place])
            place += 1
        found.append(row.incident.id)
    return found + kept[place:]
