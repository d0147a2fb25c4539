"""The payments platform's rules across arguments.

Sources: its rules for the periods of meter event summaries, and for quotes that belong to a test clock.
"""

from collections.abc import Collection, Mapping
from datetime import UTC, datetime

from registry.calling.arguments import Problems
from registry.catalog.model import Tool

_STEPS = {None: (60, "a whole minute"), "hour": (3_600, "a whole hour"), "day": (86_400, "midnight UTC")}


def rules_across(tool: Tool, values: Mapping[str, object], refused: Collection[str], _: float) -> Problems:
    """A test clock needs its customer; a period begins and ends on whole steps of its grouping."""
    clock, customer = tool.parameter("test_clock_id"), tool.parameter("customer_id")
    if clock and customer and clock.role == "filter" and clock.name in values and customer.name not in values:
        yield clock.name, f"needs `{customer.name}`; set the customer on this clock too"
    ends = {parameter.wire_name: parameter.name for parameter in tool.parameters if parameter.format == "unix-minute"}
    grouping = tool.parameter("granularity_for_event_summaries")
    if not ends or (grouping and grouping.name in refused):
        return
    step, words = _STEPS[str(values[grouping.name]) if grouping and grouping.name in values else None]
    for name in (ends["start_time"], ends["end_time"]):
        moment = values.get(name)
        if isinstance(moment, int) and moment % step:
            before = moment - moment % step
            yield name, f"must be {words}; use {before} ({_iso(before)}), the closest earlier one"
    first, last = values.get(ends["start_time"]), values.get(ends["end_time"])
    if isinstance(first, int) and isinstance(last, int) and first >= last:
        yield ends["end_time"], f"must be later than `{ends['start_time']}` ({first}); got {last}"


def _iso(seconds: int) -> str:
    """Unix seconds as a time that may be written instead; a number too large for a date stays a number."""
    try:
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%MZ}"
    except (ValueError, OverflowError, OSError):
        return str(seconds)
