"""Rules for several arguments together, decided by what parameters mean and never by a tool's name.

Sources: the services' own rules on cursors and windows (a service returns an error if one is broken). Rules of only one
service are in the module ``rules`` of its toolkit's folder: a function ``rules_across``, and a function ``inferred``.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import datetime

from registry.calling.invalid_value import shown
from registry.catalog.model import Parameter, Tool
from registry.catalog.path_template import step_in
from registry.catalog.toolkit_files import optional_hook

Problems = Iterator[tuple[str, str]]


def rules_across(tool: Tool, values: Mapping[str, object], refused: Collection[str], now: float) -> Problems:
    """Every problem of the arguments taken together: (parameter, message).

    `refused` are parameters that are invalid on their own: rules that need them are not applied. `now` is in Unix seconds.
    """
    yield from _cursors(tool, values)
    yield from _depth(tool, values)
    yield from _window(tool, values)
    yield from _steps(tool, values)
    if (own := optional_hook(tool.toolkit, "rules", "rules_across")) is not None:
        yield from own(tool, values, refused, now)


def _steps(tool: Tool, values: Mapping[str, object]) -> Problems:
    in_path = {str(one.wire_name): one.name for one in tool.parameters if one.place == "path" and one.name in values}
    texts = {wire_name: str(values[name]) for wire_name, name in in_path.items()}
    step = step_in(tool.path, texts)
    if step is not None:
        yield in_path[step], f"must be an id; {shown(texts[step])} would change the URL path"


def _cursors(tool: Tool, values: Mapping[str, object]) -> Problems:
    before, after = tool.with_role("cursor_before"), tool.with_role("cursor_after")
    if before and after and before.name in values and after.name in values:
        yield after.name, f"cannot be combined with `{before.name}`; set only one of them"


def _depth(tool: Tool, values: Mapping[str, object]) -> Problems:
    limit, offset, deepest = tool.with_role("limit"), tool.with_role("offset"), deepest_of(tool)
    if limit and offset and deepest is not None:
        size, passed = values.get(limit.name, limit.default), values.get(offset.name)
        if isinstance(size, int) and isinstance(passed, int) and size + passed > deepest:
            yield offset.name, f"plus limit must not exceed {deepest}; got {passed} + {size}. Use narrower filters"


def deepest_of(tool: Tool) -> int | None:
    """The highest sum of offset and limit that the service allows; None if it sets no limit."""
    return tool.returns.paging.deepest if tool.returns.paging is not None else None


def window_of(tool: Tool) -> tuple[Parameter, Parameter] | None:
    """The parameters that bound a tool's time window; None if it has none."""
    times = {parameter.wire_name: parameter for parameter in tool.parameters if parameter.format == "date-time"}
    since, until = times.get("since"), times.get("until")
    return (since, until) if since and until else None


def _window(tool: Tool, values: Mapping[str, object]) -> Problems:
    since, until = window_of(tool) or (None, None)
    if since is not None and until is not None and since.name in values and until.name in values:
        start, stop = values[since.name], values[until.name]
        if datetime.fromisoformat(str(start)) >= datetime.fromisoformat(str(stop)):
            yield until.name, f"must be later than `{since.name}` ({start}); got {stop}"


def inferred(tool: Tool, values: Mapping[str, object], now: float) -> Mapping[str, str]:
    """Arguments that follow from others, if they are not given. `now` is in Unix seconds."""
    own: Callable[..., Mapping[str, str]] | None = optional_hook(tool.toolkit, "rules", "inferred")
    return own(tool, values, now) if own is not None else {}


def by_wire_name(tool: Tool, wire_name: str) -> Parameter | None:
    """The parameter with that wire name, or None."""
    return next((parameter for parameter in tool.parameters if parameter.wire_name == wire_name), None)
