"""Rules that concern more than one argument, decided by what parameters mean and never by a tool's name.

Sources: the services' own rules on cursors, windows and summaries (each broken one would be answered with an error).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from datetime import UTC, datetime, timedelta

from registry.catalog.model import Parameter, Tool

_STEPS = {None: (60, "a whole minute"), "hour": (3_600, "a whole hour"), "day": (86_400, "midnight UTC")}
LAST_ITEM = 10_000
"""How far into a list an offset and a limit may reach together."""

_LONGEST_WINDOW = timedelta(days=184)

Problems = Iterator[tuple[str, str]]


def rules_across(tool: Tool, values: Mapping[str, object], refused: Collection[str]) -> Problems:
    """Everything that is wrong with arguments taken together: (parameter, message).

    Args:
        tool: what is to be called.
        values: the checked values of the single arguments.
        refused: parameters that were found wrong on their own; rules that need them are not applied.
    """
    yield from _cursors(tool, values)
    yield from _depth(tool, values)
    yield from _window(tool, values)
    yield from _summary_period(tool, values, refused)
    yield from _identifier(tool, values)


def _cursors(tool: Tool, values: Mapping[str, object]) -> Problems:
    before, after = tool.with_role("cursor_before"), tool.with_role("cursor_after")
    if before and after and before.name in values and after.name in values:
        yield after.name, f"cannot go together with `{before.name}`: a page starts after an item or ends before one; keep one"


def _depth(tool: Tool, values: Mapping[str, object]) -> Problems:
    limit, offset, deepest = tool.with_role("limit"), tool.with_role("offset"), deepest_of(tool)
    if limit and offset and offset.name in values and deepest is not None:
        size, passed = values.get(limit.name, limit.default), values[offset.name]
        if isinstance(size, int) and isinstance(passed, int) and size + passed > deepest:
            yield (
                offset.name,
                f"and the limit may reach {deepest} items together; got {passed} + {size}. Narrow the filters instead",
            )


def deepest_of(tool: Tool) -> int | None:
    """How many items into its list an offset and a limit may reach together; None where the service sets no bound."""
    return tool.returns.paging.deepest if tool.returns.paging is not None else None


def _window(tool: Tool, values: Mapping[str, object]) -> Problems:
    times = {parameter.wire_name: parameter for parameter in tool.parameters if parameter.format == "date-time"}
    since, until = times.get("since"), times.get("until")
    if not since or not until or since.name not in values or until.name not in values:
        return
    start, stop = (datetime.fromisoformat(str(values[parameter.name])) for parameter in (since, until))
    if start >= stop:
        yield until.name, f"must be later than `{since.name}` ({values[since.name]}); got {values[until.name]}"
    elif "incident" in tool.returns.objects and stop - start > _LONGEST_WINDOW:
        yield until.name, f"may be at most six months after `{since.name}`; ask for one half year after the other"


def _summary_period(tool: Tool, values: Mapping[str, object], refused: Collection[str]) -> Problems:
    ends = {parameter.wire_name: parameter for parameter in tool.parameters if parameter.format == "unix-minute"}
    if not ends:
        return
    start, stop = ends["start_time"], ends["end_time"]
    grouping = _by_wire_name(tool, "value_grouping_window")
    if grouping and grouping.name in refused:
        return
    step, words = _STEPS[str(values[grouping.name]) if grouping and grouping.name in values else None]
    for parameter in (start, stop):
        moment = values.get(parameter.name)
        if isinstance(moment, int) and moment % step:
            before = moment - moment % step
            yield parameter.name, f"must be {words}; the nearest before is {before} ({_iso(before)})"
    first, last = values.get(start.name), values.get(stop.name)
    if isinstance(first, int) and isinstance(last, int) and first >= last:
        yield stop.name, f"must be later than `{start.name}` ({first}); got {last}"


def inferred(tool: Tool, values: Mapping[str, object]) -> dict[str, str]:
    """Arguments that follow from others where they are not given: an identifier with an @ in it is an e-mail address."""
    prop, identifier = _by_wire_name(tool, "idProperty"), tool.with_role("id")
    if prop is None or identifier is None or prop.name in values or "@" not in str(values.get(identifier.name, "")):
        return {}
    return {prop.name: "EMAIL"}


def _identifier(tool: Tool, values: Mapping[str, object]) -> Problems:
    prop = _by_wire_name(tool, "idProperty")
    identifier = tool.with_role("id")
    if not prop or not identifier or identifier.name not in values:
        return
    is_email = "@" in str(values[identifier.name])
    if is_email and values.get(prop.name) == "USER_ID":
        yield identifier.name, f"is an e-mail address; set `{prop.name}` to EMAIL, or give the user's id"
    elif not is_email and values.get(prop.name) == "EMAIL":
        yield identifier.name, f"is not an e-mail address; give one, or set `{prop.name}` to USER_ID"


def _by_wire_name(tool: Tool, wire_name: str) -> Parameter | None:
    return next((parameter for parameter in tool.parameters if parameter.wire_name == wire_name), None)


def _iso(seconds: int) -> str:
    """Unix seconds as a time that may be written in their place; what no calendar has stays a number."""
    try:
        return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%MZ}"
    except (ValueError, OverflowError, OSError):
        return str(seconds)
