"""Summaries of meter events: what a customer used within a window of time, as one sum or by the hour or the day.

Single events are kept under a separate kind and are not shown. Windows begin on whole minutes, hours or days (UTC), so that
a summary always covers all of its window; its id is derived from the meter, the customer and the window.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from registry.sandbox.payments import expanding
from registry.sandbox.payments.calls import Call
from registry.sandbox.payments.errors import refused
from registry.sandbox.payments.lists import PAGING, paging, window
from registry.sandbox.payments.parameters import Parameter, arguments
from registry.sandbox.payments.reading import Found
from registry.sandbox.payments.rendering import Json
from registry.sandbox.store import StoredRow
from registry.sandbox.world import DAY, HOUR, MINUTE

KIND = "billing.meter_event_summary"
EVENTS = "_usage"

_MOST_EVENTS = 10_000_000
_STEPS = {"hour": HOUR, "day": DAY}
_PARAMETERS = (
    Parameter("customer", required=True),
    Parameter("start_time", "integer", required=True, lowest=0),
    Parameter("end_time", "integer", required=True, lowest=0),
    Parameter("value_grouping_window", choices=("hour", "day")),
    *PAGING,
)


class Summaries:
    """The summaries of one meter and one customer, the newest window first."""

    def answer(self, call: Call) -> Json:
        """The page."""
        asked = arguments(call.query, _PARAMETERS, expands=True)
        tree = expanding.tree(asked.expand, (KIND,), listed=True)
        wanted = paging(asked)
        start, end = asked.integer("start_time", 0), asked.integer("end_time", 0)
        grouping = asked.text("value_grouping_window")
        _check_window(start, end, grouping)
        meter = call.reader.require(("billing.meter",), call.ids[0], call.names[0]).row
        customer = call.reader.require(("customer",), asked.text("customer") or "", "customer", status=400).row
        summaries = _summaries(call, meter, customer.id, start, end, grouping)
        part = window(summaries, wanted, KIND)
        return call.renderer.list(call.path, part.found, part.has_more, tree)


def _check_window(start: int, end: int, grouping: str | None) -> None:
    unit = grouping or "minute"
    step = _STEPS.get(unit, MINUTE)
    for name, moment in (("start_time", start), ("end_time", end)):
        if moment % step:
            raise refused(f"Invalid {name}: it must lie on a whole {unit} (UTC), and {moment} does not.", param=name)
    if start >= end:
        raise refused("Invalid end_time: it must be later than start_time.", param="end_time")


def _summaries(call: Call, meter: StoredRow, customer: str, start: int, end: int, grouping: str | None) -> list[Found]:
    reader = call.reader
    reader.ensure((EVENTS,))
    condition = "json_extract(body, '$.customer') = ? AND json_extract(body, '$.meter') = ? AND created >= ? AND created < ?"
    events = reader.store.find(EVENTS, condition, [customer, meter.id, start, end], limit=_MOST_EVENTS).rows[::-1]
    formula = meter.body["default_aggregation"]["formula"]
    step = _STEPS[grouping] if grouping else end - start
    groups = [
        (begin, list(one)) for begin, one in groupby(events, key=lambda event: start + (event.created - start) // step * step)
    ]
    if not grouping and not groups:
        groups = [(start, [])]
    found = []
    for begin, one in reversed(groups):
        body = {
            "aggregated_value": _aggregate(formula, one),
            "start_time": begin,
            "end_time": begin + step,
            "meter": meter.id,
        }
        id_ = "mtrusg_" + reader.world.token(f"usage/{meter.id}/{customer}/{begin}/{begin + step}", 24)
        found.append(Found(KIND, StoredRow(id_, begin, body)))
    return found


def _aggregate(formula: str, events: Sequence[StoredRow]) -> float:
    """What a meter makes of the events of a window, oldest first: their sum, their number, or the last one's value."""
    values: list[float] = [event.body["value"] for event in events]
    match formula:
        case "count":
            return len(values)
        case "last":
            return values[-1] if values else 0
    return sum(values)
