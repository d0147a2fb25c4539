"""Operations that return a page of a list.

Cursors name one of the list's own members: ``starting_after`` returns the page just after an object, ``ending_before`` the one
just before it; both omit the object itself and keep the list's order, and ``has_more`` is about the requested direction.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from registry.sandbox.payments.errors import missing, refused
from registry.sandbox.payments.operations import EVENT_AGE, Call
from registry.sandbox.payments.parameters import Parameter, Value
from registry.sandbox.payments.reading import Found, Paging, Reader, of_owner, window
from registry.sandbox.payments.rendering import Json
from registry.sandbox.store import FieldCondition, OneOf, Other, StoredRow, Where
from registry.sandbox.world import DAY, HOUR, MINUTE

USAGE = "_usage"
"""The kind of single meter events, which are not shown."""

_EVERYTHING = 1_000_000_000
_STEPS = {"minute": MINUTE, "hour": HOUR, "day": DAY}


def members(call: Call) -> Json:
    """A page of the objects that meet the conditions of the query."""
    operation, values = call.operation, call.values
    wanted = _paging(call) if operation.paged else Paging(limit=_EVERYTHING)
    where: dict[str, FieldCondition] = dict(operation.only)
    kinds = [kind for kind in operation.kinds if values.get("object", kind) == kind]
    if operation.owner:
        owner = call.owner()
        kinds, theirs = of_owner(kinds, operation.by, owner.id)
        where |= theirs
        if operation.by == "ownership":  # owners of a linked account are as of one reading, which has to be the account's own
            where["ownership"] = owner.body.get("ownership")
            if values["ownership"] != where["ownership"]:
                raise missing("financial_connections.account_ownership", values["ownership"], "ownership", status=400)
    for name, parameter in operation.filters.items():
        if name in values:
            where |= _condition(call.reader, name, parameter, values[name])
    if operation.clock and not values.keys() & {"customer", "test_clock"}:
        where[operation.clock] = None
    return call.show_page(*call.reader.page(kinds, where, wanted, oldest_first=operation.oldest_first))


def _condition(reader: Reader, name: str, parameter: Parameter, value: Value) -> Where:
    """What a parameter asks of the members of a list.

    Raises:
        ApiError: 400, it names an object that does not exist.
    """
    path = parameter.path or name
    if parameter.refers:
        reader.require((parameter.refers,), str(value), name, status=400)
    if parameter.through:
        owning = reader.every((parameter.through,), {name: value})
        return {path: OneOf(tuple(one.row.id for one in owning))}
    if parameter.type == "flag":  # an object without the field counts as false
        return {path: True if bool(value) != parameter.inverted else Other(value=True)}
    return {} if value == parameter.every else {path: parameter.stored.get(str(value), value)}


def recent_events(call: Call) -> Json:
    """The events that can still be read, newest first, all or of one type."""
    found = call.reader.every(("event",), {"type": call.values["type"]} if "type" in call.values else {})
    recent = [one for one in found if one.row.created >= call.now - EVENT_AGE]
    return call.show_page(*window(recent, _paging(call), "event"))


def summaries(call: Call) -> Json:
    """What a customer used of a meter within a window of time, as one sum or by the hour or the day, the newest window first.

    Windows begin on whole minutes, hours or days (UTC), so that a summary always covers all of its window; its id is derived
    from the meter, the customer and the window.
    """
    wanted, (kind,), reader = _paging(call), call.operation.kinds, call.reader
    start, end, unit = call.values["start_time"], call.values["end_time"], call.values.get("value_grouping_window", "minute")
    for name, moment in (("start_time", start), ("end_time", end)):
        if moment % _STEPS[unit]:
            raise refused(f"Invalid {name}: it must lie on a whole {unit} (UTC), and {moment} does not.", param=name)
    if start >= end:
        raise refused("Invalid end_time: it must be later than start_time.", param="end_time")
    meter = call.owner()
    customer = reader.require(("customer",), call.values["customer"], "customer", status=400).row.id
    reader.ensure(USAGE)
    condition = "json_extract(body, '$.customer') = ? AND json_extract(body, '$.meter') = ? AND created >= ? AND created < ?"
    events = reader.store.find(USAGE, condition, [customer, meter.id, start, end], limit=_EVERYTHING).rows[::-1]
    step = end - start if unit == "minute" else _STEPS[unit]
    groups: dict[int, list[StoredRow]] = {start: []} if unit == "minute" else {}
    groups |= {begin: list(some) for begin, some in groupby(events, lambda one: start + (one.created - start) // step * step)}
    found = []
    for begin, some in sorted(groups.items(), reverse=True):
        id_ = "mtrusg_" + reader.world.token(f"usage/{meter.id}/{customer}/{begin}/{begin + step}", 24)
        value = _aggregate(meter.body["default_aggregation"]["formula"], some)
        body = {"aggregated_value": value, "start_time": begin, "end_time": begin + step, "meter": meter.id}
        found.append(Found(kind, StoredRow(id_, begin, body)))
    return call.show_page(*window(found, wanted, kind))


def _aggregate(formula: str, events: Sequence[StoredRow]) -> float:
    """What a meter makes of the events of a window, oldest first: their sum, their number, or the last one's value."""
    values: list[float] = [event.body["value"] for event in events]
    return {"count": len(values), "last": values[-1] if values else 0}.get(formula, sum(values))


def _paging(call: Call) -> Paging:
    after, before = call.values.get("starting_after"), call.values.get("ending_before")
    if after is not None and before is not None:
        raise refused("Received both starting_after and ending_before parameters. Please pass in only one.")
    return Paging(call.values.get("limit", call.operation.limit or Paging().limit), after, before)
