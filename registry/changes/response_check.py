"""Compares the response to a change with the object as it was before: a success can still show that nothing happened.

A proxy, a cache, or a service that ignores a request may respond with status 200 and the unchanged object. That proves
nothing, so the outcome is then found out by reading.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from registry.calling.exact_json import same as same_json
from registry.catalog.model import Tool
from registry.changes.differences import sent_fields
from registry.changes.reads import ReadResult
from registry.changes.writing import took_effect

_MARKS = ("deleted", "archived", "is_deleted", "isDeleted", "is_archived", "isArchived")
_TIMES = ("deleted_at", "deletedAt", "archived_at", "archivedAt")
_STATES = ("status", "state")
_OVER = frozenset({"deleted", "archived", "removed", "canceled", "cancelled"})


def marked_deleted(members: Mapping[str, Any]) -> bool:
    """Whether an object has a mark of deletion, as in services that keep deleted objects."""
    if any(members.get(name) is True for name in _MARKS) or any(members.get(name) for name in _TIMES):
        return True
    return any(isinstance(words := members.get(name), str) and words.lower() in _OVER for name in _STATES)


def contradiction(tool: Tool, arguments: Mapping[str, object], before: bytes, body: bytes) -> str:
    """What in a successful response says that the change was not made, in words; empty if nothing does.

    Args:
        tool: the tool that deletes or changes something.
        arguments: its checked arguments.
        before: the object before the change, as JSON; empty if unknown.
        body: the body of the response.
    """
    was, now = ReadResult.of(before).members, ReadResult.of(body).members
    if not now:
        return ""
    same = bool(was) and all(name in now and same_json(value, now[name]) for name, value in was.items())
    if tool.effect == "delete":
        if marked_deleted(now) and not (same and marked_deleted(was)):
            return ""
        if now.get("deleted") is False and was.get("deleted") is not False:
            return "says that the object is not deleted"
        return "returned the object unchanged" if same else ""
    ignored = any(_differ(value, now.get(name)) for name, value in sent_fields(tool, arguments).items())
    return "returned the object unchanged" if same and ignored and not took_effect(tool, arguments, now) else ""


def _differ(given: object, present: object) -> bool:
    """Whether two values certainly differ: a service may write a time, a list or a number in its own way."""
    if isinstance(given, str) and isinstance(present, str):
        return given.strip().lower() != present.strip().lower()
    return type(given) is type(present) and isinstance(given, bool | int) and given != present
