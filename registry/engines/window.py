"""Finds how to fetch only new items: the argument of a tool that selects by creation time, and its value.

A tool's parameters show whether it can do this: one with the role ``timestamp`` and one of the usual names, or a search query
with a field ``created`` that is a time. The moment is found in the items. Services show new objects with a delay, so the next
run begins some minutes before the newest item; rows that come again replace themselves.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from registry.calling.search_queries import query_fields
from registry.catalog.model import Parameter, Tool
from registry.results.picking import Picker, string
from registry.text.filter_line import words_of

OVERLAP = 300
"""Seconds before the newest item at which the next run begins."""

_SINCE = {
    "since",
    *(
        f"created{middle}{end}"
        for middle in ("", "_at", "_date", "_time")
        for end in ("_after", "_since", "_from", "_gte", "_min")
    ),
    *(f"created{middle}{end}" for middle in ("", "_at") for end in ("[gte]", "[gt]", ".gte", ".gt", "__gte", "__gt")),
}
_PICK = Picker([("created",), ("created_at",), ("createdAt",), ("created_on",)])
_MILLISECONDS = 10**11
"""From this number on, a time is in milliseconds: in seconds it would be the year 5138."""


@dataclass(frozen=True, slots=True)
class Window:
    """How a tool fetches new items: by a parameter that takes a moment, or by a field in a query parameter."""

    parameter: Parameter
    field: str = ""

    def arguments(self, raw: Mapping[str, object], since: float) -> dict[str, object]:
        """The arguments for items that were created since a moment in Unix seconds."""
        seconds = math.floor(since)
        if self.field:
            typed = str(raw.get(self.parameter.name) or "").strip()
            condition = f"{self.field}>={seconds}"
            return {**raw, self.parameter.name: f"{typed} AND {condition}" if typed else condition}
        if self.parameter.type == "integer":
            return {**raw, self.parameter.name: seconds - seconds % 60}
        moment = datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")
        return {**raw, self.parameter.name: moment}


def window_of(tool: Tool, raw: Mapping[str, object]) -> Window | None:
    """How a tool can fetch only new items; None if it cannot, or the arguments already restrict the time."""
    for one in tool.parameters:
        if one.role == "timestamp" and _SINCE & {one.name.lower(), (one.wire_name or "").lower()}:
            return Window(one) if one.name not in raw else None
    query, fields = tool.with_role("query"), query_fields(tool)
    field = fields.fields.get("created") if fields is not None else None
    if query is None or field is None or ">=" not in field.signs:
        return None
    words = words_of(str(raw.get(query.name) or ""), any_case=True)
    if any(word.joint == "OR" or word.name == "created" for word in words):
        return None  # AND and OR cannot be mixed
    return Window(query, "created")


def created_of(item: bytes) -> float | None:
    """When an item was created, in Unix seconds; None if it has no time."""
    raw = next((one for one in _PICK.pick(item) if one is not None), None)
    if raw is None:
        return None
    try:
        if raw.startswith(b'"'):
            at = datetime.fromisoformat(string(raw) or "")
            return (at if at.tzinfo is not None else at.replace(tzinfo=UTC)).timestamp()
        number = float(raw)
        number = number / 1_000 if number >= _MILLISECONDS else number
        return number if 0 < number < _MILLISECONDS else None
    except (ValueError, OverflowError):
        return None
